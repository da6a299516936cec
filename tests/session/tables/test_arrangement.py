"""Filtering and sorting the rows of a table."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ui.scenes import GUN, TURRET, tank_document
from viewer.model.query.table import Column
from viewer.progress import Cancelled, Progress, working
from viewer.session.tables.arrangement import ArrangedRows, RowQuery, SortedBy, arrange
from viewer.session.tables.model_tables import table_view
from viewer.session.tables.table_view import TableColumn, TableView


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
