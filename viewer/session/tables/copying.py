"""Rows of a table as text for other programs: tab-separated values, JSON."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.kinds import json_text
from viewer.model.kinds.columns import Column, Columns, NullableArray
from viewer.model.kinds.json_text import flat_columns
from viewer.model.query.condition import ROW
from viewer.model.query.table import ColumnTexts
from viewer.session.tables.table_view import TableColumn, TableView

NAME: Final = "_name"
"""Ends the name of the column that holds the names beside a column of numbers."""


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
    bits = frozenset(it.name for it in view.columns if it.field is not None and it.field.is_bits)
    columns = flat_columns(plain_rows(view, rows), bits)
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
