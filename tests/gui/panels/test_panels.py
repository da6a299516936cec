"""The panels as somebody uses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.builders import ModelBuilder, Node, archive_of, quad
from tests.gui.conftest import crane as crane_builder
from tests.gui.conftest import rock
from tests.gui.hand import click, drag, press
from tests.gui.harness import AT_END, Context, GuiTester, bring_to_front, exists, write_model
from viewer.control.settings import settings_file
from viewer.control.settings.settings import Settings
from viewer.model.mesh.reading import FIELD
from viewer.model.mesh.shown import CellRule
from viewer.model.store.address import Address
from viewer.session.program import CLOSED_AT_FIRST
from viewer.session.selection import Selection
from viewer.session.view.camera import Side
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import Loop

BASE, MAST, ARM, HOOK = range(4)


def test_the_eye_hides_a_part_with_what_hangs_on_it(crane: GuiTester) -> None:
    click(crane, "//outline/**/###eye2")
    assert crane.state.view.hidden == {ARM, HOOK}
    assert crane.state.statistics.triangles == 24
    click(crane, "//outline/**/###eye2")
    assert crane.state.view.hidden == frozenset()


def test_isolate_leaves_the_branch_alone_and_brings_the_rest_back(crane: GuiTester) -> None:
    click(crane, "//outline/**/###isolate1")
    assert crane.state.view.isolated == frozenset({MAST, ARM, HOOK})
    assert crane.state.statistics.triangles == 24
    click(crane, "//outline/**/###isolate1")
    assert crane.state.view.isolated is None


def test_hiding_everything_offers_to_show_it_again(crane: GuiTester) -> None:
    click(crane, "//outline/**/###eye0")
    assert crane.state.statistics.triangles == 0
    click(crane, "//##message/###accept")
    assert crane.state.statistics.triangles == 36


def test_a_row_of_the_outline_selects_the_node_in_the_viewport(crane: GuiTester) -> None:
    click(crane, "//outline/**/###node1")
    assert crane.state.view.selection == Selection((MAST,))


def test_control_click_selects_more_rows(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        context.item_click("//outline/**/###node1")
        context.key_down(imgui.Key.mod_ctrl)
        context.item_click("//outline/**/###node2", imgui.MouseButton_.left, AT_END)
        context.key_up(imgui.Key.mod_ctrl)

    crane.run(script)
    assert crane.state.view.selection.nodes == (MAST, ARM)


def test_selecting_in_the_viewport_opens_the_closed_branch(crane: GuiTester) -> None:
    click(crane, "//outline/**/###fold1")
    assert not exists(crane, "//outline/**/###node3")
    crane.select(HOOK)
    assert exists(crane, "//outline/**/###node3")


def test_selecting_elsewhere_scrolls_the_outline_to_the_node(gui: GuiTester, tmp_path: Path) -> None:
    builder = ModelBuilder.of([Node(f"part{n}", shapes={(0, 0): [quad()]}) for n in range(300)])
    gui.open(write_model(tmp_path / "many.msh", builder))
    assert not exists(gui, "//outline/**/###node250")
    gui.select(250)
    gui.settle()
    assert exists(gui, "//outline/**/###node250")
    assert not exists(gui, "//outline/**/###node1")


def test_the_filter_of_the_outline_keeps_matches_and_their_parents(crane: GuiTester) -> None:
    crane.run(lambda context: context.item_input_value("//outline/##outline_filter", "ar*"))
    assert exists(crane, "//outline/**/###node2")
    assert exists(crane, "//outline/**/###node0")
    assert not exists(crane, "//outline/**/###node3")


def test_a_click_in_the_browser_opens_a_model_in_place(crane: GuiTester, archive: Path) -> None:
    click(crane, "//browser/**/###entry3")
    crane.until(lambda: str(crane.document.address) == f"{archive}::rock.msh")


def test_the_tables_of_a_model_are_listed_and_shown(gui: GuiTester, tmp_path: Path) -> None:
    path = write_model(tmp_path / "alone.msh", crane_builder())
    gui.open(path)
    gui.until(lambda: Address(path) in gui.state.browser.children)
    rows = [row.kind for row in gui.state.browser.children[Address(path)]]
    gui.settle()
    click(gui, f"//browser/**/###entry{1 + rows.index('batches')}")
    gui.settle()
    assert exists(gui, "//tables/**/wear_row")
    assert str(gui.document.address) == str(path)


def test_an_entry_that_is_no_model_takes_the_middle(crane: GuiTester) -> None:
    click(crane, "//browser/**/###entry2")
    crane.until(lambda: crane.state.resource is not None)
    assert crane.state.document is None
    assert crane.state.message == ""


def test_a_nested_archive_opens_and_shows_its_models(gui: GuiTester, tmp_path: Path) -> None:
    inner = archive_of({"rock.msh": rock().build()})
    path = tmp_path / "outer.rlb"
    path.write_bytes(archive_of({"crane.msh": crane_builder().build(), "inner.rlb": inner}))
    gui.open(path)
    click(gui, "//browser/**/###fold2")
    gui.until(lambda: Address(path, ("inner.rlb",)) in gui.state.browser.children)
    gui.settle()
    click(gui, "//browser/**/###entry3")
    gui.until(lambda: str(gui.document.address) == f"{path}::inner.rlb::rock.msh")


def test_down_in_the_browser_shows_the_next_model_with_the_camera_kept(
    crane: GuiTester, archive: Path
) -> None:
    crane.look_from(Side.BACK)
    camera = crane.state.view.camera

    def script(context: Context) -> None:
        context.item_click("//browser/**/###entry1")
        context.key_press(imgui.Key.down_arrow)

    crane.run(script)
    crane.until(lambda: str(crane.document.address) == f"{archive}::rock.msh")
    assert crane.state.view.camera.yaw == camera.yaw
    assert crane.state.view.time == 0


def test_the_filter_of_the_browser_takes_wildcards(crane: GuiTester) -> None:
    crane.run(lambda context: context.item_input_value("//browser/##browser_filter", "*.wea"))
    crane.until(lambda: not exists(crane, "//browser/**/###entry2"))
    crane.until(lambda: exists(crane, "//browser/**/###entry1"))


def test_the_toolbar_chooses_lod_and_group(crane: GuiTester) -> None:
    """In the game's way: the mast has one LOD, and only the hook has a group 1."""
    click(crane, "//##toolbar/###lod1")
    assert (crane.state.view.lod, crane.state.statistics.triangles) == (1, 36)
    click(crane, "//##toolbar/###lod0", "//##toolbar/###group1")
    assert (crane.state.view.group, crane.state.statistics.triangles) == (1, 48)


