"""Res7: the worked example, selectors and face normals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.msh.triangles import (
    ALL_NONE,
    NO_SELECTOR,
    TRIANGLE,
    decode_normal,
    decode_selectors,
    encode_normal,
    encode_selectors,
)

EXAMPLE = bytes.fromhex("0000 FFFF FFFF 0100 0000 0000 FF7F 0F00")


def test_the_worked_example() -> None:
    row = TRIANGLE.read(EXAMPLE)
    assert TRIANGLE.row(row) == {
        "flags": 0,
        "links": [None, None, 1],
        "normal": [0, 0, 32767],
        "selectors": 0x000F,
    }
    assert decode_normal(row["normal"]).tolist() == [0.0, 0.0, 1.0]
    assert decode_selectors(row["selectors"]).tolist() == [NO_SELECTOR, NO_SELECTOR, 0]


def test_no_selectors_are_three_times_none() -> None:
    assert int(encode_selectors([NO_SELECTOR] * 3)) == ALL_NONE


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1))
def test_selectors_survive(selectors: list[tuple[int, int, int]]) -> None:
    packed = encode_selectors(selectors)
    assert decode_selectors(packed).tolist() == [list(each) for each in selectors]
    assert (packed <= ALL_NONE).all()


def test_the_upper_bits_of_the_selectors_do_not_count() -> None:
    assert decode_selectors(np.array([0xFFC0], np.uint16)).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("component", [-32767, -1, 0, 1, 16384, 32767])
def test_normals_survive(component: int) -> None:
    raw = np.array([[component, 0, 0]], "<i2")
    assert np.array_equal(encode_normal(decode_normal(raw)), raw)


def test_normals_are_clamped_to_symmetric_values() -> None:
    assert encode_normal([[-2.0, 2.0, 0.0]]).tolist() == [[-32767, 32767, 0]]
