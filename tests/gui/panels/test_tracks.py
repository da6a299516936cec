"""Tracks of the nodes under the axes, and the ruler of the dope sheet while a clip is chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import ImVec2, imgui

from tests.gui.hand import click, drag
from tests.gui.harness import Context, GuiTester, bring_to_front, enlarge, exists
from tests.model.controllers import State, build, game, model
from viewer.formats.neighbors import control
from viewer.session.play.playing import play_clip
from viewer.session.selection import Selection
from viewer.ui.timeline.key_rows import KeyRows

pytestmark = pytest.mark.closed("browser", "inspector")

BODY, TURRET, LAST = 0, 1, 10
STAND, WALK, TURN = range(3)


@pytest.fixture
def robot(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """A body and a turret with keys at 0 and 10, which walk in frames 2 to 6 and turn in 8 to 10."""
    states = [State((1, 1)), State((2, 6), milliseconds=500), State((8, 10))]
    entries = {"robot.msh": model(), "robot.ctl": control.encode(build(states))}
    folder = game(tmp_path / "game", {"robots.rlb": entries}, None)
    gui.open(f"{folder / 'robots.rlb'}::robot.msh")
    gui.state.view = play_clip(gui.state.view, WALK)
    gui.pause()
    return gui


@pytest.fixture
def sheet(robot: GuiTester) -> GuiTester:
    """The robot with the dope sheet in front."""
    bring_to_front(robot, "dope_sheet")
    enlarge(robot, "dope_sheet")
    return robot


def on_ruler(gui: GuiTester, frame: float, *, is_on_clips: bool = False) -> ImVec2:
    """The point of a frame on the ruler of the dope sheet."""
    found: list[Any] = []
    gui.run(lambda context: found.append(context.item_info("//dope_sheet/frames").rect_full))
    box, em = found[0], imgui.get_font_size()
    width = box.get_width() - imgui.get_style().scrollbar_size - 1.2 * em
    x = box.min.x + 0.6 * em + frame / LAST * width
    return ImVec2(x, box.max.y - 4 if is_on_clips else box.min.y + 4)


def played(gui: GuiTester) -> tuple[object, float]:
    """The clip that is played, and the frame of the model that its first pair or the strip is at."""
    view = gui.state.view
    if view.playback.clip is None:
        return None, round(view.time, 3)
    clip = gui.document.controller.clips[view.playback.clip]
    share = view.playback.seconds / clip.length
    return clip.index, round(clip.frames_a[0] + share * (clip.frames_a[1] - clip.frames_a[0]), 3)


def test_the_ruler_scrubs_the_clip_within_its_frames(sheet: GuiTester) -> None:
    drag(sheet, on_ruler(sheet, 3), on_ruler(sheet, 5))
    assert played(sheet) == (WALK, 5)
    drag(sheet, on_ruler(sheet, 3), on_ruler(sheet, 9))
    assert played(sheet) == (WALK, 6), "at its end"


def test_a_click_on_the_bar_of_another_clip_plays_that(sheet: GuiTester) -> None:
    point = on_ruler(sheet, 9, is_on_clips=True)
    drag(sheet, point, point)
    assert played(sheet) == (TURN, 9)
    assert not sheet.state.view.is_playing


def test_a_click_where_the_clip_is_not_shows_that_frame_of_all(sheet: GuiTester) -> None:
    point = on_ruler(sheet, 9)
    drag(sheet, point, point)
    assert played(sheet) == (None, 9)


def test_the_ruler_says_what_a_click_does(sheet: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "viewer.ui.timeline.sheet_header.tooltip", lambda words, **_ignored: said.append(words)
    )
    places = [on_ruler(sheet, 4), on_ruler(sheet, 9), on_ruler(sheet, 9, is_on_clips=True)]
    found = []

    def script(context: Context) -> None:
        for place in places:
            context.mouse_move_to_pos(place)
            context.yield_(2)
            found.append(said[-1])

    sheet.run(script)
    assert found[0] == "Drag to scrub; Shift: between frames"
    assert found[1].startswith("Click: this frame in all frames")
    assert found[2].startswith("Click: play ")


def test_a_typed_frame_is_reached_wherever_it_is(robot: GuiTester) -> None:
    bring_to_front(robot, "timeline")

    def typed(words: str) -> tuple[object, float]:
        def script(context: Context) -> None:
            context.item_click("//timeline/**/###time")
            context.key_chars_replace(words)
            context.key_press(int(imgui.Key.enter))

        robot.run(script)
        robot.frames(2)
        return played(robot)

    assert typed("4 f") == (WALK, 4)
    assert typed("9 f") == (None, 9)


@pytest.fixture
def rows(robot: GuiTester, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The nodes whose tracks the timeline painted last."""
    painted: list[tuple[int, ...]] = []
    paint = KeyRows.paint

    def noting(rows: KeyRows, marks: Any) -> None:
        painted.append(tuple(rows._nodes))
        paint(rows, marks)

    monkeypatch.setattr(KeyRows, "paint", noting)
    bring_to_front(robot, "timeline")
    enlarge(robot, "timeline")
    return painted


@pytest.mark.parametrize("clip", [WALK, None])
def test_the_timeline_has_a_track_of_each_node_that_is_selected_or_moves(
    robot: GuiTester, rows: list[tuple[int, ...]], clip: int | None
) -> None:
    if clip is None:
        click(robot, "//timeline/**/###strip")
        robot.pause()
    robot.change(is_playing=True)
    robot.frames(3)
    seen = [rows[-1]]
    robot.select(TURRET)
    robot.frames(2)
    seen.append(rows[-1])
    assert seen == [(BODY, TURRET), (TURRET,)]
    robot.change(selection=Selection())
    click(robot, f"//timeline/**/###track{BODY}")
    assert robot.state.view.selection.nodes == (BODY,)


def test_a_low_timeline_has_no_tracks(robot: GuiTester) -> None:
    bring_to_front(robot, "timeline")
    assert not exists(robot, "//timeline/**/###track0")
    enlarge(robot, "timeline")
    assert exists(robot, "//timeline/**/###track0")


def test_the_strip_below_a_clip_scrubs_to_its_frames(robot: GuiTester) -> None:
    bring_to_front(robot, "timeline")
    enlarge(robot, "timeline")
    found: list[Any] = []
    robot.run(lambda context: found.append(context.item_info("//timeline/scrub_strip").rect_full))
    box, em = found[0], imgui.get_font_size()
    x = box.min.x + 0.8 * em + 0.5 * (box.get_width() - 1.6 * em)
    point = ImVec2(x, box.max.y - 3)
    drag(robot, point, point)
    assert played(robot) == (WALK, 5)


@pytest.mark.parametrize("was_playing", [False, True])
def test_space_while_scrubbing_says_whether_it_plays_on(sheet: GuiTester, was_playing: bool) -> None:
    sheet.change(is_playing=was_playing)
    start = on_ruler(sheet, 3)

    def script(context: Context) -> None:
        context.mouse_move_to_pos(start)
        context.mouse_down(0)
        context.yield_(2)
        context.key_press(int(imgui.Key.space))
        context.yield_(2)
        assert not sheet.state.view.is_playing, "it waits while it is dragged"
        context.mouse_up(0)

    sheet.run(script)
    assert sheet.state.view.is_playing is not was_playing
