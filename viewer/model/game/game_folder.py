"""The game folder in which the names in a file are looked up, and how it was found.

In this order: the folder given for the file (``--game``); the nearest folder at or above the file
that holds the materials of the game, its own folder first, or else the nearest with another library;
the folder that is set for files outside any game. So the setting never replaces the game
that a file belongs to, and a stray library next to a file does not hide the game above it.

Source: spec/materials.md 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.formats.text import decode
from viewer.model.game.registry import LIBRARIES, MATERIALS
from viewer.model.store.disk import real_path
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.translation import _


class GameOrigin(StrEnum):
    """The reason why a game folder is used."""

    GIVEN = "given"
    BESIDE = "beside"
    ABOVE = "above"
    SET = "set"


_REASONS: Final = {
    GameOrigin.GIVEN: _("specified for this file"),
    GameOrigin.BESIDE: _("contains the file"),
    GameOrigin.ABOVE: _("a parent folder of the file"),
    GameOrigin.SET: _("from the settings"),
}


class GameSource(Struct, frozen=True):
    """The game folder of a file, or why there is none.

    Attributes
    ----------
    folder, origin
        None if no folder is known.
    problem
        Why no game folder was found; empty if one was.
    """

    folder: Path | None = None
    origin: GameOrigin | None = None
    problem: str = ""

    @property
    def is_own(self) -> bool:
        """Whether the file has a game folder of its own, so that the one from the settings is not used."""
        return self.folder is not None and self.origin is not GameOrigin.SET

    @property
    def text(self) -> str:
        """The folder and why it is used."""
        if self.folder is None:
            return _("none: {problem}", problem=self.problem)
        if self.origin is None:
            return str(self.folder)
        return _("{folder} ({reason})", folder=self.folder, reason=_REASONS[self.origin])


NO_GAME: Final = GameSource(problem=_("no game folder is set"))


def find(
    library: FileStore, path: Path, given: Path | None = None, set_folder: Path | None = None
) -> GameSource:
    """The game folder of the file at `path`.

    Parameters
    ----------
    given
        Specified for the file; takes precedence.
    set_folder
        For files outside any game folder.
    """
    if given is not None:
        return GameSource(given, GameOrigin.GIVEN)
    own = real_path(path).parent
    # The path itself first, which may be a folder.
    found = _nearest(library, (path, own, *own.parents))
    if found is not None:
        return GameSource(found, GameOrigin.BESIDE if found == own else GameOrigin.ABOVE)
    nowhere = _("no game library in {folder} or its parent folders", folder=own)
    if set_folder is None:
        return GameSource(problem=nowhere)
    problem = _problem_of(library, set_folder)
    if problem:
        return GameSource(problem=_("{nowhere}, and {problem}", nowhere=nowhere, problem=problem))
    return GameSource(set_folder, GameOrigin.SET)


def around(library: FileStore, path: Path) -> Path | None:
    """The nearest folder at or above `path` with the game's materials, or else with another library."""
    return _nearest(library, (path, *real_path(path).parents))


def _nearest(library: FileStore, paths: Iterable[Path]) -> Path | None:
    """The first of some folders with the game's materials, or else with another library."""
    folders = [CaselessFolder(path, library) for path in paths]
    # All folders for the materials, then all of them again for any library: a stray library does not hide the
    # game above it.
    requested = ((MATERIALS,), LIBRARIES)
    found = (folder.path for names in requested for folder in folders if _holds_any(folder, names))
    return next(found, None)


def _holds_any(folder: CaselessFolder, names: Sequence[bytes]) -> bool:
    return any(revision is not None for revision in folder.revisions(names).values())


def _problem_of(library: FileStore, folder: Path) -> str:
    """Reason for which a game folder cannot be used; empty if it can."""
    if library.is_folder(folder):
        return ""
    return _("{folder}, from the settings, does not exist", folder=folder)


class Inventory(Struct, frozen=True):
    """The contents of the game folder from the settings.

    Attributes
    ----------
    present, missing
        Names of libraries.
    problem
        Why there are none; empty if the folder exists.
    """

    folder: Path
    present: tuple[str, ...]
    missing: tuple[str, ...]
    problem: str = ""


def take_inventory(library: FileStore, folder: Path) -> Inventory:
    """Find the libraries of a folder."""
    listed = CaselessFolder(folder, library)
    has = {decode(name): listed.file(name) is not None for name in LIBRARIES}
    present = tuple(name for name, is_there in has.items() if is_there)
    missing = tuple(name for name in has if name not in present)
    return Inventory(folder, present, missing, _problem_of(library, folder))
