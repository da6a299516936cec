"""Splices between any two byte strings, also where content has moved along.

Blocks of the first that occur in the second are found by their hashes; the longest stretches of them that
keep their order stay, and what lies between them is replaced.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.formats import splice
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices

BLOCK_BITS: Final = 5
BLOCK: Final = 1 << BLOCK_BITS
"""Bytes that are compared as one."""
PIECE: Final = 1 << 20
"""Offsets whose hashes are made together; limits the memory."""
MOST_RUNS: Final = 50_000
"""Stretches that are ordered; of more only the longest."""
FEW: Final = 64
"""If at most one in this many bytes differs in place, nothing has moved."""
_FACTOR: Final = 0x9E3779B97F4A7C15
_FIRST_LOOK: Final = 256
"""Bytes that are compared first when a stretch is extended."""

_Data = npt.NDArray[np.uint8]
_Hashes = npt.NDArray[np.uint64]
_Offsets = npt.NDArray[np.int64]


class _Run(NamedTuple):
    """Bytes that both have, at two offsets."""

    old: int
    new: int
    size: int


def aligned(before: Bytes, after: Bytes) -> Splices:
    """Return splices that turn bytes into others, holding about as little as is possible."""
    old, new = (np.frombuffer(data, np.uint8) for data in (before, after))
    in_place = splice.between(before, after) if len(old) == len(new) else None
    if in_place is not None and splice.total(in_place) <= len(old) // FEW:
        return in_place
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    inner = old[start : len(old) - end], new[start : len(new) - end]
    kept = _extended(*inner, _in_order(_runs(*inner)))
    found = splice.moved(tuple(_between(*inner, kept)), start)
    if in_place is not None and splice.total(in_place) <= splice.total(found):
        return in_place
    return found


def _runs(old: _Data, new: _Data) -> list[_Run]:
    """Stretches of blocks of `old` that are in `new` too, the longest first; repeated blocks are left out."""
    if min(len(old), len(new)) < BLOCK:
        return []
    blocks = old[: len(old) // BLOCK * BLOCK].reshape(-1, BLOCK)
    known, rows, counts = np.unique(_block_hashes(blocks), return_index=True, return_counts=True)
    is_single = counts == 1
    offsets = rows[is_single] * BLOCK
    if not len(offsets):
        return []
    olds, news = _matches(known[is_single], offsets, new)
    is_next = (np.diff(olds) == BLOCK) & (np.diff(news) == BLOCK)
    begins = np.flatnonzero(np.append(True, ~is_next))[: len(olds)]
    sizes = np.diff(np.append(begins, len(olds))) * BLOCK
    longest = np.argsort(-sizes, kind="stable")[:MOST_RUNS]
    columns = olds[begins][longest], news[begins][longest], sizes[longest]
    return [_Run(*run) for run in zip(*(column.tolist() for column in columns), strict=True)]


def _matches(known: _Hashes, offsets: _Offsets, new: _Data) -> tuple[_Offsets, _Offsets]:
    """The offsets of known blocks and those where `new` has them, in the order of `new`."""
    olds, news = [], []
    for start in range(0, len(new) - BLOCK + 1, PIECE):
        hashes = _rolling_hashes(new[start : start + PIECE + BLOCK - 1])
        rows = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        hits = np.flatnonzero(known[rows] == hashes)
        olds.append(offsets[rows[hits]])
        news.append(hits + start)
    return np.concatenate(olds), np.concatenate(news)


def _rolling_hashes(data: _Data) -> _Hashes:
    """The hash of the block at each offset, (n - `BLOCK` + 1,)."""
    found, factor = data.astype(np.uint64), _FACTOR
    for bit in range(BLOCK_BITS):
        width = 1 << bit
        found = found[:-width] * np.uint64(factor) + found[width:]
        factor = factor * factor % (1 << 64)
    return found


def _block_hashes(blocks: _Data) -> _Hashes:
    """The same hash of each block, (n,); `blocks` is (n, `BLOCK`)."""
    found = np.zeros(len(blocks), np.uint64)
    for column in range(BLOCK):
        found = found * np.uint64(_FACTOR) + blocks[:, column]
    return found


def _in_order(runs: Iterable[_Run]) -> list[_Run]:
    """The runs, of which the first ones win, that have the same order in both."""
    kept: list[_Run] = []
    for run in runs:
        index = bisect_left(kept, run)
        before, after = kept[index - 1 : index] if index else [], kept[index : index + 1]
        if all(map(_is_before, before, [run])) and all(map(_is_before, [run], after)):
            insort(kept, run)
    return kept


def _is_before(run: _Run, other: _Run) -> bool:
    return run.old + run.size <= other.old and run.new + run.size <= other.new


def _extended(old: _Data, new: _Data, runs: Iterable[_Run]) -> Iterator[_Run]:
    """Yield the runs, grown by the equal bytes around them, without those that only have equal hashes."""
    old_end = new_end = 0
    for run in runs:
        size = _common(old[run.old :], new[run.new :])
        ahead = _common(old[old_end : run.old][::-1], new[new_end : run.new][::-1])
        found = _Run(run.old - ahead, run.new - ahead, size + ahead)
        overlap = max(0, old_end - found.old, new_end - found.new)
        if found.size - overlap >= BLOCK:
            found = _Run(found.old + overlap, found.new + overlap, found.size - overlap)
            old_end, new_end = found.old + found.size, found.new + found.size
            yield found


def _common(one: _Data, other: _Data) -> int:
    """Number of equal bytes at the start."""
    limit, done, look = min(len(one), len(other)), 0, _FIRST_LOOK
    while done < limit:
        stop = min(done + look, limit)
        different = np.flatnonzero(one[done:stop] != other[done:stop])
        if len(different):
            return done + int(different[0])
        done, look = stop, look * 2
    return limit


def _between(old: _Data, new: _Data, runs: Iterable[_Run]) -> Iterator[splice.Splice]:
    """Yield what differs between runs."""
    old_end = new_end = 0
    for run in (*runs, _Run(len(old), len(new), 0)):
        part = splice.between(old[old_end : run.old].tobytes(), new[new_end : run.new].tobytes())
        yield from splice.moved(part, old_end)
        old_end, new_end = run.old + run.size, run.new + run.size
