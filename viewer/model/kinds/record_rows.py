"""Records and diagnostics as plain data: text up to its NUL, unknown bytes as hex, sentinels as None."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

import numpy as np

from viewer.errors import Diagnostic
from viewer.formats.record import DECIMAL, Field, Record, Rows, plain
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.columns import Column, Columns, MadeColumn, NullableArray

_DECIMAL: Final = re.compile(rb"[+-]?\d{1,18}")


def record_row(record: Record, row: np.void) -> dict[str, Any]:
    """One record."""
    return {field.name: field_value(field, row[field.name]) for field in record.fields}


def record_columns(record: Record, rows: Rows) -> dict[str, Column]:
    """Columns of records, as views of their bytes."""
    return {field.name: _column(field, rows) for field in record.fields}


def record_rows(record: Record, rows: Rows) -> Columns:
    """Records as rows, each with its index."""
    return Columns(len(rows), {"index": np.arange(len(rows)), **record_columns(record, rows)})


def diagnostic_rows(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Diagnostics as plain data."""
    return [
        {
            "rule": finding.rule,
            "severity": str(finding.severity),
            "table": finding.table,
            "index": finding.index,
            "field": finding.field,
            "message": finding.message,
        }
        for finding in diagnostics
    ]


def field_value(field: Field, value: Any) -> Any:
    """Return one stored value of a field as plain data."""
    is_bytes = isinstance(value, np.void | np.bytes_)
    return _text(field, value.tobytes()) if is_bytes else plain(value, field.none)


def _text(field: Field, raw: bytes) -> str | int:
    if field.encoding == DECIMAL and _DECIMAL.fullmatch(raw):
        return int(raw)
    return decode(until_nul(raw)) if field.is_text else raw.hex()


def _column(field: Field, rows: Rows) -> Column:
    values = rows[field.name]
    if values.dtype.kind in "SV":
        return MadeColumn(values, partial(_text, field))
    return values if field.none is None else NullableArray.of(values, field.none)
