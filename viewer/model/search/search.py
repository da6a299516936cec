"""The search itself: file by file, each read once, and one payload at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import MshviewError, error_text
from viewer.formats.archive import nres
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.text import decode, names_of
from viewer.model.kinds.entry_kinds import EntryKinds, entry_kinds
from viewer.model.kinds.registry import ARCHIVE, KINDS, PACKED, by_id, kind_of, presumed_id
from viewer.model.query.names import NameTable
from viewer.model.search.results import Hit, Query, Scope, SearchResults
from viewer.model.search.values import Locator, matching_values
from viewer.model.store.address import Address
from viewer.model.store.file_store import Container, FileStore, Item, entry_of, spelling
from viewer.model.store.place import Place
from viewer.progress import Progress, checkpoint, working

MOST_FILES: Final = 100_000
"""Files of all folders that are searched."""
DEEPEST: Final = 8
"""Depth to which archives in archives are searched."""
PIECE: Final = 1 << 20
"""Bytes that are searched between two checks of the progress."""
AROUND: Final = 24
"""Bytes of the text around a hit, on each side."""
_CONTAINERS: Final = frozenset({ARCHIVE.id, PACKED.id})
_OF_NAMES: Final = frozenset({Scope.TEXT, Scope.VALUES})
_DECODED: Final = frozenset(kind.id for kind in KINDS) - _CONTAINERS
_CONTROL: Final = re.compile(rb"[^\t -\x7e\x80-\xff]")
"""Ends a text."""
_UNPRINTABLE: Final = re.compile(r"[^\S ]|[^ \w!-~]+", re.UNICODE)


def search(
    library: FileStore, scope: Iterable[Path], query: Query, results: SearchResults, progress: Progress
) -> None:
    """Search files and folders; raises `UsageError` if the query cannot be searched for.

    Parameters
    ----------
    library
        Files that it has in memory are not read again; the others are read by a store of the search's own
        and then forgotten.
    """
    query.check()
    own = FileStore(unsaved=library.unsaved)
    with working(progress):
        for path in progress.over([*dict.fromkeys(files_of(library, scope))], lambda path: path.name):
            store = library if library.has(path) else own
            _File(query, results, str(path)).search(store, Address(path))
            own.forget(path)


def files_of(library: FileStore, scope: Iterable[Path]) -> Iterator[Path]:
    """Yield the files of a scope, those of folders too; links to folders are not followed."""
    waiting, left = [*scope][::-1], MOST_FILES
    while waiting and left > 0:
        checkpoint()
        path = waiting.pop()
        if not library.is_folder(path):
            left -= 1
            yield path
            continue
        try:
            below = [path / name for name in library.names(path) if not name.startswith(".")]
        except MshviewError:
            continue
        waiting += (it for it in reversed(below) if not (library.is_folder(it) and it.is_symlink()))


class _File:
    """The search in one file."""

    def __init__(self, query: Query, results: SearchResults, path: str) -> None:
        self._query = query
        self._results = results
        self._path = path

    def search(self, store: FileStore, address: Address) -> None:
        """Search a file, or only its name if it cannot be read."""
        item, kind, place = None, presumed_id(address.name), Place(str(address))
        try:
            item = store.open(address)
            kind = kind_of(item).id
        except MshviewError as error:
            self._results.fail(str(address), error_text(error))
        if self._query.names is not None and self._query.names.matches(address.name):
            self._results.add(self._path, Hit(place, Scope.NAMES, kind, address.name))
        if self._has_type(kind):
            self._results.add(self._path, Hit(place, Scope.TYPES, kind, address.name))
        if item is not None:
            self._payload(item, kind, 0)

    def _has_type(self, kind: str) -> bool:
        types = self._query.types
        return types is not None and (types.matches(kind) or types.matches(by_id(kind).title.template))

    def _payload(self, item: Item, kind: str, depth: int, *, is_covered: bool = False) -> None:
        """Search the bytes of a payload, and its entries if it is an archive.

        Parameters
        ----------
        is_covered
            Its bytes are part of those of an archive that has been searched.
        """
        checkpoint()
        container = self._container(item) if kind in _CONTAINERS else None
        if not is_covered:
            self._bytes(item, kind)
        if self._query.condition is not None or self._query.value is not None:
            self._values(item, kind)
        if container is not None and depth < DEEPEST:
            self._entries(item, container, depth)

    def _container(self, item: Item) -> Container | None:
        try:
            return item.container
        except MshviewError as error:
            self._results.fail(str(item.address), error_text(error))
            return None

    def _entries(self, item: Item, container: Container, depth: int) -> None:
        """Search names and kinds of a whole directory at once, then each payload that has to be read."""
        names = names_of(container.rows["name"])
        kinds = entry_kinds(container, names)
        if self._query.names is not None:
            is_hit = NameTable(names).matching(self._query.names)
            self._listed(item, container, kinds, is_hit, Scope.NAMES)
        if self._query.types is not None:
            requested = frozenset(kind for kind in kinds.ids if self._has_type(kind))
            self._listed(item, container, kinds, kinds.are(requested), Scope.TYPES)
        is_packed = isinstance(container, PackedLibrary)
        has_values = self._query.condition is not None or self._query.value is not None
        to_read = _CONTAINERS | (_DECODED if has_values else frozenset())
        has_bytes = is_packed and bool(self._query.patterns)
        indices = range(len(container.rows)) if has_bytes else np.flatnonzero(kinds.are(to_read)).tolist()
        for index in indices:
            checkpoint()
            is_kept = (Item, index) in item.made
            try:
                inner = entry_of(item, container, index)
            except MshviewError as error:
                self._results.fail(str(item.address.child(f"#{index}")), error_text(error))
            else:
                self._payload(inner, kinds[index], depth + 1, is_covered=not is_packed)
            if not is_kept:
                item.made.pop((Item, index), None)

    def _listed(
        self,
        item: Item,
        container: Container,
        kinds: EntryKinds,
        is_hit: npt.NDArray[np.bool_],
        scope: Scope,
    ) -> None:
        indices = np.flatnonzero(is_hit).tolist()
        room = self._results.room(self._path)
        for index in indices[:room]:
            address = str(item.address.child(spelling(container, index)))
            hit = Hit(Place(address), scope, kinds[index], container.entry(index).text)
            self._results.add(self._path, hit)
        self._results.skip(self._path, len(indices[room:]))

    def _bytes(self, item: Item, kind: str) -> None:
        """Search the bytes of a payload, those of the payloads in it too."""
        locator = Locator(item)
        for scope, pattern, size in self._query.patterns:
            for offset in _offsets(item.data, pattern, size):
                if not self._results.room(self._path):
                    self._results.skip(self._path, 1)
                    continue
                spot = locator.spot(offset, size)
                if spot is not None and not self._is_listed_name(scope, spot.place):
                    around = _around(item.data, offset, size, scope, spot.text)
                    words = " ".join(filter(None, (spot.called, around)))
                    self._results.add(self._path, Hit(spot.place, scope, spot.kind or kind, words))

    def _is_listed_name(self, scope: Scope, place: Place) -> bool:
        """Whether a text is the name of an entry, which is found by its name too."""
        is_name = (place.table, place.field) == (nres.ENTRY.name, "name")
        return is_name and scope in _OF_NAMES and self._query.names is not None

    def _values(self, item: Item, kind: str) -> None:
        room = self._results.room(self._path)
        try:
            for place, words, count in matching_values(item, kind, self._query, room):
                if place is None:
                    self._results.skip(self._path, count)
                elif not self._is_listed_name(Scope.VALUES, place):
                    self._results.add(self._path, Hit(place, Scope.VALUES, kind, words))
        except MshviewError as error:
            self._results.fail(str(item.address), error_text(error))


def _offsets(data: memoryview, pattern: re.Pattern[bytes], size: int) -> Iterator[int]:
    """Yield where a pattern of fixed length is found, piece by piece: other threads run in between."""
    for start in range(0, len(data), PIECE):
        checkpoint()
        piece = data[start : start + PIECE + size - 1]
        for found in pattern.finditer(piece):
            yield start + found.start()


def _around(data: memoryview, offset: int, size: int, scope: Scope, field: tuple[int, int] | None) -> str:
    """The text around a hit, in a text field no more than its own, or the bytes and those that follow."""
    if scope is Scope.BYTES:
        return bytes(data[offset : offset + max(size, 16)]).hex(" ").upper()
    most_before, most_after = field or (offset, len(data))
    start = offset - min(most_before, AROUND)
    end = offset + max(size, min(most_after, size + AROUND))
    before, inside = bytes(data[start:offset]), bytes(data[offset : offset + size])
    after = bytes(data[offset + size : end])
    left, right = _CONTROL.split(before)[-1], _CONTROL.split(after)[0]
    return _UNPRINTABLE.sub("·", decode(left) + decode(inside) + decode(right)).strip()
