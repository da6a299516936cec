"""Changed values as rows of plain data, by column: an import may change every value of a model."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from viewer.geometry.transforms import Indices
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.edit.set_field import stored_name
from viewer.model.kinds.columns import Column, Columns, MixedRows, PlainRows
from viewer.model.store.address import Address


def value_rows(changed: Iterable[tuple[Address, Difference]]) -> MixedRows:
    """All values and rows that differ, without references that only follow, as ``edit --json`` has them.

    Added and removed rows without values that follow each other are one, with their ``count``.
    """
    shown = ((address, it) for address, it in changed if it.what is not ChangeKind.RENUMBERED)
    parts = [_rows(address.child(*it.path), it) for address, it in shown]
    return MixedRows(np.repeat(np.arange(len(parts)), np.array([*map(len, parts)], np.int64)), parts)


def row_runs(rows: Indices) -> tuple[Indices, Indices]:
    """The first of rows that follow each other, and how many those are, for each such run."""
    # Rows 3 4 5 9: steps 2 1 1 4, as the first is given one that is not 1, so that runs begin at 3 and 9.
    first = np.flatnonzero(np.diff(rows, prepend=rows[:1] - 2) != 1)
    return rows[first], np.diff(np.append(first, len(rows)))


def _rows(address: Address, it: Difference) -> PlainRows:
    rows = it.rows_a if it.what is ChangeKind.REMOVED else it.rows_b
    if rows is not None and not (len(it.a) or len(it.b) or len(it.names)):
        # Runs have a column more than single rows, so the two are put together as rows of two kinds.
        first, counts = row_runs(rows)
        is_run = counts > 1
        single, runs = (_columns(address, it, len(own), own) for own in (first[~is_run], first[is_run]))
        return MixedRows(is_run.astype(np.int64), [single, runs.with_columns(count=counts[is_run])])
    return _columns(address, it, it.count if rows is None else len(rows), rows)


def _columns(address: Address, it: Difference, count: int, rows: Indices | None) -> Columns:
    def repeated(text: str) -> Column:
        return [text] * count if text else None

    return Columns(
        count,
        {
            "what": repeated(str(it.what)),
            "address": repeated(str(address)),
            "table": [it.table] * count,
            "row": rows,
            "field": repeated(stored_name(it.table, it.field)),
            "before": it.a if len(it.a) else None,
            "after": it.b if len(it.b) else None,
        },
    )
