"""Rows of a payload whose fields fulfill a condition or have a value; the location of an offset in a file.

Texts of Res10 are called socket tags, unless they are the names of nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import MshviewError, UsageError
from viewer.formats.archive.payload_ranges import PayloadRanges
from viewer.formats.msh import strings
from viewer.formats.part import Part, RecordParts, child_path, place_at
from viewer.formats.record import Field, Record
from viewer.formats.record import Rows as StoredRows
from viewer.formats.text import decode, encode, fold, folded_bytes, names_of, until_nul
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, MODEL, by_id, kind_of
from viewer.model.material.selectors import NOWHERE, WearTable, wears_of
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import has_name_records
from viewer.model.query.condition import Condition
from viewer.model.query.search_query import Query
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item, entry_of
from viewer.model.store.place import BYTES, Place
from viewer.model.tables.column import Column
from viewer.model.tables.model_tables import DECLARED, row_count, table_of
from viewer.model.tables.read_model import LazyModel
from viewer.model.tables.source import TableSource
from viewer.model.tables.table import QueryTable
from viewer.model.tables.table_names import VERTICES
from viewer.progress import checkpoint

TAKES: Final = "takes"
"""The name of the text of a label."""
_TEXT: Final = "text"
_ROW: Final = re.compile(r"\[\d*\]")


def has_labels(value: object) -> bool:
    """Whether a decoded payload is a model with labels."""
    return isinstance(value, Model) and has_name_records(value)


def name_of_field(table: str, field: str, *, is_labeled: bool) -> str:
    """The name of a field in results."""
    return TAKES if is_labeled and (table, field) == (strings.TABLE, _TEXT) else field


def steps_left_out(path: str) -> str:
    """The path of a table without the rows of other tables in it: ``blocks.keys`` of ``blocks[2].keys``."""
    return _ROW.sub("", path)


Rows = npt.NDArray[np.int64]


class SearchedTable(Struct, frozen=True, eq=False, dict=True):
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
    source
        The model whose table it is, from which its other columns are computed; None for other payloads.
    """

    path: str
    record: Record
    rows: StoredRows
    indices: Rows | None
    is_labeled: bool = False
    source: TableSource | None = None

    def place(self, address: Address, row: int, field: str) -> Place:
        """The place of a field of a row."""
        return Place(address, self.path, None if self.indices is None else int(self.indices[row]), field)

    def text(self, row: int, field: str) -> str:
        """A field and its value."""
        value, called = self.rows[field][row], self.name_of(field)
        if self.record.field(field).is_text:
            return " ".join((called, repr(decode(until_nul(bytes(value))))))
        return " ".join((called, str(value.tolist())))

    def name_of(self, field: str) -> str:
        """The name of a field of the table in results."""
        return name_of_field(self.path, field, is_labeled=self.is_labeled)

    @cached_property
    def columns(self) -> QueryTable:
        """The values for a condition: of a model all columns of the table.

        They are also found after the path of the table: ``batches.index_count``.
        """
        table = self._declared or QueryTable.of_records(self.record, self.rows)
        path, known = steps_left_out(self.path), table.columns
        return replace(table, columns={**known, **{f"{path}.{name}": it for name, it in known.items()}})

    @property
    def _declared(self) -> QueryTable | None:
        """The table with all its columns, if these rows are all of a table of a model."""
        declared = DECLARED.get(self.path)
        if self.source is None or declared is None:
            return None
        if declared.record is not self.record and self.record is not _NO_FIELDS:
            return None
        table = table_of(self.source, self.path)
        # Rows of a part of the table would be numbered from 0 and take the columns of others.
        return table.words if table.count == len(self.rows) else None


def matching_values(
    store: FileStore, item: Item, kind: str, query: Query, room: int, fields: set[str]
) -> Iterator[tuple[Place | None, str, int]]:
    """Places with matching values and what is there, at most `room`; then None and how many more.

    The names of the fields that a condition may have here are added to `fields`. Raises `FormatError` if the
    payload cannot be read.
    """
    left, more = room, 0
    for searched in tables_of(item, kind, store):
        checkpoint()
        if query.condition is not None:
            fields.update(searched.columns.columns)
        for name, words, rows in _matches(searched, query):
            for row in rows[:left].tolist():
                yield searched.place(item.address, row, name), words(row), 1
            # What is beyond `room` is counted and not described: a condition may hold for a million rows.
            more += max(0, len(rows) - left)
            left = max(0, left - len(rows))
    if more:
        yield None, "", more


