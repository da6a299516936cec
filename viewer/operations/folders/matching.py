"""Entries that only one of two folders has: which of them have the same content elsewhere."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final

from viewer.operations.folders.contents import FolderEntry

Content = Hashable
"""A value that is equal for entries of the same content."""
_Entries = list[FolderEntry]
_Pair = tuple[FolderEntry, FolderEntry]
_Key = Callable[[FolderEntry], Hashable]
_Step = Callable[[_Entries, _Entries], Iterator[_Pair]]


def same_sizes(a: Iterable[FolderEntry], b: Iterable[FolderEntry]) -> tuple[list[FolderEntry], ...]:
    """The entries of both sides of whose size the other side has one too: others have no partner."""
    sides = [*a], [*b]
    sizes = [{it.size for it in side} for side in sides]
    shared = sizes[0] & sizes[1]
    return tuple([it for it in side if it.size in shared] for side in sides)


def matched(
    a: Iterable[tuple[FolderEntry, Content]], b: Iterable[tuple[FolderEntry, Content]]
) -> Iterator[tuple[FolderEntry, FolderEntry]]:
    """Pairs of the same content, each entry at most once, the same however the folders were listed."""
    groups: defaultdict[Content, tuple[list[FolderEntry], list[FolderEntry]]]
    groups = defaultdict(lambda: ([], []))
    for side, entries in enumerate((a, b)):
        for entry, content in entries:
            groups[content][side].append(entry)
    for before, after in groups.values():
        left = _ordered(before), _ordered(after)
        for step in _STEPS:
            found = [*step(*left)]
            yield from found
            used = {id(it) for pair in found for it in pair}
            left = _without(left[0], used), _without(left[1], used)


def _ordered(entries: Iterable[FolderEntry]) -> _Entries:
    return sorted(entries, key=lambda it: it.order)


def _without(entries: _Entries, used: set[int]) -> _Entries:
    return [it for it in entries if id(it) not in used]


def _stating_the_same(key: _Key) -> _Step:
    """A step that pairs entries of which the directories state the same, and files with files."""
    return lambda a, b: _by(lambda it: (key(it), it.stated), a, b)


def _extracted_or_packed(key: _Key) -> _Step:
    """A step that pairs files, of which no directory states anything, with entries."""

    def step(a: _Entries, b: _Entries) -> Iterator[_Pair]:
        (files_a, entries_a), (files_b, entries_b) = map(_parted, (a, b))
        yield from _by(key, files_a, entries_b)
        yield from _by(key, entries_a, files_b)

    return step


def _parted(entries: _Entries) -> tuple[_Entries, _Entries]:
    """The files, and the entries of archives."""
    return [it for it in entries if it.stated is None], [it for it in entries if it.stated is not None]


def _by(key: _Key, a: _Entries, b: _Entries) -> Iterator[_Pair]:
    """Pairs with the same key, the first with the first."""
    waiting: defaultdict[Hashable, deque[FolderEntry]] = defaultdict(deque)
    for it in b:
        waiting[key(it)].append(it)
    for it in a:
        others = waiting[key(it)]
        if others:
            yield it, others.popleft()


# The same name wins, whatever else has this content; then the same archive; then the order of addresses.
_STEPS: Final[Sequence[_Step]] = [
    make(key)
    for key in (lambda it: it.name, lambda it: it.holder, lambda _: None)
    for make in (_stating_the_same, _extracted_or_packed)
]
