"""The tables as somebody works with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pytest
from imgui_bundle import imgui

from tests.builders import ModelBuilder, Node, quad
from tests.gui.conftest import rock
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester, bring_to_front, enlarge, exists, write_model
from viewer.errors import Severity
from viewer.model.tables.column import Column
from viewer.session.selection import Selection
from viewer.ui.panels.tables import TablesPanel, problems_in

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

BASE, MAST, ARM, HOOK = range(4)


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane, paused, its tables in front."""
    bring_to_front(crane, "tables")
    enlarge(crane, "tables")
    return crane


def panel(gui: GuiTester) -> TablesPanel:
    """The panel of the tables."""
    return next(it for it in gui.app.shell._panels if isinstance(it, TablesPanel))


def choose_table(gui: GuiTester, table: str) -> None:
    """Choose a table."""
    click(gui, "//tables/##table", f"//$FOCUSED/###{table}")


def shown(gui: GuiTester) -> list[int]:
    """The rows that the panel shows, in their order."""
    panel_now = panel(gui)
    gui.settle()
    frame = gui.app.panel_context()
    assert panel_now._view is not None
    numbers: list[int] = panel_now._arrange(frame, panel_now._view).rows.tolist()
    return numbers


def type_filter(gui: GuiTester, words: str) -> None:
    """Type into the filter."""
    gui.run(lambda context: context.item_input_value("//tables/##table_filter", words))


def sort_by(gui: GuiTester, column: str) -> None:
    """Click a header."""
    click(gui, f"//tables/**/{column}")


def row(number: int) -> str:
    """The item of a row."""
    return f"//tables/**/###row{number}"


def point_at(context: Context, number: int) -> None:
    """Move the mouse onto the number of a row."""
    corner = context.item_info(row(number)).rect_full.min
    context.mouse_move_to_pos((corner.x + 6, corner.y + 8))


def click_row(gui: GuiTester, number: int, key: imgui.Key = imgui.Key.none) -> None:
    """Click a row, with a key held."""

    def script(context: Context) -> None:
        point_at(context, number)
        if key != imgui.Key.none:
            context.key_down(key)
        context.mouse_click(0)
        if key != imgui.Key.none:
            context.key_up(key)

    gui.run(script)
    gui.wait(0.4)


def copied(gui: GuiTester, number: int, item: str = "") -> str:
    """What lies on the clipboard after an item of the menu of a row, or Ctrl+C on one that is added."""

    def script(context: Context) -> None:
        point_at(context, number)
        if item:
            context.mouse_click(1)
            context.yield_(2)
            context.item_click(f"//$FOCUSED/###{item}")
        else:
            context.key_down(imgui.Key.mod_ctrl)
            context.mouse_click(0)
            context.key_up(imgui.Key.mod_ctrl)
            context.key_press(int(imgui.Key.mod_ctrl) | int(imgui.Key.c))
        for _ in range(300):
            context.yield_(1)
            if not gui.app.jobs.is_busy:
                break
        context.yield_(3)
        found.append(imgui.get_clipboard_text())

    found: list[str] = []
    gui.run(script)
    return found[0]


