"""The camera as shaders and pixels see it."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.geometry.transforms import project_points
from viewer.render.projection import FRAME_BYTES, Projection
from viewer.session.view.camera import Camera

CAMERAS = [Camera(distance=5.0), Camera(distance=5.0, is_orthographic=True)]


@pytest.mark.parametrize("camera", CAMERAS)
def test_the_ray_through_a_pixel_projects_to_its_middle(camera: Camera) -> None:
    projection = Projection.of(camera, (40, 30))
    origin, direction = projection.ray(7, 21)
    clip = project_points(projection.clip_from_world, (origin + 3 * direction)[None])[0]
    assert clip[:2] / clip[3] == pytest.approx((2 * 7.5 / 40 - 1, 1 - 2 * 21.5 / 30))


@pytest.mark.parametrize("camera", CAMERAS)
def test_one_pixel_fills_its_own_projection(camera: Camera) -> None:
    projection = Projection.of(camera, (40, 30))
    for x, y, expected in ((7, 21, (0, 0)), (6.5, 20.5, (-1, 1)), (7.5, 21.5, (1, -1))):
        origin, direction = projection.ray(x, y)
        clip = project_points(projection.at_pixel(7, 21).clip_from_world, (origin + direction)[None])[0]
        assert clip[:2] / clip[3] == pytest.approx(expected, abs=1e-6)


def test_the_eye_of_a_parallel_projection_is_a_direction() -> None:
    near, far = (Projection.of(camera, (1, 1)).eye for camera in CAMERAS)
    assert near[3] == 1
    assert far[3] == 0
    assert np.linalg.norm(far[:3]) == pytest.approx(1)


def test_the_block_is_as_long_as_the_shaders_have_it() -> None:
    assert len(Projection.of(Camera(), (8, 4)).block()) == FRAME_BYTES
