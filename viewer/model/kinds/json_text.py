"""JSON text: shortest binary32 floats, large tables column by column.

A float is the shortest text that reads back as the same binary32 value; NaN and infinities are the
strings "nan", "inf" and "-inf". Arrays are nested lists, masked elements are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from itertools import chain, repeat
from json.encoder import encode_basestring
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.model.kinds.columns import Column, Columns, MixedRows, PlainArray, PlainRows

_Cells = tuple[str, list[Sequence[str]]]
"""The template of a cell, and its texts: for each ``%s`` one sequence with an element per row."""

ROWS_AT_ONCE: Final = 4096
"""Rows formatted together; limits the memory for a long table."""

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
"""Types of values that are one text: most of a large document, which needs no generator for each."""
_SMALL: Final = 3e38
"""Below it a float is finite in 32 bits."""


def encode(document: object) -> str:
    """The whole document as one text."""
    return "".join(pieces(document))


def pieces(document: object) -> Iterator[str]:
    """The document piece by piece; raises `TypeError` for a value that JSON cannot hold."""
    match document:
        case PlainRows():
            yield from _list(_objects(document.part(*ends)) for ends in _stretches(document))
        case Mapping():
            yield from _members(document)
        case PlainArray():
            yield from pieces(document.values)
        case np.ndarray() if document.ndim:
            yield from _list(_items(document[slice(*ends)]) for ends in _stretches(document))
        case Sequence() | Iterator() if not isinstance(document, str | bytes | bytearray | memoryview):
            yield from _elements(document)
        case _:
            yield _scalar(document)


def _members(mapping: Mapping[str, object]) -> Iterator[str]:
    before = "{"
    for name, value in mapping.items():
        before += _string(name) + ": "
        if type(value) in _SCALARS:
            yield before + _scalar(value)
        else:
            yield before
            yield from pieces(value)
        before = ", "
    yield "}" if mapping else "{}"


def _elements(values: Iterable[object]) -> Iterator[str]:
    before = "["
    for value in values:
        if type(value) in _SCALARS:
            yield before + _scalar(value)
        else:
            yield before
            yield from pieces(value)
        before = ", "
    yield "]" if before == ", " else "[]"


def _stretches(rows: Sized) -> Iterator[tuple[int, int]]:
    """Start and stop of each range of rows that is formatted together."""
    return ((start, start + ROWS_AT_ONCE) for start in range(0, len(rows), ROWS_AT_ONCE))


def _list(stretches: Iterable[Iterable[str]]) -> Iterator[str]:
    before = "["
    for texts in stretches:
        yield before
        yield ", ".join(texts)
        before = ", "
    yield "]" if before == ", " else "[]"


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
        case np.ndarray():
            return _texts(value)[0]
    raise TypeError(type(value).__name__)


def float_text(value: float | np.floating[Any]) -> str:
    """A float as JSON: the shortest text of its binary32 value, or a string if it is not finite."""
    if abs(float(value)) < _SMALL:
        text = str(np.float32(value))
        return _shorter(text) if "e" in text else text
    return float_texts(np.array([value]))[0]


def _string(text: str) -> str:
    return encode_basestring(text)


def _objects(rows: PlainRows) -> Iterator[str]:
    match rows:
        case Columns():
            return iter(_filled(*_object(rows), len(rows)))
        case MixedRows():
            parts = [_objects(part) for part in rows.parts]
            return (next(parts[kind]) for kind in rows.kinds.tolist())
    return map(encode, rows)


def _object(rows: Columns) -> _Cells:
    fields: list[str] = []
    values: list[Sequence[str]] = []
    for name, column in rows.columns.items():
        form, texts = _cells(column, len(rows))
        fields.append(_string(name).replace("%", "%%") + ": " + form)
        values += texts
    return "{" + ", ".join(fields) + "}", values


def _cells(column: Column, count: int) -> _Cells:
    if isinstance(column, Columns) and len(column) == count:
        return _object(column)
    if isinstance(column, np.ndarray) and len(column) == count:
        return _item(column)
    if isinstance(column, np.ndarray):
        texts = [*_items(column)]
    else:
        texts = [_string(value) if isinstance(value, str) else encode(value) for value in column or ()]
    return "%s", [[*texts, *repeat("null", count - len(texts))]]


def _brackets(shape: tuple[int, ...]) -> str:
    """The template of an array: ``[%s, %s]`` for shape (2,)."""
    if not shape:
        return "%s"
    return "[" + ", ".join(repeat(_brackets(shape[1:]), shape[0])) + "]"


def _item(values: npt.NDArray[Any]) -> _Cells:
    """The elements of an array along its first axis."""
    shape = values.shape[1:]
    width = int(np.prod(shape, dtype=np.int64))
    texts = _texts(values)
    return _brackets(shape), [texts[index::width] for index in range(width)]


def _items(values: npt.NDArray[Any]) -> Iterable[str]:
    return _filled(*_item(values), len(values))


def _filled(form: str, texts: list[Sequence[str]], count: int) -> Iterable[str]:
    return map(form.__mod__, zip(*texts, strict=True)) if texts else repeat(form, count)


def _texts(values: npt.NDArray[Any]) -> list[str]:
    """All elements of an array as JSON, flat."""
    flat = np.asarray(values).reshape(-1)
    match flat.dtype.kind:
        case "f":
            texts = float_texts(flat)
        case "b":
            texts = ["true" if value else "false" for value in flat.tolist()]
        case "i" | "u":
            texts = [*map(str, flat.tolist())]
        case "U":
            texts = [*map(_string, flat.tolist())]
        case _:
            texts = [*chain.from_iterable(map(pieces, flat.tolist()))]
    # The mask is read from the array itself, as importing ``numpy.ma`` is slow.
    for index in np.flatnonzero(getattr(values, "mask", False)).tolist():
        texts[index] = "null"
    return texts


def float_texts(flat: npt.NDArray[np.floating]) -> list[str]:
    """Floats, (n,), as JSON like `float_text`."""
    with np.errstate(over="ignore"):
        single = flat.astype(np.float32)
    texts = [_shorter(text) if "e" in text else text for text in map(str, single)]
    for index in np.flatnonzero(~np.isfinite(single)).tolist():
        texts[index] = f'"{texts[index]}"'
    return texts


def _shorter(text: str) -> str:
    """A number with an exponent, or without one if that is shorter."""
    # "1e+08" stays, as 100000000.0 is longer; "1.2345679e+08" becomes 123456790.0.
    return min(text, repr(float(text)), key=len)