def tables_of(item: Item, kind: str, store: FileStore | None = None) -> Iterator[SearchedTable]:
    """The declared records of a payload as tables; nothing of a kind that is not known.

    Parameters
    ----------
    store
        Where the wear table of a model is read, if a column asks for names in it.
    """
    known = by_id(kind)
    if known.is_known:
        value = known.read(item)
        source = None if kind != MODEL.id else TableSource(LazyModel(value, partial(_wears, store, item)))
        is_labeled = has_labels(value)
        for table in _tables(known.parts(value), ""):
            yield replace(table, is_labeled=is_labeled, source=source)
        if source is not None:
            rows = np.arange(row_count(source, VERTICES))
            empty = np.zeros(len(rows), _NO_FIELDS.dtype)
            # Vertices are no table of the file but rows over several streams, so they come in addition.
            yield SearchedTable(VERTICES, _NO_FIELDS, empty, rows, source=source)


def _wears(store: FileStore | None, item: Item) -> Sequence[WearTable]:
    return (NOWHERE,) if store is None else wears_of(store, item, item.read_model().variant)


_NO_FIELDS: Final = Record(VERTICES, 0)
"""The record of a row of a table that has columns of other tables only."""


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
        if part.is_list and child.record is not None and isinstance(child.rows, np.void):
            yield SearchedTable(path, child.record, _array(child.record, child.rows), np.array([index]))
        else:
            yield from _tables(child, child_path(part, path, index))


def _array(record: Record, rows: StoredRows | np.void) -> StoredRows:
    return rows if isinstance(rows, np.ndarray) else np.array([rows], record.dtype)


def _matches(searched: SearchedTable, query: Query) -> Iterator[tuple[str, Callable[[int], str], Rows]]:
    """The field that shows why rows match, what is said of a row, and the rows."""
    if query.condition is not None:
        for name, rows in _fulfilling(searched.columns, query.condition):
            column = searched.columns.columns[name]
            field = column.stored_name
            if column.field is not None and field in (searched.record.dtype.names or ()):
                yield field, partial(_stored_words, searched, field), rows
            else:
                called = name.removeprefix(f"{steps_left_out(searched.path)}.")
                yield called, partial(_computed_words, called, column), rows
        return
    for declared in searched.record.fields:
        rows = np.flatnonzero(_equal(declared, searched.rows[declared.name], query))
        if len(rows):
            yield declared.name, partial(_stored_words, searched, declared.name), rows


def _stored_words(searched: SearchedTable, field: str, row: int) -> str:
    return searched.text(row, field)


def _computed_words(called: str, column: Column, row: int) -> str:
    return " ".join((called, column.texts([row])[0]))


def _fulfilling(table: QueryTable, condition: Condition) -> Iterator[tuple[str, Rows]]:
    """The rows that fulfill a condition, with its first field; none if the table does not have its fields."""
    named = [name for name in table.columns if name in condition.fields]
    if not named:
        return
    with suppress(UsageError):
        rows = np.flatnonzero(condition.rows(table))
        # Of names that begin at one place the longest: "index_count" holds "index".
        first = min(named, key=lambda name: (condition.text.index(name), -len(name)))
        if len(rows):
            yield first, rows


def _equal(field: Field, values: npt.NDArray[Any], query: Query) -> npt.NDArray[np.bool_]:
    """The rows with the value in a field, in one of its elements if it is an array, (n,) bool."""
    if field.is_text and values.ndim == 1 and values.dtype.itemsize:
        return _same_text(names_of(values), query.value or "")
    if query.number is None or values.dtype.kind not in "iuf":
        return np.zeros(len(values), bool)
    with np.errstate(over="ignore", invalid="ignore"):
        # The double 0.1 equals no stored number: 0.1 in 32 bits is 0.10000000149.
        number = np.float32(query.number) if values.dtype.kind == "f" else query.number
        found: npt.NDArray[np.bool_] = np.equal(values, number)
    return np.asarray(found.any(axis=tuple(range(1, found.ndim))), bool)


