"""The materials of OBJ files: known ones with the changes of libraries (MTL), and new ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.errors import MshviewError
from viewer.model.convert.building.nodes import Losses
from viewer.model.convert.obj.images import LibraryImages, file_name
from viewer.model.convert.obj.objects import material_index, material_name, plain, without_index
from viewer.model.convert.obj.text import CODE_PAGE, blocks, encoding_of
from viewer.model.convert.scene import NO_FIELDS, ZERO, AlphaMode, Scene, SceneMaterial, Vector
from viewer.model.convert.scene_file import Resolver
from viewer.model.convert.scene_images import SceneImage
from viewer.translation import Text, _, ngettext

PICTURE: Final = "map_Kd"
ALPHA: Final = "map_d"
_READ: Final = frozenset({"Kd", "Ke", "d", "Tr", "illum", PICTURE, ALPHA})
_FOREIGN: Final = frozenset(
    {"Ka", "Ns", "Ni", "Tf", "Km", "sharpness", "Pr", "Pm", "Ps", "Pc", "Pcr", "aniso", "anisor"}
)
"""Statements about what a material of the game does not have, which this program does not write."""
_IGNORED: Final = _FOREIGN | {"Ks"}
_WORDS: Final = {word.lower(): word for word in (*_READ, *_IGNORED)}
"""Statements by their small letters: some programs write others."""
_UNLIT: Final = 0
"""The `illum` of a material that shows its color without any light."""
_ROUNDED: Final = 1e-5
"""Numbers that differ by less were rounded by a program."""


class MaterialTexts:
    """The statements of a file's libraries about the materials that are used.

    Attributes
    ----------
    losses
        What could not be read.
    is_utf8
        Whether no library is in the code page of the game.
    """

    def __init__(self) -> None:
        self.is_utf8 = True
        self._said: dict[str, dict[str, str]] = {}
        self._rewritten: set[str] = set()
        self.losses = Losses()

    def read(self, names: Iterable[str], used: Collection[str | None], resolver: Resolver) -> None:
        """Read what the libraries say of the materials that are used; of several values the last counts."""
        lost: Counter[str] = Counter()
        several: dict[tuple[str, str], None] = {}
        for name in dict.fromkeys(names):
            try:
                data = resolver(name.replace("\\", "/"))
                encoding = encoding_of(data)
                self.is_utf8 &= encoding != CODE_PAGE
                for material, word, rest in _statements(data, encoding):
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
                self.losses.add("{file}: {reason}", file=name, reason=Text.of(error.message))
        for material, word in several:
            words = "material {name} has several values of {word}; the last one counts"
            self.losses.add(words, name=material, word=word)
        self._sum_up(lost)

    def _sum_up(self, lost: Counter[str]) -> None:
        for word, count in sorted(lost.items()):
            words = ngettext(
                "{count} statement {word} of materials is left out",
                "{count} statements {word} of materials are left out",
                count,
            )
            self.losses.sentences.append(words.format(count=count, word=word))
        options = sum(said.get(PICTURE, "").startswith("-") for said in self._said.values())
        self.losses.add("options of textures are left out: {count}", options)

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
        # d is opacity, Tr what is left to 1; if a program writes both, d counts.
        if "d" in self.of(name):
            return self.values(name, "d", "1")[-1]
        return 1 - self.values(name, "Tr", "0")[-1]

    def color(self, name: str, word: str, default: str) -> Vector:
        """A color of one or three numbers; a missing one is as the first."""
        values = self.values(name, word, default)
        # One number is gray: 0.5 is 0.5 0.5 0.5.
        red, green, blue = (values + values[:1] * 2)[:3]
        return red, green, blue

    def values(self, name: str, word: str, default: str) -> list[float]:
        """The numbers of a statement, 0 to 1; without numbers the default, and a loss."""
        text = self.of(name).get(word, default)
        try:
            return [_number(it) for it in text.split()] or [_number(it) for it in default.split()]
        except ValueError:
            words = "material {name}: {word} has no numbers: {text}"
            self.losses.add(words, name=name, word=word, text=text[:40])
            return [_number(it) for it in default.split()]


def _statements(data: bytes, encoding: str) -> Iterator[tuple[str, str, str]]:
    """Material, word and rest of each statement."""
    material = ""
    for line in chain.from_iterable(blocks(data, encoding)):
        word, _ignored, rest = line.partition(" ")
        if word.lower() == "newmtl":
            material = rest.strip()
        elif word:
            yield material, _WORDS.get(word.lower(), word), rest.strip()


def _number(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(text)
    # Ke may be above 1 in programs that calculate with brighter lights; the game has bytes.
    return min(max(value, 0.0), 1.0)


class Library:
    """The materials of a frame, and after them those that a file adds.

    Parameters
    ----------
    frame
        The scene that was written. Without textures, but with images, it says only what the model has; then
        a material without one has lost it if the libraries name others.
    resolver
        Gives the libraries and images.
    has_utf8
        Whether the file that names the libraries is not in the code page of the game.
    """

    def __init__(self, frame: Scene, resolver: Resolver, *, has_utf8: bool) -> None:
        self._frame = frame
        self._has_utf8 = has_utf8
        self._resolver = resolver
        self._texts = MaterialTexts()
        self._images = LibraryImages(frame.images, resolver)
        self._losses = Losses()
        self._materials = [*frame.materials]
        self._known: dict[str, int] = {}
        self._owners: dict[int, str] = {}
        self._by_name: dict[str, int] = {}
        for index, material in enumerate(frame.materials):
            self._by_name.setdefault(plain(material.name), index)
        self.has_textures = frame.options.has_textures
        """Whether a material without an image has none; else nothing is said of it."""

    @property
    def losses(self) -> list[str]:
        """The sentences about what could not be read."""
        parts = self._texts.losses, self._images.losses, self._losses
        return [words for it in parts for words in it.sentences]

    @property
    def notes(self) -> list[str]:
        """The sentences that the user should know of the libraries."""
        words = "{count} images are not in the folder of the file and are not compared"
        count = len(self._images.missing)
        notes: list[str] = [_(words, count=count)] if count else []
        if not (self._has_utf8 and self._texts.is_utf8):
            notes.append(_("the text is not UTF-8; it is read as CP1251, the code page of the game"))
        return notes

    def read(self, names: Iterable[str], used: Collection[str | None]) -> None:
        """Read what the libraries say of the materials that are used, in the order in which they are."""
        self._texts.read(names, used, self._resolver)
        for name in used:
            base = None if name is None else self._base(name)
            if name is not None and base is not None:
                is_first = base not in self._owners
                if is_first or name == material_name(self._frame.materials[base].name, base):
                    self._owners[base] = name
                if self._frame.images and PICTURE in self._texts.of(name):
                    self.has_textures = True

    def index(self, name: str | None) -> int | None:
        """The index of a material by its name in the file; None for none."""
        if name is None:
            return None
        if name not in self._known:
            self._known[name] = self._placed(name)
        return self._known[name]

    def made(self) -> tuple[tuple[SceneMaterial, ...], tuple[SceneImage, ...]]:
        """All materials and images."""
        return tuple(self._materials), tuple(self._images.found)

    def _base(self, name: str) -> int | None:
        """The material of the frame that a name in the file is from.

        That of its index, unless only another one has its name: without the JSON file the order may be that
        of another export.
        """
        index = material_index(name)
        if index is None or index >= len(self._frame.materials):
            return None
        title = without_index(name)[0]
        is_own = plain(self._frame.materials[index].name) == title
        return index if is_own else self._by_name.get(title, index)

    def _placed(self, name: str) -> int:
        """The index of a material that was not asked for before."""
        base = self._base(name)
        if base is None:
            return self._added(self._made(name))
        title, end = without_index(name)
        known = self._frame.materials[base]
        edited = self._edited(known, name)
        is_renamed = title not in {plain(known.name), plain(known.name) or "material"}
        if self._owners[base] == name:
            self._materials[base] = replace(edited, name=title) if is_renamed else edited
            return base
        owner = self.index(self._owners[base])
        aspects = ("color", "emissive", "alpha", "is_unlit", "image")
        if owner is not None and not is_renamed:
            first = self._materials[owner]
            if all(getattr(edited, it) == getattr(first, it) for it in aspects):
                return owner
        title = title if is_renamed else known.name
        return self._added(replace(edited, name=title + end, row=None, fields=NO_FIELDS))

    def _added(self, material: SceneMaterial) -> int:
        self._materials.append(material)
        return len(self._materials) - 1

    def _made(self, name: str) -> SceneMaterial:
        """A material of another program."""
        said, texts = self._texts.of(name), self._texts
        opacity = texts.opacity(name)
        self._note_mask(name)
        alpha = AlphaMode.BLENDED if opacity < 1 or ALPHA in said else AlphaMode.OPAQUE
        return SceneMaterial(
            name,
            color=(*texts.color(name, "Kd", "1 1 1"), opacity),
            emissive=texts.color(name, "Ke", "0 0 0"),
            alpha=alpha,
            is_unlit=texts.is_unlit(name, was=False),
            image=self._images.index(said.get(PICTURE, "")),
        )

    def _edited(self, known: SceneMaterial, name: str) -> SceneMaterial:
        """A material of the frame with what the file says otherwise than it was written."""
        said, texts, found = self._texts.of(name), self._texts, known
        if "Kd" in said and _differs(color := texts.color(name, "Kd", "1 1 1"), found.color[:3]):
            found = replace(found, color=(*color, found.color[3]))
        if "Ke" in said and _differs(emissive := texts.color(name, "Ke", "0 0 0"), found.emissive):
            found = replace(found, emissive=emissive)
        if said.keys() & {"d", "Tr"} and _differs([opacity := texts.opacity(name)], found.color[3:]):
            alpha = AlphaMode.BLENDED if found.alpha is AlphaMode.OPAQUE else found.alpha
            found = replace(found, color=(*found.color[:3], opacity), alpha=alpha)
        found = replace(found, alpha=self._alpha(known, found.alpha, name))
        is_unlit = texts.is_unlit(name, was=known.is_unlit)
        emissive = ZERO if is_unlit and "Ke" not in said else found.emissive
        image = None if said and self.has_textures else known.image
        if PICTURE in said:  # one that cannot be read is the one that it had
            given = self._images.index(said[PICTURE])
            image = known.image if given is None else given
        return replace(found, is_unlit=is_unlit, emissive=emissive, image=image)

    def _alpha(self, known: SceneMaterial, alpha: AlphaMode, name: str) -> AlphaMode:
        """The alpha mode of a material of the frame, whose image was written as its mask if alpha counted.

        Parameters
        ----------
        alpha
            What its opacity says of it.
        """
        said = self._texts.of(name)
        self._note_mask(name)
        if ALPHA in said:
            return AlphaMode.BLENDED if alpha is AlphaMode.OPAQUE else alpha
        if known.alpha is AlphaMode.OPAQUE or known.image is None or PICTURE not in said:
            return alpha
        if self._texts.opacity(name) == 1:
            return AlphaMode.OPAQUE
        self._losses.add("material {name}: its image keeps its alpha without map_d", name=name)
        return alpha

    def _note_mask(self, name: str) -> None:
        """Report a mask that is not the image of the color, whose alpha is the only one that the game has."""
        said = self._texts.of(name)
        if ALPHA in said and file_name(said[ALPHA]) != file_name(said.get(PICTURE, "")):
            words = "material {name}: map_d is left out, as it is not the image of map_Kd"
            self._losses.add(words, name=name)


def _differs(said: Sequence[float], known: Sequence[float]) -> bool:
    """Whether numbers are others than those that were written, which are at most 1 and may be rounded."""
    return any(abs(one - min(other, 1.0)) > _ROUNDED for one, other in zip(said, known, strict=True))
