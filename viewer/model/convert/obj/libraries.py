"""Material libraries of OBJ files (MTL): colors and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from viewer.errors import FormatError, MshviewError
from viewer.model.convert import png
from viewer.model.convert.obj.statements import without_comment
from viewer.model.convert.scene import AlphaMode, Material, Picture, Scene
from viewer.translation import Sentence

_INDEX: Final = re.compile(r"~m(\d{1,6})")
_OPTIONS: Final = {"-blendu": 1, "-blendv": 1, "-boost": 1, "-mm": 2, "-o": 3, "-s": 3, "-t": 3, "-texres": 1,
                   "-clamp": 1, "-bm": 1, "-imfchan": 1, "-type": 1, "-cc": 1}  # fmt: skip
"""Options of a picture, and the words that follow them."""


def material_index(name: str) -> int | None:
    """The index of a material in the scene that was written; None for one of another program."""
    found = _INDEX.search(name)
    return int(found[1]) if found else None


@dataclass(slots=True)
class Library:
    """The materials of a frame, and after them those that a file adds.

    Attributes
    ----------
    losses
        Libraries and pictures that could not be read.
    """

    frame: Scene
    described: dict[str, dict[str, str]]
    beside: Callable[[str], bytes]
    losses: list[str] = field(default_factory=list)
    _materials: list[Material] = field(default_factory=list)
    _pictures: list[Picture] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, names: Iterable[str], beside: Callable[[str], bytes], frame: Scene) -> Library:
        """Read the libraries that can be read."""
        library = cls(frame, {}, beside)
        library._materials += frame.materials
        library._pictures += frame.pictures
        for name in dict.fromkeys(names):
            try:
                library.described |= dict(_materials(beside(name)))
            except MshviewError as error:
                library.losses.append(
                    Sentence("{file}: {reason}", file=name, reason=Sentence.of(error.message))
                )
        return library

    def index(self, name: str | None) -> int | None:
        """The index of a material by its name in the file; None for none."""
        if name is None:
            return None
        known = material_index(name)
        if known is not None and known < len(self.frame.materials):
            return known
        if name not in self._known:
            self._known[name] = len(self._materials)
            self._materials.append(self._made(name))
        return self._known[name]

    def made(self) -> tuple[tuple[Material, ...], tuple[Picture, ...]]:
        """All materials and pictures."""
        return tuple(self._materials), tuple(self._pictures)

    def _made(self, name: str) -> Material:
        said = self.described.get(name, {})
        try:
            opacity = _number(said.get("d")) if "d" in said else 1 - _number(said.get("Tr", "0"))
            color = (*_color(said.get("Kd", "1 1 1")), opacity)
            material = Material(name, color=color, glow=_color(said.get("Ke", "0 0 0")))
        except ValueError as error:
            raise FormatError(
                Sentence("material {name}: {error}", name=name, error=str(error)), table="mtllib"
            ) from None
        alpha = AlphaMode.BLENDED if opacity < 1 or "map_d" in said else AlphaMode.OPAQUE
        return replace(
            material,
            alpha=alpha,
            is_unlit=said.get("illum", "1").strip() == "0",
            picture=self._picture(said.get("map_Kd", "")),
        )

    def _picture(self, words: str) -> int | None:
        name = _file_name(words)
        if not name:
            return None
        try:
            self._pictures.append(Picture(name, png.read(self.beside(name))))
        except MshviewError as error:
            self.losses.append(Sentence("{file}: {reason}", file=name, reason=Sentence.of(error.message)))
            return None
        return len(self._pictures) - 1


def _materials(data: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    """Name and statements of each material."""
    said: dict[str, str] | None = None
    for line in data.decode("utf-8", "replace").splitlines():
        word, _, rest = line.strip().partition(" ")
        rest = rest if word.startswith("map_") and rest.endswith(".png") else without_comment(rest)
        if word == "newmtl":
            said = {}
            yield rest.strip(), said
        elif word and said is not None:
            said[word] = rest.strip()


def _file_name(words: str) -> str:
    """The name after the options of a picture."""
    left = words.split()
    while left and left[0] in _OPTIONS:
        left = left[1 + _OPTIONS[left[0]] :]
    return " ".join(left) if len(left) < len(words.split()) else words


def _number(text: str | None) -> float:
    value = float(text or "1")
    if not np.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return min(max(value, 0.0), 1.0)


def _color(text: str) -> tuple[float, float, float]:
    values = [_number(word) for word in text.split()]
    red, green, blue = (values * 3)[:3] if len(values) == 1 else values[:3]
    return red, green, blue
