"""Marked frame ranges, and playing them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import Key, ModelBuilder, Node
from viewer.session.opened.document import Document
from viewer.session.play import timeline
from viewer.session.play.playback import FrameRange, with_range, without_range
from viewer.session.play.playing import axis_of, play_frames
from viewer.session.play.timeline import TimeAxis
from viewer.session.view.kept_view import kept
from viewer.session.view.view_state import Loop, ViewState, for_document

FRAMES = 41
WALK = FrameRange(5, 13)
STANDING = FrameRange(2, 2)


def strip(frames: int = FRAMES) -> Document:
    """A model with one moving node."""
    keys = [Key(0), Key(frames - 1, (1, 0, 0))]
    return Document.of("strip.msh", ModelBuilder([Node("body", keys=keys)]).model())


def axis(frames: FrameRange = WALK) -> TimeAxis:
    return axis_of(strip(), playing(0.0, frames=frames))


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
    view = timeline.advance(playing(12.0), 0.3, axis())
    assert view.time == pytest.approx(7.0)
    assert timeline.material_time(view) == pytest.approx(15.0 * timeline.FRAME)


def test_once_stops_at_the_end_of_the_range_and_plays_again_from_its_start() -> None:
    ended = timeline.advance(playing(12.0, Loop.ONCE), 0.3, axis())
    assert (ended.time, ended.is_playing) == (13.0, False)
    assert timeline.play(ended, axis()).time == 5.0


def test_ping_pong_turns_round_at_both_ends_of_the_range() -> None:
    there = timeline.advance(playing(12.0, Loop.PING_PONG), 0.3, axis())
    assert (there.time, there.is_reversed) == (11.0, True)
    back = timeline.advance(replace(there, time=6.0), 0.3, axis())
    assert (back.time, back.is_reversed) == (7.0, False)


@pytest.mark.parametrize("time", [2.0, 20.0])
def test_playing_from_outside_begins_at_the_start_of_the_range(time: float) -> None:
    assert timeline.advance(playing(time), 0.1, axis()).time == pytest.approx(6.0)


def test_a_range_of_one_frame_stands_still_while_materials_continue() -> None:
    view = timeline.advance(playing(9.0, frames=STANDING), 0.3, axis(STANDING))
    assert (view.time, view.past) == (2.0, 3.0)


@pytest.mark.parametrize(("time", "frames", "expected"), [(13.0, 1, 5.0), (5.0, -1, 13.0), (20.0, 1, 21.0)])
def test_steps_wrap_in_the_range_and_are_free_outside(time: float, frames: int, expected: float) -> None:
    assert timeline.step(playing(time), frames, axis()).time == expected


def test_choosing_a_range_goes_to_its_start_and_all_frames_keep_the_time() -> None:
    document = strip()
    chosen = play_frames(ViewState(time=30.0), document, WALK)
    assert (chosen.frames, chosen.time) == (WALK, 5.0)
    assert timeline.seek_end(chosen, axis_of(document, chosen), is_last=True).time == 13.0
    whole = play_frames(chosen, document, None)
    assert (whole.time, axis_of(document, whole)) == (5.0, TimeAxis.whole(40.0))


def test_a_range_of_a_longer_file_ends_with_the_strip() -> None:
    assert axis(FrameRange(30, 90)) == TimeAxis(40.0, 30.0, 40.0)
    assert axis(FrameRange(50, 90)) == TimeAxis(40.0, 40.0, 40.0)


def test_a_range_that_a_changed_file_does_not_reach_is_not_played() -> None:
    before = strip()
    assert kept(playing(7.0), before, strip(9)).frames == WALK
    assert kept(playing(7.0), before, strip(5)).frames is None


def test_another_document_plays_all_its_frames() -> None:
    assert for_document(playing(7.0)).frames is None
