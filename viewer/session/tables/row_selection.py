"""The selected rows of a table: one click, Ctrl, Shift, all."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Order = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RowSelection:
    """Rows of a table; the active one was clicked last, a range begins at the anchor."""

    rows: frozenset[int] = frozenset()
    active: int | None = None
    anchor: int | None = None

    @classmethod
    def of(cls, row: int | None) -> RowSelection:
        """One row, or none."""
        return cls() if row is None else cls(frozenset({row}), row, row)

    def clicked(self, row: int, order: Order, *, is_added: bool, is_range: bool) -> RowSelection:
        """The selection after a click on a row of the order shown.

        Parameters
        ----------
        is_added
            Ctrl is held: the row is added, or removed if it is selected.
        is_range
            Shift is held: everything from the anchor to the row, which Ctrl adds to the rest.
        """
        if is_range and self.anchor is not None:
            chosen = frozenset(_between(order, self.anchor, row))
            return replace(self, rows=self.rows | chosen if is_added else chosen, active=row)
        if is_added:
            rows = self.rows ^ {row}
            return RowSelection(rows, row if row in rows else None, row)
        return RowSelection.of(row)

    def all_of(self, order: Order) -> RowSelection:
        """Everything that is shown."""
        return replace(self, rows=frozenset(order.tolist()))

    def stepped(self, step: int, order: Order) -> RowSelection:
        """The row `step` further in the order shown, alone; the first if none is active."""
        if not len(order):
            return self
        found = np.flatnonzero(order == (-1 if self.active is None else self.active))
        place = int(found[0]) + step if len(found) else 0
        return RowSelection.of(int(order[min(max(place, 0), len(order) - 1)]))

    def shown(self, order: Order) -> Order:
        """The selected rows in the order shown."""
        chosen: Order = order[np.isin(order, [*self.rows])] if len(self.rows) < len(order) else order
        return chosen


def _between(order: Order, first: int, last: int) -> list[int]:
    """The rows from one to another, in either direction; the last alone if the first is not shown."""
    places = [np.flatnonzero(order == row) for row in (first, last)]
    if not all(map(len, places)):
        return [last]
    low, high = sorted(int(place[0]) for place in places)
    rows: list[int] = order[low : high + 1].tolist()
    return rows
