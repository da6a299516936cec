"""Rows of a table as text for other programs: tab-separated values, JSON."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.kinds import json_text
from viewer.model.kinds.columns import Column, Columns, NullableArray
from viewer.model.query.condition import ROW
from viewer.model.query.table import ColumnTexts
from viewer.session.tables.table_view import TableColumn, TableView

NAME: Final = "_name"
"""Ends the name of the column that holds the names beside a column of numbers."""
_BREAKS: Final = str.maketrans("\t\r\n", "   ")


class CopyFormat(StrEnum):
    """Formats of copied rows."""

    TSV = "tsv"
    JSON = "json"


def copied(view: TableView, rows: npt.NDArray[np.int64], form: CopyFormat) -> str:
    """Some rows of a table with all columns as text."""
    return tsv(view, rows) if form is CopyFormat.TSV else json_text.encode(plain_rows(view, rows)) + "\n"


def plain_rows(view: TableView, rows: npt.NDArray[np.int64]) -> Columns:
    """Rows as ``inspect --json`` prints them: their number, stored values, names of what they refer to."""
    columns: dict[str, Column] = {ROW: rows}
    for column in view.columns:
        columns[column.name] = _values(column, rows)
        if column.is_named and not column.column.shape:
            columns[f"{column.name}{NAME}"] = _names(column, rows)
    return Columns(len(rows), columns)


def tsv(view: TableView, rows: npt.NDArray[np.int64]) -> str:
    """A header and a line per row; a column for each element of an array, empty cells for none.

    Sets of bits are hexadecimal, as in the table on screen.
    """
    plain = plain_rows(view, rows)
    bits = {it.name for it in view.columns if it.field is not None and it.field.is_bits}
    columns = [
        *chain.from_iterable(
            _flat(name, values, is_bits=name in bits) for name, values in plain.columns.items()
        )
    ]
    lines = [[name for name, _ in columns], *zip(*(cells for _, cells in columns), strict=True)]
    return "".join("\t".join(line) + "\n" for line in lines)


def _values(column: TableColumn, rows: npt.NDArray[np.int64]) -> Column:
    values = column.column.values
    if isinstance(values, ColumnTexts):
        return [values[row] or None for row in rows.tolist()]
    none = column.column.none
    return values[rows] if none is None else NullableArray.of(values[rows], none)


def _names(column: TableColumn, rows: npt.NDArray[np.int64]) -> list[str | None]:
    numbers = np.asarray(column.column.values)[rows].tolist()
    return [column.column.names.get(number) for number in numbers]


def _flat(name: str, values: Column, *, is_bits: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield the columns that a column becomes: one per element of its arrays."""
    if not isinstance(values, np.ndarray):
        yield name, [_word(value) for value in values or ()]
        return
    digits = 2 * values.dtype.itemsize
    word = partial(_hexadecimal, digits) if is_bits and values.dtype.kind in "iu" else _word
    for index in np.ndindex(values.shape[1:]):
        ending = "".join(f"[{at}]" for at in index)
        yield f"{name}{ending}", [*map(word, _element(values, index).tolist())]


def _hexadecimal(digits: int, value: int | None) -> str:
    """An integer of so many hexadecimal digits, a negative one as its two's complement."""
    return "" if value is None else f"0x{value & (1 << 4 * digits) - 1:0{digits}X}"


def _element(values: npt.NDArray[np.generic], index: tuple[int, ...]) -> npt.NDArray[np.generic]:
    for at in index:
        values = values[:, at]
    return values


def _word(value: object) -> str:
    """A value as a cell: floats in their shortest form, none as nothing, texts on one line."""
    if value is None:
        return ""
    if isinstance(value, float):
        return json_text.float_text(value).strip('"')
    return str(value).translate(_BREAKS)
