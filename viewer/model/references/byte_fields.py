"""The fields of a payload by offset: a shade for each byte, the field of a byte, the bytes of a field."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.part import ROOT, Part, child_path, find, place_at
from viewer.formats.record import Field, Record
from viewer.model.kinds.explained import explained

Span = tuple[int, int]
"""Offset and length, bytes."""
Shades = npt.NDArray[np.uint8]

HUES: Final = 12
"""Colors of fields; the field after the last of them has the first again."""
NO_FIELD: Final = 0
"""The shade of bytes that no record describes."""
LEAST_STRIPED: Final = 4
"""Bytes of the shortest record whose odd rows have shades of their own."""
_BETWEEN: Final = frozenset({"padding", "unindexed"})
"""Names of the parts of an archive that are no payload."""
_ELEMENT: Final = re.compile(r"(.*)\[(\d+)\]")


class ByteField(Struct, frozen=True):
    """The field or part that a byte belongs to.

    Parameters
    ----------
    path, row
        The path of its part, and the row of that if it is a table.
    field
        The field; None for bytes that no record describes.
    span
        The bytes of the field, else those of the part.
    doc
        What the field is, else what the part is.
    """

    path: str
    row: int | None
    field: Field | None
    span: Span
    doc: str

    @property
    def text(self) -> str:
        """The location as places write it: ``batches[3].flags``."""
        row = "" if self.row is None else f"[{self.row}]"
        return f"{self.path}{row}.{self.field.name}" if self.field else f"{self.path}{row}"


class LegendLine(Struct, frozen=True):
    """A shade and the field that has it; an empty name for a part without fields."""

    shade: int
    table: str
    field: str


class FieldMap:
    """The fields of a payload by offset.

    Parameters
    ----------
    root
        The parts of the payload; None if nothing is known of it.
    """

    def __init__(self, root: Part | None) -> None:
        self._root = root

    def shades(self, start: int, end: int) -> Shades:
        """The shade of each byte from `start` up to `end`, (end - start,) uint8.

        ``1 + n % HUES`` for field n of an even row, `HUES` more for an odd one, `NO_FIELD` for others.
        """
        shades = np.full(max(0, end - start), NO_FIELD, np.uint8)
        # Only the parts in the range: a window asks for the few bytes that it shows.
        for _path, part, index in self._leaves(start, end):
            first, last = max(part.start, start), min(part.end, end)
            shades[first - start : last - start] = _shades_in(part, first, last, index)
        return shades

    def legend(self, start: int, end: int) -> list[LegendLine]:
        """The fields with bytes from `start` up to `end`, each once, in the order of their offsets."""
        found: dict[LegendLine, None] = {}
        for path, part, index in self._leaves(start, end):
            if part.record is None:
                found[LegendLine(_shade_of(part, index), path, "")] = None
                continue
            first, last = max(part.start, start) - part.start, min(part.end, end) - part.start
            size, table = part.record.size, re.sub(r"\[\d+\]$", "", path)
            for number, field in enumerate(part.record.fields):
                if _has_bytes(field, size, first, last):
                    found[LegendLine(_hue(number), table, field.name)] = None
        return [*found]

    def at(self, offset: int) -> ByteField | None:
        """The field or part of the byte at an offset; None if nothing is known of the payload."""
        if self._root is None:
            return None
        found = place_at(self._root, offset)
        part = find(self._root, found.path)
        if part is None:
            return None
        span = part.span(found.row, found.field.name if found.field else None)
        return ByteField(
            found.path, found.row, found.field, span, explained(found.field) if found.field else part.doc
        )

    def span(self, table: str, row: int | None = None, field: str = "") -> Span | None:
        """The bytes of a table, a row or a field, which may be an element: ``position[2]``; None if absent.

        Those of the row for a field that is not stored in it.
        """
        part = find(self._root, table) if self._root is not None and table else None
        if part is None:
            return None
        # "position[2]" of three floats is 4 bytes, 8 after the start of the field.
        element = _ELEMENT.fullmatch(field)
        name = element[1] if element else field
        try:
            start, size = part.span(row, name or None)
        except LookupError:
            # A computed column lies in no bytes of its own; the row that it is computed for does.
            return self.span(table, row) if field else None
        if element is None:
            return start, size
        record = part.children[row].record if part.is_list and row is not None else part.record
        length = size // max(1, record.field(name).count) if record else size
        inside = int(element[2]) * length
        return (start + inside, length) if inside + length <= size else (start, size)

    def _leaves(self, start: int, end: int) -> Iterator[tuple[str, Part, int]]:
        if self._root is not None and start < end:
            yield from _leaves(self._root, start, end)


def _leaves(
    part: Part, start: int, end: int, path: str = ROOT, index: int = 0
) -> Iterator[tuple[str, Part, int]]:
    """The parts without children between two offsets, with their paths and their indices in their lists."""
    if part.is_leaf:
        yield path, part, index
        return
    # Found by bisection: there may be a million.
    # The first child that ends after `start`; those before it have no byte in the range.
    first = bisect_right(part.children, start, key=lambda child: child.end)
    for number in range(first, len(part.children)):
        child = part.children[number]
        if child.start >= end:
            return
        if child.size:
            inner = number if part.is_list else 0
            yield from _leaves(child, start, end, child_path(part, path, number), inner)


def _hue(number: int) -> int:
    # Shade 0 is taken by `NO_FIELD`: fields 0 to 11 have 1 to 12, field 12 has 1 again, and odd rows 13 to
    # 24.
    return 1 + number % HUES


def _shade_of(part: Part, index: int) -> int:
    """The shade of bytes without a record: payloads of an archive take turns."""
    # Neighboring payloads of an archive differ in color, so that their borders show.
    return _hue(index) if part.name.startswith("resource_") and part.name not in _BETWEEN else NO_FIELD


def _shades_in(part: Part, first: int, last: int, index: int) -> Shades | int:
    if part.record is None or not part.record.size:
        return _shade_of(part, index)
    size = part.record.size
    offsets = np.arange(first - part.start, last - part.start)
    shades = _pattern(part.record)[offsets % size]
    if size < LEAST_STRIPED:
        return shades
    # A list has each record in a part of its own, whose row is the index in the list; in a table the index is
    # 0.
    rows = offsets // size + index
    # Every second row has the second tone of a hue, which is HUES further.
    striped: Shades = np.where((rows % 2 == 1) & (shades != NO_FIELD), shades + HUES, shades).astype(np.uint8)
    return striped


@lru_cache(512)
def _pattern(record: Record) -> Shades:
    """The shade of each byte of a record, (size,) uint8."""
    pattern = np.full(record.size, NO_FIELD, np.uint8)
    for number, field in enumerate(record.fields):
        pattern[field.offset : field.offset + field.size] = _hue(number)
    return pattern


def _has_bytes(field: Field, size: int, first: int, last: int) -> bool:
    """Whether a field of some row lies between two offsets in its table."""
    # The first row whose field ends after `first`: at offset 4, size 4, rows of 12, first 8 gives row 1, at
    # 16.
    start = field.offset + max(0, (first - field.offset - field.size) // size + 1) * size
    return start < last and start + field.size > first
