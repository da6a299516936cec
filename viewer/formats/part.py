"""Parts: the content of a payload and its offsets, as a tree whose spans tile the payload.

A part is a table of records, a single record, a list of parts of different lengths, a group, or bytes that
no record describes. Everything that shows, compares or edits a payload walks this tree. A part has a path:
``phases``, ``blocks[2].keys``; a table of a `Diagnostic` is such a path.

Source: spec/README.md 3 (packed structures).
Status: proven.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.record import Bytes, Field, Record, Rows, Status

ROOT: Final = ""
"""The path of a whole payload."""

# ``blocks[2].keys`` is two steps: ``blocks`` with the index 2, and ``keys``.
_STEP: Final = r"([^.\[\]]+)(?:\[(\d+)\])?\.?"


class Part(Struct, frozen=True, eq=False):
    """A range of a payload.

    Parameters
    ----------
    name
        Its name among its siblings, without dots and brackets; that of its record if it has one.
    start
        Offset in the payload, bytes.
    size
        Length, bytes.
    record
        The record of `rows`; None for groups and for bytes.
    rows
        Its records: an array for a table (n,), one `numpy.void` for a single record.
    data
        The bytes of a part without record and children.
    children
        The child parts, in the order of their offsets, tiling the span.
    is_list
        Whether the children are the rows of a table: addressed by index.
    doc
        Its meaning, in one sentence.
    status
        How certain its meaning is.
    transform
        Converts the bytes of the records to the stored bytes, and back; it treats each byte
        by its offset alone. None if they are the same.
    """

    name: str
    start: int
    size: int
    record: Record | None = None
    rows: Rows | np.void | None = None
    data: Bytes = b""
    children: Sequence[Part] = ()
    is_list: bool = False
    doc: str = ""
    status: Status = Status.PROVEN
    transform: Callable[[bytes], bytes] | None = None

    @property
    def stored(self) -> Bytes:
        """The stored bytes of a part without children."""
        if self.rows is None:
            return self.data
        # An old version stores the start of a record only: 6 of the 14 bytes of a material's header in
        # version 2.
        decoded = self.rows.tobytes()[: self.size]
        return decoded if self.transform is None else self.transform(decoded)

    @property
    def end(self) -> int:
        """The first offset after it."""
        return self.start + self.size

    @property
    def is_table(self) -> bool:
        """Whether the part has rows that are addressed by index."""
        return self.is_list or isinstance(self.rows, np.ndarray)

    @property
    def is_leaf(self) -> bool:
        """Whether the part has no children: records or bytes."""
        return not self.is_list and not len(self.children)

    @property
    def count(self) -> int:
        """Rows of a table, 1 for a single record, 0 for anything else."""
        if self.is_list:
            return len(self.children)
        if isinstance(self.rows, np.ndarray):
            return len(self.rows)
        return 0 if self.rows is None else 1

    def span(self, row: int | None = None, field: str | None = None) -> tuple[int, int]:
        """Offset and length of the part, of one of its rows, or of a field of that row.

        Raises `LookupError` for a row or a field that it does not have.
        """
        if row is not None and self.is_list:
            return self.children[row].span(None, field)
        if row is None and field is None:
            return self.start, self.size
        if self.record is None or not 0 <= (row or 0) < self.count:
            raise IndexError(row)
        start = self.start + (row or 0) * self.record.size
        if field is None:
            return start, self.record.size
        declared = self.record.field(field)
        return start + declared.offset, declared.size


def record_at(part: Part, row: int | None) -> tuple[Record, np.void] | None:
    """The record of a row, or of the part if it is a single one; None if there is no record."""
    if part.is_list and row is not None:
        return record_at(part.children[row], None)
    if part.record is None or part.rows is None:
        return None
    if isinstance(part.rows, np.void):
        return part.record, part.rows
    return None if row is None else (part.record, part.rows[row])


class RecordGroup(Struct, frozen=True, eq=False):
    """The rows of a list that have the same record.

    Parameters
    ----------
    record
        Their record.
    indices, starts
        Their indices in the list, ascending, and their offsets in the payload, (n,) int64 each.
    rows
        The records, (n,).
    """

    record: Record
    indices: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    rows: Rows


class RecordParts(Sequence[Part]):
    """Single records of several kinds in one order, each made a part on access.

    Parameters
    ----------
    groups
        The records by kind.
    kinds
        The group of each row, (n,).
    """

    def __init__(self, groups: Sequence[RecordGroup], kinds: npt.NDArray[np.integer[Any]]) -> None:
        self.groups = groups
        self.kinds = kinds

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, index: int) -> Part: ...
    @overload
    def __getitem__(self, index: slice) -> list[Part]: ...
    def __getitem__(self, index: int | slice) -> Part | list[Part]:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        index = range(len(self))[index]
        kind = self.groups[int(self.kinds[index])]
        # Bisection, not a table of all rows: the list may have a million, and its parts are made on access.
        # A kind with the list's entries 2, 5, 8: entry 5 is its row 1.
        row = int(np.searchsorted(kind.indices, index))
        return single(kind.record, kind.rows[row], int(kind.starts[row]))

    def stored(self) -> bytes:
        """The bytes of all records, which follow each other."""
        start = min((int(it.starts[0]) for it in self.groups if len(it.starts)), default=0)
        # One assignment for each kind puts its records to their offsets; joining them in order would make a
        # part of each.
        stored = np.empty(sum(it.rows.nbytes for it in self.groups), np.uint8)
        for it in self.groups:
            if len(it.rows):
                it.record.anywhere(stored)[it.starts - start] = it.rows
        return stored.tobytes()


def single(record: Record, row: np.void, start: int = 0, size: int | None = None) -> Part:
    """The part of one record; `size` if fewer bytes of it are stored."""
    return Part(record.name, start, record.size if size is None else size, record, row, doc=record.doc)


def table(record: Record, rows: Rows, start: int = 0) -> Part:
    """The part of records of equal size, (n,)."""
    return Part(record.name, start, len(rows) * record.size, record, rows, doc=record.doc)


def raw(name: str, data: Bytes, start: int, doc: str, status: Status = Status.OPEN) -> Part:
    """The part of bytes that no record describes."""
    return Part(name, start, memoryview(data).nbytes, data=data, doc=doc, status=status)


def group(children: Sequence[Part], name: str = ROOT, start: int = 0, doc: str = "") -> Part:
    """A part made of its children; empty bytes are left out."""
    kept = tuple(child for child in children if child.size or child.is_table)
    end = kept[-1].end if kept else start
    return Part(name, start, end - start, children=kept, doc=doc)


def listing(name: str, children: Sequence[Part], start: int, doc: str = "") -> Part:
    """A table whose rows are parts of different lengths; `children` may make them on access."""
    end = children[-1].end if len(children) else start
    return Part(name, start, end - start, children=children, is_list=True, doc=doc)


def leaves(part: Part) -> Iterator[Part]:
    """The parts without children, in order."""
    if part.is_leaf:
        yield part
    for child in part.children:
        yield from leaves(child)


def walk(part: Part, path: str = ROOT) -> Iterator[tuple[str, Part]]:
    """Path and part of all parts of a tree, the root first."""
    yield path, part
    for index, child in enumerate(part.children):
        yield from walk(child, child_path(part, path, index))


def child_path(part: Part, path: str, index: int) -> str:
    """The path of a part's child, given the path of the part."""
    if part.is_list:
        return f"{path}[{index}]"
    name = part.children[index].name
    return f"{path}.{name}" if path else name


