"""What panels look up in every frame: the bytes that have changed, and the names that a field may hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from viewer.app.loading import OpenOptions
from viewer.app.state import State
from viewer.errors import MshviewError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import LIGHTMAP, MATERIAL, TEXTURE
from viewer.model.game import game_folder
from viewer.model.game.registry import LIGHTMAPS, MATERIALS, TEXTURES
from viewer.model.material.lookup import MAT0, TEXM, GameLibrary
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.session.edits.edited_file import NO_RANGES, ChangedRanges, real

_LIBRARIES: Final[Mapping[str, tuple[bytes, int]]] = {
    MATERIAL: (MATERIALS, MAT0),
    TEXTURE: (TEXTURES, TEXM),
    LIGHTMAP: (LIGHTMAPS, TEXM),
}
"""The library that has the resources of a kind, and the type of its entries."""


class ChangedBytes:
    """Answers for rows and fields in every frame, so it remembers its answers until the edits change.

    Owner: the editing, main thread only.
    """

    def __init__(self, state: State, library: FileStore) -> None:
        self._state = state
        self._library = library
        self._edits: object = None
        self._known: dict[str, ChangedRanges] = {}

    def find(self, text: str) -> ChangedRanges:
        """Return the ranges of the payload at an address, none if they cannot be told."""
        edits = self._state.edits
        if edits is not self._edits:  # edits are replaced when they change
            self._edits, self._known = edits, {}
        if not edits.changed or not text:
            return NO_RANGES
        if text not in self._known:
            try:
                self._known[text] = self._find(real(Address.parse(text)))
            except MshviewError:
                self._known[text] = NO_RANGES
        return self._known[text]

    def _find(self, address: Address) -> ChangedRanges:
        file = self._state.edits.of(address.path)
        base = self._offset(address) if file.is_changed else None
        if base is None:
            return NO_RANGES
        size = len(self._library.open(address).data)
        # The splices back to the saved bytes cover what differs from them, in offsets of the file now.
        back = splice.reverse(splice.combined_all(file.way_from_saved))
        ranges = ((it.offset - base, it.end - base) for it in back)
        return ChangedRanges((max(start, 0), min(end, size)) for start, end in ranges)

    def _offset(self, address: Address) -> int | None:
        """The offset of a payload in its file; None if it is stored packed."""
        offset = 0
        while address.entries:
            entry = self._library.open(address).entry
            if not isinstance(entry, nres.Entry):
                return None
            offset += entry.offset
            address = address.parent
        return offset


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
        archive = GameLibrary(CaselessFolder(folder, self._library), name).archive
        entries = archive.entries if archive is not None else ()
        return tuple(sorted({entry.text for entry in entries if entry.type_id == type_id}))

    def _game(self, address: str) -> Path | None:
        options = self._options(address)
        try:
            path = Address.parse(address).path
            return game_folder.find(self._library, path, options.game, options.set_game).folder
        except MshviewError:
            return None
