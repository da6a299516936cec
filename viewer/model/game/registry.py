"""A game folder: its libraries by name, and the registry that names models and their controllers.

Source: spec/materials.md 1, 5; spec/objects.md 2; spec/ctl.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct

from viewer.errors import FormatError, MshviewError
from viewer.formats import objects
from viewer.formats.archive import nres
from viewer.formats.text import decode, fold
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.item import Container, Item, spelling
from viewer.progress import checkpoint

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
NEIGHBORS: Final = (WEAR_SUFFIX, b".ctl", b".ndp", b".cpt", PLAN_SUFFIX)
"""Suffixes of the payloads that belong to the model with the same stem."""
# As the reader of spec/objects.md 2 has it.
MAX_DEPTH: Final = 32
"""Maximum depth of inheritance between objects."""
MAX_REFERENCES: Final = 256
"""Most references of an object, with inherited ones, that are followed."""


class ObjectReference(NamedTuple):
    """A reference of an object: the archive, the resource, and the record that names them.

    A tuple because a registry has thousands, most of which are looked at once.
    """

    archive: bytes
    resource: bytes
    row: int

    @property
    def is_inherited(self) -> bool:
        """Whether the object inherits the references of another one."""
        return fold(self.archive.strip()) == REGISTRY

    def __str__(self) -> str:
        return f"{decode(self.archive)}::{decode(self.resource)}"


class Expansion(Struct, frozen=True):
    """The references of an object, with inherited ones inserted.

    Attributes
    ----------
    references
        In order; `Reference.row` counts the records of the object itself, also for inherited ones.
    cycles
        Rows of the object whose inheritance is circular or too deep.
    """

    references: tuple[ObjectReference, ...]
    cycles: tuple[int, ...] = ()

    @property
    def models(self) -> tuple[ObjectReference, ...]:
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
        self._references: dict[int, tuple[ObjectReference, ...]] = {}

    def find(self, key: bytes) -> int | None:
        """The entry of a key, tried with and without ``.msh``."""
        return find_entry(self.archive, key)

    def references(self, index: int) -> tuple[ObjectReference, ...]:
        """The stored references of an entry; empty if it cannot be read."""
        # Kept as long as the registry: parents are expanded again for each object that inherits from them.
        if index not in self._references:
            try:
                pairs = objects.decode(self.archive.payload(index)).pairs
            except FormatError:
                pairs = ()
            self._references[index] = tuple(ObjectReference(*pair, row) for row, pair in enumerate(pairs))
        return self._references[index]

    def expand(self, index: int) -> Expansion:
        """The references of an entry, with inherited ones inserted.

        Each object is inherited once, so that the time is bounded for any registry.
        """
        walk = _Walk(self)
        found: list[ObjectReference] = []
        lost: list[int] = []
        for reference in self.references(index):
            walk.is_lost = False
            leads = walk.follow(reference, (index,))
            found += (
                lead if lead is reference else ObjectReference(lead.archive, lead.resource, reference.row)
                for lead in leads
            )
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

    def follow(self, reference: ObjectReference, path: tuple[int, ...]) -> Iterator[ObjectReference]:
        """The references that a reference expands to; `path` is the chain of entries to it."""
        # Objects that inherit from two others each would double the work at every level.
        self._left -= 1
        parent = self.registry.find(reference.resource) if reference.is_inherited else None
        if not reference.is_inherited:
            yield reference
        elif parent is not None and (parent in path or len(path) > MAX_DEPTH):
            self.is_lost = True
        # A parent that is reached on two ways gives its references once.
        elif parent is not None and parent not in self._seen:
            self._seen.add(parent)
            for inherited in self.registry.references(parent):
                if self._left <= 0:
                    self.is_lost = True
                    return
                yield from self.follow(inherited, (*path, parent))


def find_entry(container: Container, name: bytes) -> int | None:
    """The entry of a reference: by the exact name, then with or without ``.msh``."""
    name = name.strip()
    # The game calls "tank" what is stored as "tank.msh", and the other way round.
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
        self.folder = CaselessFolder(path, library)
        self._archives: dict[bytes, Container | None] = {}

    def archive(self, name: bytes) -> Container | None:
        """The archive of a name, or None if there is no readable one."""
        key = fold(name.strip())
        # By folded name, also for those that are missing, and as long as this object, which is made anew when
        # files change.
        if key not in self._archives:
            path = self.folder.file(key)
            try:
                self._archives[key] = self.folder.library.open(Address(path)).container if path else None
            except MshviewError:
                self._archives[key] = None
        return self._archives[key]

    @cached_property
    def registry(self) -> Registry | None:
        """The object registry of the game; None without a readable one."""
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

    def model(self, key: bytes) -> tuple[Outcome, ObjectReference | None]:
        """The result of resolving an object key, and its model."""
        index = self.registry.find(key) if self.registry else None
        if self.registry is None or index is None:
            return Outcome.NOT_FOUND, None
        expansion = self.registry.expand(index)
        model = self.model_of(expansion)
        if model is not None:
            return Outcome.MODEL, model
        return Outcome.BROKEN if expansion.models else Outcome.NO_GEOMETRY, None

    def model_of(self, expansion: Expansion) -> ObjectReference | None:
        """The first existing model among the references of an object.

        If none is a model, the model with the stem of a ground plan.
        """
        named = models_named(expansion)
        return next((r for r in named if self.has(r.archive, r.resource)), None)

    def has_wear(self, model: ObjectReference) -> bool:
        """Whether an existing model has a wear table in the same archive."""
        container = self.archive(model.archive)
        index = find_entry(container, model.resource) if container else None
        if container is None or index is None:
            return False
        return container.find(stem_of(container.entries[index].name) + WEAR_SUFFIX) is not None


SUFFIX: Final = b".ctl"
MOST_OBJECTS: Final = 50_000
"""Objects of a registry that are searched."""

_Key = tuple[bytes, bytes]
"""Archive and resource, as they are compared; the archive is empty for any."""


class ControllerIndex:
    """The models and controllers that the objects of a registry name together."""

    def __init__(self, registry: Registry) -> None:
        self._controllers: dict[_Key, dict[ObjectReference, None]] = {}
        self._models: dict[_Key, dict[ObjectReference, None]] = {}
        for index in range(min(len(registry.archive.entries), MOST_OBJECTS)):
            checkpoint()
            self._add(registry.expand(index))

    def _add(self, expansion: Expansion) -> None:
        """Add what one object names."""
        # Without rows, so that one reference of several objects is one key.
        models = [ObjectReference(it.archive, it.resource, 0) for it in models_named(expansion)]
        controllers = [
            ObjectReference(it.archive, it.resource, 0)
            for it in expansion.references
            if fold(it.resource.strip()).endswith(SUFFIX)
        ]
        for model in models:
            # Under two keys: with its archive, and for a file of its own, which is in none.
            for key in _keys(model):
                self._controllers.setdefault(key, {}).update(dict.fromkeys(controllers))
        for controller in controllers:
            for key in _keys(controller):
                self._models.setdefault(key, {}).update(dict.fromkeys(models))

    @classmethod
    def of(cls, library: FileStore, folder: Path) -> ControllerIndex | None:
        """The index of a game folder, or None without a registry; kept by `library` until that changes."""
        path = folder.absolute()
        revisions = CaselessFolder(path, library).revisions((REGISTRY,))
        return library.shared((cls, path), revisions, lambda: cls._of(Game(path, library)))

    @classmethod
    def _of(cls, game: Game) -> ControllerIndex | None:
        return None if game.registry is None else cls(game.registry)

    def controllers(self, archive: bytes, model: bytes) -> tuple[ObjectReference, ...] | None:
        """The controllers of a model, the first named one first; None if no object names the model.

        `archive` is empty for a model that is a file of its own.
        """
        found = self._controllers.get(_key(archive, model))
        return None if found is None else tuple(found)

    def models(self, archive: bytes, controller: bytes) -> tuple[ObjectReference, ...]:
        """The models of a controller, the first named one first; `archive` is empty for a file."""
        return tuple(self._models.get(_key(archive, controller), ()))


def models_named(expansion: Expansion) -> Iterable[ObjectReference]:
    """The models that an object names; without one the model with the stem of its ground plan."""
    return expansion.models or [
        ObjectReference(it.archive, stem_of(it.resource) + MODEL_SUFFIX, it.row)
        for it in expansion.references
        if fold(it.resource.strip()).endswith(PLAN_SUFFIX)
    ]


def names_archive(reference: ObjectReference, archive: bytes) -> bool:
    """Whether a reference is to an archive of that name."""
    return fold(reference.archive.strip()) == fold(archive.strip())


def existing(game: Game, reference: ObjectReference, own: Item | None = None) -> Iterator[Address]:
    """The addresses at which there is what a reference names: one or none.

    `own` is the archive of that name that the reference is followed from, which may be a copy outside the
    game; what is missing in it is looked up in the game.
    """
    path = game.folder.file(reference.archive.strip())
    # The archive at hand first: a copy outside the game goes with its own entries.
    places = [(own.address, own.container)] if own else []
    if path is not None:
        places.append((Address(path), game.archive(reference.archive)))
    for address, container in places:
        index = find_entry(container, reference.resource) if container else None
        if container is not None and index is not None:
            yield address.child(spelling(container, index))
            return


def _keys(reference: ObjectReference) -> tuple[_Key, _Key]:
    return _key(reference.archive, reference.resource), _key(b"", reference.resource)


def _key(archive: bytes, resource: bytes) -> _Key:
    return fold(archive.strip()), fold(resource.strip()).removesuffix(MODEL_SUFFIX)
