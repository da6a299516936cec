"""Matching the rows of two tables: by content, by name or by index.

By content, so that inserted and removed rows shift nothing: rows are compared as numbers, equal for equal
content. Rows at the start and the end that agree are pairs, then rows that occur once in both, in the same
order; a run of rows that occurs once stands for rows that never do alone, as indices. What is left between
two pairs is paired in order. It takes some sorts.

Each table of a model is matched after those that it refers to: rows are equal if they refer to equal rows, so
that a key that is inserted changes neither the frame map nor the nodes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import TABLES, Table
from viewer.formats.record import Field, Record, Rows
from viewer.geometry.transforms import Indices
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import has_name_records
from viewer.model.mesh.reading_choices import ReadingChoice


class Match(Struct, frozen=True, eq=False):
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
        """Whether the pairs cover all rows of tables with these lengths."""
        return (len(self.a) + len(self.only_a), len(self.b) + len(self.only_b)) == (count_a, count_b)

    @property
    def moved(self) -> npt.NDArray[np.bool_]:
        """Mask (n,) of pairs whose relative order differs between the tables."""
        # Partners 3 1 2 have ranks 2 0 1; a pair whose rank is not its index has moved against the others.
        rank = np.empty_like(self.b)
        rank[np.argsort(self.b, kind="stable")] = np.arange(len(self.b))
        is_moved: npt.NDArray[np.bool_] = rank != np.arange(len(self.b))
        return is_moved


def by_index(count_a: int, count_b: int) -> Match:
    """Rows with the same index, as many as both tables have."""
    shared = np.arange(min(count_a, count_b), dtype=np.int64)
    only_a, only_b = (np.arange(len(shared), count, dtype=np.int64) for count in (count_a, count_b))
    return Match(shared, shared, only_a, only_b)


def by_name(names_a: Sequence[str], names_b: Sequence[str]) -> Match:
    """Rows of the same name, the first with the first; of the remaining ones, rows of the same index.

    Rows with an empty name have no name.
    """
    # Filled backwards and popped from the end: the first row of a name is paired first.
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


RUNS: Final = (1, 4, 16)
"""Lengths of the runs of rows that are looked for, in turn."""
# 2^64 divided by the golden ratio, an odd number: consecutive row numbers get far apart.
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
    # Each row as one value of raw bytes: 0.0 and -0.0 are different, equal NaN are equal.
    _, numbers = np.unique(both.view(f"V{both.dtype.itemsize}"), return_inverse=True)
    return numbers[: len(a)].astype(np.int64), numbers[len(a) :].astype(np.int64)


def content_of_values(a: Iterable[Hashable], b: Iterable[Hashable]) -> tuple[Indices, Indices]:
    """Numbers of the rows of two tables of any values, equal for equal rows: (n,) and (m,) int64."""
    known: dict[Hashable, int] = {}
    first, second = (
        np.fromiter((known.setdefault(it, len(known)) for it in rows), np.int64) for rows in (a, b)
    )
    return first, second


def by_content(a: Indices, b: Indices) -> Match:
    """Match rows by the numbers of their content; by index if that leaves no more rows that differ."""
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
    aligned = Match(rows, partner[rows], np.flatnonzero(partner < 0), np.flatnonzero(is_free))
    straight = by_index(len(a), len(b))
    return aligned if _cost(aligned, a, b) < _cost(straight, a, b) else straight


def _cost(match: Match, a: Indices, b: Indices) -> int:
    """The number of rows that differ or have no partner."""
    return int(np.count_nonzero(a[match.a] != b[match.b])) + len(match.only_a) + len(match.only_b)


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
    """Number of true values before the first that is not."""
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
    # With `a` ascending, what also rises in `b` is in the same order in both: b 0 5 2 3 keeps 0 2 3.
    rising = longest_rising(rows_b.tolist())
    return rows_a[rising], rows_b[rising]


def _runs(rows: Indices, run: int) -> npt.NDArray[np.uint64]:
    """A number for each run of rows; two that agree by chance only pair rows that differ."""
    numbers = np.zeros(len(rows) - run + 1, np.uint64)
    for shift in range(run):
        # A polynomial hash that wraps at 64 bits; multiplying by an odd number loses nothing.
        numbers = numbers * _FACTOR + rows[shift : shift + len(numbers)].astype(np.uint64)
    return numbers


def _once(numbers: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], Indices]:
    """The numbers that occur once, and where."""
    values, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    return values[counts == 1], first[counts == 1].astype(np.int64)


def longest_rising(values: Sequence[int]) -> list[int]:
    """The positions of the longest rising subsequence of different values."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for position, value in enumerate(values):
        length = bisect_left(ends, value)
        # ends[k] is the smallest value with which a rising run of k + 1 ends, so ends stays sorted: 5 1 4 2
        # gives 1 2.
        ends[length : length + 1], at[length : length + 1] = [value], [position]
        before.append(at[length - 1] if length else -1)
    found, position = [], at[-1] if at else -1
    while position >= 0:
        found.append(position)
        position = before[position]
    return found[::-1]