def gaps(part: Part) -> Iterator[tuple[int, int]]:
    """The ranges (start, end) that the children do not tile; start > end for an overlap."""
    position = part.start
    for child in part.children:
        if child.start != position:
            yield position, child.start
        yield from gaps(child)
        position = child.end
    if not part.is_leaf and position != part.end:
        yield position, part.end


def encode(part: Part) -> bytes:
    """The bytes of a tree, built from the values in its records."""
    return b"".join(pieces(part))


def pieces(part: Part) -> Iterator[Bytes]:
    """The bytes of a tree piece by piece."""
    if part.is_leaf:
        yield part.stored
    elif isinstance(part.children, RecordParts):
        yield part.children.stored()
    else:
        for child in part.children:
            yield from pieces(child)


def find(root: Part, path: str) -> Part | None:
    """The part with a path, or None."""
    part: Part | None = root
    for name, index in re.findall(_STEP, path):
        part = next((child for child in part.children if child.name == name), None) if part else None
        if part is not None and index:
            is_there = part.is_list and int(index) < len(part.children)
            part = part.children[int(index)] if is_there else None
    return part


class BytePlace(Struct, frozen=True):
    """The place of an offset: the path of a part, a row of it, a field of that row.

    Parameters
    ----------
    before
        Bytes of the field before the offset.
    """

    path: str
    row: int | None = None
    field: Field | None = None
    before: int = 0


def place_at(root: Part, offset: int, path: str = ROOT) -> BytePlace:
    """The innermost part, row and field at an offset of the payload."""
    index = _index_at(root.children, offset)
    if index is not None:
        child = root.children[index]
        # A row that is a record has no path of its own: list and index say it, ``commands`` and 5.
        if root.is_list and child.is_leaf:
            return _place_in(child, offset - child.start, path, index)
        return place_at(child, offset, child_path(root, path, index))
    if root.record is None:
        return BytePlace(path)
    row, inside = divmod(offset - root.start, root.record.size)
    return _place_in(root, inside, path, row if root.is_table else None)


def _place_in(part: Part, inside: int, path: str, row: int | None) -> BytePlace:
    fields = part.record.fields if part.record else ()
    field = next((field for field in fields if field.offset <= inside < field.offset + field.size), None)
    return BytePlace(path, row, field, inside - field.offset if field else 0)


def _index_at(parts: Sequence[Part], offset: int) -> int | None:
    """The index of the part at an offset, by bisection: there may be a million."""
    low, high = 0, len(parts)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if parts[middle].end <= offset else (low, middle)
    return low if low < len(parts) and parts[low].start <= offset else None
