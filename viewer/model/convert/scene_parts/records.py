"""Rows of tables as plain values by the names of their fields."""

from __future__ import annotations

from typing import Any

from viewer.formats.record import Record, Rows
from viewer.model.convert.scene import Fields


def fields_of(record: Record, rows: Rows) -> list[Fields]:
    """The fields of each row: integers, floats, bytes, or nested lists of them, as stored."""
    columns: list[list[Any]] = [rows[field.name].tolist() for field in record.fields]
    names = [field.name for field in record.fields]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
