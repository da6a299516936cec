"""The pictures that material libraries name, and which of them are those that were written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from viewer.errors import AddressError, MshviewError
from viewer.model.convert import images, jpeg
from viewer.model.convert.beside import Beside
from viewer.model.convert.obj.lines import without_comment
from viewer.model.convert.obj.tags import picture_tag
from viewer.model.convert.scene import Picture
from viewer.translation import Sentence

_OPTIONS: Final = {"-blendu": 1, "-blendv": 1, "-boost": 1, "-mm": 2, "-o": 3, "-s": 3, "-t": 3, "-texres": 1,
                   "-clamp": 1, "-bm": 1, "-imfchan": 1, "-type": 1, "-cc": 1}  # fmt: skip
"""Options of a picture, and the most words that follow them."""
_VECTOR: Final = 3
"""Words of an option that has one to three numbers."""
_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".tga", ".webp")


class LibraryPictures:
    """The pictures of a frame with the pixels that their files have now, and after them other pictures.

    Parameters
    ----------
    written
        The pictures of the frame.
    beside
        Gives the files.

    Attributes
    ----------
    found
        All pictures.
    losses
        What could not be read.
    missing
        The files of pictures of the frame that are not there, so that nobody knows what they show.
    """

    def __init__(self, written: Sequence[Picture], beside: Beside) -> None:
        self._beside = beside
        self._written = {picture_tag(index, it.name): index for index, it in enumerate(written)}
        self._numbers: dict[str, int | None] = {}
        self._read_now: set[int] = set()
        self._budget = images.PixelBudget()
        self.found = [*written]
        self.losses: list[str] = []
        self.missing: list[str] = []

    def index(self, words: str) -> int | None:
        """The index of the picture of a statement, which several may have; None if it cannot be read."""
        name = file_name(words)
        if name and name not in self._numbers:
            self._numbers[name] = self._read(name)
        return self._numbers.get(name)

    def _read(self, name: str) -> int | None:
        written = self._written_index(name)
        try:
            data = self._bytes(name)
            pixels = self._budget.read(data, images.FOREIGN)
        except MshviewError as error:
            if written is not None and isinstance(error, AddressError):
                self.missing.append(name)
            else:
                words = "{file}: {reason}"
                self.losses.append(Sentence(words, file=name, reason=Sentence.of(error.message)))
            return written
        title = _last(name) if written is None else self.found[written].name
        picture = Picture(title, np.ascontiguousarray(pixels), jpeg.compression_of(data))
        if written is None or written in self._read_now:
            self.found.append(picture)
            return len(self.found) - 1
        self._read_now.add(written)
        self.found[written] = picture
        return written

    def _written_index(self, name: str) -> int | None:
        """The index of the picture that was written under a name, which may have another suffix now."""
        stem = _last(name).strip('"').replace(" ", "_")
        suffix = next((it for it in _SUFFIXES if stem.lower().endswith(it)), "")
        stem = stem[: len(stem) - len(suffix)]
        ends = (stem[at:] for at, letter in enumerate(stem) if letter == "_")
        return next((self._written[it] for it in ends if it in self._written), None)

    def _bytes(self, name: str) -> bytes:
        """The file of a picture as programs look for it: by its path, then without underscores or folders."""
        plain = name.replace("\\", "/").strip('"')
        for spelling in dict.fromkeys((plain, plain.replace("_", " "), plain.rpartition("/")[2])):
            try:
                return self._beside(spelling)
            except MshviewError:
                continue
        return self._beside(plain)


def file_name(words: str) -> str:
    """The name after the options of a picture."""
    name = words if words.lower().endswith(_SUFFIXES) else without_comment(words)
    left = name.split()
    while left and left[0] in _OPTIONS:
        option, *left = left
        most = _OPTIONS[option]
        if most == _VECTOR:
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
