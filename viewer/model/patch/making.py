"""Making a patch of two files: values of fields where both have them at the same location, else bytes.

Archives are compared entry by entry. Between other bytes, blocks of the first file that occur in the second
are found by their hashes; the longest stretches of them that keep their order stay, and what lies between
them is replaced.
"""

from __future__ import annotations

import json
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError, MshviewError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.formats.splice import Splice, Splices
from viewer.formats.text import fold
from viewer.model.compare.alignment import longest_rising
from viewer.model.kinds import json_text
from viewer.model.patch.applying import AnyEntry, FieldPlace, LocatedFile, applied, raw_of, value_of
from viewer.model.patch.patch import BytesChange, FieldChange, Patch, PatchChange, Stamp
from viewer.model.store.address import SEPARATOR
from viewer.model.store.item import read_archive
from viewer.translation import readable

BLOCK_BITS: Final = 5
BLOCK: Final = 1 << BLOCK_BITS
"""Bytes that are compared as one."""
PIECE: Final = 1 << 20
"""Offsets whose hashes are made together; limits the memory."""
MOST_RUNS: Final = 50_000
"""Stretches that are ordered; of more only the longest."""
# Then a search for bytes that moved could save little, and takes much longer than the comparison.
FEW: Final = 64
"""Bytes per differing byte from which on two files are taken to differ in place, with nothing moved."""
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
    """Splices that turn bytes into others, holding about as little as is possible."""
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
    # A hash may be that of other bytes too: `_extended` compares the bytes.
    known, rows, counts = np.unique(_block_hashes(blocks), return_index=True, return_counts=True)
    is_single = counts == 1
    offsets = rows[is_single] * BLOCK
    if not len(offsets):
        return []
    olds, news = _matches(known[is_single], offsets, new)
    is_next = (np.diff(olds) == BLOCK) & (np.diff(news) == BLOCK)
    # Blocks that follow each other in both files are one stretch.
    begins = np.flatnonzero(np.append(True, ~is_next))[: len(olds)]
    sizes = np.diff(np.append(begins, len(olds))) * BLOCK
    # Negative for the longest first; stable, so that of equal ones the first in the file wins.
    longest = np.argsort(-sizes, kind="stable")[:MOST_RUNS]
    columns = olds[begins][longest], news[begins][longest], sizes[longest]
    return [_Run(*run) for run in zip(*(column.tolist() for column in columns), strict=True)]


def _matches(known: _Hashes, offsets: _Offsets, new: _Data) -> tuple[_Offsets, _Offsets]:
    """The offsets of known blocks and those where `new` has them, in the order of `new`."""
    olds, news = [], []
    for start in range(0, len(new) - BLOCK + 1, PIECE):
        # The hash of the block at each offset, (n - `BLOCK` + 1,)
        found, factor = new[start : start + PIECE + BLOCK - 1].astype(np.uint64), _FACTOR
        for bit in range(BLOCK_BITS):
            width = 1 << bit
            # Doubling: hashes of 1, 2, 4 ... bytes; h(ab) = h(a) * factor + h(b), where factor is _FACTOR to
            # the power of len(b).
            found = found[:-width] * np.uint64(factor) + found[width:]
            factor = factor * factor % (1 << 64)
        hashes = found
        rows = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        hits = np.flatnonzero(known[rows] == hashes)
        olds.append(offsets[rows[hits]])
        news.append(hits + start)
    return np.concatenate(olds), np.concatenate(news)


def _block_hashes(blocks: _Data) -> _Hashes:
    """The hash of each block as `_matches` has it, (n,); `blocks` is (n, `BLOCK`)."""
    found = np.zeros(len(blocks), np.uint64)
    for column in range(BLOCK):
        found = found * np.uint64(_FACTOR) + blocks[:, column]
    return found


def _in_order(runs: Iterable[_Run]) -> list[_Run]:
    """The runs, of which the first ones win, that have the same order in both."""
    kept: list[_Run] = []
    for run in runs:
        # The kept runs ascend in both files, so only the neighbors of its place can cross a run.
        index = bisect_left(kept, run)
        before, after = kept[index - 1 : index] if index else [], kept[index : index + 1]
        if all(map(_is_before, before, [run])) and all(map(_is_before, [run], after)):
            insort(kept, run)
    return kept


