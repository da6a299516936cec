"""The additions of a new model's materials to the libraries of a game folder.

A material that a library has under its name with the same appearance is used as it is there, and so is a
texture. What a library has is never changed: another one of the same name gets a number at its end.

Source: spec/materials.md 2, 4; spec/texm.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.formats import mat0
from viewer.formats.text import decode, encode, fold
from viewer.model.convert.building import wear_rows
from viewer.model.convert.building.nodes import unlike
from viewer.model.convert.building.wear_rows import Page
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.importing.materials.libraries import LibraryChange, changed_library
from viewer.model.convert.importing.materials.rows import Appearance, differs_from
from viewer.model.convert.labels import plain_name
from viewer.model.convert.pictures.images import is_same_image
from viewer.model.convert.scene import WHOLE, Scene, SceneMaterial
from viewer.model.convert.scene_images import SceneImage
from viewer.model.edit.archive.entries import AddEntry
from viewer.model.material.lookup import DEFAULT, MAT0, TEXM, GameLibrary, MaterialLookup
from viewer.model.material.materials import FoundIn
from viewer.model.store.address import Address
from viewer.translation import _

_PAGE: Final = ["x", "y", "w", "h"]


class NewMaterials(Struct, frozen=True):
    """The materials of a new model, and what they add to libraries.

    Attributes
    ----------
    scene
        The scene, whose materials and images have the names that they get in the game.
    changes
        The added entries, textures first.
    losses, notes
        What the libraries and the wear table cannot hold, and what the user should know.
    """

    scene: Scene
    changes: tuple[LibraryChange, ...] = ()
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def new_materials(scene: Scene, libraries: MaterialLookup) -> NewMaterials:
    """The names and the library entries of the materials of a new model."""
    findings = Findings()
    textures = _Textures(scene, libraries, findings)
    materials = _Materials(textures, libraries, findings)
    changes = (*textures.added, *materials.added)
    named = replace(scene, materials=materials.named, images=tuple(textures.images))
    return NewMaterials(named, changes, tuple(findings.losses), tuple(findings.notes))


class _Textures:
    """The images of a scene, which get the names of textures as they are used.

    Attributes
    ----------
    images
        The images, no larger than a texture can be; those that are used have the names of their textures.
    added
        Textures and lightmaps that the libraries do not have.
    pages
        The rectangles of the texture of an image, by its index.
    """

    def __init__(self, scene: Scene, libraries: MaterialLookup, findings: Findings) -> None:
        self.scene = scene
        self.images = [*map(wear_rows.shrunk, scene.images)]
        self.added: list[LibraryChange] = []
        self.pages = wear_rows.pages_of(replace(scene, images=tuple(self.images)))
        self._libraries = libraries
        self._findings = findings
        self._names: dict[int, bytes] = {}
        # Lightmaps first: an image that is a lightmap and a texture is named by both libraries, and the
        # texture, which materials name, has the last word.
        for number in sorted({it.lightmap for it in scene.materials if it.lightmap is not None}):
            self._use(number, libraries.lightmaps)
        self._lightmaps = {*self._names}

    def use(self, number: int) -> bytes:
        """The name of the texture of an image, which is added if the library does not have it."""
        if number not in self._names or number in self._lightmaps:
            self._use(number, self._libraries.textures)
            self._lightmaps -= {number}
        return self._names[number]

    def _use(self, number: int, shelf: GameLibrary) -> None:
        """Name an image: the first name that is free in a library, or that of the same texture."""
        image, plain = self.scene.images[number], wear_rows.plain_texture_name(self.images[number].name)
        taken = {fold(name) for other, name in self._names.items() if other != number}
        is_other = False
        # Ends, as a library has a finite number of entries and each tail gives another name.
        for tail in count(1):
            raw = wear_rows.texture_name(plain, tail)
            is_fitting = self._fits(shelf, raw, number)
            if is_fitting and fold(raw) not in taken:
                break
            is_other |= not is_fitting
        self._names[number], name = raw, decode(raw)
        self.images[number] = replace(self.images[number], name=name)
        if is_other:
            words = "texture {name} is called {word}: the library has another one of its name"
            self._findings.note(words, name=image.name, word=name)
        is_texture = shelf is self._libraries.textures
        if shelf.find(raw, TEXM) is None:
            pages = self.pages.get(number, ()) if is_texture else ()
            stored = wear_rows.storable(replace(image, name=name), self._findings.losses)
            change = AddEntry(name, wear_rows.texture_of(stored, pages), TEXM)
            self.added += _in(shelf, change, _("texture {name} is left out", name=name), self._findings)
        elif is_texture and number in self.pages:
            self.pages[number] = self._known_pages(raw)

    def _fits(self, shelf: GameLibrary, name: bytes, number: int) -> bool:
        """Whether a name is free in a library, or its texture has the pixels and rectangles of an image."""
        if shelf.find(name, TEXM) is None:
            return True
        is_texture = shelf is self._libraries.textures
        found = (self._libraries.texture if is_texture else self._libraries.lightmap)(name).texture
        if found is None:
            return False
        if is_texture and not {*self.pages.get(number, ())} <= {*self._known_pages(name)}:
            return False
        return is_same_image(SceneImage(found.name, found.texture.level(0)), self.images[number])

    def _known_pages(self, name: bytes) -> list[Page]:
        """The rectangles of a texture of the library."""
        found = self._libraries.texture(name).texture
        rows = [] if found is None else found.texture.pages[_PAGE].tolist()
        return [(x, y, w, h) for x, y, w, h in rows]


class _Materials:
    """The materials of a scene.

    Attributes
    ----------
    named
        The materials under the names that they get in the library.
    added
        Those that the library does not have.
    """

    def __init__(self, textures: _Textures, libraries: MaterialLookup, findings: Findings) -> None:
        self._textures = textures
        self._libraries = libraries
        self._findings = findings
        self.added: list[LibraryChange] = []
        scene = textures.scene
        wear = wear_rows.wear_rows(scene)
        # Reversed, as of several with one key the last one written stays, which is then the first.
        of_row = dict(zip(reversed(wear.rows), reversed(scene.materials), strict=True))
        self._taken = {fold(name) for name in wear.names}
        names = {row: self._name(wear.names[row], material) for row, material in sorted(of_row.items())}
        rows = [*zip(scene.materials, wear.rows, strict=True)]
        # Materials of one name are one row if they say which; else each gets a name of its own.
        first = dict(zip(reversed([names[row] for _ignored, row in rows]), reversed(wear.rows), strict=True))
        is_shared = [first[names[row]] != row for row in wear.rows]
        shared = {names[row] for row, it in zip(wear.rows, is_shared, strict=True) if it}
        self.named = tuple(
            replace(it, name=decode(names[row]), row=first[names[row]] if names[row] in shared else it.row)
            for it, row in rows
        )
        shelf = libraries.materials
        if DEFAULT in wear.names and shelf.archive is not None and not shelf.archive.entries:
            self._add(DEFAULT, *self._stored(SceneMaterial(""), []))
        for material, row in rows:
            self._tell(material.name, wear.names[row], names[row])

    def _stored(self, material: SceneMaterial, losses: list[str]) -> tuple[bytes, int]:
        """The payload and the flags of a material, whose texture is used from then on."""
        texture, page = b"", -1
        if material.image is not None:
            texture = self._textures.use(material.image)
            if material.sub_image != WHOLE:
                part = wear_rows.page_of(material, self._textures.images[material.image])
                page = self._textures.pages[material.image].index(part)
        return wear_rows.material_of(material, losses, texture, page), wear_rows.attr1_of(material)

    def _name(self, plain: bytes, material: SceneMaterial) -> bytes:
        """The name of a material: the first that is free, or that of one with the same appearance.

        A file has each name once: of ``GRASS~2`` and ``GRASS.001`` the material may be GRASS.
        """
        if self._looks_alike(plain, material):
            return plain
        single = encode(plain_name(decode(plain)))
        if single != plain and self._looks_alike(single, material):
            return single
        losses: list[str] = []
        stored, name = self._stored(material, losses), plain
        while self._libraries.materials.find(name, MAT0) is not None:
            if self._is_stored(name, *stored) or (name != plain and self._looks_alike(name, material)):
                return name
            self._taken.add(fold(name))
            name = unlike(self._taken, plain, wear_rows.MOST_LETTERS)
        self._taken.add(fold(name))
        self._findings.losses += (it for it in losses if it not in self._findings.losses)
        self._add(name, *stored)
        return name

    def _looks_alike(self, name: bytes, material: SceneMaterial) -> bool:
        """Whether the library has a material of a name that looks as one of the scene, or is a doorway."""
        found = self._libraries.material(name)
        if found.found is not FoundIn.NAME:
            return False
        images = self._textures.images
        after = Appearance.of(material, images)
        is_alike = not differs_from(self._libraries, found, after, has_images=bool(images))
        return is_alike or "portal" in material.fields

    def _is_stored(self, name: bytes, payload: bytes, attr1: int) -> bool:
        """Whether the library has a material of a name with these bytes."""
        found = self._libraries.material(name)
        return found.stored is not None and found.attr1 == attr1 and mat0.encode(found.stored) == payload

    def _add(self, name: bytes, payload: bytes, attr1: int) -> None:
        shelf, text = self._libraries.materials, decode(name)
        loss = _("material {name} is left out: {library} does not have it", name=text, library=shelf.name)
        change = AddEntry(text, payload, MAT0, attr1, mat0.VERSION, 0)
        self.added += _in(shelf, change, loss, self._findings)

    def _tell(self, name: str, plain: bytes, word: bytes) -> None:
        """Report a material that has another name in the game."""
        if word == encode(plain_name(decode(plain))) != plain:
            self._findings.note("material {name} is {word} of the library", name=name, word=decode(word))
        elif word != plain:
            words = "material {name} is called {word}: {library} has one of its name that looks unlike it"
            shelf = self._libraries.materials.name
            self._findings.lose(words, name=name, word=decode(word), library=shelf)
        elif decode(word) != name:
            words = "material {name} is called {word} in the wear table"
            self._findings.lose(words, name=name, word=decode(word))


def _in(shelf: GameLibrary, change: AddEntry, loss: str, findings: Findings) -> Iterator[LibraryChange]:
    """A change of a library, unless that cannot be changed, which is said."""
    path = changed_library(shelf, findings)
    if path is not None:
        yield LibraryChange(Address(path), change, loss)
