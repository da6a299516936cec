"""Tables for people: aligned columns, numbers to the right, long tables cut with a word about the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, overload

import numpy as np

from viewer.app.json_text import Column, Columns

GAP: Final = "  "
NOTHING: Final = "-"
INDENT: Final = "  "
WIDEST: Final = 80
"""Letters of a cell; what is longer is cut."""


def lines(rows: Columns, limit: int | None = None) -> Iterator[str]:
    """A heading and one line per row, the first `limit` of them."""
    shown = rows if limit is None else rows.part(0, limit)
    cells = [_column(name, values, shown.count) for name, values in shown.columns.items()]
    for row in zip(*cells, strict=True):
        yield GAP.join(row).rstrip()
    if shown.count < rows.count:
        yield f"... {rows.count - shown.count} more"


def rows_of(values: Sequence[Mapping[str, Any]]) -> Columns:
    """Plain rows column by column, with every field that any of them has."""
    names = dict.fromkeys(name for row in values for name in row)
    return Columns(len(values), {name: _FieldColumn(values, name) for name in names})


class _FieldColumn(Sequence[object]):
    """One field of plain rows, taken from them as it is looked at."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], name: str) -> None:
        self._rows = rows
        self._name = name

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> object: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[object]: ...
    def __getitem__(self, place: int | slice) -> object:
        if isinstance(place, slice):
            return [row.get(self._name) for row in self._rows[place]]
        return self._rows[place].get(self._name)


def document_lines(document: Mapping[str, Any], limit: int | None = None) -> Iterator[str]:
    """A document of plain values: a line per field, a table per list of rows."""
    tables = {name: rows for name, value in document.items() if (rows := _as_rows(value)) is not None}
    values = {name: value for name, value in document.items() if name not in tables}
    width = max(map(len, values), default=0)
    for name, value in values.items():
        yield f"{name.ljust(width)}{GAP}{cell(value)}"
    for name, rows in tables.items():
        yield ""
        yield f"{name} ({rows.count})"
        yield from (INDENT + line for line in (lines(rows, limit) if rows.count else ()))


def cell(value: Any) -> str:
    """A value on one line: vectors in blanks, nothing as a dash, fields as ``name value``."""
    match value:
        case np.ndarray():
            return cell(_plain(value))
        case Mapping():
            return ", ".join(f"{name} {cell(item)}" for name, item in value.items())
        case Sequence() if not isinstance(value, str):
            divider = " | " if any(isinstance(item, list | tuple | Mapping) for item in value) else " "
            return divider.join(map(cell, value))
    return _scalar(value)


def _scalar(value: object) -> str:
    match value:
        case None:
            return NOTHING
        case bool() | np.bool_():
            return "yes" if value else "no"
        case float() | np.floating():
            return f"{value:.6g}"
        case str():
            return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in value)
    return str(value)


def _as_rows(value: Any) -> Columns | None:
    if isinstance(value, Columns):
        return value
    is_list = isinstance(value, Sequence) and not isinstance(value, str | tuple)
    return rows_of(value) if is_list and all(isinstance(row, Mapping) for row in value) else None


def _column(name: str, values: Column, count: int) -> list[str]:
    """Heading and cells of one column, all of the same width."""
    plain = _plain(values)
    texts = [*(_cut(cell(value)) for value in plain), *[NOTHING] * (count - len(plain))]
    width = max(map(len, (name, *texts)))
    is_text = any(isinstance(value, str) for value in plain)
    adjust = str.ljust if is_text else str.rjust
    return [adjust(text, width) for text in (name, *texts)]


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def _plain(values: Column) -> Sequence[Any]:
    if values is None:
        return ()
    return values.tolist() if isinstance(values, np.ndarray) else values
