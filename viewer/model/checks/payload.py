"""What a rule looks at: a payload, its directory entry, and what is around it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from viewer.formats.archive import nres
from viewer.model.game.registry import Game, Registry
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.folder import Folder


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a payload.

    Parameters
    ----------
    archive
        The archive that it is an entry of; None for files and in packed libraries.
    registry
        The keys of that archive, where object references are inherited from.
    folder
        The folder that it is a file of.
    game
        The game whose names it uses, None where they are not looked up.
    wanted
        How models are read.
    """

    archive: nres.Archive | None = None
    registry: Registry | None = None
    folder: Folder | None = None
    game: Game | None = None
    wanted: ReadingChoice = ReadingChoice.AUTO

    def in_archive(self, archive: nres.Archive) -> Surroundings:
        """What stands around the entries of an archive."""
        return replace(self, archive=archive, registry=Registry(archive), folder=None)

    def find(self, name: bytes) -> memoryview | None:
        """What is called `name` beside the payload, None where there is nothing that can be read."""
        if self.archive is None:
            return self.folder.read(name) if self.folder else None
        index = self.archive.find(name)
        if index is None or self.archive.entries[index].is_damaged:
            return None
        return self.archive.payload(index)


NOWHERE: Final = Surroundings()


@dataclass(frozen=True, slots=True)
class Payload:
    """Bytes, and what is known of them from outside.

    Parameters
    ----------
    data
        The bytes.
    entry
        The directory entry that names them; None for files and for members of packed libraries.
    name
        The name of the entry or file.
    around
        What is next to them.
    """

    data: memoryview
    entry: nres.Entry | None = None
    name: bytes = b""
    around: Surroundings = NOWHERE
