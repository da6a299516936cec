"""Splices between two files, entry by entry where both are archives: an entry that grows moves the others."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from viewer.errors import FormatError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.formats.splice import Splice, Splices
from viewer.formats.text import fold
from viewer.model.patch.alignment import aligned

MAX_DEPTH: Final = 8
"""Depth of nested archives; the bytes of deeper ones are compared."""

Span = tuple[int, int]


def spliced(before: Bytes, after: Bytes, depth: int = 0) -> Splices:
    """Return splices that turn one file into another, holding about as little as is possible."""
    old, new = memoryview(before), memoryview(after)
    archives = _archive(old), _archive(new)
    if old == new:
        return ()
    if archives[0] is None or archives[1] is None or depth == MAX_DEPTH:
        return aligned(old, new)
    return splice.ordered(_by_entry(old, new, _pairs(archives[0], archives[1]), depth))


def _archive(data: memoryview) -> nres.Archive | None:
    try:
        return nres.Archive.read(data) if data[:4] == nres.MAGIC else None
    except FormatError:
        return None


def _by_entry(
    old: memoryview, new: memoryview, pairs: Sequence[tuple[Span, Span]], depth: int
) -> Iterator[Splice]:
    """Yield the splices of paired payloads and of what lies between them."""
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
    for pair in _rising(found):
        if not kept or all(side[0] >= last[1] for side, last in zip(pair, kept[-1], strict=True)):
            kept.append(pair)
    return kept


def _named(archive: nres.Archive) -> Iterator[tuple[Hashable, Span]]:
    """Yield the names of entries, those that repeat with a number, and their spans."""
    seen: Counter[Hashable] = Counter()
    for entry in archive.entries:
        name = entry.type_id, fold(entry.name)
        if not entry.is_damaged and entry.size:
            yield (*name, seen[name]), (entry.offset, entry.end)
        seen[name] += 1


def _rising(pairs: Sequence[tuple[Span, Span]]) -> list[tuple[Span, Span]]:
    """The longest selection of pairs, in order, whose second offsets rise."""
    ends: list[int] = []
    lasts: list[int] = []
    before: list[int | None] = []
    for index, (_, (start, _)) in enumerate(pairs):
        length = bisect_left(ends, start)
        before.append(lasts[length - 1] if length else None)
        ends[length : length + 1] = [start]
        lasts[length : length + 1] = [index]
    found: list[tuple[Span, Span]] = []
    last = lasts[-1] if lasts else None
    while last is not None:
        found.append(pairs[last])
        last = before[last]
    return found[::-1]
