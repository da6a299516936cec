"""Packed numbers: halves go away from zero, values are clamped, raw values survive."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.packing import dequantise, quantise


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.5, 1), (-0.5, -1), (1.5, 2), (-1.5, -2), (2.5, 3), (0.49999, 0), (-0.49999, 0), (0.0, 0), (-0.0, 0)],
)
def test_halves_go_away_from_zero(value: float, expected: int) -> None:
    assert quantise([value], 1, -10, 10).tolist() == [expected]


def test_values_are_clamped() -> None:
    assert quantise([99, -99, np.inf, -np.inf], 100, -128, 127).tolist() == [127, -128, 127, -128]


@pytest.mark.parametrize("scale", [127, 1024, 32767])
def test_every_raw_value_survives(scale: int) -> None:
    raw = np.arange(-32768, 32768).astype(np.int16)
    assert np.array_equal(quantise(dequantise(raw, scale), scale, -32768, 32767), raw)


@given(st.integers(-32768, 32767))
def test_clamped_values_are_never_below_minus_one(raw: int) -> None:
    value = dequantise(np.array([raw], np.int16), 32767, clamp=True)[0]
    assert value == max(np.float32(raw) / np.float32(32767), -1)
    assert value.dtype == np.float32


def test_the_shape_is_kept() -> None:
    assert quantise(np.zeros((2, 3)), 127, -1, 1).shape == (2, 3)
