"""Conditions of tests that need something that not every system has."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

IS_WINDOWS: Final = os.name == "nt"
needs_links: Final = pytest.mark.skipif(IS_WINDOWS, reason="Windows lets only developers make links")
needs_programs: Final = pytest.mark.skipif(IS_WINDOWS, reason="scripts of a shell are no programs on Windows")
needs_desktop: Final = pytest.mark.skipif(IS_WINDOWS, reason="files of desktops of Linux")
needs_egl: Final = pytest.mark.skipif(IS_WINDOWS, reason="only EGL draws without a display")
needs_any_name: Final = pytest.mark.skipif(IS_WINDOWS, reason="files of Windows take no names of devices")
needs_permissions: Final = pytest.mark.skipif(IS_WINDOWS, reason="files of Windows have no such permissions")


def below(folder: Path, text: object) -> str:
    """What begins with a path in a folder, such as an address, from there on and with ``/`` in it."""
    return str(text).removeprefix(f"{folder}{os.sep}").replace(os.sep, "/")
