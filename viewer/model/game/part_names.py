"""Names of parts in the game: those on screen in ``objects.dlb``, by the keys of the registry.

Source: spec/field-notes.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from viewer.formats import description
from viewer.formats.archive import nres
from viewer.formats.text import decode, fold
from viewer.model.game import game_folder
from viewer.model.game.registry import MODEL_SUFFIX, REGISTRY, Game, ObjectReference, models_named
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.item import Container
from viewer.progress import checkpoint

NAMES: Final = b"objects.dlb"
MOST_NAMES: Final = 50_000
"""Entries of the file that are read; the game's own has 395."""


class PartName(NamedTuple):
    """The title of a part of a unit.

    Attributes
    ----------
    name
        Its name on screen.
    code
        Its short code; empty if it has none.
    """

    name: str
    code: str

    def __str__(self) -> str:
        return f"{self.name} ({self.code})" if self.code else self.name


class PartNames:
    """The names of parts, by their keys and by the models that the registry names for these.

    Parameters
    ----------
    named
        The names by key.
    models
        The models by key.
    """

    def __init__(
        self, named: dict[bytes, PartName], models: dict[bytes, tuple[ObjectReference, ...]]
    ) -> None:
        self._by_key = {_plain(key): name for key, name in named.items()}
        self._by_model: dict[tuple[bytes, bytes], PartName] = {}
        for key, references in models.items():
            for it in references:
                # Under two keys: with its archive, and for a model that is a file of its own. Of several
                # parts with one model the first one names it.
                for archive in (fold(it.archive.strip()), b""):
                    self._by_model.setdefault((archive, _plain(it.resource)), named[key])

    @classmethod
    def of(cls, library: FileStore, folder: Path | None) -> PartNames:
        """The names of a game folder, none without one or its file; kept until that changes."""
        if folder is None:
            return NO_NAMES
        path = folder.absolute()
        revisions = CaselessFolder(path, library).revisions((NAMES, REGISTRY))
        # Kept by folder; made again when one of both files has another revision.
        return library.shared((cls, path), revisions, lambda: cls._of(Game(path, library)))

    @classmethod
    def _of(cls, game: Game) -> PartNames:
        """Read the names; files that were not kept before are not kept now."""
        library = game.folder.library
        files = [it for it in map(game.folder.file, (NAMES, REGISTRY)) if it and not library.has(it)]
        found = cls._read(game)
        # The names are kept, not the bytes of the archives that they come from.
        for path in files:
            library.forget(path)
        return found

    @classmethod
    def _read(cls, game: Game) -> PartNames:
        named = dict(_named(game))
        registry = game.registry
        models: dict[bytes, tuple[ObjectReference, ...]] = {}
        for key in named if registry else ():
            index = registry.find(key) if registry else None
            if registry is not None and index is not None:
                models[key] = tuple(models_named(registry.expand(index)))
        return cls(named, models)

    def __len__(self) -> int:
        return len(self._by_key)

    def of_key(self, key: bytes) -> PartName | None:
        """The name of a key of the registry, in any case, with or without ``.msh``."""
        return self._by_key.get(_plain(key))

    def of_model(self, archive: bytes, model: bytes) -> PartName | None:
        """The name of a model: of the part whose model it is, or of the key that is its name.

        `archive` is empty for a model that is a file of its own.
        """
        found = self._by_model.get((fold(archive.strip()), _plain(model)))
        return found or self._by_key.get(_plain(model))

    def in_archive(self, archive: bytes, container: Container) -> dict[int, PartName]:
        """The names of the entries of an archive: of keys in a registry, of models elsewhere."""
        own = fold(archive)
        suffix = b"" if own in (REGISTRY, NAMES) else MODEL_SUFFIX
        here = {model: name for (holder, model), name in self._by_model.items() if holder == own}
        found: dict[int, PartName] = {}
        # What the registry says of this archive goes over a key that only sounds like the model.
        for stem, name in {**self._by_key, **(here if suffix else {})}.items():
            index = container.find(stem + suffix)
            if index is not None:
                found[index] = name
        return found


def names_around(library: FileStore, path: Path) -> PartNames:
    """The names of the game around a file or folder; none outside of a game."""
    return PartNames.of(library, game_folder.around(library, path))


NO_NAMES: Final = PartNames({}, {})


def _named(game: Game) -> Iterator[tuple[bytes, PartName]]:
    """The names by the entries of the file, those without a text left out."""
    archive = game.archive(NAMES)
    if not isinstance(archive, nres.Archive):
        return
    for entry in archive.entries[:MOST_NAMES]:
        checkpoint()
        if not entry.is_damaged:
            found = description.decode(archive.payload(entry.index))
            if found.name:
                yield entry.name, PartName(decode(found.name), decode(found.code))


def _plain(name: bytes) -> bytes:
    """A key as it is compared."""
    return fold(name.strip()).removesuffix(MODEL_SUFFIX)
