"""When the panels are built, by the time that has passed and by what they show."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_not

import pytest
from msgspec.structs import replace

from viewer.app.panel_builds import Build, PanelBuilds
from viewer.app.scene_renderer import FRAMES_TO_SETTLE
from viewer.control.settings.settings import Settings
from viewer.control.state import State
from viewer.session.opened.tabs import Tabs
from viewer.session.program import Timing
from viewer.session.view.view_state import ViewState

FRAME = 1 / 60


@pytest.fixture
def settled() -> PanelBuilds:
    """Panels that show nothing and were built just now."""
    builds = PanelBuilds()
    assert frames(builds, FRAMES_TO_SETTLE) == [Build.ALL] * FRAMES_TO_SETTLE
    return builds


def frames(
    builds: PanelBuilds,
    count: int,
    shown: tuple[object, ...] = (),
    seconds: float = FRAME,
    seen_from: object = None,
    needed: Build = Build.NONE,
) -> list[Build]:
    """What is built in some frames."""
    built = []
    for _ in range(count):
        built.append(builds.due(seconds, shown, seen_from, needed))
        builds.note(shown)
        if built[-1]:
            builds.done()
    return built


@pytest.mark.parametrize(("rate", "builds"), [(60, 15), (30, 15), (10, 10), (144, 15), (15, 15)])
def test_without_a_reason_live_panels_are_built_fifteen_times_a_second(
    settled: PanelBuilds, rate: int, builds: int
) -> None:
    built = frames(settled, rate, seconds=1 / rate)
    assert built.count(Build.LIVE) == pytest.approx(builds, abs=1)
    assert Build.ALL not in built


def test_another_object_in_what_is_shown_is_built_until_it_has_settled(settled: PanelBuilds) -> None:
    built = frames(settled, 6, ("equal but another object",))
    assert built == [*[Build.ALL] * FRAMES_TO_SETTLE, Build.NONE, Build.NONE]


def test_another_camera_builds_what_is_live(settled: PanelBuilds) -> None:
    built = frames(settled, 6, seen_from=object())
    assert built == [*[Build.LIVE] * FRAMES_TO_SETTLE, Build.NONE, Build.NONE]


def test_what_is_needed_at_least_is_built(settled: PanelBuilds) -> None:
    assert frames(settled, 2, needed=Build.LIVE) == [Build.LIVE] * 2
    assert frames(settled, FRAMES_TO_SETTLE - 1) == [Build.LIVE] * (FRAMES_TO_SETTLE - 1)
    assert frames(settled, 1) == [Build.NONE]
    assert frames(settled, 1, needed=Build.ALL) == [Build.ALL]
    assert frames(settled, FRAMES_TO_SETTLE) == [*[Build.ALL] * (FRAMES_TO_SETTLE - 1), Build.NONE]


def test_what_the_clock_changes_between_the_question_and_the_note_is_no_reason(settled: PanelBuilds) -> None:
    assert settled.due(FRAME, (), None, Build.NONE) is Build.NONE
    settled.note((object(),))
    assert frames(settled, 1) == [Build.ALL], "and what changes outside of that is one"


def test_every_field_of_the_state_but_the_clock_is_a_reason() -> None:
    state = State(Settings())
    changes: tuple[Callable[[], object], ...] = (
        lambda: state.note("line"),
        lambda: state.announce("notice"),
        lambda: state.complain("message"),
        lambda: state.set(texture_memory=7),
        lambda: setattr(state, "view", ViewState(lod=1)),
        lambda: state.show(Tabs.of(state.view)),
    )
    for change in changes:
        before = state.shown
        change()
        assert any(now is not then for now, then in zip(state.shown, before, strict=True))


def test_what_is_noted_while_a_frame_is_made_is_no_reason() -> None:
    state = State(Settings())
    before = state.shown
    state.timing, state.busy, state.is_arriving, state.texture_use = Timing(1.0, 2.0), "reading", True, 3.0
    assert not any(map(is_not, state.shown, before))


def test_the_camera_is_no_reason_for_all_panels() -> None:
    state = State(Settings())
    before = state.shown
    state.view = replace(state.view, camera=replace(state.view.camera, is_orthographic=True))
    assert not any(map(is_not, state.shown, before))
