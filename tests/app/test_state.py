"""What the program holds between two frames."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import Key, ModelBuilder, Node, box
from viewer.app.settings.settings import Settings
from viewer.app.state import State
from viewer.session.opened.document import Document
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
