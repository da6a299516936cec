"""The mark of the selected vertex."""

from __future__ import annotations

from tests.builders import Key, Node, quad
from tests.render.canvas import Canvas, drawn, pixel
from viewer.session.selection import Selection

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
