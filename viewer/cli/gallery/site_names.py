"""The names in a site: of its files, which are safe on every system and on the web, and in its index."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from viewer.model.write.file_names import FileNames

INDEX: Final = "gallery.json"
PAGE: Final = "index.html"
PICTURES: Final = "pictures"
TURNTABLES: Final = "turntables"
MODELS: Final = "models"
EARLIER: Final = "earlier"
FOLDERS: Final = (PICTURES, TURNTABLES, MODELS, EARLIER)
CAMERAS: Final = ("three-quarter", "front", "side", "top")
"""The fixed cameras."""
COUNTS: Final = ("nodes", "triangles", "vertices", "frames", "textures", "materials")
LONGEST: Final = 80
"""Letters of a name, so that it stays valid with what is added, and in folders with long names."""
_UNSAFE: Final = re.compile(r"[^0-9A-Za-z._-]+")
_SUFFIX: Final = re.compile(r"(?i)\.msh$")


class Change(StrEnum):
    """How a model differs from the one in an earlier gallery."""

    NONE = "none"
    NEW = "new"
    PICTURES = "pictures"
    BYTES = "bytes"
    GONE = "gone"


class SiteNames:
    """Gives each model of a site the beginning of its file names, no two of which are equal."""

    def __init__(self) -> None:
        self._names = FileNames()

    def stem(self, name: str, index: int) -> str:
        """The beginning of the names of a model's files: its own name with what is unsafe replaced."""
        safe = _UNSAFE.sub("_", _SUFFIX.sub("", name)).strip("._")[:LONGEST]
        return self._names.add(safe or f"model-{index}", index)

    @staticmethod
    def picture(folder: str, stem: str, camera: str = "") -> str:
        """The name of a picture below the site."""
        return f"{folder}/{stem}{'_' * bool(camera)}{camera}.webp"

    @staticmethod
    def model(stem: str) -> str:
        """The name of a model in the form that a page loads, below the site."""
        return f"{MODELS}/{stem}.js"
