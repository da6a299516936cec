"""Installs of the game on a computer, found by the names of their folders.

A function of what is known of the computer and of a listing of its folders. Only the folders of
`install_locations` are listed, no link leads deeper than they do, and their number is limited.

Source: spec/field-notes.md 8.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum, StrEnum, auto
from fnmatch import fnmatchcase
from itertools import islice, takewhile
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Final, Protocol

from msgspec import Struct, field

from viewer.bounded_reading import read_at_most


class System(StrEnum):
    """An operating system."""

    LINUX = "linux"
    WINDOWS = "windows"
    MACOS = "macos"


class Launcher(StrEnum):
    """The launcher or medium that an install came with."""

    STEAM = "Steam"
    PROTON = "Proton"
    GOG = "GOG"
    HEROIC = "Heroic"
    LUTRIS = "Lutris"
    BOTTLES = "Bottles"
    CROSSOVER = "CrossOver"
    WINE = "Wine"
    FOLDER = "folder"
    DISC = "disc"


class Shape(Enum):
    """The kind of an install location."""

    GAMES = auto()
    """A folder of folders of games."""
    STEAM = auto()
    """The folder of Steam, which names further folders of games."""
    PREFIX = auto()
    """A prefix of Wine, with a system drive in it."""
    DISC = auto()
    """A drive, which may be the game itself."""
    NAMED = auto()
    """A text file of a launcher that names folders."""


class InstallLocation(Struct, frozen=True):
    """A folder or file to look at.

    Attributes
    ----------
    pattern
        Its path; a part ``*`` stands for any name.
    """

    launcher: Launcher
    shape: Shape
    pattern: str


class Computer(Struct, frozen=True):
    """The facts about a computer before its folders are listed.

    Attributes
    ----------
    home
        The folder of the user.
    variables
        The environment.
    steam
        Folders of Steam that the system names.
    """

    system: System
    home: str
    variables: Mapping[str, str] = field(default_factory=dict)
    steam: Sequence[str] = ()


SYSTEM_DRIVE: Final = "drive_c"
"""The system drive in a prefix."""
PROGRAM_FOLDERS: Final = (
    "",
    "Games",
    "GOG Games",
    "Program Files",
    "Program Files/Nikita",
    "Program Files/Steam/steamapps/common",
    "Program Files (x86)",
    "Program Files (x86)/Nikita",
    "Program Files (x86)/GOG Galaxy/Games",
    "Program Files (x86)/Steam/steamapps/common",
)
"""Folders of games on a system drive."""
_DRIVES: Final = "CDEFGHIJKLMNOPQRSTUVWXYZ"
_STEAM, _GAMES, _PREFIX, _DISC, _NAMED = Shape.STEAM, Shape.GAMES, Shape.PREFIX, Shape.DISC, Shape.NAMED


def install_locations(computer: Computer) -> Iterator[InstallLocation]:
    """The places to look for games in, the most likely first."""
    yield from (InstallLocation(Launcher.STEAM, _STEAM, folder) for folder in computer.steam)
    if computer.system is System.WINDOWS:
        yield from _windows(computer.variables)
    elif computer.system is System.MACOS:
        yield from _macos(computer.home)
    else:
        yield from _linux(computer)
    prefix = computer.variables.get("WINEPREFIX")
    if prefix and computer.system is not System.WINDOWS:
        yield InstallLocation(Launcher.WINE, _PREFIX, prefix)


def _linux(computer: Computer) -> Iterator[InstallLocation]:
    home = computer.home
    # By the XDG base directories, which a variable may move; an empty variable counts as none.
    data = computer.variables.get("XDG_DATA_HOME") or f"{home}/.local/share"
    config = computer.variables.get("XDG_CONFIG_HOME") or f"{home}/.config"
    apps = f"{home}/.var/app"
    for root in (
        f"{home}/.steam/steam",
        f"{home}/.steam/root",
        f"{data}/Steam",
        f"{apps}/com.valvesoftware.Steam/.local/share/Steam",
        f"{apps}/com.valvesoftware.Steam/.steam/steam",
        f"{apps}/com.valvesoftware.Steam/data/Steam",
        f"{home}/snap/steam/common/.local/share/Steam",
        f"{home}/snap/steam/common/.steam/steam",
    ):
        yield InstallLocation(Launcher.STEAM, _STEAM, root)
    yield InstallLocation(Launcher.GOG, _GAMES, f"{home}/GOG Games")
    for settings in (f"{config}/heroic", f"{apps}/com.heroicgameslauncher.hgl/config/heroic"):
        yield InstallLocation(Launcher.HEROIC, _NAMED, f"{settings}/gog_store/installed.json")
    yield InstallLocation(Launcher.HEROIC, _GAMES, f"{home}/Games/Heroic")
    yield InstallLocation(Launcher.HEROIC, _PREFIX, f"{home}/Games/Heroic/Prefixes/*")
    yield InstallLocation(Launcher.HEROIC, _PREFIX, f"{home}/Games/Heroic/Prefixes/default/*")
    lutris = f"{apps}/net.lutris.Lutris"
    for settings in (
        f"{data}/lutris",
        f"{config}/lutris",
        f"{lutris}/data/lutris",
        f"{lutris}/config/lutris",
    ):
        yield InstallLocation(Launcher.LUTRIS, _NAMED, f"{settings}/games/*parkan*")
    yield InstallLocation(Launcher.LUTRIS, _GAMES, f"{home}/Games")
    yield InstallLocation(Launcher.LUTRIS, _PREFIX, f"{home}/Games/*")
    for bottles in (f"{data}/bottles/bottles", f"{apps}/com.usebottles.bottles/data/bottles/bottles"):
        yield InstallLocation(Launcher.BOTTLES, _PREFIX, f"{bottles}/*")
    yield InstallLocation(Launcher.CROSSOVER, _PREFIX, f"{home}/.cxoffice/*")
    for prefix in (f"{home}/.wine", f"{data}/wineprefixes/*", f"{home}/.PlayOnLinux/wineprefix/*"):
        yield InstallLocation(Launcher.WINE, _PREFIX, prefix)
    # Where desktops mount: /run/media/USER/DISC, /media/USER/DISC, and older ones /media/DISC.
    for disc in ("/media/*", "/media/*/*", "/run/media/*/*", "/mnt/*"):
        yield InstallLocation(Launcher.DISC, _DISC, disc)


def _macos(home: str) -> Iterator[InstallLocation]:
    support = f"{home}/Library/Application Support"
    yield InstallLocation(Launcher.STEAM, _STEAM, f"{support}/Steam")
    yield InstallLocation(Launcher.GOG, _GAMES, f"{home}/GOG Games")
    yield InstallLocation(Launcher.HEROIC, _NAMED, f"{support}/heroic/gog_store/installed.json")
    yield InstallLocation(Launcher.HEROIC, _GAMES, f"{home}/Games/Heroic")
    yield InstallLocation(Launcher.HEROIC, _PREFIX, f"{home}/Games/Heroic/Prefixes/*")
    yield InstallLocation(Launcher.CROSSOVER, _PREFIX, f"{support}/CrossOver/Bottles/*")
    for prefix in (
        f"{home}/.wine",
        f"{home}/Library/PlayOnMac/wineprefix/*",
        "/Applications/*parkan*/Contents/SharedSupport/prefix",
        "/Applications/*parkan*/Contents/Resources",
    ):
        yield InstallLocation(Launcher.WINE, _PREFIX, prefix)
    yield InstallLocation(Launcher.FOLDER, _GAMES, f"{home}/Games")
    yield InstallLocation(Launcher.FOLDER, _GAMES, "/Applications")
    yield InstallLocation(Launcher.DISC, _DISC, "/Volumes/*")


def _windows(variables: Mapping[str, str]) -> Iterator[InstallLocation]:
    # ProgramW6432 is the folder of 64-bit programs, which a 32-bit one is not told as ProgramFiles.
    named = (variables.get(name) for name in ("ProgramFiles(x86)", "ProgramW6432", "ProgramFiles"))
    programs = dict.fromkeys([*filter(None, named), "C:/Program Files (x86)", "C:/Program Files"])
    for folder in programs:
        yield InstallLocation(Launcher.STEAM, _STEAM, f"{folder}/Steam")
    for drive in _DRIVES:
        yield InstallLocation(Launcher.STEAM, _STEAM, f"{drive}:/Steam")
        yield InstallLocation(Launcher.STEAM, _STEAM, f"{drive}:/SteamLibrary")
        yield InstallLocation(Launcher.GOG, _GAMES, f"{drive}:/GOG Games")
    for folder in programs:
        yield InstallLocation(Launcher.GOG, _GAMES, f"{folder}/GOG Galaxy/Games")
        yield InstallLocation(Launcher.GOG, _GAMES, f"{folder}/GOG.com")
        yield InstallLocation(Launcher.FOLDER, _GAMES, f"{folder}/Nikita")
        yield InstallLocation(Launcher.FOLDER, _GAMES, folder)
    for drive in _DRIVES:
        yield InstallLocation(Launcher.FOLDER, _GAMES, f"{drive}:/Games")
        yield InstallLocation(Launcher.DISC, _DISC, f"{drive}:/")


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
# ``Parkan Iron Strategy`` from Steam, ``Parkan - Iron Strategy`` from GOG (spec/field-notes.md 8): only
# letters and digits are compared.
_NAME: Final = "ironstrategy"
_NOT_LETTERS: Final = re.compile(r"[^a-z0-9]")
# Two forms of `libraryfolders.vdf`: ``"path" "D:\\Games"``, and in older ones ``"1" "D:\\Games"``.
_STEAM_LIBRARY: Final = re.compile(r'"(?:path|\d+)"\s+"((?:[^"\\]|\\.)*)"')
# JSON of Heroic and YAML of Lutris: the quotes are there or not.
_ANY_NAME: Final = re.compile(r'"?(?:install_path|prefix|exe|working_dir)"?\s*:\s*"?([^"\r\n]+)"?')


class FolderListing(Protocol):
    """The folders of a computer; nothing raises."""

    def names(self, folder: PurePath) -> Sequence[str]:
        """The names in a folder; none if it cannot be listed."""

    def text(self, file: PurePath) -> str:
        """The text of a small file; empty if it cannot be read."""

    def real(self, folder: PurePath) -> str:
        """The path of a folder without links, equal for equal folders."""


class Install(Struct, frozen=True):
    """A game folder that was found, and what it came with."""

    folder: str
    launcher: Launcher


def find(computer: Computer, tree: FolderListing) -> tuple[Install, ...]:
    """The installs on a computer, each once, the most likely first."""
    search = _Search(tree, PureWindowsPath if computer.system is System.WINDOWS else PurePosixPath)
    found: dict[str, Install] = {}
    for location in install_locations(computer):
        for folder, launcher in search.games_at(location):
            for game in search.with_libraries(folder):
                # By the path without links: two launchers may lead to one folder, and the first, more likely
                # one stays.
                found.setdefault(tree.real(game), Install(str(game), launcher))
    return tuple(found.values())


def is_game_name(name: str) -> bool:
    """Whether a folder has the name of the game, in any spelling."""
    return _NAME in _NOT_LETTERS.sub("", name.lower())


Candidates = Iterator[tuple[PurePath, Launcher]]


class _Search:
    """Looks at install locations; each folder is listed once."""

    def __init__(self, tree: FolderListing, path_type: type[PurePath]) -> None:
        self._tree = tree
        self._path_type = path_type
        self._listed: dict[str, Sequence[str]] = {}

    def games_at(self, location: InstallLocation) -> Candidates:
        """The folders at a location that may be the game."""
        path = self._path_type(location.pattern)
        if not path.is_absolute():
            return
        for folder in self._expanded(self._path_type(path.anchor), path.relative_to(path.anchor).parts):
            if location.shape is Shape.STEAM:
                yield from self._of_steam(folder)
            elif location.shape is Shape.PREFIX:
                yield from self._of_prefix(folder, location.launcher)
            elif location.shape is Shape.NAMED:
                yield from self._of_text(folder, location.launcher)
            else:
                yield from self._of_games(folder, location.launcher)
                if location.shape is Shape.DISC:
                    on_disc = (folder / name for name in self._names(folder)[:MOST_ON_DISC])
                    yield from ((place, location.launcher) for place in (folder, *on_disc))

    def with_libraries(self, folder: PurePath, depth: int = DEEPEST) -> Iterator[PurePath]:
        """The folder if it has the libraries of the game, else the first below it that has."""
        names = self._names(folder)
        if any(name.lower() in _LIBRARIES for name in names):
            yield folder
        # From a folder with the name of the game downwards, in which folders have any name.
        elif depth and (is_game_name(folder.name) or depth < DEEPEST):
            below = (game for name in names for game in self.with_libraries(folder / name, depth - 1))
            yield from islice(below, 1)

    def _expanded(self, folder: PurePath, parts: Sequence[str]) -> Iterator[PurePath]:
        """The existing paths of a pattern; case does not matter."""
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
        # Its own folder is a library as well, which its list need not name.
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
        """Paths in a file of a launcher: folders and programs of the game, and prefixes."""
        for path in self._paths_in(_ANY_NAME, file):
            yield from ((above, launcher) for above in (path, path.parent) if is_game_name(above.name))
            yield from self._of_prefix(path, launcher)

    def _paths_in(self, pattern: re.Pattern[str], file: PurePath) -> list[PurePath]:
        # Both formats write a backslash twice.
        texts = (text.replace("\\\\", "\\").strip() for text in pattern.findall(self._tree.text(file)))
        return [path for path in map(self._path_type, texts) if path.is_absolute()]

    def _names(self, folder: PurePath) -> Sequence[str]:
        key = str(folder)
        if key not in self._listed:
            # No further folder is listed then, so that a search of a large disc ends.
            if len(self._listed) >= MOST_LISTED:
                return ()
            self._listed[key] = sorted(self._tree.names(folder)[:MOST_NAMES])
        return self._listed[key]


LARGEST_TEXT: Final = 1 << 20
"""Bytes of a file of a launcher that are read."""


class DiskTree:
    """The folders on the disk; what cannot be listed or read is empty."""

    def names(self, folder: PurePath) -> Sequence[str]:
        """The names in a folder."""
        try:
            with os.scandir(folder) as entries:
                return [entry.name for entry in islice(entries, MOST_NAMES)]
        except (OSError, ValueError):
            return ()

    def text(self, file: PurePath) -> str:
        """The start of a regular file."""
        try:
            if not stat.S_ISREG(os.stat(file).st_mode):  # noqa: PTH116 a pure path
                return ""
            with Path(file).open("rb") as opened:
                return read_at_most(opened, LARGEST_TEXT).decode(errors="replace")
        except (OSError, ValueError):
            return ""

    def real(self, folder: PurePath) -> str:
        """The path without links; where case does not matter, in lower case."""
        try:
            return os.path.normcase(os.path.realpath(folder))
        except (OSError, ValueError):
            return str(folder)


def find_installs() -> tuple[Install, ...]:
    """The installs of the game on this computer."""
    return find(this_computer(), DiskTree())


def this_computer() -> Computer:
    """The system, the home, the variables and the folders of Steam of this computer."""
    system = {"win32": System.WINDOWS, "darwin": System.MACOS}.get(sys.platform, System.LINUX)
    # Not a copy: only the mapping of the system takes names in any case on Windows, as ProgramFiles.
    return Computer(system, os.path.expanduser("~"), os.environ, _steam())  # noqa: PTH111 never raises


def _steam() -> tuple[str, ...]:
    """The folder of Steam in the registry of Windows, if there is one."""
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 only on Windows

        with suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, r"Software\Valve\Steam") as key:
            return (str(winreg.QueryValueEx(key, "SteamPath")[0]),)
    return ()
