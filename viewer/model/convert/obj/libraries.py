"""The materials of OBJ files: the written ones, with what libraries say of them otherwise, and new ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from viewer.model.convert.beside import Beside
from viewer.model.convert.obj.mtl import ALPHA, PICTURE, MaterialTexts
from viewer.model.convert.obj.pictures import LibraryPictures, file_name
from viewer.model.convert.obj.tags import material_index, material_name, plain, without_index
from viewer.model.convert.scene import NO_FIELDS, ZERO, AlphaMode, Material, Picture, Scene
from viewer.translation import Sentence

_ROUNDED: Final = 1e-5
"""Numbers that differ by less were rounded by a program."""


class Library:
    """The materials of a frame, and after them those that a file adds.

    Parameters
    ----------
    frame
        The scene that was written. Without textures, but with pictures, it says only what the model has; then
        a material without one has lost it if the libraries name others.
    beside
        Gives the libraries and pictures.
    """

    def __init__(self, frame: Scene, beside: Beside) -> None:
        self._frame = frame
        self._beside = beside
        self._texts = MaterialTexts()
        self._pictures = LibraryPictures(frame.pictures, beside)
        self._losses: list[str] = []
        self._materials = [*frame.materials]
        self._known: dict[str, int] = {}
        self._owners: dict[int, str] = {}
        self._by_name: dict[str, int] = {}
        for index, material in enumerate(frame.materials):
            self._by_name.setdefault(plain(material.name), index)
        self.has_textures = frame.options.has_textures
        """Whether a material without a picture has none; else nothing is said of it."""

    @property
    def losses(self) -> list[str]:
        """What could not be read."""
        return [*self._texts.losses, *self._pictures.losses, *self._losses]

    @property
    def notes(self) -> list[str]:
        """What the user should know of it."""
        words = "{count} images are not in the folder of the file and are not compared"
        count = len(self._pictures.missing)
        return [Sentence(words, count=count)] if count else []

    def read(self, names: Iterable[str], used: Collection[str | None]) -> None:
        """Read what the libraries say of the materials that are used, in the order in which they are."""
        self._texts.read(names, used, self._beside)
        for name in used:
            base = None if name is None else self._base(name)
            if name is not None and base is not None:
                is_first = base not in self._owners
                if is_first or name == material_name(self._frame.materials[base].name, base):
                    self._owners[base] = name
                if self._frame.pictures and PICTURE in self._texts.of(name):
                    self.has_textures = True

    def index(self, name: str | None) -> int | None:
        """The index of a material by its name in the file; None for none."""
        if name is None:
            return None
        if name not in self._known:
            self._known[name] = self._placed(name)
        return self._known[name]

    def made(self) -> tuple[tuple[Material, ...], tuple[Picture, ...]]:
        """All materials and pictures."""
        return tuple(self._materials), tuple(self._pictures.found)

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
        if owner is not None and not is_renamed and _is_alike(edited, self._materials[owner]):
            return owner
        title = title if is_renamed else known.name
        return self._added(replace(edited, name=title + end, row=None, fields=NO_FIELDS))

    def _added(self, material: Material) -> int:
        self._materials.append(material)
        return len(self._materials) - 1

    def _made(self, name: str) -> Material:
        """A material of another program."""
        said, texts = self._texts.of(name), self._texts
        opacity = texts.opacity(name)
        self._note_mask(name)
        alpha = AlphaMode.BLENDED if opacity < 1 or ALPHA in said else AlphaMode.OPAQUE
        return Material(
            name,
            color=(*texts.color(name, "Kd", "1 1 1"), opacity),
            glow=texts.color(name, "Ke", "0 0 0"),
            alpha=alpha,
            is_unlit=texts.is_unlit(name, was=False),
            picture=self._pictures.index(said.get(PICTURE, "")),
        )

    def _edited(self, known: Material, name: str) -> Material:
        """A material of the frame with what the file says otherwise than it was written."""
        said, texts, found = self._texts.of(name), self._texts, known
        if "Kd" in said and _differs(color := texts.color(name, "Kd", "1 1 1"), found.color[:3]):
            found = replace(found, color=(*color, found.color[3]))
        if "Ke" in said and _differs(glow := texts.color(name, "Ke", "0 0 0"), found.glow):
            found = replace(found, glow=glow)
        if said.keys() & {"d", "Tr"} and _differs([opacity := texts.opacity(name)], found.color[3:]):
            alpha = AlphaMode.BLENDED if found.alpha is AlphaMode.OPAQUE else found.alpha
            found = replace(found, color=(*found.color[:3], opacity), alpha=alpha)
        found = replace(found, alpha=self._alpha(known, found.alpha, name))
        is_unlit = texts.is_unlit(name, was=known.is_unlit)
        glow = ZERO if is_unlit and "Ke" not in said else found.glow
        return replace(found, is_unlit=is_unlit, glow=glow, picture=self._picture(known, name))

    def _alpha(self, known: Material, alpha: AlphaMode, name: str) -> AlphaMode:
        """What alpha does to a material of the frame, whose image was written as its mask if alpha counted.

        Parameters
        ----------
        alpha
            What its opacity says of it.
        """
        said = self._texts.of(name)
        self._note_mask(name)
        if ALPHA in said:
            return AlphaMode.BLENDED if alpha is AlphaMode.OPAQUE else alpha
        if known.alpha is AlphaMode.OPAQUE or known.picture is None or PICTURE not in said:
            return alpha
        if self._texts.opacity(name) == 1:
            return AlphaMode.OPAQUE
        self._losses.append(Sentence("material {name}: its image keeps its alpha without map_d", name=name))
        return alpha

    def _note_mask(self, name: str) -> None:
        """Name a mask that is not the image of the color, whose alpha is the only one that the game has."""
        said = self._texts.of(name)
        if ALPHA in said and file_name(said[ALPHA]) != file_name(said.get(PICTURE, "")):
            words = "material {name}: map_d is left out, as it is not the image of map_Kd"
            self._losses.append(Sentence(words, name=name))

    def _picture(self, known: Material, name: str) -> int | None:
        """The picture of a material of the frame; that which it had if the file does not say it."""
        said = self._texts.of(name)
        if PICTURE in said:
            found = self._pictures.index(said[PICTURE])
            return known.picture if found is None else found
        return None if said and self.has_textures else known.picture


def _is_alike(one: Material, other: Material) -> bool:
    """Whether two materials look the same, whatever their names are."""
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("color", "glow", "alpha", "is_unlit", "picture")
    )


def _differs(said: Sequence[float], known: Sequence[float]) -> bool:
    """Whether numbers are others than those that were written, which are at most 1 and may be rounded."""
    return any(abs(one - min(other, 1.0)) > _ROUNDED for one, other in zip(said, known, strict=True))
