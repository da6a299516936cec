"""JSON text: shortest binary32 floats, large tables column by column.

A float is the shortest text that reads back as the same binary32 value; NaN and infinities are the
strings "nan", "inf" and "-inf". Arrays are nested lists, masked elements are null, objects of
classes their members (`json_types`).

For CSV and TSV rows are texts in columns: an array becomes a column for each of its elements, none is an
empty cell. Fields of a nested row are named ``phase.texture``, elements of an array ``position[0]``; lists
that differ in length stay one cell of JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from functools import partial
from itertools import chain, repeat
from json.encoder import encode_basestring
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.json_types import as_mapping, members
from viewer.model.kinds.columns import Column, Columns, MixedRows, PlainArray, PlainRows
from viewer.model.store.address import Address

_Cells = tuple[str, list[Sequence[str]]]
"""The template of a cell, and its texts: for each ``%s`` one sequence with an element per row."""

ROWS_AT_ONCE: Final = 4096
"""Rows formatted together; limits the memory for a long table."""

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
"""Types of values that are one text: most of a large document, which needs no generator for each."""
_SMALL: Final = 3e38
"""The value below which a float is finite in 32 bits."""


def encode(document: object) -> str:
    """The whole document as one text."""
    return "".join(pieces(document))


def pieces(document: object) -> Iterator[str]:
    """The document piece by piece; raises `TypeError` for a value that JSON cannot hold."""
    return _pieces(document, "")


def _pieces(document: object, before: str) -> Iterator[str]:
    """The text of a value, and before it what stands there."""
    if isinstance(document, Struct) and not isinstance(document, Address):  # an address is a text
        document = members(document)
    match document:
        case PlainRows():
            stretches = (_objects(document.part(*ends)) for ends in _stretches(document))
            return _list(stretches, before)
        case Mapping():
            return _members(document, before)
        case PlainArray():
            return _pieces(document.values, before)
        case np.ndarray() if document.ndim:
            return _list((_items(document[slice(*ends)]) for ends in _stretches(document)), before)
        case Sequence() | Iterator() if not isinstance(document, str | bytes | bytearray | memoryview):
            return _elements(document, before)
    return iter((before + _scalar(document),))


def _members(mapping: Mapping[str, object], before: str) -> Iterator[str]:
    before += "{"
    for name, value in mapping.items():
        before += _string(name) + ": "
        kind = type(value)
        if kind in _SCALARS:
            yield before + _scalar(value)
        else:
            yield from _PLAIN.get(kind, _pieces)(value, before)
        before = ", "
    yield "}" if mapping else before + "}"


def _elements(values: Iterable[object], before: str) -> Iterator[str]:
    start = before = before + "["
    for value in values:
        kind = type(value)
        if kind in _SCALARS:
            yield before + _scalar(value)
        else:
            yield from _PLAIN.get(kind, _pieces)(value, before)
        before = ", "
    yield "]" if before is not start else before + "]"


_PLAIN: Final[Mapping[type, Callable[[Any, str], Iterator[str]]]] = {
    dict: _members,
    list: _elements,
    tuple: _elements,
}
"""The writers of values of most types, which are not worth asking whether they are rows or arrays."""


def _stretches(rows: Sized) -> Iterator[tuple[int, int]]:
    """The start and stop of each range of rows that is formatted together."""
    return ((start, start + ROWS_AT_ONCE) for start in range(0, len(rows), ROWS_AT_ONCE))


def _list(stretches: Iterable[Iterable[str]], before: str) -> Iterator[str]:
    start = before = before + "["
    for texts in stretches:
        yield before
        yield ", ".join(texts)
        before = ", "
    yield "]" if before is not start else before + "]"


def _scalar(value: object) -> str:
    match value:
        case None:
            return "null"
        # Before the whole numbers: True is an int in Python and would become 1.
        case bool() | np.bool_():
            return "true" if value else "false"
        case int() | np.integer():
            return str(int(value))
        case float() | np.floating():
            return float_text(value)
        case str() | Address():
            return _string(str(value))
        case np.ndarray():
            return _texts(value)[0]
    raise TypeError(type(value).__name__)


def float_text(value: float | np.floating[Any]) -> str:
    """A float as JSON: the shortest text of its binary32 value, or a string if it is not finite."""
    if abs(float(value)) < _SMALL:
        # 0.1 in 32 bits is 0.10000000149011612 as a double: its shortest text is only found in 32 bits.
        text = str(np.float32(value))
        return _shorter(text) if "e" in text else text
    # NaN comes here as well, as it is below nothing.
    return float_texts(np.array([value]))[0]


def _string(text: str) -> str:
    return encode_basestring(text)


def _objects(rows: PlainRows) -> Iterator[str]:
    match rows:
        case Columns():
            return iter(filled(*_object(rows), len(rows)))
        case MixedRows():
            # One iterator per kind, as the rows of a kind come in their order: kinds 1 0 1 take from 1, 0 and
            # 1.
            parts = [_objects(part) for part in rows.parts]
            return (next(parts[kind]) for kind in rows.kinds.tolist())
    return map(encode, rows)


def _object(rows: Columns) -> _Cells:
    fields: list[str] = []
    values: list[Sequence[str]] = []
    for name, column in rows.columns.items():
        form, texts = _cells(column, len(rows))
        # The name stands in a template that is filled with %: a percent sign of its own is doubled.
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


def brackets(shape: tuple[int, ...]) -> str:
    """The template of an array: ``[%s, %s]`` for shape (2,)."""
    return "[" + ", ".join(repeat(brackets(shape[1:]), shape[0])) + "]" if shape else "%s"


def _item(values: npt.NDArray[Any]) -> _Cells:
    """The elements of an array along its first axis."""
    shape = values.shape[1:]
    width = int(np.prod(shape, dtype=np.int64))
    texts = _texts(values)
    # The texts lie row by row: of rows with 3 elements element 1 is texts 1, 4, 7.
    return brackets(shape), [texts[index::width] for index in range(width)]


def _items(values: npt.NDArray[Any]) -> Iterable[str]:
    return filled(*_item(values), len(values))


def filled(form: str, texts: Sequence[Sequence[str]], count: int) -> Iterable[str]:
    """A template with the texts of each row; `texts` has those of an element for all of them."""
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
        # A double above 3.4e38 becomes infinite here, which is what its 32 bits hold; numpy would warn of it.
        single = flat.astype(np.float32)
    # str of each element and not tolist: that would make doubles of them, with all their digits.
    texts = [_shorter(text) if "e" in text else text for text in map(str, single)]
    for index in np.flatnonzero(~np.isfinite(single)).tolist():
        texts[index] = f'"{texts[index]}"'
    return texts


def _shorter(text: str) -> str:
    """A number with an exponent, or without one if that is shorter."""
    # "1e+08" stays, as 100000000.0 is longer; "1.2345679e+08" becomes 123456790.0.
    return min(text, repr(float(text)), key=len)


FlatColumn = tuple[str, list[str]]
"""The name of a column, and the text of each of its cells."""
AnyRows = Sequence[Mapping[str, Any]] | Sequence[Struct]
_BREAKS: Final = str.maketrans("\t\r\n", "   ")


def flat_columns(rows: AnyRows, bits: frozenset[str] = frozenset()) -> list[FlatColumn]:
    """The columns of all rows, which are as long as the rows are many.

    Parameters
    ----------
    bits
        The fields whose integers are hexadecimal, with all digits of their type.
    """
    columns = _columns(rows).columns.items()
    flat = (_flat(name, values, len(rows), is_bits=name in bits) for name, values in columns)
    return [*chain.from_iterable(flat)]


def _columns(rows: AnyRows) -> Columns:
    if isinstance(rows, MixedRows):
        return rows.with_shared_columns()
    if isinstance(rows, Columns):
        return rows
    plain = [*map(as_mapping, rows)]
    names = rows.names if isinstance(rows, PlainRows) else [*dict.fromkeys(chain.from_iterable(plain))]
    return Columns(len(plain), {name: [row.get(name) for row in plain] for name in names})


def _flat(name: str, values: Column, count: int, *, is_bits: bool) -> Iterator[FlatColumn]:
    """The columns that a column becomes."""
    if isinstance(values, np.ndarray):
        digits = 2 * values.dtype.itemsize
        word = partial(hexadecimal, digits) if is_bits and values.dtype.kind in "iu" else _word
        for index in np.ndindex(values.shape[1:]):
            ending = "".join(f"[{at}]" for at in index)
            yield f"{name}{ending}", _blank([*map(word, values[:, *index].tolist())], count)
        return
    plain: list[Any] = [members(it) if isinstance(it, Struct) else it for it in values or ()]
    if any(isinstance(it, Mapping) for it in plain) and all(isinstance(it, Mapping | None) for it in plain):
        for inner, column in _columns([it or {} for it in plain]).columns.items():
            yield from _flat(f"{name}.{inner}", column, count, is_bits=False)
    # Lists that differ in length have no elements that all rows could have a column for.
    elif (width := _shared_length(plain)) is not None:
        for at in range(width):
            yield f"{name}[{at}]", _blank([_word(None if it is None else it[at]) for it in plain], count)
    else:
        yield name, _blank([*map(_word, plain)], count)


def _shared_length(values: Sequence[Any]) -> int | None:
    """The length of lists and arrays of plain values that are all equally long; None for other values."""
    lists = [it for it in values if it is not None]
    if not lists or not all(isinstance(it, list | tuple | np.ndarray) for it in lists):
        return None
    lengths = {len(it) for it in lists}
    is_plain = not any(isinstance(one, list | tuple | Mapping | np.ndarray) for it in lists for one in it)
    # Lists that are all empty stay a cell: they would have no column at all.
    return lengths.pop() if is_plain and len(lengths) == 1 and lengths != {0} else None


def _blank(cells: list[str], count: int) -> list[str]:
    """Cells of a column that may be shorter than its table."""
    return cells + [""] * (count - len(cells))


def hexadecimal(digits: int, value: int | None) -> str:
    """An integer of so many hexadecimal digits, a negative one as its two's complement."""
    # -1 of four digits is -1 & 0xFFFF, 0xFFFF.
    return "" if value is None else f"0x{value & (1 << 4 * digits) - 1:0{digits}X}"


def as_written(digits: int, value: Any) -> Any:
    """A value as text shows it: integers of so many hexadecimal digits, unless 0; all else as it is."""
    if digits and isinstance(value, list | tuple | np.ndarray):
        return [as_written(digits, it) for it in value]
    is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return hexadecimal(digits, int(value)) if digits and is_number else value


def _word(value: object) -> str:
    """A value as a cell: floats in their shortest form, none as nothing, texts on one line."""
    match value:
        case None:
            return ""
        case str() | Address():
            return str(value).translate(_BREAKS)
        case bool() | np.bool_():
            return "true" if value else "false"
        case float() | np.floating():
            # NaN is a string in JSON, "nan", but a bare word in a cell.
            return float_text(value).strip('"')
        case int() | np.integer():
            return str(value)
    return encode(value)
