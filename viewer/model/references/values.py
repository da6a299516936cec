"""Rows of a payload whose fields fulfill a condition or have a value; the location of an offset in a file.

Texts of Res10 are called socket tags, unless they are the names of nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass, replace
from viewer.errors import MshviewError, UsageError
from viewer.formats.archive import nres
from viewer.formats.msh import strings
from viewer.formats.part import Part, RecordParts, child_path, spot_at
from viewer.formats.record import Field, Record
from viewer.formats.record import Rows as StoredRows
from viewer.formats.text import decode, encode, fold, folded_bytes, names_of, until_nul
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, by_id, kind_of
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import has_name_records
from viewer.model.query.condition import Condition
from viewer.model.query.search_query import Query
from viewer.model.query.table import QueryTable
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.item import Item, entry_of
from viewer.model.store.place import BYTES, Place
from viewer.progress import checkpoint

TAKES: Final = "takes"
"""What the text of a label is called."""
_TEXT: Final = "text"
_ROW: Final = re.compile(r"\[\d*\]")


def has_labels(value: object) -> bool:
    """Tell whether a decoded payload is a model with labels."""
    return isinstance(value, Model) and has_name_records(value)


def name_of_field(table: str, field: str, *, is_labeled: bool) -> str:
    """What a field is called in results."""
    return TAKES if is_labeled and (table, field) == (strings.TABLE, _TEXT) else field


def steps_left_out(path: str) -> str:
    """The path of a table without the rows of other tables in it: ``blocks.keys`` of ``blocks[2].keys``."""
    return _ROW.sub("", path)


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
        """What a field is called in conditions and results."""
        return name_of_field(self.path, field, is_labeled=self.is_labeled)

    @property
    def columns(self) -> QueryTable:
        """The values for a condition.

        The fields are also found by what they are called in results, and after the path of the table:
        ``batches.index_count``.
        """
        table = QueryTable.of_records(self.record, self.rows)
        called = {self.name_of(name): column for name, column in table.columns.items()}
        known = {**table.columns, **called}
        path = steps_left_out(self.path)
        return replace(table, columns={**known, **{f"{path}.{name}": it for name, it in known.items()}})


def matching_values(
    item: Item, kind: str, query: Query, room: int, fields: set[str]
) -> Iterator[tuple[Place | None, str, int]]:
    """Places with matching values and what is there, at most `room`; then None and how many more.

    The names of the fields that a condition may have here are added to `fields`. Raises `FormatError` if the
    payload cannot be read.
    """
    left, more = room, 0
    for searched in tables_of(item, kind):
        checkpoint()
        if query.condition is not None:
            fields.update(searched.columns.columns)
        for name, rows in _matches(searched, query):
            for row in rows[:left].tolist():
                yield searched.place(item.address, row, name), searched.text(row, name), 1
            more += max(0, len(rows) - left)
            left = max(0, left - len(rows))
    if more:
        yield None, "", more


def tables_of(item: Item, kind: str) -> Iterator[SearchedTable]:
    """The declared records of a payload as tables; nothing of a kind that is not known."""
    known = by_id(kind)
    if known.is_known:
        value = known.read(item)
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
        if part.is_list and child.record is not None and isinstance(child.rows, np.void):
            yield SearchedTable(path, child.record, _array(child.record, child.rows), np.array([index]))
        else:
            yield from _tables(child, child_path(part, path, index))


def _array(record: Record, rows: StoredRows | np.void) -> StoredRows:
    return rows if isinstance(rows, np.ndarray) else np.array([rows], record.dtype)


def _matches(searched: SearchedTable, query: Query) -> Iterator[tuple[str, Rows]]:
    """The rows that match and the field that shows why."""
    if query.condition is not None:
        for name, rows in _fulfilling(searched.columns, query.condition):
            fields = {searched.name_of(field.name): field.name for field in searched.record.fields}
            called = name.removeprefix(f"{steps_left_out(searched.path)}.")
            yield fields.get(called, called), rows
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
        # Of names that begin at one place the longest: "index_count" holds "index".
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
    return np.asarray(found.any(axis=tuple(range(1, found.ndim))), bool)


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


@dataclass(frozen=True, slots=True)
class FoundSpot:
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
        self._ranges: dict[Address, nres.PayloadRanges] = {}
        self._last: tuple[Address, Part | None, bool] = (CURRENT, None, False)

    def spot(self, offset: int, size: int) -> FoundSpot | None:
        """The place of some bytes; None if they are not in one payload."""
        item, kind = self._item, kind_of(self._item)
        while kind is ARCHIVE:
            archive, address = item.archive, item.address
            if archive is None:  # a damaged one is bytes
                break
            if address not in self._ranges:
                self._ranges[address] = nres.PayloadRanges.of(archive)
            index = _holder(self._ranges[address], offset, size)
            if index is None:
                break
            if index < 0:
                return None
            offset -= archive.entry(index).offset
            item = entry_of(item, archive, index)
            kind = kind_of(item)
        return self._found(item, kind, offset)

    def _found(self, item: Item, kind: Kind, offset: int) -> FoundSpot:
        """The table, row and field at an offset; the byte if the payload cannot be taken apart."""
        address = item.address
        if self._last[0] != address:
            self._last = address, *_taken_apart(item, kind)
        root = self._last[1]
        if root is None:
            return FoundSpot(Place(address, BYTES, offset), kind.id)
        spot = spot_at(root, offset)
        field, before = spot.field, spot.before
        place = Place(address, spot.path, spot.row, field.name if field else "")
        is_text = field is not None and field.encoding
        if field is None or not is_text:
            return FoundSpot(place, kind.id)
        called = name_of_field(spot.path, field.name, is_labeled=self._last[2])
        return FoundSpot(
            place, kind.id, (before, field.size - before), "" if called == field.name else called
        )


def _holder(ranges: nres.PayloadRanges, offset: int, size: int) -> int | None:
    """The entry that some bytes are in; None if they are in none, -1 if they are only in part."""
    after = int(np.searchsorted(ranges.starts, offset, "right"))
    if after and offset < ranges.ends[after - 1]:
        is_whole = offset + size <= ranges.ends[after - 1]
        return int(ranges.entries[after - 1]) if is_whole else -1
    is_cut = after < len(ranges.starts) and ranges.starts[after] < offset + size
    return -1 if is_cut else None


def _taken_apart(item: Item, kind: Kind) -> tuple[Part | None, bool]:
    """The parts of a payload, None if it cannot be read, and whether it is a model with labels."""
    if kind.is_known:
        with suppress(MshviewError):
            value = kind.read(item)
            return kind.parts(value), has_labels(value)
    return None, False
