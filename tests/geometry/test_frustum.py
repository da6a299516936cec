"""Culling against six planes never loses what can be seen."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.geometry.frustum import meets_boxes, meets_spheres, planes, through_pixel
from viewer.geometry.transforms import inverse, look_at, orthographic, perspective, project_points

Vector = tuple[float, float, float]
CLIP = perspective(pi / 2, 1.0, 1.0, 100.0)
PLANES = planes(CLIP)
coordinates = st.floats(-150, 150)
points = st.tuples(coordinates, coordinates, coordinates)


def sphere(center: Vector, radius: float) -> bool:
    return bool(meets_spheres(PLANES, np.array([center], np.float32).T, np.array([radius], np.float32))[0])


def box(center: Vector, extent: Vector) -> bool:
    return bool(meets_boxes(PLANES, np.array([center], np.float32).T, np.array([extent], np.float32).T)[0])


def test_planes_are_unit_and_point_inwards() -> None:
    assert np.linalg.norm(PLANES[:, :3], axis=1) == pytest.approx(np.ones(6))
    assert (PLANES[:, :3] @ (0, 0, -10) + PLANES[:, 3] > 0).all()
    assert PLANES[4] == pytest.approx([0, 0, -1, -1])
    assert PLANES[5] == pytest.approx([0, 0, 1, 100], abs=1e-3)


@pytest.mark.parametrize(
    ("center", "radius", "expected"),
    [
        ((0, 0, -10), 0.0, True),
        ((0, 0, 10), 1.0, False),
        ((0, 0, 0), 1.5, True),
        ((0, 0, 0), 0.5, False),
        ((0, 0, -102), 1.0, False),
        ((0, 0, -102), 3.0, True),
        ((12, 0, -10), 1.0, False),
        ((12, 0, -10), 2.0, True),
        ((0, -12, -10), 1.0, False),
    ],
)
def test_spheres(center: Vector, radius: float, expected: bool) -> None:
    assert sphere(center, radius) is expected


@pytest.mark.parametrize(
    ("center", "extent", "expected"),
    [
        ((0, 0, -10), (0, 0, 0), True),
        ((12, 0, -10), (1, 50, 0), False),
        ((12, 0, -10), (2.5, 0, 0), True),
        ((12, 0, -10), (0, 0, 2.5), True),
        ((0, 0, 5), (90, 90, 5.5), False),
        ((0, 0, 5), (90, 90, 6.5), True),
    ],
)
def test_boxes(center: Vector, extent: Vector, expected: bool) -> None:
    assert box(center, extent) is expected


@given(points, points, st.booleans())
def test_what_is_on_the_screen_is_never_culled(eye: Vector, point: Vector, is_parallel: bool) -> None:
    view = look_at(eye, np.add(eye, (3, 4, 1)), (0, 0, 1))
    clip = (orthographic(60.0, 1.5, 1.0, 200.0) if is_parallel else perspective(1.0, 1.5, 1.0, 200.0)) @ view
    x, y, z, w = project_points(clip, [point])[0]
    if max(abs(x), abs(y), abs(z)) > w - 1e-3:
        return
    column = np.array([point], np.float32).T
    assert meets_spheres(planes(clip), column, np.zeros(1, np.float32))[0]
    assert meets_boxes(planes(clip), column, np.zeros((3, 1), np.float32))[0]


def test_a_degenerate_projection_culls_without_a_warning() -> None:
    assert np.isfinite(planes(np.zeros((4, 4)))).all()


def test_nothing_to_cull() -> None:
    assert meets_spheres(PLANES, np.empty((3, 0), np.float32), np.empty(0, np.float32)).shape == (0,)
    assert meets_boxes(PLANES, np.empty((3, 0), np.float32), np.empty((3, 0), np.float32)).shape == (0,)


def test_nothing_is_beyond_a_plane_that_is_too_far_for_a_number() -> None:
    far = planes(orthographic(2.0, 1.0, 1.0, 1e60))
    assert np.isinf(far[5, 3])
    centers = np.array([(0, 0, -1e30)], np.float32).T
    assert meets_spheres(far, centers, np.zeros(1, np.float32)).all()
    assert meets_boxes(far, centers, np.zeros((3, 1), np.float32)).all()


@pytest.mark.parametrize("clip", [perspective(pi / 2, 2.0, 1.0, 100.0), orthographic(20.0, 2.0, 1.0, 100.0)])
def test_the_middle_pixel_looks_at_the_target(
    clip: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> None:
    world_from_clip = inverse(clip @ look_at((0, -10, 0), (0, 0, 0), (0, 0, 1)))
    origin, direction = through_pixel(world_from_clip, 100, 50, 200, 100)
    assert direction == pytest.approx(np.array([0, 1, 0]), abs=1e-9)
    assert origin == pytest.approx(np.array([0, -9, 0]), abs=1e-9)


def test_pixels_count_from_the_top_left() -> None:
    world_from_clip = inverse(
        perspective(pi / 2, 2.0, 1.0, 100.0) @ look_at((0, -10, 0), (0, 0, 0), (0, 0, 1))
    )
    origin, direction = through_pixel(world_from_clip, 0, 0, 200, 100)
    assert origin == pytest.approx(np.array([-2, -9, 1]), abs=1e-9)
    assert direction == pytest.approx(np.array([-2, 1, 1]) / np.sqrt(6), abs=1e-9)