def test_an_empty_cell_is_chosen_all_the_same_and_says_so(crane: GuiTester) -> None:
    crane.change(drawn=DrawnParts(CellRule.EXACT))
    click(crane, "//##toolbar/###group3")
    assert crane.state.view.group == 3
    assert crane.state.statistics.triangles == 0
    assert exists(crane, "//##message/###accept")


def test_the_toolbar_switches_overlays_and_shading(crane: GuiTester) -> None:
    click(crane, "//##toolbar/###grid")
    assert Overlay.GRID not in crane.state.view.overlays
    click(crane, "//##toolbar/##shading", "//$FOCUSED/node")
    assert crane.state.view.shading is Shading.NODE


def test_menus_do_what_they_say(crane: GuiTester) -> None:
    crane.run(lambda context: context.menu_click("//##MainMenuBar/view/view.overlays/view.overlay.bones"))
    assert Overlay.BONES in crane.state.view.overlays
    crane.run(lambda context: context.menu_click("//##MainMenuBar/view/view.camera/view.orthographic"))
    assert crane.state.view.camera.is_orthographic


def test_lod_and_group_are_in_the_menu_too(crane: GuiTester) -> None:
    crane.run(lambda context: context.menu_click("//##MainMenuBar/view/view.cell/view.lod1"))
    assert crane.state.statistics.triangles == 36
    crane.run(lambda context: context.menu_click("//##MainMenuBar/view/view.cell/view.group1"))
    assert (crane.state.view.lod, crane.state.view.group) == (1, 1)


def test_the_timeline_steps_and_goes_to_the_ends(crane: GuiTester) -> None:
    click(crane, "//timeline/###on", "//timeline/###on")
    assert crane.state.view.time == 2
    click(crane, "//timeline/###back")
    assert crane.state.view.time == 1
    click(crane, "//timeline/###last")
    assert crane.state.view.time == 20
    click(crane, "//timeline/###first")
    assert crane.state.view.time == 0


def test_dragging_over_the_timeline_scrubs_over_whole_frames(crane: GuiTester) -> None:
    drag(crane, "//timeline/scrub", by=(60, 0))
    view = crane.state.view
    assert not view.is_playing
    assert 10 < view.time <= 20
    assert view.time == int(view.time)
    assert crane.state.pose is not None
    assert crane.state.pose.time == view.time


