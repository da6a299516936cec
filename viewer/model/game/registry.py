"""A game folder: its libraries by name, and the registry that maps object keys to models.

Source: spec/materials.md 1, 5; spec/objects.md 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Final

from viewer.errors import FormatError, MshviewError
from viewer.formats import objects
from viewer.formats.archive import nres
from viewer.formats.text import decode, fold
from viewer.model.store.address import Address
from viewer.model.store.file_store import Container, FileStore
from viewer.model.store.folder import Folder

REGISTRY: Final = b"objects.rlb"
MATERIALS: Final = b"Material.lib"
TEXTURES: Final = b"Textures.lib"
LIGHTMAPS: Final = b"LightMap.lib"
PALETTES: Final = b"palettes.lib"
LIBRARIES: Final = (MATERIALS, TEXTURES, LIGHTMAPS, PALETTES, REGISTRY)
"""Files that make a folder a game folder."""

MODEL_SUFFIX: Final = b".msh"
WEAR_SUFFIX: Final = b".wea"
PLAN_SUFFIX: Final = b".bas"
MAX_DEPTH: Final = 32
"""Maximum depth of inheritance between objects."""
MAX_REFERENCES: Final = 256
"""Most references of an object, with inherited ones, that are followed."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference of an object: the archive, the resource, and the record that names them."""

    archive: bytes
    resource: bytes
    row: int

    @property
    def is_inherited(self) -> bool:
        """Whether it inherits the references of another object."""
        return fold(self.archive.strip()) == REGISTRY

    def __str__(self) -> str:
        return f"{decode(self.archive)}::{decode(self.resource)}"


@dataclass(frozen=True, slots=True)
class Expansion:
    """The references of an object, with inherited ones inserted.

    Attributes
    ----------
    references
        In order; `Reference.row` counts the records of the object itself, also for inherited ones.
    cycles
        Rows of the object whose inheritance is circular or too deep.
    """

    references: tuple[Reference, ...]
    cycles: tuple[int, ...] = ()

    @property
    def models(self) -> tuple[Reference, ...]:
        """The references to models."""
        return tuple(r for r in self.references if fold(r.resource).endswith(MODEL_SUFFIX))


class Outcome(StrEnum):
    """The result of resolving an object key."""

    MODEL = "model"
    NO_GEOMETRY = "no geometry"
    BROKEN = "broken reference"
    NOT_FOUND = "not found"


class Registry:
    """``objects.rlb``: keys and their references."""

    def __init__(self, archive: nres.Archive) -> None:
        self.archive = archive
        self._references: dict[int, tuple[Reference, ...]] = {}

    def find(self, key: bytes) -> int | None:
        """The entry of a key, tried with and without ``.msh``."""
        return find_entry(self.archive, key)

    def references(self, index: int) -> tuple[Reference, ...]:
        """The stored references of an entry; empty if it cannot be read."""
        if index not in self._references:
            self._references[index] = self._read(index)
        return self._references[index]

    def _read(self, index: int) -> tuple[Reference, ...]:
        try:
            pairs = objects.decode(self.archive.payload(index)).pairs
        except FormatError:
            return ()
        return tuple(Reference(archive, resource, row) for row, (archive, resource) in enumerate(pairs))

    def expand(self, index: int) -> Expansion:
        """The references of an entry, with inherited ones inserted.

        Each object is inherited once, so that the time is bounded for any registry.
        """
        walk = _Walk(self)
        found: list[Reference] = []
        lost: list[int] = []
        for reference in self.references(index):
            walk.is_lost = False
            leads = walk.follow(reference, (index,))
            found += (Reference(lead.archive, lead.resource, reference.row) for lead in leads)
            if walk.is_lost:
                lost.append(reference.row)
        return Expansion(tuple(found), tuple(lost))


