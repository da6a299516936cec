"""Splices: bytes at an offset replaced by others, which is all that an edit does to a file.

Everything outside the splices of an edit is unchanged by construction, and the reverse splices give the
same bytes again.

Source: spec/README.md 4 (lossless edit).
Status: proven.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.formats.record import Bytes

NEAR: Final = 4
"""Equal bytes between two different ones from which on they are in splices of their own."""
_PIECE: Final = 1 << 20
"""Bytes that are compared at once."""


def same_bytes(one: Bytes, other: Bytes) -> bool:
    """Whether bytes are equal: views compare theirs one by one, twenty times as slowly."""
    before, after = (memoryview(it).cast("B") for it in (one, other))
    pieces = (slice(at, at + _PIECE) for at in range(0, len(before), _PIECE))
    return len(before) == len(after) and all(bytes(before[it]) == bytes(after[it]) for it in pieces)


class Splice(Struct, frozen=True):
    """Bytes replaced by others, of any length.

    Parameters
    ----------
    offset
        Where they start in the bytes before any splice of the same step.
    before, after
        The bytes that are there, and those that replace them.
    """

    offset: int
    before: bytes
    after: bytes

    @property
    def end(self) -> int:
        """The first offset after the bytes that are there."""
        return self.offset + len(self.before)

    @property
    def growth(self) -> int:
        """Bytes by which the splice lengthens its file."""
        return len(self.after) - len(self.before)


Splices = tuple[Splice, ...]
"""The splices of one step, in the order of their offsets, none overlapping another."""


def ordered(splices: Iterable[Splice]) -> Splices:
    """Splices in order, without those that change nothing; raises `ValueError` if two overlap."""
    # By end too, so that an insertion comes before the replacement at its offset: they touch without
    # overlapping.
    kept = tuple(sorted((it for it in splices if it.before != it.after), key=lambda it: (it.offset, it.end)))
    for one, other in pairwise(kept):
        if other.offset < one.end:
            raise ValueError(f"splices at {one.offset} and {other.offset} overlap")
    return kept


def applied(data: Bytes, splices: Splices) -> bytes:
    """The bytes after the splices; raises `ValueError` if the bytes before them are others."""
    view, pieces, cursor = memoryview(data), list[Bytes](), 0
    for splice in splices:
        if view[splice.offset : splice.end] != splice.before:
            raise ValueError(f"other bytes at {splice.offset} than the change expects")
        pieces += [view[cursor : splice.offset], splice.after]
        cursor = splice.end
    return b"".join((*pieces, view[cursor:]))


def reverse(splices: Splices) -> Splices:
    """The splices that undo these."""
    found: list[Splice] = []
    shift = 0
    for splice in splices:
        # Offsets of the way back count in the bytes after the step: behind 2 bytes that became 5, offset 20
        # is 23.
        found.append(Splice(splice.offset + shift, splice.after, splice.before))
        shift += splice.growth
    return tuple(found)


def growth(splices: Splices) -> int:
    """Bytes by which splices lengthen their file."""
    return sum(splice.growth for splice in splices)


def moved(splices: Splices, by: int) -> Splices:
    """Splices of bytes that start `by` further on."""
    return tuple(Splice(splice.offset + by, splice.before, splice.after) for splice in splices)


def between(before: Bytes, after: Bytes) -> Splices:
    """Splices that turn bytes into others.

    For equal lengths they hold just the bytes that differ and up to `NEAR` - 1 between them; else what lies
    between the common start and the common end.
    """
    old, new = (np.frombuffer(data, np.uint8) for data in (before, after))
    if len(old) == len(new):
        runs = _runs(old != new)
        return tuple(Splice(first, *(it[first:end].tobytes() for it in (old, new))) for first, end in runs)
    shared = min(len(old), len(new))
    start = _common(old[:shared], new[:shared])
    # What the start took is not for the end: of AA and AAA both A are start, and one A is inserted.
    end = _common(old[::-1][: shared - start], new[::-1][: shared - start])
    stop_old, stop_new = len(old) - end, len(new) - end
    return (Splice(start, old[start:stop_old].tobytes(), new[start:stop_new].tobytes()),)


def _common(one: np.ndarray, other: np.ndarray) -> int:
    """Number of equal elements at the start of two arrays of equal length."""
    differs = one != other
    first = int(differs.argmax()) if len(differs) else 0
    return first if first < len(differs) and differs[first] else len(one)


def combined(first: Splices, second: Splices) -> Splices:
    """Splices that do what `first` and then `second` do; offsets of `second` count after `first`."""
    if not first or not second:
        return first or second
    # The steps meet in the bytes between them: `undo` says what the first one left there, `second` what the
    # other replaces. Only where both touch, bytes have to be put together.
    undo = reverse(first)
    found, both = list[Splice](), list[Splice]()
    grown = 0
    for start, end, undone, done in _groups(undo, second):
        if len(undone) + len(done) == 1:
            # Where one step alone does something its splice stays: most do, of thousands.
            # Back to offsets before both steps: with 3 bytes inserted in front, offset 10 between the steps
            # is 7 before.
            found += [Splice(it.offset - grown, it.after, it.before) for it in undone]
            found += [Splice(it.offset - grown, it.before, it.after) for it in done]
            grown -= growth(undone)
            continue
        # A group is a chain of splices that touch: each of its bytes is in one, so all of them are known.
        middle = bytearray(end - start)
        for splice in (*undone, *done):
            middle[splice.offset - start : splice.end - start] = splice.before
        before = applied(middle, moved(undone, -start))
        after = applied(middle, moved(done, -start))
        both.append(Splice(start - grown, before, after))
        grown -= growth(undone)
    return ordered((*found, *exact(both)))


def combined_all(steps: Sequence[Splices]) -> Splices:
    """Splices that do what several steps do, one after the other."""
    if len(steps) <= 1:
        return steps[0] if steps else ()
    # By halves, as one step after the other would go through the growing result each time.
    middle = len(steps) // 2
    return combined(combined_all(steps[:middle]), combined_all(steps[middle:]))


def _groups(undo: Splices, second: Splices) -> Iterator[tuple[int, int, Splices, Splices]]:
    """Start and end of ranges that touch, and the splices of either step in them."""
    # Stable: of two at one offset that of the first step comes first.
    marks = sorted([(it, 0) for it in undo] + [(it, 1) for it in second], key=lambda mark: mark[0].offset)
    group: tuple[list[Splice], list[Splice]] = ([], [])
    start = end = -1
    for splice, step in marks:
        if splice.offset > end:
            if end >= 0:
                yield start, end, tuple(group[0]), tuple(group[1])
            start, group = splice.offset, ([], [])
        end = max(end, splice.end)
        group[step].append(splice)
    yield start, end, tuple(group[0]), tuple(group[1])


def exact(splices: Iterable[Splice]) -> Splices:
    """Splices of just the bytes that change, except where they change few or other lengths."""
    found, rest = list[Splice](), list[Splice]()
    for it in splices:
        (found if it.growth or len(it.before) <= NEAR else rest).append(it)
    # All at once, one after the other: an edit has thousands.
    before, after = b"".join(it.before for it in rest), b"".join(it.after for it in rest)
    lengths = np.array([len(it.before) for it in rest], np.int64)
    # 5 bytes of offset 100 and 6 of offset 300: joined, the second starts at 5, so that the shifts are 100
    # and 295.
    shifts = np.array([it.offset for it in rest], np.int64) - np.cumsum(lengths) + lengths
    owner = np.repeat(np.arange(len(rest)), lengths)
    runs = _runs(np.frombuffer(before, np.uint8) != np.frombuffer(after, np.uint8), owner)
    for first, end in runs:
        found.append(Splice(first + int(shifts[owner[first]]), before[first:end], after[first:end]))
    return tuple(sorted(found, key=lambda it: (it.offset, it.end)))


def _runs(is_different: np.ndarray, owner: np.ndarray | None = None) -> Iterator[tuple[int, int]]:
    """Start and end of each run of bytes that differ, nearly; bytes of two owners are in two."""
    different = np.flatnonzero(is_different)
    is_break = np.diff(different) > NEAR
    if owner is not None:
        is_break |= np.diff(owner[different]) > 0
    # Different bytes 2 3 9: breaks no, yes; firsts 2 and 9, lasts 3 and 9. The slice is for equal bytes,
    # which have no first difference.
    firsts = different[np.append(True, is_break)[: len(different)]].tolist()
    lasts = different[np.append(is_break, True)[: len(different)]].tolist()
    for first, last in zip(firsts, lasts, strict=True):
        yield first, last + 1


def total(splices: Sequence[Splice]) -> int:
    """Number of changed bytes: of each splice the longer of what is there and what replaces it."""
    return sum(max(len(splice.before), len(splice.after)) for splice in splices)
