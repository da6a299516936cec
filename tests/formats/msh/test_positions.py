"""Res3 and Res6: plain floats and words."""

from __future__ import annotations

from viewer.formats.msh.vertices import INDEX, POSITION


def test_positions_are_three_floats() -> None:
    data = bytes.fromhex("0000803F 00000040 000040C0")
    assert POSITION.view(data)["position"].tolist() == [[1.0, 2.0, -3.0]]


def test_indices_are_unsigned_words() -> None:
    assert INDEX.view(bytes.fromhex("0000 FFFF 0180"))["index"].tolist() == [0, 0xFFFF, 0x8001]
