"""What the materials of a new model add to the libraries of a game folder.

A material that a library has under its name with the same appearance is used as it is there, and so is a
texture. What a library has is never changed: another one of the same name gets a number at its end.

Source: spec/materials.md 2, 4; spec/texm.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

from viewer.dataclass import dataclass, replace
from viewer.formats import mat0
from viewer.formats.text import decode, encode, fold
from viewer.model.convert.building import wear_rows
from viewer.model.convert.building.wear_rows import Page
from viewer.model.convert.images import is_same_image
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.importing.library_changes import LibraryChange, changed_library
from viewer.model.convert.importing.materials import Appearance, differs_from
from viewer.model.convert.scene import WHOLE, Scene, SceneMaterial
from viewer.model.convert.scene_images import SceneImage
from viewer.model.edit.entries import AddEntry
from viewer.model.material.lookup import DEFAULT, MAT0, TEXM, GameLibrary, MaterialLookup
from viewer.model.material.materials import TextureRef
from viewer.model.store.address import Address
from viewer.translation import _

_PAGE: Final = ["x", "y", "w", "h"]


@dataclass(frozen=True, slots=True)
class NewMaterials:
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
    return NewMaterials(materials.named, changes, tuple(findings.losses), tuple(findings.notes))


class _Textures:
    """The textures and lightmaps of a scene.

    Attributes
    ----------
    named
        The scene, whose images have the names of their textures.
    added
        Those that the libraries do not have.
    pages
        The rectangles of the texture of an image, by its index.
    """

    def __init__(self, scene: Scene, libraries: MaterialLookup, findings: Findings) -> None:
        self._libraries = libraries
        self._findings = findings
        self._taken: set[bytes] = set()
        self.added: list[LibraryChange] = []
        textures, lightmaps = (
            {getattr(it, kind) for it in scene.materials} for kind in ("image", "lightmap")
        )
        stored = [*map(wear_rows.shrunk, scene.images)]
        self.pages = wear_rows.pages_of(replace(scene, images=tuple(stored)))
        uses = ((libraries.textures, textures), (libraries.lightmaps, lightmaps))
        for number, image in enumerate(scene.images):
            shelves = [shelf for shelf, used in uses if number in used]
            name = self._name(number, image, stored[number], shelves)
            stored[number] = replace(stored[number], name=name)
        self.named = replace(scene, images=tuple(stored))

    def _name(
        self, number: int, image: SceneImage, stored: SceneImage, shelves: Sequence[GameLibrary]
    ) -> str:
        """The name of a texture: the first that is free, or of one that shows the same."""
        plain, is_other = wear_rows.plain_texture_name(image.name), False
        for tail in count(1):
            raw = wear_rows.texture_name(plain, tail)
            other = [it for it in shelves if not self._fits(it, raw, number, stored)]
            if not other and fold(raw) not in self._taken:
                break
            is_other |= bool(other)
        self._taken.add(fold(raw))
        name = decode(raw)
        if is_other:
            words = "texture {name} is called {word}: the library has another one of its name"
            self._findings.note(words, name=image.name, word=name)
        for shelf in shelves:
            if shelf.find(raw, TEXM) is None:
                self._add(shelf, SceneImage(name, image.pixels), self.pages.get(number, []))
            elif shelf is self._libraries.textures and number in self.pages:
                self.pages[number] = self._known_pages(raw)
        return name

    def _found(self, shelf: GameLibrary, name: bytes) -> TextureRef | None:
        """The readable texture of a name."""
        is_texture = shelf is self._libraries.textures
        find = self._libraries.texture if is_texture else self._libraries.lightmap
        return find(name).texture

    def _fits(self, shelf: GameLibrary, name: bytes, number: int, image: SceneImage) -> bool:
        """Whether a name is free in a library, or that of a texture with these pixels and rectangles."""
        if shelf.find(name, TEXM) is None:
            return True
        found = self._found(shelf, name)
        if found is None:
            return False
        is_texture = shelf is self._libraries.textures
        if is_texture and not {*self.pages.get(number, ())} <= {*self._known_pages(name)}:
            return False
        shown = SceneImage(found.name, found.texture.level(0))
        return is_same_image(shown, image)

    def _known_pages(self, name: bytes) -> list[Page]:
        """The rectangles of a texture of the library."""
        found = self._found(self._libraries.textures, name)
        rows = [] if found is None else found.texture.pages[_PAGE].tolist()
        return [(x, y, w, h) for x, y, w, h in rows]

    def _add(self, shelf: GameLibrary, image: SceneImage, pages: list[Page]) -> None:
        stored = wear_rows.storable(image, self._findings.losses)
        rectangles = pages if shelf is self._libraries.textures else []
        change = AddEntry(image.name, wear_rows.texture_of(stored, rectangles), TEXM)
        loss = _("texture {name} is left out", name=image.name)
        self.added += _in(shelf, change, loss, self._findings)


class _Materials:
    """The materials of a scene, whose images have the names of their textures.

    Attributes
    ----------
    named
        The scene, whose materials have the names that they get in the library.
    added
        Those that the library does not have.
    """

    def __init__(self, textures: _Textures, libraries: MaterialLookup, findings: Findings) -> None:
        self._scene = scene = textures.named
        self._pages = textures.pages
        self._libraries = libraries
        self._findings = findings
        self.added: list[LibraryChange] = []
        wear = wear_rows.wear_rows(scene)
        # Reversed, as of several with one key the last one written stays, which is then the first.
        of_row = dict(zip(reversed(wear.rows), reversed(scene.materials), strict=True))
        self._taken = {fold(name) for name in wear.names}
        names = {row: self._name(wear.names[row], material) for row, material in sorted(of_row.items())}
        self.named = replace(
            scene,
            materials=tuple(
                replace(it, name=decode(names[row]))
                for it, row in zip(scene.materials, wear.rows, strict=True)
            ),
        )
        shelf = libraries.materials
        if DEFAULT in wear.names and shelf.archive is not None and not shelf.archive.entries:
            self._add(DEFAULT, *self._stored(SceneMaterial(""), []))
        for it, row in zip(scene.materials, wear.rows, strict=True):
            self._tell(it.name, wear.names[row], names[row])

    def _stored(self, material: SceneMaterial, losses: list[str]) -> tuple[bytes, int]:
        """The payload and the flags of a material."""
        texture, page = b"", -1
        if material.image is not None:
            image = self._scene.images[material.image]
            texture = encode(image.name)
            if material.sub_image != WHOLE:
                page = self._pages[material.image].index(wear_rows.page_of(material, image))
        return wear_rows.material_of(material, losses, texture, page), wear_rows.attr1_of(material)

    def _name(self, plain: bytes, material: SceneMaterial) -> bytes:
        """The name of a material: the first that is free, or that of one with the same appearance."""
        losses: list[str] = []
        payload, attr1 = self._stored(material, losses)
        name = plain
        while self._libraries.materials.find(name, MAT0) is not None:
            if self._is_same(name, material, payload, attr1):
                return name
            self._taken.add(fold(name))
            name = wear_rows.unlike(self._taken, plain)
        self._taken.add(fold(name))
        self._findings.losses += (it for it in losses if it not in self._findings.losses)
        self._add(name, payload, attr1)
        return name

    def _is_same(self, name: bytes, material: SceneMaterial, payload: bytes, attr1: int) -> bool:
        """Whether the library has the same bytes under a name, or something with the same appearance."""
        found = self._libraries.material(name)
        if found.stored is None:
            return False
        if found.attr1 == attr1 and mat0.encode(found.stored) == payload:
            return True
        images = self._scene.images
        return not differs_from(
            self._libraries, found, Appearance.of(material, images), has_images=bool(images)
        )

    def _add(self, name: bytes, payload: bytes, attr1: int) -> None:
        shelf, text = self._libraries.materials, decode(name)
        loss = _("material {name} is left out: {library} does not have it", name=text, library=shelf.name)
        change = AddEntry(text, payload, MAT0, attr1, mat0.VERSION, 0)
        self.added += _in(shelf, change, loss, self._findings)

    def _tell(self, name: str, plain: bytes, word: bytes) -> None:
        """Say that a material has another name in the game."""
        if word != plain:
            words = "material {name} is called {word}: {library} has one of its name that looks unlike it"
            shelf = self._libraries.materials.name
            self._findings.lose(words, name=name, word=decode(word), library=shelf)
        elif decode(word) != name:
            self._findings.lose(
                "material {name} is called {word} in the wear table", name=name, word=decode(word)
            )


def _in(shelf: GameLibrary, change: AddEntry, loss: str, findings: Findings) -> Iterator[LibraryChange]:
    """Yield a change of a library, unless that cannot be changed, which is said."""
    path = changed_library(shelf, findings)
    if path is not None:
        yield LibraryChange(Address(path), change, loss)
