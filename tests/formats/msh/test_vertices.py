"""Positions, normals and texture coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.msh.vertices import (
    INDEX,
    NORMAL,
    POSITION,
    UV,
    decode_normals,
    decode_uvs,
    encode_normals,
    encode_uvs,
)


def test_positions_are_three_floats() -> None:
    data = bytes.fromhex("0000803F 00000040 000040C0")
    assert POSITION.view(data)["position"].tolist() == [[1.0, 2.0, -3.0]]


def test_indices_are_unsigned_words() -> None:
    assert INDEX.view(bytes.fromhex("0000 FFFF 0180"))["index"].tolist() == [0, 0xFFFF, 0x8001]


ALL = np.arange(-128, 128).astype(np.int8)


@pytest.mark.parametrize(
    ("value", "raw"), [(0.5, 64), (0.70710678, 90), (-1, -127), (1, 127), (2, 127), (-2, -128)]
)
def test_the_check_values(value: float, raw: int) -> None:
    assert encode_normals([[value, 0, 0]]).tolist() == [[raw, 0, 0, 0]]


def test_every_value_but_minus_128_survives() -> None:
    raw = np.stack([ALL, ALL, ALL, np.zeros_like(ALL)], axis=1)
    expected = raw.copy()
    expected[0, :3] = -127
    assert np.array_equal(encode_normals(decode_normals(raw)), expected)


def test_no_component_leaves_minus_one_to_one() -> None:
    decoded = decode_normals(np.array([[-128, -127, 127, 5]], np.int8))
    assert decoded.tolist() == [[-1.0, -1.0, 1.0]]
    assert decoded.dtype == np.float32


def test_w_is_stored_as_given() -> None:
    raw = encode_normals([[0, 0, 1], [0, 0, 1]], w=[-128, 7])
    assert raw[:, 3].tolist() == [-128, 7]
    assert NORMAL.view(raw.tobytes())["normal"].tolist() == [[0, 0, 127, -128], [0, 0, 127, 7]]


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
