"""Marked frame ranges, and playing them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from viewer.session.view import timeline
from viewer.session.view.frame_range import FrameRange, with_range, without_range
from viewer.session.view.view_state import Loop, ViewState, for_document

LAST = 40.0
WALK = FrameRange(5, 13)


def playing(time: float, loop: Loop = Loop.LOOP, frames: FrameRange = WALK) -> ViewState:
    return ViewState(time=time, is_playing=True, speed=10.0, loop=loop, frames=frames)


def test_ends_are_whole_frames_in_order() -> None:
    assert FrameRange.between(12.5, 4.6) == FrameRange(5, 13)
    assert FrameRange.between(-3.0, 0.4) == FrameRange(0, 0)


def test_ranges_are_ordered_by_their_frames_each_once() -> None:
    ranges = with_range(with_range((FrameRange(9, 10),), WALK), WALK)
    assert ranges == (WALK, FrameRange(9, 10))
    assert without_range(ranges, WALK) == (FrameRange(9, 10),)


def test_a_range_starts_over_at_its_end() -> None:
    view = timeline.advance(playing(12.0), 0.3, LAST)
    assert view.time == pytest.approx(7.0)
    assert timeline.material_time(view) == pytest.approx(15.0 * timeline.FRAME)


def test_once_stops_at_the_end_of_the_range_and_plays_again_from_its_start() -> None:
    ended = timeline.advance(playing(12.0, Loop.ONCE), 0.3, LAST)
    assert (ended.time, ended.is_playing) == (13.0, False)
    assert timeline.play(ended, LAST).time == 5.0


def test_ping_pong_turns_round_at_both_ends_of_the_range() -> None:
    there = timeline.advance(playing(12.0, Loop.PING_PONG), 0.3, LAST)
    assert (there.time, there.is_reversed) == (pytest.approx(11.0), True)
    back = timeline.advance(replace(there, time=6.0), 0.3, LAST)
    assert (back.time, back.is_reversed) == (pytest.approx(7.0), False)


@pytest.mark.parametrize("time", [2.0, 20.0])
def test_playing_from_outside_begins_at_the_start_of_the_range(time: float) -> None:
    assert timeline.advance(playing(time), 0.1, LAST).time == pytest.approx(6.0)


def test_a_range_of_one_frame_stands_still_while_materials_continue() -> None:
    view = timeline.advance(playing(9.0, frames=FrameRange(2, 2)), 0.3, LAST)
    assert (view.time, view.past) == (2.0, 3.0)


@pytest.mark.parametrize(("time", "frames", "expected"), [(13.0, 1, 5.0), (5.0, -1, 13.0), (20.0, 1, 21.0)])
def test_steps_wrap_in_the_range_and_are_free_outside(time: float, frames: int, expected: float) -> None:
    assert timeline.step(playing(time), frames, LAST).time == expected


def test_choosing_a_range_goes_to_its_start_and_all_frames_keep_the_time() -> None:
    chosen = timeline.choose(ViewState(time=30.0), WALK, LAST)
    assert (chosen.frames, chosen.time) == (WALK, 5.0)
    assert timeline.to_end(chosen, LAST, is_last=True).time == 13.0
    assert timeline.choose(chosen, None, LAST).time == 5.0


def test_a_range_of_a_longer_file_ends_with_the_strip() -> None:
    assert timeline.ends(playing(0.0, frames=FrameRange(30, 90)), LAST) == (30.0, 40.0)
    assert timeline.ends(playing(0.0, frames=FrameRange(50, 90)), LAST) == (40.0, 40.0)


def test_another_document_plays_all_its_frames() -> None:
    assert for_document(playing(7.0)).frames is None
