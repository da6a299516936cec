"""Distribution of the values of a field: distinct values, a histogram, outliers, what holds for all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import Mask
from viewer.model.tables.column import NO_TEXT, ColumnTexts

Numbers = npt.NDArray[Any]
Value = int | float | str | None

MOST_BARS: Final = 64
"""Distinct values up to which each has a bar of its own; of texts so many of the most frequent have one."""
BINS: Final = 32
"""Bars of equal width for more distinct numbers than that."""
RARE: Final = 100
"""The rarest of few distinct values are outliers if together they are at most one in so many."""
FENCE: Final = 3.0
"""Interquartile ranges outside of the middle half from which on one of many distinct numbers is an outlier.

It is doubled until those are at most one in `RARE`.
"""
MOST_DOUBLED: Final = 64
LEAST_STEPS: Final = 8
"""Steps from row to row from which on an order is no accident."""
_COUNTED: Final = 1 << 16
"""Range of whole numbers that are counted without sorting."""


class Distribution(Struct, frozen=True, eq=False, dict=True):
    """The distribution of numbers, (n,), or of texts.

    Parameters
    ----------
    values
        Numbers, also NaN and infinities, or `ColumnTexts`.
    none
        The number that means none; it is counted apart.
    """

    values: Numbers | ColumnTexts
    none: int | None = None

    @cached_property
    def _is_none(self) -> Mask:
        if isinstance(self.values, ColumnTexts):
            return np.asarray(self.values.codes == NO_TEXT)
        return np.zeros(len(self.values), bool) if self.none is None else np.asarray(self.values == self.none)

    @cached_property
    def _is_odd(self) -> Mask:
        """Whether a value is NaN or infinite."""
        if isinstance(self.values, ColumnTexts) or self.values.dtype.kind != "f":
            return np.zeros(len(self.values), bool)
        return ~np.isfinite(self.values)

    @cached_property
    def _counted(self) -> tuple[Numbers, npt.NDArray[np.int64]]:
        """The distinct finite numbers, or the codes of texts, in order, and how often each occurs."""
        numbers = self.values.codes if isinstance(self.values, ColumnTexts) else self.values
        left_out = self._is_none | self._is_odd
        if left_out.any():
            numbers = numbers[~left_out]
        if len(numbers) and numbers.dtype.kind in "iu":
            first = int(numbers.min())
            if int(numbers.max()) - first < _COUNTED:
                # Indices 500 to 700 are counted in 201 places, which is faster than sorting a million of
                # them.
                counts = np.bincount(numbers.astype(np.int64) - first)
                found = np.flatnonzero(counts)
                return (found + first), counts[found]
        distinct, counts = np.unique(numbers, return_counts=True)
        return distinct, counts.astype(np.int64)

    @cached_property
    def _odd(self) -> list[tuple[float, int]]:
        """NaN and the infinities, each with how often it occurs; all NaN count as one value."""
        if isinstance(self.values, ColumnTexts) or not self._is_odd.any():
            return []
        odd = self.values[self._is_odd]
        found = ((value, int((odd == value).sum())) for value in (-np.inf, np.inf))
        return [it for it in (*found, (np.nan, int(np.isnan(odd).sum()))) if it[1]]

    @property
    def distinct(self) -> int:
        """The number of distinct values, none and not-a-number being one each."""
        return len(self._counted[0]) + len(self._odd) + bool(self._is_none.any())

    @property
    def ends(self) -> tuple[Value, Value]:
        """The least and the greatest number; None for texts. NaN has no place in an order."""
        if isinstance(self.values, ColumnTexts):
            return None, None
        found = [*self._counted[0][[0, -1]].tolist()] if len(self._counted[0]) else []
        found += [value for value, _ in self._odd if not np.isnan(value)]
        return (min(found), max(found)) if found else (None, None)

    @property
    def bin_width(self) -> float | None:
        """The width of the bars of a histogram, or None if each value has one of its own."""
        distinct = self._counted[0]
        if isinstance(self.values, ColumnTexts) or len(distinct) <= MOST_BARS:
            return None
        # As floats, since the difference of two float32 may be infinite in 32 bits.
        width = (float(distinct[-1]) - float(distinct[0])) / BINS
        if distinct.dtype.kind == "f":
            return width
        # Whole and wide enough: of 0 to 99 in 10 bars 99 // 10 + 1 is 10, which reaches 99.
        return (int(distinct[-1]) - int(distinct[0])) // BINS + 1

    @property
    def histogram(self) -> list[tuple[Value, int]]:
        """Values in order, or the lower ends of bars of equal width, with how often they occur.

        None and what is not finite come last. Of more than `MOST_BARS` texts the most frequent are there.
        """
        distinct, counts = self._counted
        missing = int(self._is_none.sum())
        last: list[tuple[Value, int]] = [*self._odd, *([(None, missing)] if missing else [])]
        if isinstance(self.values, ColumnTexts):
            order = np.argsort(-counts, kind="stable")[:MOST_BARS]
            return [*((self.values.labels[int(distinct[it])], int(counts[it])) for it in order), *last]
        width = self.bin_width
        if width is None:
            return [*zip(distinct.tolist(), counts.tolist(), strict=True), *last]
        first = distinct[0].item()
        with np.errstate(over="ignore"):
            places = ((distinct.astype(np.float64) - first) / width).astype(np.int64)
        # The greatest float lies at the end of the last bar, which would begin one more: 1.0 of 0.0 to 1.0.
        last_bin = BINS - 1 if distinct.dtype.kind == "f" else int(places[-1])
        bars = np.bincount(np.minimum(places, last_bin), counts).astype(np.int64).tolist()
        return [*((first + index * width, count) for index, count in enumerate(bars)), *last]

    @cached_property
    def outliers(self) -> npt.NDArray[np.int64]:
        """The indices of the values that stand out, the most unusual first."""
        numbers = self.values.codes if isinstance(self.values, ColumnTexts) else self.values
        distinct, counts = self._counted
        if len(distinct) <= MOST_BARS or isinstance(self.values, ColumnTexts):
            rank = self._rare(numbers, distinct, counts)
        else:
            rank = self._far(numbers, distinct, counts)
        rank[self._is_odd] = -np.inf  # before all that are far from the others
        chosen = np.flatnonzero(rank < np.inf)
        order: npt.NDArray[np.int64] = chosen[np.argsort(rank[chosen], kind="stable")]
        return order

    def _rare(
        self, numbers: Numbers, distinct: Numbers, counts: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Number of rows with a value, for the rarest ones; infinite for the others."""
        rank = np.full(len(numbers), np.inf)
        order = np.argsort(counts, kind="stable")
        together = np.cumsum(counts[order])
        is_rare = np.zeros(len(counts), bool)
        # The rarest values, as many as are together a small share of all; all with one count or none of
        # them.
        most = counts[order[together <= len(numbers) // RARE]].max(initial=0)
        ties = counts == most
        if int(counts[counts <= most].sum()) <= len(numbers) // RARE:
            is_rare = counts <= most
        else:
            is_rare = (counts <= most) & ~ties
        if is_rare.any():
            at = np.minimum(np.searchsorted(distinct, numbers), len(distinct) - 1)
            found = is_rare[at] & (distinct[at] == numbers)
            rank[found] = counts[at[found]]
        return rank

    @staticmethod
    def _far(numbers: Numbers, distinct: Numbers, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Minus the distance from the middle half, for what is far outside; infinite for the others."""
        rank = np.full(len(numbers), np.inf)
        total = np.cumsum(counts)
        # Quartiles: the values at which the running sum of counts reaches a quarter and three quarters.
        low, high = (float(distinct[np.searchsorted(total, total[-1] * part)]) for part in (0.25, 0.75))
        reach = FENCE * (high - low)
        if not 0 < reach < np.inf:
            return rank
        with np.errstate(invalid="ignore", over="ignore"):
            wide = numbers.astype(np.float64)
            beyond = np.maximum(low - wide, wide - high)
            is_far = beyond > reach
            for _ in range(MOST_DOUBLED):
                if int(is_far.sum()) * RARE <= len(numbers):
                    break
                reach *= 2
                is_far &= beyond > reach
        rank[is_far] = -beyond[is_far]
        return rank

    @property
    def divisor(self) -> int:
        """The greatest number of which at least three different whole numbers are multiples; 0 for others."""
        distinct = self._counted[0]
        is_whole = not isinstance(self.values, ColumnTexts) and distinct.dtype.kind in "iu"
        # Two numbers have some divisor by accident; 0, 12, 24, 36 have 12.
        is_sure = is_whole and len(distinct) >= 3
        return int(np.gcd.reduce(distinct.astype(np.int64))) if is_sure else 0


def directions(numbers: Numbers, owners: npt.NDArray[np.int64]) -> tuple[bool, bool, bool, bool]:
    """Whether numbers, (n,), rise, never fall, fall, never rise from row to row of the same owner, (n,).

    All are False if there are fewer than `LEAST_STEPS` such steps.
    """
    is_inside = owners[1:] == owners[:-1]
    if int(is_inside.sum()) < LEAST_STEPS:
        return False, False, False, False
    before, after = numbers[:-1][is_inside], numbers[1:][is_inside]
    return (
        bool((after > before).all()),
        bool((after >= before).all()),
        bool((after < before).all()),
        bool((after <= before).all()),
    )


def same(left: Numbers, right: Numbers) -> bool:
    """Whether two arrays hold the same numbers; the first ones decide almost always."""
    if left.shape != right.shape or left.dtype.kind not in "iuf" or right.dtype.kind not in "iuf":
        return False
    return bool(np.array_equal(left[:16], right[:16]) and np.array_equal(left, right))


def joined_texts(parts: Sequence[ColumnTexts]) -> ColumnTexts:
    """The texts of several columns one below the other."""
    numbers: dict[str, int] = {}
    codes = []
    for part in parts:
        known = [numbers.setdefault(label, len(numbers)) for label in part.labels]
        codes.append(np.array([*known, NO_TEXT], np.int64)[part.codes])
    return ColumnTexts(np.concatenate(codes), tuple(numbers))
