"""Signals that ask the program to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from viewer.app.platform.leaving import SIGNALS, leaving_on_signals

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
