"""Channels that move by themselves."""

from __future__ import annotations

import pytest

from viewer.model.clips.clip import Channel
from viewer.model.clips.controller import Controller
from viewer.session.play import channel_play
from viewer.session.view.view_state import ViewState

WRAPS, INVERTS = 0x01, 0x02


def controller(flags: int = 0, rate: float = 0.5, initial: float = 0.25) -> Controller:
    return Controller("a.ctl", channels=(Channel(0, 1, 0.0, 4.0, initial, rate, 0.0, flags),))


def values(found: Controller, *seconds: float) -> list[float]:
    """The values after some times, one after the other."""
    view, seen = channel_play.toggle_turning(ViewState(), found, 0), []
    for time in seconds:
        view = channel_play.advance(view, found, time)
        seen.append(view.playback.channels[0])
    return seen


def test_a_channel_starts_at_its_initial_value_and_wraps() -> None:
    assert values(controller(WRAPS), 1.0, 1.0) == pytest.approx([0.75, 0.25])
    assert values(controller(WRAPS | INVERTS), 1.0) == pytest.approx([0.75])


def test_a_channel_that_does_not_wrap_goes_to_and_fro() -> None:
    assert values(controller(), 1.0, 1.0, 1.0, 1.0) == pytest.approx([0.75, 0.75, 0.25, 0.25])


def test_a_channel_that_is_stopped_keeps_its_value_until_it_is_reset() -> None:
    found = controller()
    view = channel_play.advance(channel_play.toggle_turning(ViewState(), found, 0), found, 1.0)
    stopped = channel_play.toggle_turning(view, found, 0)
    assert channel_play.advance(stopped, found, 1.0) == stopped
    assert channel_play.shown_value(stopped.playback, found.channels[0]) == 0.75
    for reset in (channel_play.reset(view, 0), channel_play.reset_all(view)):
        assert reset.playback == ViewState().playback


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -3.0])
def test_damaged_numbers_give_a_value_between_0_and_1(number: float) -> None:
    assert 0 <= values(controller(rate=number), 0.7)[0] <= 1
    assert 0 <= values(controller(initial=number), 0.7)[0] <= 1