def _is_before(run: _Run, other: _Run) -> bool:
    return run.old + run.size <= other.old and run.new + run.size <= other.new


def _extended(old: _Data, new: _Data, runs: Iterable[_Run]) -> Iterator[_Run]:
    """The runs, grown by the equal bytes around them, without those that only have equal hashes."""
    old_end = new_end = 0
    for run in runs:
        # Equal hashes are not equal bytes; the length is measured again, also beyond the last whole block.
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
    """Differences between runs."""
    old_end = new_end = 0
    for run in (*runs, _Run(len(old), len(new), 0)):
        part = splice.between(old[old_end : run.old].tobytes(), new[new_end : run.new].tobytes())
        yield from splice.moved(part, old_end)
        old_end, new_end = run.old + run.size, run.new + run.size


MAX_DEPTH: Final = 8
"""Depth of nested archives; the bytes of deeper ones are compared."""

Span = tuple[int, int]


def spliced(before: Bytes, after: Bytes, depth: int = 0) -> Splices:
    """Splices that turn one file into another, holding about as little as is possible."""
    old, new = memoryview(before), memoryview(after)
    archives = read_archive(old), read_archive(new)
    if old == new:
        return ()
    if archives[0] is None or archives[1] is None or depth == MAX_DEPTH:
        return aligned(old, new)
    return splice.ordered(_by_entry(old, new, _pairs(archives[0], archives[1]), depth))


def _by_entry(
    old: memoryview, new: memoryview, pairs: Sequence[tuple[Span, Span]], depth: int
) -> Iterator[Splice]:
    """The splices of paired payloads and of what lies between them."""
    starts = 0, 0
    for one, other in (*pairs, ((len(old),) * 2, (len(new),) * 2)):
        yield from splice.moved(aligned(old[starts[0] : one[0]], new[starts[1] : other[0]]), starts[0])
        yield from splice.moved(spliced(old[slice(*one)], new[slice(*other)], depth + 1), one[0])
        starts = one[1], other[1]


def _pairs(a: nres.Archive, b: nres.Archive) -> list[tuple[Span, Span]]:
    """The payloads of entries of the same name and type, as many as have the same order in both."""
    spans = dict(_named(b))
    found = sorted((span, spans[name]) for name, span in _named(a) if name in spans)
    kept: list[tuple[Span, Span]] = []
    # Splices have one order in both files: entries that were reordered are written where they are now.
    for pair in (found[row] for row in longest_rising([other[0] for _, other in found])):
        if not kept or all(side[0] >= last[1] for side, last in zip(pair, kept[-1], strict=True)):
            kept.append(pair)
    return kept


def _named(archive: nres.Archive) -> Iterator[tuple[Hashable, Span]]:
    """The names of entries, those that repeat with a number, and their spans."""
    seen: Counter[Hashable] = Counter()
    for entry in archive.entries:
        name = entry.type_id, fold(entry.name)
        if not entry.is_damaged and entry.size:
            # Names may repeat: the second entry of a name is paired with the second one.
            yield (*name, seen[name]), (entry.offset, entry.end)
        seen[name] += 1


MOST_FIELDS: Final = 50_000
"""Values that are written as such; what differs beyond them is written as bytes."""


def made(before: Bytes, after: Bytes, name: str = "file", entry: AnyEntry | None = None) -> Patch:
    """The patch from one file to another.

    Parameters
    ----------
    name
        That of the file in addresses.
    entry
        The directory entry, whose type says how to read the bytes, if they are the payload of one.
    """
    name = readable(name).replace(SEPARATOR, "_") or "file"
    stamps = Stamp.of(before), Stamp.of(after)
    splices = spliced(before, after)
    patch = Patch(*stamps, tuple(_PatchMaker(name, (before, after), splices, entry).changes()))
    # A field may not say everything: if reading it back gives other bytes, the patch is of bytes alone.
    if _is_exact(patch, before, after, entry):
        return patch
    return Patch(
        *stamps, tuple(BytesChange(name, it.offset, it.before, it.after, it.offset) for it in splices)
    )


