"""The program in the start menu of Windows, for one user: a link, which the system writes itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from viewer.cli.output import PROGRAM

_SHELL_LINK: Final = "{00021401-0000-0000-C000-000000000046}"
_I_SHELL_LINK: Final = "{000214F9-0000-0000-C000-000000000046}"
_I_PERSIST_FILE: Final = "{0000010B-0000-0000-C000-000000000046}"
_IN_PROCESS: Final = 1
"""``CLSCTX_INPROC_SERVER``."""
# Where the methods stand in the tables of `IUnknown`, `IShellLinkW` and `IPersistFile`.
_QUERY, _RELEASE = 0, 2
_SET_DESCRIPTION, _SET_FOLDER, _SET_ARGUMENTS, _SET_ICON, _SET_PATH = 7, 9, 11, 17, 20
_SAVE: Final = 6


def link_path() -> Path:
    """Path of the link."""
    return Path(os.environ["APPDATA"], "Microsoft", "Windows", "Start Menu", "Programs", f"{PROGRAM}.lnk")


def write(program: Path, arguments: str, description: str, icon: Path | None = None) -> None:
    """Write the link to a program, or replace it; raises `OSError`."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 Windows only
        from ctypes import HRESULT, byref, c_int, c_void_p, c_wchar_p  # noqa: PLC0415

        ole = ctypes.OleDLL("ole32")

        def identity(text: str) -> ctypes.Array[ctypes.c_char]:
            made = ctypes.create_string_buffer(16)
            ole.CLSIDFromString(c_wchar_p(text), made)
            return made

        def call(it: c_void_p, method: int, *given: object, returns: type = HRESULT) -> None:
            table = ctypes.cast(it, ctypes.POINTER(ctypes.POINTER(c_void_p))).contents
            kinds = [c_int if isinstance(value, int) else c_wchar_p if isinstance(value, str) else c_void_p
                     for value in given]  # fmt: skip
            ctypes.WINFUNCTYPE(returns, c_void_p, *kinds)(table[method])(it, *given)

        path = link_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        ole.CoInitialize(None)
        link, file = c_void_p(), c_void_p()
        try:
            ole.CoCreateInstance(
                identity(_SHELL_LINK), None, _IN_PROCESS, identity(_I_SHELL_LINK), byref(link)
            )
            call(link, _SET_PATH, str(program))
            call(link, _SET_ARGUMENTS, arguments)
            call(link, _SET_DESCRIPTION, description)
            call(link, _SET_FOLDER, str(Path.home()))
            if icon is not None:
                call(link, _SET_ICON, str(icon), 0)
            call(link, _QUERY, identity(_I_PERSIST_FILE), byref(file))
            call(file, _SAVE, str(path), 1)
        finally:
            for it in (file, link):
                if it:
                    call(it, _RELEASE, returns=ctypes.c_ulong)
            ole.CoUninitialize()


def remove() -> bool:
    """Remove the link; gives whether there was one. Raises `OSError`."""
    try:
        link_path().unlink()
    except FileNotFoundError:
        return False
    return True
