"""Installs of the game on a computer, found by the names of their folders.

A function of what is known of the computer and of a listing of its folders. Only folders that are named
in `install_spots` are listed, no link leads deeper than they do, and their number is limited.

Source: spec/field-notes.md 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Final, Protocol

from viewer.model.game.install_spots import (
    PROGRAM_FOLDERS,
    SYSTEM_DRIVE,
    Computer,
    Launcher,
    Shape,
    Spot,
    System,
    spots_of,
)

MOST_LISTED: Final = 4000
"""Folders that are listed in one search."""
MOST_NAMES: Final = 1000
"""Names of one folder that are looked at."""
MOST_ON_DISC: Final = 40
"""Folders of a drive that are looked at for the libraries of the game."""
DEEPEST: Final = 2
"""Depth of the game's libraries below a folder with the name of the game; discs and GOG have some."""

_LIBRARIES: Final = frozenset({"material.lib", "material.lib0"})
"""The library of materials, also of the first edition, in lower case."""
_NAME: Final = "ironstrategy"
_NOT_LETTERS: Final = re.compile(r"[^a-z0-9]")
_STEAM_LIBRARY: Final = re.compile(r'"(?:path|\d+)"\s+"((?:[^"\\]|\\.)*)"')
_NAMED: Final = re.compile(r'"?(?:install_path|prefix|exe|working_dir)"?\s*:\s*"?([^"\r\n]+)"?')


class Tree(Protocol):
    """The folders of a computer; nothing raises."""

    def names(self, folder: PurePath) -> Sequence[str]:
        """The names in a folder; none if it cannot be listed."""

    def text(self, file: PurePath) -> str:
        """The text of a small file; empty if it cannot be read."""

    def real(self, folder: PurePath) -> str:
        """The path of a folder without links, equal for equal folders."""


@dataclass(frozen=True, slots=True)
class Install:
    """A game folder that was found, and what it came with."""

    folder: str
    launcher: Launcher


def find(computer: Computer, tree: Tree) -> tuple[Install, ...]:
    """Return the installs on a computer, each once, the most likely first."""
    search = _Search(tree, PureWindowsPath if computer.system is System.WINDOWS else PurePosixPath)
    found: dict[str, Install] = {}
    for spot in spots_of(computer):
        for folder, launcher in search.games_at(spot):
            for game in search.with_libraries(folder):
                found.setdefault(tree.real(game), Install(str(game), launcher))
    return tuple(found.values())


def is_game_name(name: str) -> bool:
    """Whether a folder has the name of the game, in any spelling."""
    return _NAME in _NOT_LETTERS.sub("", name.lower())


Candidates = Iterator[tuple[PurePath, Launcher]]


class _Search:
    """Looks at spots; each folder is listed once."""

    def __init__(self, tree: Tree, path_type: type[PurePath]) -> None:
        self._tree = tree
        self._path_type = path_type
        self._listed: dict[str, Sequence[str]] = {}

    def games_at(self, spot: Spot) -> Candidates:
        """Yield the folders at a spot that may be the game."""
        path = self._path_type(spot.pattern)
        if not path.is_absolute():
            return
        for folder in self._expanded(self._path_type(path.anchor), path.relative_to(path.anchor).parts):
            if spot.shape is Shape.STEAM:
                yield from self._of_steam(folder)
            elif spot.shape is Shape.PREFIX:
                yield from self._of_prefix(folder, spot.launcher)
            elif spot.shape is Shape.NAMED:
                yield from self._of_text(folder, spot.launcher)
            else:
                yield from self._of_games(folder, spot.launcher)
                if spot.shape is Shape.DISC:
                    on_disc = (folder / name for name in self._names(folder)[:MOST_ON_DISC])
                    yield from ((place, spot.launcher) for place in (folder, *on_disc))

    def with_libraries(self, folder: PurePath, depth: int = DEEPEST) -> Iterator[PurePath]:
        """Yield the folder if it has the libraries of the game, else the first below it that has."""
        names = self._names(folder)
        if any(name.lower() in _LIBRARIES for name in names):
            yield folder
        elif depth and (is_game_name(folder.name) or depth < DEEPEST):
            below = (game for name in names for game in self.with_libraries(folder / name, depth - 1))
            yield from _first(below)

    def _expanded(self, folder: PurePath, parts: Sequence[str]) -> Iterator[PurePath]:
        """Yield the existing paths of a pattern; case does not matter."""
        if not parts:
            yield folder
            return
        literal = [*takewhile(lambda part: "*" not in part, parts)]
        if literal and self._names(folder.joinpath(*literal)):  # a folder above it may be denied
            yield from self._expanded(folder.joinpath(*literal), parts[len(literal) :])
            return
        wanted = parts[0].lower()
        for name in self._names(folder):
            if fnmatchcase(name.lower(), wanted) if "*" in wanted else name.lower() == wanted:
                yield from self._expanded(folder / name, parts[1:])

    def _of_games(self, folder: PurePath, launcher: Launcher) -> Candidates:
        yield from ((folder / name, launcher) for name in self._names(folder) if is_game_name(name))

    def _of_steam(self, root: PurePath) -> Candidates:
        """The game in the libraries of Steam, and in the prefixes that it made for Proton."""
        named = [
            path
            for part in ("steamapps", "config")
            for file in self._expanded(root, (part, "libraryfolders.vdf"))
            for path in self._paths_in(_STEAM_LIBRARY, file)
        ]
        for library in dict.fromkeys([root, *named]):
            for folder in self._expanded(library, ("steamapps", "common")):
                yield from self._of_games(folder, Launcher.STEAM)
            for prefix in self._expanded(library, ("steamapps", "compatdata", "*", "pfx")):
                yield from self._of_prefix(prefix, Launcher.PROTON)

    def _of_prefix(self, prefix: PurePath, launcher: Launcher) -> Candidates:
        for place in PROGRAM_FOLDERS:
            parts = (SYSTEM_DRIVE, *PurePosixPath(place).parts)
            for folder in self._expanded(prefix, parts):
                yield from self._of_games(folder, launcher)

    def _of_text(self, file: PurePath, launcher: Launcher) -> Candidates:
        """What a file of a launcher names: folders and programs of the game, and prefixes."""
        for path in self._paths_in(_NAMED, file):
            yield from ((above, launcher) for above in (path, path.parent) if is_game_name(above.name))
            yield from self._of_prefix(path, launcher)

    def _paths_in(self, pattern: re.Pattern[str], file: PurePath) -> list[PurePath]:
        texts = (text.replace("\\\\", "\\").strip() for text in pattern.findall(self._tree.text(file)))
        return [path for path in map(self._path_type, texts) if path.is_absolute()]

    def _names(self, folder: PurePath) -> Sequence[str]:
        key = str(folder)
        if key not in self._listed:
            if len(self._listed) >= MOST_LISTED:
                return ()
            self._listed[key] = sorted(self._tree.names(folder)[:MOST_NAMES])
        return self._listed[key]


def _first(games: Iterator[PurePath]) -> Iterator[PurePath]:
    game = next(games, None)
    if game is not None:
        yield game
