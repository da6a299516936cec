"""Rays through the pixels of a picture."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from viewer.geometry.rays import through_pixel
from viewer.geometry.transforms import inverse, look_at, orthographic, perspective


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
