"""Where the names stored in payloads lead, in one game folder.

Source: spec/materials.md 5; spec/objects.md 2.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from viewer.errors import MshviewError
from viewer.formats.record import ARCHIVE, ENTRY, LIGHTMAP, MATERIAL, TEXTURE
from viewer.formats.text import decode, fold
from viewer.model.game.registry import LIGHTMAPS, MATERIALS, TEXTURES, Game, Outcome, find_entry
from viewer.model.material.lookup import DEFAULT, MAT0, TEXM, GameLibrary
from viewer.model.references.names import ResourceName
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, spelling
from viewer.model.store.place import Place
from viewer.translation import Sentence

_LIBRARIES: Final = {MATERIAL: (MATERIALS, MAT0), TEXTURE: (TEXTURES, TEXM), LIGHTMAP: (LIGHTMAPS, TEXM)}
"""The library in which each kind of resource is looked up, and the type of its entries."""


_NO_MODEL: Final = {
    Outcome.NOT_FOUND: Sentence("the registry has no such key"),
    Outcome.NO_GEOMETRY: Sentence("the object has no model"),
    Outcome.BROKEN: Sentence("the model of the object does not exist"),
}


class Target(NamedTuple):
    """What a name leads to: a place, or None and the reason."""

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
        problem = found.problem or _is_not_in(name, library)
        if library == MATERIALS and not found.problem:
            problem = Sentence(
                "{problem}; the game uses {name} instead", problem=problem, name=decode(DEFAULT)
            )
        return Target(problem=problem)


def _file(game: Game, name: bytes) -> Target:
    path = game.folder.file(name)
    if path is None:
        problem = Sentence("{name!r} is not in {folder}", name=decode(name), folder=game.path)
        return Target(problem=problem)
    return Target(Place(str(path)))


def _entry(game: Game, archive: bytes, name: bytes) -> Target:
    """The entry of an archive of the game folder, with or without ``.msh``."""
    path = game.folder.file(archive.strip())
    if path is None:
        return _file(game, archive)
    try:
        container = game.folder.library.container(game.folder.library.open(Address(path)))
    except MshviewError as error:
        problem = Sentence("{source} cannot be read: {error}", source=path, error=error.text)
        return Target(problem=problem)
    index = find_entry(container, name) if container else None
    if container is None or index is None:
        return Target(problem=_is_not_in(name, archive))
    return Target(Place(str(Address(path, (spelling(container, index),)))))


def _is_not_in(name: bytes, library: bytes) -> str:
    return Sentence("{name!r} is not in {library}", name=decode(name), library=decode(library))
