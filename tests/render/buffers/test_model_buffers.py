"""A loaded model and what a view takes of it."""

from __future__ import annotations

from dataclasses import replace

import moderngl
import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box, quad
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.skeleton import Skeleton
from viewer.render.buffers.merge import merge
from viewer.render.buffers.model_buffers import ModelBuffers, nothing
from viewer.session.view.view_state import Shading, ViewState


@pytest.fixture
def subject(ctx: moderngl.Context) -> ModelBuffers:
    """A box at the origin with a second LOD, and a quad that hangs ten units above."""
    scene = [
        Node(shapes={(0, 0): [box((2, 2, 2))], (1, 0): [quad(2)]}),
        Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(0, 0, 10))]),
    ]
    model = ModelBuilder(scene).model()
    draws = build(model)
    subject = ModelBuffers(ctx, model, draws, merge(model, draws))
    subject.take(Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0.0))
    return subject


def test_hidden_and_isolated_nodes_are_left_out_of_the_draws(subject: ModelBuffers) -> None:
    assert subject.choose(ViewState()).draws.tolist() == [True, False, True]
    assert subject.choose(ViewState(lod=1)).draws.tolist() == [False, True, True]
    assert subject.choose(ViewState(overrides={0: (1, 0)})).draws.tolist() == [False, True, True]
    assert subject.choose(ViewState(hidden=frozenset({1}))).draws.tolist() == [True, False, False]
    assert subject.choose(ViewState(isolated=frozenset({1}))).draws.tolist() == [False, False, True]


def test_a_view_that_shows_the_same_is_not_worked_out_again(subject: ModelBuffers) -> None:
    shown = subject.choose(ViewState())
    assert subject.choose(ViewState(time=3.0, shading=Shading.LIT)) is shown


def test_the_reach_is_that_of_the_posed_vertices(subject: ModelBuffers) -> None:
    assert subject.reach((0, 0, 0)) == pytest.approx(np.sqrt(1 + 1 + 100))
    assert subject.reach((0, 0, 10)) == pytest.approx(np.sqrt(1 + 1 + 121))


def test_the_reach_follows_the_pose(subject: ModelBuffers) -> None:
    assert subject._pose is not None
    world = subject._pose.world.copy()
    world[1, 2, 3] = 100
    subject.take(replace(subject._pose, world=world))
    assert subject.reach((0, 0, 0)) == pytest.approx(np.sqrt(1 + 1 + 100**2))


def test_a_pose_that_is_there_already_is_not_uploaded_again(subject: ModelBuffers) -> None:
    pose = subject._pose
    assert pose is not None
    subject.world[1, 2, 3] = 55
    subject.take(pose)
    assert subject.world[1, 2, 3] == 55


def test_nothing_reaches_nowhere(ctx: moderngl.Context) -> None:
    empty = nothing(ctx)
    assert empty.reach((1, 2, 3)) == 0
    assert not len(empty.choose(ViewState()).parts)


def test_vertices_as_far_out_as_numbers_go_have_a_box(ctx: moderngl.Context) -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): [quad(2)]})])
    builder.positions[:] = np.sign(builder.positions) * np.float32(3e38)
    model = builder.model()
    draws = build(model)
    subject = ModelBuffers(ctx, model, draws, merge(model, draws))
    assert subject.reach((0, 0, 0)) == pytest.approx(3e38 * 2**0.5, rel=1e-5)
