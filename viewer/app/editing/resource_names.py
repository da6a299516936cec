"""The names that a field of a file may hold: materials, textures and lightmaps of its game folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from viewer.app.loading import OpenOptions
from viewer.errors import MshviewError
from viewer.formats.record import LIGHTMAP, MATERIAL, TEXTURE
from viewer.model.game import game_folder
from viewer.model.game.registry import LIGHTMAPS, MATERIALS, TEXTURES
from viewer.model.material.lookup import MAT0, TEXM, GameLibrary
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import Folder

_LIBRARIES: Final[Mapping[str, tuple[bytes, int]]] = {
    MATERIAL: (MATERIALS, MAT0),
    TEXTURE: (TEXTURES, TEXM),
    LIGHTMAP: (LIGHTMAPS, TEXM),
}
"""The library that has the resources of a kind, and the type of its entries."""


class ResourceNames:
    """Lists names when a drop-down opens; owner: the application, main thread only.

    Parameters
    ----------
    library
        The files, with unsaved bytes.
    options
        The lookup chosen for an address.
    """

    def __init__(self, library: FileStore, options: Callable[[str], OpenOptions]) -> None:
        self._library = library
        self._options = options

    def find(self, kind: str, address: str) -> tuple[str, ...]:
        """Return the names of the resources of a kind that the file at an address may use, in order."""
        if kind not in _LIBRARIES:
            return ()
        folder = self._game(address)
        if folder is None:
            return ()
        name, type_id = _LIBRARIES[kind]
        archive = GameLibrary(Folder(folder, self._library), name).archive
        entries = archive.entries if archive is not None else ()
        return tuple(sorted({entry.text for entry in entries if entry.type_id == type_id}))

    def _game(self, address: str) -> Path | None:
        options = self._options(address)
        try:
            path = Address.parse(address).path
            return game_folder.find(self._library, path, options.game, options.set_game).folder
        except MshviewError:
            return None
