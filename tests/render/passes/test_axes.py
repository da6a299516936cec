"""Axes of world and nodes, bones."""

from __future__ import annotations

import numpy as np

from tests.builders import Key, Node, quad, turn
from tests.render.canvas import Canvas, Image, drawn, pixel
from viewer.session.selection import Selection
from viewer.session.view.view_state import Overlay


def _box_around(image: Image) -> list[tuple[int, int]]:
    """First and last row, first and last column that hold anything."""
    rows, columns = np.nonzero(drawn(image))
    return [(int(rows.min()), int(rows.max())), (int(columns.min()), int(columns.max()))]


def test_world_axes_start_at_the_origin_and_point_right_and_up(canvas: Canvas) -> None:
    (top, bottom), (left, right) = _box_around(canvas.image(overlays=frozenset({Overlay.AXES})))
    row, column = pixel(0, 0)
    assert bottom - row <= 1
    assert column - left <= 1
    assert top <= row - 7
    assert right >= column + 7


def test_each_axis_has_its_color(canvas: Canvas) -> None:
    image = canvas.image(overlays=frozenset({Overlay.AXES}))
    row, column = pixel(0, 0)
    assert image[row, column + 4].argmax() == 3 or image[row, column + 4][:3].argmax() == 0
    assert image[row - 4, column][:3].argmax() == 1


def test_node_axes_follow_their_nodes(canvas: Canvas) -> None:
    key = Key(position=(2, -2, 0), quaternion=turn((0, 0, 1), 180))
    canvas.load([Node(keys=[key])])
    (top, bottom), (left, right) = _box_around(canvas.image(overlays=frozenset({Overlay.NODE_AXES})))
    row, column = pixel(2, -2)
    assert row - top <= 1
    assert right - column <= 1
    assert bottom > row
    assert left < column


def test_node_axes_show_through_the_model(canvas: Canvas) -> None:
    cover = Node(shapes={(0, 0): [quad(4)]}, keys=[Key(position=(0, 0, 1))])
    canvas.load([Node(), cover])
    plain, with_axes = (
        canvas.image(),
        canvas.image(overlays=frozenset({Overlay.NODE_AXES}), hidden=frozenset()),
    )
    assert (plain != with_axes)[pixel(0, 0)[0] - 2 : pixel(0, 0)[0] + 2].any()


def test_a_selected_node_without_geometry_shows_its_axes(canvas: Canvas) -> None:
    filled = Node(shapes={(0, 0): [quad(1)]}, keys=[Key(position=(-2, 0, 0))])
    canvas.load([filled, Node(keys=[Key(position=(2, 0, 0))])])
    plain = canvas.image()
    with_socket = canvas.image(selection=Selection((1,)))
    changed = (plain != with_socket).any(axis=2)
    assert changed[pixel(2, 0)[0] - 2 : pixel(2, 0)[0] + 2, pixel(2, 0)[1] :].any()
    assert not changed[:, : pixel(1, 0)[1]].any()


def test_bones_join_parents_and_children(canvas: Canvas) -> None:
    scene = [Node(), Node(parent=0, keys=[Key(position=(3, 0, 0))]), Node(keys=[Key(position=(0, -3, 0))])]
    canvas.load(scene)
    is_drawn = drawn(canvas.image(overlays=frozenset({Overlay.BONES})))
    row, column = pixel(0, 0)
    assert is_drawn[row - 1 : row + 1, column + 1 : column + 23].any(axis=0).all()
    assert not is_drawn[row + 3 :].any()


def test_roots_alone_have_no_bones(canvas: Canvas) -> None:
    canvas.load([Node(), Node(keys=[Key(position=(3, 0, 0))])])
    assert not drawn(canvas.image(overlays=frozenset({Overlay.BONES}))).any()
