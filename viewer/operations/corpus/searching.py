"""Searching: names, types, text, bytes and field values, file by file, each of which is read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import MshviewError, error_text
from viewer.formats.archive import nres
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.text import decode, names_of, uncased
from viewer.model.game.part_names import PartName, PartNames, names_around
from viewer.model.kinds.entry_kinds import EntryKinds, entry_kinds
from viewer.model.kinds.registry import ARCHIVES, KINDS, by_id, kind_of, presumed_id
from viewer.model.query.names import NameTable
from viewer.model.query.search_query import Query, Scope
from viewer.model.references.users import PASSED_ON, StoredReference, references_of
from viewer.model.references.values import Locator, matching_values
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import files_below
from viewer.model.store.item import Container, Item, entry_of, spelling
from viewer.model.store.place import Place
from viewer.operations.corpus.hits import Hit, SearchResults
from viewer.operations.corpus.row_names import RowNamer
from viewer.progress import Progress, checkpoint, working

MOST_FILES: Final = 100_000
"""Files of all folders that are searched."""
DEEPEST: Final = 8
"""Depth to which archives in archives are searched."""
PIECE: Final = 1 << 20
"""Bytes that are searched between two checks of the progress."""
AROUND: Final = 24
"""Bytes of the text around a hit, on each side."""
_OF_NAMES: Final = frozenset({Scope.TEXT, Scope.VALUES})
_DECODED: Final = frozenset(kind.id for kind in KINDS) - ARCHIVES
_CONTROL: Final = re.compile(rb"[^\t -\x7e\x80-\xff]")
"""Ends a text."""
_UNPRINTABLE: Final = re.compile(r"[^\S ]|[^ \w!-~]+", re.UNICODE)


class SearchOptions(Struct, frozen=True):
    """A search, and where.

    Parameters
    ----------
    paths
        Files and folders; a file in one of the folders is searched once.
    entries
        Entries of archives that are searched too.
    """

    query: Query
    paths: tuple[Path, ...]
    entries: tuple[Address, ...] = ()


def search(store: FileStore, options: SearchOptions, results: SearchResults, progress: Progress) -> None:
    """Search files and folders; raises `UsageError` if the query cannot be searched for.

    Parameters
    ----------
    store
        Files that it has in memory are not read again; the others are read by a store of the search's own
        and then forgotten.
    results
        Filled while the search runs.
    """
    options.query.check()
    own = FileStore(unsaved=store.unsaved)
    with working(progress):
        files = map(Address, dict.fromkeys(files_below(store, options.paths, MOST_FILES)))
        called_in = cache(partial(names_around, own))
        users = None if options.query.users is None else UserHits(options.query.users)
        for address in progress.over([*files, *options.entries], lambda address: address.path.name):
            known = store if store.has(address.path) else own
            if users is None:
                called = called_in(address.path.parent)
                _File(options.query, results, known, str(address.path), called).search(address)
            else:
                users.read(known, address, results)
            if not address.entries:
                own.forget(address.path)
        if users is not None:
            users.add_to(results)
        results.end(options.query)


class _File:
    """The search in one file."""

    def __init__(
        self, query: Query, results: SearchResults, store: FileStore, path: str, called: PartNames
    ) -> None:
        self._query = query
        self._called = called
        self._results = results
        self._path = path
        self._names = RowNamer(store)
        self._store = store

    def search(self, address: Address) -> None:
        """Search a file, or only its name if it cannot be read."""
        store = self._store
        item, kind, place = None, presumed_id(address.name), Place(address)
        try:
            item = store.open(address)
            kind = kind_of(item).id
        except MshviewError as error:
            self._results.fail(address, error_text(error))
            if store.revision(address.path) is None:
                return
        name = item.entry.text if item and item.entry else address.name
        if self._query.names is not None and self._query.names.matches(name):
            self._results.add(self._path, Hit(place, Scope.NAMES, kind, name))
        if self._has_type(kind):
            self._results.add(self._path, Hit(place, Scope.TYPES, kind, name))
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
        container = self._container(item) if kind in ARCHIVES else None
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
            self._results.fail(item.address, error_text(error))
            return None

    def _entries(self, item: Item, container: Container, depth: int) -> None:
        """Search names and kinds of a whole directory at once, then each payload that has to be read."""
        names = names_of(container.rows["name"])
        kinds = entry_kinds(container, names)
        called = self._called.in_archive(item.name, container) if len(self._called) else {}
        if self._query.names is not None:
            table, requested = NameTable(names), self._query.names
            is_hit = table.matching(requested)
            for index, name in called.items():
                is_hit[index] = is_hit[index] or requested.matches(f"{table[index]} {name}")
            self._listed(item, container, kinds, is_hit, Scope.NAMES, called)
        if self._query.types is not None:
            is_hit = kinds.are(frozenset(kind for kind in kinds.ids if self._has_type(kind)))
            self._listed(item, container, kinds, is_hit, Scope.TYPES, called)
        is_packed = isinstance(container, PackedLibrary)
        has_values = self._query.condition is not None or self._query.value is not None
        to_read = ARCHIVES | (_DECODED if has_values else frozenset())
        has_bytes = is_packed and bool(self._query.patterns)
        indices = range(len(container.rows)) if has_bytes else np.flatnonzero(kinds.are(to_read)).tolist()
        for index in indices:
            checkpoint()
            is_kept = (Item, index) in item.made
            try:
                inner = entry_of(item, container, index)
            except MshviewError as error:
                self._results.fail(item.address.child(f"#{index}"), error_text(error))
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
        called: Mapping[int, PartName],
    ) -> None:
        indices = np.flatnonzero(is_hit).tolist()
        room = self._results.room(self._path)
        for index in indices[:room]:
            address = item.address.child(spelling(container, index))
            words = "  ".join(map(str, filter(None, (container.entry(index).text, called.get(index)))))
            hit = Hit(Place(address), scope, kinds[index], words)
            self._results.add(self._path, hit)
        self._results.skip(self._path, len(indices[room:]))

    def _bytes(self, item: Item, kind: str) -> None:
        """Search the bytes of a payload, those of the payloads in it too."""
        locator = Locator(item)
        for scope, pattern, size in self._query.patterns:
            for start in range(0, len(item.data), PIECE):
                checkpoint()  # between pieces, so that other threads run and a search can be cancelled
                piece = item.data[start : start + PIECE + size - 1]
                found = pattern.finditer(uncased(bytes(piece)) if scope is Scope.TEXT else piece)
                for hit in found:
                    if not self._results.room(self._path):
                        # The rest is only counted: a byte of zeros may be found a million times.
                        self._results.skip(self._path, 1 + sum(1 for _ in found))
                        break
                    self._hit(locator, item, kind, scope, start + hit.start(), size)

    def _hit(self, locator: Locator, item: Item, kind: str, scope: Scope, offset: int, size: int) -> None:
        """Add what was found at an offset of a payload."""
        found = locator.place(offset, size)
        if found is not None and not self._is_listed_name(scope, found.place):
            around = _around(item.data, offset, size, scope, found.text)
            words = " ".join(filter(None, (found.called, around)))
            self._add(Hit(found.place, scope, found.kind or kind, words))

    def _add(self, hit: Hit) -> None:
        """Add a hit, with the names of its row if it is listed."""
        is_listed = self._results.room(self._path) > 0
        named = replace(hit, names=self._names.names_of(hit.place)) if is_listed else hit
        self._results.add(self._path, named)

    def _is_listed_name(self, scope: Scope, place: Place) -> bool:
        """Whether a text is the name of an entry, which is found by its name too."""
        is_name = (place.table, place.field) == (nres.ENTRY.name, "name")
        return is_name and scope in _OF_NAMES and self._query.names is not None

    def _values(self, item: Item, kind: str) -> None:
        room, fields = self._results.room(self._path), self._results.fields
        try:
            for place, words, count in matching_values(self._store, item, kind, self._query, room, fields):
                if place is None:
                    self._results.skip(self._path, count)
                elif not self._is_listed_name(Scope.VALUES, place):
                    self._add(Hit(place, Scope.VALUES, kind, words))
        except MshviewError as error:
            self._results.fail(item.address, error_text(error))


class UserHits:
    """Searcher for users of a name: by a field, by their own name, or through a wear table or an object."""

    def __init__(self, name: re.Pattern[str]) -> None:
        self._name = name
        self._through: dict[Address, str] = {}
        self._neighbors: list[StoredReference] = []
        self._hits: list[tuple[str, Hit]] = []

    def read(self, store: FileStore, address: Address, results: SearchResults) -> None:
        """Read the references of a file, or of an entry."""
        try:
            store.open(address)
        except MshviewError as error:
            results.fail(address, error_text(error))
            return
        scope = Place(address)
        for found in references_of(store, address.path):
            if address.entries and found.place not in scope and found.place.address != scope.address:
                continue
            if found.name is None:
                self._neighbors.append(found)
            target = _named(found)
            if self._name.match(target.casefold()):
                words = target if found.name is None else f"{found.name.kind} {target}"
                self._hits.append((str(address.path), Hit(found.place, Scope.USERS, found.kind, words)))
                if found.kind in PASSED_ON:
                    self._through[found.place.address] = target

    def add_to(self, results: SearchResults) -> None:
        """Add the users: the direct ones, then those through them."""
        for path, hit in self._hits:
            results.add(path, hit)
        for found in self._neighbors:
            target = None if found.neighbor is None else self._through.get(found.neighbor)
            if found.neighbor is not None and target is not None:
                words = f"{target} through {found.neighbor.name}"
                results.add(str(found.place.address.path), Hit(found.place, Scope.USERS, found.kind, words))


def _named(reference: StoredReference) -> str:
    """The name that a reference holds; of a neighbor that of its entry or file."""
    if reference.name is not None:
        return decode(reference.name.name)
    return "" if reference.neighbor is None else reference.neighbor.name


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
