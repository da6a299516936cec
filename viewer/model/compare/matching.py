"""Matching the rows of two tables: by name, then by index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Match:
    """Pairs of rows, and rows without a partner.

    Attributes
    ----------
    a, b
        The rows of each pair, (n,) int64, ascending in `a`.
    only_a, only_b
        Rows that exist in only one table, ascending.
    """

    a: Indices
    b: Indices
    only_a: Indices
    only_b: Indices

    def fits(self, count_a: int, count_b: int) -> bool:
        """Whether it covers all rows of tables with these lengths."""
        return (len(self.a) + len(self.only_a), len(self.b) + len(self.only_b)) == (count_a, count_b)

    @property
    def moved(self) -> npt.NDArray[np.bool_]:
        """Mask (n,) of pairs whose relative order differs between the tables."""
        rank = np.empty_like(self.b)
        rank[np.argsort(self.b, kind="stable")] = np.arange(len(self.b))
        is_moved: npt.NDArray[np.bool_] = rank != np.arange(len(self.b))
        return is_moved

    def b_of(self, rows: Indices, none: int) -> Indices:
        """The partners of rows of the first table; `none` for rows without one or out of range."""
        size = int(max(self.a.max(initial=-1), self.only_a.max(initial=-1))) + 1
        table = np.full(size + 1, none, np.int64)
        table[self.a] = self.b
        partners: Indices = table[np.minimum(rows, size)]
        return partners


def by_index(count_a: int, count_b: int) -> Match:
    """Rows with the same index, as many as both tables have."""
    shared = np.arange(min(count_a, count_b), dtype=np.int64)
    only_a, only_b = (np.arange(len(shared), count, dtype=np.int64) for count in (count_a, count_b))
    return Match(shared, shared, only_a, only_b)


def by_name(names_a: Sequence[str], names_b: Sequence[str]) -> Match:
    """Rows of the same name, the first with the first; of the remaining ones, rows of the same index.

    Rows with an empty name have no name.
    """
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for row in reversed(range(len(names_b))):
        waiting[names_b[row]].append(row)
    pairs = {row: waiting[name].pop() for row, name in enumerate(names_a) if name and waiting[name]}
    free = set(range(len(names_b))).difference(pairs.values())
    pairs |= {row: row for row in range(len(names_a)) if row not in pairs and row in free}
    taken = set(pairs.values())
    return Match(
        _array(sorted(pairs)),
        _array(pairs[row] for row in sorted(pairs)),
        _array(row for row in range(len(names_a)) if row not in pairs),
        _array(row for row in range(len(names_b)) if row not in taken),
    )


def _array(rows: Iterable[int]) -> Indices:
    return np.fromiter(rows, np.int64)