def _is_exact(patch: Patch, before: Bytes, after: Bytes, entry: AnyEntry | None) -> bool:
    """Whether a patch gives the other file in both directions, also when its JSON is read again."""
    again = Patch.parse(patch.encode())
    try:
        there = applied(again, before, entry=entry)
        back = applied(again, after, is_reverse=True, entry=entry)
    except MshviewError:
        return False
    return there == memoryview(after) and back == memoryview(before)


class _PatchMaker:
    """The changes of one patch."""

    def __init__(
        self, name: str, files: tuple[Bytes, Bytes], splices: Splices, entry: AnyEntry | None = None
    ) -> None:
        self._name = name
        self._old, self._new = (LocatedFile(name, data, entry) for data in files)
        self._splices = splices
        self._room = MOST_FIELDS

    def changes(self) -> Iterator[PatchChange]:
        """Yield them in the order of their offsets."""
        shift = done = 0
        # Bytes that change their number end what lies before them: no field may reach across.
        walls = iter([it.offset for it in self._splices if it.growth])
        wall = next(walls, len(self._old.data))
        for found in self._splices:
            if found.growth:
                yield self._bytes(found)
                shift, done = shift + found.growth, found.end
                wall = next(walls, len(self._old.data))
            else:
                done = yield from self._in_place(max(done, found.offset), found.end, shift, (done, wall))

    def _in_place(
        self, offset: int, end: int, shift: int, around: tuple[int, int]
    ) -> Generator[PatchChange, None, int]:
        """The changes of bytes that keep their number, and return where the last one ends."""
        while offset < end:
            found = self._field(offset, shift, around) if self._room else None
            if found is not None:
                place, change = found
                self._room -= 1
                offset = place.end
                yield change
                continue
            stop = min(end, self._old.next_boundary(offset)) if self._room else end
            old, new = (
                bytes(it)
                for it in (self._old.data[offset:stop], self._new.data[offset + shift : stop + shift])
            )
            if old != new:
                yield self._bytes(Splice(offset, old, new))
            offset = stop
        return offset

    def _field(
        self, offset: int, shift: int, around: tuple[int, int]
    ) -> tuple[FieldPlace, FieldChange] | None:
        """The field at an offset, if both files have it and its values say everything about its bytes."""
        found, other = self._old.field_at(offset), self._new.field_at(offset + shift)
        if (
            found is None
            or other is None
            or found.names != other.names
            or found.field != other.field
            or found.start + shift != other.start
        ):
            return None
        # Part of the field is in a change before it, or behind bytes that are inserted or removed.
        if found.start < around[0] or found.end > around[1]:
            return None
        old, new = self._old.data[found.start : found.end], self._new.data[other.start : other.end]
        try:
            before, after = (_exact(found, *pair) for pair in ((old, new), (new, old)))
        except EditError:
            return None
        address = SEPARATOR.join((self._name, *found.entries))
        return found, FieldChange(address, found.table, found.row, found.field.name, before, after)

    def _bytes(self, splice: Splice) -> BytesChange:
        payload = self._old.payload_at(splice.offset)
        if splice.end > payload.end or splice.growth:
            payload = self._old.payload(())
        address = SEPARATOR.join((self._name, *payload.entries))
        return BytesChange(address, splice.offset - payload.start, splice.before, splice.after, splice.offset)


def _exact(found: FieldPlace, raw: Bytes, other: Bytes) -> Any:
    """The value of a field that gives its bytes again, also over those of the other file.

    Raises `EditError` if it does not.
    """
    # As it is read again: JSON has no float32, and text no bytes behind its NUL.
    value = json.loads(json_text.encode(value_of(found.field, raw)))
    if raw_of(found.field, value, other) != bytes(raw) or raw_of(found.field, value, raw) != bytes(raw):
        raise EditError("")
    return value
