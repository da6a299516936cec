"""What is played, and the axis of it.

Marked frame ranges, and playing them.

The pose of a document in a view: the strip or a clip, channels, and the root.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box
from tests.model.controllers import NONE, Drive, State, build, game, model, opened
from viewer.formats.neighbors import control
from viewer.model.clips.clip import FRAME_RATE, Channel, Gait
from viewer.model.clips.controller import Controller
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.play import playing, posing, timeline
from viewer.session.play.playback import FrameRange, Playback, Root, with_range, without_range
from viewer.session.play.playing import (
    axis_of,
    play_clip,
    play_first,
    play_frames,
    restart_clip,
    show_frame,
    step_playable,
)
from viewer.session.play.posing import framed
from viewer.session.play.timeline import TimeAxis
from viewer.session.view.camera import Camera
from viewer.session.view.kept_view import kept
from viewer.session.view.view_state import Loop, ViewState, for_document, with_look

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
    return Controller(Address.parse("a.ctl"), channels=(Channel(0, 1, 0.0, 4.0, initial, rate, 0.0, flags),))


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


FRAMES = 41
WALK = FrameRange(5, 13)
STANDING = FrameRange(2, 2)


def strip(frames: int = FRAMES) -> Document:
    """A model with one moving node."""
    keys = [Key(0), Key(frames - 1, (1, 0, 0))]
    return Document.of(Address.parse("strip.msh"), ModelBuilder.of([Node("body", keys=keys)]).model())


def axis(frames: FrameRange = WALK) -> TimeAxis:
    return axis_of(strip(), playing_clip(0.0, frames=frames))


def playing_clip(time: float, loop: Loop = Loop.LOOP, frames: FrameRange = WALK) -> ViewState:
    return ViewState(time=time, is_playing=True, speed=10.0, loop=loop, frames=frames)


def test_ends_are_whole_frames_in_order() -> None:
    assert FrameRange.between(12.5, 4.6) == FrameRange(5, 13)
    assert FrameRange.between(-3.0, 0.4) == FrameRange(0, 0)


def test_ranges_are_ordered_by_their_frames_each_once() -> None:
    ranges = with_range(with_range((FrameRange(9, 10),), WALK), WALK)
    assert ranges == (WALK, FrameRange(9, 10))
    assert without_range(ranges, WALK) == (FrameRange(9, 10),)


def test_a_range_starts_over_at_its_end() -> None:
    view = timeline.advance(playing_clip(12.0), 0.3, axis())
    assert view.time == pytest.approx(7.0)
    assert timeline.material_time(view) == pytest.approx(15.0 * timeline.FRAME)


def test_once_stops_at_the_end_of_the_range_and_plays_again_from_its_start() -> None:
    ended = timeline.advance(playing_clip(12.0, Loop.ONCE), 0.3, axis())
    assert (ended.time, ended.is_playing) == (13.0, False)
    assert timeline.play(ended, axis()).time == 5.0


def test_ping_pong_turns_round_at_both_ends_of_the_range() -> None:
    there = timeline.advance(playing_clip(12.0, Loop.PING_PONG), 0.3, axis())
    assert (there.time, there.is_reversed) == (11.0, True)
    back = timeline.advance(replace(there, time=6.0), 0.3, axis())
    assert (back.time, back.is_reversed) == (7.0, False)


@pytest.mark.parametrize("time", [2.0, 20.0])
def test_playing_from_outside_begins_at_the_start_of_the_range(time: float) -> None:
    assert timeline.advance(playing_clip(time), 0.1, axis()).time == pytest.approx(6.0)


def test_a_range_of_one_frame_stands_still_while_materials_continue() -> None:
    view = timeline.advance(playing_clip(9.0, frames=STANDING), 0.3, axis(STANDING))
    assert (view.time, view.past) == (2.0, 3.0)


@pytest.mark.parametrize(("time", "frames", "expected"), [(13.0, 1, 5.0), (5.0, -1, 13.0), (20.0, 1, 21.0)])
def test_steps_wrap_in_the_range_and_are_free_outside(time: float, frames: int, expected: float) -> None:
    assert timeline.step(playing_clip(time), frames, axis()).time == expected


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
    assert kept(playing_clip(7.0), before, strip(9)).frames == WALK
    assert kept(playing_clip(7.0), before, strip(5)).frames is None


def test_another_document_plays_all_its_frames() -> None:
    assert for_document(playing_clip(7.0)).frames is None


TRAVEL = Playback(root=Root.TRAVEL)


@pytest.fixture
def posed_document(tmp_path: Path) -> Document:
    """A model of two nodes with two clips and a channel of its turret."""
    states = State((0, 4), (8, 8), 0.5), State((6, 10), milliseconds=0)
    (tmp_path / "a.msh").write_bytes(model())
    (tmp_path / "a.ctl").write_bytes(control.encode(build(states, [Drive(1, (0, 10), 0.3)])))
    return opened(tmp_path / "a.msh")


def positions(posed_document: Document, playback: Playback, time: float = 0.0) -> list[list[float]]:
    view = posing.at(ViewState(playback=playback), time)
    found: list[list[float]] = posing.pose(posed_document, view).position.tolist()
    return found


def test_the_root_stays_unless_it_travels(posed_document: Document) -> None:
    assert positions(posed_document, Playback(), 2.0)[0] == [0, 0, 0]
    assert positions(posed_document, TRAVEL, 2.0)[0] == [2, 5, 0]


def test_the_rotation_of_the_root_and_other_roots_stay() -> None:
    turned = Key(0, (1, 2, 3), (0.5, 0.5, 0.5, 0.5))
    scene = [Node("a", keys=[turned]), Node("b", keys=[turned])]
    found = posing.pose(Document.of(Address.parse("a"), ModelBuilder.of(scene).model()), ViewState())
    assert found.position.tolist() == [[0, 0, 0], [1, 2, 3]]
    np.testing.assert_array_equal(found.local[0, :3, :3], found.local[1, :3, :3])


def test_a_first_node_with_a_parent_keeps_its_translation() -> None:
    builder = ModelBuilder.of([Node("a", keys=[Key(0, (1, 2, 3))]), Node("b")])
    builder.nodes["parent"][0] = 1
    found = posing.pose(Document.of(Address.parse("a"), builder.model()), ViewState())
    assert found.position.tolist() == [[1, 2, 3], [0, 0, 0]]


def test_a_camera_frames_what_is_drawn() -> None:
    scene = [Node("a", shapes={(0, 0): [box()]}, keys=[Key(0, (100, 0, 0))])]
    posed_document = Document.of(Address.parse("a"), ModelBuilder.of(scene).model())
    targets = {
        root: framed(posed_document, Camera(), ViewState(playback=Playback(root=root)), 1.0).target
        for root in Root
    }
    assert abs(targets[Root.STILL][0]) < 1
    assert abs(targets[Root.TRAVEL][0] - 100) < 1


def test_a_clip_poses_the_body_and_its_channels_the_other_nodes(posed_document: Document) -> None:
    clip = Playback(clip=0, root=Root.TRAVEL)
    assert positions(posed_document, clip, 0.5) == [pytest.approx([5, 5, 0]), pytest.approx([0, 0, 3])]
    found = positions(posed_document, clip.with_channel(0, 0.75), 0.5)
    assert found == [pytest.approx([5, 5, 0]), pytest.approx([0, 0, 7.5])]


def test_a_channel_drives_its_node_at_any_time_of_the_strip(posed_document: Document) -> None:
    playback = TRAVEL.with_channel(0, 0.5)
    assert positions(posed_document, playback, 2.0) == [[2, 5, 0], [0, 0, 5]]
    assert positions(posed_document, playback.with_channel(0, None), 2.0) == [[2, 5, 0], [0, 0, 2]]


def test_what_is_played_ends_with_its_clip(posed_document: Document) -> None:
    ends = [posing.end(posed_document, ViewState(playback=Playback(clip=clip))) for clip in (None, 0, 1)]
    assert ends == pytest.approx([10.0, 1.0, 4 / 15])


def test_materials_go_on_with_the_clock_of_the_clip() -> None:
    view = ViewState(time=3.0, playback=Playback(clip=0, seconds=0.5))
    assert timeline.material_time(view) == 500


def test_another_document_starts_with_its_strip_and_keeps_the_root() -> None:
    view = ViewState(playback=replace(TRAVEL, clip=1, seconds=2.0).with_channel(0, 0.5))
    assert for_document(view).playback == TRAVEL
    assert with_look(ViewState(playback=Playback(clip=1)), view).playback == replace(TRAVEL, clip=1)


def test_clips_and_channels_that_are_gone_are_let_go(posed_document: Document) -> None:
    playback = replace(TRAVEL, clip=1).with_channel(0, 0.5)
    assert kept(ViewState(playback=playback), posed_document, posed_document).playback == playback
    more = replace(playback, clip=2).with_channel(1, 0.5)
    assert kept(ViewState(playback=more), posed_document, posed_document).playback == TRAVEL.with_channel(
        0, 0.5
    )
