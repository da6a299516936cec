"""Shapes made of lines."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.render.passes.lines import CYLINDER_LINES, SEGMENTS, axes, box, cylinder, sphere


def test_a_box_has_twelve_edges_along_the_axes() -> None:
    lines = box().points.reshape(-1, 2, 3)
    assert len(lines) == 12
    assert (np.abs(lines) == 1).all()
    assert (np.count_nonzero(lines[:, 0] != lines[:, 1], axis=1) == 1).all()


def test_a_sphere_is_three_circles_of_radius_one() -> None:
    points = sphere().points
    assert len(points) == 3 * 2 * SEGMENTS
    assert np.linalg.norm(points, axis=1) == pytest.approx(1)
    assert (np.isclose(points, 0, atol=1e-6).any(axis=0)).all()


def test_axes_have_three_colors() -> None:
    shape = axes()
    assert shape.points[1::2].tolist() == np.eye(3).tolist()
    assert len(np.unique(shape.colors, axis=0)) == 3


@pytest.mark.parametrize("end", [(1, 2, 8), (4, 2, 3), (1, 2, 3)])
def test_the_side_of_a_cylinder_is_its_radius_from_the_axis(end: tuple[float, float, float]) -> None:
    start = np.array([1.0, 2.0, 3.0])
    points = cylinder(start, end, 0.5).points[:-2]
    axis = np.asarray(end) - start
    length = np.linalg.norm(axis)
    forward = axis / length if length else np.array([0, 0, 1.0])
    across = np.cross(points - start, forward)
    assert np.linalg.norm(across, axis=1) == pytest.approx(0.5, abs=1e-5)
    assert len(points) == 2 * (2 * SEGMENTS + CYLINDER_LINES)
