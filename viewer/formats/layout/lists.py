"""Members of a layout whose rows have different lengths.

Source: spec/README.md 3 (packed structures).
Status: proven.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError
from viewer.formats import part
from viewer.formats.layout.layout import Cursor, Layout, Member, Number
from viewer.formats.part import Part, RecordGroup, RecordParts
from viewer.formats.record import Field, Record, Rows
from viewer.translation import Text, _


class Listing(Member, Struct, frozen=True):
    """A table of rows of different lengths.

    Parameters
    ----------
    name
        The name of its part.
    row
        A row; functions in it see the ``index`` of the row.
    doc
        Its meaning, in one sentence.
    count
        The number of rows; without it all whole ones.
    rule
        The rule that is broken if one is not whole.
    most
        Most rows that are read.
    is_required
        Whether the payload cannot be read without a whole first row.
    is_whole
        Whether nothing that it belongs to can be read without all rows.
    is_optional
        Whether its bytes are left to the next member, without a report, unless all rows can be read.
    """

    name: str
    row: Member
    doc: str
    count: Number | None = None
    rule: str = ""
    most: int = 1 << 16
    is_required: bool = False
    is_whole: bool = False
    is_optional: bool = False

    def read(self, cursor: Cursor, it: Any) -> tuple[Any, ...]:
        """The whole rows; the last may be one whose own list is cut."""
        count = self.most if self.count is None else self.count(it)
        rows: list[Any] = []
        message = "" if count >= 0 else _("{count} rows", count=count)
        first = start = cursor.start
        place = cursor.place
        try:
            while len(rows) < min(count, self.most) and not cursor.is_broken:
                cursor.place = f"{place}{self.name}[{len(rows)}]."
                rows.append(self.row.read(cursor, SimpleNamespace(index=len(rows))))
                start = cursor.start
        except FormatError as error:
            # From the first byte of the row that does not fit on, all is left to the tail.
            cursor.start, message = start, error.message
        cursor.place = place
        is_cut = self.count is not None and (count < 0 or len(rows) < count)
        message = message or _("{count} rows, at most {most} are read", count=count, most=self.most)
        if (self.is_required and count and not rows) or (self.is_whole and is_cut):
            raise FormatError(message, table=self.name, index=len(rows), rule=self.rule)
        if is_cut and self.is_optional:
            # As if the list were not there: the next member takes the bytes of all its rows.
            cursor.start = first
            return ()
        if is_cut and not cursor.is_broken:
            cursor.report(self.rule, message, self.name, len(rows))
            cursor.is_broken = True
        return tuple(rows)

    def part(self, value: Sequence[Any], start: int, it: Any) -> Part | None:
        """The part of the list; none of an optional one whose rows cannot be read."""
        if self.is_optional and not value and self.count is not None and self.count(it):
            return None
        rows: list[Part] = []
        for row in value:
            made = self.row.part(row, rows[-1].end if rows else start, it)
            rows += [] if made is None else [made]
        return part.listing(self.name, rows, start, self.doc)


class Nested(Member, Struct, frozen=True):
    """Members together: a row of a list, or a whole payload at the end of another one.

    Parameters
    ----------
    name
        The name of its part.
    layout
        Its layout.
    doc
        Its meaning, in one sentence.
    is_payload
        Whether it is a payload to the end, whose value is its bytes if it cannot be read.
    """

    name: str
    layout: Layout[Any]
    doc: str = ""
    is_payload: bool = False

    def read(self, cursor: Cursor, it: Any) -> Any:
        """The value; what is wrong with a payload is reported."""
        if not self.is_payload:
            return self.layout.read(cursor, **vars(it))
        data = cursor.data[cursor.start :]
        cursor.start = len(cursor.data)
        try:
            value = self.layout.decode(data)
        except FormatError as error:
            table = self.name if data else part.ROOT
            cursor.findings.append(replace(Diagnostic.of(error), table=table, index=None, field=None))
            return data
        for finding in value.diagnostics:
            cursor.findings.append(replace(finding, table=f"{self.name}.{finding.table}"))
        return value

    def part(self, value: Any, start: int, _ignored: Any) -> Part:
        """The group of its parts, or its bytes."""
        if isinstance(value, memoryview):
            return part.raw(self.name, value, start, _("{doc} It cannot be read.", doc=Text.of(self.doc)))
        return part.group(self.layout.children(value, start), self.name, start, self.doc)


class CountedText(Member, Struct, frozen=True):
    """A text with its length before it.

    Parameters
    ----------
    record
        Returns the record of a text with a length; an empty one is only its length.
    has_end
        Whether a NUL follows a text that is not empty.
    """

    record: Callable[[int], Record]
    has_end: bool = True

    @property
    def name(self) -> str:
        """The name of its record."""
        return self.record(0).name

    def read(self, cursor: Cursor, it: Any) -> np.void:
        """The record of the text."""
        data = cursor.data[cursor.start :]
        empty = self.record(0)
        length = int(empty.read(data)[empty.fields[0].name])
        end = self.has_end and length > 0
        left = len(data) - empty.size
        # Before a record is made: numpy would be asked for a dtype of 4 GB by a damaged length.
        if length > left - end:
            raise FormatError(_("length {length}, {left} bytes are left", length=length, left=left))
        row = self.record(length).read(data)
        cursor.start += row.nbytes
        return row

    def part(self, value: np.void, start: int, _ignored: Any) -> Part:
        """The part of the text."""
        # A text of length 0 has no NUL either: 4 bytes less 4 less 1 is -1.
        length = max(0, value.nbytes - self.record(0).size - self.has_end)
        return part.single(self.record(length), value, start)


class LineValue(Protocol):
    """A line of text: its fields with their widths in this line, and their values."""

    @property
    def record(self) -> Record:
        """The record of this line."""

    @property
    def values(self) -> np.void:
        """The record's values."""


