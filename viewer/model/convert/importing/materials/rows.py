"""The materials of a file: their rows of the wear table, and their appearance against that in the game.

A material with the row and name of one of the model is that one; another name is another row: one of the wear
table that has it, or a new one after the last. A material that kept its row under a name that the model does
not know was renamed.

Files say less than the game knows, and programs round: a color is the same within half a step of a byte, an
image if its decoded pixels are. Light that is added is a layer that is blended in a file; a program that
drops what this one wrote about a material returns it as such.

Source: spec/materials.md 2, spec/msh.md 8.1; spec/field-notes.md 4; viewer.model.convert.source.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.text import decode, encode, fold
from viewer.model.convert.building.nodes import unlike
from viewer.model.convert.building.wear_rows import MOST_LETTERS, entry_word, new_words, without_number
from viewer.model.convert.gltf.arrays import (
    Strength,
    layer_color,
    layer_of,
    light_color,
    light_of,
    strength_of,
)
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.importing.nodes.wrapping import ASSIMP
from viewer.model.convert.labels import UniqueNames, is_copy, numbered, plain_name, without_copy
from viewer.model.convert.pictures.images import is_near, is_same_image
from viewer.model.convert.scene import NEW, WHOLE, ZERO, AlphaMode, Scene, SceneMaterial
from viewer.model.convert.scene_images import SceneImage
from viewer.model.convert.source import appearance_of, shown_alone, unresolved
from viewer.model.edit.change import Change
from viewer.model.edit.rows.row_changes import AddRows
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.material.entry import resolve_entry
from viewer.model.material.lookup import FoundMaterial, MaterialLookup
from viewer.model.material.materials import FoundIn, TextureRef
from viewer.model.material.materials import Material as GameMaterial
from viewer.model.material.phases import state_at

TABLE: Final = "materials"


class WearChanges(Struct, frozen=True):
    """The wear rows of the materials of a file, and their changes.

    Attributes
    ----------
    rows
        The wear row of each material of the file, -1 for one that has none.
    changes
        Changes of the wear table.
    names
        The new names that rows get.
    """

    rows: tuple[int, ...]
    changes: tuple[Change, ...]
    names: Mapping[int, str]


def wear_changes(comparison: Comparison, names: Sequence[str] | None) -> WearChanges:
    """The wear rows of the materials of a file.

    Parameters
    ----------
    names
        The materials of the wear table; None if it is not known.
    """
    expected, given, findings = comparison.expected, comparison.given, comparison.findings
    stored = dict(enumerate(names or ()))
    own = {it.row: stored.get(it.row, it.name) for it in expected.materials if it.row is not None}
    # Reversed, so that of equal names the first row counts, and rows of the model before others.
    known = {_folded(name): row for row, name in reversed([*own.items(), *enumerate(names or ())])}
    known = _written(expected, own) | known
    # What a new model calls those that say no row; the others are known by their rows.
    new_names = iter(new_words(it for it in given.materials if it.row is None))
    words = [decode(next(new_names)) if it.row is None else it.name for it in given.materials]
    used = _used(given)
    claimed = {
        _folded(words[at] if it.row is None else own.get(it.row, ""))
        for at, it in enumerate(given.materials)
        if at in used
    }
    known = _numbered(known, claimed) | known
    kept = {it.row for it in given.materials if it.row is not None and _is_own(it, own)}
    rows: list[int] = []
    new: dict[int, str] = {}
    called = {fold(encode(it)): it for it in names or ()}
    changes: list[Change] = []
    count = len(names or ())
    for index, material in enumerate(given.materials):
        row = _row(material, words[index], own, known)
        if row is None and index in used:
            row = material.row if material.row in own else None
            if names is None:
                findings.lose("material {name!r} is left out: no wear table is known", name=material.name)
            elif row is not None and row not in kept:
                new[row] = _word(material, called, findings)
                findings.note("row {row} of the wear table is renamed to {name}", row=row, name=new[row])
                changes.append(SetField(TABLE, RowChoice.of(row), "name", new[row]))
                kept.add(row)
            else:
                row, count = count, count + 1
                new[row] = _word(material, called, findings)
                findings.note("row {row} of the wear table is added: {name}", row=row, name=new[row])
                changes += [AddRows(TABLE), SetField(TABLE, RowChoice.of(row), "name", new[row])]
            known[_folded(material.name)] = NEW if row is None else row
        rows.append(NEW if row is None else row)
    return WearChanges(tuple(rows), tuple(changes), new)


def _written(expected: Scene, own: Mapping[int, str]) -> dict[str, int]:
    """The rows by the names that materials have in a file, where each is there once."""
    names = UniqueNames()
    written = [
        names.add(own.get(-1 if it.row is None else it.row, it.name), numbered("material", at))
        for at, it in enumerate(expected.materials)
    ]
    pairs = zip(written, expected.materials, strict=True)
    return {_folded(name): it.row for name, it in pairs if it.row is not None and it.row in own}


def _numbered(known: Mapping[str, int], claimed: Collection[str]) -> dict[str, int]:
    """The rows that no material of a file names, without the number that a new model gives to taken names."""
    return {without_number(name): row for name, row in known.items() if name not in claimed}


def _used(given: Scene) -> set[int]:
    """The materials of triangles that a node shows."""
    shown = {mesh for node in given.nodes for mesh in node.cells.values()}
    primitives = (it for mesh in shown for it in given.meshes[mesh].primitives)
    return {it.material for it in primitives if it.material is not None}


def _folded(name: str) -> str:
    return name.strip().casefold()


def _is_own(material: SceneMaterial, own: Mapping[int, str]) -> bool:
    """Whether a material has the name that its row has, or one that is given where none is known."""
    if material.row is None or material.row not in own:
        return False
    unknown = numbered("material", material.row)
    if unknown in (own[material.row], without_copy(material.name)):
        return True
    return _folded(own[material.row]) in {_folded(material.name), _folded(without_copy(material.name))}


def _row(material: SceneMaterial, word: str, own: Mapping[int, str], known: Mapping[str, int]) -> int | None:
    """The row of a material that the model or its wear table has; `word` is what a new model calls it."""
    if _is_own(material, own):
        return material.row
    for name in (word, material.name, without_copy(material.name), plain_name(material.name)):
        if _folded(name) in known:
            return known[_folded(name)]
    return None


def _word(material: SceneMaterial, called: dict[bytes, str], findings: Findings) -> str:
    """The name of a material as one word, which it is in a wear table.

    Parameters
    ----------
    called
        The materials of the words that are taken, by the folded words: another material gets a number.
    """
    taken = {it for it, name in called.items() if _folded(name) != _folded(material.name)}
    raw = unlike(taken, entry_word(material), MOST_LETTERS)
    called[fold(raw)], word = material.name, decode(raw)
    if word != material.name:
        findings.lose("material {name} is called {word} in the wear table", name=material.name, word=word)
    return word


HALF_STEP: Final = 0.5 / 255 + 1e-4
"""Colors that differ by less are stored as the same byte; a little more for the rounding of programs."""
# Opacity is stored in hundredths (spec/materials.md 4.2, byte 3).
HALF_PERCENT: Final = 0.005 + 1e-4


class ProgramHabits(Struct, frozen=True):
    """The changes that the program that wrote a file makes to materials that nobody edited.

    Attributes
    ----------
    squares_opacity
        It multiplies the color with the opacity twice, as assimp does with what it read as glTF.
    drops_unlit
        It knows of no materials without lighting, as trimesh.
    """

    squares_opacity: bool = False
    drops_unlit: bool = False

    @classmethod
    def of(cls, given: Scene) -> ProgramHabits:
        """The habits of the program of a file, which keeps nothing of what this one wrote about materials."""
        is_lit = not any(it.is_unlit or it.fields for it in given.materials)
        return cls(given.program.startswith(ASSIMP), is_lit)

    def undone(self, before: SceneMaterial, after: SceneMaterial) -> SceneMaterial:
        """A material of a file as the program was given it, if it was that of the model."""
        is_layer = before.alpha is AlphaMode.ADDED and before.is_unlit
        opacity = layer_color(before.color)[3] if is_layer else before.color[3]
        # 0.5 comes back as 0.25. If that is what it was edited to, nothing tells the two apart.
        if self.squares_opacity and abs(after.color[3] - opacity**2) <= HALF_PERCENT:
            after = replace(after, color=(*after.color[:3], opacity))
        if self.drops_unlit and before.is_unlit and after.emissive == ZERO:
            after = replace(after, is_unlit=True)
        return after


NO_HABITS: Final = ProgramHabits()


class Aspect(StrEnum):
    """A part of the appearance of a material."""

    COLOR = "color"
    OPACITY = "opacity"
    EMISSION = "emission"
    IMAGE = "image"
    PART = "part of the image"
    LIGHTING = "lighting"
    ALPHA = "alpha mode"
    LIGHTMAP = "lightmap"


class Appearance(Struct, frozen=True, eq=False):
    """A material with its images.

    Attributes
    ----------
    material
        Its colors and how it is drawn.
    image, lightmap
        Its images; None without one.
    """

    material: SceneMaterial
    image: SceneImage | None = None
    lightmap: SceneImage | None = None

    @classmethod
    def of(cls, material: SceneMaterial, images: Sequence[SceneImage]) -> Appearance:
        """The appearance of a material of a scene."""
        used = (None if it is None else images[it] for it in (material.image, material.lightmap))
        return cls(material, *used)


class EditedMaterial(Struct, frozen=True, eq=False):
    """A material of a file that shows a material of the model.

    Attributes
    ----------
    number
        Its index in the file.
    game
        The material of the model.
    before, after
        How that looks, and how it looks in the file.
    aspects
        What differs.
    """

    number: int
    game: GameMaterial
    before: Appearance
    after: Appearance
    aspects: frozenset[Aspect]

    @property
    def name(self) -> str:
        """The name of the material in the file."""
        return self.after.material.name

    @property
    def phase(self) -> int:
        """The phase of the material that is shown first."""
        return state_at(self.game, 0.0).phase

    @property
    def texture(self) -> TextureRef | None:
        """The texture of that phase."""
        return self.game.textures[self.phase]

    @property
    def is_copy(self) -> bool:
        """Whether the material is named as a copy."""
        return is_copy(self.name)


def edited_materials(comparison: Comparison, wear: WearChanges) -> Iterator[EditedMaterial]:
    """The materials of a file that show one of the model, whether they differ or not."""
    template, given = comparison.source, comparison.given
    appearance = appearance_of(template, np.ones(len(template.draws.batch), np.bool_), has_images=True)
    known: dict[int, list[tuple[GameMaterial, Appearance]]] = {}
    for game, material in zip(appearance.sources, appearance.materials, strict=True):
        if "portal" not in material.fields:
            known.setdefault(game.row, []).append((game, Appearance.of(material, appearance.images)))
    has_images, habits = given.options.has_textures and bool(given.images), ProgramHabits.of(given)
    for number, (material, row) in enumerate(zip(given.materials, wear.rows, strict=True)):
        after = Appearance.of(material, given.images)
        found = [
            _compared(number, game, before, after, has_images=has_images, habits=habits)
            for game, before in known.get(row, ())
        ]
        if found and "portal" not in material.fields:
            # A row may be shown in several ways, as by batches with and without a lightmap: the likest
            # counts.
            yield min(found, key=lambda it: len(it.aspects))


def _compared(
    number: int,
    game: GameMaterial,
    before: Appearance,
    after: Appearance,
    *,
    has_images: bool,
    habits: ProgramHabits = NO_HABITS,
) -> EditedMaterial:
    after = replace(after, material=habits.undone(before.material, after.material))
    after = _as_light(before, after)
    aspects = {*_differences(before, after)}
    said = after.material.fields
    if after.image is None and "image" not in said and ("found" in said or not has_images):
        aspects -= {Aspect.IMAGE, Aspect.PART, Aspect.LIGHTMAP}
    if said.get("found") == FoundIn.MISSING and game.found is not FoundIn.MISSING:
        # Exported where the game folder was not known: what was written then is no edit now.
        aspects &= {*_differences(Appearance(unresolved(game.row)), after)}
    return EditedMaterial(number, game, before, after, frozenset(aspects))


def differs_from(
    libraries: MaterialLookup, found: FoundMaterial, after: Appearance, *, has_images: bool
) -> frozenset[Aspect]:
    """Aspects in which a readable material of a library differs from one of a file that no model uses.

    Parameters
    ----------
    has_images
        Whether the file has images.
    """
    if found.stored is None:
        return frozenset(Aspect)
    # Exported without images a lightmap is known by its name alone.
    lightmap = after.material.fields.get("lightmap") if after.lightmap is None else after.lightmap.name
    game = replace(
        resolve_entry(found, found.stored, libraries.texture).material,
        found=found.found,
        has_see_through_flag=after.material.alpha.is_see_through,
        lightmap=libraries.lightmap(encode(lightmap)).texture if isinstance(lightmap, str) else None,
    )
    before = Appearance.of(*shown_alone(game))
    return _compared(0, game, before, after, has_images=has_images).aspects


def _as_light(before: Appearance, after: Appearance) -> Appearance:
    """The light that a file shows as a layer."""
    material = after.material
    if before.material.alpha is not AlphaMode.ADDED or material.alpha is not AlphaMode.BLENDED:
        return after
    color = light_color(material.color) if material.is_unlit else material.color
    image, light = after.image, before.image
    if image is not None and light is not None and strength_of(light.pixels) is Strength.COLOR:
        pixels = light.pixels if is_near(image.pixels, layer_of(light.pixels)) else light_of(image.pixels)
        image = SceneImage(image.name, pixels)
    return replace(after, material=replace(material, alpha=AlphaMode.ADDED, color=color), image=image)


def is_unlike(one: Appearance, other: Appearance) -> bool:
    """Whether two appearances differ in anything."""
    return any(True for _ in _differences(one, other))


def _differences(before: Appearance, after: Appearance) -> Iterator[Aspect]:
    old, new = before.material, after.material
    if old.is_unlit != new.is_unlit:
        yield Aspect.LIGHTING
    elif not _is_same(old.color[:3], new.color[:3], HALF_STEP):
        yield Aspect.COLOR
    if old.alpha is not new.alpha:
        yield Aspect.ALPHA
    elif old.alpha is not AlphaMode.OPAQUE and not _is_same(old.color[3:], new.color[3:], HALF_PERCENT):
        yield Aspect.OPACITY
    if not _is_same(ZERO if new.is_unlit else old.emissive, new.emissive, HALF_STEP):
        yield Aspect.EMISSION
    if not _is_same_image(before.image, after.image, has_alpha=old.alpha is not AlphaMode.OPAQUE):
        yield Aspect.IMAGE
    elif before.image is not None and not _is_same(part_of(old), part_of(new), HALF_STEP):
        yield Aspect.PART
    if after.lightmap is not None and not _is_same_image(before.lightmap, after.lightmap, has_alpha=False):
        yield Aspect.LIGHTMAP


def part_of(material: SceneMaterial) -> tuple[float, float, float, float]:
    """The shown part of the image of a material, also if the texture coordinates are in the whole."""
    return material.applied if material.sub_image == WHOLE else material.sub_image


def _is_same(one: Sequence[float], other: Sequence[float], limit: float) -> bool:
    return all(abs(a - b) <= limit for a, b in zip(one, other, strict=True))


def _is_same_image(before: SceneImage | None, after: SceneImage | None, *, has_alpha: bool) -> bool:
    """Whether images show the same; one whose pixels are not in the file may be any."""
    if before is None or after is None:
        return before is after
    return is_same_image(before, after, has_alpha=has_alpha)
