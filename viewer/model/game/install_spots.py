"""Where installs of the game may be on each system: launchers, prefixes of Wine, program folders and discs.

Source: spec/field-notes.md 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import Final


class System(StrEnum):
    """An operating system."""

    LINUX = "linux"
    WINDOWS = "windows"
    MACOS = "macos"


class Launcher(StrEnum):
    """What an install came with."""

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
    """What a spot is."""

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


@dataclass(frozen=True, slots=True)
class Spot:
    """A folder or file to look at.

    Attributes
    ----------
    pattern
        Its path; a part ``*`` stands for any name.
    """

    launcher: Launcher
    shape: Shape
    pattern: str


@dataclass(frozen=True, slots=True)
class Computer:
    """What is known of a computer before its folders are listed.

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


def spots_of(computer: Computer) -> Iterator[Spot]:
    """Yield where to look, the most likely first."""
    yield from (Spot(Launcher.STEAM, _STEAM, folder) for folder in computer.steam)
    if computer.system is System.WINDOWS:
        yield from _windows(computer.variables)
    elif computer.system is System.MACOS:
        yield from _macos(computer.home)
    else:
        yield from _linux(computer)
    prefix = computer.variables.get("WINEPREFIX")
    if prefix and computer.system is not System.WINDOWS:
        yield Spot(Launcher.WINE, _PREFIX, prefix)


def _linux(computer: Computer) -> Iterator[Spot]:
    home = computer.home
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
        yield Spot(Launcher.STEAM, _STEAM, root)
    yield Spot(Launcher.GOG, _GAMES, f"{home}/GOG Games")
    for settings in (f"{config}/heroic", f"{apps}/com.heroicgameslauncher.hgl/config/heroic"):
        yield Spot(Launcher.HEROIC, _NAMED, f"{settings}/gog_store/installed.json")
    yield Spot(Launcher.HEROIC, _GAMES, f"{home}/Games/Heroic")
    yield Spot(Launcher.HEROIC, _PREFIX, f"{home}/Games/Heroic/Prefixes/*")
    yield Spot(Launcher.HEROIC, _PREFIX, f"{home}/Games/Heroic/Prefixes/default/*")
    lutris = f"{apps}/net.lutris.Lutris"
    for settings in (
        f"{data}/lutris",
        f"{config}/lutris",
        f"{lutris}/data/lutris",
        f"{lutris}/config/lutris",
    ):
        yield Spot(Launcher.LUTRIS, _NAMED, f"{settings}/games/*parkan*")
    yield Spot(Launcher.LUTRIS, _GAMES, f"{home}/Games")
    yield Spot(Launcher.LUTRIS, _PREFIX, f"{home}/Games/*")
    for bottles in (f"{data}/bottles/bottles", f"{apps}/com.usebottles.bottles/data/bottles/bottles"):
        yield Spot(Launcher.BOTTLES, _PREFIX, f"{bottles}/*")
    yield Spot(Launcher.CROSSOVER, _PREFIX, f"{home}/.cxoffice/*")
    for prefix in (f"{home}/.wine", f"{data}/wineprefixes/*", f"{home}/.PlayOnLinux/wineprefix/*"):
        yield Spot(Launcher.WINE, _PREFIX, prefix)
    for disc in ("/media/*", "/media/*/*", "/run/media/*/*", "/mnt/*"):
        yield Spot(Launcher.DISC, _DISC, disc)


def _macos(home: str) -> Iterator[Spot]:
    support = f"{home}/Library/Application Support"
    yield Spot(Launcher.STEAM, _STEAM, f"{support}/Steam")
    yield Spot(Launcher.GOG, _GAMES, f"{home}/GOG Games")
    yield Spot(Launcher.HEROIC, _NAMED, f"{support}/heroic/gog_store/installed.json")
    yield Spot(Launcher.HEROIC, _GAMES, f"{home}/Games/Heroic")
    yield Spot(Launcher.HEROIC, _PREFIX, f"{home}/Games/Heroic/Prefixes/*")
    yield Spot(Launcher.CROSSOVER, _PREFIX, f"{support}/CrossOver/Bottles/*")
    for prefix in (
        f"{home}/.wine",
        f"{home}/Library/PlayOnMac/wineprefix/*",
        "/Applications/*parkan*/Contents/SharedSupport/prefix",
        "/Applications/*parkan*/Contents/Resources",
    ):
        yield Spot(Launcher.WINE, _PREFIX, prefix)
    yield Spot(Launcher.FOLDER, _GAMES, f"{home}/Games")
    yield Spot(Launcher.FOLDER, _GAMES, "/Applications")
    yield Spot(Launcher.DISC, _DISC, "/Volumes/*")


def _windows(variables: Mapping[str, str]) -> Iterator[Spot]:
    named = (variables.get(name) for name in ("ProgramFiles(x86)", "ProgramW6432", "ProgramFiles"))
    programs = dict.fromkeys([*filter(None, named), "C:/Program Files (x86)", "C:/Program Files"])
    for folder in programs:
        yield Spot(Launcher.STEAM, _STEAM, f"{folder}/Steam")
    for drive in _DRIVES:
        yield Spot(Launcher.STEAM, _STEAM, f"{drive}:/Steam")
        yield Spot(Launcher.STEAM, _STEAM, f"{drive}:/SteamLibrary")
        yield Spot(Launcher.GOG, _GAMES, f"{drive}:/GOG Games")
    for folder in programs:
        yield Spot(Launcher.GOG, _GAMES, f"{folder}/GOG Galaxy/Games")
        yield Spot(Launcher.GOG, _GAMES, f"{folder}/GOG.com")
        yield Spot(Launcher.FOLDER, _GAMES, f"{folder}/Nikita")
        yield Spot(Launcher.FOLDER, _GAMES, folder)
    for drive in _DRIVES:
        yield Spot(Launcher.FOLDER, _GAMES, f"{drive}:/Games")
        yield Spot(Launcher.DISC, _DISC, f"{drive}:/")
