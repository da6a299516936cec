"""Installs of the game, found in made-up folders of all systems."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

import pytest

from tests.systems import IS_WINDOWS
from viewer.model.game import installs
from viewer.model.game.installs import (
    MOST_LISTED,
    Computer,
    DiskTree,
    InstallLocation,
    Launcher,
    System,
    find,
    install_locations,
    is_game_name,
    this_computer,
)

HOME = "/players/u"
FLATPAK = f"{HOME}/.var/app/com.valvesoftware.Steam"
SUPPORT = "/people/u/Library/Application Support"
VDF = """"libraryfolders" {{ "contentstatsid" "-31"
  "0" {{ "path" "{}" "apps" {{ "228980" "42" }} }}
  "1" {{ "path" "{}" }} }}"""


class MadeTree:
    """Folders made of the paths of files; those in `texts` have a text."""

    def __init__(
        self, *files: str, texts: Mapping[str, str] | None = None, links: Mapping[str, str] | None = None
    ) -> None:
        self.texts = {_key(path): text for path, text in (texts or {}).items()}
        self.links = links or {}
        self.listed: list[str] = []
        self.denied: set[str] = set()
        self._names: dict[str, dict[str, None]] = {}
        for file in (*files, *(texts or {}), *self.links):
            parts = file.replace("\\", "/").split("/")
            for depth in range(1, len(parts)):
                self._names.setdefault(_key("/".join(parts[:depth])), {})[parts[depth]] = None

    def names(self, folder: PurePath) -> Sequence[str]:
        """The names in a folder, counted."""
        self.listed.append(str(folder))
        return [] if str(folder) in self.denied else [*self._names.get(_key(self.real(folder)), ())]

    def text(self, file: PurePath) -> str:
        """The text of a file."""
        return self.texts.get(_key(str(file)), "")

    def real(self, folder: PurePath) -> str:
        """The path with the links replaced."""
        text = folder.as_posix()
        for link, target in self.links.items():
            text = target + text[len(link) :] if text.startswith(link) else text
        return text


def _key(path: str) -> str:
    return path.replace("\\", "/").rstrip("/")


def found(system: System, tree: MadeTree, home: str = HOME, **variables: str) -> list[tuple[str, Launcher]]:
    games = find(Computer(system, home, variables), tree)
    return [(game.folder.replace("\\", "/"), game.launcher) for game in games]


@pytest.mark.parametrize(
    ("folder", "launcher"),
    [
        ("/players/u/.steam/steam/steamapps/common/Parkan Iron Strategy", Launcher.STEAM),
        ("/players/u/.local/share/Steam/SteamApps/common/PARKAN IRON STRATEGY", Launcher.STEAM),
        (
            f"{FLATPAK}/.local/share/Steam/steamapps/common/Parkan Iron Strategy",
            Launcher.STEAM,
        ),
        (
            "/players/u/snap/steam/common/.local/share/Steam/steamapps/common/parkan iron strategy",
            Launcher.STEAM,
        ),
        (
            "/players/u/.steam/steam/steamapps/compatdata/77/pfx/drive_c/GOG Games/Parkan - Iron Strategy",
            Launcher.PROTON,
        ),
        ("/players/u/GOG Games/Parkan - Iron Strategy/game", Launcher.GOG),
        ("/players/u/Games/Heroic/Parkan Iron Strategy", Launcher.HEROIC),
        ("/players/u/Games/gog/drive_c/GOG Games/Parkan - Iron Strategy", Launcher.LUTRIS),
        ("/players/u/Games/parkan-iron-strategy", Launcher.LUTRIS),
        (
            "/players/u/.local/share/bottles/bottles/Old/drive_c/Program Files (x86)/Parkan Iron Strategy",
            Launcher.BOTTLES,
        ),
        ("/players/u/.cxoffice/Games/drive_c/Program Files/Nikita/Parkan Iron Strategy", Launcher.CROSSOVER),
        ("/players/u/.wine/drive_c/Parkan Iron Strategy", Launcher.WINE),
        ("/run/media/u/PARKAN_1", Launcher.DISC),
        ("/media/u/PARKAN_1/ISTRAT", Launcher.DISC),
    ],
)
def test_linux(folder: str, launcher: Launcher) -> None:
    assert found(System.LINUX, MadeTree(f"{folder}/MATERIAL.LIB")) == [(folder, launcher)]


@pytest.mark.parametrize(
    ("folder", "launcher"),
    [
        ("C:/Program Files (x86)/Steam/steamapps/common/Parkan Iron Strategy", Launcher.STEAM),
        ("E:/SteamLibrary/steamapps/common/Parkan Iron Strategy", Launcher.STEAM),
        ("C:/GOG Games/Parkan - Iron Strategy", Launcher.GOG),
        ("D:/GOG Games/PARKAN - IRON STRATEGY", Launcher.GOG),
        ("C:/Program Files (x86)/GOG Galaxy/Games/Parkan - Iron Strategy", Launcher.GOG),
        ("P:/Programme/Parkan Iron Strategy", Launcher.FOLDER),
        ("D:/Games/Parkan Iron Strategy", Launcher.FOLDER),
        ("D:", Launcher.DISC),
    ],
)
def test_windows(folder: str, launcher: Launcher) -> None:
    tree = MadeTree(f"{folder}/Material.lib0")
    games = found(System.WINDOWS, tree, "C:/People/u", ProgramFiles="P:/Programme")
    assert [(path.rstrip("/"), origin) for path, origin in games] == [(folder, launcher)]


@pytest.mark.parametrize(
    ("folder", "launcher"),
    [
        (f"{SUPPORT}/Steam/steamapps/common/Parkan Iron Strategy", Launcher.STEAM),
        (
            f"{SUPPORT}/CrossOver/Bottles/Parkan/drive_c/GOG Games/Parkan - Iron Strategy",
            Launcher.CROSSOVER,
        ),
        ("/people/u/.wine/drive_c/Program Files/Parkan Iron Strategy", Launcher.WINE),
        (
            "/Applications/Parkan.app/Contents/SharedSupport/prefix/drive_c/GOG Games/Parkan - Iron Strategy",
            Launcher.WINE,
        ),
        ("/Volumes/PARKAN", Launcher.DISC),
    ],
)
def test_macos(folder: str, launcher: Launcher) -> None:
    assert found(System.MACOS, MadeTree(f"{folder}/Material.lib"), "/people/u") == [(folder, launcher)]


def test_further_libraries_of_steam_are_named_in_its_file() -> None:
    game = "/mnt/ssd/steam/steamapps/common/Parkan Iron Strategy"
    vdf = VDF.format("/players/u/.local/share/Steam", "/mnt/ssd/steam")
    texts = {f"{HOME}/.local/share/Steam/config/libraryfolders.vdf": vdf}
    assert found(System.LINUX, MadeTree(f"{game}/Material.lib", texts=texts)) == [(game, Launcher.STEAM)]
    game = "S:/Steam Library/steamapps/common/Parkan Iron Strategy"
    vdf = VDF.format(r"C:\\Program Files (x86)\\Steam", r"S:\\Steam Library")
    texts = {"C:/Program Files (x86)/Steam/steamapps/libraryfolders.vdf": vdf}
    tree = MadeTree(f"{game}/Material.lib", texts=texts)
    assert found(System.WINDOWS, tree, "C:/People/u") == [(game, Launcher.STEAM)]


def test_a_folder_of_steam_that_the_system_names_is_enough() -> None:
    tree = MadeTree("K:/Valve/steamapps/common/Parkan Iron Strategy/Material.lib")
    (game,) = find(Computer(System.WINDOWS, "C:/People/u", {}, ["k:/valve"]), tree) or [None]
    assert game is None  # this made-up disk minds case
    (game,) = find(Computer(System.WINDOWS, "C:/People/u", {}, ["K:/Valve"]), tree)
    assert game.launcher is Launcher.STEAM


def test_launchers_name_folders_elsewhere() -> None:
    heroic = "/data/gog/Parkan - Iron Strategy"
    lutris = "/data/prefixes/old/drive_c/Games/Parkan Iron Strategy"
    other = "/data/Parkan II"
    tree = MadeTree(
        *(f"{folder}/Material.lib" for folder in (heroic, lutris, other)),
        texts={
            f"{HOME}/.config/heroic/gog_store/installed.json": f'[{{"install_path": "{heroic}", "x": 1}}, '
            f'{{"install_path": "{other}"}}]',
            f"{HOME}/.config/lutris/games/parkan-iron-strategy-1.yml": "  prefix: /data/prefixes/old\n",
        },
    )
    assert found(System.LINUX, tree) == [(heroic, Launcher.HEROIC), (lutris, Launcher.LUTRIS)]


def test_a_prefix_of_the_environment_is_looked_at() -> None:
    game = "/data/wine/drive_c/Parkan Iron Strategy"
    tree = MadeTree(f"{game}/Material.lib")
    assert found(System.LINUX, tree, WINEPREFIX="/data/wine") == [(game, Launcher.WINE)]
    assert found(System.LINUX, tree, WINEPREFIX="data/wine") == []


def test_the_same_folder_through_a_link_is_one_install() -> None:
    game = f"{HOME}/.local/share/Steam/steamapps/common/Parkan Iron Strategy"
    tree = MadeTree(f"{game}/Material.lib", links={f"{HOME}/.steam/steam": f"{HOME}/.local/share/Steam"})
    assert len(found(System.LINUX, tree)) == 1


def test_a_folder_with_the_name_alone_is_no_install() -> None:
    assert found(System.LINUX, MadeTree(f"{HOME}/GOG Games/Parkan - Iron Strategy/readme.txt")) == []
    assert found(System.LINUX, MadeTree(f"{HOME}/GOG Games/Parkan II/Material.lib")) == []


def test_folders_that_cannot_be_listed_are_passed() -> None:
    game = f"{HOME}/.wine/drive_c/Parkan Iron Strategy"
    tree = MadeTree(f"{game}/Material.lib", "/media/u/disc/Material.lib")
    tree.denied = {"/", "/players", "/media"}
    assert found(System.LINUX, tree) == [(game, Launcher.WINE)]


class Loop(MadeTree):
    """Every folder holds all names that anybody looks for, without end."""

    def names(self, folder: PurePath) -> Sequence[str]:
        """The same names everywhere."""
        self.listed.append(str(folder))
        return ["Parkan Iron Strategy", "loop", "drive_c", "steamapps", "pfx", "common", "Games"]


@pytest.mark.parametrize("system", System)
def test_the_work_is_limited_whatever_the_folders_are(system: System) -> None:
    tree = Loop()
    assert found(system, tree) == []
    assert len(tree.listed) <= MOST_LISTED
    assert len(tree.listed) == len(set(tree.listed))


@pytest.mark.parametrize(
    ("name", "is_game"),
    [
        ("Parkan Iron Strategy", True),
        ("Parkan - Iron Strategy", True),
        ("PARKAN_IRON-STRATEGY", True),
        ("Parkan: Iron Strategy", True),
        ("Parkan II", False),
        ("Iron", False),
    ],
)
def test_names_of_the_game(name: str, is_game: bool) -> None:
    assert is_game_name(name) is is_game


def test_folders_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the home of the user; on Windows in the folder of programs."""
    game = tmp_path / ("GOG Galaxy/Games" if IS_WINDOWS else "GOG Games") / "Parkan - Iron Strategy"
    game.mkdir(parents=True)
    (game / "Material.lib").write_bytes(b"")
    if not IS_WINDOWS:  # which lets only developers make links
        (tmp_path / "Games").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / ".wine").write_bytes(b"not a folder")
    for name in ("HOME", "ProgramFiles"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("WINEPREFIX", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(installs, "install_locations", _in_folder_of_test)
    assert [(game.folder, game.launcher) for game in find(this_computer(), DiskTree())] == [
        (str(game), Launcher.GOG)
    ]
    tree = DiskTree()
    assert (tree.text(tmp_path), tree.text(tmp_path / "none"), tree.names(tmp_path / "none")) == ("", "", ())


def _in_folder_of_test(computer: Computer) -> list[InstallLocation]:
    folder = os.environ["ProgramFiles"]  # noqa: SIM112 as Windows spells it
    return [it for it in install_locations(computer) if it.pattern.startswith(folder)]