_BY_NAME: Final = {table.name: table for table in TABLES.values() if table.record}
_BEGINNINGS: Final = frozenset({"tri_start", "batch_start", "index_start", "base_vertex", "map_start"})
"""Fields that say where rows begin: if the first of them is removed, they begin with the next one."""
_NOWHERE: Final = -1
"""Reference to a row that is removed."""


class RowMatches:
    """The matches of all tables with records, each made when it is needed.

    Parameters
    ----------
    nodes
        The match of the nodes, if both models have any.
    """

    def __init__(self, a: Model, b: Model, nodes: Match | None) -> None:
        self._models = a, b
        self._known: dict[str, Match | None] = {} if nodes is None else {NODE.name: nodes}

    def of(self, table: Table) -> Match:
        """The match of the rows of a table."""
        if table.name not in self._known:
            self._known[table.name] = None  # while it is being made, for tables that refer to each other
            before, after = (rows.copy() for rows in self._rows(table))
            for field in table.record.fields if table.record else ():
                target = _target(field)
                if target is not None and target.name == table.name:
                    before[field.name], after[field.name] = 0, 0
            if table.record is not None:
                before = self.in_b(table.record, before, but=table.name)
            self._known[table.name] = by_content(*content_of_rows(before, after))
        before, after = self._rows(table)
        return self._known[table.name] or by_index(len(before), len(after))

    def follows(self, field: Field, rows: tuple[Rows, Rows], match: Match) -> npt.NDArray[np.bool_]:
        """Pairs whose references in a field are to the same rows, or to none, in both models, (n,) bool."""
        table = _target(field)
        if table is None:
            return np.zeros(len(match.a), np.bool_)
        before, after = (side[field.name].astype(np.int64) for side in rows)
        before, after = before[match.a], after[match.b]
        followed = self._in_b(field, table, before)
        # -1 is also how some fields say none: a reference that was cleared does not follow
        is_same = (followed == after) & ((followed != _NOWHERE) | (before == after))
        follows: npt.NDArray[np.bool_] = is_same.all(axis=tuple(range(1, is_same.ndim)))
        return follows

    def _rows(self, table: Table) -> tuple[Rows, Rows]:
        before, after = (model.rows(table.type_id) for model in self._models)
        return before, after

    def in_b(self, record: Record, rows: Rows, but: str = "") -> Rows:
        """Rows of the first file with their references as the second one would have them, except to `but`."""
        found = rows.copy()
        for field in record.fields:
            target = _target(field)
            if target is not None and target.name != but:
                values = self._in_b(field, target, rows[field.name].astype(np.int64))
                found[field.name] = values.astype(found[field.name].dtype)
        return found

    def _in_b(self, field: Field, target: Table, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """References of the first model as the second one would have them."""
        match, (before, after) = self.of(target), self._rows(target)
        partners = np.full(len(before), _NOWHERE, np.int64)
        partners[match.a] = match.b
        if field.name in _BEGINNINGS:
            # A row without a partner takes that of the next row with one, or the end of the table.
            following = np.where(partners == _NOWHERE, len(before), np.arange(len(before)))
            following = np.minimum.accumulate(np.append(following, len(before))[::-1])[::-1]
            partners = np.append(partners, len(after))[following]
        is_row = (values >= 0) & (values < len(partners)) & (values != field.none)
        if len(partners):
            values = np.where(is_row, partners[np.where(is_row, values, 0)], values)
        return values


class NodeRows(Struct, frozen=True):
    """The nodes of a model in two files, for what numbers them next to it.

    Attributes
    ----------
    match, names
        The nodes that are the same, and their names.
    rows
        The matches of the tables of the model.
    """

    match: Match
    names: tuple[Sequence[str], Sequence[str]]
    rows: RowMatches

    @classmethod
    def of(cls, a: Model, b: Model, requested: ReadingChoice) -> NodeRows:
        """The nodes of two models, matched by their names."""
        names = [it.node_names(from_records=has_name_records(it, requested)) for it in (a, b)]
        match = by_name(*names)
        have_nodes = a.variant is b.variant is Variant.MODEL
        return cls(match, (names[0], names[1]), RowMatches(a, b, match if have_nodes else None))


def _target(field: Field) -> Table | None:
    """The table with records that a field refers to, with the whole of its bits if it has any."""
    whole = 8 * field.size
    names = [field.refers_to, *(it.refers_to for it in field.bits if it.width == whole)]
    return next((_BY_NAME[name] for name in names if name in _BY_NAME), None)
