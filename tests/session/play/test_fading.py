"""Two clips blended with each other as the engine blends two times, and a part of a clip that plays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.model.controllers import State, build, game, model, opened
from viewer.formats.neighbors import control
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.mesh.pose.pose_trace import traces
from viewer.session.opened.document import Document
from viewer.session.play import filming, posing, timeline
from viewer.session.play.playback import Fade
from viewer.session.play.playing import axis_of, mark_part, play_clip, with_part
from viewer.session.view.kept_view import kept
from viewer.session.view.view_state import ViewState

WALK, RUN, MIXED = range(3)
STATES = [
    State((0, 4), milliseconds=1000),
    State((6, 10), milliseconds=500),
    State((1, 3), (7, 9), 0.25, milliseconds=1000),
]
TURRET = 1


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    entries = {"a.msh": model(), "a.ctl": control.encode(build(STATES))}
    folder: Path = game(tmp_path_factory.mktemp("game"), {"a.rlb": entries}, None)
    return opened(f"{folder / 'a.rlb'}::a.msh")


def at(clip: int, seconds: float, fade: Fade | None) -> ViewState:
    view = play_clip(ViewState(), clip)
    return replace(view, playback=replace(view.playback, seconds=seconds, fade=fade))


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_two_clips_are_blended_as_two_times(document: Document, weight: float) -> None:
    """In step: a quarter of the walk is frame 1, a quarter of the run frame 7."""
    pose = posing.pose(document, at(WALK, 0.25, Fade(RUN, 0.0, weight)))
    expected = document.animation.pose(1.0, 7.0, weight)
    assert np.array_equal(pose.position[TURRET], expected.position[TURRET])
    assert np.array_equal(pose.quaternion, expected.quaternion)
    assert pose.position[TURRET, 2] == pytest.approx((1 - weight) * 1 + weight * 7)


def test_the_other_clip_is_frozen_or_later(document: Document) -> None:
    frozen = posing.pose(document, at(WALK, 0.25, Fade(RUN, 0.125, 1.0, is_in_step=False)))
    assert frozen.position[TURRET, 2] == pytest.approx(7)
    later = posing.pose(document, at(WALK, 0.75, Fade(RUN, 0.25, 1.0)))
    assert later.position[TURRET, 2] == pytest.approx(7), "beyond its end it starts over: 9 and half of 4"


def test_a_clip_of_two_pairs_is_blended_before_it_fades(document: Document) -> None:
    """Frames 2 and 8 by a quarter are 3.5; with frame 2 of the walk by a half that is 2.75."""
    view = at(MIXED, 0.5, Fade(WALK, 0.0, 0.5))
    assert posing.pose(document, view).position[TURRET, 2] == pytest.approx(2.75)
    found = [
        (trace.time, weight)
        for trace, weight in traces(document.animation, TURRET, posing.moment(document, view))
    ]
    assert found == [(2, 0.375), (8, 0.125), (2, 0.5)]


def test_a_film_fades_too_and_a_fade_to_no_clip_ends(document: Document) -> None:
    view = at(WALK, 0.0, Fade(RUN, 0.0, 0.5))
    times = filming.loop_of(document, view, 4)
    heights = [posing.pose(document, posing.at(view, time)).position[TURRET, 2] for time in times]
    assert heights == pytest.approx([3, 4, 5, 6])
    gone = replace(view, playback=replace(view.playback, fade=Fade(9)))
    assert kept(gone, document, document).playback.fade is None


def test_a_part_of_a_clip_is_marked_played_and_filmed(document: Document) -> None:
    view = at(WALK, 0.25, None)
    view = mark_part(view, axis_of(document, view), is_last=False)
    assert view.playback.part == (0.25, 1.0)
    view = posing.at(view, 0.75)
    view = mark_part(view, axis_of(document, view), is_last=True)
    assert view.playback.part == (0.25, 0.75)
    axis = axis_of(document, view)
    playing = replace(view, is_playing=True, speed=FRAME_RATE)
    assert timeline.advance(playing, 0.1, axis).playback.seconds == pytest.approx(0.35), "it starts over"
    assert timeline.step(view, 1, axis).playback.seconds == pytest.approx(0.25), "so do steps"
    assert filming.loop_of(document, view, 4) == pytest.approx([0.25, 0.5])
    assert with_part(view, axis, 0, axis.end).playback.part is None
    assert play_clip(view, WALK).playback.part is None
