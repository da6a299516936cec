"""Matching the rows of two tables by their content, so that inserted and removed rows shift nothing.

Rows are compared as numbers, equal for equal content. Rows at the start and the end that agree are pairs,
then rows that occur once in both, in the same order; a run of rows that occurs once stands for rows that
never do alone, as indices. What is left between two pairs is paired in order. It takes some sorts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Rows
from viewer.model.compare.matching import Indices, Match, by_index

RUNS: Final = (1, 4, 16)
"""Lengths of the runs of rows that are looked for, in turn."""
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)


class _Gap(NamedTuple):
    """Rows of both tables that are not paired yet: half-open ranges."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


def content_of_rows(a: Rows, b: Rows) -> tuple[Indices, Indices]:
    """Numbers of the rows of two tables of one record, equal for equal bytes: (n,) and (m,) int64."""
    both = np.concatenate((np.ascontiguousarray(a), np.ascontiguousarray(b)))
    _, numbers = np.unique(both.view(f"V{both.dtype.itemsize}"), return_inverse=True)
    return numbers[: len(a)].astype(np.int64), numbers[len(a) :].astype(np.int64)


def content_of_values(a: Iterable[Hashable], b: Iterable[Hashable]) -> tuple[Indices, Indices]:
    """The same for rows that are any values."""
    known: dict[Hashable, int] = {}
    first, second = (
        np.fromiter((known.setdefault(it, len(known)) for it in rows), np.int64) for rows in (a, b)
    )
    return first, second


def by_content(a: Indices, b: Indices) -> Match:
    """Match rows by the numbers of their content; by index if that leaves no more rows that differ."""
    straight, aligned = by_index(len(a), len(b)), _aligned(a, b)
    return aligned if _cost(aligned, a, b) < _cost(straight, a, b) else straight


def _cost(match: Match, a: Indices, b: Indices) -> int:
    """The number of rows that differ or have no partner."""
    return int(np.count_nonzero(a[match.a] != b[match.b])) + len(match.only_a) + len(match.only_b)


def _aligned(a: Indices, b: Indices) -> Match:
    partner = np.full(len(a), -1, np.int64)
    gaps = [_Gap(0, len(a), 0, len(b))]
    for run in RUNS:
        gaps = [it for gap in gaps for it in _split(a, b, gap, run, partner)]
    for gap in gaps:
        rest = _without_equal_ends(a, b, gap, partner)
        count = min(rest.a_end - rest.a_start, rest.b_end - rest.b_start)
        partner[rest.a_start : rest.a_start + count] = np.arange(rest.b_start, rest.b_start + count)
    rows = np.flatnonzero(partner >= 0)
    is_free = np.ones(len(b), np.bool_)
    is_free[partner[rows]] = False
    return Match(rows, partner[rows], np.flatnonzero(partner < 0), np.flatnonzero(is_free))


def _split(a: Indices, b: Indices, gap: _Gap, run: int, partner: Indices) -> Iterator[_Gap]:
    """Note pairs in a gap; yield the gaps between them."""
    rest = _without_equal_ends(a, b, gap, partner)
    if rest.a_start == rest.a_end or rest.b_start == rest.b_end:
        return
    rows_a, rows_b = _anchors(a[rest.a_start : rest.a_end], b[rest.b_start : rest.b_end], run)
    rows_a, rows_b = rows_a + rest.a_start, rows_b + rest.b_start
    partner[rows_a] = rows_b
    ends_a = (rest.a_start - 1, *rows_a.tolist(), rest.a_end)
    ends_b = (rest.b_start - 1, *rows_b.tolist(), rest.b_end)
    for (a_before, a_after), (b_before, b_after) in zip(pairwise(ends_a), pairwise(ends_b), strict=True):
        if a_after - a_before > 1 or b_after - b_before > 1:
            yield _Gap(a_before + 1, a_after, b_before + 1, b_after)


def _without_equal_ends(a: Indices, b: Indices, gap: _Gap, partner: Indices) -> _Gap:
    """Pair the rows at both ends of a gap that are equal; return what is between them."""
    ours, theirs = a[gap.a_start : gap.a_end], b[gap.b_start : gap.b_end]
    count = min(len(ours), len(theirs))
    first = _leading(ours[:count] == theirs[:count])
    last = _leading(ours[len(ours) - count + first :][::-1] == theirs[len(theirs) - count + first :][::-1])
    rest = _Gap(gap.a_start + first, gap.a_end - last, gap.b_start + first, gap.b_end - last)
    partner[gap.a_start : rest.a_start] = np.arange(gap.b_start, rest.b_start)
    partner[rest.a_end : gap.a_end] = np.arange(rest.b_end, gap.b_end)
    return rest


def _leading(is_equal: npt.NDArray[np.bool_]) -> int:
    """How many are true before the first that is not."""
    return len(is_equal) if is_equal.all() else int(is_equal.argmin())


def _anchors(a: Indices, b: Indices, run: int) -> tuple[Indices, Indices]:
    """The starts of runs that occur once in both, as many as are in the same order."""
    if min(len(a), len(b)) < run:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    once_a, once_b = _once(_runs(a, run)), _once(_runs(b, run))
    _, at_a, at_b = np.intersect1d(once_a[0], once_b[0], assume_unique=True, return_indices=True)
    rows_a, rows_b = once_a[1][at_a], once_b[1][at_b]
    order = np.argsort(rows_a)
    rows_a, rows_b = rows_a[order], rows_b[order]
    rising = _longest_rising(rows_b.tolist())
    return rows_a[rising], rows_b[rising]


def _runs(rows: Indices, run: int) -> npt.NDArray[np.uint64]:
    """A number for each run of rows; two that agree by chance only pair rows that differ."""
    numbers = np.zeros(len(rows) - run + 1, np.uint64)
    for shift in range(run):
        numbers = numbers * _FACTOR + rows[shift : shift + len(numbers)].astype(np.uint64)
    return numbers


def _once(numbers: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], Indices]:
    """The numbers that occur once, and where."""
    values, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    return values[counts == 1], first[counts == 1].astype(np.int64)


def _longest_rising(values: Sequence[int]) -> Indices:
    """The positions of the longest rising subsequence of different values."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for position, value in enumerate(values):
        length = bisect_left(ends, value)
        ends[length : length + 1], at[length : length + 1] = [value], [position]
        before.append(at[length - 1] if length else -1)
    found, position = [], at[-1] if at else -1
    while position >= 0:
        found.append(position)
        position = before[position]
    return np.array(found[::-1], np.int64)
