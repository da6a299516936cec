"""Tables: rows with columns, and their rows as plain values for JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from math import isnan
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.formats.record import Record, Rows
from viewer.model.kinds.columns import Column as PlainColumn
from viewer.model.kinds.columns import Columns, MadeColumn, NullableArray
from viewer.model.kinds.explained import has_own
from viewer.model.store.address import Address
from viewer.model.tables.column import NAME, NO_TEXT, Column, ColumnTexts

INDEX: Final = "index"
"""The column of the row numbers."""
ROW: Final = "row"
"""The other name of that column, which every condition may use, alone if a field is called ``index``."""


class QueryTable(Struct, frozen=True, eq=False):
    """Rows with the columns that a condition may name.

    Parameters
    ----------
    name
        Its name in places.
    count
        Number of rows.
    columns
        By their names.
    """

    name: str
    count: int
    columns: Mapping[str, Column] = field(default_factory=dict)

    @classmethod
    def of_records(cls, record: Record, rows: Rows) -> QueryTable:
        """The stored values of records, (n,)."""
        return cls(record.name, len(rows), {it.name: Column.of_field(it, rows) for it in record.fields})


class ModelTable(Struct, frozen=True, eq=False, dict=True):
    """A table with all its columns.

    Parameters
    ----------
    name
        Its name in places.
    count
        Number of rows.
    columns
        In their order; those of the row numbers and of the names beside numbers are left out.
    address
        The neighbor of the model that it is in; None for a table of the model.
    """

    name: str
    count: int
    columns: tuple[Column, ...]
    address: Address | None = None

    def column(self, name: str) -> Column | None:
        """The column of a name, or None."""
        return next((it for it in (*self.columns, *self.own.values()) if it.name == name), None)

    @property
    def own(self) -> Mapping[str, Column]:
        """The columns of the overlay in use by those that they are of; none under a name that is taken."""
        if not has_own():
            return {}
        names = {it.name for it in self.columns}
        found = {it.name: it.own for it in self.columns}
        return {name: it for name, it in found.items() if it is not None and it.name not in names}

    @property
    def shown(self) -> tuple[Column, ...]:
        """The columns that a window shows, each with the user's own; not those that no row has."""
        there, own = [it for it in self.columns if not it.is_absent], self.own
        return tuple(shown for it in there for shown in (it, own.get(it.name)) if shown is not None)

    @cached_property
    def numbers(self) -> Column:
        """The column of the row numbers."""
        return Column(numbers_name(it.name for it in self.columns), lambda: np.arange(self.count))

    @cached_property
    def words(self) -> QueryTable:
        """The table as conditions see it: also the row numbers, and the names beside numbers."""
        columns = {self.numbers.name: self.numbers}
        for column in self.columns:
            columns[column.name] = column
            if column.has_names:
                columns[column.name + NAME] = column.named
        return QueryTable(self.name, self.count, columns)

    def plain(self, rows: npt.NDArray[np.int64] | None = None) -> Columns:
        """Rows as ``inspect --json`` prints them, all of them or some, (n,)."""
        columns: dict[str, PlainColumn] = {
            self.numbers.name: np.arange(self.count) if rows is None else rows,
        }
        for column in self.columns:
            values = _plain(column, rows)
            columns[column.name] = values
            if column.has_names:
                columns[column.name + NAME] = MadeColumn(_chosen(column, rows), column.names.get)
        return Columns(self.count if rows is None else len(rows), columns)

    def readable(self) -> Columns:
        """All rows as text shows them: a number and the name beside it in one column."""
        columns = dict(self.plain().columns)
        for column in self.columns:
            if column.has_names:
                del columns[column.name + NAME]
                columns[column.name] = MadeColumn(np.asarray(column.stored), partial(_labeled, column))
        return Columns(self.count, columns)


def _labeled(column: Column, number: int) -> int | str | None:
    if number == column.none:
        return None
    name = column.names.get(number)
    return f"{number} {name}" if name else number


def numbers_name(names: Iterable[str]) -> str:
    """The name of the row numbers in a table with columns of these names."""
    # The table of the indices has a field of that name.
    return ROW if INDEX in names else INDEX


def _chosen(column: Column, rows: npt.NDArray[np.int64] | None) -> Any:
    """The numbers of all rows, or of some; there may be none of the last ones."""
    stored = np.asarray(column.stored)
    if rows is None:
        return stored
    if not len(rows) or int(rows.max()) < len(stored):
        return stored[rows]
    # A list, as an array of whole numbers has no place for None.
    return [stored[row].tolist() if row < len(stored) else None for row in rows.tolist()]


def _plain(column: Column, rows: npt.NDArray[np.int64] | None) -> PlainColumn:
    values = column.stored
    if isinstance(values, ColumnTexts):
        # A stored text is never null: a name of no letters is a name.
        nothing = None if column.field is None else ""
        labels = values.labels
        codes = values.codes if rows is None else values.codes[rows]
        return MadeColumn(codes, lambda code: nothing if code == NO_TEXT else labels[code])
    numbers: PlainColumn = _chosen(column, rows)
    if not isinstance(numbers, np.ndarray):
        return numbers
    if column.has_gaps:
        return MadeColumn(numbers, _number)
    return numbers if column.none is None else NullableArray.of(numbers, column.none)


def _number(value: float) -> float | None:
    return None if isnan(value) else value
