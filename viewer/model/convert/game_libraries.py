"""The materials and textures of a scene as libraries of a game folder.

A material has one phase. What it reflects is its color, what it sends out is its glow; an unlit one only
sends out. Textures keep every color: with alpha in 32 bits, else in 24.

Source: spec/materials.md 3; spec/field-notes.md 4; spec/texm.md 2, 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from viewer.formats import mat0, text
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import pixels, texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.convert.building.wear_rows import WearRows, texture_names
from viewer.model.convert.scene import WHOLE, AlphaMode, Color, Picture, Scene, SceneMaterial, Vector
from viewer.model.convert.scene_parts.looks import shown_light
from viewer.model.game.registry import LIGHTMAPS, MATERIALS
from viewer.model.material.lookup import MAT0, TEXM
from viewer.model.material.materials import Blend
from viewer.translation import Sentence

SMALLEST: Final = 4
"""Shortest side of the last mipmap."""
Page = tuple[int, int, int, int]
DARKEST: Final = (1, 1, 1)
"""The diffuse of a black material that is lit: the game takes one without any for unlit."""
NEAR: Final = 1 / 255
"""Largest difference of equal colors."""
_BLENDS: Final = {
    AlphaMode.OPAQUE: Blend.OPAQUE,
    AlphaMode.CUTOUT: Blend.ALPHA,
    AlphaMode.BLENDED: Blend.ALPHA,
    AlphaMode.ADDED: Blend.ADD,
}


@dataclass(frozen=True, slots=True)
class GameLibraries:
    """Libraries by the names that the game has for them, and that of the textures.

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
    textures = {it.picture for it in scene.materials}
    losses: list[str] = []
    scene = replace(scene, pictures=tuple(_fitting(scene, losses)))
    pages = _pages(scene)
    others = {MATERIALS.decode(): nres.build(_materials(scene, wear, pages, losses))}
    if lightmaps - {None}:
        others[LIGHTMAPS.decode()] = nres.build(_textures(scene, lightmaps, {}))
    return GameLibraries(nres.build(_textures(scene, textures, pages)), others, tuple(losses))


def _fitting(scene: Scene, losses: list[str]) -> Iterator[Picture]:
    """Yield the pictures by the names of textures, such as can be stored."""
    for name, picture in zip(texture_names(scene), scene.pictures, strict=True):
        yield storable(Picture(text.decode(name), picture.pixels), losses)


def storable(picture: Picture, losses: list[str]) -> Picture:
    """A picture that is no larger than a texture can be; white, and a loss, if its pixels are not known."""
    if not picture.pixels.size:
        losses.append(Sentence("texture {name} is white, as its image is not in the file", name=picture.name))
    image = picture.pixels if picture.pixels.size else np.full((1, 1, 4), 255, np.uint8)
    while max(image.shape[:2]) > texm.MAX_SIDE:
        image = pixels.halve(image)
    if image.shape < picture.pixels.shape:
        height, width = image.shape[:2]
        words = "texture {name} has {width} x {height} pixels, as larger ones cannot be stored"
        losses.append(Sentence(words, name=picture.name, width=width, height=height))
    return Picture(picture.name, image)


def _pages(scene: Scene) -> dict[int, list[Page]]:
    """The parts of each picture that materials show, in pixels."""
    found: dict[int, list[Page]] = {}
    for material in scene.materials:
        if material.picture is not None and material.sub_image != WHOLE:
            pages = found.setdefault(material.picture, [])
            page = page_of(material, scene.pictures[material.picture])
            if page not in pages:
                pages.append(page)
    return found


def page_of(material: SceneMaterial, picture: Picture) -> Page:
    """The part of a picture that a material shows, in pixels."""
    height, width = picture.pixels.shape[:2]
    x, y, w, h = material.sub_image
    return round(x * width), round(y * height), round(w * width), round(h * height)


def _materials(
    scene: Scene, wear: WearRows, pages: Mapping[int, Sequence[Page]], losses: list[str]
) -> Iterator[NewEntry]:
    """An entry for each name of the wear table."""
    of_row = dict(zip(reversed(wear.rows), reversed(scene.materials), strict=True))
    named = {name: of_row.get(row, SceneMaterial("")) for row, name in reversed([*enumerate(wear.names)])}
    for name, material in sorted(named.items()):
        texture, page = b"", -1
        if material.picture is not None:
            picture = scene.pictures[material.picture]
            texture = text.encode(picture.name)
            if material.sub_image != WHOLE:
                page = pages[material.picture].index(page_of(material, picture))
        payload = material_of(material, losses, texture, page)
        yield NewEntry(MAT0, payload, name, attr1_of(material), mat0.VERSION)


def attr1_of(material: SceneMaterial) -> int:
    """How a material is blended, as the model had it or as its alpha asks for."""
    stored = material.fields.get("attr1")
    if isinstance(stored, int) and 0 <= stored < 1 << 32:
        return stored
    blend = _BLENDS[material.alpha]
    return mat0.BLENDS.index(blend) << 2 | (mat0.LIT_SKIN if material.alpha is AlphaMode.OPAQUE else 0)


def material_of(material: SceneMaterial, losses: list[str], texture: bytes = b"", page: int = -1) -> bytes:
    """The payload of a material with one phase, which shows a texture or a page of it."""
    own = _own_light(material)
    phase = PhaseRecord(
        texture,
        ambient=color_bytes(own[:3]) if material.is_unlit else color_bytes(material.glow),
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
    losses.append(Sentence(words, name=material.name))
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
    """An entry for each picture that is used, by its name, which is that of a texture already."""
    for number, picture in enumerate(scene.pictures):
        if number in used:
            yield NewEntry(TEXM, texture_of(picture, pages.get(number, ())), text.encode(picture.name))


def texture_of(picture: Picture, pages: Sequence[Page] = ()) -> bytes:
    """The payload of a texture with smaller levels; a picture with alpha has 32 bits a pixel, else 24."""
    has_alpha = bool((picture.pixels[..., 3] < 255).any())
    pixel_format = PixelFormat.ARGB8888 if has_alpha else PixelFormat.RGB888
    side = min(picture.pixels.shape[:2])
    levels = max(1, int(np.log2(side / SMALLEST)) + 1) if side >= SMALLEST else 1
    return texm.build(picture.pixels, pixel_format, mip_count=min(levels, texm.MAX_MIPS), pages=pages)
