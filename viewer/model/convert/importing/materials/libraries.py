"""The changes of a file's materials to the libraries of the game folder.

A material of the model that looks different in the file changes in its library, with its texture; one that
the library does not have, a new one or one for which the game shows its default material, is added. An image
under the name of its texture replaces that texture; one of another name is another texture.

Source: spec/materials.md 4, spec/field-notes.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct

from viewer.formats import mat0
from viewer.formats.mat0 import MaterialRecord
from viewer.formats.text import decode, encode, fold
from viewer.model.convert.building import wear_rows
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.importing.materials.rows import (
    HALF_STEP,
    Appearance,
    Aspect,
    EditedMaterial,
    WearChanges,
    differs_from,
    edited_materials,
    is_unlike,
)
from viewer.model.convert.pictures.images import is_same_image
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_images import SceneImage
from viewer.model.edit.archive.entries import AddEntry, ReplaceEntry
from viewer.model.edit.change import Change
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.material.lookup import MAT0, TEXM, GameLibrary, MaterialLookup
from viewer.model.material.materials import FoundIn, TextureRef
from viewer.model.sky.light import SCENE
from viewer.model.store.address import SEPARATOR, Address
from viewer.translation import Text, _

_NOT_TAKEN: Final = (Aspect.PART, Aspect.ALPHA, Aspect.LIGHTMAP)
"""The aspects that are not taken over: texture coordinates, batch flags and the wear table decide too."""
_BLACK: Final = (0, 0, 0)


class LibraryChange(Struct, frozen=True):
    """A change of a library that the materials of a file require.

    Attributes
    ----------
    address
        The library, or an entry of it.
    change
        The change.
    loss
        What is lost without it.
    """

    address: Address
    change: Change
    loss: str

    @property
    def item(self) -> str:
        """The entry that is changed or added, under which the change is declined: ``Material.lib::STEEL``."""
        change = self.change
        added = (change.name,) if isinstance(change, AddEntry) else ()
        return SEPARATOR.join((self.address.path.name, *self.address.entries, *added))


def library_changes(comparison: Comparison, wear: WearChanges) -> tuple[LibraryChange, ...]:
    """The changes of libraries, in order; what they cannot hold is among the findings."""
    template, given, findings = comparison.source, comparison.given, comparison.findings
    known = [] if template.materials is None else [*edited_materials(comparison, wear)]
    if given.origin is None and not given.images and any(it.before.image for it in known):
        findings.note("the file has no images; those of its materials are not compared")
    if template.libraries is None:
        _lose_edits(given, known, findings)
        return ()
    changes = _LibraryChanges(template.libraries, findings, has_images=bool(given.images))
    changes.edit(known)
    for material, row in zip(given.materials, wear.rows, strict=True):
        if row in wear.names:
            changes.add_material(wear.names[row], Appearance.of(material, given.images))
    return tuple(changes.found)


def _lose_edits(given: Scene, known: Iterable[EditedMaterial], findings: Findings) -> None:
    """Report what differs without a known game folder, of materials that were exported without one too."""
    for it in known:
        if given.materials[it.number].fields.get("found") == str(it.game.found):
            for aspect in sorted(it.aspects):
                findings.lose(_left_out(it.name, aspect))
        elif it.aspects:
            findings.note("no game folder is known: the colors and images of some materials are not compared")


class _LibraryChanges:
    """The changes, each field and texture once.

    Attributes
    ----------
    found
        The changes, in order.
    """

    def __init__(self, libraries: MaterialLookup, findings: Findings, *, has_images: bool) -> None:
        self.found: list[LibraryChange] = []
        self._libraries = libraries
        self._findings = findings
        self._has_images = has_images
        self._values: dict[tuple[Address, str], Any] = {}
        self._materials: set[bytes] = set()
        self._textures: dict[bytes, SceneImage] = {}
        self._unchanged: set[Address] = set()

    def edit(self, materials: Sequence[EditedMaterial]) -> None:
        """Take over what differs; of a material and its copies the original counts."""
        self._unchanged = {
            it.texture.address for it in materials if it.texture and Aspect.IMAGE not in it.aspects
        }
        # By the object of the game's material: several materials of a file may show one entry.
        first: dict[int, EditedMaterial] = {}
        # False sorts before True: originals before their copies, and sorting is stable, so in the order of
        # the file.
        for it in sorted(materials, key=lambda it: it.is_copy):
            original = first.setdefault(id(it.game), it)
            if original is it:
                self._edit(it)
            elif it.aspects != original.aspects or (it.aspects and is_unlike(original.after, it.after)):
                words = "material {name} looks unlike {original}, whose row it has; give it a name of its own"
                self._findings.lose(words, name=it.name, original=original.name)

    def _edit(self, it: EditedMaterial) -> None:
        for aspect in _NOT_TAKEN:
            if aspect in it.aspects:
                self._lose(it.name, aspect)
        taken = it.aspects.difference(_NOT_TAKEN)
        if not taken:
            return
        stored, game = it.game.stored, it.game
        if game.found is not FoundIn.NAME and game.name is not None:
            self.add_material(game.name, it.after)
        elif stored is None or game.entry is None or it.phase >= len(stored.phases):
            self._findings.lose("material {name} cannot be changed: it has no phase", name=it.name)
        else:
            for field, value, aspect in self._fields(it, stored.phases[it.phase]["ambient"].tolist(), taken):
                if not _is_stored(stored, it.phase, field, value):
                    self._set_field(it, game.entry, field, value, aspect)
            if len(game.phases) > 1:
                words = "material {name}: phase {phase} of {count} changes, the one that is shown first"
                note = _(words, name=it.name, phase=it.phase, count=len(game.phases))
                self._findings.note(note)

    def _lose(self, name: str, aspect: Aspect) -> None:
        self._findings.lose(_left_out(name, aspect))

    def _fields(
        self, it: EditedMaterial, ambient: Sequence[int], taken: frozenset[Aspect]
    ) -> Iterator[tuple[str, Any, Aspect]]:
        """The fields of the phase that change, and their values."""
        material = it.after.material
        if Aspect.LIGHTING in taken:
            yield from self._lighting(it, ambient)
        elif Aspect.COLOR in taken and material.is_unlit:
            yield "ambient", self._own_light(it, ambient), Aspect.COLOR
        elif Aspect.COLOR in taken:
            yield "diffuse", self._diffuse(it), Aspect.COLOR
        if Aspect.OPACITY in taken:
            yield "ambient_alpha", round(100 * material.color[3]), Aspect.OPACITY
        if Aspect.EMISSION in taken and (material.is_unlit or it.game.is_lightmapped):
            self._lose(it.name, Aspect.EMISSION)
        elif Aspect.EMISSION in taken and Aspect.LIGHTING not in taken:
            yield "ambient", wear_rows.color_bytes(material.emissive), Aspect.EMISSION
        if Aspect.IMAGE in taken:
            texture = self._texture_of(it)
            if texture is not None:
                yield "texture", decode(texture), Aspect.IMAGE

    def _lighting(self, it: EditedMaterial, ambient: Sequence[int]) -> Iterator[tuple[str, Any, Aspect]]:
        """The light of a material that is unlit from now on, or no longer.

        The game has no switch for it: without diffuse light a material shows only its own.
        """
        material = it.after.material
        if it.game.is_lightmapped:
            for aspect in sorted(it.aspects & {Aspect.LIGHTING, Aspect.EMISSION}):
                self._lose(it.name, aspect)
        elif material.is_unlit:
            yield "diffuse", _BLACK, Aspect.LIGHTING
            yield "ambient", self._own_light(it, ambient), Aspect.LIGHTING
        else:
            yield "diffuse", self._diffuse(it), Aspect.LIGHTING
            yield "ambient", wear_rows.color_bytes(material.emissive), Aspect.LIGHTING

    def _diffuse(self, it: EditedMaterial) -> tuple[int, int, int]:
        """The stored color of a lit material."""
        material = it.after.material
        if it.game.is_lightmapped:
            return wear_rows.color_bytes(material.color[:3])
        return wear_rows.diffuse_of(material, self._findings.losses)

    def _own_light(self, it: EditedMaterial, before: Sequence[int]) -> tuple[int, ...]:
        """The stored light of an unlit material, which is never darker than the scene."""
        shown = it.after.material.color[:3]
        if min(shown) < SCENE - HALF_STEP:
            self._findings.lose(
                "material {name}: its color is darker than an unlit material can be", name=it.name
            )
        # A file shows the larger of the material's own light and the scene's, so below the scene's nothing is
        # known.
        return _own_light(before, shown)

    def _set_field(self, it: EditedMaterial, entry: Address, field: str, value: Any, aspect: Aspect) -> None:
        """Set a field of the shown phase; materials that show the same entry may have to agree."""
        if self._values.setdefault((entry, field), value) != value:
            self._lose(it.name, aspect)
            return
        change = SetField(mat0.PHASE.name, RowChoice.of(it.phase), field, value)
        self._add(entry, change, _left_out(it.name, aspect))

    def _add(self, address: Address, change: Change, loss: str) -> None:
        found = LibraryChange(address, change, loss)
        if found not in self.found:
            self.found.append(found)

    def _texture_of(self, it: EditedMaterial) -> bytes | None:
        """The name of the texture of a material from now on; None if its own one gets another image."""
        image, own = it.after.image, it.texture
        if image is None:
            return b""
        name = wear_rows.texture_name(image.name)
        # Without what follows the dot: programs drop or change it as if it were a suffix.
        is_own = own is not None and _stem(encode(own.name)) == _stem(name)
        if own is None or not is_own or own.address in self._unchanged:
            return self._texture(name, image, own)
        self._replace_texture(it, own, image)
        return None

    def _replace_texture(self, it: EditedMaterial, own: TextureRef, image: SceneImage) -> None:
        """Put another image into a texture; the rectangles of its parts follow its size."""
        image = wear_rows.storable(SceneImage(own.name, image.pixels), self._findings.losses)
        known = self._textures.setdefault(fold(encode(own.name)), image)
        if known is not image and not is_same_image(known, image):
            self._lose(it.name, Aspect.IMAGE)
            return
        loss = _("texture {name}: its new image is left out", name=own.name)
        entry, pages = own.address, _pages(own, known)
        # Replacing the image alone keeps the Page chunk, whose rectangles are in pixels of the old size.
        if pages and pages != _pages(own, SceneImage(own.name, own.texture.level(0))):
            self._add(entry.parent, ReplaceEntry(entry.name, wear_rows.texture_of(known, pages)), loss)
        else:
            from viewer.model.edit.replace_texture import ReplaceTexture  # noqa: PLC0415 it loads fonts too

            self._add(entry, ReplaceTexture.of(known.pixels), loss)

    def _texture(self, name: bytes, image: SceneImage, own: TextureRef | None = None) -> bytes:
        """The name of a texture with an image: one of the library, or one that is added to it.

        Parameters
        ----------
        own
            The texture in whose place it is used, with rectangles for its parts.
        """
        shelf = self._libraries.textures
        library = changed_library(shelf, self._findings)
        if library is None:
            return b""
        for number in count(1):
            tried = wear_rows.texture_name(decode(name), number)
            known, found = self._textures.get(fold(tried)), self._libraries.texture(tried).texture
            if known is None and found is not None:
                known = SceneImage(found.name, found.texture.level(0))
            if known is None and shelf.find(tried, TEXM) is None:
                break
            if known is not None and is_same_image(known, image):
                return tried
        image = wear_rows.storable(SceneImage(decode(tried), image.pixels), self._findings.losses)
        self._textures[fold(tried)] = image
        loss = _("texture {name} is left out", name=image.name)
        change = AddEntry(image.name, wear_rows.texture_of(image, _pages(own, image)), TEXM)
        self._add(Address(library), change, loss)
        return tried

    def add_material(self, name: str, textured: Appearance) -> None:
        """Add a material with its texture, unless the library has it."""
        raw, shelf = encode(name), self._libraries.materials
        library = changed_library(shelf, self._findings)
        if library is None or fold(raw) in self._materials:
            return
        self._materials.add(fold(raw))
        found = self._libraries.material(raw)
        if found.found is FoundIn.NAME:
            # A doorway shows nothing in a file, whatever its material looks like.
            is_portal = "portal" in textured.material.fields
            if not is_portal and differs_from(self._libraries, found, textured, has_images=self._has_images):
                words = "material {name} looks unlike that in {library}, which is used; give it another name"
                self._findings.lose(words, name=name, library=shelf.name)
            else:
                words = "material {name} is in {library} already and is used as it is there"
                self._findings.note(words, name=name, library=shelf.name)
            return
        texture = (
            b""
            if textured.image is None
            else self._texture(wear_rows.texture_name(textured.image.name), textured.image)
        )
        payload = wear_rows.material_of(textured.material, self._findings.losses, texture)
        loss = _("material {name} is left out: {library} does not have it", name=name, library=shelf.name)
        # attr2 is the version of the payload, attr3 is 0 (spec/materials.md 4).
        change = AddEntry(name, payload, MAT0, wear_rows.attr1_of(textured.material), mat0.VERSION, 0)
        self._add(Address(library), change, loss)


def changed_library(shelf: GameLibrary, findings: Findings) -> Path | None:
    """The file of a library that can be changed; None, and a loss, if there is none."""
    if shelf.archive is None or shelf.path is None:
        findings.lose(shelf.problem or _("{library} is packed", library=shelf.name))
        return None
    return shelf.path


def _left_out(name: str, aspect: Aspect) -> str:
    return _("material {name}: its {aspect} is left out", name=name, aspect=Text.of(aspect.value))


def _is_stored(material: MaterialRecord, phase: int, field: str, value: Any) -> bool:
    """Whether a field of a phase has a value already."""
    if field == "texture":
        return material.texture(phase) == encode(value)
    return bool(np.array_equal(material.phases[phase][field], value))


def _own_light(before: Sequence[int], shown: Sequence[float]) -> tuple[int, ...]:
    """The stored light of an unlit material that shows a color.

    Channels that look as before stay: below the light of the scene they may be anything.
    """
    kept = (
        abs(max(old / 255, SCENE) - value) <= HALF_STEP for old, value in zip(before, shown[:3], strict=True)
    )
    new = wear_rows.color_bytes(shown[:3])  # type: ignore[arg-type]
    return tuple(old if is_kept else it for is_kept, old, it in zip(kept, before, new, strict=True))


def _stem(name: bytes) -> bytes:
    return fold(name.rpartition(b".")[0] or name)


def _pages(own: TextureRef | None, image: SceneImage) -> list[wear_rows.Page]:
    """The rectangles of a texture at the size of another image; none if its material shows all of it."""
    if own is None or own.page is None:
        return []
    (height, width), level = image.pixels.shape[:2], own.texture.levels[0]
    x_scale, y_scale = width / level.width, height / level.height
    return [
        (round(x * x_scale), round(y * y_scale), round(w * x_scale), round(h * y_scale))
        for x, y, w, h in own.texture.pages[["x", "y", "w", "h"]].tolist()
    ]
