"""What the program holds between two frames.

Where the camera goes when something is to be brought into view.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box
from viewer.control import navigation
from viewer.control.settings.settings import Settings
from viewer.control.state import State
from viewer.errors import FormatError
from viewer.geometry.transforms import project_points
from viewer.model.game.game_folder import GameOrigin, GameSource
from viewer.model.game.installs import Install, Launcher
from viewer.model.mesh.shown import CellRule
from viewer.model.store.address import Address
from viewer.progress import Cancelled
from viewer.session.opened.browser import BrowserTree
from viewer.session.opened.document import Document
from viewer.session.opened.entry_list import FOLDER, BrowserEntry
from viewer.session.opened.tabs import Tabs
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera, Side
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.view_state import ViewState, hide

STILL = Node("a", shapes={(0, 0): [box()]})
MOVING = Node("b", shapes={(0, 0): [box()]}, keys=[Key(), Key(8, (1, 0, 0))])


def state_of(node: Node) -> State:
    return State(
        Settings(), Tabs.of(ViewState(), Document.of(Address.parse("a.msh"), ModelBuilder.of([node]).model()))
    )


def test_an_error_is_shown_as_what_it_is() -> None:
    """What the user has cancelled is no error, and a fault of the program gets a card."""
    state = State(Settings())
    state.report(Cancelled("Reading"))
    assert ("Reading" in state.notice, state.message, state.failure) == (True, "", None)
    state.report(FormatError("is short", source="a.msh"))
    assert (state.message, state.failure) == ("a.msh: is short", None)
    state.message = ""
    state.report(ZeroDivisionError())
    assert state.message == ""
    assert state.failure is not None


def test_what_moves_is_posed_once_for_every_time() -> None:
    state = state_of(MOVING)
    assert (state.update_pose(), state.update_pose()) == (True, False)
    state.view = replace(state.view, time=4.0)
    assert state.update_pose()
    assert state.pose is not None
    assert state.pose.time == 4.0


def test_what_stands_still_is_posed_once_for_all_times() -> None:
    state = state_of(STILL)
    assert state.update_pose()
    state.view = replace(state.view, time=4.0)
    assert not state.update_pose()


def test_only_what_has_an_end_plays() -> None:
    for node, expected in ((STILL, False), (MOVING, True)):
        state = state_of(node)
        assert not state.is_animated
        state.view = replace(state.view, is_playing=True)
        assert state.is_animated is expected


def offered(state: State) -> Install | None:
    return state.offered


def test_an_install_is_offered_unless_it_is_used_opened_or_declined() -> None:
    own, other = str(Path("/games/a")), str(Path("/games/b"))
    first, second = Install(own, Launcher.STEAM), Install(other, Launcher.GOG)
    state = state_of(STILL)
    assert offered(state) is None
    state.installs = (first, second)
    assert offered(state) is first
    state.set(declined_installs=(own,))
    assert offered(state) is second
    state.browser = BrowserTree((BrowserEntry(Address.parse("/games/b"), "b", FOLDER),))
    assert offered(state) is None
    state.set(declined_installs=())
    assert offered(state) is first
    assert state.document is not None
    opened = replace(state.document.opened, game=GameSource(Path("/games/a"), GameOrigin.ABOVE))
    inside = replace(state.document, opened=opened)
    state.tabs = Tabs.of(ViewState(), inside)
    assert offered(state) is None
    state.tabs = Tabs()
    state.set(game="/games/c")
    assert offered(state) is None


SCENE = [
    Node("base", shapes={(0, 0): [box((4, 4, 4))]}),
    Node("tip", parent=0, shapes={(0, 0): [box((1, 1, 1))]}, keys=[Key(position=(0, 0, 10))]),
    Node("socket", parent=0, keys=[Key(position=(6, 0, 0))]),
]


@pytest.fixture
def state() -> State:
    state = State(
        Settings(),
        Tabs.of(ViewState(), Document.of(Address.parse("scene.msh"), ModelBuilder.of(SCENE).model())),
    )
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


def test_an_archive_has_a_speed_of_its_own(state: State) -> None:
    document = state.document
    assert document is not None
    own = state.tabs
    opened = replace(document.opened, address=Address.parse("other.rlb::b.msh"))
    other = Tabs.of(state.view, replace(document, opened=opened))
    state.view = replace(state.view, speed=24.0)
    state.keep_rate(is_own=True)
    assert state.has_own_rate
    state.view = replace(state.view, speed=30.0)
    assert (state.remembered.view.speed, [*state.remembered.rates.values()]) == (15.0, [30.0])
    state.show(replace(other, tabs=(replace(other.active, identity=7),)))
    assert (state.view.speed, state.has_own_rate) == (15.0, False)
    state.view = replace(state.view, speed=12.0)
    state.show(own)
    assert (state.view.speed, state.settings.view.speed) == (30.0, 12.0)
    state.keep_rate(is_own=False)
    assert not state.has_own_rate


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
    document = Document.of(Address.parse("moves.msh"), ModelBuilder.of(scene).model())
    state = State(Settings(), Tabs.of(ViewState(), document))
    turned = replace(state.view, camera=Camera(yaw=2.0, pitch=0.1, distance=3.0))
    framing = navigation.Framing(state, lambda: 1.5)
    for frame in (framing.restore, partial(framing.frame_all, is_over_clip=True)):
        state.view = turned
        frame()
        view = state.view
        for time in (0.0, 5.0, 10.0, 20.0):
            for node in range(2):
                around = document.bounds(document.animation.pose(time), view, [node])
                assert around is not None
                clip = project_points(view.camera.clip_from_world(1.5), around.corners)
                assert (np.abs(clip[:, :2]) <= clip[:, 3:] * 1.001).all(), (time, node)
    assert (state.view.camera.yaw, state.view.camera.pitch) == (2.0, 0.1)
