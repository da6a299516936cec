"""What the program holds between two frames."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.builders import Key, ModelBuilder, Node, box
from viewer.app.settings.settings import Settings
from viewer.app.state import State
from viewer.model.game.game_folder import GameOrigin, GameSource
from viewer.model.game.installs import Install, Launcher
from viewer.session.opened.browser import BrowserTree
from viewer.session.opened.document import Document
from viewer.session.opened.entry_list import FOLDER, BrowserEntry
from viewer.session.opened.tabs import Tabs
from viewer.session.view.view_state import ViewState

STILL = Node("a", shapes={(0, 0): [box()]})
MOVING = Node("b", shapes={(0, 0): [box()]}, keys=[Key(), Key(8, (1, 0, 0))])


def state_of(node: Node) -> State:
    return State(Settings(), Tabs.of(ViewState(), Document.of("a.msh", ModelBuilder([node]).model())))


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
    first, second = Install("/games/a", Launcher.STEAM), Install("/games/b", Launcher.GOG)
    state = state_of(STILL)
    assert offered(state) is None
    state.installs = (first, second)
    assert offered(state) is first
    state.set(declined_installs=("/games/a",))
    assert offered(state) is second
    state.browser = BrowserTree((BrowserEntry("/games/b", "b", FOLDER),))
    assert offered(state) is None
    state.set(declined_installs=())
    assert offered(state) is first
    assert state.document is not None
    inside = replace(state.document, game=GameSource(Path("/games/a"), GameOrigin.ABOVE))
    state.tabs = Tabs.of(ViewState(), inside)
    assert offered(state) is None
    state.tabs = Tabs()
    state.set(game="/games/c")
    assert offered(state) is None
