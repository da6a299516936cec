"""The input of a rule: a payload, its directory entry, and its surroundings."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.archive import nres
from viewer.model.game.registry import Game, Registry
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.folder import CaselessFolder


class Surroundings(Struct, frozen=True):
    """The archive, the folder and the game that a payload is checked in.

    Parameters
    ----------
    archive, archive_name
        The archive that contains it and its name; None for files and in packed libraries.
    registry
        The object keys of that archive, for inherited references.
    folder
        The folder that contains it, if it is a file.
    game
        The game in which its names are looked up, or None.
    requested
        How models are read.
    """

    archive: nres.Archive | None = None
    archive_name: bytes = b""
    registry: Registry | None = None
    folder: CaselessFolder | None = None
    game: Game | None = None
    requested: ReadingChoice = ReadingChoice.AUTO

    def in_archive(self, archive: nres.Archive, name: bytes = b"") -> Surroundings:
        """The surroundings of the entries of an archive."""
        return replace(self, archive=archive, archive_name=name, registry=Registry(archive), folder=None)

    def find(self, name: bytes) -> memoryview | None:
        """The payload `name` in the same archive or folder, or None if there is no readable one."""
        if self.archive is None:
            return self.folder.read(name) if self.folder else None
        index = self.archive.find(name)
        if index is None or self.archive.entries[index].is_damaged:
            return None
        return self.archive.payload(index)


NOWHERE: Final = Surroundings()


class Payload(Struct, frozen=True):
    """Bytes, with their name, directory entry and surroundings.

    Parameters
    ----------
    data
        The bytes.
    entry
        Their directory entry; None for files and for members of packed libraries.
    name
        The name of the entry or file.
    around
        Their surroundings.
    """

    data: memoryview
    entry: nres.Entry | None = None
    name: bytes = b""
    around: Surroundings = NOWHERE
