"""When the panels are built, by the time that has passed and by what they show."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from viewer.app.panel_builds import PanelBuilds
from viewer.app.scene_renderer import FRAMES_TO_SETTLE
from viewer.app.settings.settings import Settings
from viewer.app.state import State
from viewer.session.view.view_state import ViewState

FRAME = 1 / 60


@pytest.fixture
def settled() -> PanelBuilds:
    """Panels that show nothing and were built just now."""
    builds = PanelBuilds()
    assert frames(builds, FRAMES_TO_SETTLE) == [True] * FRAMES_TO_SETTLE
    return builds


def frames(
    builds: PanelBuilds, count: int, shown: tuple[object, ...] = (), seconds: float = FRAME
) -> list[bool]:
    """In which of some frames the panels are built."""
    built = []
    for _ in range(count):
        built.append(builds.is_due(seconds, shown))
        builds.note(shown)
        if built[-1]:
            builds.done()
    return built


@pytest.mark.parametrize(("rate", "builds"), [(60, 15), (30, 15), (10, 10), (144, 15), (15, 15)])
def test_without_a_reason_panels_are_built_fifteen_times_a_second(
    settled: PanelBuilds, rate: int, builds: int
) -> None:
    assert sum(frames(settled, rate, seconds=1 / rate)) == pytest.approx(builds, abs=1)


def test_another_object_in_what_is_shown_is_built_until_it_has_settled(settled: PanelBuilds) -> None:
    built = frames(settled, 6, ("equal but another object",))
    assert built == [*[True] * FRAMES_TO_SETTLE, False, False]


def test_what_the_clock_changes_between_the_question_and_the_note_is_no_reason(settled: PanelBuilds) -> None:
    assert not settled.is_due(FRAME, ())
    settled.note((object(),))
    assert frames(settled, 1) == [True], "and what changes outside of that is one"


def test_every_field_of_the_state_but_the_clock_is_a_reason() -> None:
    state = State(Settings())
    changes: tuple[Callable[[], object], ...] = (
        lambda: state.note("line"),
        lambda: state.announce("notice"),
        lambda: state.complain("message"),
        lambda: state.set(texture_memory=7),
        lambda: setattr(state, "view", ViewState(lod=1)),
    )
    for change in changes:
        before = state.shown
        change()
        assert any(now is not then for now, then in zip(state.shown, before, strict=True))
