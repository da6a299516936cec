"""Which controllers the registry names for a model, and for which model it names a controller.

Source: spec/ctl.md; spec/objects.md 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from viewer.formats.text import fold
from viewer.model.game.registry import (
    MODEL_SUFFIX,
    PLAN_SUFFIX,
    REGISTRY,
    Expansion,
    Game,
    Reference,
    Registry,
    find_entry,
    stem_of,
)
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item, spelling
from viewer.model.store.folder import Folder
from viewer.progress import checkpoint

SUFFIX: Final = b".ctl"
MOST_OBJECTS: Final = 50_000
"""Objects of a registry that are searched."""

_Key = tuple[bytes, bytes]
"""Archive and resource, as they are compared; the archive is empty for any."""


class ControllerIndex:
    """The models and controllers that the objects of a registry name together."""

    def __init__(self, registry: Registry) -> None:
        self._controllers: dict[_Key, dict[Reference, None]] = {}
        self._models: dict[_Key, dict[Reference, None]] = {}
        for index in range(min(len(registry.archive.entries), MOST_OBJECTS)):
            checkpoint()
            self._add(registry.expand(index))

    def _add(self, expansion: Expansion) -> None:
        """Add what one object names."""
        models = [replace(it, row=0) for it in models_named(expansion)]
        controllers = [
            replace(it, row=0) for it in expansion.references if fold(it.resource.strip()).endswith(SUFFIX)
        ]
        for model in models:
            for key in _keys(model):
                self._controllers.setdefault(key, {}).update(dict.fromkeys(controllers))
        for controller in controllers:
            for key in _keys(controller):
                self._models.setdefault(key, {}).update(dict.fromkeys(models))

    @classmethod
    def of(cls, library: FileStore, folder: Path) -> ControllerIndex | None:
        """The index of a game folder, or None without a registry; kept by `library` until that changes."""
        path = folder.absolute()
        revisions = Folder(path, library).revisions((REGISTRY,))
        return library.shared((cls, path), revisions, lambda: cls._of(Game(path, library)))

    @classmethod
    def _of(cls, game: Game) -> ControllerIndex | None:
        return None if game.registry is None else cls(game.registry)

    def controllers(self, archive: bytes, model: bytes) -> tuple[Reference, ...] | None:
        """The controllers of a model, the first named one first; None if no object names the model.

        `archive` is empty for a model that is a file of its own.
        """
        found = self._controllers.get(_key(archive, model))
        return None if found is None else tuple(found)

    def models(self, archive: bytes, controller: bytes) -> tuple[Reference, ...]:
        """The models of a controller, the first named one first; `archive` is empty for a file."""
        return tuple(self._models.get(_key(archive, controller), ()))


def models_named(expansion: Expansion) -> Iterable[Reference]:
    """The models that an object names; without one the model with the stem of its ground plan."""
    return expansion.models or [
        replace(it, resource=stem_of(it.resource) + MODEL_SUFFIX)
        for it in expansion.references
        if fold(it.resource.strip()).endswith(PLAN_SUFFIX)
    ]


def names_archive(reference: Reference, archive: bytes) -> bool:
    """Whether a reference is to an archive of that name."""
    return fold(reference.archive.strip()) == fold(archive.strip())


def existing(game: Game, reference: Reference, own: Item | None = None) -> Iterator[Address]:
    """The addresses at which there is what a reference names: one or none.

    `own` is the archive of that name that the reference is followed from, which may be a copy outside the
    game; what is missing in it is looked up in the game.
    """
    path = game.folder.file(reference.archive.strip())
    places = [(own.address, own.container)] if own else []
    if path is not None:
        places.append((Address(path), game.archive(reference.archive)))
    for address, container in places:
        index = find_entry(container, reference.resource) if container else None
        if container is not None and index is not None:
            yield address.child(spelling(container, index))
            return


def _keys(reference: Reference) -> tuple[_Key, _Key]:
    return _key(reference.archive, reference.resource), _key(b"", reference.resource)


def _key(archive: bytes, resource: bytes) -> _Key:
    return fold(archive.strip()), fold(resource.strip()).removesuffix(MODEL_SUFFIX)
