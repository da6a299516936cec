"""The computer that the program runs on, for the search for installs."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePath
from typing import Final

from viewer.model.game import installs
from viewer.model.game.install_spots import Computer, System
from viewer.model.game.installs import MOST_NAMES, Install

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
                return opened.read(LARGEST_TEXT).decode(errors="replace")
        except (OSError, ValueError):
            return ""

    def real(self, folder: PurePath) -> str:
        """The path without links; where case does not matter, in lower case."""
        try:
            return os.path.normcase(os.path.realpath(folder))
        except (OSError, ValueError):
            return str(folder)


def find_installs() -> tuple[Install, ...]:
    """Return the installs of the game on this computer."""
    return installs.find(this_computer(), DiskTree())


def this_computer() -> Computer:
    """What is known of this computer."""
    system = {"win32": System.WINDOWS, "darwin": System.MACOS}.get(sys.platform, System.LINUX)
    return Computer(system, os.path.expanduser("~"), dict(os.environ), _steam())  # noqa: PTH111 never raises


def _steam() -> tuple[str, ...]:
    """The folder of Steam in the registry of Windows, if there is one."""
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 only on Windows

        with suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, r"Software\Valve\Steam") as key:
            return (str(winreg.QueryValueEx(key, "SteamPath")[0]),)
    return ()
