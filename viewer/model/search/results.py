"""A search: what is searched for and where, and what has been found so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from threading import Lock
from types import MappingProxyType
from typing import Final

from viewer.errors import UsageError
from viewer.formats.text import encode
from viewer.model.query.condition import Condition, is_condition
from viewer.model.query.names import NameFilter
from viewer.model.store.place import Place
from viewer.translation import Sentence

SHORTEST: Final = 2
"""Letters or bytes of the shortest text that is searched for in payloads."""
LONGEST: Final = 256
LARGEST: Final = 1 << 63
"""Whole numbers are smaller than this."""
_BYTES: Final = re.compile(r"(?:0x)?((?:[0-9a-f]{2}|\?\?)(?:\s*(?:[0-9a-f]{2}|\?\?))*)", re.IGNORECASE)
_BYTE: Final = re.compile(r"[0-9a-f]{2}|\?\?", re.IGNORECASE)


class Scope(StrEnum):
    """Where a text is searched for."""

    NAMES = "names"
    TYPES = "types"
    TEXT = "text"
    BYTES = "bytes"
    VALUES = "values"


EVERYWHERE: Final = frozenset(Scope)


@dataclass(frozen=True)
class Query:
    """One search.

    A text with a comparison is a condition on fields: ``index_count>300``. Anything else is searched for in
    names (words and wildcards, as in the browser), types, texts and values; pairs of hexadecimal digits with
    spaces between them, or ``??`` for any byte, also as bytes: ``4E 52 ?? 65``.

    Parameters
    ----------
    text
        As typed.
    scopes
        Where to search.
    """

    text: str
    scopes: frozenset[Scope] = EVERYWHERE

    def check(self) -> None:
        """Raise `UsageError` if this cannot be searched for."""
        if not self.text.strip():
            raise UsageError(Sentence("there is nothing to search for"))
        if len(self.text) > LONGEST:
            raise UsageError(Sentence("at most {count} characters are searched for", count=LONGEST))
        if self._is_condition:
            Condition.parse(self.text)
        elif not any((self.names, self.types, self.text_pattern, self.byte_pattern, self.value)):
            raise UsageError(Sentence("{text!r} cannot be searched for there", text=self.text))

    @property
    def _is_condition(self) -> bool:
        return Scope.VALUES in self.scopes and is_condition(self.text)

    @cached_property
    def names(self) -> NameFilter | None:
        """The filter of names, if they are searched."""
        return self._filter(Scope.NAMES)

    @cached_property
    def types(self) -> NameFilter | None:
        """The filter of kinds, if they are searched."""
        return self._filter(Scope.TYPES)

    def _filter(self, scope: Scope) -> NameFilter | None:
        return NameFilter(self.text) if scope in self.scopes and not self._is_condition else None

    @cached_property
    def text_pattern(self) -> re.Pattern[bytes] | None:
        """The text in the game's encoding, whatever its case."""
        text = self.text.strip()
        if Scope.TEXT not in self.scopes or self._is_condition or len(text) < SHORTEST:
            return None
        try:
            return re.compile(b"".join(map(_letter, text)))
        except ValueError:
            return None

    @cached_property
    def byte_pattern(self) -> re.Pattern[bytes] | None:
        """The bytes, if the text is a pattern of bytes."""
        found = _BYTES.fullmatch(self.text.strip())
        if found is None or Scope.BYTES not in self.scopes:
            return None
        parts = _BYTE.findall(found[1])
        is_sure = self.scopes == {Scope.BYTES} or " " in found[1] or "?" in found[1]
        if not is_sure or len(parts) < SHORTEST or all(part == "??" for part in parts):
            return None
        return re.compile(b"".join(map(_byte, parts)), re.DOTALL)

    @cached_property
    def patterns(self) -> tuple[tuple[Scope, re.Pattern[bytes], int], ...]:
        """What is searched for in the bytes of payloads, and its length."""
        length = len(_BYTE.findall(self.text)) if self.byte_pattern else 0
        found = (
            (Scope.TEXT, self.text_pattern, len(self.text.strip())),
            (Scope.BYTES, self.byte_pattern, length),
        )
        return tuple((scope, pattern, size) for scope, pattern, size in found if pattern is not None)

    @cached_property
    def condition(self) -> Condition | None:
        """The condition on fields, if the text is one."""
        return Condition.parse(self.text) if self._is_condition else None

    @cached_property
    def value(self) -> str | None:
        """The value that a field is to have, if the text is not a condition."""
        return self.text.strip() if Scope.VALUES in self.scopes and not self._is_condition else None

    @cached_property
    def number(self) -> float | int | None:
        """The value as a number."""
        with suppress(ValueError):
            number = int(self.value or "", 0)
            return number if abs(number) < LARGEST else None
        with suppress(ValueError):
            return float(self.value or "")
        return None


def _letter(letter: str) -> bytes:
    """A pattern for a letter in either case; raises `ValueError` if the encoding does not have it."""
    both = {encode(letter), *_encoded(letter.lower()), *_encoded(letter.upper())}
    return b"(?:" + b"|".join(re.escape(one) for one in sorted(both) if len(one) == 1) + b")"


def _encoded(text: str) -> Iterator[bytes]:
    try:
        yield encode(text)
    except ValueError:
        return


def _byte(part: str) -> bytes:
    return b"." if part == "??" else re.escape(bytes.fromhex(part))


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


class SearchResults:
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
