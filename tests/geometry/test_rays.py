"""Rays from pixels, and what they hit."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.geometry.rays import hit_distances, through_pixel
from viewer.geometry.transforms import inverse, look_at, orthographic, perspective

TRIANGLE = np.array([[(0, 0, 0), (4, 0, 0), (0, 4, 0)]], np.float32)


@pytest.mark.parametrize(
    ("origin", "direction", "expected"),
    [
        ((1, 1, 5), (0, 0, -1), 5.0),
        ((1, 1, -5), (0, 0, 1), 5.0),
        ((1, 1, 5), (0, 0, 1), np.inf),
        ((3, 3, 5), (0, 0, -1), np.inf),
        ((-0.1, 1, 5), (0, 0, -1), np.inf),
        ((1, -0.1, 5), (0, 0, -1), np.inf),
        ((0, 0, 5), (0, 0, -1), 5.0),
        ((1, 1, 5), (1, 0, 0), np.inf),
        ((-1, 1, 0), (1, 0, 0), np.inf),
    ],
)
def test_one_triangle(
    origin: tuple[float, float, float], direction: tuple[float, float, float], expected: float
) -> None:
    assert hit_distances(origin, direction, TRIANGLE).tolist() == [expected]


def test_a_triangle_without_area_is_never_hit() -> None:
    assert hit_distances((0, 0, 5), (0, 0, -1), np.zeros((1, 3, 3), np.float32)).tolist() == [np.inf]


def test_no_triangles_no_hits() -> None:
    assert hit_distances((0, 0, 5), (0, 0, -1), np.empty((0, 3, 3), np.float32)).shape == (0,)


weights = st.floats(0.05, 0.9)


@given(weights, weights, st.tuples(*[st.floats(-20, 20)] * 2))
def test_a_ray_at_a_point_of_the_triangle_hits_it(u: float, v: float, place: tuple[float, float]) -> None:
    u, v = u / 2, v / 2
    target = np.array([4 * u, 4 * v, 0])
    origin = np.array([*place, 7.0])
    distance = np.linalg.norm(target - origin)
    hit = hit_distances(origin, (target - origin) / distance, TRIANGLE)
    assert hit == pytest.approx([distance])


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
