"""Rows as texts in columns, for CSV and TSV: an array becomes a column for each of its elements.

Floats are in their shortest form, none is an empty cell. Fields of a nested row are named ``phase.texture``,
elements of an array ``position[0]``; lists that differ in length stay one cell of JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.model.kinds import json_text
from viewer.model.kinds.columns import Column, Columns, MixedRows, PlainRows

FlatColumn = tuple[str, list[str]]
"""The name of a column, and the text of each of its cells."""
AnyRows = Sequence[Mapping[str, Any]]
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
    names = rows.names if isinstance(rows, PlainRows) else [*dict.fromkeys(chain.from_iterable(rows))]
    plain = [*rows]
    return Columns(len(plain), {name: [row.get(name) for row in plain] for name in names})


def _flat(name: str, values: Column, count: int, *, is_bits: bool) -> Iterator[FlatColumn]:
    """Yield the columns that a column becomes."""
    if isinstance(values, np.ndarray):
        digits = 2 * values.dtype.itemsize
        word = partial(_hexadecimal, digits) if is_bits and values.dtype.kind in "iu" else _word
        for index in np.ndindex(values.shape[1:]):
            ending = "".join(f"[{at}]" for at in index)
            yield f"{name}{ending}", _filled([*map(word, _element(values, index).tolist())], count)
        return
    plain: list[Any] = [*(values or ())]
    if any(isinstance(it, Mapping) for it in plain) and all(isinstance(it, Mapping | None) for it in plain):
        for inner, column in _columns([it or {} for it in plain]).columns.items():
            yield from _flat(f"{name}.{inner}", column, count, is_bits=False)
    elif (width := _shared_length(plain)) is not None:
        for at in range(width):
            yield f"{name}[{at}]", _filled([_word(None if it is None else it[at]) for it in plain], count)
    else:
        yield name, _filled([*map(_word, plain)], count)


def _shared_length(values: Sequence[Any]) -> int | None:
    """The length of lists and arrays of plain values that are all equally long; None for other values."""
    lists = [it for it in values if it is not None]
    if not lists or not all(isinstance(it, list | tuple | np.ndarray) for it in lists):
        return None
    lengths = {len(it) for it in lists}
    is_plain = not any(isinstance(one, list | tuple | Mapping | np.ndarray) for it in lists for one in it)
    return lengths.pop() if is_plain and len(lengths) == 1 and lengths != {0} else None


def _filled(cells: list[str], count: int) -> list[str]:
    """Cells of a column that may be shorter than its table."""
    return cells + [""] * (count - len(cells))


def _hexadecimal(digits: int, value: int | None) -> str:
    """An integer of so many hexadecimal digits, a negative one as its two's complement."""
    return "" if value is None else f"0x{value & (1 << 4 * digits) - 1:0{digits}X}"


def _element(values: npt.NDArray[np.generic], index: tuple[int, ...]) -> npt.NDArray[np.generic]:
    for at in index:
        values = values[:, at]
    return values


def _word(value: object) -> str:
    """A value as a cell: floats in their shortest form, none as nothing, texts on one line."""
    match value:
        case None:
            return ""
        case str():
            return value.translate(_BREAKS)
        case bool() | np.bool_():
            return "true" if value else "false"
        case float() | np.floating():
            return json_text.float_text(value).strip('"')
        case int() | np.integer():
            return str(value)
    return json_text.encode(value)