def test_play_goes_on_and_stops(crane: GuiTester) -> None:
    click(crane, "//timeline/###play")
    assert crane.state.view.is_playing
    click(crane, "//timeline/###play")
    assert not crane.state.view.is_playing


def test_keys_of_the_selected_node_can_be_stepped_through(crane: GuiTester) -> None:
    crane.select(MAST)
    click(crane, "//timeline/###next_key")
    assert crane.state.view.time == 10
    press(crane, imgui.Key.k)
    assert crane.state.view.time == 20
    press(crane, imgui.Key.j)
    assert crane.state.view.time == 10


def test_the_loop_mode_goes_round(crane: GuiTester) -> None:
    for expected in (Loop.ONCE, Loop.PING_PONG, Loop.LOOP):
        click(crane, "//timeline/###loop")
        assert crane.state.view.loop is expected


def test_the_inspector_links_to_the_parent_and_to_a_slot(crane: GuiTester) -> None:
    crane.select(ARM)
    assert exists(crane, "//inspector/**/1 mast###follow_parent")
    click(crane, "//inspector/**/###follow_parent")
    assert crane.state.view.selection.node == MAST
    crane.select(ARM)
    slot = int(crane.document.model.nodes["slots"][ARM, 1, 0])
    click(crane, f"//inspector/**/{slot}##cell10")
    assert crane.state.view.selection == Selection((ARM,), slot=slot)
    assert crane.state.view.lod == 1


def test_a_node_with_and_one_without_a_label_are_inspected(gui: GuiTester, tmp_path: Path) -> None:
    labelled = ModelBuilder.of([Node("hull"), Node("Base_TM", 0)], FIELD)
    labelled.names[1] = b"e_tur_bt"
    gui.open(write_model(tmp_path / "labelled.msh", labelled))
    assert (gui.document.names, gui.document.socket_tags) == (("hull", "Base_TM"), ("", "e_tur_bt"))
    for node in (0, 1):
        gui.select(node)
        assert exists(gui, "//inspector/**/flags")


def test_one_node_shows_another_cell_until_it_follows_the_rest(crane: GuiTester) -> None:
    crane.select(ARM)
    slot = int(crane.document.model.nodes["slots"][ARM, 1, 0])

    def script(context: Context) -> None:
        context.key_down(imgui.Key.mod_shift)
        context.item_click(f"//inspector/**/{slot}##cell10")
        context.key_up(imgui.Key.mod_shift)

    crane.run(script)
    assert dict(crane.state.view.overrides) == {ARM: (1, 0)}
    assert crane.state.view.lod == 0
    click(crane, "//inspector/**/###clear_override")
    assert dict(crane.state.view.overrides) == {}


def test_a_value_is_copied_from_its_menu(crane: GuiTester) -> None:
    crane.select(ARM)

    def script(context: Context) -> None:
        context.mouse_move("//inspector/**/flags")
        context.mouse_click(1)
        context.item_click("//$FOCUSED/###copy")
        copied.append(imgui.get_clipboard_text())

    copied: list[str] = []
    crane.run(script)
    assert copied == ["flags"]


def test_a_word_of_the_frame_map_is_shown_in_the_tables(crane: GuiTester) -> None:
    crane.select(MAST)
    word = int(crane.document.model.nodes["map_start"][MAST])
    click(crane, "//inspector/**/###follow_map_start")
    crane.settle()
    assert exists(crane, f"//tables/**/###row{word}")
    assert exists(crane, "//tables/##table")


def test_a_row_of_a_table_is_selected(crane: GuiTester) -> None:
    bring_to_front(crane, "tables")
    click(crane, "//tables/##table", "//$FOCUSED/###batches")

    def script(context: Context) -> None:
        corner = context.item_info("//tables/**/###row1").rect_full.min
        context.mouse_move_to_pos((corner.x + 6, corner.y + 8))
        context.mouse_click()

    crane.run(script)
    assert crane.state.view.selection.batch == 1
    assert crane.state.view.selection.node == BASE


def test_choosing_a_reading_reads_again(crane: GuiTester) -> None:
    before = crane.document
    click(crane, "//##status/###reading")
    crane.settle()
    click(crane, "//readings/##reading", "//$FOCUSED/###field")
    crane.until(lambda: crane.document is not before)
    assert crane.document.choice.requested == "field"


def test_a_problem_leads_to_its_row(gui: GuiTester, tmp_path: Path) -> None:
    broken = crane_builder()
    broken.nodes["parent"][ARM] = 99
    gui.open(write_model(tmp_path / "broken.msh", broken))
    assert len(gui.document.diagnostics) > 0
    bring_to_front(gui, "problems")
    click(gui, "//problems/**/###problem0")
    assert gui.state.view.selection.node == ARM


