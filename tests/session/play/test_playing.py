"""What is played, and the axis of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.controllers import NONE, State, build, game, model, opened
from viewer.formats.neighbors import control
from viewer.model.clips.clip import FRAME_RATE, Channel, Gait
from viewer.model.clips.controller import Controller
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.play import playing, timeline
from viewer.session.play.playback import FrameRange
from viewer.session.play.playing import (
    axis_of,
    play_clip,
    play_first,
    restart_clip,
    show_frame,
    step_playable,
)
from viewer.session.view.view_state import Loop, ViewState

RANGE = FrameRange(2, 5)
STATES = [
    State((5, 9), milliseconds=500),
    State((3, 3), NONE, milliseconds=0),
    State((0, 2), milliseconds=1000),
    State((2, 4), milliseconds=1000),
]


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """A model with a clip, one that stands still, and two that are played in a row."""
    entries = {"a.msh": model(), "a.ctl": control.encode(build(STATES, (), {(2, 3): 0, (3, 2): 0}))}
    folder: Path = game(tmp_path_factory.mktemp("game"), {"a.rlb": entries}, None)
    return opened(f"{folder / 'a.rlb'}::a.msh")


def test_a_step_plays_what_comes_next_and_starts_over(document: Document) -> None:
    view, seen = ViewState(), []
    for _ in range(6):
        view = step_playable(view, document, (RANGE,), 1)
        seen.append((view.playback.clip, view.frames))
    assert seen == [(0, None), (1, None), (2, None), (3, None), (None, RANGE), (None, None)]
    assert step_playable(view, document, (RANGE,), -1).frames == RANGE


def test_the_axis_of_a_clip_has_a_stop_at_each_of_its_frames(document: Document) -> None:
    axis = axis_of(document, play_clip(ViewState(), 0))
    assert axis.end == pytest.approx(0.5 * FRAME_RATE)
    assert axis.stops is not None
    assert axis.stops() == pytest.approx([step * 0.125 * FRAME_RATE for step in range(5)])


def test_clips_in_a_row_have_one_axis(document: Document) -> None:
    axis = axis_of(document, play_clip(ViewState(), 3))
    assert axis.end == pytest.approx(2 * FRAME_RATE)
    assert axis.stops is not None
    assert axis.stops() == pytest.approx([step * 0.5 * FRAME_RATE for step in range(5)])


def test_a_clip_that_stands_still_has_no_time(document: Document) -> None:
    view = replace(play_clip(ViewState(), 1), is_playing=True)
    axis = axis_of(document, view)
    assert not axis.moves
    assert timeline.step(view, 1, axis).playback.seconds == 0


def test_a_clip_of_one_frame_has_no_time_either(document: Document) -> None:
    """However long it lasts: nothing in the image changes."""
    still = replace(document.controller.clips[1], seconds=1.0)
    clips = (document.controller.clips[0], still, *document.controller.clips[2:])
    changed = replace(document, controller=replace(document.controller, clips=clips))
    assert not axis_of(changed, play_clip(ViewState(), 1)).moves
    assert axis_of(changed, play_clip(ViewState(), 0)).moves


def test_steps_lead_to_the_frames_of_a_clip(document: Document) -> None:
    view = timeline.at(play_clip(ViewState(), 0), 0.3 * FRAME_RATE)
    axis = axis_of(document, view)
    assert timeline.step(view, 1, axis).playback.seconds == pytest.approx(0.375)
    assert timeline.step(view, -1, axis).playback.seconds == pytest.approx(0.25)
    assert timeline.step(view, 3, axis).playback.seconds == pytest.approx(0.0)
    assert timeline.step(replace(view, loop=Loop.ONCE), 9, axis).playback.seconds == pytest.approx(0.5)


def test_materials_go_on_while_a_clip_loops(document: Document) -> None:
    view = replace(play_clip(ViewState(), 0), is_playing=True)
    for _ in range(3):
        view = timeline.advance(view, 0.4, axis_of(document, view))
    assert view.playback.seconds == pytest.approx(0.2)
    assert timeline.material_time(view) == pytest.approx(1200.0)


def test_a_frame_is_shown_instead_of_a_clip(document: Document) -> None:
    view = show_frame(replace(play_clip(ViewState(), 0), is_playing=True), document, 4.0)
    assert (view.playback.clip, view.time, view.is_playing) == (None, 4.0, False)


def test_a_clip_is_played_from_its_start(document: Document) -> None:
    first = restart_clip(ViewState(), document)
    assert (first.playback.clip, first.is_playing) == (0, True)
    later = timeline.at(play_clip(first, 2), 3.0)
    assert restart_clip(later, document).playback == play_clip(first, 2).playback
    without = replace(document, controller=replace(document.controller, clips=()))
    assert restart_clip(ViewState(), without) == ViewState()


GAME = Path(__file__).parents[3] / "assets" / "game"


def opened_with(stem: str, archive: str = "models.rlb") -> Document:
    return Document.open(FileStore(), Source(Address(GAME / archive, (f"{stem}.msh",))))


def test_a_machine_walks_instead_of_all_its_movements_in_one_go() -> None:
    document = opened_with("walker")
    view = play_first(ViewState(), document)
    clip = document.controller.clip(view.playback.clip)
    assert clip is not None
    assert clip.gait is Gait.WALK
    assert view.is_playing


@pytest.mark.parametrize(("stem", "clip"), [("s_tree_oak", 0), ("b_tower", 0), ("drone", None)])
def test_all_frames_are_played_only_without_a_controller(stem: str, clip: int | None) -> None:
    """The tree has a clip that moves, the tower only one that stands still, the drone no controller."""
    view = play_first(ViewState(), opened_with(stem))
    assert view.playback.clip == clip
    assert view.is_playing


def test_a_gun_that_stands_stays_in_the_image() -> None:
    """Its frames are those of its channels: played one after another, the barrels leave the image."""
    gun = opened_with("e_gun_tw_01", "guns.rlb")
    assert play_first(ViewState(), gun).playback.clip == 0


def test_a_clip_that_moves_only_by_its_second_pair_is_preferred(tmp_path: Path) -> None:
    states = [State((3, 3)), State(NONE, (0, 5))]
    folder = game(tmp_path, {"a.rlb": {"a.msh": model(), "a.ctl": control.encode(build(states))}}, None)
    document = Document.open(FileStore(), Source(Address(folder / "a.rlb", ("a.msh",))))
    assert play_first(ViewState(), document).playback.clip == 1


WRAPS, INVERTS = 0x01, 0x02


def controller(flags: int = 0, rate: float = 0.5, initial: float = 0.25) -> Controller:
    return Controller("a.ctl", channels=(Channel(0, 1, 0.0, 4.0, initial, rate, 0.0, flags),))


def values(found: Controller, *seconds: float) -> list[float]:
    """The values after some times, one after the other."""
    view, seen = playing.toggle_turning(ViewState(), found, 0), []
    for time in seconds:
        view = playing.advance_channels(view, found, time)
        seen.append(view.playback.channels[0])
    return seen


def test_a_channel_starts_at_its_initial_value_and_wraps() -> None:
    assert values(controller(WRAPS), 1.0, 1.0) == pytest.approx([0.75, 0.25])
    assert values(controller(WRAPS | INVERTS), 1.0) == pytest.approx([0.75])


def test_a_channel_that_does_not_wrap_goes_to_and_fro() -> None:
    assert values(controller(), 1.0, 1.0, 1.0, 1.0) == pytest.approx([0.75, 0.75, 0.25, 0.25])


def test_a_channel_that_is_stopped_keeps_its_value_until_it_is_reset() -> None:
    found = controller()
    view = playing.advance_channels(playing.toggle_turning(ViewState(), found, 0), found, 1.0)
    stopped = playing.toggle_turning(view, found, 0)
    assert playing.advance_channels(stopped, found, 1.0) == stopped
    assert playing.shown_value(stopped.playback, found.channels[0]) == 0.75
    for reset in (playing.reset_channel(view, 0), playing.reset_channels(view)):
        assert reset.playback == ViewState().playback


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -3.0])
def test_damaged_numbers_give_a_value_between_0_and_1(number: float) -> None:
    assert 0 <= values(controller(rate=number), 0.7)[0] <= 1
    assert 0 <= values(controller(initial=number), 0.7)[0] <= 1
