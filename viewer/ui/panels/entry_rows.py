"""The rows of the browser: a tree of lists as one sequence, in which a row is made when it is drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.model.kinds.registry import MODEL
from viewer.session.opened.arrangement import ROOTS, Arrangement
from viewer.session.opened.browser_entry import BrowserEntry, container_of
from viewer.session.opened.browser_tree import BrowserTree
from viewer.session.opened.entry_list import CONTAINERS, EntryList, Indices


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One row.

    Attributes
    ----------
    entry
        What it shows.
    depth
        How deep it lies, 0 for a root.
    container_kind
        The kind of what the entry is in, None for a root.
    """

    entry: BrowserEntry
    depth: int
    container_kind: str | None = None


class _List(NamedTuple):
    """The list below an address, how deep it lies, and the kind of its container."""

    address: str
    depth: int
    container_kind: str | None


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Rows of one list that follow each other."""

    at: _List
    entries: EntryList
    indices: Indices


class EntryRows:
    """The rows of a tree of which some containers are open.

    Parameters
    ----------
    tree
        The lists.
    arrangement
        Which entries are shown, and in which order.
    opened
        The open containers; while a filter is set, all are open in which it has hits.
    closed
        Those that the user has closed nevertheless.
    """

    def __init__(
        self,
        tree: BrowserTree,
        arrangement: Arrangement,
        opened: AbstractSet[str],
        closed: AbstractSet[str] = frozenset(),
    ) -> None:
        self._tree, self._arrangement = tree, arrangement
        everything = opened if arrangement.requested.is_empty else {*tree.children}
        self.opened = {address for address in everything if address in tree.children} - closed
        self._below: dict[str, list[str]] = {}
        roots = {root.address for root in tree.roots}
        for address in self.opened:
            self._below.setdefault(ROOTS if address in roots else container_of(address), []).append(address)
        self._runs = [*self._all_runs()]
        lengths = [len(run.indices) for run in self._runs]
        self._ends = np.cumsum(lengths, dtype=np.int64).tolist() if lengths else []

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[EntryRow]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, row: int) -> EntryRow:
        if not 0 <= row < len(self):
            raise IndexError(row)
        number = bisect_right(self._ends, row)
        run = self._runs[number]
        index = run.indices[row - (self._ends[number] - len(run.indices))]
        return EntryRow(run.entries.entry(int(index)), run.at.depth, run.at.container_kind)

    def _all_runs(self) -> Iterator[_Run]:
        """Yield the rows of every list, those of an open container after its own row; works at any depth."""
        waiting: list[_Run | _List] = [_List(ROOTS, 0, None)]
        while waiting:
            piece = waiting.pop()
            if isinstance(piece, _Run):
                yield piece
            else:
                waiting += reversed([*self._pieces(piece)])

    def _pieces(self, at: _List) -> Iterator[_Run | _List]:
        """Yield the rows of one list, and the lists of its open containers where they belong."""
        rows = self._tree.children[at.address] if at.address else self._tree.roots
        entries, indices = self._arrangement.shown(at.address, rows)
        start = 0
        for place, below in self._open_places(at.address, entries, indices):
            yield _Run(at, entries, indices[start : place + 1])
            yield _List(below, at.depth + 1, entries.kinds[int(indices[place])])
            start = place + 1
        yield _Run(at, entries, indices[start:])

    def _open_places(self, address: str, entries: EntryList, indices: Indices) -> list[tuple[int, str]]:
        """The open containers of a list: their places among the indices, ascending, and their addresses."""
        below = self._below.get(address)
        if not below:
            return []
        place_of = np.full(len(entries), -1)
        place_of[indices] = np.arange(len(indices))
        found = ((entries.find(address), address) for address in below)
        places = [(int(place_of[index]), address) for index, address in found if index is not None]
        return sorted(place for place in places if place[0] >= 0)

    def kinds(self, kinds: frozenset[str]) -> npt.NDArray[np.bool_]:
        """Tell for each row whether it is of one of some kinds, (n,)."""
        found = [run.entries.kinds.are(kinds)[run.indices] for run in self._runs]
        return np.concatenate(found) if found else np.zeros(0, bool)

    def find(self, address: str | None) -> int | None:
        """The row of an entry, or None."""
        if not address:
            return None
        start, above = 0, {ROOTS, container_of(address)}
        for run in self._runs:
            index = run.entries.find(address) if run.at.address in above else None
            places = run.indices == index
            if index is not None and places.any():
                return start + int(places.argmax())
            start += len(run.indices)
        return None


def is_container(entry: BrowserEntry) -> bool:
    """Tell whether entries can be listed below it: archives, folders, and models for their tables."""
    return entry.can_open or entry.kind in CONTAINERS or entry.kind == MODEL.id
