"""JSON as the command line writes it: binary32 floats at their shortest, large tables column by column.

A float is the shortest text that reads back as the same binary32 value; NaN and infinities are the
strings "nan", "inf" and "-inf". Arrays are nested lists, masked elements are null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any] | Sequence[object] | None

ROWS_AT_ONCE: Final = 8192
"""Rows turned into text together; bounds the memory that a long table takes."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows with the same fields, kept column by column and written as a list of objects.

    Parameters
    ----------
    count
        Number of rows.
    columns
        Values by field, row by row: an array (n, ...), a sequence of n values, or None for a field that
        is null in every row. A column that is too short is null in the rows that it lacks.
    """

    count: int
    columns: Mapping[str, Column]

    def part(self, start: int, stop: int) -> Columns:
        """The rows from `start` to before `stop`."""
        start, stop = min(start, self.count), min(stop, self.count)
        cut = {name: None if values is None else values[start:stop] for name, values in self.columns.items()}
        return Columns(stop - start, cut)


def encode(document: object) -> str:
    """The whole document as one text."""
    return "".join(pieces(document))


def pieces(document: object) -> Iterator[str]:
    """The document piece by piece; raises `TypeError` for a value that JSON cannot hold."""
    match document:
        case Columns():
            yield from _rows(document)
        case Mapping():
            yield from _members(document)
        case np.ndarray():
            yield _array(document)
        case Sequence() if not isinstance(document, str | bytes | bytearray | memoryview):
            yield from _elements(document)
        case _:
            yield _scalar(document)


def _members(mapping: Mapping[str, object]) -> Iterator[str]:
    before = "{"
    for name, value in mapping.items():
        yield f"{before}{_string(name)}: "
        yield from pieces(value)
        before = ", "
    yield "}" if mapping else "{}"


def _elements(values: Sequence[object]) -> Iterator[str]:
    before = "["
    for value in values:
        yield before
        yield from pieces(value)
        before = ", "
    yield "]" if len(values) else "[]"


def _scalar(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool() | np.bool_():
            return "true" if value else "false"
        case int() | np.integer():
            return str(int(value))
        case float() | np.floating():
            return float_text(value)
        case str():
            return _string(value)
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def float_text(value: float | np.floating[Any]) -> str:
    """A float as JSON: the shortest text of its binary32 value, or a string where it is not finite."""
    return _floats(np.array([value]))[0]


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _rows(rows: Columns) -> Iterator[str]:
    before = "["
    for start in range(0, rows.count, ROWS_AT_ONCE):
        yield before
        yield ", ".join(_objects(rows.part(start, start + ROWS_AT_ONCE)))
        before = ", "
    yield "]" if rows.count else "[]"


def _objects(rows: Columns) -> Iterator[str]:
    fields: list[str] = []
    values: list[Sequence[str]] = []
    for name, column in rows.columns.items():
        form, texts = _cells(column, rows.count)
        fields.append(_string(name).replace("%", "%%") + ": " + form)
        values += texts
    form = "{" + ", ".join(fields) + "}"
    return map(form.__mod__, zip(*values, strict=True)) if values else repeat("{}", rows.count)


def _cells(column: Column, count: int) -> tuple[str, list[Sequence[str]]]:
    """How a cell of a column is put together, and its texts: one sequence of `count` for each ``%s``."""
    if isinstance(column, np.ndarray) and len(column) == count:
        width = int(np.prod(column.shape[1:], dtype=np.int64))
        texts = _texts(column)
        return _brackets(column.shape[1:]), [texts[place::width] for place in range(width)]
    if isinstance(column, np.ndarray):
        column = [*map(_array, column)] if column.ndim > 1 else _texts(column)
    else:
        column = [*map(encode, column or ())]
    return "%s", [[*column, *repeat("null", count - len(column))]]


def _brackets(shape: tuple[int, ...]) -> str:
    """The form of an array: ``[%s, %s]`` for shape (2,)."""
    if not shape:
        return "%s"
    return "[" + ", ".join(repeat(_brackets(shape[1:]), shape[0])) + "]"


def _array(values: npt.NDArray[Any]) -> str:
    if values.ndim <= 1:
        text = ", ".join(_texts(values))
        return f"[{text}]" if values.ndim else text
    return "[" + ", ".join(map(_array, values)) + "]"


def _texts(values: npt.NDArray[Any]) -> list[str]:
    """All elements of an array as JSON, flat."""
    flat = np.ma.getdata(values).reshape(-1)
    match flat.dtype.kind:
        case "f":
            texts = _floats(flat)
        case "b":
            texts = ["true" if value else "false" for value in flat.tolist()]
        case "i" | "u":
            texts = [*map(str, flat.tolist())]
        case _:
            texts = [*chain.from_iterable(map(pieces, flat.tolist()))]
    if isinstance(values, np.ma.MaskedArray):
        for place in np.flatnonzero(np.ma.getmaskarray(values)).tolist():
            texts[place] = "null"
    return texts


def _floats(flat: npt.NDArray[np.floating]) -> list[str]:
    with np.errstate(over="ignore"):
        single = flat.astype(np.float32)
    texts = [_shorter(text) if "e" in text else text for text in map(str, single)]
    for place in np.flatnonzero(~np.isfinite(single)).tolist():
        texts[place] = f'"{texts[place]}"'
    return texts


def _shorter(text: str) -> str:
    """A number with an exponent, or without one where that takes less room."""
    return min(text, repr(float(text)), key=len)
