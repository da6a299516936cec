"""The wear table of a scene: a row for each material, and one for batches without any.

Source: spec/materials.md 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.formats import mat0, text, wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NAME_SIZE, NewEntry
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import pixels, texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.convert.building.nodes import Losses, RowPlace, game_text, unlike
from viewer.model.convert.scene import WHOLE, AlphaMode, Color, Scene, SceneMaterial, Vector
from viewer.model.convert.scene_images import SceneImage
from viewer.model.convert.source import shown_light
from viewer.model.game.registry import LIGHTMAPS, MATERIALS
from viewer.model.material.lookup import DEFAULT, MAT0, TEXM
from viewer.model.material.materials import Blend
from viewer.translation import _

NO_ROW: Final = -1
MOST_LETTERS: Final = NAME_SIZE - 1
"""Letters of the name of a library's entry."""
TEXTURE_LETTERS: Final = mat0.NAME_SIZE - 1
"""Letters of the name of a texture in a material."""
MOST_END: Final = 3
"""Letters after its dot that are kept."""
_COPY_NUMBER: Final = re.compile(r"(\.\d{3}|~\d+)$")
"""The end that Blender and export append to a name that is taken."""
_NUMBER: Final = re.compile(r"_\d+$")
"""The end that `unlike` appends to a name that is taken."""
_IMAGE_SUFFIX: Final = re.compile(r"\.(png|jpe?g|bmp|tga|webp|dds|tiff?)$", re.IGNORECASE)


class WearRows(Struct, frozen=True):
    """The rows of a wear table.

    Attributes
    ----------
    names
        Name of the material of each row.
    rows
        Row of each material of the scene.
    default
        Row of batches without a material.
    lightmaps
        Names of the lightmaps.
    losses
        What the table cannot hold.
    """

    names: Sequence[bytes]
    rows: Sequence[int]
    default: int
    lightmaps: Sequence[bytes]
    losses: tuple[str, ...] = ()

    @property
    def text(self) -> bytes:
        """The table as the game reads it."""
        return wear.build(self.names, self.lightmaps)


def wear_rows(scene: Scene) -> WearRows:
    """The rows of a scene's materials: the known ones where they were, then the others in order.

    A row that no material has gets the name of the game's substitute. Raises `FormatError` for a row that
    no table has.
    """
    named: dict[int, bytes] = {}
    rows = [_kept_row(material, named) for material in scene.materials]
    taken = {text.fold(name) for name in named.values()}
    free = (row for row in count() if row not in named)
    for number, material in enumerate(scene.materials):
        if rows[number] == NO_ROW:
            rows[number] = row = next(free)
            named[row] = unlike(taken, entry_word(material), MOST_LETTERS)
            taken.add(text.fold(named[row]))
    default = _default_row(scene, named)
    size = max(named, default=0) + 1
    RowPlace(wear.MATERIALS).limited("number", size - 1, wear.MAX_ROWS - 1)
    names = [named.get(row, DEFAULT) for row in range(size)]
    renamed = (
        it.name and names[row] != game_text(it.name) for it, row in zip(scene.materials, rows, strict=True)
    )
    losses = Losses()
    losses.add("materials whose names the wear table cannot hold: {count}", sum(map(bool, renamed)))
    used = {it.lightmap for it in scene.materials}
    lightmaps = [name for number, name in enumerate(texture_names(scene)) if number in used]
    return WearRows(names, rows, default, lightmaps, tuple(losses.sentences))


def _kept_row(material: SceneMaterial, named: dict[int, bytes]) -> int:
    """The row that a material had, unless another one has it already."""
    row, name = material.row, entry_word(material)
    # Two materials of one row and one name are one row; under another name the second gets its own.
    is_kept = row is not None and row >= 0 and named.setdefault(row, name) == name
    return row if row is not None and is_kept else NO_ROW


def _default_row(scene: Scene, named: dict[int, bytes]) -> int:
    """The row of batches without a material; it is added if there are some."""
    if all(primitive.material is not None for mesh in scene.meshes for primitive in mesh.primitives):
        return 0
    row = next((row for row, name in named.items() if name == DEFAULT), max(named, default=-1) + 1)
    named[row] = DEFAULT
    return row


def new_words(materials: Iterable[SceneMaterial]) -> list[bytes]:
    """The names of materials as words of a wear table, no two alike, as they are in that of a new model."""
    taken: set[bytes] = set()
    words = []
    for material in materials:
        words.append(unlike(taken, entry_word(material), MOST_LETTERS))
        taken.add(text.fold(words[-1]))
    return words


def entry_word(material: SceneMaterial) -> bytes:
    """The name of a material as one word of a wear table."""
    return b"_".join(game_text(material.name).split())[:MOST_LETTERS] or DEFAULT


