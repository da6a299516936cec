"""Clips, channels and marked frame ranges in the timeline, as a user plays them."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, box
from tests.gui.hand import click, drag, press
from tests.gui.harness import Context, GuiTester, bring_to_front, enlarge, exists, in_child, in_stage
from tests.model.controllers import Drive, State, build, game, model
from viewer.control.settings import settings_file
from viewer.formats.neighbors import control
from viewer.model.store.address import Address
from viewer.session.play import timeline
from viewer.session.play.playback import Fade, FrameRange, OwnTime, Root
from viewer.session.play.playing import play_clip, play_frames
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import Loop, ViewState
from viewer.ui.timeline import clip_axis
from viewer.ui.timeline import timeline as panel

pytestmark = pytest.mark.closed("browser")

BODY, TURRET = range(2)
WALK = State((2, 6), (8, 10), 0.25, milliseconds=500, velocity=(3, 4))
STAND = State((1, 1))


@pytest.fixture
def robot(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """A body that moves along x, a turret on it and a controller, paused at frame 0; the same without."""
    controller = control.encode(build([STAND, WALK], [Drive(TURRET, (4, 10), initial=0.5)]))
    entries = {"robot.msh": model(), "robot.ctl": controller, "plain.msh": model()}
    folder = game(tmp_path / "game", {"robots.rlb": entries}, None)
    gui.open(f"{folder / 'robots.rlb'}::robot.msh")
    assert played(gui).playback.clip == 1, "it walks at first"
    gui.state.view = play_frames(gui.state.view, gui.document, None)
    gui.pause()
    gui.change(playback=gui.state.view.playback.with_other_root())
    assert gui.state.view.playback.root is Root.TRAVEL
    show_timeline(gui)
    return gui


def show_timeline(gui: GuiTester) -> None:
    """Bring the timeline to the front, high enough for its whole list."""
    bring_to_front(gui, "timeline")
    enlarge(gui, "timeline")


def plain(gui: GuiTester) -> str:
    """The address of the model without a controller."""
    return str(gui.document.address).replace("robot.msh", "plain.msh")


def played(gui: GuiTester) -> ViewState:
    """What is played now."""
    return gui.state.view


def choose_clip(gui: GuiTester, entry: str) -> None:
    """Click something to be played, and stop it at its start."""
    click(gui, f"//timeline/**/###{entry}")
    assert played(gui).is_playing
    gui.state.view = timeline.seek_end(played(gui), gui.state.axis, is_last=False)
    gui.settle()


def position(gui: GuiTester, node: int) -> list[float]:
    """Where a node is."""
    assert gui.state.pose is not None
    place: list[float] = np.round(gui.state.pose.world[node, :3, 3], 3).tolist()
    return place


def test_a_clip_is_chosen_and_played_in_its_own_time(robot: GuiTester) -> None:
    assert position(robot, BODY) == [0, 5, 0]
    choose_clip(robot, "clip1")
    assert played(robot).playback.clip == 1
    assert position(robot, BODY) == [2 * 0.75 + 8 * 0.25, 5, 0]
    robot.change(is_playing=True, loop=Loop.LOOP)
    start = played(robot).playback.seconds
    robot.frames(1, seconds=0.25)
    assert played(robot).playback.seconds == pytest.approx(start + 0.25)
    robot.frames(1, seconds=0.5)
    assert played(robot).playback.seconds == pytest.approx(start + 0.25), "twice as long is the same place"
    choose_clip(robot, "strip")
    assert played(robot).playback.clip is None


def test_the_controls_work_in_the_time_of_the_clip(robot: GuiTester) -> None:
    choose_clip(robot, "clip1")
    forward, back = imgui.Key.right_arrow, imgui.Key.left_arrow
    for key, seconds in ((forward, 0.125), (forward, 0.25), (back, 0.125)):
        robot.run(lambda context, key=key: context.key_press(key))  # type: ignore[misc]
        assert played(robot).playback.seconds == pytest.approx(seconds)
    click(robot, "//timeline/###last")
    assert played(robot).playback.seconds == pytest.approx(0.5)
    assert position(robot, BODY) == [6 * 0.75 + 10 * 0.25, 5, 0]
    robot.run(lambda context: context.item_click("//timeline/**/###scrub_clip"))
    assert played(robot).playback.seconds == pytest.approx(0.25)
    robot.change(is_playing=True)
    robot.run(lambda context: context.item_click("//timeline/**/###scrub_clip"))
    assert played(robot).is_playing, "it plays on when it is let go"
    robot.change(loop=Loop.ONCE, is_playing=True, playback=replace(played(robot).playback, seconds=0.25))
    robot.frames(2, seconds=0.3)
    assert played(robot).playback.seconds == pytest.approx(0.5)
    assert not played(robot).is_playing


def test_keys_go_from_clip_to_clip(robot: GuiTester) -> None:
    seen = []
    for _ in range(4):
        press(robot, int(imgui.Key.mod_shift) | int(imgui.Key.right_arrow))
        seen.append(played(robot).playback.clip)
    assert seen == [0, 1, None, 0]
    robot.run(lambda context: context.menu_click("//##MainMenuBar/playback/playback.play_clip"))
    assert (played(robot).playback.clip, robot.state.view.is_playing) == (0, True)


def test_a_channel_is_dragged_and_moves_its_node_alone(robot: GuiTester) -> None:
    before = position(robot, BODY)
    click(robot, "//timeline/**/###channels")
    click(robot, "//timeline/**/###reset")

    robot.run(lambda context: context.item_input_value("//timeline/**/###value", 1.0))
    assert played(robot).playback.channels == {0: 1.0}
    assert position(robot, BODY) == before
    assert position(robot, TURRET) == [0, 5, 10]
    click(robot, "//timeline/**/###reset")
    assert not played(robot).playback.channels
    assert position(robot, TURRET) == [0, 5, 0], "the node follows the strip"


def test_a_channel_plays_at_its_rate_while_the_body_is_paused(
    robot: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    click(robot, "//timeline/**/###channels")
    robot.run(lambda context: context.item_click("//timeline/**/###turn"))
    assert robot.app.is_moving
    assert set(played(robot).playback.turning) == {0}
    imgui.set_window_focus("viewport")
    robot.state.notice_end = 0.0  # when it goes, and when a job ends, the panels are built once more
    robot.settle()
    robot.frames(8)
    drawn = Mock(wraps=clip_axis.draw_channels)
    monkeypatch.setattr(panel, "draw_channels", drawn)
    robot.frames(12)
    assert drawn.call_count == 3, "its value is shown as often as the time"
    robot.open(plain(robot))
    assert not played(robot).playback.turning
    assert not exists(robot, "//timeline/**/###channels")


def test_what_is_played_stays_with_its_tab(robot: GuiTester) -> None:
    choose_clip(robot, "clip1")
    first, other = robot.state.tabs.active.identity, plain(robot)
    robot.app.opener.open(Address.parse(other), in_new_tab=True)
    robot.until(lambda: str(robot.document.address) == other)
    robot.settle()
    assert played(robot).playback.clip is None
    assert not exists(robot, "//timeline/**/###clip1")
    robot.app.opener.activate(first)
    robot.settle()
    assert played(robot).playback.clip == 1


def is_whole(robot: GuiTester, item: str) -> bool:
    """Whether nothing of an item is cut off."""
    found: list[bool] = []

    def look(context: Context) -> None:
        info = context.item_info(item)
        found.append(info.rect_clipped.max.x == info.rect_full.max.x)

    robot.run(look)
    return found == [True]


def test_a_range_is_marked_named_and_kept(robot: GuiTester, tmp_path: Path) -> None:
    address = plain(robot)
    robot.open(address)
    for button, time in (("mark_start", 3.0), ("mark_end", 7.0)):
        robot.pause(time)
        click(robot, f"//timeline/###{button}")
    assert played(robot).frames == FrameRange(3, 7)

    def name(context: Context) -> None:
        context.item_click("//timeline/**/###range_name")
        context.key_chars_replace("walk")

    robot.run(name)
    marked = FrameRange(3, 7, "walk")
    assert played(robot).frames == marked
    robot.change(is_playing=True, loop=Loop.LOOP, speed=10.0, time=6.5)
    robot.frames(1, seconds=0.1)
    assert 3 < robot.state.view.time < 4, "it has started over"
    robot.app.save_settings()
    assert settings_file.load(tmp_path / "settings.json").ranges == {address: (marked,)}
    robot.open(address.replace("plain", "robot"))
    assert played(robot).frames is None
    robot.open(address)
    choose_clip(robot, "range3_7_walk")
    assert played(robot).frames == marked
    assert is_whole(robot, "//timeline/**/###remove_range")
    click(robot, "//timeline/**/###remove_range")
    assert (played(robot).frames, robot.state.settings.ranges) == (None, {})


def test_a_range_is_dragged_on_the_ruler(robot: GuiTester) -> None:
    robot.open(plain(robot))
    robot.pause()

    drag(robot, "//timeline/**/###scrub", key=int(imgui.Key.mod_ctrl), by=(100, 0))
    frames = played(robot).frames
    assert frames is not None
    assert frames.first == 5 < frames.last
    assert robot.state.settings.ranges[str(robot.document.address)] == (frames,)


def test_a_controller_leads_to_the_model_that_it_plays(robot: GuiTester) -> None:
    model_address = robot.document.address
    robot.open(str(model_address).replace(".msh", ".ctl"))
    assert robot.state.resource is not None
    assert robot.state.resource.controlled == model_address
    assert robot.state.resource.node_names == ("body", "turret")
    click(robot, in_stage("**/###play1"))
    robot.until(lambda: robot.state.document is not None)
    robot.settle()
    assert robot.document.address == model_address
    assert (played(robot).playback.clip, played(robot).is_playing) == (1, True)
    robot.select(TURRET)
    bring_to_front(robot, "inspector")
    click(robot, "//inspector/**/###channel0")
    robot.until(lambda: robot.state.resource is not None)
    assert robot.state.reveal is not None
    assert (robot.state.reveal.table, robot.state.reveal.row) == ("channels", 0)


def test_a_model_that_stands_still_lists_its_clips(gui: GuiTester, tmp_path: Path) -> None:
    tree = ModelBuilder.of([Node("tree", shapes={(0, 0): [box()]})]).build()
    entries = {"tree.msh": tree, "tree.ctl": control.encode(build([STAND, WALK]))}
    folder = game(tmp_path / "game", {"static.rlb": entries}, None)
    gui.open(f"{folder / 'static.rlb'}::tree.msh")
    show_timeline(gui)
    for entry in ("clip0", "clip1", "strip"):
        click(gui, f"//timeline/**/###{entry}")
    press(gui, imgui.Key.right_arrow)
    assert played(gui).playback.clip is None


def test_numbers_of_a_damaged_controller_stop_nothing(gui: GuiTester, tmp_path: Path) -> None:
    states = [
        State((nan, 3), (3, nan), nan, milliseconds=500),
        State((0, inf), (inf, inf), inf, milliseconds=nan),
        State((-5, 3e38), (0, 3e38), -4.0, milliseconds=3e38),
        State((0, 1e30), milliseconds=0),
        State((900, 70000), milliseconds=1e-30),
    ]
    drives = [
        Drive(99, (nan, inf), nan, 0x01),
        Drive(-7, (0, 1e38), inf),
        Drive(TURRET, (nan, 3), -5.0, 0x40),
    ]
    entries = {"robot.msh": model(), "robot.ctl": control.encode(build(states, drives))}
    folder = game(tmp_path / "game", {"robots.rlb": entries}, None)
    gui.open(f"{folder / 'robots.rlb'}::robot.msh")
    show_timeline(gui)
    for clip in range(len(states)):
        gui.state.view = play_clip(gui.state.view, clip)
        gui.frames(2, seconds=0.3)
        press(gui, imgui.Key.right_arrow)
        gui.change(is_playing=True)
    click(gui, "//timeline/**/###channels")
    for row in (0, 1):
        click(gui, f"//timeline/**/$${row}/###turn")
    gui.frames(3, seconds=0.5)
    assert gui.state.message == ""
    assert all(0 <= value <= 1 for value in played(gui).playback.channels.values())


def test_the_root_stays_until_it_is_to_travel(gui: GuiTester, tmp_path: Path) -> None:
    (tmp_path / "a.msh").write_bytes(model())
    gui.open(tmp_path / "a.msh")
    gui.pause(10.0)
    gui.change(overlays=frozenset({Overlay.BONES}))
    gui.settle()
    still = gui.picture().copy()
    assert gui.state.pose is not None
    assert gui.state.pose.world[0, :3, 3].tolist() == [0, 0, 0]
    bring_to_front(gui, "display")
    click(gui, "//display/motion/###root_travel")
    assert gui.state.view.playback.root.value == "travel"
    assert gui.state.pose.world[0, :3, 3].tolist() == [10, 5, 0]
    assert (gui.picture() != still).any()
    gui.run(lambda context: context.menu_click("//##MainMenuBar/playback/playback.root_travel"))
    assert gui.state.view.playback.root.value == "still"
    assert gui.state.pose.world[0, :3, 3].tolist() == [0, 0, 0]


def test_keys_are_stepped_to_inside_a_clip(robot: GuiTester) -> None:
    """The walk passes frames 2 to 6 in half a second: each key at its share of it."""
    choose_clip(robot, "clip1")
    keys = [time for time in robot.document.animation.key_times(BODY).tolist() if 2 <= time <= 6]
    robot.select(BODY)
    seen = []
    for _step in keys:
        click(robot, "//timeline/**/###next_key")
        seen.append(played(robot).playback.seconds)
    expected = [(time - 2) / 4 * 0.5 for time in keys if time > 2]
    assert seen[: len(expected)] == pytest.approx(expected)


def test_a_time_is_typed_and_it_plays_backwards(robot: GuiTester) -> None:
    robot.run(lambda context: context.item_input_value("//timeline/**/###time", 3.5))
    assert played(robot).time == 3.5
    robot.run(lambda context: context.item_input_value("//timeline/**/###time", "0.2 s"))
    assert played(robot).time == pytest.approx(0.2 * 15)
    choose_clip(robot, "clip1")
    robot.run(lambda context: context.item_input_value("//timeline/**/###time", 0.2))
    assert played(robot).playback.seconds == pytest.approx(0.2)
    click(robot, "//timeline/**/###reverse")
    assert played(robot).is_reversed
    before = played(robot).playback.seconds
    robot.frames(2, seconds=0.02)
    assert played(robot).playback.seconds < before


def test_all_frames_are_blended_with_another_time_as_the_engine_does(robot: GuiTester) -> None:
    robot.pause(time=2.0)
    click(robot, "//timeline/###blend")
    assert played(robot).playback.blend == (2.0, 0.5)
    robot.run(lambda context: context.item_input_value("//timeline/**/###blend_time", 6.0))
    robot.run(lambda context: context.item_input_value("//timeline/**/###blend_weight", 0.25))
    assert played(robot).playback.blend == (6.0, 0.25)
    expected = robot.document.animation.pose(2.0, 6.0, 0.25)
    assert robot.state.pose is not None
    assert np.array_equal(robot.state.pose.local[TURRET], expected.local[TURRET])
    choose_clip(robot, "clip1")
    assert not exists(robot, "//timeline/**/###end_blend"), "a clip blends by itself"
    choose_clip(robot, "strip")
    click(robot, "//timeline/**/###end_blend")
    assert played(robot).playback.blend is None


def test_a_clip_is_blended_with_another_one_and_a_part_of_it_plays(robot: GuiTester) -> None:
    choose_clip(robot, "clip1")
    robot.pause()
    click(robot, "//timeline/###blend")
    assert played(robot).playback.fade is not None
    other = next(clip.index for clip in robot.document.controller.clips if clip.index != 1)
    click(robot, in_child("timeline/fade", "##fade_clip"), f"//$FOCUSED/###fade{other}")
    robot.run(lambda context: context.item_input_value("//timeline/**/###blend_weight", 0.25))
    click(robot, "//timeline/**/###fade_in_step")
    assert played(robot).playback.fade == Fade(other, 0.0, 0.25, is_in_step=False)
    robot.run(lambda context: context.item_input_value("//timeline/**/###time", 0.1))
    click(robot, "//timeline/**/###mark_start")
    robot.run(lambda context: context.item_input_value("//timeline/**/###time", 0.3))
    click(robot, "//timeline/**/###mark_end")
    assert played(robot).playback.part == pytest.approx((0.1, 0.3))
    click(robot, "//timeline/**/###whole_clip", "//timeline/**/###end_fade")
    assert (played(robot).playback.part, played(robot).playback.fade) == (None, None)


def test_a_node_stands_still_or_is_later_while_the_others_go_on(robot: GuiTester) -> None:
    robot.pause(time=4.0)
    robot.select(BODY)
    bring_to_front(robot, "inspector")
    click(robot, "//inspector/node/##own", "//$FOCUSED/###frozen")
    assert played(robot).playback.own == {BODY: OwnTime(4.0)}
    robot.frames(2, is_seen=True)
    outline: Any = next(it for it in robot.app.shell._panels if it.id == "outline")
    assert "at frame 4" in outline._lines._value[BODY].item
    at_4 = position(robot, BODY)
    robot.pause(time=8.0)
    assert position(robot, BODY) == at_4
    robot.change(playback=played(robot).playback.with_own(BODY, OwnTime(-4.0, is_offset=True)))
    assert position(robot, BODY) == at_4, "four frames later than the others"
    robot.pause(time=9.0)
    assert position(robot, BODY) != at_4
    robot.run(lambda context: context.menu_click("//##MainMenuBar/playback/playback.all_follow"))
    assert not played(robot).playback.own


def test_the_camera_goes_along_with_the_selected_node(robot: GuiTester) -> None:
    robot.pause(time=2.0)
    robot.select(BODY)
    press(robot, int(imgui.Key.mod_shift) | int(imgui.Key.f))
    assert played(robot).followed == BODY
    before, place = np.array(played(robot).camera.target), np.array(position(robot, BODY))
    robot.pause(time=7.0)
    moved = np.array(position(robot, BODY)) - place
    assert np.abs(moved).max() > 1
    assert np.array(played(robot).camera.target) - before == pytest.approx(moved, abs=1e-4)
    press(robot, int(imgui.Key.mod_shift) | int(imgui.Key.f))
    target = played(robot).camera.target
    robot.pause(time=3.0)
    assert played(robot).camera.target == target


def test_all_channels_are_reset_above_their_values(robot: GuiTester) -> None:
    view = played(robot)
    robot.change(playback=view.playback.with_channel(0, 0.75))
    click(robot, "//timeline/**/###channels")
    click(robot, "//timeline/**/###reset_all")
    assert not played(robot).playback.channels
    assert not exists(robot, "//timeline/**/###reset_all")
