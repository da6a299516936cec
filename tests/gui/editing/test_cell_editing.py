"""Cells of the tables edited: one, those of the selected rows, those of all rows that a condition shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests.gui.editing.test_editing import edit
from tests.gui.hand import click, press
from tests.gui.harness import LEFT, RIGHT, Context, GuiTester, bring_to_front, enlarge, exists, steps
from viewer.errors import Severity
from viewer.formats.msh.nodes import NONE
from viewer.model.edit.nodes.node_count import SetCell
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.store.address import Address
from viewer.model.tables.model_tables import table_of
from viewer.session.selection import Selection
from viewer.ui.editing.editable_field import EditableField, Element
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.panels.tables import TablesPanel, problems_in
from viewer.ui.table import cell_editing

pytestmark = pytest.mark.closed(*RIGHT, *LEFT)

CTRL = int(imgui.Key.mod_ctrl)
TYPED = "//tables/**/##typed"


@pytest.fixture
def tables(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane with its nodes in the Tables panel."""
    gui.open(f"{archive}::crane.msh")
    gui.pause()
    enlarge(gui, "timeline")
    bring_to_front(gui, "tables")
    return gui


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The reasons that are shown at fields."""
    shown: list[str] = []
    draw = FieldEditor._draw_refusal

    def note(editor: FieldEditor, reason: str) -> None:
        shown.append(reason)
        draw(editor, reason)

    monkeypatch.setattr(FieldEditor, "_draw_refusal", note)
    return shown


def show(gui: GuiTester, table: str) -> None:
    click(gui, "//tables/##table", f"//$FOCUSED/###{table}")
    gui.settle()


def column(context: Context, row: int, name: str) -> None:
    """Move the mouse to a cell."""
    header = context.item_info(f"//tables/**/{name}").rect_full.get_center()
    line = context.item_info(f"//tables/**/###row{row}").rect_full.get_center()
    context.mouse_move_to_pos(imgui.ImVec2(header.x, line.y))


def test_a_cell_is_typed_after_a_double_click_and_undone(tables: GuiTester) -> None:
    show(tables, "slots")

    def script(context: Context) -> None:
        column(context, 1, "tri_count")
        context.mouse_double_click()
        assert context.item_exists(TYPED)
        context.key_chars_replace("6")
        context.key_press(int(imgui.Key.enter))

    before = tables.document.model.slots["tri_count"].tolist()
    tables.run(script)
    tables.settle()
    after = tables.document.model.slots["tri_count"].tolist()
    assert after == [before[0], 6, *before[2:]]
    assert [step.words for step in steps(tables)] == ["set slots[1].tri_count to 6"]
    tables.commands.edits.step(-1)
    tables.settle()
    assert tables.document.model.slots["tri_count"].tolist() == before


def test_the_selected_rows_are_set_as_one_step(tables: GuiTester) -> None:
    show(tables, "slots")

    def script(context: Context) -> None:
        column(context, 1, "tri_count")
        context.mouse_click()
        context.key_down(CTRL)
        column(context, 3, "tri_count")
        context.mouse_click()
        context.key_up(CTRL)
        context.mouse_click(imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###set_selected")
        context.key_chars_replace("6")
        context.key_press(int(imgui.Key.enter))

    before = tables.document.model.slots["tri_count"].tolist()
    tables.run(script)
    tables.settle()
    after = tables.document.model.slots["tri_count"].tolist()
    assert after == [before[0], 6, before[2], 6, *before[4:]]
    assert len(steps(tables)) == 1


def test_what_adds_an_error_is_refused_as_in_the_shell_unless_it_is_forced(
    tables: GuiTester, refusals: list[str]
) -> None:
    show(tables, "slots")

    def script(context: Context) -> None:
        column(context, 1, "tri_count")
        context.mouse_click()
        for _ in ("batch_start", "batch_count"):
            context.key_press(int(imgui.Key.right_arrow))
        context.key_press(int(imgui.Key.f2))
        context.yield_(3)
        context.key_chars_replace("700")
        context.key_press(int(imgui.Key.enter))

    before = tables.document.model.slots["batch_count"].tolist()
    tables.run(script)
    tables.settle()
    assert tables.document.model.slots["batch_count"].tolist() == before
    assert not steps(tables)
    assert refusals[-1].startswith("slots[1].batch_start: ")
    assert " + 700 exceeds " in refusals[-1]
    click(tables, "//tables/**/###force_value")
    tables.settle()
    assert tables.document.model.slots["batch_count"][1] == 700


@pytest.mark.parametrize("keys", [(), (imgui.Key.f2,)])
def test_the_element_that_was_clicked_is_edited(tables: GuiTester, keys: tuple[imgui.Key, ...]) -> None:
    show(tables, "positions")
    words = ", ".join(f"{value:.7g}" for value in tables.document.model.positions[1].tolist()[:2])

    def script(context: Context) -> None:
        column(context, 1, "position")
        left = context.item_info("//tables/**/position").rect_full.min.x
        right = left + imgui.calc_text_size(words).x - 2
        context.mouse_move_to_pos(imgui.ImVec2(right, imgui.get_io().mouse_pos.y))
        context.mouse_click() if keys else context.mouse_double_click()
        for key in keys:
            context.key_press(int(key))
        context.yield_(3)
        context.key_chars_replace("6")
        context.key_press(int(imgui.Key.enter))

    before = tables.document.model.positions[1].tolist()
    tables.run(script)
    tables.settle()
    assert [step.words for step in steps(tables)] == ["set positions[1].position[1] to 6"]
    assert tables.document.model.positions[1].tolist() == [before[0], 6, before[2]]


def test_a_condition_chooses_the_rows(tables: GuiTester) -> None:
    show(tables, "slots")
    slots = tables.document.model.slots
    first, starts = int(np.flatnonzero(slots["tri_start"] > 0)[0]), slots["tri_start"].copy()
    tables.run(lambda context: context.item_input_value("//tables/##table_filter", "tri_start > 0"))
    tables.settle()

    def script(context: Context) -> None:
        column(context, first, "tri_count")
        context.mouse_click(imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###set_shown")
        context.key_chars_replace("1 + 2")
        context.key_press(int(imgui.Key.enter))

    before = slots["tri_count"].copy()
    tables.run(script)
    tables.settle()
    after = tables.document.model.slots["tri_count"]
    np.testing.assert_array_equal(after, np.where(starts > 0, 3, before))
    assert [step.words for step in steps(tables)] == ["set slots[tri_start > 0].tri_count to 3"]


def test_why_the_bytes_cannot_take_a_value_is_said_at_the_cell(
    tables: GuiTester, refusals: list[str]
) -> None:
    show(tables, "container")
    before = tables.document

    def script(context: Context) -> None:
        column(context, 0, "magic")
        context.mouse_double_click()
        context.key_chars_replace("What")
        context.key_press(int(imgui.Key.enter))

    tables.run(script)
    tables.settle()
    assert tables.document is before
    assert refusals
    assert not tables.state.message


def test_f2_edits_the_cell_under_the_cursor(tables: GuiTester) -> None:
    """The clicked cell, not the first column; arrows move the cursor, Esc leaves the value as it is."""
    show(tables, "slots")
    before = tables.document.model.slots.copy()

    def script(context: Context) -> None:
        column(context, 1, "tri_count")
        context.mouse_click()
        context.key_press(int(imgui.Key.f2))
        context.key_chars_replace("9")
        context.key_press(int(imgui.Key.escape))
        context.key_press(int(imgui.Key.down_arrow))
        context.key_press(int(imgui.Key.left_arrow))
        context.key_press(int(imgui.Key.right_arrow))
        context.key_press(int(imgui.Key.f2))
        context.key_chars_replace("6")
        context.key_press(int(imgui.Key.enter))

    tables.run(script)
    tables.settle()
    after = tables.document.model.slots
    assert [step.words for step in steps(tables)] == ["set slots[2].tri_count to 6"]
    expected = before["tri_count"].tolist()
    expected[2] = 6
    assert after["tri_count"].tolist() == expected


@pytest.mark.parametrize("key", [imgui.Key.enter, imgui.Key.escape])
def test_a_cell_is_shown_as_before_once_it_was_edited(tables: GuiTester, key: imgui.Key) -> None:
    """Not in quotes, and a link again."""
    show(tables, "nodes")
    (panel,) = (it for it in tables.app.shell._panels if isinstance(it, TablesPanel))

    def script(context: Context) -> None:
        for name in ("name", "parent"):
            column(context, 2, name)
            context.mouse_click()
            context.key_press(int(imgui.Key.f2))
            context.yield_(3)
            if name == "name":
                context.key_chars_replace("boom")
            context.key_press(int(key if name == "name" else imgui.Key.escape))
            context.yield_(3)

    tables.run(script)
    tables.settle()
    assert panel._view is not None
    assert panel._editing.cell(panel._view) is None
    name = "boom" if key == imgui.Key.enter else "arm"
    assert tables.document.names[2] == name
    assert exists(tables, "//tables/**/1 mast###parent2.0")


def test_f2_on_a_link_edits_that_cell(tables: GuiTester) -> None:
    show(tables, "slots")
    (panel,) = (it for it in tables.app.shell._panels if isinstance(it, TablesPanel))

    def script(context: Context) -> None:
        context.item_click("//tables/**/###node1.0")
        context.key_press(int(imgui.Key.f2))

    tables.run(script)
    assert panel._view is not None
    assert panel._editing.cell(panel._view) == (1, "node")
    assert not exists(tables, TYPED)


def test_f2_says_why_a_derived_cell_cannot_be_edited(
    tables: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(cell_editing, "draw_below", lambda words, *_: said.append(words))
    show(tables, "slots")

    def script(context: Context) -> None:
        context.item_click("//tables/**/###node1.0")
        context.key_press(int(imgui.Key.f2))
        context.yield_(2)
        assert said[-1].endswith("It follows from other tables and cannot be set here.")
        context.key_press(int(imgui.Key.right_arrow))
        context.yield_(2)
        said.clear()
        context.yield_(2)
        assert not said

    tables.run(script)


def test_the_cell_cursor_is_brought_into_view(tables: GuiTester) -> None:
    """Along all columns, most of which are not on screen at first."""
    show(tables, "slots")
    (panel,) = (it for it in tables.app.shell._panels if isinstance(it, TablesPanel))
    assert panel._view is not None
    last = panel._view.columns[-1].name

    def script(context: Context) -> None:
        column(context, 1, "tri_count")
        context.mouse_click()
        assert not context.item_exists(f"//tables/**/{last}")
        context.key_press(int(imgui.Key.right_arrow), len(panel._columns))
        context.yield_(3)
        assert context.item_exists(f"//tables/**/{last}")

    tables.run(script)
    assert panel._cursor == last


def test_esc_removes_the_cell_cursor_and_then_deselects(tables: GuiTester) -> None:
    show(tables, "nodes")

    def script(context: Context) -> None:
        column(context, 1, "flags")
        context.mouse_click()
        context.key_press(int(imgui.Key.escape))

    tables.run(script)
    assert tables.state.view.selection.nodes == (1,)
    press(tables, imgui.Key.escape)
    assert tables.state.view.selection == Selection()


def test_a_cell_with_a_problem_is_marked_where_it_stands(tables: GuiTester) -> None:
    edit(tables, SetField("slots", RowChoice.of(1), "batch_count", 700), is_forced=True)
    show(tables, "slots")
    panel = next(it for it in tables.app.shell._panels if isinstance(it, TablesPanel))
    assert panel._view is not None
    marked = problems_in(tables.document, panel._view)
    wrong = {cell for cell, it in marked.items() if it.severity is Severity.ERROR}
    assert wrong == {(1, "batch_start"), (1, "")}  # the number of the row too


def test_keys_that_are_typed_do_not_reach_the_rows(tables: GuiTester) -> None:
    """Ctrl+A selects the text of the cell, not all rows."""
    show(tables, "slots")
    (panel,) = (it for it in tables.app.shell._panels if isinstance(it, TablesPanel))

    def script(context: Context) -> None:
        column(context, 1, "tri_count")
        context.mouse_click()
        context.key_press(int(imgui.Key.f2))
        assert context.item_exists(TYPED)
        context.key_press(CTRL | int(imgui.Key.a))
        context.key_press(int(imgui.Key.down_arrow))
        assert len(panel._rows.rows) == 1
        assert panel._rows.active == 1
        context.key_press(int(imgui.Key.escape))

    tables.run(script)


ARM = 2


def test_a_cell_shows_another_slot_or_nothing(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.pause()
    bring_to_front(gui, "inspector")
    gui.select(ARM)
    slots = gui.document.model.nodes["slots"][ARM]
    link = f"//inspector/**/{slots[0, 0]}##cell00"

    def assign(context: Context) -> None:
        context.item_click(link, imgui.MouseButton_.right)
        context.yield_(12)
        context.item_input_value("//$FOCUSED/###slot", 0)

    gui.run(assign)
    gui.settle()
    assert gui.document.model.nodes["slots"][ARM][0, 0] == 0

    def clear(context: Context) -> None:
        context.item_click("//inspector/**/0##cell00", imgui.MouseButton_.right)
        context.yield_(12)
        context.item_click("//$FOCUSED/###show_nothing")

    gui.run(clear)
    gui.settle()
    assert gui.document.model.nodes["slots"][ARM][0, 0] == NONE
    steps = gui.state.edits.at(Address(archive)).steps
    assert [step.changes for step in steps] == [(SetCell("arm", 0, 0, 0),), (SetCell("arm", 0, 0, None),)]


def test_an_empty_cell_is_given_a_slot_with_a_click(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.pause()
    bring_to_front(gui, "inspector")
    gui.select(ARM)
    assert gui.document.model.nodes["slots"][ARM][2, 3] == NONE

    def assign(context: Context) -> None:
        context.item_click("//inspector/**/-##cell23")
        context.yield_(12)
        context.item_input_value("//$FOCUSED/###slot", 1)

    gui.run(assign)
    gui.settle()
    assert gui.document.model.nodes["slots"][ARM][2, 3] == 1
    assert [it.changes for it in steps(gui)] == [(SetCell("arm", 2, 3, 1),)]


def test_a_cell_of_the_matrix_is_named_while_it_is_typed(
    tables: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(tables, "nodes")
    shown: list[str] = []
    what_is_set = EditableField.what_is_set

    def note(target: EditableField, element: Element) -> str:
        shown.append(what_is_set(target, element))
        return shown[-1]

    monkeypatch.setattr(EditableField, "what_is_set", note)
    view = table_of(tables.document.tables, "nodes")
    names = [it.name for it in view.columns]
    slots = view.columns[names.index("slots")]
    assert slots.element_name is not None
    assert slots.element_name(7) == "LOD 1 - damaged, group 2 - far"

    def script(context: Context) -> None:
        column(context, ARM, names[0])
        context.mouse_click()
        for _ in range(names.index("slots")):
            context.key_press(int(imgui.Key.right_arrow))
        context.key_press(int(imgui.Key.f2))
        context.yield_(3)

    tables.run(script)
    assert shown[-1] == "LOD 0 - intact, group 0 - near"