def without_number(name: str) -> str:
    """A name without the number of `unlike`."""
    return _NUMBER.sub("", name)


def texture_names(scene: Scene) -> list[bytes]:
    """The names of the images as textures: each one word with a dot, no two alike."""
    names: list[bytes] = []
    taken: set[bytes] = set()
    for image in scene.images:
        number = 1
        # By stems: names that differ only behind the dot, which may select a palette (spec/materials.md 3),
        # would be told apart by that alone.
        while text.fold(texture_name(image.name, number).rpartition(b".")[0]) in taken:
            number += 1
        names.append(texture_name(image.name, number))
        taken.add(text.fold(names[-1].rpartition(b".")[0]))
    return names


def plain_texture_name(name: str) -> str:
    """The name of an image as that of a texture, of which `texture_name` makes itself."""
    while (found := text.decode(texture_name(name))) != name:
        name = found
    return name


def texture_name(name: str, number: int = 1) -> bytes:
    """The name of the texture of an image: one word with a dot, ``DOME.0`` for ``dome.png``."""
    word = _IMAGE_SUFFIX.sub("", _COPY_NUMBER.sub("", name))
    stem, dot, end = (b"_".join(game_text(word).split()) or b"PICTURE").rpartition(b".")
    stem, end = (stem, end[:MOST_END]) if dot and stem else (end, b"0")
    tail = b"_%d" % number if number > 1 else b""
    # The stem is cut, so that the number and what follows the dot fit the letters of a name.
    return stem[: TEXTURE_LETTERS - len(end) - 1 - len(tail)] + tail + b"." + end


SMALLEST: Final = 4
"""Shortest side of the last mipmap."""
Page = tuple[int, int, int, int]
DARKEST: Final = (1, 1, 1)
"""The diffuse of a black material that is lit: a diffuse of 0, 0, 0 means unlit in the game."""
NEAR: Final = 1 / 255
"""Largest difference of equal colors."""
_BLENDS: Final = {
    AlphaMode.OPAQUE: Blend.OPAQUE,
    AlphaMode.CUTOUT: Blend.ALPHA,
    AlphaMode.BLENDED: Blend.ALPHA,
    AlphaMode.ADDED: Blend.ADD,
}


class GameLibraries(Struct, frozen=True):
    """The library of textures, and further libraries by their names in the game.

    Attributes
    ----------
    textures
        The library of textures.
    others
        Those of materials and of lightmaps, by file name.
    losses
        What they cannot hold, as sentences.
    """

    textures: bytes
    others: Mapping[str, bytes] = field(default_factory=dict)
    losses: tuple[str, ...] = ()


def libraries_of(scene: Scene, wear: WearRows) -> GameLibraries:
    """The libraries for the materials of a wear table that was made of a scene."""
    lightmaps = {it.lightmap for it in scene.materials}
    textures = {it.image for it in scene.materials}
    losses: list[str] = []
    images = zip(texture_names(scene), scene.images, strict=True)
    fitting = (storable(SceneImage(text.decode(name), it.pixels), losses) for name, it in images)
    scene = replace(scene, images=tuple(fitting))
    pages = pages_of(scene)
    others = {MATERIALS.decode(): nres.build(_materials(scene, wear, pages, losses))}
    if lightmaps - {None}:
        others[LIGHTMAPS.decode()] = nres.build(_textures(scene, lightmaps, {}))
    return GameLibraries(nres.build(_textures(scene, textures, pages)), others, tuple(losses))


def storable(image: SceneImage, losses: list[str]) -> SceneImage:
    """An image that is no larger than a texture can be; white, and a loss, if its pixels are not known."""
    if not image.pixels.size:
        losses.append(_("texture {name} is white, as its image is not in the file", name=image.name))
        return SceneImage(image.name, np.full((1, 1, 4), 255, np.uint8))
    stored = shrunk(image)
    if stored is not image:
        height, width = stored.pixels.shape[:2]
        words = "texture {name} has {width} x {height} pixels, as larger ones cannot be stored"
        losses.append(_(words, name=image.name, width=width, height=height))
    return SceneImage(image.name, stored.pixels)


def shrunk(image: SceneImage) -> SceneImage:
    """The image itself, or halved until it is no larger than a texture can be."""
    stored = image.pixels
    while max(stored.shape[:2]) > texm.MAX_SIDE:
        stored = pixels.halve(stored)
    return image if stored is image.pixels else SceneImage(image.name, stored)


def pages_of(scene: Scene) -> dict[int, list[Page]]:
    """The parts of each image that materials show, in pixels."""
    found: dict[int, list[Page]] = {}
    for material in scene.materials:
        if material.image is not None and material.sub_image != WHOLE:
            pages = found.setdefault(material.image, [])
            page = page_of(material, scene.images[material.image])
            if page not in pages:
                pages.append(page)
    return found


