"""The program itself: what it is made of and runs on, its interface at first, and the cost of a frame."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct


class Component(Struct, frozen=True):
    """A package, a font or the program itself.

    Attributes
    ----------
    version
        Empty if it has none of its own.
    license
        As its metadata names it; empty if they do not.
    """

    name: str
    version: str
    license: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.version, f"({self.license})" if self.license else "")))


class ProgramInfo(Struct, frozen=True):
    """The program, what it uses, and the system; nothing of it names a user or a path.

    Attributes
    ----------
    system
        Name and value of Python, the platform and OpenGL.
    shipped, used
        What the program contains, first itself, and the packages that it needs.
    """

    system: tuple[tuple[str, str], ...] = ()
    shipped: tuple[Component, ...] = ()
    used: tuple[Component, ...] = ()

    @property
    def text(self) -> str:
        """The facts as text for a bug report, in English."""
        lines = [f"{self.shipped[0]}"] if self.shipped else []
        lines += [f"{name}: {value}" for name, value in self.system]
        lines += [f"uses {component}" for component in self.used]
        return "\n".join((*lines, ""))


class Theme(StrEnum):
    """The colors of the window; the values are saved."""

    SYSTEM = "system"
    """Light or dark as the desktop is."""
    DARK = "dark"
    LIGHT = "light"
    CONTRAST = "contrast"


CLOSED_AT_FIRST: Final = ("bytes", "cells", "console", "log", "readings", "statistics", "triangles")
"""Ids of the panels that are closed until the user opens them; the status bar leads to the readings."""
SCALES: Final = (0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""The choices for the scale of the interface."""
LEAST_SCALE: Final = SCALES[0]
MOST_SCALE: Final = SCALES[-1]

FONT_SIZE: Final = 15.0
"""Font size of the interface at a scale of 1, pixels,"""
LEAST_FONT: Final = 10.0
MOST_FONT: Final = 24.0
"""and its limits."""
FONT_SUFFIXES: Final = ("ttf", "otf", "ttc")
_FONT_FOLDERS: Final = (
    *("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts"),
    *("/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts"),
    *("$WINDIR/Fonts", "$LOCALAPPDATA/Microsoft/Windows/Fonts"),
)
"""Folders of fonts on Linux, macOS and Windows."""
_OTHER_FACE: Final = re.compile(r"bold|ital|obli|light|thin|cond|black|medium", re.IGNORECASE)


@cache
def system_fonts() -> Mapping[str, str]:
    """The paths of the regular fonts of this computer, by the names of their files, in order."""
    folders = (Path(os.path.expandvars(it)).expanduser() for it in _FONT_FOLDERS)
    found = (it for folder in folders for it in folder.rglob("*") if it.suffix[1:].lower() in FONT_SUFFIXES)
    return {
        it.stem: str(it)
        for it in sorted(found, key=lambda it: it.stem.lower())
        if not _OTHER_FACE.search(it.stem)
    }


def next_scale(scale: float, step: int) -> float:
    """The next larger choice, or with a `step` of -1 the next smaller one; the same at the ends."""
    others = [it for it in SCALES if (it > scale if step > 0 else it < scale)]
    if not others:
        return scale
    return min(others) if step > 0 else max(others)


class FrameStatistics(Struct, frozen=True):
    """Statistics of one frame.

    Attributes
    ----------
    draws, culled
        Draws that were submitted, and those that were not.
    triangles
        Triangles of those that were submitted.
    drawn, total
        How much of a picture that is not whole is drawn so far: triangles, lines and points in all layers.
    is_cancelled
        The rest is not drawn until something changes.
    """

    draws: int = 0
    culled: int = 0
    triangles: int = 0
    drawn: int = 0
    total: int = 0
    is_cancelled: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all of the picture is drawn."""
        return self.drawn >= self.total


class Timing(Struct, frozen=True):
    """Milliseconds on the main thread: the whole last frame, and its posing."""

    frame: float = 0.0
    pose: float = 0.0
