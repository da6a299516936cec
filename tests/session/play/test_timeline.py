"""Playing, stepping and seeking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from viewer.model.clips.clip import FRAME_RATE
from viewer.session.play import timeline
from viewer.session.view.view_state import Loop, ViewState

LAST = 30.0
AXIS = timeline.TimeAxis.whole(LAST)


def playing(time: float = 0.0, loop: Loop = Loop.LOOP) -> ViewState:
    return ViewState(time=time, is_playing=True, speed=10.0, loop=loop)


def test_time_moves_by_speed_in_frames_per_second() -> None:
    assert timeline.advance(playing(), 0.5, AXIS).time == 5.0


def test_nothing_moves_while_paused_or_static() -> None:
    paused = ViewState(time=3.0)
    assert timeline.advance(paused, 1.0, AXIS) is paused
    still = playing(0.0)
    assert timeline.advance(still, 1.0, timeline.TimeAxis.whole(0.0)) is still


def test_loop_goes_on_from_the_start() -> None:
    view = timeline.advance(playing(28.0), 0.5, AXIS)
    assert view.time == 3.0
    assert view.is_playing


def test_once_stops_at_the_end_and_plays_again_from_the_start() -> None:
    ended = timeline.advance(playing(28.0, Loop.ONCE), 0.5, AXIS)
    assert (ended.time, ended.is_playing) == (LAST, False)
    again = timeline.play(ended, AXIS)
    assert (again.time, again.is_playing) == (0.0, True)


def test_ping_pong_turns_round_at_both_ends() -> None:
    there = timeline.advance(playing(28.0, Loop.PING_PONG), 0.5, AXIS)
    assert (there.time, there.is_reversed) == (27.0, True)
    back = timeline.advance(replace(there, time=2.0), 0.5, AXIS)
    assert (back.time, back.is_reversed) == (3.0, False)


@pytest.mark.parametrize(
    ("time", "frames", "expected"),
    [(4.0, 1, 5.0), (4.0, -1, 3.0), (4.5, 1, 5.0), (4.5, -1, 4.0), (30.0, 1, 0.0), (0.0, -1, 30.0)],
)
def test_step_lands_on_whole_frames_and_wraps(time: float, frames: int, expected: float) -> None:
    view = timeline.step(playing(time), frames, AXIS)
    assert (view.time, view.is_playing) == (expected, False)


def test_step_stops_at_the_ends_of_a_single_run() -> None:
    assert timeline.step(playing(29.0, Loop.ONCE), 10, AXIS).time == LAST


def test_a_static_model_never_plays() -> None:
    assert not timeline.play(ViewState(), timeline.TimeAxis.whole(0.0)).is_playing


def test_speed_stays_within_limits() -> None:
    assert timeline.faster(ViewState(speed=200.0), 2).speed == timeline.FASTEST
    assert timeline.faster(ViewState(speed=0.3), 0.5).speed == timeline.SLOWEST


def test_materials_have_the_same_time_at_every_speed() -> None:
    assert timeline.material_time(ViewState(time=30.0, speed=15.0)) == 2000.0
    assert timeline.material_time(ViewState(time=30.0, speed=3.0)) == 2000.0


def test_slow_motion_slows_materials() -> None:
    slow = replace(playing(), speed=FRAME_RATE / 4)
    assert timeline.material_time(timeline.advance(slow, 1.0, AXIS)) == 250.0


@pytest.mark.parametrize("milliseconds", [1, 70, 333, 16667, 131069])
def test_a_whole_millisecond_survives_the_way_over_frames(milliseconds: int) -> None:
    assert timeline.material_time(ViewState(time=milliseconds / timeline.FRAME)) == milliseconds


@pytest.mark.parametrize("seconds", [0.5, 3.0, 6.5])
def test_materials_go_on_where_nodes_start_over(seconds: float) -> None:
    started = playing(28.0)
    view = timeline.advance(started, seconds, AXIS)
    assert view.time == (28.0 + 10.0 * seconds) % LAST
    gone = timeline.material_time(view) - timeline.material_time(started)
    assert gone == pytest.approx(10.0 * seconds * timeline.FRAME)


def test_materials_turn_round_with_the_nodes() -> None:
    view = replace(playing(28.0, Loop.PING_PONG), past=60.0)
    times = [timeline.material_time(timeline.advance(view, second / 10, AXIS)) for second in range(5)]
    assert times == pytest.approx([frame * timeline.FRAME for frame in (88, 89, 90, 89, 88)])


@pytest.mark.parametrize(
    "go",
    [
        lambda view: timeline.seek(view, 7.0, AXIS),
        lambda view: timeline.step(replace(view, time=30.0), 8, AXIS),
        lambda view: timeline.step(replace(view, time=0.0), -24, AXIS),
    ],
)
def test_a_time_gone_to_is_the_time_of_the_materials(go: Callable[[ViewState], ViewState]) -> None:
    view = go(replace(playing(), past=60.0))
    assert (view.time, view.past) == (7.0, 0.0)


def test_a_single_run_starts_with_materials_at_their_start() -> None:
    ended = ViewState(time=LAST, past=60.0, loop=Loop.ONCE)
    assert timeline.material_time(timeline.play(ended, AXIS)) == 0.0


def test_a_pause_and_a_step_leave_materials_where_they_are_seen() -> None:
    view = replace(playing(4.0), past=60.0)
    assert timeline.material_time(timeline.play(view, AXIS)) == timeline.material_time(view)
    assert timeline.material_time(timeline.step(view, 1, AXIS)) == pytest.approx(65.0 * timeline.FRAME)
