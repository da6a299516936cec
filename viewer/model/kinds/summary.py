"""The fields that tell the rows of a table apart, for one-line summaries of rows.

Fields with one value in all rows say nothing about a single row, so they come last; names and times
come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.part import Part, RecordParts
from viewer.formats.record import DECIMAL, Field, Record, Rows, Status

MOST_COMPARED: Final = 2000
"""Rows that are compared; a table may have millions."""
MOST_ITEMS: Final = 16
"""Values of a field that fit a summary."""
TIME_UNITS: Final = ("ms", "s", "frames", "frame")

Order = tuple[Field, ...]
"""The fields of a record that a summary shows, the first ones first."""


def order_of_rows(record: Record, rows: Rows) -> Order:
    """Return the fields of a table (n,) in the order in which its summaries show them."""
    seen = rows[:MOST_COMPARED]
    return _ordered(record, {it.name for it in record.fields if _varies(seen[it.name])})


def order_of_one(record: Record) -> Order:
    """Return the fields of a single record in that order."""
    return _ordered(record, {it.name for it in record.fields})


def order_of_parts(parts: Sequence[Part]) -> dict[str, Order]:
    """Return the same for the single records of a list, by the name of the record."""
    if isinstance(parts, RecordParts):
        return {it.record.name: order_of_rows(it.record, it.rows) for it in parts.groups if len(it.rows)}
    first: dict[str, Record] = {}
    values: dict[tuple[str, str], set[bytes]] = {}
    for record, row in _records(islice(parts, MOST_COMPARED)):
        first.setdefault(record.name, record)
        for name in row.dtype.names or ():
            values.setdefault((record.name, name), set()).add(row[name].tobytes())
    varying = {key for key, found in values.items() if len(found) > 1}
    return {
        name: _ordered(record, {field for table, field in varying if table == name})
        for name, record in first.items()
    }


def _records(parts: Iterable[Part]) -> Iterable[tuple[Record, np.void]]:
    return ((it.record, it.rows) for it in parts if it.record is not None and isinstance(it.rows, np.void))


def _varies(values: npt.NDArray[Any]) -> bool:
    """Whether a column has more than one value; numbers that are not a number are equal to themselves."""
    if not len(values):
        return False
    raw = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)
    return bool((raw != raw[:1]).any())


def _ordered(record: Record, varying: set[str]) -> Order:
    shown = [it for it in record.fields if it.count <= MOST_ITEMS and it.status is not Status.OPEN]
    return tuple(sorted(shown, key=lambda it: (it.name not in varying, _rank(it))))


def _rank(field: Field) -> int:
    """Names first, then other texts, times, numbers."""
    if field.names is not None:
        return 0
    if field.is_text and field.encoding != DECIMAL:
        return 1
    return 2 if field.unit in TIME_UNITS else 3
