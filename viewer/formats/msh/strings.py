"""Res10, node names, or labels where Res9 has the names: a length, the text and a NUL for each node.

Source: spec/msh.md 7, field-notes.md 2.
Status: proven (layout), inferred (labels).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

from viewer.errors import Diagnostic, Severity, row_findings
from viewer.formats.record import Bytes

TABLE = "strings"
_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Strings:
    """Texts as far as they could be read; `end` is where reading stopped."""

    texts: tuple[bytes, ...]
    end: int
    diagnostics: tuple[Diagnostic, ...] = ()


def decode(data: Bytes, count: int) -> Strings:
    """Up to `count` texts; reading stops at the first that does not fit."""
    view = memoryview(data).cast("B")
    texts: list[bytes] = []
    endless: list[int] = []
    problem = ""
    cursor = 0
    while len(texts) < count and not (problem := _fit(view, cursor)):
        length = _LENGTH.unpack_from(view, cursor)[0]
        start = cursor + _LENGTH.size
        if length and view[start + length] != 0:
            endless.append(len(texts))
        texts.append(bytes(view[start : start + length]))
        cursor = start + (length + 1 if length else 0)
    found = row_findings("V21", Severity.ERROR, TABLE, endless, lambda _: "no NUL behind the text")
    if problem:
        found.append(Diagnostic("V21", Severity.ERROR, problem, TABLE, len(texts)))
    elif cursor < len(view):
        message = f"{len(view) - cursor} bytes follow the last text"
        found.append(Diagnostic("V21", Severity.ERROR, message, TABLE))
    return Strings(tuple(texts), cursor, tuple(found))


def _fit(view: memoryview, cursor: int) -> str:
    """Why the text at `cursor` cannot be read; empty where it can."""
    left = len(view) - cursor
    if left < _LENGTH.size:
        return f"the table ends, {left} bytes are left"
    length = _LENGTH.unpack_from(view, cursor)[0]
    if length and length + 1 > left - _LENGTH.size:
        return f"length {length}, {left - _LENGTH.size} bytes are left"
    return ""


def encode(texts: Iterable[bytes]) -> bytes:
    """The table of `texts`, in order; an empty text is stored as a zero length alone."""
    return b"".join(_LENGTH.pack(len(text)) + (text + b"\0" if text else b"") for text in texts)
