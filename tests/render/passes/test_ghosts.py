"""Ghosts: where the model is at other times, behind what does not move, and not at all if there are none."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from tests.builders import Key, Node, quad
from tests.render.canvas import SIZE, Canvas, Image, area
from viewer.render.portions import Frame
from viewer.session.play.ghosts import Ghost

RED = (1.0, 0.0, 0.0)


def image(canvas: Canvas, *ghosts: Ghost) -> Image:
    return canvas.renderer.image(Frame(canvas.view, canvas.pose, SIZE, ghosts))


def ghost(canvas: Canvas, node: int, x: float, strength: float = 1.0) -> Ghost:
    """The model with a node moved along x."""
    world = canvas.pose.world.copy()
    world[node, 0, 3] += x
    return Ghost(replace(canvas.pose, world=world), RED, strength)


def test_a_ghost_is_where_the_node_is_then_and_tints_nothing_else(canvas: Canvas) -> None:
    canvas.load(
        [Node(shapes={(0, 0): [quad(2)]}), Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(0, 3, 0))])]
    )
    before = image(canvas)
    after = image(canvas, ghost(canvas, 1, 2.5))
    changed = (before != after).any(axis=2)
    moved = area((1.5, 2, 3.5, 4))
    assert changed[moved & ~area((-1, 2, 1, 4))].all()
    assert not changed[~moved].any(), "the nodes that do not move, and the current pose, are in front"
    assert (after[moved][:, 0] > before[moved][:, 0]).all()


def test_the_weaker_ghost_is_fainter_and_the_nearer_surface_counts_once(canvas: Canvas) -> None:
    far, near = (
        Node(shapes={(0, 0): [quad(2)]}),
        Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(0, 0, 1))]),
    )
    canvas.load([near])
    single = image(canvas, ghost(canvas, 0, 3))
    fainter = image(canvas, ghost(canvas, 0, 3, 0.5))
    there = area((2.25, -0.75, 3.75, 0.75))
    assert (fainter[there][:, 0] < single[there][:, 0]).all()
    canvas.load([far, near])
    world = canvas.pose.world.copy()
    world[:, 0, 3] += 3
    both = image(canvas, Ghost(replace(canvas.pose, world=world), RED, 1.0))
    np.testing.assert_allclose(both[there].astype(int), single[there].astype(int), atol=1)


def test_no_ghosts_are_the_picture_as_before(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(2)]})])
    np.testing.assert_array_equal(image(canvas), canvas.image())