class TextLine(Member, Struct, frozen=True):
    """A line of text: a record whose fields are as wide as their texts.

    Parameters
    ----------
    name
        The name of its part.
    fields
        Its fields, which are texts.
    usual
        Texts that JSON leaves out.
    counted
        A field that is the number of rows of a table in decimal digits, and the part of that table.
    is_optional
        Whether it may be absent.
    """

    name: str
    fields: tuple[Field, ...]
    usual: Mapping[str, bytes] = field(default_factory=dict)
    counted: tuple[str, str] | None = None
    is_optional: bool = False

    def part(self, value: LineValue | None, start: int, _ignored: Any) -> Part | None:
        """The part of the line."""
        return None if value is None else part.single(value.record, value.values, start)


class TaggedRows(Struct, frozen=True, eq=False):
    """Records of several kinds in one order.

    Parameters
    ----------
    offsets
        Offsets in the payload, (n,) int64.
    codes
        The first byte of each, (n,), which names its kind.
    tables
        The records of each kind, in the order of the declared kinds.
    """

    offsets: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint8]
    tables: tuple[Rows, ...]


class Tagged(Member, Struct, frozen=True):
    """Records of several kinds in one order; the first byte of each names its kind.

    Parameters
    ----------
    name
        The name of its part.
    kinds
        The records by their first byte, ascending.
    doc
        Its meaning, in one sentence.
    count
        The number of records.
    rule
        The rule that is broken if there are fewer.
    """

    name: str
    kinds: Mapping[int, Record]
    doc: str
    count: Number
    rule: str = ""

    def read(self, cursor: Cursor, it: Any) -> TaggedRows:
        """The records up to the first that is not whole, or of an unknown kind."""
        offsets = self._walk(cursor, self.count(it))
        stored = np.frombuffer(cursor.data, np.uint8)
        codes = stored[offsets]
        # Kinds that do not occur are not searched for among all codes.
        present = np.bincount(codes, minlength=256)
        tables = tuple(
            record.anywhere(stored)[offsets[codes == code]] if present[code] else record.new(0)
            for code, record in self.kinds.items()
        )
        return TaggedRows(offsets, codes, tables)

    def _walk(self, cursor: Cursor, count: int) -> npt.NDArray[np.int64]:
        """The offsets of up to `count` records."""
        # 8 bytes for an offset, where a list of numbers takes 36; there may be a million.
        offsets = array("q")
        sizes = {code: record.size for code, record in self.kinds.items()}
        data, start = cursor.data, cursor.start
        while len(offsets) < count and start < len(data):
            # A kind that is not known gets the size of the payload, which no longer fits behind the header.
            # The game does not move on at one and never ends (spec/fxid.md 2).
            end = start + sizes.get(data[start], len(data))
            if end > len(data):
                break
            offsets.append(start)
            start = end
        cursor.start = start
        if len(offsets) < count:
            cursor.report(self.rule, self._problem(data[start:], start), self.name, len(offsets))
            cursor.is_broken = True
        return np.frombuffer(offsets, np.int64) if offsets else np.empty(0, np.int64)

    def _problem(self, left: memoryview, start: int) -> str:
        """Reason for which no record can be read from the bytes left at an offset."""
        record = self.kinds.get(left[0]) if len(left) else None
        if record is None:
            kind = f"{left[0]:#04x}" if len(left) else ""
            return _("no record of a known kind at {start}: {kind}", start=start, kind=kind)
        words = "{name} at {start} has {size} bytes, {left} are left"
        return _(words, name=record.name, start=start, size=record.size, left=len(left))

    def part(self, value: TaggedRows, start: int, _ignored: Any) -> Part:
        """The part of the list; its rows become parts on access."""
        groups = []
        for (code, record), rows in zip(self.kinds.items(), value.tables, strict=True):
            indices = np.flatnonzero(value.codes == code).astype(np.int64)
            groups.append(RecordGroup(record, indices, value.offsets[indices], rows))
        # The codes of the kinds ascend, so the place of a code is the number of its group.
        kinds = np.searchsorted([*self.kinds], value.codes)
        return part.listing(self.name, RecordParts(groups, kinds), start, self.doc)
