"""The order of what is blended."""

from __future__ import annotations

import moderngl
import numpy as np

from tests.builders import ModelBuilder, Node, box, quad
from viewer.model.mesh.draw_builder import build
from viewer.render.buffers.merge import merge
from viewer.render.buffers.upload import MeshBuffers
from viewer.render.passes.material_steps import BlendedDraws
from viewer.render.programs import Programs


def _draws(ctx: moderngl.Context) -> BlendedDraws:
    """Quads and boxes by turns in the rows 0, 0, 1, 1."""
    model = ModelBuilder.of([Node(shapes={(0, 0): [quad(), box(), quad(), box()]})]).model()
    draws = build(model)
    merged = merge(model, draws, row=np.array([0, 0, 1, 1]))
    return BlendedDraws(MeshBuffers(ctx, merged))


def test_the_farthest_comes_first_and_neighbours_of_a_row_are_one_call(ctx: moderngl.Context) -> None:
    blended = _draws(ctx)
    every = np.arange(4)
    blended.sort(every, np.array([1.0, 2.0, 4.0, 3.0]))
    assert blended.runs == [(1, 1.0, [(0, 14)]), (0, 1.0, [(14, 14)])]
    blended.sort(every, np.array([1.0, 4.0, 3.0, 2.0]))
    assert blended.runs == [(0, 1.0, [(0, 12)]), (1, 1.0, [(12, 14)]), (0, 1.0, [(26, 2)])]


def test_the_same_distance_keeps_the_order(ctx: moderngl.Context) -> None:
    blended = _draws(ctx)
    blended.sort(np.array([0, 2, 3]), np.zeros(3))
    assert blended.runs == [(0, 1.0, [(0, 2)]), (1, 1.0, [(2, 14)])]


def test_more_draws_than_before_find_room(ctx: moderngl.Context, programs: Programs) -> None:
    blended = _draws(ctx)
    blended.sort(np.array([0]), np.zeros(1))
    program = programs.get("textured", "textured")
    first = blended.array(program)
    blended.sort(np.arange(4), np.zeros(4))
    assert blended.array(program) is not first
    second = blended.array(program)
    blended.sort(np.array([1]), np.zeros(1))
    assert blended.array(program) is second
    assert blended.runs == [(0, 1.0, [(0, 12)])]


def test_what_fades_is_a_call_of_its_own(ctx: moderngl.Context) -> None:
    """Draws 0 to 3 have 2, 12, 12 and 2 triangles; the same order with other opacities is written again."""
    blended = _draws(ctx)
    blended.sort(np.array([0, 2, 3]), np.zeros(3))
    before = blended.runs
    blended.sort(np.array([0, 2, 3]), np.zeros(3))
    assert blended.runs is before
    blended.sort(np.array([0, 2, 3]), np.zeros(3), np.array([1.0, 1.0, 0.5, 1.0]))
    assert [run[:2] for run in blended.runs] == [(0, 1.0), (1, 0.5), (1, 1.0)]
