"""The images of material libraries: their names after options, and their files next to the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from viewer.errors import AddressError, MshviewError
from viewer.model.convert.building.nodes import Losses
from viewer.model.convert.obj.objects import image_tag
from viewer.model.convert.obj.text import without_comment
from viewer.model.convert.pictures.images import FOREIGN, PixelBudget, compression_of
from viewer.model.convert.scene_file import Resolver
from viewer.model.convert.scene_images import SceneImage
from viewer.translation import Text

_OPTIONS: Final = {"-blendu": 1, "-blendv": 1, "-boost": 1, "-mm": 2, "-o": 3, "-s": 3, "-t": 3, "-texres": 1,
                   "-clamp": 1, "-bm": 1, "-imfchan": 1, "-type": 1, "-cc": 1}  # fmt: skip
"""Options of an image, and the most words that follow them."""
_VECTOR: Final = 3
"""Words of an option that has one to three numbers."""
_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".tga", ".webp")
_DEEPEST: Final = 16
"""Folders of a path on another computer that are left out at most."""


class LibraryImages:
    """The images of a frame with the pixels that their files have now, and after them other images.

    Parameters
    ----------
    written
        The images of the frame.
    resolver
        Gives the files.

    Attributes
    ----------
    found
        All images.
    losses
        What could not be read.
    missing
        The files of images of the frame that are not there, so that it is unknown what they show.
    """

    def __init__(self, written: Sequence[SceneImage], resolver: Resolver) -> None:
        self._resolver = resolver
        self._written = {image_tag(index, it.name): index for index, it in enumerate(written)}
        self._numbers: dict[str, int | None] = {}
        self._read_now: set[int] = set()
        self._budget = PixelBudget()
        self.found = [*written]
        self.losses = Losses()
        self.missing: list[str] = []

    def index(self, words: str) -> int | None:
        """The index of the image of a statement, which several may have; None if it cannot be read."""
        name = file_name(words)
        if name and name not in self._numbers:
            self._numbers[name] = self._read(name)
        return self._numbers.get(name)

    def _read(self, name: str) -> int | None:
        written = self._written_index(name)
        try:
            data = self._bytes(name)
            pixels = self._budget.read(data, FOREIGN)
        except MshviewError as error:
            if written is not None and isinstance(error, AddressError):
                self.missing.append(name)
            else:
                self.losses.add("{file}: {reason}", file=name, reason=Text.of(error.message))
            return written
        title = _last(name) if written is None else self.found[written].name
        image = SceneImage(title, np.ascontiguousarray(pixels), compression_of(data))
        # A second file with the tag of an image that was read already is another image.
        if written is None or written in self._read_now:
            self.found.append(image)
            return len(self.found) - 1
        self._read_now.add(written)
        self.found[written] = image
        return written

    def _written_index(self, name: str) -> int | None:
        """The index of the image that was written under a name, which may have another suffix now."""
        stem = _last(name).strip('"').replace(" ", "_")
        suffix = next((it for it in _SUFFIXES if stem.lower().endswith(it)), "")
        stem = stem[: len(stem) - len(suffix)]
        # Programs put names in front of the tag: "new_tank_3_wood" ends in "_3_wood".
        ends = (stem[at:] for at, letter in enumerate(stem) if letter == "_")
        return next((self._written[it] for it in ends if it in self._written), None)

    def _bytes(self, name: str) -> bytes:
        """The file of an image as programs look for it: by its path, without underscores, or by its end.

        Of a path on another computer the end below the folder counts: `C:/tanks/tex/steel.png` may be
        `tex/steel.png` or `steel.png` here.
        """
        plain = name.replace("\\", "/").strip('"')
        parts = plain.split("/")
        ends = ("/".join(parts[at:]) for at in range(1, min(len(parts), _DEEPEST)))
        for spelling in dict.fromkeys((plain, plain.replace("_", " "), *ends, parts[-1])):
            try:
                return self._resolver(spelling)
            except MshviewError:
                continue
        return self._resolver(plain)


def file_name(words: str) -> str:
    """The name after the options of an image."""
    name = words if words.lower().endswith(_SUFFIXES) else without_comment(words)
    left = name.split()
    while left and left[0] in _OPTIONS:
        option, *left = left
        most = _OPTIONS[option]
        if most == _VECTOR:
            # One to three numbers: in "-s 2 2 wood.png" the first word that is none begins the name.
            most = next((at for at, word in enumerate(left[:most]) if not _is_number(word)), most)
        del left[:most]
    return " ".join(left) if name.startswith("-") else name


def _last(name: str) -> str:
    """The name of a file without its folder."""
    return name.replace("\\", "/").rpartition("/")[2]


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
