"""The results of a search: hits by file, no more than are listed."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from viewer.model.query.search_query import Query, Scope
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.operations.corpus.row_names import RowNames

MOST_OF_FILE: Final = 200
"""Hits in one file that the window lists; the others are counted."""
MOST: Final = 5000
"""Hits in all files that the window lists."""


class Hit(Struct, frozen=True):
    """A hit of a search.

    Attributes
    ----------
    place
        Where it is.
    scope
        How it was found.
    kind
        The kind of the payload.
    words
        What it is: a name, the text around it, a field and its value.
    names
        The node and the material of a row of a model.
    """

    place: Place
    scope: Scope
    kind: str
    words: str
    names: RowNames = RowNames()


class FileHits(Struct, frozen=True):
    """The hits in one file: those listed, and how many more there are."""

    path: str
    hits: tuple[Hit, ...] = ()
    more: int = 0

    @property
    def count(self) -> int:
        """All hits."""
        return len(self.hits) + self.more


class Found(Struct, frozen=True):
    """A state of the results; equal ones are the same.

    Attributes
    ----------
    files
        The files with hits, in the order in which they were searched.
    unreadable
        Files and entries that could not be searched, and why.
    unknown
        Which field of a condition nothing has that was searched; empty if something has it.
    """

    files: tuple[FileHits, ...] = ()
    unreadable: Mapping[Address, str] = field(default_factory=lambda: MappingProxyType({}))
    unknown: str = ""

    @property
    def count(self) -> int:
        """All hits."""
        return sum(file.count for file in self.files)


class SearchResults:
    """Hits by file, bounded; one thread adds, others take snapshots.

    Parameters
    ----------
    most_of_file, most
        Hits in one file and in all files that are listed.

    Attributes
    ----------
    fields
        The names that fields of what was searched have in conditions.
    """

    def __init__(self, most_of_file: int = MOST_OF_FILE, most: int = MOST) -> None:
        self._most_of_file, self._most = most_of_file, most
        self._texts: set[Place] = set()
        self._lock = Lock()
        self._hits: dict[str, list[Hit]] = {}
        self._more: dict[str, int] = {}
        self._unreadable: dict[Address, str] = {}
        self._count = 0
        self._snapshot = Found()
        self._is_old = False
        self._unknown = ""
        self.fields: set[str] = set()

    def room(self, path: str) -> int:
        """Number of hits of a file that can still be listed."""
        return max(0, min(self._most_of_file - len(self._hits.get(path, ())), self._most - self._count))

    def add(self, path: str, hit: Hit) -> None:
        """Add a hit in a file; it is only counted if there is no room for it.

        A value that was found as text at the same place is no other hit.
        """
        with self._lock:
            if hit.scope is Scope.TEXT:
                self._texts.add(hit.place)
            elif hit.scope is Scope.VALUES and hit.place in self._texts:
                return
            self._is_old = True
            if self.room(path):
                self._hits.setdefault(path, []).append(hit)
                self._count += 1
            else:
                self._more[path] = self._more.get(path, 0) + 1

    def skip(self, path: str, count: int) -> None:
        """Count hits in a file that are not listed."""
        if count:
            with self._lock:
                self._is_old = True
                self._more[path] = self._more.get(path, 0) + count

    def fail(self, address: Address, reason: str) -> None:
        """Note a file that could not be searched."""
        with self._lock:
            if len(self._unreadable) < self._most_of_file:
                self._unreadable[address], self._is_old = reason, True

    def end(self, query: Query) -> None:
        """Note which field of a condition was not seen; at the end of a search."""
        if query.condition is not None and self.fields:
            with self._lock:
                self._unknown, self._is_old = query.condition.unknown(self.fields) or "", True

    def snapshot(self) -> Found:
        """The hits so far; the same object until more is found."""
        with self._lock:
            if self._is_old:
                paths = dict.fromkeys((*self._hits, *self._more))
                files = (
                    FileHits(path, tuple(self._hits.get(path, ())), self._more.get(path, 0)) for path in paths
                )
                unreadable = MappingProxyType(dict(self._unreadable))
                self._snapshot = Found(tuple(files), unreadable, self._unknown)
                self._is_old = False
            return self._snapshot
