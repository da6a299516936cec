"""Numbers dragged sideways."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.ui.editing.edit_spot import can_scrub, scrubbed

COUNT, RADIUS = BATCH.field("index_count"), SLOT.field("sphere_radius")


@pytest.mark.parametrize(
    ("start", "pixels", "after"), [(1.5, 10, 1.6), (250.0, -3, 247.0), (0.0, 5, 0.005), (-20.0, 1, -19.9)]
)
def test_a_float_changes_in_its_third_digit(start: float, pixels: float, after: float) -> None:
    assert scrubbed(RADIUS, start, pixels) == pytest.approx(after)


def test_an_integer_needs_some_pixels() -> None:
    assert scrubbed(COUNT, 7, 1) == 7
    assert scrubbed(COUNT, 7, 10) == 9
    assert scrubbed(COUNT, 20_000, 1) == 20_080


@given(st.integers(0, 0xFFFF), st.floats(-1e6, 1e6))
def test_integers_stay_in_their_type(start: int, pixels: float) -> None:
    assert 0 <= scrubbed(COUNT, start, pixels) <= 0xFFFF


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.floats(-1e6, 1e6))
def test_floats_stay_finite(start: float, pixels: float) -> None:
    assert np.isfinite(np.float32(scrubbed(RADIUS, start, pixels)))


def test_only_quantities_are_dragged() -> None:
    assert can_scrub(RADIUS, 1.0)
    assert not can_scrub(RADIUS, inf)
    assert not can_scrub(NODE.field("parent"), 3), "the row of a table"
    assert not can_scrub(BATCH.field("flags"), 3)
