"""A table as the user sees it: sorted, filtered, its columns arranged, with selected rows; and as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from math import isnan, prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass, replace
from viewer.errors import UsageError
from viewer.formats.record import Field, Status
from viewer.model.kinds import json_text, separated
from viewer.model.kinds.columns import Column as PlainColumn
from viewer.model.kinds.columns import Columns, NullableArray
from viewer.model.kinds.json_text import flat_columns
from viewer.model.query.condition import ROW, Condition, is_condition
from viewer.model.query.names import NameFilter
from viewer.model.query.table import NO_TEXT, Column, ColumnTexts, QueryTable, ordered
from viewer.model.store.address import Address
from viewer.progress import checkpoint
from viewer.translation import Text, _, translated

Rows = Sequence[int] | npt.NDArray[np.int64]

NONE_IN_ARRAY: Final = "-"
"""Stands for none among the elements of an array."""
BETWEEN: Final = ", "
"""Between the elements of an array."""
BETWEEN_ROWS: Final = " | "
"""Between the rows of a matrix."""


@dataclass(frozen=True, slots=True, eq=False)
class TableColumn:
    """One column.

    Parameters
    ----------
    column
        Its name and values.
    field
        The declared field that it shows as stored; None for a column that is derived.
    doc
        What a derived column is.
    refers_to
        The table whose rows its numbers are; empty for other columns.
    table
        The table that stores it, if that is another one.
    is_guess
        The field is not declared but a way to look at unknown bytes: it can be neither set nor addressed.
    element_name
        What an element of an array is, by its number; None if its place says enough.
    """

    column: Column
    field: Field | None = None
    doc: Text | None = None
    refers_to: str = ""
    table: str = ""
    is_guess: bool = False
    element_name: Callable[[int], str] | None = None

    @property
    def name(self) -> str:
        """The name of the column, in its header and in conditions."""
        return self.column.name

    @property
    def is_named(self) -> bool:
        """Whether names are shown next to its numbers: of rows, or what a derived number means."""
        return bool(self.column.names) and (bool(self.refers_to) or self.field is None)

    @property
    def explanation(self) -> str:
        """The meaning of the column in one sentence."""
        if self.field is not None:
            return translated(self.field.doc)
        return str(self.doc) if self.doc else ""

    def texts(self, rows: Rows) -> list[str]:
        """The values of some rows as text, names beside numbers."""
        values, which = self.column.values, np.asarray(rows, np.int64)
        if isinstance(values, ColumnTexts):
            labels = (*values.labels, "")
            return [labels[code] for code in values.codes[which].tolist()]
        cells = values[which]
        words = self._distinct_words(cells.reshape(-1), is_alone=cells.ndim == 1)
        if cells.ndim > 1:
            for between, count in ((BETWEEN, cells.shape[-1]), (BETWEEN_ROWS, prod(cells.shape[1:-1]))):
                words = [*map(between.join, zip(*[iter(words)] * count, strict=True))]
        return words

    def _distinct_words(self, flat: npt.NDArray[Any], *, is_alone: bool) -> list[str]:
        """The texts of `words`; of very many numbers equal ones, bit by bit, are formatted once."""
        if len(flat) < ROWS_AT_ONCE:
            return self.words(flat, is_alone=is_alone)
        # Bit by bit: NaN equals no NaN, and -0.0 would be shown as 0.0.
        bits = flat.view(f"u{flat.dtype.itemsize}")
        _, first, codes = np.unique(bits, return_index=True, return_inverse=True)
        found: list[str] = np.array(self.words(flat[first], is_alone=is_alone), object)[codes].tolist()
        return found

    def pieces(self, row: int) -> list[tuple[str, int | None]]:
        """The elements of one value as text, each with the row that it refers to, or None."""
        values = self.column.values
        if isinstance(values, ColumnTexts):
            return [(values[row], None)]
        flat = np.asarray(values[row]).reshape(-1)
        targets = flat.tolist() if self.refers_to else [None] * len(flat)
        missing = self.column.none
        return [
            (word, None if target == missing else target)
            for word, target in zip(self.words(flat, is_alone=len(flat) == 1), targets, strict=True)
        ]

    def words(self, flat: npt.NDArray[Any], *, is_alone: bool) -> list[str]:
        """Numbers, (n,), as text; those that are alone in their cell have their name beside them."""
        if flat.dtype.kind == "f":
            return self._floats(flat)
        width = 2 * flat.dtype.itemsize
        is_bits = self.field is not None and self.field.is_bits
        if is_bits:
            words = [f"0x{value & (1 << 4 * width) - 1:0{width}X}" for value in flat.tolist()]
        else:
            words = [*map(str, flat.tolist())]
        self._name(words, flat, is_alone=is_alone)
        return words

    def _floats(self, flat: npt.NDArray[Any]) -> list[str]:
        """Stored numbers in their shortest form, decoded ones rounded, nothing for a missing one."""
        if self.field is None or not self.field.is_float:
            return ["" if isnan(value) else f"{value:.4g}" for value in flat.tolist()]
        if self.field.status is Status.OPEN:
            return [f"0x{bits:08X}" for bits in flat.astype(np.float32).view(np.uint32).tolist()]
        return [str(value).removesuffix(".0") for value in flat.astype(np.float32)]

    def _name(self, words: list[str], flat: npt.NDArray[Any], *, is_alone: bool) -> None:
        """Add names to the numbers that have one, and replace the number that means none."""
        names, missing = self.column.names, self.column.none
        if missing is None and not self.is_named:
            return
        for index, value in enumerate(flat.tolist()):
            if value == missing:
                words[index] = "" if self.field is None else _("none") if is_alone else NONE_IN_ARRAY
            elif is_alone and self.is_named and value in names:
                words[index] = f"{words[index]} {names[value]}"


@dataclass(frozen=True, eq=False)
class TableView:
    """A table with all its columns.

    Parameters
    ----------
    name
        Its name in places.
    count
        Number of rows.
    address
        The neighbor of the model that it is in; empty for a table of the model.
    """

    name: str
    count: int
    columns: tuple[TableColumn, ...]
    address: Address | None = None

    @cached_property
    def table(self) -> QueryTable:
        """The table as conditions see it."""
        return QueryTable(self.name, self.count, {it.name: it.column for it in self.columns})

    def column(self, name: str) -> TableColumn | None:
        """The column of a name, or None."""
        return next((it for it in self.columns if it.name == name), None)


def texts_column(name: str, texts: Sequence[str], doc: Text) -> TableColumn:
    """A derived column of texts."""
    return TableColumn(Column(name, lambda: ColumnTexts.of(texts)), doc=doc)


NO_ROW: Final = NO_TEXT
"""The number of a derived reference that leads nowhere."""


ROWS_AT_ONCE: Final = 1 << 14
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
        """Whether all rows are shown in the order of the file."""
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


Order = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RowSelection:
    """Rows of a table; the active one was clicked last, a range begins at the anchor."""

    rows: frozenset[int] = frozenset()
    active: int | None = None
    anchor: int | None = None

    @classmethod
    def of(cls, row: int | None) -> RowSelection:
        """One row, or none."""
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
        """Everything that is shown."""
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


NAME: Final = "_name"
"""Ends the name of the column that holds the names beside a column of numbers."""


class CopyFormat(StrEnum):
    """Formats of copied rows."""

    TSV = "tsv"
    JSON = "json"


def copied(view: TableView, rows: npt.NDArray[np.int64], form: CopyFormat) -> str:
    """Some rows of a table with all columns as text."""
    return tsv(view, rows) if form is CopyFormat.TSV else json_text.encode(plain_rows(view, rows)) + "\n"


def plain_rows(view: TableView, rows: npt.NDArray[np.int64]) -> Columns:
    """Rows as ``inspect --json`` prints them: their number, stored values, names of what they refer to."""
    columns: dict[str, PlainColumn] = {ROW: rows}
    for column in view.columns:
        values, none = column.column.values, column.column.none
        if isinstance(values, ColumnTexts):
            columns[column.name] = [values[row] or None for row in rows.tolist()]
        else:
            columns[column.name] = values[rows] if none is None else NullableArray.of(values[rows], none)
        if column.is_named and not column.column.shape:
            numbers = np.asarray(values)[rows].tolist()
            columns[f"{column.name}{NAME}"] = [column.column.names.get(number) for number in numbers]
    return Columns(len(rows), columns)


def tsv(view: TableView, rows: npt.NDArray[np.int64]) -> str:
    """A header and a line per row; a column for each element of an array, empty cells for none.

    Sets of bits are hexadecimal, as in the table on screen.
    """
    bits = frozenset(it.name for it in view.columns if it.field is not None and it.field.is_bits)
    columns = flat_columns(plain_rows(view, rows), bits)
    lines = [[name for name, _ in columns], *zip(*(cells for _, cells in columns), strict=True)]
    return separated.text_of(lines, "\t")
