"""Rows of a payload whose fields fulfill a condition or have a value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.errors import UsageError
from viewer.formats.archive import nres
from viewer.formats.part import Part, RecordParts, child_path
from viewer.formats.record import Field, Record
from viewer.formats.record import Rows as StoredRows
from viewer.formats.text import decode, encode, fold, folded_bytes, names_of, until_nul
from viewer.model.kinds.registry import by_id
from viewer.model.query.condition import Condition
from viewer.model.query.table import QueryTable
from viewer.model.search.labels import has_labels, name_of_field
from viewer.model.search.query import Query
from viewer.model.store.file_store import Item
from viewer.model.store.place import Place
from viewer.progress import checkpoint

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SearchedTable:
    """Records of a payload.

    Parameters
    ----------
    path
        The path of their table in places.
    record, rows
        The records, (n,).
    indices
        The row of each of them in a place; None for a single record.
    is_labeled
        The payload is a model with labels.
    """

    path: str
    record: Record
    rows: StoredRows
    indices: Rows | None
    is_labeled: bool = False

    def place(self, address: str, row: int, field: str) -> Place:
        """The place of a field of a row."""
        return Place(address, self.path, None if self.indices is None else int(self.indices[row]), field)

    def text(self, row: int, field: str) -> str:
        """A field and its value."""
        value, called = self.rows[field][row], self.name_of(field)
        if self.record.field(field).is_text:
            return " ".join((called, repr(decode(until_nul(bytes(value))))))
        return " ".join((called, str(value.tolist())))

    def name_of(self, field: str) -> str:
        """What a field is called in conditions and results."""
        return name_of_field(self.path, field, is_labeled=self.is_labeled)

    @property
    def columns(self) -> QueryTable:
        """The values for a condition; the fields are also found by what they are called in results."""
        table = QueryTable.of_records(self.record, self.rows)
        called = {self.name_of(name): column for name, column in table.columns.items()}
        return replace(table, columns={**table.columns, **called})


def matching_values(
    item: Item, kind: str, query: Query, room: int
) -> Iterator[tuple[Place | None, str, int]]:
    """Yield places with matching values and what is there, at most `room`; then None and how many more.

    Raises `FormatError` if the payload cannot be read.
    """
    left, more = room, 0
    for searched in tables_of(item, kind):
        checkpoint()
        for name, rows in _matches(searched, query):
            for row in rows[:left].tolist():
                yield searched.place(str(item.address), row, name), searched.text(row, name), 1
            more += max(0, len(rows) - left)
            left = max(0, left - len(rows))
    if more:
        yield None, "", more


def tables_of(item: Item, kind: str) -> Iterator[SearchedTable]:
    """Yield the declared records of a payload as tables; nothing of a kind that is not known."""
    known = by_id(kind)
    if known.is_known:
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        value = known.decode(item.data, entry)
        is_labeled = has_labels(value)
        for table in _tables(known.parts(value), ""):
            yield replace(table, is_labeled=is_labeled)


def _tables(part: Part, path: str) -> Iterator[SearchedTable]:
    checkpoint()
    if part.record is not None and part.rows is not None:
        rows = _array(part.record, part.rows)
        indices = np.arange(len(rows)) if part.is_table else None
        yield SearchedTable(path, part.record, rows, indices)
    if isinstance(part.children, RecordParts):
        for group in part.children.groups:
            yield SearchedTable(path, group.record, group.rows, group.indices)
        return
    for index, child in enumerate(part.children):
        if part.is_list and child.is_leaf and child.record is not None and child.rows is not None:
            yield SearchedTable(path, child.record, _array(child.record, child.rows), np.array([index]))
        else:
            yield from _tables(child, child_path(part, path, index))


def _array(record: Record, rows: StoredRows | np.void) -> StoredRows:
    return rows if isinstance(rows, np.ndarray) else np.array([rows], record.dtype)


def _matches(searched: SearchedTable, query: Query) -> Iterator[tuple[str, Rows]]:
    """Yield the rows that match and the field that shows why."""
    if query.condition is not None:
        for name, rows in _fulfilling(searched.columns, query.condition):
            fields = {searched.name_of(field.name): field.name for field in searched.record.fields}
            yield fields.get(name, name), rows
        return
    for field in searched.record.fields:
        rows = np.flatnonzero(_equal(field, searched.rows[field.name], query))
        if len(rows):
            yield field.name, rows


def _fulfilling(table: QueryTable, condition: Condition) -> Iterator[tuple[str, Rows]]:
    """The rows that fulfill a condition, with its first field; none if the table does not have its fields."""
    named = [name for name in table.columns if name in condition.text]
    if not named:
        return
    with suppress(UsageError):
        rows = np.flatnonzero(condition.rows(table))
        first = min(named, key=lambda name: (condition.text.index(name), -len(name)))
        if len(rows):
            yield first, rows


def _equal(field: Field, values: npt.NDArray[Any], query: Query) -> npt.NDArray[np.bool_]:
    """Tell which rows have the value in a field, in one of its elements if it is an array."""
    if field.is_text and values.ndim == 1 and values.dtype.itemsize:
        return _same_text(names_of(values), query.value or "")
    if query.number is None or values.dtype.kind not in "iuf":
        return np.zeros(len(values), bool)
    with np.errstate(over="ignore", invalid="ignore"):
        number = np.float32(query.number) if values.dtype.kind == "f" else query.number
        found: npt.NDArray[np.bool_] = np.equal(values, number)
    return np.asarray(found.reshape(len(values), -1).any(axis=1), bool)


def _same_text(texts: npt.NDArray[np.uint8], value: str) -> npt.NDArray[np.bool_]:
    """Tell which texts in fields of equal size are a value, without regard to the case of A to Z."""
    size = texts.shape[1]
    try:
        raw = fold(encode(value))
    except ValueError:
        raw = bytes(size + 1)
    if len(raw) > size:
        return np.zeros(len(texts), bool)
    requested = np.frombuffer(raw.ljust(size, b"\0"), np.uint8)
    return np.asarray((folded_bytes(texts) == requested).all(axis=1), bool)
