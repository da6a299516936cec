"""Members of a layout: single records, tables of equal rows, and bytes.

Source: spec/README.md 3 (packed structures).
Status: proven.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Any

import numpy as np
from msgspec import Struct, field

from viewer.errors import FormatError, Severity
from viewer.formats import part
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Count, Cursor, Member, Number
from viewer.formats.part import Part
from viewer.formats.record import Bytes, Record, Rows, Status
from viewer.translation import _


class Single(Member, Struct, frozen=True):
    """A member that is one record.

    Parameters
    ----------
    record
        The record.
    rule
        The rule that is broken if it is truncated, or if a field has a value that is not allowed.
    rules
        The rules that are broken instead if fields have values that are not allowed.
    size
        The number of bytes that are stored, if that may be less than the record.
    defaults
        A whole record, for the bytes that are not stored.
    is_optional
        Whether it may be absent: the value is None.
    when
        Whether an optional record is there, by the bytes at its place; by default if it fits and its constant
        fields have their values.
    """

    record: Record
    rule: str = ""
    rules: Mapping[str, str] = field(default_factory=dict)
    size: Number | None = None
    defaults: bytes = b""
    is_optional: bool = False
    when: Callable[[memoryview, Any], bool] | None = None

    @property
    def name(self) -> str:
        """The name of its record."""
        return self.record.name

    def stored_size(self, it: Any) -> int:
        """The number of bytes that are stored."""
        return self.record.size if self.size is None else self.size(it)

    def read(self, cursor: Cursor, it: Any) -> np.void | None:
        """The record at the cursor; None if it is optional and absent."""
        size = self.stored_size(it)
        data: Bytes = cursor.data[cursor.start :]
        if self.is_optional and (cursor.is_broken or not self._is_there(data, it)):
            return None
        if len(data) < size:
            words = "{size} bytes, a record has {record_size}"
            raise Rule(self.rule, self.name).failure(words, size=len(data), record_size=size)
        # Earlier versions of a format store a shorter record; the rest has its default values.
        if size < self.record.size:
            data = bytes(data[:size]) + self.defaults[size:]
        row: np.void = self.record.view(data, count=1)[0]
        self.record.check(row, self.rule, self.rules)
        cursor.start += size
        return row

    def _is_there(self, data: Bytes, it: Any) -> bool:
        return self.record.is_like(data) if self.when is None else self.when(memoryview(data), it)

    def part(self, value: np.void | None, start: int, it: Any) -> Part | None:
        """The part of the record."""
        return None if value is None else part.single(self.record, value, start, self.stored_size(it))


class Varying(Struct, frozen=True):
    """A record with an array as long as another record states.

    Parameters
    ----------
    make
        Returns the record with a length of its last field.
    length
        The length.
    """

    make: Callable[[int], Record]
    length: Number

    @property
    def name(self) -> str:
        """The name of the record."""
        return self.make(0).name

    def size(self, it: Any) -> int:
        """Size of the record, bytes; it need not be possible to make one that long."""
        empty = self.make(0).size
        # Linear: a record of a damaged length, say 4 billion, is never made to measure it.
        return empty + self.length(it) * (self.make(1).size - empty)

    def of(self, rows: Rows) -> Record:
        """The record of rows."""
        length: int = rows.dtype[-1].shape[0]
        return self.make(length)


class Short(Enum):
    """The reaction to fewer rows than are stated."""

    REFUSED = auto()
    """The payload cannot be read."""
    LEFT = auto()
    """The table is reported, and is left to the tail with everything after it."""
    PARTIAL = auto()
    """The table is reported at the first missing row; the rows that are whole are read."""


class Array(Member, Struct, frozen=True):
    """A table: records of equal size, as a view of their bytes.

    Parameters
    ----------
    record
        The record.
    count
        The number of rows; without it all whole ones.
    rule
        The rule that is broken if fewer are present.
    short
        What happens then.
    is_at_row
        Whether that is reported at the first missing row rather than at the field of a `Count`.
    is_optional
        Whether it may be absent: it has no rows.
    """

    record: Record | Varying
    count: Number | None = None
    rule: str = ""
    short: Short = Short.REFUSED
    is_at_row: bool = False
    is_optional: bool = False

    @property
    def name(self) -> str:
        """The name of its record."""
        return self.record.name

    def read(self, cursor: Cursor, it: Any) -> Rows:
        """The records from the cursor on: the stated number, or as many as fit."""
        size = self.record.size if isinstance(self.record, Record) else self.record.size(it)
        # At least 1, as a record of a varying length may have no bytes.
        available = 0 if cursor.is_broken else cursor.left // max(size, 1)
        count = available if self.count is None or cursor.is_broken else self.count(it)
        if not 0 <= count <= available:
            count = self._cut(cursor, count, available)
        record = self.record
        if isinstance(record, Varying):
            record = record.make(record.length(it) if count else 0)
        rows = record.view(cursor.data, offset=cursor.start, count=count) if count else record.new(0)
        cursor.start += rows.nbytes
        return rows

    def _cut(self, cursor: Cursor, count: int, available: int) -> int:
        """Report that rows are missing, and return how many are read."""
        found: dict[str, int] = {"available": available, "size": cursor.left}
        message = _("{count} rows, {available} fit the {size} bytes", count=count, **found)
        if count == 1:
            message = _("1 row, {available} fit the {size} bytes", **found)
        where: tuple[str, int | None, str | None] = (self.name, available, None)
        if isinstance(self.count, Count) and not self.is_at_row and self.short is not Short.PARTIAL:
            # The number is what is wrong there: it is shown, and can be edited, where it is stored.
            where = (self.count.owner, None, self.count.field)
        if self.short is Short.REFUSED:
            table, index, name = where
            raise FormatError(message, table=table, index=index, field=name, rule=self.rule)
        cursor.report(self.rule, message, *where)
        cursor.is_broken = self.short is Short.LEFT
        return 0 if cursor.is_broken else available

    def part(self, value: Rows, start: int, _ignored: Any) -> Part | None:
        """The part of the table; none if it is optional and empty."""
        if self.is_optional and not len(value):
            return None
        record = self.record if isinstance(self.record, Record) else self.record.of(value)
        return part.table(record, value, start)


class RawBytes(Member, Struct, frozen=True):
    """Bytes that no record describes.

    Parameters
    ----------
    name
        The name of its part.
    doc
        Its meaning, in one sentence.
    size
        Length; without it everything that is left.
    rule, severity
        The rule that is broken if there are any, and how bad that is; none if empty.
    is_after_damage
        Whether that is also reported if something before it is wrong.
    status
        How certain its meaning is.
    is_text
        Whether it is always text.
    """

    name: str
    doc: str
    size: Number | None = None
    rule: str = ""
    severity: Severity = Severity.ERROR
    is_after_damage: bool = False
    status: Status = Status.OPEN
    is_text: bool = False
    is_optional: bool = True

    def read(self, cursor: Cursor, it: Any) -> bytes:
        """The bytes from the cursor on, up to the stated size or the end."""
        end = len(cursor.data) if self.size is None else cursor.start + self.size(it)
        data = bytes(cursor.data[cursor.start : end])
        cursor.start = end
        # Behind a table that is damaged bytes are left over because of it: one report is enough.
        if data and self.rule and (self.is_after_damage or not cursor.findings):
            rule = Rule(self.rule, self.name, severity=self.severity)
            cursor.findings.append(rule.finding("{size} bytes at the end belong to no table", size=len(data)))
        return data

    def part(self, value: Bytes, start: int, _ignored: Any) -> Part:
        """The part of the bytes."""
        return part.raw(self.name, value, start, self.doc, self.status)


def tail(doc: str, rule: str = "", severity: Severity = Severity.ERROR, **more: Any) -> RawBytes:
    """The member of what is left at the end."""
    return RawBytes("tail", doc, None, rule, severity, **more)
