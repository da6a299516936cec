"""The pixels of a texture for upload: every mip level, in the requested byte order; numpy only.

Decoding is slow and needs no GL, so a worker thread can do it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.texture import pixels
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.model.material.materials import MissingResource, TextureKey, TextureRef
from viewer.render.textures.label import label
from viewer.session.view.options.textures import TextureSwitches, halvings, opaque, reordered

NEUTRAL: Final = bytes((128, 128, 128, 255))
"""The color of a texture without pixels."""
MOST_ROWS: Final = 8
"""Rows that the mean color of a texture is taken from."""
MaterialTexture = TextureRef | MissingResource
"""The texture of a material to upload, or the missing resource that a placeholder stands for."""


class TexelKey(NamedTuple):
    """The identity of an uploaded texture: equal keys mean equal pixels."""

    texture: TextureKey | MissingResource
    is_reordered: bool = False
    is_16_bit: bool = False
    is_opaque: bool = False


class Texels(Struct, frozen=True, eq=False):
    """A texture ready for upload.

    Attributes
    ----------
    levels
        Every mip level down to a single pixel, RGBA, each (h, w, 4) uint8, the largest first.
    """

    key: TexelKey
    levels: tuple[Image, ...]

    @property
    def size(self) -> int:
        """Size of all levels, bytes."""
        return sum(level.nbytes for level in self.levels)

    def within(self, budget: int) -> Texels:
        """The texture without its largest levels, so that it fits `budget` bytes."""
        levels = self.levels
        while len(levels) > 1 and sum(level.nbytes for level in levels) > budget:
            levels = levels[1:]
        return replace(self, levels=levels)


def key_of(ref: MaterialTexture, switches: TextureSwitches) -> TexelKey:
    """The key of a texture under some switches; switches that do not affect it are ignored."""
    if isinstance(ref, MissingResource):
        return TexelKey(ref)
    stored = ref.texture.format
    # Only formats with 8 bits per channel can be rounded to 16 bits per pixel.
    is_rounded = switches.is_16_bit and (stored.size == 4 or stored is PixelFormat.INDEXED)
    is_opaque = switches.ignores_alpha and stored.has_alpha
    return TexelKey(ref.key, switches.reorders(stored), is_rounded, is_opaque)


def decode(ref: MaterialTexture, switches: TextureSwitches, limit: int) -> Texels:
    """The decoded pixels of a texture; no side of any level is longer than `limit` pixels."""
    key = key_of(ref, switches)
    if isinstance(ref, MissingResource):
        return stand_in(key, ref)
    # Levels after the first of one pixel are left out: GL has none below it, and spec/texm.md 6 (T08) allows
    # longer chains.
    sides = [max(level.width, level.height) for level in ref.texture.levels]
    count = sides.index(1) + 1 if 1 in sides else len(sides)
    first = next((index for index, side in enumerate(sides) if side <= limit), count - 1)
    levels = [_level(ref, index, key, limit) for index in range(first, count)]
    # GL treats a chain with a missing level as no texture at all (it samples black), so the rest is computed.
    return Texels(key, (*levels[:-1], *_down_to_one(levels[-1])))


def mean_color(ref: TextureRef, switches: TextureSwitches) -> bytes:
    """About the mean color of a texture, four bytes, from a few rows of its smallest level."""
    if not ref.texture.levels:
        return NEUTRAL
    # The smallest level is already a mean of the texture; only one without mip levels is sampled by rows.
    level = ref.texture.levels[-1]
    # Evenly apart; a set, as a level with fewer rows than that would have rows twice.
    rows = sorted({level.height * number // MOST_ROWS for number in range(MOST_ROWS)})
    image = np.concatenate([ref.texture.rows(level, row, row + 1) for row in rows])
    key = key_of(ref, switches)
    if key.is_reordered:
        image = reordered(image, ref.texture.format)
    if key.is_opaque:
        image = opaque(image)
    return bytes(image.reshape(-1, 4).mean(axis=0).round().astype(np.uint8))


def stand_in(key: TexelKey, missing: MissingResource) -> Texels:
    """A placeholder with text for the texture of a key."""
    return Texels(key, tuple(_down_to_one(label(missing))))


def _down_to_one(level: Image) -> Iterator[Image]:
    """A level and all smaller ones, computed from it."""
    yield level
    while max(level.shape[:2]) > 1:
        level = pixels.halve(level)
        yield level


def _level(ref: TextureRef, index: int, key: TexelKey, limit: int) -> Image:
    texture = ref.texture
    image = texture.reduced(index, halvings(texture.levels[index], limit))
    if key.is_reordered:
        image = reordered(image, ref.texture.format)
    if key.is_16_bit:
        # Previews the game's switch "Force 16-bit textures" (spec/materials.md 7): there and back through a
        # stored format.
        coarse = PixelFormat.ARGB4444 if texture.format.has_alpha else PixelFormat.RGB565
        image = pixels.decode(pixels.encode(image, coarse), coarse).reshape(image.shape)
    return opaque(image) if key.is_opaque else image
