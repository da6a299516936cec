"""What a search has found so far: written by the search, read by the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from types import MappingProxyType
from typing import Final

from viewer.model.search.query import Scope
from viewer.model.store.place import Place

MOST_OF_FILE: Final = 200
"""Hits in one file that are listed; the others are counted."""
MOST: Final = 5000
"""Hits in all files that are listed."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found.

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
    """

    place: Place
    scope: Scope
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class FileHits:
    """The hits in one file: those listed, and how many more there are."""

    path: str
    hits: tuple[Hit, ...] = ()
    more: int = 0

    @property
    def count(self) -> int:
        """All hits."""
        return len(self.hits) + self.more


@dataclass(frozen=True, slots=True)
class Found:
    """A state of the results; equal ones are the same.

    Attributes
    ----------
    files
        The files with hits, in the order in which they were searched.
    unreadable
        Files and entries that could not be searched, and why.
    """

    files: tuple[FileHits, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def count(self) -> int:
        """All hits."""
        return sum(file.count for file in self.files)


class Results:
    """Hits by file, bounded; one thread adds, others take snapshots."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._hits: dict[str, list[Hit]] = {}
        self._more: dict[str, int] = {}
        self._unreadable: dict[str, str] = {}
        self._count = 0
        self._snapshot = Found()
        self._is_old = False

    def room(self, path: str) -> int:
        """How many more hits of a file are listed."""
        return max(0, min(MOST_OF_FILE - len(self._hits.get(path, ())), MOST - self._count))

    def add(self, path: str, hit: Hit) -> None:
        """Add a hit in a file; it is only counted if there is no room for it.

        A value that was found as text at the same place is no other hit.
        """
        with self._lock:
            texts = (it.place for it in self._hits.get(path, ()) if it.scope is Scope.TEXT)
            if hit.scope is Scope.VALUES and hit.place in texts:
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

    def fail(self, address: str, reason: str) -> None:
        """Note what could not be searched."""
        with self._lock:
            if len(self._unreadable) < MOST_OF_FILE:
                self._unreadable[address], self._is_old = reason, True

    def snapshot(self) -> Found:
        """What was found so far; the same object until more is found."""
        with self._lock:
            if self._is_old:
                paths = dict.fromkeys((*self._hits, *self._more))
                files = (
                    FileHits(path, tuple(self._hits.get(path, ())), self._more.get(path, 0)) for path in paths
                )
                self._snapshot = Found(tuple(files), MappingProxyType(dict(self._unreadable)))
                self._is_old = False
            return self._snapshot
