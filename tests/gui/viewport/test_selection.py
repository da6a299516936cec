"""Choosing things: what a click, a link and a key of the timeline select, and what then comes forward."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.conftest import crane as crane_builder
from tests.gui.conftest import rock
from tests.gui.hand import click, click_row, press
from tests.gui.harness import AT_END, Context, GuiTester, Script, bring_to_front, exists, write_model
from viewer.model.store.place import Place
from viewer.session.selection import Selection
from viewer.session.view.camera import Side

BASE, MAST, ARM, HOOK = range(4)


@pytest.fixture
def above(crane: GuiTester) -> GuiTester:
    """The crane seen from above: the middle of the arm lies over the base."""
    crane.look_from(Side.TOP)
    crane.change(camera=replace(crane.state.view.camera, target=(1.0, 0.0, 3.0)))
    return crane


def go_to(gui: GuiTester, table: str, row: int) -> None:
    """Follow a link to a row."""
    gui.commands.opening.go_to(Place(gui.document.address, table, row))
    gui.settle()


def test_a_key_that_is_clicked_on_the_timeline_is_selected_and_explained(crane: GuiTester) -> None:
    crane.select(MAST)

    def script(context: Context) -> None:
        box = context.item_info("//timeline/scrub").rect_full
        context.mouse_move_to_pos(((box.min.x + box.max.x) / 2, box.max.y - 6))
        context.mouse_click()

    crane.run(script)
    key = crane.document.animation.track(MAST)[1]
    assert crane.state.view.selection == Selection((MAST,), key=key)
    assert crane.state.view.time == 10
    assert exists(crane, "//inspector/**/quaternion")


def test_the_keys_around_a_key_and_its_node_are_linked(crane: GuiTester) -> None:
    first, second, third = crane.document.animation.track(MAST)
    go_to(crane, "keys", second)
    assert crane.state.view.selection == Selection((MAST,), key=second)
    click(crane, f"//inspector/**/###after{third}")
    assert crane.state.view.selection.key == third
    click(crane, f"//inspector/**/###before{second}", f"//inspector/**/###before{first}")
    assert crane.state.view.selection.key == first
    click(crane, f"//inspector/**/1 mast###node{MAST}")
    assert crane.state.view.selection == Selection((MAST,))


def test_the_time_of_a_key_is_shown(crane: GuiTester) -> None:
    go_to(crane, "keys", crane.document.animation.track(MAST)[2])
    click(crane, "//inspector/**/###seek_key")
    assert crane.state.view.time == 20


def test_a_vertex_is_explained_with_all_its_streams_and_marked_in_the_viewport(crane: GuiTester) -> None:
    crane.select(BASE)
    before = crane.picture()
    go_to(crane, "vertices", 0)
    assert crane.state.view.selection.vertex == 0
    for field in ("position", "normal", "uv", "value"):
        assert exists(crane, f"//inspector/**/{field}")
    marked = crane.picture()
    crane.change(selection=Selection((BASE,), slot=0, batch=0))
    assert (marked != crane.picture()).any()
    assert (before != marked).any()


def test_the_corners_of_a_triangle_lead_to_its_vertices(crane: GuiTester) -> None:
    go_to(crane, "tri_descriptors", 3)
    triangle = crane.state.view.selection
    corner = int(crane.document.draws.corners[crane.document.draws.descriptor == 3][0][1])
    click(crane, f"//inspector/**/###corners{corner}")
    selection = crane.state.view.selection
    assert (selection.vertex, selection.triangle) == (corner, triangle.triangle)


def test_the_material_of_a_batch_is_linked_by_name_into_the_materials(crane: GuiTester) -> None:
    go_to(crane, "batches", 2)
    assert exists(crane, "//inspector/**/1 STEEL###follow_material")
    click(crane, "//inspector/**/###follow_material")
    crane.settle()
    material = int(crane.document.materials.of_batch[2])
    assert crane.state.reveal == Place(crane.document.address, "materials", material)
    assert exists(crane, "//materials/**/###details")


ALT_LEFT, ALT_RIGHT = (
    int(imgui.Key.mod_alt) | int(key) for key in (imgui.Key.left_arrow, imgui.Key.right_arrow)
)


def test_alt_left_and_right_go_back_and_forward(crane: GuiTester) -> None:
    crane.select(MAST)
    go_to(crane, "batches", 2)
    batch = crane.state.view.selection
    crane.select(HOOK)
    press(crane, ALT_LEFT)
    assert crane.state.view.selection == batch
    press(crane, ALT_LEFT)
    assert crane.state.view.selection == Selection((MAST,))
    press(crane, ALT_RIGHT)
    press(crane, ALT_RIGHT)
    assert crane.state.view.selection == Selection((HOOK,))


def test_the_extra_buttons_of_the_mouse_go_back_and_forward(crane: GuiTester) -> None:
    crane.select(MAST)
    crane.select(ARM)

    def press_button(button: int) -> None:
        io = imgui.get_io()
        io.add_mouse_button_event(button, True)
        crane.settle()
        io.add_mouse_button_event(button, False)
        crane.settle()

    press_button(3)
    assert crane.state.view.selection == Selection((MAST,))
    press_button(4)
    assert crane.state.view.selection == Selection((ARM,))


def test_back_is_in_the_menu_and_greyed_if_there_is_nothing(crane: GuiTester) -> None:
    crane.select(MAST)
    crane.select(ARM)
    crane.run(lambda context: context.menu_click("//##MainMenuBar/go/select.back"))
    assert crane.state.view.selection == Selection((MAST,))
    crane.run(lambda context: context.menu_click("//##MainMenuBar/go/select.forward"))
    assert crane.state.view.selection == Selection((ARM,))
    assert crane.state.history.can_step(-1)
    assert not crane.state.history.can_step(1)


def test_back_leads_to_a_row_that_was_shown_in_the_tables(crane: GuiTester) -> None:
    go_to(crane, "indices", 2)
    go_to(crane, "nodes", ARM)
    bring_to_front(crane, "timeline")
    press(crane, ALT_LEFT)
    crane.settle()
    assert exists(crane, "//tables/**/index")
    assert crane.state.reveal == Place(crane.document.address, "indices", 2)


def test_another_document_has_a_history_of_its_own(crane: GuiTester, archive: Path) -> None:
    crane.select(MAST)
    crane.select(ARM)
    crane.open(f"{archive}::rock.msh")
    assert not crane.state.history.can_step(-1)
    crane.open(f"{archive}::crane.msh")
    assert crane.state.view.selection == Selection((ARM,)), "as it was left"
    press(crane, ALT_LEFT)
    assert crane.state.view.selection == Selection((MAST,))


def test_a_row_that_is_gone_after_reloading_is_not_selected_by_going_back(
    gui: GuiTester, tmp_path: Path
) -> None:
    path = write_model(tmp_path / "crane.msh", crane_builder())
    gui.open(path)
    gui.select(HOOK)
    gui.select(BASE)
    write_model(path, rock())
    gui.commands.opening.reload()
    gui.until(lambda: not gui.app.jobs.is_busy and gui.document.model.node_count == 1)
    press(gui, ALT_LEFT)
    assert gui.state.view.selection == Selection()


def in_viewport(gui: GuiTester, script: Script) -> None:
    """Move the mouse onto the middle of the viewport and go on from there."""

    def run(context: Context) -> None:
        context.mouse_move("//viewport/viewport")
        script(context)

    gui.run(run)


def open_menu(context: Context, item: str) -> None:
    """Click the right button, then an item of the menu if one is named."""
    context.mouse_click(1)
    context.yield_(2)
    if item:
        context.item_click(f"//$FOCUSED/###{item}")


def test_a_right_click_acts_on_what_is_under_the_cursor(above: GuiTester) -> None:
    above.select(HOOK)
    in_viewport(above, lambda context: open_menu(context, "hide"))
    assert above.state.view.selection.node == ARM
    assert above.state.view.hidden == {ARM}


def test_a_right_click_on_another_part_of_the_selected_node_selects_that(above: GuiTester) -> None:
    above.select(ARM)
    in_viewport(above, lambda context: open_menu(context, ""))
    assert above.state.view.selection.batch is not None


def test_a_right_click_on_one_of_several_selected_nodes_keeps_them(above: GuiTester) -> None:
    above.select(MAST, ARM, BASE)
    in_viewport(above, lambda context: open_menu(context, "hide"))
    assert above.state.view.selection == Selection((MAST, ARM, BASE))
    assert above.state.view.hidden == {MAST, ARM, BASE}


def test_a_right_click_keeps_what_was_just_selected_there_beneath_something_else(above: GuiTester) -> None:
    for _ in range(2):
        in_viewport(above, lambda context: context.mouse_click(0))
        above.wait(1)
    assert above.state.view.selection.node == BASE
    in_viewport(above, lambda context: open_menu(context, "hide"))
    assert above.state.view.hidden == {BASE}


def test_the_menu_of_the_viewport_selects_the_nearest_vertex(above: GuiTester) -> None:
    in_viewport(above, lambda context: open_menu(context, "select_vertex"))
    above.settle()
    selection = above.state.view.selection
    assert selection.node == ARM
    assert selection.triangle is not None
    corners = above.document.draws.corners[above.document.draws.triangle == selection.triangle][0]
    assert selection.vertex in corners


def test_a_right_click_beside_the_model_offers_nothing_about_the_selection(above: GuiTester) -> None:
    above.select(HOOK)

    def script(context: Context) -> None:
        area = above.app.viewport.area
        context.mouse_move_to_pos((area.left + 8, area.top + area.height - 60))
        open_menu(context, "")
        found.extend(context.item_exists(f"//$FOCUSED/###{item}") for item in ("hide", "show_all"))

    found: list[bool] = []
    above.run(script)
    assert found == [False, True]


def test_a_double_click_frames_what_was_selected_and_not_what_lies_beneath(above: GuiTester) -> None:
    in_viewport(above, lambda context: context.mouse_click(0))
    first = above.state.view.selection
    above.wait(1)
    in_viewport(above, lambda context: context.mouse_double_click(0))
    assert above.state.view.selection == first
    assert first.node is not None
    camera = above.state.view.camera
    above.commands.camera.frame_selection()
    assert above.state.view.camera == camera


def test_a_slow_second_click_still_selects_what_lies_beneath(above: GuiTester) -> None:
    in_viewport(above, lambda context: context.mouse_click(0))
    first = above.state.view.selection.node
    above.wait(1)
    in_viewport(above, lambda context: context.mouse_click(0))
    assert above.state.view.selection.node not in (None, first)


def right_click(gui: GuiTester, row: str, item: str) -> str:
    """Click a row with the right button, then an item of its menu if one is named; return the clipboard."""

    def script(context: Context) -> None:
        context.mouse_move(row, AT_END)
        open_menu(context, item)
        context.yield_(3)
        copied.append(imgui.get_clipboard_text())

    copied: list[str] = []
    gui.run(script)
    return copied[0]


def test_a_right_click_in_the_outline_selects_the_row_first(crane: GuiTester) -> None:
    crane.select(BASE)
    right_click(crane, "//outline/**/###node2", "hide")
    assert crane.state.view.selection == Selection((ARM,))
    assert crane.state.view.hidden == {ARM, HOOK}


def test_a_right_click_on_one_of_several_rows_of_the_outline_acts_on_all(crane: GuiTester) -> None:
    crane.select(MAST, HOOK)
    assert right_click(crane, "//outline/**/###node3", "copy_names") == "mast\nhook"
    assert crane.state.view.selection.nodes == (MAST, HOOK)


def test_a_right_click_in_the_browser_marks_the_row_and_opens_nothing(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks: dict[str, bool] = {}
    seen: dict[str, bool] = {}
    selectable = imgui.selectable

    def recording(label: str, is_selected: bool, *rest: Any) -> Any:
        marks[label.rpartition("###")[2]] = is_selected
        return selectable(label, is_selected, *rest)

    def script(context: Context) -> None:
        context.mouse_move("//browser/**/###entry3")
        open_menu(context, "")
        context.yield_(2)
        seen.update(marks)

    monkeypatch.setattr(imgui, "selectable", recording)
    before = crane.document
    crane.run(script)
    assert (seen["entry2"], seen["entry3"]) == (False, True)
    assert crane.document is before


def test_a_right_click_on_a_problem_marks_it_and_offers_to_go_there(gui: GuiTester, tmp_path: Path) -> None:
    broken = crane_builder()
    broken.nodes["parent"][ARM] = 99
    gui.open(write_model(tmp_path / "broken.msh", broken))
    bring_to_front(gui, "problems")
    right_click(gui, "//problems/**/###problem0", "")
    assert not gui.state.view.selection.nodes
    right_click(gui, "//problems/**/###problem0", "go_to")
    assert gui.state.view.selection.node == ARM


def is_in_front(gui: GuiTester, panel: str) -> bool:
    """Tell whether a panel is not hidden by another tab."""
    window = imgui.internal.find_window_by_name(panel)
    return not window.hidden


def test_choosing_something_brings_the_inspector_forward(crane: GuiTester) -> None:
    bring_to_front(crane, "materials")
    assert not is_in_front(crane, "inspector")
    click_row(crane, "//outline/**/###node2")
    crane.settle()
    assert is_in_front(crane, "inspector")
    bring_to_front(crane, "materials")
    crane.look_from(Side.TOP)
    in_viewport(crane, lambda context: context.mouse_click(0))
    crane.settle()
    assert is_in_front(crane, "inspector")


def test_a_choice_in_the_materials_leaves_them_in_front(crane: GuiTester) -> None:
    bring_to_front(crane, "materials")
    click(crane, "//materials/**/###details")
    batch = int(crane.document.materials.batches(0)[0])
    click(crane, f"//materials/**/###batch{batch}")
    crane.settle()
    assert crane.state.view.selection.batch == batch
    assert is_in_front(crane, "materials")


def test_the_keyboard_stays_where_the_choice_was_made(crane: GuiTester) -> None:
    bring_to_front(crane, "materials")

    def script(context: Context) -> None:
        context.item_click("//outline/**/###node0")
        context.yield_(3)
        context.key_press(imgui.Key.down_arrow)

    crane.run(script)
    assert crane.state.view.selection == Selection((MAST,))


def test_a_closed_inspector_stays_closed(crane: GuiTester) -> None:
    crane.run(lambda context: context.menu_click("//##MainMenuBar/window/inspector"))
    click_row(crane, "//outline/**/###node2")
    crane.settle()
    assert "inspector" in crane.app.shell.closed_panels
