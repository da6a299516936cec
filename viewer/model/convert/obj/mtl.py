"""What material libraries of OBJ files (MTL) say of each material."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

import numpy as np

from viewer.errors import MshviewError
from viewer.model.convert.beside import Beside
from viewer.model.convert.obj.lines import blocks
from viewer.model.convert.scene import Vector
from viewer.translation import Sentence, ngettext

PICTURE: Final = "map_Kd"
ALPHA: Final = "map_d"
_READ: Final = frozenset({"Kd", "Ke", "d", "Tr", "illum", PICTURE, ALPHA})
_FOREIGN: Final = frozenset(
    {"Ka", "Ns", "Ni", "Tf", "Km", "sharpness", "Pr", "Pm", "Ps", "Pc", "Pcr", "aniso", "anisor"}
)
"""Statements about what a material of the game does not have, which this program does not write."""
_IGNORED: Final = _FOREIGN | {"Ks"}
_UNLIT: Final = 0
"""The `illum` of a material that shows its color without any light."""


class MaterialTexts:
    """What the libraries of a file say of the materials that are used.

    Attributes
    ----------
    losses
        What could not be read.
    """

    def __init__(self) -> None:
        self._said: dict[str, dict[str, str]] = {}
        self._rewritten: set[str] = set()
        self.losses: list[str] = []

    def read(self, names: Iterable[str], used: Collection[str | None], beside: Beside) -> None:
        """Read what the libraries say of the materials that are used; of several values the last counts."""
        lost: Counter[str] = Counter()
        several: dict[tuple[str, str], None] = {}
        for name in dict.fromkeys(names):
            try:
                for material, word, rest in _statements(beside(name.replace("\\", "/"))):
                    if material not in used:
                        continue
                    if word in _READ:
                        said = self._said.setdefault(material, {})
                        if said.get(word, rest) != rest:
                            several[material, word] = None
                        said[word] = rest
                    elif word in _FOREIGN:
                        self._rewritten.add(material)
                    elif word not in _IGNORED:
                        lost[word[:20]] += 1
            except MshviewError as error:
                self.losses.append(Sentence("{file}: {reason}", file=name, reason=Sentence.of(error.message)))
        for material, word in several:
            words = "material {name} has several values of {word}; the last one counts"
            self.losses.append(Sentence(words, name=material, word=word))
        self._sum_up(lost)

    def _sum_up(self, lost: Counter[str]) -> None:
        for word, count in sorted(lost.items()):
            words = ngettext(
                "{count} statement {word} of materials is left out",
                "{count} statements {word} of materials are left out",
                count,
            )
            self.losses.append(words.format(count=count, word=word))
        options = sum(said.get(PICTURE, "").startswith("-") for said in self._said.values())
        if options:
            self.losses.append(Sentence("options of textures are left out: {count}", count=options))

    def of(self, name: str) -> Mapping[str, str]:
        """The statements about a material, by their first word; empty if there are none."""
        return self._said.get(name, {})

    def is_unlit(self, name: str, *, was: bool) -> bool:
        """Whether a material shows its color without any light.

        Parameters
        ----------
        was
            Whether it did as it was written. Other programs never write that, so that what they wrote does
            not say that it does no longer.
        """
        if "illum" not in self.of(name):
            return was
        is_unlit = self.values(name, "illum", "1")[0] == _UNLIT
        return is_unlit or (was and name in self._rewritten)

    def opacity(self, name: str) -> float:
        """The opacity of a material."""
        if "d" in self.of(name):
            return self.values(name, "d", "1")[-1]
        return 1 - self.values(name, "Tr", "0")[-1]

    def color(self, name: str, word: str, default: str) -> Vector:
        """A color of one or three numbers; a missing one is as the first."""
        values = self.values(name, word, default)
        red, green, blue = (values + values[:1] * 2)[:3]
        return red, green, blue

    def values(self, name: str, word: str, default: str) -> list[float]:
        """The numbers of a statement, 0 to 1; those of the default, and a loss, if it has none."""
        text = self.of(name).get(word, default)
        try:
            return [_number(it) for it in text.split()] or [_number(it) for it in default.split()]
        except ValueError:
            words = "material {name}: {word} has no numbers: {text}"
            self.losses.append(Sentence(words, name=name, word=word, text=text[:40]))
            return [_number(it) for it in default.split()]


def _statements(data: bytes) -> Iterator[tuple[str, str, str]]:
    """Material, word and rest of each statement."""
    material = ""
    for line in chain.from_iterable(blocks(data)):
        word, _, rest = line.partition(" ")
        if word == "newmtl":
            material = rest.strip()
        elif word:
            yield material, word, rest.strip()


def _number(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(text)
    return min(max(value, 0.0), 1.0)
