"""The overview of a game, a folder or an archive in its tab."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.corpora import GAME
from tests.gui.hand import click
from tests.gui.harness import GuiTester, exists, in_stage
from viewer.control.lookups.overviews import OverviewController
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.operations.overview.overview import TABLE, Overview
from viewer.session.games.overview_choices import USUAL_COLUMNS
from viewer.session.games.overviews import OVERVIEW, ArrangedOverview, OverviewState, row_hints
from viewer.session.tables.table_view import SortedBy
from viewer.ui.context import UiContext
from viewer.ui.games.overview_table import OverviewTable

pytestmark = pytest.mark.closed("browser", "outline", "inspector", "tables")
FOLDER = Address(GAME)


def state_of(gui: GuiTester, address: Address = FOLDER) -> OverviewState:
    gui.frames(2)
    gui.until(lambda: address in gui.state.overviews and not gui.state.overviews[address].is_running)
    gui.frames(2)
    return gui.state.overviews[address]


def shown(gui: GuiTester) -> tuple[OverviewState, Overview]:
    gui.open(GAME)
    state = state_of(gui)
    assert state.found is not None
    return state, state.found


def filtered(gui: GuiTester) -> ArrangedOverview:
    arranged = gui.state.overviews[FOLDER].arranged
    assert arranged is not None
    return arranged


def test_a_game_is_listed_with_more_columns_and_another_cell(crane: GuiTester) -> None:
    state, found = shown(crane)
    assert crane.state.tabs.active.address == FOLDER
    assert state.columns == USUAL_COLUMNS
    assert state.table is not None
    assert [it.name for it in state.table.columns] == ["entry", *USUAL_COLUMNS]
    row = found.addresses.index(Address(GAME / "models.rlb", ("walker.msh",)))
    assert state.table.columns[0].texts([row]) == ["models.rlb::walker.msh"]
    click(crane, "**/###choose_columns", "//$FOCUSED/###column_used_by")
    state = state_of(crane)
    assert state.columns == (*USUAL_COLUMNS, "used_by")
    assert crane.state.settings.overview.columns == state.columns
    assert state.found is not None
    assert state.found.values("used_by")[row] == 1
    assert row_hints(state.found, row) == ["Used by walker.dat"]
    crane.app.later(crane.app.control.overviews.count_cell, FOLDER, 1, 0)
    state = state_of(crane)
    assert state.found is not None
    assert state.found.values("triangles")[row] != found.values("triangles")[row]


def test_a_filter_and_an_order_show_fewer_rows(crane: GuiTester) -> None:
    _state, found = shown(crane)
    crane.run(lambda context: context.item_input_value("**/##overview_filter", "walker"))
    crane.until(lambda: crane.state.overviews[FOLDER].arranged is not None)
    crane.until(lambda: filtered(crane).query.filter == "walker")
    expected = [row for row, it in enumerate(found.addresses) if "walker" in str(it).casefold()]
    assert filtered(crane).rows.tolist() == expected
    crane.app.later(crane.app.control.overviews.choose, FOLDER, ("size", "kind"))
    table = state_of(crane).table
    crane.until(lambda: filtered(crane).query.view is table)


def test_columns_that_are_known_are_not_read_again(crane: GuiTester) -> None:
    _state, found = shown(crane)
    crane.app.later(crane.app.control.overviews.choose, FOLDER, ("size", "kind"))
    state = state_of(crane)
    assert state.columns == ("size", "kind")
    assert state.found is found


def test_a_folder_that_cannot_be_read_says_why(crane: GuiTester, tmp_path: Path) -> None:
    before = crane.state.tabs
    crane.commands.overviews.show(Address(tmp_path / "nowhere"))
    crane.until(lambda: bool(crane.state.message))
    assert crane.state.tabs is before


def test_the_menu_opens_the_game_that_is_known_or_asks(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(crane.app.dialog, "open_folder", lambda: asked.append("folder"))
    menu = "//##MainMenuBar/###game/###window.overview"
    crane.run(lambda context: context.menu_click(menu))
    assert asked == ["folder"]
    crane.commands.opening.use_game(str(GAME))
    crane.settle()
    crane.run(lambda context: context.menu_click(menu))
    crane.until(lambda: crane.state.tabs.active.address == FOLDER)
    assert crane.state.tabs.active.is_kept
    assert len(crane.state.tabs.opened) == 2, "what was open stays"


def test_entries_are_shown_before_their_columns_are_known(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[bool, int, list[str]]] = []
    put = OverviewController._put

    def note(controller: OverviewController, state: OverviewState) -> None:
        names = [] if state.table is None else [it.name for it in state.table.columns]
        shown.append((state.is_running, len(state.found or ()), names))
        put(controller, state)

    monkeypatch.setattr(OverviewController, "_put", note)
    crane.open(GAME)
    found = state_of(crane).found
    assert found is not None
    first, listed, whole = shown
    assert first == (True, 0, [])
    assert listed == (True, len(found), ["entry", "kind", "size"])
    assert whole == (False, len(found), ["entry", *USUAL_COLUMNS])


def test_what_needs_a_file_is_grey_for_a_folder(gui: GuiTester) -> None:
    gui.open(GAME)
    context = gui.app.panel_context()
    reasons = {it.id: it.reason(context) for it in gui.app.shell.actions}
    assert reasons["file.export"] == reasons["file.save_as"] == reasons["edit.repair"] == "a folder is open"
    assert not reasons["file.close_tab"]


def test_the_tab_of_an_archive_has_the_page(crane: GuiTester) -> None:
    archive = Address(GAME / "guns.rlb")
    crane.commands.opening.go_to(Place(archive))
    crane.until(lambda: crane.state.resource is not None and crane.state.resource.address == archive)
    assert archive not in crane.state.overviews
    crane.commands.overviews.show(archive)
    found = state_of(crane, archive).found
    assert found is not None
    assert found.names[0] == "e_gun_tw_01.msh"
    assert found.totals(np.arange(len(found)).tolist(), []) == {}


def grouped(gui: GuiTester) -> ArrangedOverview:
    gui.until(lambda: (it := gui.state.overviews[FOLDER].arranged) is not None and bool(it.groups))
    gui.frames(2)
    return filtered(gui)


def test_rows_are_grouped_folded_and_remembered(crane: GuiTester) -> None:
    """By a column that is not shown, which is read for it."""
    _state, found = shown(crane)
    crane.commands.overviews.remember(group_by="archive")
    arranged = grouped(crane)
    assert crane.state.settings.overview.group_by == "archive"
    archives: list[object] = [
        str(it.path.relative_to(GAME)) if it.entries else None for it in found.addresses
    ]
    assert [it.value for it in arranged.groups] == [
        *sorted({str(it) for it in archives if it}, key=str.casefold),
        None,
    ]
    assert [len(it.rows) for it in arranged.groups] == [archives.count(it.value) for it in arranged.groups]
    first = in_stage(f"**/###row{arranged.groups[0].rows[0]}")
    assert exists(crane, first)
    click(crane, in_stage("**/###group0"))
    crane.frames(2)
    assert not exists(crane, first)
    assert exists(crane, in_stage(f"**/###row{arranged.groups[1].rows[0]}"))
    crane.app.later(crane.app.control.overviews.choose, FOLDER, ("size", "kind"))
    assert state_of(crane).columns == ("size", "kind"), "the headers do not bring back those of before"


def test_a_condition_reads_the_columns_that_it_names(crane: GuiTester) -> None:
    state, _found = shown(crane)
    assert "used_by" not in state.columns
    crane.run(lambda context: context.item_input_value("**/##overview_filter", "used_by > 1"))
    crane.until(lambda: (it := crane.state.overviews[FOLDER].arranged) is not None and len(it.rows) < 60)
    found = crane.state.overviews[FOLDER].found
    assert found is not None
    users = found.values("used_by")
    assert filtered(crane).rows.tolist() == [
        row for row, it in enumerate(users) if isinstance(it, int) and it > 1
    ]
    crane.run(lambda context: context.item_input_value("**/##overview_filter", "usde_by > 1"))
    crane.until(lambda: bool(filtered(crane).problem))
    assert "used_by" in filtered(crane).problem


def test_order_and_widths_are_remembered(crane: GuiTester) -> None:
    shown(crane)
    crane.run(lambda context: context.item_click(in_stage("**/###size")))
    crane.frames(3)
    chosen = crane.state.settings.overview
    assert (chosen.sort, chosen.is_descending) == ("size", True)  # numbers are sorted for what is largest
    crane.until(lambda: crane.state.overviews[FOLDER].arranged is not None)
    sizes = crane.state.overviews[FOLDER].found
    assert sizes is not None
    ordered = [sizes.values("size")[row] for row in filtered(crane).rows.tolist()]
    assert ordered == sorted(ordered, reverse=True)
    crane.run(lambda context: context.item_click(in_stage("**/###kind")))
    crane.frames(3)
    chosen = crane.state.settings.overview
    assert (chosen.sort, chosen.is_descending) == ("kind", False)


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> dict[Address, OverviewTable]:
    """The tables that were drawn, by what they showed."""
    tables: dict[Address, OverviewTable] = {}
    draw = OverviewTable.draw

    def note(table: OverviewTable, frame: UiContext, address: Address) -> None:
        tables[address] = table
        draw(table, frame, address)

    monkeypatch.setattr(OverviewTable, "draw", note)
    return tables


def test_widths_are_remembered_as_they_were_given_last(
    crane: GuiTester, noted: dict[Address, OverviewTable]
) -> None:
    """The table of each tab keeps what it was given, which does not come back with the tab."""
    archive = Address(GAME / "guns.rlb")
    for address, width in ((archive, 11.04), (FOLDER, 12.0)):
        crane.commands.opening.go_to(Place(address, OVERVIEW), in_new_tab=True)
        state_of(crane, address)
        noted[address]._grid._widths._given[TABLE, "size"] = width
        crane.frames(3)
        assert crane.state.settings.overview.widths == {"size": round(width, 1)}
    crane.commands.opening.go_to(Place(archive, OVERVIEW))
    crane.frames(3)
    assert crane.state.tabs.active.address == archive
    assert crane.state.settings.overview.widths == {"size": 12.0}
    noted[archive]._grid._widths._given[TABLE, "kind"] = 9.0
    crane.frames(3)
    assert crane.state.settings.overview.widths == {"size": 12.0, "kind": 9.0}


def test_other_entries_are_not_selected(
    crane: GuiTester, tmp_path: Path, noted: dict[Address, OverviewTable]
) -> None:
    """Also if there are as many as before; with other columns the same ones stay selected."""
    folder = Address(tmp_path / "mine")
    folder.path.mkdir()
    shutil.copyfile(GAME / "guns.rlb", folder.path / "a.rlb")
    crane.open(folder.path)
    state_of(crane, folder)
    click(crane, in_stage("**/###row0"))
    crane.commands.overviews.choose(folder, ("size", "kind"))
    state_of(crane, folder)
    assert noted[folder]._rows.rows == {0}
    (folder.path / "a.rlb").rename(folder.path / "b.rlb")
    crane.commands.overviews.make_again(folder)
    state_of(crane, folder)
    assert not noted[folder]._rows.rows


def test_the_sums_are_those_of_the_rows_shown(crane: GuiTester, noted: dict[Address, OverviewTable]) -> None:
    """Also of the first filter, until whose answer every row is shown."""
    _state, found = shown(crane)
    totals = noted[FOLDER]._totals
    assert totals._value.startswith(f"{len(found)} entries")
    crane.run(lambda context: context.item_input_value("**/##overview_filter", "walker"))
    crane.until(lambda: (it := crane.state.overviews[FOLDER].arranged) is not None and len(it.rows) < 60)
    crane.frames(2)
    assert totals._value.startswith(f"{len(filtered(crane).rows)} entries")


@pytest.mark.parametrize("group_by", ["", "archive"])
def test_the_order_of_last_time_is_that_of_the_next(crane: GuiTester, group_by: str) -> None:
    columns = "kind", "size", "nodes"
    order = {"sort": "size", "is_descending": True}
    crane.commands.overviews.remember(columns=columns, group_by=group_by, **order)
    shown(crane)
    crane.until(lambda: crane.state.overviews[FOLDER].arranged is not None)
    crane.frames(6)
    by = filtered(crane).query.sorted_by
    assert by == SortedBy("size", is_descending=True)
    chosen = crane.state.settings.overview
    assert (chosen.sort, chosen.is_descending) == ("size", True)
