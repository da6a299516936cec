"""The program under *Open with* of Windows, for one user: keys of the registry below ``HKEY_CURRENT_USER``.

It is offered for the files of the game, and takes them from no other program.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

CLASSES: Final = r"Software\Classes"
KIND: Final = "mshview.resource"
"""The kind of files that the program opens."""
SUFFIXES: Final = (".msh", ".rlb", ".texm")
"""Suffixes of the files that the program opens, as in ``packaging/share/mime``."""
_ASSOCIATIONS_CHANGED: Final = 0x08000000
"""``SHCNE_ASSOCCHANGED``, at which the file manager reads the keys again."""


def window_command() -> tuple[Path, str]:
    """The program that opens the window, and its arguments; one without a console if there is one."""
    if getattr(sys, "frozen", False):
        return Path(sys.executable), ""
    window = Path(sysconfig.get_path("scripts"), "mshview-window.exe")
    return (window, "") if window.is_file() else (Path(sys.executable), "-m viewer")


def opening_command() -> str:
    """The command that opens a file in the window."""
    program, arguments = window_command()
    return " ".join(filter(None, (f'"{program}"', arguments, '"%1"')))


def values(command: str) -> Mapping[tuple[str, str], str]:
    """All values, by their keys below the classes of the user and their names; that of a key has no name."""
    own = {(KIND, ""): "Parkan: Iron Strategy", (rf"{KIND}\shell\open\command", ""): command}
    return own | {(rf"{suffix}\OpenWithProgids", KIND): "" for suffix in SUFFIXES}


def write() -> int:
    """Write all values, and return their number; raises `OSError`."""
    count = 0
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 Windows only

        for (key, name), value in values(opening_command()).items():
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, rf"{CLASSES}\{key}") as opened:
                winreg.SetValueEx(opened, name, 0, winreg.REG_SZ, value)
            count += 1
        _announce()
    return count


def remove() -> int:
    """Remove the values, the keys left empty by that too, and return their number; raises `OSError`."""
    count = 0
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 Windows only

        user = winreg.HKEY_CURRENT_USER
        for key, name in values(""):
            with suppress(FileNotFoundError):
                with winreg.OpenKey(user, rf"{CLASSES}\{key}", access=winreg.KEY_SET_VALUE) as opened:
                    winreg.DeleteValue(opened, name)
                count += 1
        for key, _ in values(""):
            _remove_if_empty(key)
        _announce()
    return count


def _remove_if_empty(key: str) -> None:
    """Remove a key of the classes of the user, and those around it, up to the first that holds anything."""
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 Windows only

        while key:
            path = rf"{CLASSES}\{key}"
            with suppress(FileNotFoundError):
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, path) as opened:
                    keys, named, _ = winreg.QueryInfoKey(opened)
                if keys or named:  # of other programs: Windows would delete values with their key
                    return
                winreg.DeleteKey(winreg.HKEY_CURRENT_USER, path)
            key = key.rpartition("\\")[0]


def _announce() -> None:
    """Have the file manager read the keys again."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 Windows only

        ctypes.windll.shell32.SHChangeNotify(_ASSOCIATIONS_CHANGED, 0, None, None)
