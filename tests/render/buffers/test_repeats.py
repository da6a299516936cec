"""Draws that repeat each other exactly."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box, quad
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.skeleton import Skeleton
from viewer.render.buffers.merge import merge
from viewer.render.buffers.repeats import Repeats

SHAPES = [quad(), box()]


def once(builder: ModelBuilder, row: list[int] | None = None) -> list[tuple[int, int]]:
    """The node and batch of every draw that is left when all are visible at time 0."""
    model = builder.model()
    draws = build(model)
    merged = merge(model, draws, row=None if row is None else np.array(row))
    world = Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0).world
    left = Repeats(draws, merged, model.batches).once(np.ones(len(merged.draw), np.bool_), world)
    drawn = merged.draw[left]
    return sorted(zip(draws.node[drawn].tolist(), draws.batch[drawn].tolist(), strict=True))


def test_equal_batches_of_a_slot_are_drawn_once_by_the_last() -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): SHAPES})])
    builder.batches = builder.batches[[0, 1, 0, 0]]
    builder.slots["batch_count"] = 4
    assert once(builder) == [(0, 1), (0, 3)]


@pytest.mark.parametrize("name", ["index_start", "index_count", "base_vertex"])
def test_other_triangles_are_no_repeat(name: str) -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): [box()]})])
    builder.batches = builder.batches[[0, 0]]
    builder.batches["index_count"] = 30
    builder.batches[name][1] = 3
    builder.indices[:] = 0
    builder.slots["batch_count"] = 2
    assert once(builder) == [(0, 0), (0, 1)]


def test_another_material_is_no_repeat() -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): SHAPES})])
    builder.batches = builder.batches[[0, 0]]
    assert once(builder, row=[0, 1]) == [(0, 0), (0, 1)]


def test_nodes_at_the_same_place_repeat_a_slot_and_others_do_not() -> None:
    away = [Key(0, (1, 0, 0))]
    nodes = [Node(shapes={(0, 0): SHAPES}, keys=keys) for keys in ([Key()], away, [Key()], away, [Key()])]
    assert once(ModelBuilder(nodes)) == [(3, 0), (3, 1), (4, 0), (4, 1)]


def test_only_visible_draws_repeat() -> None:
    model = ModelBuilder([Node(shapes={(0, 0): SHAPES}), Node(shapes={(0, 0): SHAPES})]).model()
    draws = build(model)
    merged = merge(model, draws)
    visible = draws.node[merged.draw] == 0
    world = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
    assert Repeats(draws, merged, model.batches).once(visible, world).tolist() == visible.tolist()
