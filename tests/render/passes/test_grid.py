"""The ground grid."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import pytest

from tests.builders import Key, Node, quad
from tests.render.canvas import Canvas, drawn, pixel
from viewer.session.view.camera import Camera
from viewer.session.view.scale import grid_step
from viewer.session.view.view_state import Overlay

GRID = frozenset({Overlay.GRID})


@pytest.mark.parametrize(
    ("height", "step"), [(4, 1), (39, 1), (41, 10), (0.5, 0.1), (40_000, 10_000), (39_000, 1000)]
)
def test_the_step_is_a_power_of_ten_that_fits_the_view(height: float, step: float) -> None:
    camera = Camera(distance=height / 2 * 1.0001, field_of_view=pi / 2)
    assert grid_step(camera) == pytest.approx(step)


def test_lines_lie_on_whole_steps(canvas: Canvas) -> None:
    is_drawn = drawn(canvas.image(overlays=GRID, samples=4))
    for number in range(-3, 4):
        row, column = pixel(number, number)
        assert is_drawn[row - 1 : row + 1, 4].any()
        assert is_drawn[4, column - 1 : column + 1].any()
        assert not is_drawn[row + 4, column + 4]


def test_the_lines_through_the_origin_have_the_colors_of_their_axes(canvas: Canvas) -> None:
    image = canvas.image(overlays=GRID).astype(int)
    row, column = pixel(0, 0)
    along_x = image[row - 1 : row + 1, 4].max(axis=0)
    along_y = image[4, column - 1 : column + 1].max(axis=0)
    assert along_x[0] > along_x[1] + 50
    assert along_y[1] > along_y[0] + 50


def test_the_axes_stay_where_they_are_when_the_view_moves(canvas: Canvas) -> None:
    camera = replace(canvas.view.camera, target=(2.0, 0.0, 0.0))
    image = canvas.image(overlays=GRID, camera=camera).astype(int)
    column = pixel(-2, 0)[1]
    along_y = image[4, column - 1 : column + 1].max(axis=0)
    assert along_y[1] > along_y[0] + 50


def test_the_model_covers_the_grid_and_the_grid_covers_what_is_below(canvas: Canvas) -> None:
    above = Node(shapes={(0, 0): [quad(3)]}, keys=[Key(position=(-2, 0, 1))])
    below = Node(shapes={(0, 0): [quad(3)]}, keys=[Key(position=(2, 0, -1))])
    canvas.load([above, below])
    plain, with_grid = canvas.image(), canvas.image(overlays=GRID)
    changed = (plain != with_grid).any(axis=2)
    left, right = pixel(-3, 0)[1], pixel(1, 0)[1]
    assert not changed[20:44, left : left + 16].any()
    assert changed[20:44, right : right + 16].any()


def test_a_parallel_view_from_the_side_keeps_only_the_axis(canvas: Canvas) -> None:
    camera = replace(canvas.view.camera, pitch=0.0)
    image = canvas.image(overlays=GRID, camera=camera).astype(int)
    colors = image[drawn(image)]
    assert len(colors) > 0
    assert (colors[:, 0] > colors[:, 1] + 50).any()
    assert colors[:, 1].max() < 100
