"""Where the camera goes when something is to be brought into view."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box
from viewer.app import navigation
from viewer.app.settings.settings import Settings
from viewer.app.state import State
from viewer.geometry.transforms import project_points
from viewer.model.mesh.shown import CellRule
from viewer.session.opened.document import Document
from viewer.session.opened.tabs import Tabs
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera, Side
from viewer.session.view.view_state import DrawnParts, ViewState, hide

SCENE = [
    Node("base", shapes={(0, 0): [box((4, 4, 4))]}),
    Node("tip", parent=0, shapes={(0, 0): [box((1, 1, 1))]}, keys=[Key(position=(0, 0, 10))]),
    Node("socket", parent=0, keys=[Key(position=(6, 0, 0))]),
]


@pytest.fixture
def state() -> State:
    state = State(Settings(), Tabs.of(ViewState(), Document.of("scene.msh", ModelBuilder(SCENE).model())))
    navigation.restore(state, 1.5)
    return state


def test_restoring_shows_everything_from_three_quarters(state: State) -> None:
    state.view = replace(state.view, camera=Camera(yaw=2.0, pitch=-1.0, is_orthographic=True))
    navigation.restore(state, 1.5)
    camera = state.view.camera
    np.testing.assert_allclose(camera.target, [0, 0, 4.25], atol=0.8)
    assert (camera.yaw, camera.pitch) == (Camera().yaw, Camera().pitch)
    assert camera.is_orthographic


def test_nodes_are_brought_into_view_from_the_same_direction(state: State) -> None:
    before = state.view.camera
    navigation.frame(state, [1], 1.5)
    camera = state.view.camera
    np.testing.assert_allclose(camera.target, [0, 0, 10], atol=0.2)
    assert camera.distance < before.distance
    assert camera.yaw == before.yaw


def test_a_node_without_geometry_is_brought_into_view_by_its_place(state: State) -> None:
    navigation.frame(state, [2], 1.5)
    np.testing.assert_allclose(state.view.camera.target, [6, 0, 0], atol=0.1)


def test_a_selected_vertex_is_framed_where_its_node_is(state: State) -> None:
    state.view = replace(state.view, selection=Selection((1,), vertex=24))
    navigation.frame_selection(state, 1.5)
    assert state.document is not None
    point = state.document.model.positions[24] + [0, 0, 10]
    np.testing.assert_allclose(state.view.camera.target, point, atol=0.2)


def test_without_a_vertex_the_selected_nodes_are_framed(state: State) -> None:
    state.view = replace(state.view, selection=Selection((1,)))
    navigation.frame_selection(state, 1.5)
    np.testing.assert_allclose(state.view.camera.target, [0, 0, 10], atol=0.2)


def test_everything_means_what_is_not_hidden(state: State) -> None:
    state.view = hide(state.view, [0])
    navigation.frame(state, [], 1.5)
    np.testing.assert_allclose(state.view.camera.target, [0, 0, 10], atol=0.2)


def test_nothing_happens_where_nothing_is_shown(state: State) -> None:
    state.view = replace(state.view, lod=2, drawn=DrawnParts(cells=CellRule.EXACT))
    before = state.view
    navigation.frame(state, [], 1.5)
    assert state.view is before
    empty = State(Settings(), Tabs.of(ViewState()))
    navigation.frame(empty, [], 1.5)
    navigation.restore(empty, 1.5)
    assert empty.view == ViewState()


def test_a_side_keeps_the_target(state: State) -> None:
    target = state.view.camera.target
    navigation.Framing(state, lambda: 1.5).look_from(Side.TOP)
    assert state.view.camera.target == target
    np.testing.assert_allclose(state.view.camera.axes[2], [0, 0, 1], atol=1e-12)


def test_a_model_is_framed_over_its_whole_clip() -> None:
    """The tip is 40 units away in the middle of the strip, and back at its end."""
    keys = [Key(time, position=(0, 40 * (time == 10), 10)) for time in (0, 10, 20)]
    scene = [SCENE[0], Node("tip", parent=0, shapes={(0, 0): [box()]}, keys=keys)]
    document = Document.of("moves.msh", ModelBuilder(scene).model())
    state = State(Settings(), Tabs.of(ViewState(), document))
    navigation.restore(state, 1.5)
    view = state.view
    for time in (0.0, 5.0, 10.0, 20.0):
        for node in range(2):
            around = document.bounds(document.animation.pose(time), view, [node])
            assert around is not None
            clip = project_points(view.camera.clip_from_world(1.5), around.corners)
            assert (np.abs(clip[:, :2]) <= clip[:, 3:] * 1.001).all(), (time, node)
