"""Where the camera looks, and how it moves."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest

from viewer.geometry.bounds import Bounds
from viewer.geometry.transforms import project_points
from viewer.session.view.camera import FILL, Camera, Side

BOX = Bounds(np.array([-1.0, -2.0, 0.0]), np.array([1.0, 2.0, 5.0]))


def on_screen(camera: Camera, point: tuple[float, float, float], aspect: float = 1.0) -> tuple[float, float]:
    x, y, _, w = project_points(camera.clip_from_world(aspect), [point])[0]
    return float(x / w), float(y / w)


@pytest.mark.parametrize(
    ("side", "eye", "right", "up"),
    [
        (Side.FRONT, (0, 1, 0), (-1, 0, 0), (0, 0, 1)),
        (Side.BACK, (0, -1, 0), (1, 0, 0), (0, 0, 1)),
        (Side.RIGHT, (1, 0, 0), (0, 1, 0), (0, 0, 1)),
        (Side.LEFT, (-1, 0, 0), (0, -1, 0), (0, 0, 1)),
        (Side.TOP, (0, 0, 1), (1, 0, 0), (0, 1, 0)),
        (Side.BOTTOM, (0, 0, -1), (1, 0, 0), (0, -1, 0)),
    ],
)
def test_sides_look_along_the_axes(
    side: Side, eye: tuple[int, ...], right: tuple[int, ...], up: tuple[int, ...]
) -> None:
    camera = Camera(distance=1.0).towards(side)
    np.testing.assert_allclose(camera.eye, eye, atol=1e-12)
    np.testing.assert_allclose(camera.axes[:2], [right, up], atol=1e-12)


def test_the_target_is_in_the_middle_and_in_front() -> None:
    camera = Camera(target=(3.0, 4.0, 5.0), distance=7.0)
    np.testing.assert_allclose(camera.view_from_world @ [3, 4, 5, 1], [0, 0, -7, 1], atol=1e-12)


def test_the_first_view_is_from_the_front_right_and_above() -> None:
    """Models face +Y, and their right side is +X."""
    x, y, z = Camera(target=(0, 0, 0)).eye
    assert x > 0
    assert y > 0
    assert z > 0


def extent(camera: Camera, aspect: float) -> tuple[list[float], list[float]]:
    """The lowest and the highest x and y of the box in the image, -1 to 1."""
    corners = project_points(camera.clip_from_world(aspect), BOX.corners)
    image = corners[:, :2] / corners[:, 3:]
    return image.min(axis=0).tolist(), image.max(axis=0).tolist()


@pytest.mark.parametrize("is_orthographic", [False, True])
@pytest.mark.parametrize("direction", [Camera(), Camera(yaw=0.0, pitch=0.0), Camera(yaw=2.0, pitch=-1.0)])
@pytest.mark.parametrize("aspect", [0.2, 1.0, 2.5])
def test_a_framed_shape_fills_the_image_but_for_a_margin(
    *, is_orthographic: bool, direction: Camera, aspect: float
) -> None:
    """Four fifths of the height, in the middle; nine tenths of the width where that is reached first."""
    camera = replace(direction, is_orthographic=is_orthographic).frame(BOX, aspect)
    low, high = extent(camera, aspect)
    filled = [(end - start) / 2 / share for start, end, share in zip(low, high, FILL, strict=True)]
    assert max(filled) == pytest.approx(1.0, abs=1e-6)
    binding = filled.index(max(filled))
    assert low[binding] == pytest.approx(-high[binding], abs=1e-6)
    assert max(-min(low), *high) <= 0.9 + 1e-6


@pytest.mark.parametrize("is_orthographic", [False, True])
def test_framing_around_a_target_keeps_it_in_the_middle(*, is_orthographic: bool) -> None:
    camera = Camera(is_orthographic=is_orthographic).frame(BOX, 1.0, (0.5, 0.0, 2.0))
    assert camera.target == pytest.approx((0.5, 0.0, 2.0))
    low, high = extent(camera, 1.0)
    reached = [max(-start, end) / share for start, end, share in zip(low, high, FILL, strict=True)]
    assert max(reached) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("is_orthographic", [False, True])
def test_zooming_keeps_the_point_under_the_cursor(is_orthographic: bool) -> None:
    camera = Camera(is_orthographic=is_orthographic)
    aspect = 1.6
    offset = np.array([0.5 * aspect, -0.25]) * camera.half_height @ camera.axes[:2]
    x, y, z = (float(v) for v in camera.target + offset)
    nearer = camera.zoom(0.5, 0.5, -0.25, aspect)
    assert nearer.distance == camera.distance / 2
    assert on_screen(nearer, (x, y, z), aspect) == pytest.approx((0.5, -0.25))


def test_panning_moves_by_heights_of_the_viewport() -> None:
    camera = Camera()
    assert on_screen(camera.pan(0.0, 0.25), camera.target) == pytest.approx((0.0, -0.5))


def test_orbiting_stops_at_the_poles_and_wraps_around() -> None:
    camera = Camera(yaw=radians(170), pitch=radians(80)).orbit(radians(20), radians(30))
    assert camera.yaw == pytest.approx(radians(-170))
    assert camera.pitch == pi / 2


def test_a_yaw_leads_from_the_front_to_the_right_side() -> None:
    camera = Camera(distance=1.0).towards(Side.FRONT).orbit(radians(90), 0.0)
    np.testing.assert_allclose(camera.eye, Camera(distance=1.0).towards(Side.RIGHT).eye, atol=1e-12)


def test_a_parallel_projection_keeps_the_size_at_the_target() -> None:
    camera = Camera()
    x, y, z = (float(v) for v in camera.target + camera.axes[1] * camera.half_height)
    for view in (camera, replace(camera, is_orthographic=True)):
        assert on_screen(view, (x, y, z)) == pytest.approx((0.0, 1.0))


def test_zooming_in_far_does_not_cut_off_the_scene() -> None:
    camera = Camera(distance=0.01, reach=100.0)
    behind = camera.target - camera.axes[2] * 100
    depth = project_points(camera.clip_from_world(1.0), [behind])[0]
    assert depth[2] < depth[3]
