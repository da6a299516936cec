"""Playing, stepping and seeking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from viewer.session import timeline
from viewer.session.view_state import Loop, ViewState

LAST = 30.0


def playing(time: float = 0.0, loop: Loop = Loop.LOOP) -> ViewState:
    return ViewState(time=time, is_playing=True, speed=10.0, loop=loop)


def test_time_moves_by_speed_in_frames_per_second() -> None:
    assert timeline.advance(playing(), 0.5, LAST).time == 5.0


def test_nothing_moves_while_paused_or_static() -> None:
    paused = ViewState(time=3.0)
    assert timeline.advance(paused, 1.0, LAST) is paused
    still = playing(0.0)
    assert timeline.advance(still, 1.0, 0.0) is still


def test_loop_goes_on_from_the_start() -> None:
    view = timeline.advance(playing(28.0), 0.5, LAST)
    assert view.time == 3.0
    assert view.is_playing


def test_once_stops_at_the_end_and_plays_again_from_the_start() -> None:
    ended = timeline.advance(playing(28.0, Loop.ONCE), 0.5, LAST)
    assert (ended.time, ended.is_playing) == (LAST, False)
    again = timeline.play(ended, LAST)
    assert (again.time, again.is_playing) == (0.0, True)


def test_ping_pong_turns_round_at_both_ends() -> None:
    there = timeline.advance(playing(28.0, Loop.PING_PONG), 0.5, LAST)
    assert (there.time, there.is_reversed) == (27.0, True)
    back = timeline.advance(replace(there, time=2.0), 0.5, LAST)
    assert (back.time, back.is_reversed) == (3.0, False)


@pytest.mark.parametrize(
    ("time", "frames", "expected"),
    [(4.0, 1, 5.0), (4.0, -1, 3.0), (4.5, 1, 5.0), (4.5, -1, 4.0), (30.0, 1, 0.0), (0.0, -1, 30.0)],
)
def test_step_lands_on_whole_frames_and_wraps(time: float, frames: int, expected: float) -> None:
    view = timeline.step(playing(time), frames, LAST)
    assert (view.time, view.is_playing) == (expected, False)


def test_step_stops_at_the_ends_of_a_single_run() -> None:
    assert timeline.step(playing(29.0, Loop.ONCE), 10, LAST).time == LAST


def test_a_static_model_never_plays() -> None:
    assert not timeline.play(ViewState(), 0.0).is_playing


def test_speed_stays_within_limits() -> None:
    assert timeline.faster(ViewState(speed=200.0), 2).speed == timeline.FASTEST
    assert timeline.faster(ViewState(speed=0.3), 0.5).speed == timeline.SLOWEST


def test_materials_run_on_the_clock_of_the_timeline() -> None:
    assert timeline.material_time(ViewState(time=30.0, speed=15.0)) == 2000.0
    assert timeline.material_time(ViewState(time=30.0, speed=0.0)) == 0.0
