"""Clips that do not follow the frames of their model are told: what they play, and what that shows now."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path

import pytest

from tests.cli.console import success
from tests.model import controllers
from tests.model.controllers import Drive, State, build, model
from tests.model.edit.neighbors.steps import MODELS, payload, step_of
from viewer.formats.archive.nres import Archive
from viewer.formats.neighbors import control
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.nodes.track_edit import Retime, SetFrameCount

SLOWER = Retime(0, 1000, 0, 2000)


def notes_of(*changes: Change, declined: tuple[Topic, ...] = ()) -> list[str]:
    return [*map(str, step_of(MODELS, "walker.msh", *changes, declined=declined).notes)]


def test_what_follows_is_not_told() -> None:
    assert notes_of(SLOWER) == []
    assert notes_of(SetFrameCount(300)) == []


def test_a_clip_that_does_not_follow_is_told_with_its_frames_and_what_they_show() -> None:
    notes = notes_of(SLOWER, declined=(Topic.REFERENCES,))
    assert notes[1] == (
        "clip walk of walker.ctl plays frames 16 to 40, which now show what was at 8 to 20; "
        "what it played is at 32 to 80"
    )
    assert [note.split(" of ")[0] for note in notes] == [
        *("clip stand", "clip walk", "clip run", "clip turn", "clip turn 2", "clip backward"),
        *("clip walk 2", "clip walk 2"),  # its two pairs of frames
        *(f"channel {index}" for index in range(6)),
    ]


def test_only_what_plays_the_moved_frames_is_told() -> None:
    notes = notes_of(Retime(44, 60, 144, 160), declined=(Topic.REFERENCES,))
    assert [note.split(" of ")[0] for note in notes] == ["clip run"]
    assert "which now show nothing that was there before; what it played is at 144 to 160" in notes[0]


def test_a_clip_is_told_that_one_node_no_longer_follows() -> None:
    notes = notes_of(Retime(44, 60, 144, 160, node=1))
    assert [note.split(" of ")[0] for note in notes] == ["clip run"]
    assert "frames 44 to 60 of node 1" in notes[0]


@pytest.mark.parametrize("place", ["walker.ctl", "Walker.CTL"])
def test_the_controller_in_a_file_of_its_own_is_told_in_the_shell(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = Archive.read(MODELS.read_bytes())
    for name, file in (("walker.msh", "walker.msh"), ("walker.ctl", place)):
        (tmp_path / file).write_bytes(payload(archive, name))
    before = (tmp_path / place).read_bytes()
    out, _ = success(
        capsys, "edit", tmp_path / "walker.msh", "--retime", "0:1000", "0:2000", "--in-place", "-v"
    )
    assert f"clip walk of {place} plays frames 16 to 40, which now show what was at 8 to 20" in out
    assert (tmp_path / place).read_bytes() == before


def test_ranges_that_are_none_are_not_told(tmp_path: Path) -> None:
    file = tmp_path / "a.rlb"
    nothing = [(-1, 5), (5, nan), (nan, 5), (inf, inf), (0, inf)]
    controller = build([State((0, 2))], [Drive(0, pair) for pair in [*nothing, (0, 10)]])
    file.write_bytes(controllers.archive({"m.msh": model(), "m.ctl": control.encode(controller)}))
    notes = step_of(file, "m.msh", Retime(0, 10, 0, 20), declined=(Topic.REFERENCES,)).notes
    assert [str(it).split(" of ")[0] for it in notes] == ["clip stand", "channel 5"]


def test_clips_beyond_the_end_of_a_shorter_animation_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The keys are in frames 0 to 10; the model shows the last one until frame 30."""
    file = tmp_path / "a.rlb"
    controller = build([State((0, 10)), State((5, 30))])
    file.write_bytes(controllers.archive({"m.msh": model(), "m.ctl": control.encode(controller)}))
    success(capsys, "edit", f"{file}::m.msh", "--do", '{"do": "frame-count", "count": 31}', "--in-place")
    notes = step_of(file, "m.msh", SetFrameCount(11)).notes
    assert notes == ("clip stand 2 of m.ctl plays frames 5 to 30; the last frame is 10 now",)
