"""Texts of nodes: Res10, names or labels with a length, and Res9, names of 32 bytes, NUL padded.

Source: spec/msh.md 7, spec/field-notes.md 2.
Status: proven (Res10), inferred (Res9: the seeds call it unknown, and some files have other bytes in it).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.lists import CountedText, Listing
from viewer.formats.layout.members import RawBytes
from viewer.formats.record import CP1251, Bytes, Field, Record, Status
from viewer.formats.text import padded
from viewer.translation import _

TABLE = "strings"
TAIL = "strings_tail"
_LENGTH = struct.Struct("<I")
_DOC = "Name or label of the node of the same row."


@lru_cache(256)
def string_record(length: int) -> Record:
    """The record of a text with a length; an empty text is only a length."""
    stated = Field("length", "<u4", "Length of the text without the NUL.")
    if not length:
        return Record("string", _LENGTH.size, stated, doc=_DOC)
    text = Field("text", f"V{length}", "Name or label of the node.", encoding=CP1251)
    end = Field("end", "u1", "Always 0.")
    return Record("string", _LENGTH.size + length + 1, stated, text, end, doc=_DOC)


class Strings(Struct, frozen=True):
    """The texts that could be read.

    Parameters
    ----------
    rows
        A record of `string_record` for each text.
    tail
        The bytes after the last text that fits.
    """

    rows: tuple[np.void, ...]
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def texts(self) -> tuple[bytes, ...]:
        """The texts without their NUL."""
        return tuple(row.tobytes()[_LENGTH.size : -1] for row in self.rows)


class Texts(Struct, frozen=True):
    """The texts of a table, without the bytes between; `end` is the offset where reading stopped."""

    texts: tuple[bytes, ...]
    end: int
    diagnostics: tuple[Diagnostic, ...]


def read_texts(data: Bytes, count: int) -> Texts:
    """Up to `count` texts; reading stops at the first that does not fit."""
    view = memoryview(data).cast("B")
    texts: list[bytes] = []
    endless: list[int] = []
    problem = ""
    cursor = 0
    while len(texts) < count and not (problem := _fit(view, cursor)):
        length = _LENGTH.unpack_from(view, cursor)[0]
        start = cursor + _LENGTH.size
        # The length does not count the NUL, and an empty text has none: "gun" and "" are
        # 03 00 00 00 67 75 6E 00 and 00 00 00 00.
        if length and view[start + length] != 0:
            endless.append(len(texts))
        texts.append(bytes(view[start : start + length]))
        cursor = start + (length + 1 if length else 0)
    rule = Rule("V21", TABLE)
    found = rule.of_problems(dict.fromkeys(endless, _("no NUL after the text")))
    if problem:
        found += rule.of_problems({len(texts): problem})
    elif cursor < len(view):
        found.append(Rule("V21", TAIL).finding("{size} bytes follow the last text", size=len(view) - cursor))
    return Texts(tuple(texts), cursor, tuple(found))


def _fit(view: memoryview, cursor: int) -> str:
    """Reason for which the text at `cursor` cannot be read; empty if it can."""
    left = len(view) - cursor
    if left < _LENGTH.size:
        return _("the table ends, {left} bytes are left", left=left)
    length = _LENGTH.unpack_from(view, cursor)[0]
    if length and length + 1 > left - _LENGTH.size:
        return _("length {length}, {left} bytes are left", length=length, left=left - _LENGTH.size)
    return ""


def decode(data: Bytes, count: int) -> Strings:
    """Read up to `count` texts as records; reading stops at the first that does not fit."""
    view = memoryview(data).cast("B")
    read = read_texts(view, count)
    # Read once for the texts and once as records, which have fields of numpy: those who need names alone take
    # `read_texts`, which makes no record of each.
    records = [string_record(len(text)) for text in read.texts]
    starts = accumulate((record.size for record in records), initial=0)
    rows = tuple(
        # One start more than records: the last is the end.
        np.frombuffer(view, record.dtype, 1, start)[0]
        for record, start in zip(records, starts, strict=False)
    )
    return Strings(rows, bytes(view[read.end :]), read.diagnostics)


LAYOUT = Layout(
    Strings,
    stated={"count": 0},
    reader=decode,
    rows=Listing(TABLE, CountedText(string_record), "Names of the nodes, or their labels: socket tags."),
    tail=RawBytes(TAIL, "Bytes after the last text."),
)
encode, parts = LAYOUT.encode, LAYOUT.parts


def build(texts: Iterable[bytes]) -> bytes:
    """The table of `texts`, in order; an empty text is stored as a zero length alone."""
    return b"".join(
        len(text).to_bytes(_LENGTH.size, "little") + (text + b"\0" if text else b"") for text in texts
    )


NAME_SIZE = 32

NAME = Record(
    "name_records",
    NAME_SIZE,
    Field(
        "name",
        f"V{NAME_SIZE}",
        "Name of the node in the field reading.",
        encoding=CP1251,
        status=Status.INFERRED,
    ),
    doc="The name of the node of the same row.",
)


def build_name_records(names: Iterable[bytes]) -> bytes:
    """The table of `names`; raises `ValueError` for a name that does not fit before a NUL."""
    return b"".join(padded(name, NAME_SIZE) for name in names)