class _Walk:
    """Follows the references of one object; `is_lost` is set if they are circular or too deep."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.is_lost = False
        self._seen: set[int] = set()
        self._left = MAX_REFERENCES

    def follow(self, reference: Reference, path: tuple[int, ...]) -> Iterator[Reference]:
        """The references that a reference expands to; `path` is the chain of entries to it."""
        self._left -= 1
        parent = self.registry.find(reference.resource) if reference.is_inherited else None
        if not reference.is_inherited:
            yield reference
        elif parent is not None and (parent in path or len(path) > MAX_DEPTH):
            self.is_lost = True
        elif parent is not None and parent not in self._seen:
            self._seen.add(parent)
            yield from self._inherit(parent, (*path, parent))

    def _inherit(self, parent: int, path: tuple[int, ...]) -> Iterator[Reference]:
        for reference in self.registry.references(parent):
            if self._left <= 0:
                self.is_lost = True
                return
            yield from self.follow(reference, path)


def find_entry(container: Container, name: bytes) -> int | None:
    """The entry of a reference: by the exact name, then with or without ``.msh``."""
    name = name.strip()
    stem = name[: -len(MODEL_SUFFIX)] if fold(name).endswith(MODEL_SUFFIX) else name + MODEL_SUFFIX
    index = container.find(name)
    return container.find(stem) if index is None else index


def stem_of(name: bytes) -> bytes:
    """A name without its suffix."""
    return name.strip().rpartition(b".")[0]


class Game:
    """The libraries of a game folder; None for missing or broken ones."""

    def __init__(self, path: Path, library: FileStore) -> None:
        self.path = path
        self.folder = Folder(path, library)
        self._archives: dict[bytes, Container | None] = {}

    def archive(self, name: bytes) -> Container | None:
        """The archive of a name, or None if there is no readable one."""
        key = fold(name.strip())
        if key not in self._archives:
            self._archives[key] = self._open(key)
        return self._archives[key]

    def _open(self, name: bytes) -> Container | None:
        path, library = self.folder.file(name), self.folder.library
        try:
            return None if path is None else library.container(library.open(Address(path)))
        except MshviewError:
            return None

    @cached_property
    def registry(self) -> Registry | None:
        """The object registry."""
        archive = self.archive(REGISTRY)
        return Registry(archive) if isinstance(archive, nres.Archive) else None

    def missing(self, library: bytes, name: bytes) -> bool:
        """Whether a library has no entry called `name`; False for one that is absent or packed."""
        container = self.archive(library)
        return isinstance(container, nres.Archive) and container.find(name) is None

    def has(self, archive: bytes, resource: bytes) -> bool:
        """Whether the entry of a reference exists."""
        container = self.archive(archive)
        return container is not None and find_entry(container, resource) is not None

    def model(self, key: bytes) -> tuple[Outcome, Reference | None]:
        """The result of resolving an object key, and its model."""
        index = self.registry.find(key) if self.registry else None
        if self.registry is None or index is None:
            return Outcome.NOT_FOUND, None
        expansion = self.registry.expand(index)
        model = self.model_of(expansion)
        if model is not None:
            return Outcome.MODEL, model
        return Outcome.BROKEN if expansion.models else Outcome.NO_GEOMETRY, None

    def model_of(self, expansion: Expansion) -> Reference | None:
        """The first existing model among the references of an object.

        If none is a model, the model with the stem of a ground plan.
        """
        named = expansion.models or [
            replace(r, resource=stem_of(r.resource) + MODEL_SUFFIX)
            for r in expansion.references
            if fold(r.resource).endswith(PLAN_SUFFIX)
        ]
        return next((r for r in named if self.has(r.archive, r.resource)), None)

    def has_wear(self, model: Reference) -> bool:
        """Whether an existing model has a wear table in the same archive."""
        container = self.archive(model.archive)
        index = find_entry(container, model.resource) if container else None
        if container is None or index is None:
            return False
        return container.find(stem_of(container.entries[index].name) + WEAR_SUFFIX) is not None