def test_a_header_sorts_up_down_and_not_at_all(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    assert shown(crane) == [BASE, MAST, ARM, HOOK]
    sort_by(crane, "name")
    assert shown(crane) == [ARM, BASE, HOOK, MAST]
    sort_by(crane, "name")
    assert shown(crane) == [MAST, HOOK, BASE, ARM]
    sort_by(crane, "name")
    assert shown(crane) == [BASE, MAST, ARM, HOOK]


def test_each_table_keeps_its_own_order_and_filter(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    sort_by(crane, "name")
    type_filter(crane, "name = *a*")
    assert shown(crane) == [ARM, BASE, MAST]
    choose_table(crane, "batches")
    assert shown(crane) == [0, 1, 2, 3, 4, 5][: len(crane.document.model.batches)]
    choose_table(crane, "nodes")
    assert shown(crane) == [ARM, BASE, MAST]


def test_a_condition_filters_and_the_x_shows_everything_again(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    type_filter(crane, "parent = mast or name = base")
    assert shown(crane) == [BASE, ARM]
    click(crane, "//tables/###clear_table_filter")
    assert shown(crane) == [BASE, MAST, ARM, HOOK]


def test_a_bad_condition_is_explained_and_hides_nothing(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    type_filter(crane, "nmae = arm")
    assert shown(crane) == [BASE, MAST, ARM, HOOK]
    arranged = crane.state.arranged
    assert arranged is not None
    assert "nmae" in arranged.problem
    assert "name" in arranged.problem


def test_a_filter_does_not_survive_into_a_file_where_it_hides_everything(
    crane: GuiTester, tmp_path: Path
) -> None:
    choose_table(crane, "nodes")
    type_filter(crane, "name = mast")
    assert shown(crane) == [MAST]
    crane.open(write_model(tmp_path / "rock.msh", rock()))
    bring_to_front(crane, "tables")
    assert shown(crane) == [0]
    assert panel(crane)._filters["nodes"].text == ""


def test_control_and_shift_select_several_rows_and_nodes(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    click_row(crane, MAST)
    click_row(crane, HOOK, imgui.Key.mod_ctrl)
    assert set(crane.state.view.selection.nodes) == {MAST, HOOK}
    click_row(crane, BASE)
    click_row(crane, ARM, imgui.Key.mod_shift)
    assert crane.state.view.selection.nodes == (BASE, MAST, ARM)


def test_arrows_step_through_the_rows_in_the_order_shown(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    sort_by(crane, "name")
    shown(crane)

    def script(context: Context) -> None:
        point_at(context, ARM)
        context.mouse_click(0)
        context.key_press(imgui.Key.down_arrow)

    crane.run(script)
    assert crane.state.view.selection == Selection((BASE,))


def test_control_c_copies_the_selected_rows_with_a_header(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    click_row(crane, ARM)
    header, base, arm = copied(crane, BASE).splitlines()
    assert header.startswith("index\tname\ttakes\tflags\tparent\tparent_name")
    assert base.split("\t")[:6] == ["0", "base", "", "0x0000", "", ""]
    assert arm.split("\t")[:6] == ["2", "arm", "", "0x0000", "1", "mast"]


def test_control_a_selects_everything_that_the_filter_lets_through(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    type_filter(crane, "parent != none")
    assert shown(crane) == [MAST, ARM, HOOK]

    def script(context: Context) -> None:
        point_at(context, ARM)
        context.mouse_click(0)
        context.key_press(int(imgui.Key.mod_ctrl) | int(imgui.Key.a))

    crane.run(script)
    assert panel(crane)._rows.rows == {MAST, ARM, HOOK}


def test_the_menu_copies_json_and_acts_on_the_row_under_the_cursor(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    click_row(crane, BASE)
    (arm,) = json.loads(copied(crane, ARM, "copy_json"))
    assert (arm["name"], arm["parent_name"]) == ("arm", "mast")
    assert crane.state.view.selection == Selection((ARM,))


def test_the_menu_of_one_of_several_selected_rows_copies_all_of_them(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    click_row(crane, BASE)
    click_row(crane, ARM, imgui.Key.mod_shift)
    assert len(json.loads(copied(crane, MAST, "copy_json"))) == 3


def follow(gui: GuiTester, link: str) -> None:
    """Click a link twice."""
    gui.run(lambda context: context.item_double_click(link))


def test_a_click_on_a_link_sets_the_cell_cursor_and_ctrl_follows_it(crane: GuiTester) -> None:
    choose_table(crane, "batches")
    link = "//tables/**/3 arm###slot3.0"
    click(crane, link)
    assert (panel(crane)._rows.active, panel(crane)._cursor) == (3, "slot")
    assert panel(crane)._name == "batches"
    assert crane.state.view.selection.batch == 3
    crane.wait(0.4)

    def script(context: Context) -> None:
        context.key_down(imgui.Key.mod_ctrl)
        context.item_click(link)
        context.key_up(imgui.Key.mod_ctrl)

    crane.run(script)
    assert crane.state.view.selection == Selection((ARM,), slot=3)


def test_the_menu_of_a_link_goes_to_its_row(crane: GuiTester) -> None:
    choose_table(crane, "batches")

    def script(context: Context) -> None:
        context.item_click("//tables/**/3 arm###slot3.0", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###follow")

    crane.run(script)
    crane.settle()
    assert crane.state.view.selection == Selection((ARM,), slot=3)


def test_a_cell_leads_to_the_row_that_it_names(crane: GuiTester) -> None:
    choose_table(crane, "batches")
    follow(crane, "//tables/**/3 arm###slot3.0")
    crane.settle()
    assert crane.state.view.selection == Selection((ARM,), slot=3)
    choose_table(crane, "batches")
    assert exists(crane, "//tables/**/1 STEEL###wear_row3.0")
    follow(crane, "//tables/**/###wear_row3.0")
    crane.settle()
    assert crane.state.reveal is not None
    assert crane.state.reveal.table == "materials"


def test_a_row_of_the_vertices_selects_the_vertex_in_the_viewport(crane: GuiTester) -> None:
    choose_table(crane, "vertices")
    assert all(exists(crane, f"//tables/**/{column}") for column in ("node", "position", "normal"))
    click_row(crane, 2)
    assert crane.state.view.selection.vertex == 2
    assert crane.state.view.selection.node == BASE
    marked = crane.picture()
    crane.change(selection=Selection((BASE,), slot=0, batch=0))
    assert (marked != crane.picture()).any()


def test_a_vertex_selected_elsewhere_is_marked_in_its_streams_too(crane: GuiTester) -> None:
    choose_table(crane, "positions")
    crane.change(selection=Selection((BASE,), slot=0, batch=0, vertex=20))
    assert panel(crane)._rows.rows == {20}
    assert exists(crane, row(20)), "it is in view"


def test_a_row_that_cannot_be_selected_is_marked_until_something_is(crane: GuiTester) -> None:
    choose_table(crane, "indices")
    click_row(crane, 5)
    assert panel(crane)._rows.rows == {5}
    crane.change(selection=Selection((BASE,), slot=0, batch=0, triangle=2))
    assert panel(crane)._rows.rows == {6}


def rest_on(gui: GuiTester, item: str) -> None:
    """Leave the pointer on an item."""
    places: list[imgui.ImVec2] = []
    gui.run(lambda context: places.append(context.item_info(item).rect_full.min))
    imgui.get_io().add_mouse_pos_event(places[0].x + 6, places[0].y + 8)
    gui.settle()


@pytest.mark.parametrize(("table", "number"), [("nodes", MAST), ("keys", 2)])
def test_a_row_flashes_its_geometry(crane: GuiTester, table: str, number: int) -> None:
    choose_table(crane, table)
    rest_on(crane, row(number))
    draws = crane.document.draws
    assert crane.state.view.flash == set(draws.batch[draws.node == MAST].tolist())


def test_a_row_of_a_vertex_flashes_the_batch_that_draws_it(crane: GuiTester) -> None:
    choose_table(crane, "vertices")
    rest_on(crane, row(3))
    assert crane.state.view.flash == {0}


def test_a_link_flashes_what_it_leads_to_and_not_its_row(crane: GuiTester) -> None:
    choose_table(crane, "nodes")
    rest_on(crane, "//tables/**/1 mast###parent2.0")
    draws = crane.document.draws
    assert crane.state.view.flash == set(draws.batch[draws.node == MAST].tolist())


def width_of(gui: GuiTester, column: str) -> float:
    """The width of a header."""
    widths: list[float] = []
    gui.run(lambda context: widths.append(context.item_info(f"//tables/**/{column}").rect_full.get_width()))
    return widths[0]


def test_columns_are_as_wide_as_their_content(crane: GuiTester, tmp_path: Path) -> None:
    choose_table(crane, "nodes")
    narrow = width_of(crane, "name")
    long_name = "a_very_long_name_of_a_node_31ch"
    builder = ModelBuilder.of(
        [Node(f"n{n}", shapes={(0, 0): [quad()]}) for n in range(400)] + [Node(long_name)]
    )
    crane.open(write_model(tmp_path / "many.msh", builder))
    bring_to_front(crane, "tables")
    wide = width_of(crane, "name")
    assert wide >= imgui.calc_text_size(long_name).x > narrow


def test_a_width_that_the_user_has_set_is_remembered(crane: GuiTester, tmp_path: Path) -> None:
    choose_table(crane, "nodes")
    before = width_of(crane, "name")

    def widen(context: Context) -> None:
        header = context.item_info("//tables/**/name").rect_full
        context.mouse_move_to_pos((header.max.x + 1, header.get_center().y))
        context.mouse_drag_with_delta((60, 0))

    crane.run(widen)
    after = width_of(crane, "name")
    assert after > before + 40
    choose_table(crane, "batches")
    choose_table(crane, "nodes")
    assert width_of(crane, "name") == after
    crane.open(write_model(tmp_path / "rock.msh", rock()))
    bring_to_front(crane, "tables")
    assert width_of(crane, "name") == after


def test_a_row_shown_elsewhere_is_scrolled_to_even_if_the_table_is_sorted(
    gui: GuiTester, tmp_path: Path
) -> None:
    builder = ModelBuilder.of([Node(f"n{n}", shapes={(0, 0): [quad()]}) for n in range(300)])
    gui.open(write_model(tmp_path / "many.msh", builder))
    bring_to_front(gui, "tables")
    choose_table(gui, "nodes")
    sort_by(gui, "fallback_key")
    sort_by(gui, "fallback_key")
    assert shown(gui) == [*range(300)][::-1]
    gui.select(3)
    gui.settle()
    assert exists(gui, row(3))


def test_only_rows_on_screen_are_formatted(crane: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    choose_table(crane, "vertices")
    numbers: list[int] = []
    words = Column.words

    def counting(column: Column, flat: npt.NDArray[Any], *, is_alone: bool) -> list[str]:
        numbers.append(len(flat))
        return words(column, flat, is_alone=is_alone)

    monkeypatch.setattr(Column, "words", counting)
    crane.frames(1)
    assert 0 < sum(numbers) < 20 * 30
    assert crane.document.model.vertex_count > 60


def test_the_number_of_a_row_shows_the_worst_of_its_cells(gui: GuiTester, samples: Path) -> None:
    """The end of the first batch lies behind the indices, an error; no cell draws it, a remark."""
    gui.open(samples / "damaged" / "msh" / "batch_index_range.msh")
    bring_to_front(gui, "tables")
    choose_table(gui, "batches")
    tables, document = panel(gui), gui.document
    assert tables._view is not None
    found = problems_in(document, tables._view)
    assert (found[0, ""].severity, found[0, ""].field) == (Severity.ERROR, "index_start")
    assert found[0, "index_start"] is found[0, ""]
