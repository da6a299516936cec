"""WEAR, the text table beside a model: a row's position is the material selector, its name the material.

Source: spec/materials.md 2.
Status: proven; the number that starts a row is read and never used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viewer.errors import Diagnostic, FormatError, Severity, row_findings
from viewer.formats.record import Bytes

TABLE = "WEAR"
LIGHTMAPS = "WEAR.LIGHTMAPS"
DOT_WITHIN = 16
"""Letters before the dot of a texture's name, at most."""
MAX_ROWS = 0x10000
"""Rows that a 16-bit selector can reach."""

_COUNT = re.compile(rb"\s*([+-]?\d{1,18})(?!\S)[^\n]*(?:\n|\Z)")
_ROW = re.compile(rb"[ \t]*([+-]?\d{1,18})[ \t]+(\S+)[^\n]*(?:\n|\Z)")
_HEADING = re.compile(rb"(?<!\S)LIGHTMAPS(?!\S)", re.IGNORECASE)
_BLANK_LINE = re.compile(rb"[ \t\r]*\n")
_NAME = re.compile(rb"\S+")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the unused number, the name, and where the name lies in the text."""

    number: int
    name: bytes
    name_start: int


@dataclass(frozen=True, slots=True)
class Wear:
    """A decoded table over its own text; `lightmaps` is empty where the section is absent or illegal."""

    data: bytes
    materials: tuple[Row, ...]
    lightmaps: tuple[Row, ...]
    diagnostics: tuple[Diagnostic, ...]


def decode(data: Bytes) -> Wear:
    """Read a table; raises `FormatError` where the number of rows is illegal (W02)."""
    data = bytes(data)
    header = _COUNT.match(data)
    count = int(header[1]) if header else 0
    if header is None or count <= 0:
        message = f"{count} rows" if header else "the text does not start with a number"
        raise FormatError(message, table=TABLE, field="count", rule="W02")
    findings: list[Diagnostic] = []
    materials, end = _read_rows(data, header.end(), count, TABLE, findings)
    heading = _HEADING.search(data, end)
    if heading is None:
        findings += _leftover(data, end, len(data))
        return Wear(data, materials, (), tuple(findings))
    findings += _before_heading(data, end, heading)
    lightmaps = _read_lightmaps(data, heading.end(), findings)
    return Wear(data, materials, lightmaps, tuple(findings))


def encode(wear: Wear) -> bytes:
    """The text, exactly as it was read."""
    return wear.data


def build(materials: Sequence[bytes], lightmaps: Sequence[bytes] = ()) -> bytes:
    """Write a table from names; raises `ValueError` for an empty table or a name with blanks."""
    if not materials:
        raise ValueError("a wear table has at least one row")
    text = _section(materials)
    return text + b"\r\nLIGHTMAPS\r\n" + _section(lightmaps) if lightmaps else text


def _section(names: Sequence[bytes]) -> bytes:
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not one word")
    rows = b"".join(b"%d %s\r\n" % (index, name) for index, name in enumerate(names))
    return b"%d\r\n" % len(names) + rows


def _read_rows(
    data: bytes, start: int, count: int, table: str, findings: list[Diagnostic]
) -> tuple[tuple[Row, ...], int]:
    """Rows from `start`, as many as stand there, and where they end."""
    if count > MAX_ROWS:
        message = f"{count} rows, a selector reaches {MAX_ROWS}"
        findings.append(Diagnostic("W02", Severity.ERROR, message, table, field="count"))
    rows: list[Row] = []
    while len(rows) < min(count, MAX_ROWS):
        row = _ROW.match(data, start)
        if row is None:
            message = f"no number and name, {count} rows were announced"
            findings.append(Diagnostic("W03", Severity.ERROR, message, table, len(rows)))
            break
        rows.append(Row(int(row[1]), row[2], row.start(2)))
        start = row.end()
    return tuple(rows), start


def _before_heading(data: bytes, end: int, heading: re.Match[bytes]) -> Iterator[Diagnostic]:
    yield from _leftover(data, end, heading.start())
    if _BLANK_LINE.match(data, end) is None:
        message = "no blank line before it: the in-memory parser of the game misreads the count"
        yield Diagnostic("W05", Severity.WARNING, message, LIGHTMAPS)
    if heading[0] != b"LIGHTMAPS":
        message = f"{heading[0]!r} is not in capitals: the game does not find it"
        yield Diagnostic("W05", Severity.WARNING, message, LIGHTMAPS)


def _read_lightmaps(data: bytes, start: int, findings: list[Diagnostic]) -> tuple[Row, ...]:
    header = _COUNT.match(data, start)
    if header is None or int(header[1]) <= 0:
        message = f"{int(header[1])} rows" if header else "no number of rows"
        findings.append(Diagnostic("W04", Severity.ERROR, message, LIGHTMAPS, field="count"))
        return ()
    rows, end = _read_rows(data, header.end(), int(header[1]), LIGHTMAPS, findings)
    findings += _leftover(data, end, len(data))
    dotless = [index for index, row in enumerate(rows) if not has_dot(row.name)]
    findings += row_findings(
        "W08", Severity.WARNING, LIGHTMAPS, dotless, lambda index: f"{rows[index].name!r} has no dot", "name"
    )
    return rows


def has_dot(name: bytes) -> bool:
    """Whether the name of a texture has a dot where the game looks for one."""
    return b"." in name[: DOT_WITHIN + 1]


def _leftover(data: bytes, start: int, end: int) -> Iterator[Diagnostic]:
    text = data[start:end].strip()
    if text:
        message = f"{len(text)} bytes after the last row are ignored"
        yield Diagnostic("W09", Severity.WARNING, message, TABLE)
