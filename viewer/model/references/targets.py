"""The names of resources that payloads store, and where these names lead in one game folder.

Source: spec/materials.md 5; spec/objects.md 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct

from viewer.errors import MshviewError
from viewer.formats.part import Part, RecordParts, child_path
from viewer.formats.record import ARCHIVE, ENTRY, LIGHTMAP, MATERIAL, TEXTURE, Field, Record
from viewer.formats.text import decode, fold, until_nul
from viewer.model.game.registry import LIGHTMAPS, MATERIALS, TEXTURES, Game, Outcome, find_entry
from viewer.model.material.lookup import DEFAULT, MAT0, TEXM, GameLibrary
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import spelling
from viewer.model.store.place import Place
from viewer.translation import _


class ResourceName(NamedTuple):
    """A stored name, without blanks around it.

    Attributes
    ----------
    kind
        What is named, as `Field.names` says.
    name
        The name.
    archive
        The archive named in the field before it, for an entry; otherwise empty.
    """

    kind: str
    name: bytes
    archive: bytes = b""


class StoredName(Struct, frozen=True):
    """A name and its location: table, row and field, as in a `Place`."""

    name: ResourceName
    table: str
    row: int | None
    field: str


def name_in(record: Record, row: np.void, field: Field) -> ResourceName | None:
    """The name in a field of a record; None if the field names nothing or is empty."""
    archive = dict(_naming(record)).get(field.name, ())
    return _name(field, row, archive) if field.names is not None else None


def archive_in(record: Record, row: np.void, field: Field) -> bytes:
    """The archive of which a field of a record names an entry; empty for other fields."""
    archive = dict(_naming(record)).get(field.name, ())
    return _text(row, *archive) if archive else b""


def names_in(part: Part, path: str = "") -> Iterator[StoredName]:
    """All names in a tree of parts, in the order of their tables."""
    if isinstance(part.children, RecordParts):
        for group in part.children.groups:
            yield from _in_rows(group.record, group.rows, path, group.indices.tolist())
    elif part.record is not None and isinstance(part.rows, np.ndarray):
        yield from _in_rows(part.record, part.rows, path, range(len(part.rows)))
    elif part.record is not None and isinstance(part.rows, np.void):
        yield from _in_record(part.record, part.rows, path, None)
    else:
        for index, child in enumerate(part.children):
            if part.is_list and child.record is not None and isinstance(child.rows, np.void):
                yield from _in_record(child.record, child.rows, path, index)
            else:
                yield from names_in(child, child_path(part, path, index))


def _in_rows(
    record: Record, rows: np.ndarray[tuple[int], np.dtype[np.void]], path: str, indices: range | list[int]
) -> Iterator[StoredName]:
    if _naming(record):
        for index, row in zip(indices, rows, strict=True):
            yield from _in_record(record, row, path, index)


def _in_record(record: Record, row: np.void, path: str, index: int | None) -> Iterator[StoredName]:
    for name, archive in _naming(record):
        found = _name(record.field(name), row, archive)
        if found is not None:
            yield StoredName(found, path, index, name)


def _name(field: Field, row: np.void, archive: tuple[str, ...]) -> ResourceName | None:
    name = _text(row, field.name)
    held_in = _text(row, *archive) if archive else b""
    return ResourceName(field.names or "", name, held_in) if name else None


def _text(row: np.void, field: str) -> bytes:
    return until_nul(row[field].tobytes()).strip()


@lru_cache(maxsize=1024)
def _naming(record: Record) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The fields that name resources; for an entry of an archive with the field that names the archive."""
    found: list[tuple[str, tuple[str, ...]]] = []
    # Each field with the one before it: an entry is named after its archive, as char[32] "objects.rlb",
    # char[32] key in a component of a unit (spec/objects.md 3).
    for before, field in zip((None, *record.fields), record.fields, strict=False):
        if field.names is not None:
            found.append((field.name, (before.name,) if before and field.names == ENTRY else ()))
    return tuple(found)


