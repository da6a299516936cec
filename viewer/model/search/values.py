"""Rows of a payload whose fields fulfill a condition or have a value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import numpy.typing as npt

from viewer.errors import UsageError
from viewer.formats.archive import nres
from viewer.formats.part import Part, RecordParts, child_path
from viewer.model.kinds.registry import by_id
from viewer.model.query.condition import Condition
from viewer.model.query.table import Column, Table, Texts
from viewer.model.search.query import Query
from viewer.model.store.file_store import Item
from viewer.model.store.place import Place
from viewer.progress import checkpoint

Rows = npt.NDArray[np.int64]


class SearchedTable:
    """A table of a payload, and the rows that its own stand for.

    Parameters
    ----------
    path
        Its path in places.
    table
        Its columns.
    indices
        The row of each of its rows in a place; None for a single record.
    """

    def __init__(self, path: str, table: Table, indices: Rows | None) -> None:
        self.path = path
        self.table = table
        self._indices = indices

    def place(self, address: str, row: int, field: str) -> Place:
        """The place of a field of a row."""
        return Place(address, self.path, None if self._indices is None else int(self._indices[row]), field)


def matching_values(
    item: Item, kind: str, query: Query, room: int
) -> Iterator[tuple[Place | None, str, int]]:
    """Yield places with matching values and what is there, at most `room`; then None and how many more.

    Raises `FormatError` if the payload cannot be read.
    """
    left, more = room, 0
    for searched in tables_of(item, kind):
        checkpoint()
        for column, rows in _matches(searched.table, query):
            for row in rows[:left].tolist():
                place = searched.place(str(item.address), row, column.name)
                yield place, " ".join((column.name, _text(column, row))), 1
            more += max(0, len(rows) - left)
            left = max(0, left - len(rows))
    if more:
        yield None, "", more


def tables_of(item: Item, kind: str) -> Iterator[SearchedTable]:
    """Yield the declared records of a payload as tables; nothing of a kind that is not known."""
    known = by_id(kind)
    if known.is_known:
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        yield from _tables(known.parts(known.decode(item.data, entry)), "")


def _tables(part: Part, path: str) -> Iterator[SearchedTable]:
    checkpoint()
    if part.record is not None and part.rows is not None:
        rows = part.rows if isinstance(part.rows, np.ndarray) else np.array([part.rows], part.record.dtype)
        indices = np.arange(len(rows)) if part.is_table else None
        yield SearchedTable(path, Table.of_records(part.record, rows), indices)
    if isinstance(part.children, RecordParts):
        for group in part.children.groups:
            yield SearchedTable(path, Table.of_records(group.record, group.rows), group.indices)
        return
    for index, child in enumerate(part.children):
        yield from _tables(child, child_path(part, path, index))


def _matches(table: Table, query: Query) -> Iterator[tuple[Column, Rows]]:
    """Yield the rows that match and a column that shows why."""
    if query.condition is not None:
        yield from _fulfilling(table, query.condition)
        return
    for column in table.columns.values():
        rows = np.flatnonzero(_equal(column, query))
        if len(rows):
            yield column, rows


def _fulfilling(table: Table, condition: Condition) -> Iterator[tuple[Column, Rows]]:
    """The rows that fulfill a condition, with its first field; none if the table does not have its fields."""
    named = [name for name in table.columns if name in condition.text]
    if not named:
        return
    with suppress(UsageError):
        rows = np.flatnonzero(condition.rows(table))
        first = min(named, key=lambda name: (condition.text.index(name), -len(name)))
        if len(rows):
            yield table.columns[first], rows


def _equal(column: Column, query: Query) -> npt.NDArray[np.bool_]:
    """Tell which rows have the value in a column, in one of its elements if it is an array."""
    values = column.values
    if isinstance(values, Texts):
        requested = (query.value or "").casefold()
        return values.where(label.casefold() == requested for label in values.labels)
    if query.number is None or values.dtype.kind not in "iuf":
        return np.zeros(len(values), bool)
    with np.errstate(over="ignore", invalid="ignore"):
        number = np.float32(query.number) if values.dtype.kind == "f" else query.number
        found: npt.NDArray[np.bool_] = np.equal(values, number)
    return np.asarray(found.reshape(len(values), -1).any(axis=1), bool)


def _text(column: Column, row: int) -> str:
    values = column.values
    if isinstance(values, Texts):
        return repr(values[row])
    value = values[row]
    return str(value.tolist() if isinstance(value, np.ndarray) else value)
