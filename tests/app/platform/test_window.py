"""When frames are drawn: after events, while something moves, and never otherwise."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import pytest

from viewer.app.platform import window
from viewer.app.platform.window import (
    DUE_SEARCH,
    LONG_SEARCH,
    SIGNALS,
    FramePace,
    leaving_on_signals,
    search_for_garbage,
    short_pauses,
)

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
def settled() -> FramePace:
    """A pace that has drawn its first frames, the last of them at time 0."""
    pace = FramePace(SHORTEST)
    for number in range(window.SETTLING_FRAMES):
        pace.step(SHORTEST * (number + 1 - window.SETTLING_FRAMES))
    return pace


def test_the_first_frames_are_drawn_at_once() -> None:
    assert FramePace(SHORTEST).due(App(), 0.0) == -inf


def test_nothing_is_drawn_while_nothing_happens(settled: FramePace) -> None:
    assert settled.due(App(), 1.0) == inf


def test_an_event_is_followed_by_quick_frames_then_slow_ones_then_none(settled: FramePace) -> None:
    settled.wake(5.0)
    times = []
    now = 5.0
    while (now := max(now, settled.due(App(), now))) < inf:
        settled.step(now)
        times.append(round(now - 5.0, 3))
    assert times[: window.SETTLING_FRAMES] == [0.0, 0.01, 0.02]
    assert times[-1] >= window.SETTLING_SECONDS - window.SETTLING_STEP
    assert len(times) <= window.SETTLING_FRAMES + window.SETTLING_SECONDS / window.SETTLING_STEP + 1


def test_movement_is_drawn_steadily(settled: FramePace) -> None:
    assert settled.due(App(is_moving=True), 1.0) == SHORTEST


def test_a_text_cursor_blinks(settled: FramePace) -> None:
    assert settled.due(App(is_ticking=True), 1.0) == window.TICK_SECONDS


def test_progress_is_drawn_now_and_then(settled: FramePace) -> None:
    assert settled.due(App(is_working=True), 1.0) == window.PROGRESS_SECONDS


def test_the_animation_does_not_leap_after_a_rest(settled: FramePace) -> None:
    assert settled.step(100.0) == window.LONGEST_STEP
    assert settled.step(100.02) == pytest.approx(0.02)


posix = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no such signals")


@pytest.fixture(autouse=True)
def foreground() -> Iterator[None]:
    """No signal is ignored, whatever the tests were started by: a shell's background ignores some."""
    usual = {
        number: signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        for number in SIGNALS
    }
    inherited = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in inherited.items():
        signal.signal(number, handler)


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_asks_to_leave_and_wakes_who_sleeps(name: str) -> None:
    number, asked, woken = getattr(signal, name), [], threading.Event()
    before = signal.getsignal(number)
    assert number in SIGNALS
    with leaving_on_signals(lambda: asked.append(name), woken.set) as received:
        signal.raise_signal(number)
        assert woken.wait(10)
        assert (asked, received) == ([name], [number])
        assert signal.getsignal(number) is before
    assert signal.getsignal(number) is before


@posix
def test_the_second_time_ends_the_program() -> None:
    with leaving_on_signals(lambda: None, lambda: None):
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@posix
def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    asked: list[bool] = []
    try:
        with leaving_on_signals(lambda: asked.append(True), lambda: None):
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert asked == []


def test_nobody_listens_afterwards() -> None:
    before = set(threading.enumerate())
    with leaving_on_signals(lambda: None, lambda: None):
        (listener,) = set(threading.enumerate()) - before
        assert listener.is_alive()
    listener.join(60)
    assert not listener.is_alive()
    assert signal.set_wakeup_fd(-1) == -1


def test_what_was_there_before_is_not_searched_for_garbage() -> None:
    old: list[object] = []
    with short_pauses():
        new: list[object] = []
        searched = {id(it) for it in gc.get_objects()}
        assert id(new) in searched
        assert id(old) not in searched
    assert id(old) in {id(it) for it in gc.get_objects()}


def test_all_objects_are_searched_for_garbage_while_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    before, searched = gc.get_threshold(), list[bool]()
    with short_pauses():
        assert gc.get_threshold() == (*before[:2], LONG_SEARCH)
    assert gc.get_threshold() == before
    monkeypatch.setattr("gc.collect", lambda: searched.append(True))
    for count in (0, DUE_SEARCH, DUE_SEARCH + 1):
        monkeypatch.setattr("gc.get_count", lambda count=count: (0, 0, count))
        search_for_garbage()
    assert searched == [True], "only if it is due"
