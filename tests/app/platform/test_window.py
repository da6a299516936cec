"""When frames are drawn: after events, while something moves, and never otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import pytest

from viewer.app.platform import window
from viewer.app.platform.window import Pace

SHORTEST = 0.01


@dataclass
class App:
    """What the pace asks about."""

    is_closing: bool = False
    is_moving: bool = False
    is_working: bool = False
    is_ticking: bool = False

    def draw(self, seconds: float) -> None:
        """Never called by the pace."""
        raise NotImplementedError


@pytest.fixture
def settled() -> Pace:
    """A pace that has drawn its first frames, the last of them at time 0."""
    pace = Pace(SHORTEST)
    for number in range(window.SETTLING_FRAMES):
        pace.step(SHORTEST * (number + 1 - window.SETTLING_FRAMES))
    return pace


def test_the_first_frames_are_drawn_at_once() -> None:
    assert Pace(SHORTEST).due(App(), 0.0) == -inf


def test_nothing_is_drawn_while_nothing_happens(settled: Pace) -> None:
    assert settled.due(App(), 1.0) == inf


def test_an_event_is_followed_by_quick_frames_then_slow_ones_then_none(settled: Pace) -> None:
    settled.wake(5.0)
    times = []
    now = 5.0
    while (now := max(now, settled.due(App(), now))) < inf:
        settled.step(now)
        times.append(round(now - 5.0, 3))
    assert times[: window.SETTLING_FRAMES] == [0.0, 0.01, 0.02]
    assert times[-1] >= window.SETTLING_SECONDS - window.SETTLING_STEP
    assert len(times) <= window.SETTLING_FRAMES + window.SETTLING_SECONDS / window.SETTLING_STEP + 1


def test_movement_is_drawn_steadily(settled: Pace) -> None:
    assert settled.due(App(is_moving=True), 1.0) == SHORTEST


def test_a_text_cursor_blinks(settled: Pace) -> None:
    assert settled.due(App(is_ticking=True), 1.0) == window.TICK_SECONDS


def test_progress_is_drawn_now_and_then(settled: Pace) -> None:
    assert settled.due(App(is_working=True), 1.0) == window.PROGRESS_SECONDS


def test_the_animation_does_not_leap_after_a_rest(settled: Pace) -> None:
    assert settled.step(100.0) == window.LONGEST_STEP
    assert settled.step(100.02) == pytest.approx(0.02)
