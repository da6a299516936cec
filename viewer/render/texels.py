"""The pixels of a picture as they are uploaded: every mip level, in the order of bytes asked for; numpy only.

Decoding takes a while and needs no GL, so a worker thread can do it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from viewer.formats import pixels
from viewer.formats.pixels import Image, PixelFormat
from viewer.model.materials import Lack, Picture, Rectangle, TextureKey
from viewer.render.label import label
from viewer.session.texture_switches import ByteOrder, TextureSwitches

CHANNELS: Final = {
    (PixelFormat.INDEXED, ByteOrder.PALETTE_RGB): [2, 1, 0, 3],
    (PixelFormat.RGB888, ByteOrder.RGB888): [2, 1, 0, 3],
    (PixelFormat.ARGB8888, ByteOrder.ARGB8888): [1, 0, 3, 2],
    (PixelFormat.LA88, ByteOrder.LA88): [3, 3, 3, 0],
}
"""Which channels of the usual reading red, green, blue and alpha are in another one."""


Shown = Picture | Lack
"""What a material shows: a picture, or in its place what is lacking."""


class TexelKey(NamedTuple):
    """What tells uploaded textures apart: equal keys are equal pixels."""

    texture: TextureKey | Lack
    page: Rectangle | None = None
    byte_orders: frozenset[ByteOrder] = frozenset()
    is_16_bit: bool = False


@dataclass(frozen=True, slots=True)
class Texels:
    """A picture ready for upload.

    Attributes
    ----------
    levels
        Every mip level down to a single pixel, RGBA, each (h, w, 4) uint8, the largest first.
    """

    key: TexelKey
    levels: tuple[Image, ...]

    @property
    def size(self) -> int:
        """Bytes of all levels."""
        return sum(level.nbytes for level in self.levels)

    def within(self, budget: int) -> Texels:
        """The same picture without as many of its largest levels as do not fit a number of bytes."""
        levels = self.levels
        while len(levels) > 1 and sum(level.nbytes for level in levels) > budget:
            levels = levels[1:]
        return replace(self, levels=levels)


def key_of(picture: Shown, switches: TextureSwitches) -> TexelKey:
    """The key of a picture under some switches; those that make no difference to it do not count."""
    if isinstance(picture, Lack):
        return TexelKey(picture)
    stored = picture.texture.format
    orders = frozenset(order for order in switches.byte_orders if (stored, order) in CHANNELS)
    is_rounded = switches.is_16_bit and (stored.size == 4 or stored is PixelFormat.INDEXED)
    return TexelKey(picture.key, picture.page, orders, is_rounded)


def decode(picture: Shown, switches: TextureSwitches, limit: int) -> Texels:
    """The pixels of a picture; no side of any level is longer than `limit` pixels."""
    key = key_of(picture, switches)
    if isinstance(picture, Lack):
        return stand_in(key, picture)
    sides = [max(level.width, level.height) for level in picture.texture.levels]
    count = sides.index(1) + 1 if 1 in sides else len(sides)
    first = next((index for index, side in enumerate(sides) if side <= limit), count - 1)
    last = first + 1 if picture.page else count
    levels = [_level(picture, index, key) for index in range(first, last)]
    while max(levels[0].shape[:2]) > limit:
        levels[0] = pixels.halve(levels[0])
    return Texels(key, (*levels[:-1], *_down_to_one(levels[-1])))


def stand_in(key: TexelKey, lack: Lack) -> Texels:
    """A picture of words in place of the one that a key means."""
    return Texels(key, tuple(_down_to_one(label(lack))))


def _down_to_one(level: Image) -> Iterator[Image]:
    """A level and all that are made from it."""
    yield level
    while max(level.shape[:2]) > 1:
        level = pixels.halve(level)
        yield level


def _level(picture: Picture, index: int, key: TexelKey) -> Image:
    image = picture.texture.level(index)
    if picture.page is not None:
        x, y, w, h = (side >> index for side in picture.page)
        x, y = min(x, image.shape[1] - 1), min(y, image.shape[0] - 1)
        image = image[y : y + max(1, h), x : x + max(1, w)]
    for order in key.byte_orders:
        image = image[..., CHANNELS[picture.texture.format, order]]
    if key.is_16_bit:
        image = _rounded(image, has_alpha=picture.texture.format.has_alpha)
    return image


def _rounded(image: Image, *, has_alpha: bool) -> Image:
    """Colours as 16 bits per pixel hold them."""
    coarse = PixelFormat.ARGB4444 if has_alpha else PixelFormat.RGB565
    return pixels.decode(pixels.encode(image, coarse), coarse).reshape(image.shape)
