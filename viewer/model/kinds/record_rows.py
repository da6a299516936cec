"""Records as plain data: names as text up to their NUL, unknown bytes in hexadecimal, sentinels as None."""

from __future__ import annotations

from typing import Any

import numpy as np

from viewer.formats.record import Field, Record, Rows, Status, plain
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.columns import Column, Columns, MadeColumn


def record_row(record: Record, row: np.void) -> dict[str, Any]:
    """One record."""
    return {field.name: _value(field, row[field.name]) for field in record.fields}


def record_columns(record: Record, rows: Rows) -> dict[str, Column]:
    """Records field by field, over their own bytes."""
    return {field.name: _column(field, rows) for field in record.fields}


def record_rows(record: Record, rows: Rows) -> Columns:
    """Records as rows, each with its index."""
    return Columns(len(rows), {"index": np.arange(len(rows)), **record_columns(record, rows)})


def _value(field: Field, value: Any) -> Any:
    return _text(field, value.tobytes()) if isinstance(value, np.void) else plain(value, field.none)


def _text(field: Field, raw: bytes) -> str:
    return raw.hex() if field.status is Status.OPEN else decode(until_nul(raw))


def _column(field: Field, rows: Rows) -> Column:
    values = rows[field.name]
    if values.dtype.kind == "V":
        return MadeColumn(values, lambda value: _text(field, value.tobytes()))
    return values if field.none is None else np.ma.masked_equal(values, field.none)