def _same_text(texts: npt.NDArray[np.uint8], value: str) -> npt.NDArray[np.bool_]:
    """The texts in fields of equal size that are a value, without regard to the case of A to Z, (n,) bool."""
    size = texts.shape[1]
    try:
        raw = fold(encode(value))
    except ValueError:
        # What is no text of the game's encoding is longer than any field, so it equals none.
        raw = bytes(size + 1)
    if len(raw) > size:
        return np.zeros(len(texts), bool)
    requested = np.frombuffer(raw.ljust(size, b"\0"), np.uint8)
    return np.asarray((folded_bytes(texts) == requested).all(axis=1), bool)


class FoundPlace(Struct, frozen=True):
    """A place, and the kind of the payload that it is in.

    Parameters
    ----------
    text
        Bytes of the text field there that are before and after the start of what was found; None if it is
        not in one.
    called
        What the field is called, if not by its name.
    """

    place: Place
    kind: str
    text: tuple[int, int] | None = None
    called: str = ""


class Locator:
    """Finds the places of offsets in a payload, also in the archives in it.

    Parameters
    ----------
    item
        The payload.
    """

    def __init__(self, item: Item) -> None:
        self._item = item
        self._ranges: dict[Address, PayloadRanges] = {}
        self._last: tuple[Address, Part | None, bool] = (CURRENT, None, False)

    def place(self, offset: int, size: int) -> FoundPlace | None:
        """The place of some bytes; None if they are not in one payload."""
        item, kind = self._item, kind_of(self._item)
        while kind is ARCHIVE:
            archive, address = item.archive, item.address
            if archive is None:  # a damaged one is bytes
                break
            if address not in self._ranges:
                self._ranges[address] = PayloadRanges.of(archive)
            index = _holder(self._ranges[address], offset, size)
            if index is None:
                break
            if index < 0:
                return None
            # Offsets of an archive count from its own start, and each turn goes one archive further inside.
            offset -= archive.entry(index).offset
            item = entry_of(item, archive, index)
            kind = kind_of(item)
        return self._found(item, kind, offset)

    def _found(self, item: Item, kind: Kind, offset: int) -> FoundPlace:
        """The table, row and field at an offset; the byte if the payload cannot be taken apart."""
        address = item.address
        # Searches go through the bytes in order, so only the payload of the last place is kept taken apart.
        if self._last[0] != address:
            self._last = address, *_taken_apart(item, kind)
        root = self._last[1]
        if root is None:
            return FoundPlace(Place(address, BYTES, offset), kind.id)
        found = place_at(root, offset)
        field, before = found.field, found.before
        place = Place(address, found.path, found.row, field.name if field else "")
        is_text = field is not None and field.encoding
        if field is None or not is_text:
            return FoundPlace(place, kind.id)
        called = name_of_field(found.path, field.name, is_labeled=self._last[2])
        return FoundPlace(
            place, kind.id, (before, field.size - before), "" if called == field.name else called
        )


def _holder(ranges: PayloadRanges, offset: int, size: int) -> int | None:
    """The entry that some bytes are in; None if they are in none, -1 if they are only in part."""
    starts, ends = ranges.starts[:-1], ranges.ends[:-1]  # without the directory
    # The entry before `after` is the last one that begins at or before the offset: with starts 16 and 48
    # offset 40 gives 1, so entry 0 may hold it.
    after = int(np.searchsorted(starts, offset, "right"))
    if after and offset < ends[after - 1]:
        is_whole = offset + size <= ends[after - 1]
        return int(ranges.entries[after - 1]) if is_whole else -1
    # Bytes that begin between two entries may still run into the next one.
    is_cut = after < len(starts) and starts[after] < offset + size
    return -1 if is_cut else None


def _taken_apart(item: Item, kind: Kind) -> tuple[Part | None, bool]:
    """The parts of a payload, None if it cannot be read, and whether it is a model with labels."""
    if kind.is_known:
        with suppress(MshviewError):
            value = kind.read(item)
            return kind.parts(value), has_labels(value)
    return None, False
