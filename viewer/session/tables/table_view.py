"""A table as the user sees it: sorted, filtered, its columns arranged, with selected rows; and as text."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import UsageError
from viewer.model.kinds import json_text, separated
from viewer.model.kinds.json_text import flat_columns
from viewer.model.query.condition import Condition, is_condition
from viewer.model.query.names import NameFilter
from viewer.model.tables.column import ROWS_AT_ONCE, ordered
from viewer.model.tables.table import ROW, ModelTable
from viewer.progress import checkpoint


class SortedBy(Struct, frozen=True):
    """The column that rows are sorted by, or `ROW`."""

    column: str
    is_descending: bool = False


class RowQuery(Struct, frozen=True):
    """The query of the shown rows of a table: equal queries have the same answer.

    Parameters
    ----------
    filter
        A condition, or words that must all be in the texts of a row; empty for all rows.
    sorted_by
        None for the order of the file.
    """

    view: ModelTable
    filter: str = ""
    sorted_by: SortedBy | None = None

    @property
    def is_plain(self) -> bool:
        """Whether all rows are shown in the order of the file."""
        return not self.filter.strip() and self.sorted_by is None


class ArrangedRows(Struct, frozen=True, eq=False):
    """The rows to show in their order, (n,) int64.

    `problem` says what is wrong with the filter, which then lets every row through; empty if nothing is.
    """

    query: RowQuery
    rows: npt.NDArray[np.int64]
    problem: str = ""


def arrange(query: RowQuery) -> ArrangedRows:
    """Filter and sort; ends early if the work of its thread is cancelled."""
    view, problem = query.view, ""
    rows = np.arange(view.count)
    try:
        rows = rows[_mask(query)]
    except UsageError as error:
        problem = error.message
    by = query.sorted_by
    column = None if by is None else view.column(by.column)
    if by is not None and column is not None:
        rows = ordered(column, rows, is_descending=by.is_descending)
    elif by is not None and by.column == ROW and by.is_descending:
        rows = rows[::-1]
    return ArrangedRows(query, rows, problem)


def _mask(query: RowQuery) -> npt.NDArray[np.bool_]:
    if is_condition(query.filter):
        return Condition.parse(query.filter).rows(query.view.words)
    names = NameFilter(query.filter)
    if names.is_empty:
        return np.ones(query.view.count, np.bool_)
    found = [names.matches(line) for line in _lines(query.view)]
    return np.array(found, np.bool_)


def _lines(view: ModelTable) -> Iterator[str]:
    """The texts of each row, joined."""
    for start in range(0, view.count, ROWS_AT_ONCE):
        checkpoint()
        rows = range(start, min(start + ROWS_AT_ONCE, view.count))
        for words in zip(*(column.texts(rows) for column in view.shown), strict=True):
            yield " ".join(words)


Order = npt.NDArray[np.int64]


class RowSelection(Struct, frozen=True):
    """Rows of a table; the active one was clicked last, a range begins at the anchor."""

    rows: frozenset[int] = frozenset()
    active: int | None = None
    anchor: int | None = None

    @classmethod
    def of(cls, row: int | None) -> RowSelection:
        """Selection of a single row, or of none."""
        return cls() if row is None else cls(frozenset({row}), row, row)

    def clicked(self, row: int, order: Order, *, is_added: bool, is_range: bool) -> RowSelection:
        """The selection after a click on a row of the order shown.

        Parameters
        ----------
        is_added
            Ctrl is held: the row is added, or removed if it is selected.
        is_range
            Shift is held: everything from the anchor to the row, which Ctrl adds to the rest.
        """
        if is_range and self.anchor is not None:
            chosen = frozenset(_between(order, self.anchor, row))
            return replace(self, rows=self.rows | chosen if is_added else chosen, active=row)
        if is_added:
            rows = self.rows ^ {row}
            return RowSelection(rows, row if row in rows else None, row)
        return RowSelection.of(row)

    def all_of(self, order: Order) -> RowSelection:
        """Selection of all rows that are shown."""
        return replace(self, rows=frozenset(order.tolist()))

    def stepped(self, step: int, order: Order) -> RowSelection:
        """The row `step` further in the order shown, alone; the first if none is active."""
        if not len(order):
            return self
        found = np.flatnonzero(order == (-1 if self.active is None else self.active))
        place = int(found[0]) + step if len(found) else 0
        return RowSelection.of(int(order[min(max(place, 0), len(order) - 1)]))

    def shown(self, order: Order) -> Order:
        """The selected rows in the order shown."""
        chosen: Order = order[np.isin(order, [*self.rows])] if len(self.rows) < len(order) else order
        return chosen


def _between(order: Order, first: int, last: int) -> list[int]:
    """The rows from one to another, in either direction; the last alone if the first is not shown."""
    places = [np.flatnonzero(order == row) for row in (first, last)]
    if not all(map(len, places)):
        return [last]
    low, high = sorted(int(place[0]) for place in places)
    rows: list[int] = order[low : high + 1].tolist()
    return rows


class CopyFormat(StrEnum):
    """Formats of copied rows."""

    TSV = "tsv"
    JSON = "json"


def copied(table: ModelTable, rows: npt.NDArray[np.int64], form: CopyFormat) -> str:
    """Text of rows of a table with all columns, those that are not shown too."""
    return tsv(table, rows) if form is CopyFormat.TSV else json_text.encode(table.plain(rows)) + "\n"


def tsv(table: ModelTable, rows: npt.NDArray[np.int64]) -> str:
    """A header and a line per row; a column for each element of an array, empty cells for none.

    Sets of bits are hexadecimal, as in the table on screen.
    """
    bits = frozenset(it.name for it in table.columns if it.field is not None and it.field.is_bits)
    columns = flat_columns(table.plain(rows), bits)
    lines = [[name for name, _ in columns], *zip(*(cells for _, cells in columns), strict=True)]
    return separated.text_of(lines, "\t")
