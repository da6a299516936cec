"""The dope sheet as a user works with it: keys chosen, moved, copied and removed; frames scrubbed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import ImVec2, imgui

from tests.builders import Key, ModelBuilder, Node, box
from tests.gui.conftest import crane as crane_model
from tests.gui.hand import click, drag, press
from tests.gui.harness import LEFT, RIGHT, Context, GuiTester, bring_to_front, enlarge, exists, write_model
from viewer.model.edit.nodes.set_key import AddKey
from viewer.session.play.keys.key_sheet import KeySheet, Mark
from viewer.ui.timeline import sheet_hints
from viewer.ui.timeline.dope_sheet import DopeSheetPanel
from viewer.ui.timeline.key_rows import FrameWindow, readable
from viewer.ui.widgets import shapes

pytestmark = pytest.mark.closed(*RIGHT, *LEFT)

MAST = 1
LAST = 20


@pytest.fixture
def sheet(crane: GuiTester) -> GuiTester:
    """The crane, whose mast has keys at 0, 10 and 20, with the sheet in front."""
    bring_to_front(crane, DopeSheetPanel.id)
    enlarge(crane, DopeSheetPanel.id)
    return crane


def panel(gui: GuiTester) -> Any:
    found: Any = next(it for it in gui.app.shell._panels if it.id == DopeSheetPanel.id)
    return found._sheets.of(gui.state.tabs)


def place(gui: GuiTester, frame: float, row: float = 0.5) -> ImVec2:
    """The point of the screen of a frame, at a height in rows."""
    found: list[Any] = []
    gui.run(lambda context: found.append(context.item_info("//dope_sheet/**/keys").rect_full))
    area = found[0]
    em = imgui.get_font_size()
    shown = FrameWindow(
        area.min.x + 0.6 * em, area.get_width() - 1.2 * em, *(panel(gui)._window or (0, LAST))
    )
    height = imgui.get_text_line_height() + imgui.get_style().item_spacing.y
    return ImVec2(float(shown.x_of(frame)), area.min.y + row * height)


def test_a_key_far_away_is_drawn_as_far_as_the_sheet_goes(
    sheet: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = crane_model()
    builder.keys["time"][3] = 3e38
    ends: list[float] = []

    def noting(painter: imgui.ImDrawList, left: Any, top: Any, right: Any, bottom: Any, color: int) -> None:
        ends.extend(right.tolist())
        shapes.add_rects(painter, left, top, np.minimum(right, 1e6), bottom, color)

    monkeypatch.setattr("viewer.ui.timeline.key_rows.add_rects", noting)
    sheet.open(write_model(archive.with_name("far.msh"), builder))
    sheet.pause(15.0)
    assert ends
    assert max(ends) <= sheet.window.size[0]


def test_keys_of_a_refused_edit_are_not_chosen_later(sheet: GuiTester) -> None:
    rows = panel(sheet)
    rows._marks = frozenset({Mark(MAST, 1)})
    drag(sheet, place(sheet, 10, 0.5), place(sheet, LAST, 0.5))
    assert times(sheet) == [0, 10, LAST]
    assert not sheet.state.message, "no dialog"
    assert rows._edits.refusal.startswith("mast: "), "a line at the place"
    sheet.commands.edits.edit(sheet.document.address, (AddKey("mast", 15.0),))
    sheet.frames(3)
    assert rows._marks == {Mark(MAST, 1)}


def test_no_name_of_a_clip_covers_another(sheet: GuiTester) -> None:
    em = imgui.get_font_size()
    shown = FrameWindow(0.0, 20 * em, 0.0, 20.0)
    names: dict[tuple[float, ...], list[str]] = {
        (12.0, 20.0): ["run"],
        (0.0, 20.0): ["walk"],
        (0.5, 18.0): ["turn"],
        (11.0, 11.1): ["hit"],
    }
    assert [words for _left, words in readable(names, shown)] == ["walk", "run"]


def times(gui: GuiTester) -> list[float]:
    keys = KeySheet(gui.document)
    found: list[float] = keys.times[keys.of(MAST)].tolist()
    return found


def test_a_key_is_chosen_and_dragged_as_one_step(sheet: GuiTester) -> None:
    drag(sheet, place(sheet, 10), place(sheet, 10))
    assert panel(sheet)._marks == {Mark(MAST, 1)}
    assert sheet.state.view.selection.node == MAST
    drag(sheet, place(sheet, 10), place(sheet, 13))
    sheet.until(lambda: times(sheet) == [0, 13, 20])
    sheet.frames(2)
    assert panel(sheet)._marks == {Mark(MAST, 1)}, "the same key is chosen where it is now"
    drag(sheet, place(sheet, 20), place(sheet, 20))
    drag(sheet, place(sheet, 20), place(sheet, 5))
    sheet.until(lambda: times(sheet) == [0, 5, 13])
    sheet.frames(2)
    assert sheet.state.view.selection.key == sheet.document.animation.track(MAST)[1], "in another row"
    press(sheet, int(imgui.Key.mod_ctrl) | int(imgui.Key.z), panel="dope_sheet")
    sheet.until(lambda: times(sheet) == [0, 13, 20])
    assert panel(sheet)._marks, "what is undone is chosen still"
    press(sheet, int(imgui.Key.mod_ctrl) | int(imgui.Key.z), panel="dope_sheet")
    sheet.until(lambda: times(sheet) == [0, 10, 20])


def test_a_drag_lists_what_it_will_do_and_escape_ends_it(
    sheet: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    drag(sheet, place(sheet, 10), place(sheet, 10))
    listed: list[str] = []
    monkeypatch.setattr(sheet_hints, "text", lambda words, *_ignored: listed.append(words))
    start, end = place(sheet, 10), place(sheet, 13)

    def script(context: Context) -> None:
        context.mouse_move_to_pos(start)
        context.mouse_down(0)
        context.mouse_move_to_pos(end)
        context.yield_(2)
        context.key_press(imgui.Key.escape)
        context.mouse_up(0)

    sheet.run(script)
    assert {"frames: +3", "move keys 1 of node mast to frames 13"} <= set(listed)
    assert times(sheet) == [0, 10, 20]
    assert not panel(sheet)._gesture


def test_keys_in_a_box_are_removed_but_for_the_first(sheet: GuiTester) -> None:
    drag(sheet, place(sheet, 9, 0.1), place(sheet, 19.5, 0.9))
    assert panel(sheet)._marks == {Mark(MAST, 1)}
    press(sheet, int(imgui.Key.mod_ctrl) | int(imgui.Key.a), panel="dope_sheet")
    assert panel(sheet)._marks == {Mark(MAST, 0), Mark(MAST, 1), Mark(MAST, 2)}
    press(sheet, int(imgui.Key.delete), panel="dope_sheet")
    sheet.until(lambda: times(sheet) == [0])


def test_keys_are_copied_to_the_cursor(sheet: GuiTester) -> None:
    sheet.pause(time=4.0)
    drag(sheet, place(sheet, 10), place(sheet, 10))
    ctrl = int(imgui.Key.mod_ctrl)
    press(sheet, ctrl | int(imgui.Key.c), ctrl | int(imgui.Key.v), panel="dope_sheet")
    sheet.until(lambda: times(sheet) == [0, 4, 10, 20])
    sheet.frames(2)
    assert panel(sheet)._marks == {Mark(MAST, 1)}


def test_alt_scales_about_the_cursor(sheet: GuiTester) -> None:
    sheet.pause(time=0.0)
    drag(sheet, place(sheet, 9, 0.1), place(sheet, 20, 0.9))
    drag(sheet, place(sheet, 20), place(sheet, 10), int(imgui.Key.mod_alt))
    sheet.until(lambda: times(sheet) == [0, 5, 10])


def test_a_button_lets_a_drag_scale_without_alt(sheet: GuiTester) -> None:
    sheet.pause(time=0.0)
    drag(sheet, place(sheet, 9, 0.1), place(sheet, 20, 0.9))
    click(sheet, "//dope_sheet/**/###scale")
    drag(sheet, place(sheet, 20), place(sheet, 10))
    sheet.until(lambda: times(sheet) == [0, 5, 10])


def test_the_frames_scrub_and_what_played_goes_on(sheet: GuiTester) -> None:
    start, end = place(sheet, 3, -1.5), place(sheet, 12, -1.5)
    drag(sheet, start, end)
    assert sheet.state.view.time == 12
    assert not sheet.state.view.is_playing
    sheet.change(is_playing=True)
    seen: list[bool] = []

    def script(context: Context) -> None:
        context.mouse_move_to_pos(start)
        context.mouse_down(0)
        context.yield_(2)
        seen.append(sheet.state.view.is_playing)
        context.mouse_up(0)

    sheet.run(script)
    assert seen == [False]
    assert sheet.state.view.is_playing


def test_the_wheel_brings_frames_closer_and_home_shows_all(sheet: GuiTester) -> None:
    point = place(sheet, 10, -1.5)

    def script(context: Context) -> None:
        context.mouse_move_to_pos(point)
        context.key_down(int(imgui.Key.mod_ctrl))
        context.mouse_wheel_y(3)
        context.key_up(int(imgui.Key.mod_ctrl))

    sheet.run(script)
    first, last = panel(sheet)._window
    assert first < 10 < last
    assert last - first == pytest.approx(LAST / 1.2**3, rel=0.01)
    click(sheet, "//dope_sheet/###fit")
    assert panel(sheet)._window is None


def test_a_node_without_keys_in_time_is_shown_on_wish(sheet: GuiTester) -> None:
    assert [row.key for row in panel(sheet)._nodes] == [MAST]
    click(sheet, "//dope_sheet/###moving")
    assert len(panel(sheet)._nodes) > 1


def test_a_model_of_no_frames_says_so(sheet: GuiTester, archive: Path) -> None:
    """Its keys are in sight all the same, after the only frame that it is read as."""
    builder = crane_model()
    builder.frame_count = 0
    sheet.open(write_model(archive.with_name("none.msh"), builder))
    sheet.frames(3)
    assert "0 frames are stated" in sheet_hints.why_no_time(sheet.document)
    assert panel(sheet)._end == LAST
    assert {it.rule for it in panel(sheet)._keys.problems[-1]} >= {"A06", "A08"}


def test_nodes_that_move_are_folded(sheet: GuiTester, archive: Path) -> None:
    """Above, a node that has another moving one below it, and one that has none: its child stands still."""
    moving = [Key(0), Key(20)]
    nodes = [
        Node("above", shapes={(0, 0): [box()]}, keys=moving),
        Node("below", parent=0, keys=moving),
        Node("alone", parent=1, keys=[Key(0)]),
    ]
    sheet.open(write_model(archive.with_name("folded.msh"), ModelBuilder.of(nodes)))
    sheet.frames(3)
    assert not exists(sheet, "//dope_sheet/**/###fold1")
    click(sheet, "//dope_sheet/**/###fold0")
    assert [row.key for row in panel(sheet)._nodes] == [0]
    click(sheet, "//dope_sheet/**/###fold0")
    assert [row.key for row in panel(sheet)._nodes] == [0, 1]


def test_a_node_selected_elsewhere_comes_into_sight(sheet: GuiTester, archive: Path) -> None:
    keys = [Key(0), Key(20)]
    nodes = [Node(f"n{number}", shapes={(0, 0): [box()]}, keys=keys) for number in range(60)]
    sheet.open(write_model(archive.with_name("many.msh"), ModelBuilder.of(nodes)))
    sheet.frames(3)
    assert not exists(sheet, "//dope_sheet/**/###node55")
    sheet.select(55)
    sheet.frames(3)
    assert exists(sheet, "//dope_sheet/**/###node55")