def page_of(material: SceneMaterial, image: SceneImage) -> Page:
    """The part of an image that a material shows, in pixels."""
    height, width = image.pixels.shape[:2]
    x, y, w, h = material.sub_image
    return round(x * width), round(y * height), round(w * width), round(h * height)


def _materials(
    scene: Scene, wear: WearRows, pages: Mapping[int, Sequence[Page]], losses: list[str]
) -> Iterator[NewEntry]:
    """An entry for each name of the wear table."""
    # Reversed, as of several with one key the last one written stays, which is then the first.
    of_row = dict(zip(reversed(wear.rows), reversed(scene.materials), strict=True))
    named = {name: of_row.get(row, SceneMaterial("")) for row, name in reversed([*enumerate(wear.names)])}
    for name, material in sorted(named.items()):
        texture, page = b"", -1
        if material.image is not None:
            image = scene.images[material.image]
            texture = text.encode(image.name)
            if material.sub_image != WHOLE:
                page = pages[material.image].index(page_of(material, image))
        payload = material_of(material, losses, texture, page)
        yield NewEntry(MAT0, payload, name, attr1_of(material), mat0.VERSION)


def attr1_of(material: SceneMaterial) -> int:
    """Blending of a material, as the model had it or as its alpha requires."""
    stored = material.fields.get("attr1")
    if isinstance(stored, int) and 0 <= stored < 1 << 32:
        return stored
    blend = _BLENDS[material.alpha]
    # attr1 has the blend index in bits 2 to 5 (spec/field-notes.md 4.4): 4 is index 1, see-through, 2 is the
    # LIT_SKIN of ordinary ones.
    return mat0.BLENDS.index(blend) << 2 | (mat0.LIT_SKIN if material.alpha is AlphaMode.OPAQUE else 0)


def material_of(material: SceneMaterial, losses: list[str], texture: bytes = b"", page: int = -1) -> bytes:
    """The payload of a material with one phase, which shows a texture or a page of it."""
    own = _own_light(material)
    phase = PhaseRecord(
        texture,
        ambient=color_bytes(own[:3]) if material.is_unlit else color_bytes(material.emissive),
        ambient_alpha=round(100 * min(max(own[3], 0.0), 1.0)),
        diffuse=(0, 0, 0) if material.is_unlit else diffuse_of(material, losses),
        page=page,
    )
    return mat0.build([phase])


def diffuse_of(material: SceneMaterial, losses: list[str]) -> tuple[int, int, int]:
    """The stored diffuse of a lit material: not black, which is unlit in the game without a lightmap."""
    stored = color_bytes(material.color[:3])
    if any(stored) or material.lightmap is not None:
        return stored
    words = "material {name}: black is stored as 1, 1, 1, as the game shows black materials unlit"
    losses.append(_(words, name=material.name))
    return DARKEST


def _own_light(material: SceneMaterial) -> Color:
    """The light of a self-lit material as the model had it, if it is still that; else its color."""
    stored = material.fields.get("ambient")
    if not material.is_unlit or not isinstance(stored, list | tuple) or len(stored) != len(material.color):
        return material.color
    if not all(isinstance(value, int | float) for value in stored):
        return material.color
    red, green, blue, opacity = (float(value) for value in stored)
    shown = (value * opacity for value in shown_light((red, green, blue)))
    given = (value * material.color[3] for value in material.color[:3])
    is_same = all(abs(one - other) <= NEAR for one, other in zip(shown, given, strict=True))
    return (red, green, blue, opacity) if is_same else material.color


def color_bytes(color: Vector) -> tuple[int, int, int]:
    """A color as it is stored."""
    red, green, blue = (round(255 * min(max(value, 0.0), 1.0)) for value in color)
    return red, green, blue


def _textures(scene: Scene, used: set[int | None], pages: Mapping[int, Sequence[Page]]) -> Iterator[NewEntry]:
    """An entry for each used image, whose name is a name of a texture already."""
    for number, image in enumerate(scene.images):
        if number in used:
            yield NewEntry(TEXM, texture_of(image, pages.get(number, ())), text.encode(image.name))


def texture_of(image: SceneImage, pages: Sequence[Page] = ()) -> bytes:
    """The payload of a texture with smaller levels; an image with alpha has 32 bits a pixel, else 24."""
    has_alpha = bool((image.pixels[..., 3] < 255).any())
    pixel_format = PixelFormat.ARGB8888 if has_alpha else PixelFormat.RGB888
    side = min(image.pixels.shape[:2])
    # Halved until the short side is 4: 64 gives 64, 32, 16, 8 and 4, five levels.
    levels = max(1, int(np.log2(side / SMALLEST)) + 1) if side >= SMALLEST else 1
    return texm.build(image.pixels, pixel_format, mip_count=min(levels, texm.MAX_MIPS), pages=pages)
