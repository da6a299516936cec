"""Material libraries of OBJ files (MTL): colors and pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

import numpy as np

from viewer.errors import MshviewError
from viewer.model.convert import images
from viewer.model.convert.obj.lines import blocks, without_comment
from viewer.model.convert.obj.tags import plain
from viewer.model.convert.scene import AlphaMode, Material, Picture, Scene
from viewer.translation import Sentence, ngettext

_INDEX: Final = re.compile(r"~m(\d{1,6})")
_OPTIONS: Final = {"-blendu": 1, "-blendv": 1, "-boost": 1, "-mm": 2, "-o": 3, "-s": 3, "-t": 3, "-texres": 1,
                   "-clamp": 1, "-bm": 1, "-imfchan": 1, "-type": 1, "-cc": 1}  # fmt: skip
"""Options of a picture, and the most words that follow them."""
_ROUNDED: Final = 1e-5
"""Numbers that differ by less were rounded by a program."""
_VECTOR: Final = 3
"""Words of an option that has one to three numbers."""
_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".tga", ".webp")
_READ: Final = frozenset({"Kd", "Ke", "d", "Tr", "illum", "map_Kd", "map_d"})
_IGNORED: Final = frozenset(
    {"Ka", "Ks", "Ns", "Ni", "Tf", "Km", "sharpness", "Pr", "Pm", "Ps", "Pc", "Pcr", "aniso", "anisor"}
)
"""Statements about what a material of the game does not have."""


def material_index(name: str) -> int | None:
    """The index of a material in the scene that was written; None for one of another program."""
    found = _INDEX.search(name)
    return int(found[1]) if found else None


class Library:
    """The materials of a frame, and after them those that a file adds.

    Parameters
    ----------
    beside
        Gives the libraries and pictures.

    Attributes
    ----------
    losses
        What could not be read.
    """

    def __init__(self, frame: Scene, beside: Callable[[str], bytes]) -> None:
        self._frame = frame
        self._beside = beside
        self._described: dict[str, dict[str, str]] = {}
        self._materials = [*frame.materials]
        self._pictures = [*frame.pictures]
        self._known: dict[str, int] = {}
        self._numbers: dict[str, int | None] = {}
        self._budget = images.PixelBudget()
        self.losses: list[str] = []

    def read(self, names: Iterable[str], used: Collection[str | None]) -> None:
        """Read what the libraries say of the materials that are used."""
        lost: Counter[str] = Counter()
        options = 0
        for name in dict.fromkeys(names):
            try:
                for material, word, rest in _statements(self._beside(name.replace("\\", "/"))):
                    if material not in used:
                        continue
                    said = self._described.setdefault(material, {})
                    if word in _READ:
                        said[word] = rest
                        options += word == "map_Kd" and rest.startswith("-")
                    elif word not in _IGNORED:
                        lost[word[:20]] += 1
            except MshviewError as error:
                self._lose(name, Sentence.of(error.message))
        for word, count in sorted(lost.items()):
            words = ngettext(
                "{count} statement {word} of materials is left out",
                "{count} statements {word} of materials are left out",
                count,
            )
            self.losses.append(words.format(count=count, word=word))
        if options:
            self.losses.append(Sentence("options of textures are left out: {count}", count=options))

    def _lose(self, file: str, reason: str) -> None:
        self.losses.append(Sentence("{file}: {reason}", file=file, reason=reason))

    def index(self, name: str | None) -> int | None:
        """The index of a material by its name in the file; None for none."""
        if name is None:
            return None
        known = material_index(name)
        if known is not None and known < len(self._frame.materials):
            if name not in self._known:
                self._known[name] = known
                self._materials[known] = self._edited(known, name)
            return known
        if name not in self._known:
            self._known[name] = len(self._materials)
            self._materials.append(self._made(name))
        return self._known[name]

    def made(self) -> tuple[tuple[Material, ...], tuple[Picture, ...]]:
        """All materials and pictures."""
        return tuple(self._materials), tuple(self._pictures)

    def _made(self, name: str) -> Material:
        said = self._described.get(name, {})
        opacity = self._opacity(name)
        alpha = AlphaMode.BLENDED if opacity < 1 or "map_d" in said else AlphaMode.OPAQUE
        return Material(
            name,
            color=(*_color(self._values(name, "Kd", "1 1 1")), opacity),
            glow=_color(self._values(name, "Ke", "0 0 0")),
            alpha=alpha,
            is_unlit=said.get("illum", "1") == "0",
            picture=self._picture(said.get("map_Kd", "")),
        )

    def _edited(self, index: int, name: str) -> Material:
        """A material of the frame with what the file says otherwise than it was written."""
        said, found = self._described.get(name, {}), self._materials[index]
        if "Kd" in said and _differs(color := _color(self._values(name, "Kd", "1 1 1")), found.color[:3]):
            found = replace(found, color=(*color, found.color[3]))
        if "Ke" in said and _differs(glow := _color(self._values(name, "Ke", "0 0 0")), found.glow):
            found = replace(found, glow=glow)
        if said.keys() & {"d", "Tr"} and _differs([opacity := self._opacity(name)], found.color[3:]):
            alpha = AlphaMode.BLENDED if found.alpha is AlphaMode.OPAQUE else found.alpha
            found = replace(found, color=(*found.color[:3], opacity), alpha=alpha)
        if self._frame.options.has_textures and not self._is_own_picture(said.get("map_Kd", ""), found):
            picture = self._picture(said["map_Kd"])
            found = found if picture is None else replace(found, picture=picture)
        return found

    def _is_own_picture(self, words: str, material: Material) -> bool:
        """Whether a statement names the picture that was written for a material, or none."""
        if material.picture is None or not words:
            return not words
        written = f"_{material.picture}_{plain(self._frame.pictures[material.picture].name)}.png"
        return _file_name(words).strip('"').replace(" ", "_").endswith(written.replace(" ", "_"))

    def _opacity(self, name: str) -> float:
        if "d" in self._described.get(name, {}):
            return self._values(name, "d", "1")[-1]
        return 1 - self._values(name, "Tr", "0")[-1]

    def _values(self, name: str, word: str, default: str) -> list[float]:
        """The numbers of a statement; those of the default, and a loss, if it has none."""
        text = self._described.get(name, {}).get(word, default)
        try:
            return [_number(it) for it in text.split()] or [_number(it) for it in default.split()]
        except ValueError:
            words = "material {name}: {word} has no numbers: {text}"
            self.losses.append(Sentence(words, name=name, word=word, text=text[:40]))
            return [_number(it) for it in default.split()]

    def _picture(self, words: str) -> int | None:
        """The index of the picture of a statement, which several may have; None for none."""
        name = _file_name(words)
        if name and name not in self._numbers:
            self._numbers[name] = self._decoded(name)
        return self._numbers.get(name)

    def _decoded(self, name: str) -> int | None:
        """Decode a picture; None if it cannot be read, which is a loss."""
        try:
            pixels = self._budget.read(self._bytes(name), images.FOREIGN)
        except MshviewError as error:
            self._lose(name, Sentence.of(error.message))
            return None
        self._pictures.append(Picture(name.replace("\\", "/").rpartition("/")[2], pixels))
        return len(self._pictures) - 1

    def _bytes(self, name: str) -> bytes:
        """The file of a picture as programs look for it: by its path, then without underscores or folders."""
        plain = name.replace("\\", "/").strip('"')
        for spelling in dict.fromkeys((plain, plain.replace("_", " "), plain.rpartition("/")[2])):
            try:
                return self._beside(spelling)
            except MshviewError:
                continue
        return self._beside(plain)


def _statements(data: bytes) -> Iterator[tuple[str, str, str]]:
    """Material, word and rest of each statement."""
    material = ""
    for line in chain.from_iterable(blocks(data)):
        word, _, rest = line.partition(" ")
        if word == "newmtl":
            material = rest.strip()
        elif word:
            yield material, word, rest.strip()


def _file_name(words: str) -> str:
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


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _number(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(text)
    return min(max(value, 0.0), 1.0)


def _differs(said: Sequence[float], known: Sequence[float]) -> bool:
    """Whether numbers are others than those that were written, which are at most 1 and may be rounded."""
    return any(abs(one - min(other, 1.0)) > _ROUNDED for one, other in zip(said, known, strict=True))


def _color(values: list[float]) -> tuple[float, float, float]:
    """A color of one or three numbers; a missing one is as the first."""
    red, green, blue = (values + values[:1] * 2)[:3]
    return red, green, blue
