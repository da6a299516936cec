"""The overview of a game as a grid of pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.corpora import GAME
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester, exists, in_stage
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.operations.overview.overview import Overview
from viewer.session.games.overviews import OVERVIEW
from viewer.session.tables.table_view import SortedBy
from viewer.ui.games.overview_table import OverviewTable
from viewer.ui.stage.archive_view import OverviewPage

pytestmark = pytest.mark.closed("browser", "outline", "inspector", "tables")
FOLDER = Address(GAME)
WALKER = Address(GAME / "models.rlb", ("walker.msh",))
CTRL, SHIFT = imgui.Key.left_ctrl, imgui.Key.left_shift


def table_of(gui: GuiTester) -> OverviewTable:
    (page,) = gui.app.shell._resources.of(gui.state.tabs)._pages
    assert isinstance(page, OverviewPage)
    return page._table


def shown(gui: GuiTester, folder: Path = GAME) -> Overview:
    """Show the overview of a folder as pictures of 64 pixels."""
    gui.commands.overviews.remember(is_grid=True, thumbnail_side=64)
    gui.open(folder)
    gui.until(lambda: not gui.state.overviews[Address(folder)].is_running)
    gui.frames(3)
    found = gui.state.overviews[Address(folder)].found
    assert found is not None
    return found


def cell(row: int) -> str:
    return f"**/##cell{row}"


def chosen(gui: GuiTester) -> set[int]:
    return {*table_of(gui)._rows.rows}


def keys(gui: GuiTester, *chords: int, row: int = 0) -> None:
    """Click a cell, then press keys: every script begins and ends with the viewport in front."""

    def script(context: Context) -> None:
        context.item_click(cell(row))
        for chord in chords:
            context.key_press(int(chord))

    gui.run(script)


def test_the_choice_is_remembered_and_only_cells_on_screen_are_read(crane: GuiTester) -> None:
    crane.open(GAME)
    crane.until(lambda: not crane.state.overviews[FOLDER].is_running)
    click(crane, "**/###overview_as_grid")
    assert crane.state.settings.overview.is_grid
    crane.run(lambda context: context.item_input_value("**/###thumbnail_side", 256))
    assert crane.state.settings.overview.thumbnail_side == 256
    crane.settle()
    found = crane.state.overviews[FOLDER].found
    assert found is not None
    thumbnails = crane.app.images.thumbnails
    assert found.addresses[found.names.index("Land.msh")] in thumbnails._known
    assert found.addresses[-1] not in thumbnails._known
    click(crane, "**/###overview_as_table")
    assert not crane.state.settings.overview.is_grid


def test_cells_are_selected_as_rows_are(crane: GuiTester) -> None:
    found = shown(crane)
    click(crane, cell(1))
    assert chosen(crane) == {1}

    def with_key(key: int, row: int) -> None:
        def script(context: Context) -> None:
            context.key_down(key)
            context.item_click(cell(row))
            context.key_up(key)

        crane.run(script)

    with_key(CTRL, 3)
    assert chosen(crane) == {1, 3}
    with_key(SHIFT, 6)
    assert chosen(crane) == {3, 4, 5, 6}
    click(crane, "**/###overview_as_table")
    assert chosen(crane) == {3, 4, 5, 6}, "the selection is that of the table"
    click(crane, "**/###overview_as_grid", cell(0))
    keys(crane, int(imgui.Key.a) | int(imgui.Key.mod_ctrl))
    assert chosen(crane) == {*range(len(found))}


def test_arrows_move_the_selection_and_enter_opens_it(crane: GuiTester) -> None:
    found = shown(crane)
    columns = table_of(crane)._pictures._layout.columns
    assert columns > 2
    keys(crane, imgui.Key.right_arrow, imgui.Key.right_arrow, imgui.Key.left_arrow, imgui.Key.down_arrow)
    assert chosen(crane) == {1 + columns}
    keys(crane, imgui.Key.right_arrow, int(imgui.Key.right_arrow) | int(imgui.Key.mod_shift))
    assert chosen(crane) == {1, 2}
    keys(crane, imgui.Key.end)
    assert chosen(crane) == {len(found) - 1}
    keys(crane, imgui.Key.home, imgui.Key.up_arrow, imgui.Key.left_arrow, row=len(found) - 1)
    assert chosen(crane) == {0}
    keys(crane, imgui.Key.right_arrow, imgui.Key.enter)
    crane.until(lambda: crane.state.tabs.active.address == found.addresses[1])


def test_a_place_of_the_overview_is_a_row_that_is_brought_into_view(crane: GuiTester) -> None:
    found = shown(crane)
    last = len(found) - 1
    assert not exists(crane, cell(last))
    crane.commands.opening.go_to(Place(FOLDER, OVERVIEW, last))
    crane.frames(2)
    assert chosen(crane) == {last}
    assert exists(crane, cell(last))
    crane.commands.overviews.remember(is_grid=False)
    crane.commands.opening.go_to(Place(FOLDER, OVERVIEW, 0))
    crane.frames(2)
    assert chosen(crane) == {0}


def test_a_double_click_opens_and_the_right_button_has_the_menu(crane: GuiTester) -> None:
    found = shown(crane)
    row = found.addresses.index(WALKER)
    crane.run(lambda context: context.item_input_value("**/##overview_filter", "walker.msh"))
    crane.until(lambda: crane.state.overviews[FOLDER].arranged is not None)
    crane.frames(3)

    def from_menu(context: Context) -> None:
        context.item_click(cell(row), imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/open")

    crane.run(from_menu)
    crane.until(lambda: crane.state.tabs.active.address == WALKER)
    crane.commands.closing.close_tab(crane.state.tabs.active.identity)
    crane.until(lambda: crane.state.tabs.active.address == FOLDER)
    assert chosen(crane) == {row}
    crane.run(lambda context: context.item_double_click(cell(row)))
    crane.until(lambda: crane.state.tabs.active.address == WALKER)


def test_an_order_is_chosen_without_headers_and_stays_in_the_table(crane: GuiTester) -> None:
    found = shown(crane)
    click(crane, "**/###overview_order", "//$FOCUSED/###order_size")
    by = SortedBy("size", is_descending=True)
    crane.until(
        lambda: (it := crane.state.overviews[FOLDER].arranged) is not None and it.query.sorted_by == by
    )
    arranged = crane.state.overviews[FOLDER].arranged
    assert arranged is not None
    sizes = [int(found.values("size")[row] or -1) for row in arranged.rows]
    assert sizes == sorted(sizes, reverse=True)
    click(crane, "**/###overview_as_table")
    crane.frames(3)
    assert table_of(crane)._sorted_by == by
    click(crane, "**/###overview_as_grid")
    click(crane, "**/###overview_order", "//$FOCUSED/###order_descending")
    assert table_of(crane)._sorted_by == SortedBy("size")
    click(crane, "**/###overview_order", "//$FOCUSED/###order_file")
    click(crane, "**/###overview_as_table")
    crane.frames(3)
    assert table_of(crane)._sorted_by is None


def test_what_is_damaged_is_a_cell_of_its_own(gui: GuiTester, archive: Path) -> None:
    found = shown(gui, archive.parent)
    row = found.addresses.index(Address(archive, ("broken.msh",)))
    assert row in found.errors
    gui.settle()
    entry = gui.app.images.thumbnails._known.get(found.addresses[row])
    assert entry is not None
    assert entry.content.key is None
    assert entry.content.problem


def test_groups_have_headings_that_fold(crane: GuiTester) -> None:
    found = shown(crane)
    crane.commands.overviews.remember(group_by="kind")
    crane.until(lambda: (it := crane.state.overviews[FOLDER].arranged) is not None and bool(it.groups))
    arranged = crane.state.overviews[FOLDER].arranged
    assert arranged is not None
    crane.frames(3)
    rows = table_of(crane)._pictures._layout.order
    assert [row for row in rows if row < 0] == [*range(-1, -1 - len(arranged.groups), -1)]
    assert {*rows[rows >= 0].tolist()} == {*range(len(found))}
    first, second = arranged.groups[:2]
    click(crane, in_stage("**/###group0"))
    crane.frames(3)
    assert {*table_of(crane)._pictures._layout.order}.isdisjoint({*first.rows})
    click(crane, cell(int(second.rows[0])))
    assert chosen(crane) == {int(second.rows[0])}
