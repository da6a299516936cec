"""Which rows of a table are shown, and in which order: by a filter and a column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import UsageError
from viewer.model.query.condition import ROW, Condition, is_condition
from viewer.model.query.name_filter import NameFilter
from viewer.model.query.order import ordered
from viewer.progress import checkpoint
from viewer.session.tables.table_view import TableView

ROWS_AT_ONCE: Final = 4096
"""Rows whose texts are made together, between two checks whether the work was cancelled."""


@dataclass(frozen=True, slots=True)
class SortedBy:
    """The column that rows are sorted by, or `ROW`."""

    column: str
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class RowQuery:
    """What decides which rows are shown: equal ones have the same answer.

    Parameters
    ----------
    filter
        A condition, or words that must all be in the texts of a row; empty for all rows.
    sorted_by
        None for the order of the file.
    """

    view: TableView
    filter: str = ""
    sorted_by: SortedBy | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is every row in the order of the file."""
        return not self.filter.strip() and self.sorted_by is None


@dataclass(frozen=True, slots=True, eq=False)
class ArrangedRows:
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
        rows = ordered(column.column, rows, is_descending=by.is_descending)
    elif by is not None and by.column == ROW and by.is_descending:
        rows = rows[::-1]
    return ArrangedRows(query, rows, problem)


def _mask(query: RowQuery) -> npt.NDArray[np.bool_]:
    if is_condition(query.filter):
        return Condition.parse(query.filter).rows(query.view.table)
    names = NameFilter(query.filter)
    if names.is_empty:
        return np.ones(query.view.count, np.bool_)
    found = [names.matches(line) for line in _lines(query.view)]
    return np.array(found, np.bool_)


def _lines(view: TableView) -> Iterator[str]:
    """The texts of each row, joined."""
    for start in range(0, view.count, ROWS_AT_ONCE):
        checkpoint()
        rows = range(start, min(start + ROWS_AT_ONCE, view.count))
        for words in zip(*(column.texts(rows) for column in view.columns), strict=True):
            yield " ".join(words)
