"""Res4: signed bytes to directions and back; w is kept apart."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.msh.vertices import NORMAL, decode_normals, encode_normals

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
