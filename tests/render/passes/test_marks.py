"""Outline of the selected nodes, tint of batch and triangle."""

from __future__ import annotations

from tests.builders import Key, Node, quad
from tests.render.canvas import Canvas, Image, area, drawn, pixel
from viewer.model.mesh.shown import CellRule
from viewer.render.passes.base import SELECTION
from viewer.session.selection import Selection
from viewer.session.view.view_state import DrawnParts

ORANGE = [round(255 * channel) for channel in SELECTION]
EXACT = DrawnParts(CellRule.EXACT)


def _scene() -> list[Node]:
    """A small quad under a large cover, and another node beside them."""
    return [
        Node(shapes={(0, 0): [quad(2)]}),
        Node(shapes={(0, 0): [quad(4)]}, keys=[Key(position=(0, 0, 1))]),
        Node(shapes={(0, 0): [quad(1)]}, keys=[Key(position=(3, 3, 0))]),
    ]


def _outlined(image: Image) -> Image:
    result: Image = (image == ORANGE).all(axis=2)
    return result


def test_the_outline_surrounds_the_node_and_shows_through_what_covers_it(canvas: Canvas) -> None:
    canvas.load(_scene())
    is_outlined = _outlined(canvas.image(selection=Selection((0,))))
    ring = area((-1.25, -1.25, 1.25, 1.25)) & ~area((-1, -1, 1, 1))
    assert is_outlined[ring].mean() > 0.9
    assert not is_outlined[~ring].any()


def test_without_a_selection_nothing_is_outlined(canvas: Canvas) -> None:
    canvas.load(_scene())
    assert not _outlined(canvas.image()).any()


def test_all_selected_nodes_are_outlined(canvas: Canvas) -> None:
    canvas.load(_scene())
    is_outlined = _outlined(canvas.image(selection=Selection((0, 2))))
    assert is_outlined[area((-1.25, -1.25, 1.25, 1.25))].any()
    assert is_outlined[area((2.25, 2.25, 3.75, 3.75))].any()


def test_hidden_nodes_are_not_outlined(canvas: Canvas) -> None:
    canvas.load(_scene())
    assert not _outlined(canvas.image(selection=Selection((0,)), hidden=frozenset({0}))).any()
    assert not _outlined(canvas.image(selection=Selection((0,)), lod=1, drawn=EXACT)).any()


def test_a_node_that_does_not_exist_is_not_outlined(canvas: Canvas) -> None:
    canvas.load(_scene())
    assert not _outlined(canvas.image(selection=Selection((77,)))).any()


def test_the_batch_is_tinted_and_the_triangle_more_so(canvas: Canvas) -> None:
    shapes = [quad(2, center=(-2, 0, 0)), quad(2, center=(2, 0, 0))]
    canvas.load([Node(shapes={(0, 0): shapes})])
    plain = canvas.image().astype(int)
    tinted = canvas.image(selection=Selection((0,), 0, 1, 2, 2)).astype(int)
    triangle, rest, other = pixel(2.5, -0.5), pixel(1.5, 0.5), pixel(-2, 0)
    assert tinted[other].tolist() == plain[other].tolist()
    blue = [int((plain - tinted)[at][2]) for at in (rest, triangle)]
    assert 10 < blue[0] < blue[1]


def test_a_covered_batch_is_not_tinted(canvas: Canvas) -> None:
    canvas.load(_scene())
    plain, tinted = canvas.image(), canvas.image(selection=Selection((0,), 0, 0, 0))
    assert (plain == tinted)[area((-0.75, -0.75, 0.75, 0.75))].all()


def test_the_tint_follows_the_node_that_was_picked(canvas: Canvas) -> None:
    shared = [quad(2)]
    canvas.load([Node(shapes={(0, 0): shared}, keys=[Key(position=(x, 0, 0))]) for x in (-2, 2)])
    plain, tinted = canvas.image(), canvas.image(selection=Selection((1,), 0, 0, 1))
    changed = (plain != tinted).any(axis=2)
    assert changed[area((1, -1, 3, 1))].all()
    assert not changed[area((-3, -1, -1, 1))].any()


MARKED = Selection((1,), vertex=4)


def test_the_mark_surrounds_the_vertex_where_its_node_is(canvas: Canvas) -> None:
    canvas.load([Node(), Node(shapes={(0, 1): [quad(2)]}, keys=[Key(position=(1, 1, 0))])])
    marked = canvas.image(selection=Selection((1,), vertex=0))
    row, column = pixel(0, 0)
    assert drawn(marked)[row - 2 : row + 3, column - 2 : column + 3].any()
    row, column = pixel(2, 2)
    assert not drawn(marked)[row - 2 : row + 3, column - 2 : column + 3].any()


def test_the_mark_is_seen_through_the_model(canvas: Canvas) -> None:
    cover = Node(shapes={(0, 0): [quad(6)]}, keys=[Key(position=(0, 0, 3))])
    canvas.load([cover, Node(shapes={(0, 1): [quad(2)]})])
    row, column = pixel(-1, -1)
    plain, marked = canvas.image(), canvas.image(selection=MARKED)
    assert (plain != marked)[row - 2 : row + 3, column - 2 : column + 3].any()


def test_a_vertex_of_a_hidden_node_or_none_at_all_has_no_mark(canvas: Canvas) -> None:
    canvas.load([Node(), Node(shapes={(0, 1): [quad(2)]})])
    hidden = canvas.image(selection=Selection((1,), vertex=0), hidden=frozenset({1}))
    missing = canvas.image(selection=Selection((1,), vertex=99), hidden=frozenset({1}))
    alone = canvas.image(selection=Selection(vertex=0))
    assert not drawn(alone).any()
    assert (hidden == missing).all()