def test_the_status_bar_leads_to_the_problems_and_to_the_readings(gui: GuiTester, tmp_path: Path) -> None:
    broken = crane_builder()
    broken.nodes["parent"][ARM] = 99
    gui.open(write_model(tmp_path / "broken.msh", broken))
    click(gui, "//##status/###problems_error")
    gui.settle()
    assert exists(gui, "//problems/**/###problem0")
    click(gui, "//##status/###reading")
    gui.settle()
    assert exists(gui, "//readings/##reading")


def test_the_list_of_keys_is_searched(crane: GuiTester) -> None:
    def search(context: Context) -> None:
        context.key_press(imgui.Key.f1)
        context.yield_(2)
        context.key_chars("grid")

    crane.run(search)
    assert Overlay.GRID in crane.state.view.overlays
    assert not exists(crane, "//keys/**/###view.overlay.bones")
    click(crane, "//keys/**/###view.overlay.grid")
    assert Overlay.GRID not in crane.state.view.overlays
    assert not exists(crane, "//keys/##key_filter")


def test_enter_does_the_first_thing_found(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        context.key_press(int(imgui.Key.mod_ctrl) | int(imgui.Key.p))
        context.yield_(2)
        context.key_chars("wirefr")
        context.key_press(imgui.Key.enter)

    crane.run(script)
    assert crane.state.view.shading is Shading.WIREFRAME


def test_the_palette_says_when_nothing_matches(crane: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("viewer.ui.windows.help_windows.empty", said.append)

    def script(context: Context) -> None:
        context.key_press(int(imgui.Key.mod_ctrl) | int(imgui.Key.p))
        context.yield_(2)
        context.key_chars("qwxyz")
        context.yield_(2)

    crane.run(script)
    assert said[-1] == "No action, key or mouse gesture has these words."


def test_the_cell_menu_shows_a_cell(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        context.key_press(imgui.Key.l)
        context.yield_(2)
        context.item_click("//$FOCUSED/##matrix/###cell01")

    crane.run(script)
    assert (crane.state.view.lod, crane.state.view.group) == (0, 1)


def test_find_puts_the_cursor_into_the_filter_even_of_a_closed_outline(crane: GuiTester) -> None:
    crane.run(lambda context: context.menu_click("//##MainMenuBar/window/outline"))

    def script(context: Context) -> None:
        context.key_press(int(imgui.Key.mod_ctrl) | int(imgui.Key.f))
        context.yield_(2)
        context.key_chars("hook")

    crane.run(script)
    assert exists(crane, "//outline/**/###node3")
    assert not exists(crane, "//outline/**/###fold9")


def test_arrows_go_through_the_outline_while_it_has_the_focus(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        context.item_click("//outline/**/###node0")
        context.key_press(imgui.Key.down_arrow)
        context.key_press(imgui.Key.down_arrow)

    crane.run(script)
    assert crane.state.view.selection.nodes == (ARM,)
    assert crane.state.view.time == 0


def test_the_first_hint_goes_away_for_good(gui: GuiTester, archive: Path) -> None:
    gui.state.settings = Settings()
    gui.open(archive)
    click(gui, "//##hint/###dismiss_hint")
    assert gui.state.settings.has_seen_hint
    assert not exists(gui, "//##hint/###dismiss_hint")


def test_closed_panels_are_remembered(crane: GuiTester, tmp_path: Path) -> None:
    crane.run(lambda context: context.menu_click("//##MainMenuBar/window/outline"))
    crane.app.save_settings()
    stored = settings_file.load(tmp_path / "settings.json")
    assert stored.closed_panels == tuple(sorted((*CLOSED_AT_FIRST, "outline")))


def test_a_closed_panel_comes_back_with_the_layout(crane: GuiTester) -> None:
    crane.run(lambda context: context.menu_click("//##MainMenuBar/window/outline"))
    assert not exists(crane, "//outline/##outline_filter")
    crane.run(lambda context: context.menu_click("//##MainMenuBar/window/reset_layout"))
    assert exists(crane, "//outline/##outline_filter")


def test_keys_wait_until_a_message_has_been_read(crane: GuiTester, archive: Path) -> None:
    crane.open(f"{archive}::gone.msh")
    assert crane.state.message
    overlays = crane.state.view.overlays
    press(crane, imgui.Key.g)
    assert crane.state.view.overlays == overlays
    click(crane, "//message/###ok")
    press(crane, imgui.Key.g)
    assert crane.state.view.overlays != overlays
