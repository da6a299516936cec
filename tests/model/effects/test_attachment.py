"""Where effects of a model are; worked out by hand from spec/effects.md 4, 8 and 10."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.neighbors.control_points import POINT
from viewer.formats.record import Rows
from viewer.model.clips.attachment import OBJECT, Anchor, at_explosion, on_points, on_sphere

QUARTER = np.array([[0, -1, 0, 5], [1, 0, 0, 6], [0, 0, 1, 7], [0, 0, 0, 1]], np.float32)
"""A quarter turn about z, and a shift: x of the node is y of the model."""
WORLD = np.stack([np.eye(4, dtype=np.float32), QUARTER])


def points(*rows: tuple[int, tuple[float, ...], tuple[float, ...]]) -> Rows:
    found = POINT.new(len(rows))
    for row, (node, position, direction) in zip(found, rows, strict=True):
        row["nodes"], row["position"], row["direction"] = (node, 0), position, direction
    return found


POINTS = points(
    (1, (1, 0, 0), (0, 2, 0)), (1, (0, 0, 0), (3, 0, 0)), (1, (0, 0, 3), (0, 0, 4)),
    (0, (4, 0, 0), (0, 0, 2)), (1, (2, 0, 0), (0, 2, 0)), (1, (0, 3, 0), (0, 2, 0)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("numbers", "origin", "axes"),
    [
        # One point, direction 2 y of the node, -2 x of the model: side(-1, 0, 0) is y, their product -z.
        ((0, 0, 0), (5, 7, 7), [(-2, 0, 0), (0, 2, 0), (0, 0, -2)]),
        # Three points are a frame: the middle, and the directions in order with their lengths.
        ((0, 1, 2), (5, 6 + 1 / 3, 8), [(-2, 0, 0), (0, 3, 0), (0, 0, 4)]),
        # Equal directions are one direction.
        ((0, 4, 5), (4, 7, 7), [(-2, 0, 0), (0, 2, 0), (0, 0, -2)]),
        # Along z there is no side but x.
        ((3, 3, 3), (4, 0, 0), [(0, 0, 2), (2, 0, 0), (0, 2, 0)]),
    ],
)
def test_control_points(
    numbers: tuple[int, ...], origin: tuple[float, ...], axes: list[tuple[float, ...]]
) -> None:
    anchor = on_points(POINTS, numbers)
    assert anchor is not None
    frame = anchor.frame(WORLD)
    assert frame is not None
    np.testing.assert_allclose(frame.origin, origin, atol=1e-6)
    np.testing.assert_allclose(frame.axes, axes, atol=1e-6)


def test_a_node_has_the_matrix_of_the_node_and_a_sphere_that_of_the_object() -> None:
    on_node = Anchor((1,)).frame(WORLD)
    assert on_node is not None
    np.testing.assert_allclose(on_node.axes, [(0, 1, 0), (-1, 0, 0), (0, 0, 1)])
    np.testing.assert_allclose(on_node.origin, (5, 6, 7))
    anchor = on_sphere((1, 2, 3), 9.0)
    frame = anchor.frame(WORLD)
    assert frame is not None
    assert anchor.nodes == (OBJECT,)
    np.testing.assert_allclose(frame.origin, (1, 2, 3))
    np.testing.assert_allclose(frame.axes, np.eye(3))
    assert anchor.scale == 9.0


@pytest.mark.parametrize(
    ("placement", "axis"),
    [
        (0, (-1, 0, 0)),
        (1, (0, 1, 0)),
        (2, (0, 1, 0)),
        (3, (0, 0, 1)),
        (4, (1, 0, 0)),
        (5, (0, 1, 0)),
        (6, (0, 0, 1)),
    ],
)
def test_the_axis_of_an_explosion_is_that_of_the_node_or_the_object(
    placement: int, axis: tuple[float, ...]
) -> None:
    anchor = at_explosion(1, (0, 1, 0), 7.2, placement)
    frame = anchor.frame(WORLD)
    assert frame is not None
    assert anchor.scale == 7.2
    np.testing.assert_allclose(frame.origin, (4, 6, 7))
    np.testing.assert_allclose(frame.axes[0], axis)


def test_what_does_not_exist_has_no_place() -> None:
    assert on_points(POINTS, (0, 0, 9)) is None
    assert on_points(POINTS, (-1, -1, -1)) is None
    assert Anchor((2,)).frame(WORLD) is None
    flat = on_points(points((0, (0, 0, 0), (0, 0, 0))), (0, 0, 0))
    assert flat is not None
    frame = flat.frame(WORLD)
    assert frame is not None
    assert not frame.axes.any()
