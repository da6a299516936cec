"""What the axis of all frames says of its time."""

from __future__ import annotations

from dataclasses import replace

from tests.controllers import State, build
from tests.ui.scenes import tank_document
from viewer.model.clips.controller import read_controller
from viewer.session.play.playback import FrameRange
from viewer.ui.timeline.frame_axis import explanations
from viewer.ui.timeline.play_list import entry_at


def test_a_model_without_a_controller_says_so() -> None:
    assert "No controller" in explanations(tank_document())[0]
    assert "15 frames/s is our rate" in explanations(tank_document())[0]
    played = replace(tank_document(), controller=read_controller("tank.ctl", build([State()])))
    assert explanations(played) == ("Whole strip, 15 frames/s is our rate.",)


def test_the_list_has_all_frames_the_clips_and_the_ranges() -> None:
    document = replace(tank_document(), controller=read_controller("tank.ctl", build([State((2, 5))])))
    ranges = FrameRange(3, 7, "turn"), FrameRange(4, 90)
    entries = [entry_at(document, ranges, place) for place in range(4)]
    assert [entry.name for entry in entries] == ["Whole strip", "stand", "turn", "frames 4 to 90"]
    assert [entry.frames_a for entry in entries] == ["0 - 10", "2 - 5", "3 - 7", "4 - 90"]
    assert [entry.is_guess for entry in entries] == [False, True, False, False]
    assert "The last frame of this file is 10." in entries[-1].hints
