"""Filtering and sorting the rows of a table."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.ui.scenes import GUN, TURRET, tank_document
from viewer.model.query.table import Column, ColumnTexts
from viewer.progress import Cancelled, Progress, working
from viewer.session.tables.copying import CopyFormat, copied
from viewer.session.tables.model_tables import table_view
from viewer.session.tables.table_view import (
    ArrangedRows,
    RowQuery,
    RowSelection,
    SortedBy,
    TableColumn,
    TableView,
    arrange,
)


def arranged(table: str, text: str = "", sorted_by: SortedBy | None = None) -> ArrangedRows:
    """The rows of a table of the tank."""
    return arrange(RowQuery(table_view(tank_document(), table), text, sorted_by))


def rows(table: str, text: str = "", sorted_by: SortedBy | None = None) -> list[int]:
    """The numbers of the rows."""
    found = arranged(table, text, sorted_by)
    assert not found.problem
    numbers: list[int] = found.rows.tolist()
    return numbers


def test_plain_words_must_all_be_in_a_row_names_included() -> None:
    assert rows("nodes", "turret") == [TURRET, GUN, 3]
    assert rows("nodes", "TURRET gun") == [GUN, 3]
    assert rows("nodes", "no such text") == []
    assert rows("nodes", "  ") == [0, 1, 2, 3, 4]


def test_a_condition_filters_by_fields_names_and_references() -> None:
    assert rows("nodes", "name = *gun*") == [GUN, 3]
    assert rows("nodes", "parent = turret and not name = gun") == [3]
    assert rows("keys", "node = turret and time > 0") == [2, 3]
    assert rows("batches", "lod = 1") == [2], "the row of the slot matrix, as in addresses"
    assert rows("batches", "lod = 4") == []
    assert rows("nodes", "slots = none and flags & 0x20") == [4]


@pytest.mark.parametrize("text", ["nmae = gun", "flags >", "flags & words", "(parent = 1"])
def test_a_bad_condition_is_reported_and_filters_nothing(text: str) -> None:
    found = arranged("nodes", text)
    assert found.problem
    assert len(found.rows) == 5


def test_rows_are_sorted_by_stored_and_derived_columns_after_the_filter() -> None:
    assert rows("nodes", sorted_by=SortedBy("name")) == [3, 0, 4, 2, 1]
    assert rows("nodes", "turret", SortedBy("name", is_descending=True)) == [1, 2, 3]
    assert rows("nodes", sorted_by=SortedBy("parent")) == [1, 4, 2, 3, 0]
    assert rows("nodes", sorted_by=SortedBy("row", is_descending=True)) == [4, 3, 2, 1, 0]
    assert rows("nodes", sorted_by=SortedBy("row")) == [0, 1, 2, 3, 4]
    assert rows("nodes", sorted_by=SortedBy("no_such_column")) == [0, 1, 2, 3, 4]


def large(count: int) -> TableView:
    """A table of numbers."""
    values = np.random.default_rng(1).integers(0, 1000, count)
    return TableView("large", count, (TableColumn(Column("x", lambda: values)),))


def test_300_000_rows_are_sorted_stably() -> None:
    view = large(300_000)
    found = arrange(RowQuery(view, sorted_by=SortedBy("x"))).rows
    values = np.asarray(view.columns[0].column.values)[found]
    steps = np.diff(values)
    assert (steps >= 0).all()
    assert (np.diff(found)[steps == 0] > 0).all()


def test_filtering_by_content_ends_when_it_is_cancelled() -> None:
    progress = Progress()
    progress.cancel()
    with working(progress), pytest.raises(Cancelled):
        arrange(RowQuery(large(10_000), "77"))


def test_content_is_compared_as_it_is_shown() -> None:
    assert rows("batches", "0x0000") == [*range(table_view(tank_document(), "batches").count)]
    view = large(5000)
    found = arrange(RowQuery(view, "777")).rows
    assert (np.asarray(view.columns[0].column.values)[found] == 777).all()
    assert len(found)


ORDER = np.array([4, 2, 0, 3, 1])


def clicked(*clicks: tuple[int, str]) -> RowSelection:
    """The selection after clicks on rows, each with the keys held: c for Ctrl, s for Shift."""
    selection = RowSelection()
    for row, keys in clicks:
        selection = selection.clicked(row, ORDER, is_added="c" in keys, is_range="s" in keys)
    return selection


def test_a_click_selects_one_row() -> None:
    assert clicked((2, ""), (3, "")) == RowSelection.of(3)


def test_control_adds_and_removes() -> None:
    assert clicked((2, ""), (3, "c")).rows == {2, 3}
    assert clicked((2, ""), (3, "c"), (2, "c")).rows == {3}
    assert clicked((2, ""), (2, "c")).active is None


def test_shift_selects_a_range_in_the_order_shown_from_where_it_began() -> None:
    assert clicked((2, ""), (3, "s")).rows == {2, 0, 3}
    assert clicked((3, ""), (2, "s")).rows == {2, 0, 3}
    assert clicked((0, ""), (1, "s"), (2, "s")).rows == {2, 0}
    assert clicked((0, ""), (1, "s")).active == 1


def test_control_and_shift_add_a_range() -> None:
    assert clicked((4, ""), (0, "c"), (1, "cs")).rows == {4, 0, 3, 1}


def test_a_range_from_a_row_that_is_filtered_out_is_the_row_alone() -> None:
    assert clicked((9, ""), (3, "s")).rows == {3}


def test_all_rows_that_are_shown_are_selected() -> None:
    assert RowSelection.of(2).all_of(ORDER[:3]).rows == {4, 2, 0}


def test_selected_rows_come_in_the_order_shown() -> None:
    assert clicked((3, ""), (4, "c"), (0, "c")).shown(ORDER).tolist() == [4, 0, 3]
    assert RowSelection().all_of(ORDER).shown(ORDER).tolist() == ORDER.tolist()
    assert RowSelection.of(7).shown(ORDER).tolist() == []


def test_arrows_step_through_the_order_shown() -> None:
    assert RowSelection.of(2).stepped(1, ORDER) == RowSelection.of(0)
    assert RowSelection.of(4).stepped(-1, ORDER) == RowSelection.of(4)
    assert RowSelection.of(1).stepped(1, ORDER) == RowSelection.of(1)
    assert RowSelection().stepped(1, ORDER) == RowSelection.of(4)
    assert RowSelection().stepped(1, ORDER[:0]) == RowSelection()


NODES = np.array([2, 0])


def test_tsv_has_a_header_and_a_column_for_each_element() -> None:
    lines = copied(table_view(tank_document(), "nodes"), NODES, CopyFormat.TSV).splitlines()
    header, gun, body = (line.split("\t") for line in lines)
    assert header[:6] == ["row", "name", "flags", "parent", "parent_name", "map_start"]
    assert header[-1] == "slots[2][4]"
    assert header[6:8] == ["fallback_key", "fallback_key_name"]
    assert len(header) == len(gun) == len(body) == 8 + 15
    assert gun[:5] == ["2", "gun", "0", "1", "turret"]
    assert body[:5] == ["0", "body", "0", "", ""], "a missing parent is an empty cell"


def test_json_has_an_object_per_row_with_stored_values_and_names() -> None:
    gun, body = json.loads(copied(table_view(tank_document(), "nodes"), NODES, CopyFormat.JSON))
    assert (gun["row"], gun["name"], gun["parent"], gun["parent_name"]) == (2, "gun", 1, "turret")
    assert (body["parent"], body["parent_name"]) == (None, None)
    assert body["slots"][0] == [0, None, None, None, None]


def test_floats_are_copied_in_their_shortest_form_in_both() -> None:
    values = np.array([(0.1, np.nan), (1e-20, 3.0)], "<f4")
    view = TableView("t", 2, (TableColumn(Column("x", lambda: values)),))
    assert copied(view, np.arange(2), CopyFormat.TSV) == "row\tx[0]\tx[1]\n0\t0.1\tnan\n1\t1e-20\t3.0\n"
    assert json.loads(copied(view, np.arange(2), CopyFormat.JSON))[0]["x"] == [0.1, "nan"]


def test_a_text_with_tabs_and_lines_stays_in_its_cell() -> None:
    texts = ColumnTexts.of(["a\tb\r\nc", ""])
    view = TableView("t", 2, (TableColumn(Column("x", lambda: texts)),))
    assert copied(view, np.arange(2), CopyFormat.TSV) == "row\tx\n0\ta b  c\n1\t\n"
    assert json.loads(copied(view, np.arange(2), CopyFormat.JSON))[1]["x"] is None
