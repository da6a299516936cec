"""Res10, the names or labels of nodes: a length, the text and a NUL for each node.

Source: spec/msh.md 7, spec/field-notes.md 2.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

import numpy as np

from viewer.errors import Diagnostic, Severity, row_findings
from viewer.formats.part import Part, listing, raw, single
from viewer.formats.record import CP1251, Bytes, Field, Record

TABLE = "strings"
TAIL = "strings_tail"
_LENGTH_SIZE = 4
_DOC = "Name or label of the node of the same row."


@lru_cache(256)
def string_record(length: int) -> Record:
    """Return the record of a text of a length; an empty text is a length alone."""
    stated = Field("length", "<u4", "Bytes of the text, without the NUL.")
    if not length:
        return Record("string", _LENGTH_SIZE, stated, doc=_DOC)
    text = Field("text", f"V{length}", "Name or label of the node.", encoding=CP1251)
    end = Field("end", "u1", "Always 0.")
    return Record("string", _LENGTH_SIZE + length + 1, stated, text, end, doc=_DOC)


@dataclass(frozen=True, slots=True)
class Strings:
    """Texts as far as they could be read.

    Parameters
    ----------
    rows
        A record of `string_record` for each text.
    tail
        What is left behind the last text that fits.
    """

    rows: tuple[np.void, ...]
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def texts(self) -> tuple[bytes, ...]:
        """The texts without their NUL."""
        return tuple(row.tobytes()[_LENGTH_SIZE:-1] for row in self.rows)


def decode(data: Bytes, count: int) -> Strings:
    """Up to `count` texts; reading stops at the first that does not fit."""
    view = memoryview(data).cast("B")
    rows: list[np.void] = []
    endless: list[int] = []
    problem = ""
    cursor = 0
    while len(rows) < count and not (problem := _fit(view, cursor)):
        record = string_record(_length(view, cursor))
        row = np.frombuffer(view, record.dtype, 1, cursor)[0]
        cursor += record.size
        if record.size > _LENGTH_SIZE and view[cursor - 1] != 0:
            endless.append(len(rows))
        rows.append(row)
    found = row_findings("V21", Severity.ERROR, TABLE, endless, lambda _: "no NUL behind the text")
    tail = bytes(view[cursor:])
    if problem:
        found.append(Diagnostic("V21", Severity.ERROR, problem, TABLE, len(rows)))
    elif tail:
        message = f"{len(tail)} bytes follow the last text"
        found.append(Diagnostic("V21", Severity.ERROR, message, TAIL))
    return Strings(tuple(rows), tail, tuple(found))


def encode(strings: Strings) -> bytes:
    """The table."""
    return b"".join(row.tobytes() for row in strings.rows) + strings.tail


def parts(strings: Strings, start: int = 0) -> tuple[Part, Part]:
    """Return the texts and what follows them, in a payload where the table starts at `start`."""
    sizes = (row.nbytes for row in strings.rows)
    *starts, end = accumulate(sizes, initial=start)
    rows = [
        single(string_record(max(0, row.nbytes - _LENGTH_SIZE - 1)), row, place)
        for row, place in zip(strings.rows, starts, strict=True)
    ]
    listed = listing(TABLE, rows, start, "Names of the nodes, or labels: what a socket takes.")
    return listed, raw(TAIL, strings.tail, end, "Bytes after the last text.")


def build(texts: Iterable[bytes]) -> bytes:
    """The table of `texts`, in order; an empty text is stored as a zero length alone."""
    return b"".join(
        len(text).to_bytes(_LENGTH_SIZE, "little") + (text + b"\0" if text else b"") for text in texts
    )


def _length(view: memoryview, cursor: int) -> int:
    return int.from_bytes(view[cursor : cursor + _LENGTH_SIZE], "little")


def _fit(view: memoryview, cursor: int) -> str:
    """Why the text at `cursor` cannot be read; empty where it can."""
    left = len(view) - cursor
    if left < _LENGTH_SIZE:
        return f"the table ends, {left} bytes are left"
    length = _length(view, cursor)
    if length and length + 1 > left - _LENGTH_SIZE:
        return f"length {length}, {left - _LENGTH_SIZE} bytes are left"
    return ""
