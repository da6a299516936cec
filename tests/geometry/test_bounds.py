"""Boxes around points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.geometry.bounds import BOX_EDGES, Bounds, box_corners

coordinates = st.floats(-1e6, 1e6, width=32)
clouds = st.lists(st.tuples(coordinates, coordinates, coordinates), min_size=1).map(
    lambda points: np.array(points, np.float32)
)


def of(points: object) -> Bounds:
    bounds = Bounds.of(np.asarray(points, np.float32))
    assert bounds is not None
    return bounds


@given(clouds)
def test_a_box_is_the_least_that_holds_its_points(
    points: np.ndarray[tuple[int, int], np.dtype[np.float32]],
) -> None:
    bounds = of(points)
    assert (points >= bounds.low).all()
    assert (points <= bounds.high).all()
    assert (points == bounds.low).any(axis=0).all()
    assert (points == bounds.high).any(axis=0).all()


def test_points_that_are_not_finite_are_left_out() -> None:
    bounds = of([(1, 2, 3), (np.nan, 0, 0), (np.inf, 0, 0), (4, 2, 1)])
    assert (bounds.low.tolist(), bounds.high.tolist()) == ([1, 2, 1], [4, 2, 3])


@pytest.mark.parametrize("points", [np.empty((0, 3)), np.full((2, 3), np.nan)])
def test_no_points_have_no_box(points: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> None:
    assert Bounds.of(points) is None


def test_center_size_and_diagonal() -> None:
    bounds = of([(0, 0, 0), (2, 4, 4)])
    assert bounds.center.tolist() == [1, 2, 2]
    assert bounds.size.tolist() == [2, 4, 4]
    assert bounds.diagonal == 6


def test_the_union_holds_both() -> None:
    union = of([(0, 0, 0), (1, 1, 1)]).union(of([(-1, 2, 0.5)]))
    assert (union.low.tolist(), union.high.tolist()) == ([-1, 0, 0], [1, 2, 1])


def test_corners_go_round_the_bottom_then_round_the_top() -> None:
    assert of([(0, 0, 0), (1, 2, 3)]).corners.tolist() == [
        [0, 0, 0],
        [1, 0, 0],
        [1, 2, 0],
        [0, 2, 0],
        [0, 0, 3],
        [1, 0, 3],
        [1, 2, 3],
        [0, 2, 3],
    ]


def test_twelve_edges_join_corners_that_differ_in_one_axis() -> None:
    corners = box_corners(np.zeros((2, 3)), np.ones((2, 3)))
    assert corners.shape == (2, 8, 3)
    ends = corners[0][BOX_EDGES]
    assert np.abs(ends[:, 0] - ends[:, 1]).sum(axis=1).tolist() == [1] * 12
    assert len({frozenset(edge) for edge in BOX_EDGES.tolist()}) == 12
