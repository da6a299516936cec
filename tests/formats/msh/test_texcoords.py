"""Res5: steps of 1/1024, exact in both directions."""

from __future__ import annotations

import numpy as np

from viewer.formats.msh.vertices import UV, decode_uvs, encode_uvs


def test_half_a_step_rounds_away_from_zero() -> None:
    assert encode_uvs([[0.00048828125, -0.00048828125]]).tolist() == [[1, -1]]


def test_every_value_survives() -> None:
    every = np.arange(-32768, 32768).astype("<i2")
    raw = np.stack([every, every[::-1]], axis=1)
    assert np.array_equal(encode_uvs(decode_uvs(raw)), raw)


def test_values_are_clamped() -> None:
    assert decode_uvs(encode_uvs([[-99, 99]])).tolist() == [[-32.0, 32767 / 1024]]


def test_u_comes_first() -> None:
    assert UV.view(bytes.fromhex("0004 00FE"))["uv"].tolist() == [[1024, -512]]
    assert decode_uvs(UV.view(bytes.fromhex("0004 00FE"))["uv"]).tolist() == [[1.0, -0.5]]
