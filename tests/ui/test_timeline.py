"""What the axis of a clip shows; what the axis of all frames says of its time."""

from __future__ import annotations

from math import inf, nan

import pytest
from msgspec.structs import replace

from tests.model.controllers import NONE, Drive, State, build
from tests.ui.scenes import tank_document
from viewer.model.clips.controller import Controller, read_controller
from viewer.model.store.address import Address
from viewer.session.play.playback import FrameRange
from viewer.ui.timeline.axis_parts import bands, union
from viewer.ui.timeline.frame_axis import explanations
from viewer.ui.timeline.play_list import clip_hints, clip_name, entry_at, pair_texts, pairs, rate_text


def controller(*states: State, drives: tuple[Drive, ...] = ()) -> Controller:
    free = {(0, 1): 0.0, (1, 0): 0.0} if len(states) > 1 else {}
    return read_controller(Address.parse("a.ctl"), build(states, drives, free))


def test_frames_that_overlap_are_painted_once() -> None:
    assert union([(5, 9), (12, 10), (8, 10), (20, 20)]) == [(5, 12), (20, 20)]


def test_the_bands_of_a_clip_are_those_of_all_that_are_played_in_a_row() -> None:
    found = controller(State((0, 4), (10, 12), 0.5), State((6, 8)))
    assert bands(found, found.clips[0]) == ([(0, 4), (6, 8)], [(10, 12)])


@pytest.mark.parametrize("frames", [(nan, 3), (3, nan), (0, inf), (-2, 3)])
def test_frames_that_are_no_numbers_are_not_shown(frames: tuple[float, float]) -> None:
    clip = controller(State(frames, frames, 0.5)).clips[0]
    assert pairs(clip) == (None, None)
    assert pair_texts(clip) == ("", "")


def test_a_clip_says_what_is_guessed_and_why() -> None:
    walk, other = State((2, 6), (8, 10), 0.35, 500, (3, 4)), State((1, 1), NONE, milliseconds=0)
    found = controller(walk, other)
    assert [clip_name(clip) for clip in found.clips] == ["walk", "stand"]
    assert pair_texts(found.clips[0]) == ("2 - 6", "8 - 10  35%")
    hints = [*clip_hints(found, found.clips[0])]
    assert hints[0] == "State 0 of the controller"
    assert any(hint.startswith("Guess:") for hint in hints)
    assert any("walk, stand" in hint for hint in hints)
    assert any("by stride" in hint for hint in clip_hints(found, found.clips[1]))


def test_a_channel_that_wraps_turns_so_many_times_a_second() -> None:
    found = controller(drives=(Drive(0, (0, 4), flags=1), Drive(0, (0, 4))))
    assert [rate_text(channel) for channel in found.channels] == ["0 turns/s", "0 per second"]


def test_a_model_without_a_controller_says_so() -> None:
    assert "No controller" in explanations(tank_document())[0]
    assert "15 frames/s is our rate" in explanations(tank_document())[0]
    played = replace(tank_document(), controller=read_controller(Address.parse("tank.ctl"), build([State()])))
    assert explanations(played) == ("Whole strip, 15 frames/s is our rate.",)


def test_the_list_has_all_frames_the_clips_and_the_ranges() -> None:
    document = replace(
        tank_document(), controller=read_controller(Address.parse("tank.ctl"), build([State((2, 5))]))
    )
    ranges = FrameRange(3, 7, "turn"), FrameRange(4, 90)
    entries = [entry_at(document, ranges, place) for place in range(4)]
    assert [entry.name for entry in entries] == ["Whole strip", "stand", "turn", "frames 4 to 90"]
    assert [entry.frames_a for entry in entries] == ["0 - 10", "2 - 5", "3 - 7", "4 - 90"]
    assert [entry.is_guess for entry in entries] == [False, True, False, False]
    assert "The last frame of this file is 10." in entries[-1].hints()
