"""Rows of a table after some were removed and others inserted, and where each old row is then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Rows
from viewer.model.mesh.draws import Indices, expand

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """A new order of rows.

    Attributes
    ----------
    number
        The new number of each old row, ascending, (n + 1,) int64; of one that is removed, that of the next.
    before
        The same of what is inserted there.
    starts
        The first row of each insertion.
    is_gone
        The old rows that are removed, (n,).
    """

    number: Indices
    before: Indices
    starts: tuple[int, ...]
    is_gone: Mask

    @classmethod
    def of(cls, is_gone: Mask, inserted: Sequence[tuple[int, int]]) -> Merged:
        """Rows without some, with others inserted: each an old row to stand before, and a number of rows."""
        before = np.concatenate(([0], np.cumsum(~is_gone)))
        added = np.zeros(len(before), np.int64)
        offsets: list[int] = []
        for at, count in inserted:
            offsets.append(int(added[at]))
            added[at] += count
        number = before + np.cumsum(added)
        starts = [
            int(number[at] - added[at]) + first for (at, _), first in zip(inserted, offsets, strict=True)
        ]
        return cls(number, number - added, tuple(starts), is_gone)

    def rows(self, old: Rows, new: Sequence[Rows]) -> Rows:
        """The rows in their new order; `new` are those of each insertion."""
        made = np.zeros(int(self.number[-1]), old.dtype)
        made[self.number[:-1][~self.is_gone]] = old[~self.is_gone]
        for start, rows in zip(self.starts, new, strict=True):
            made[start : start + len(rows)] = rows
        return made

    def moved(self, starts: npt.NDArray[Any], counts: npt.NDArray[Any]) -> Indices:
        """Starts of ranges of kept rows in the new order; those beyond the table stay."""
        total = len(self.number) - 1
        at = np.minimum(starts.astype(np.int64), total)
        number = np.where(counts == 0, self.before[at], self.number[at])
        return np.where(starts < total, number, starts.astype(np.int64))


def covered(start: npt.NDArray[Any], count: npt.NDArray[Any], chosen: Mask, total: int) -> Mask:
    """The rows of a table that the chosen ranges have, and no other range, (total,)."""
    start = np.minimum(start.astype(np.int64), total)
    count = np.minimum(count.astype(np.int64), total - start)
    found = np.zeros(total, np.bool_)
    found[expand(start[chosen], count[chosen])] = True
    for first, number in zip(start[~chosen].tolist(), count[~chosen].tolist(), strict=True):
        found[first : first + number] = False
    return found