_LIBRARIES: Final = {MATERIAL: (MATERIALS, MAT0), TEXTURE: (TEXTURES, TEXM), LIGHTMAP: (LIGHTMAPS, TEXM)}
"""The library in which each kind of resource is looked up, and the type of its entries."""


_NO_MODEL: Final = {
    Outcome.NOT_FOUND: _("the registry has no such key"),
    Outcome.NO_GEOMETRY: _("the object has no model"),
    Outcome.BROKEN: _("the model of the object does not exist"),
}


class Target(NamedTuple):
    """The target of a name: a place, or None and the reason."""

    place: Place | None = None
    problem: str = ""


class Targets:
    """Looks up names in a game folder; every name is looked up once.

    Parameters
    ----------
    folder
        The game folder, or None if none is known.
    why_no_game
        Why none is known.

    Attributes
    ----------
    game
        The archives of the game folder, or None.
    """

    def __init__(self, library: FileStore, folder: Path | None, why_no_game: str = "") -> None:
        self.game = None if folder is None else Game(folder.absolute(), library)
        self._why_no_game = why_no_game
        self._libraries: dict[bytes, GameLibrary] = {}
        self._found: dict[ResourceName, Target] = {}

    def find(self, name: ResourceName) -> Target:
        """The target of a name."""
        # Folded, since names in any case lead to the same entry; the first spelling answers for all.
        key = ResourceName(name.kind, fold(name.name), fold(name.archive))
        if key not in self._found:
            self._found[key] = self._find(name)
        return self._found[key]

    def model(self, key: bytes) -> Target:
        """The model of an object key, or why it has none."""
        if self.game is None:
            return Target(problem=self._why_no_game)
        outcome, model = self.game.model(key)
        if model is not None:
            return self.find(ResourceName(ENTRY, model.resource.strip(), model.archive.strip()))
        return Target(problem=_NO_MODEL[outcome])

    def _find(self, name: ResourceName) -> Target:
        if self.game is None:
            return Target(problem=self._why_no_game)
        if name.kind == ARCHIVE:
            return _file(self.game, name.name)
        if name.kind in _LIBRARIES:
            return self._in_library(self.game, *_LIBRARIES[name.kind], name.name)
        return _entry(self.game, name.archive, name.name)

    def _in_library(self, game: Game, library: bytes, type_id: int, name: bytes) -> Target:
        """The entry of one of the libraries of the game folder."""
        if library not in self._libraries:
            self._libraries[library] = GameLibrary(game.folder, library)
        found = self._libraries[library]
        entry = found.find(name, type_id)
        if entry is not None:
            return Target(Place(found.address(entry)))
        # A library that is missing explains more than a name that is not in it.
        problem = found.problem or _is_not_in(name, library)
        if library == MATERIALS and not found.problem:
            problem = _("{problem}; the game uses {name} instead", problem=problem, name=decode(DEFAULT))
        return Target(problem=problem)


def _file(game: Game, name: bytes) -> Target:
    path = game.folder.file(name)
    if path is None:
        problem = _("{name!r} is not in {folder}", name=decode(name), folder=game.path)
        return Target(problem=problem)
    return Target(Place(Address(path)))


def _entry(game: Game, archive: bytes, name: bytes) -> Target:
    """The entry of an archive of the game folder, with or without ``.msh``."""
    path = game.folder.file(archive.strip())
    if path is None:
        return _file(game, archive)
    try:
        container = game.folder.library.open(Address(path)).container
    except MshviewError as error:
        problem = _("{source} cannot be read: {error}", source=path, error=error.text)
        return Target(problem=problem)
    index = find_entry(container, name) if container else None
    if container is None or index is None:
        return Target(problem=_is_not_in(name, archive))
    return Target(Place(Address(path, (spelling(container, index),))))


def _is_not_in(name: bytes, library: bytes) -> str:
    return _("{name!r} is not in {library}", name=decode(name), library=decode(library))
