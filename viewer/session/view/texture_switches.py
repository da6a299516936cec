"""Display of textures: the switches of the game, and the reading of stored pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.model.material.alpha import ALPHA


class ByteOrder(StrEnum):
    """An alternative reading of stored pixels (spec/texm.md 3); the values are saved."""

    PALETTE_RGB = "palette_rgb"
    RGB888 = "rgb888"
    ARGB8888 = "argb8888"
    LA88 = "la88"


_ORDERS: Final = {
    PixelFormat.INDEXED: (ByteOrder.PALETTE_RGB, [2, 1, 0, 3]),
    PixelFormat.EXTERNAL: (ByteOrder.PALETTE_RGB, [2, 1, 0, 3]),
    PixelFormat.RGB888: (ByteOrder.RGB888, [2, 1, 0, 3]),
    PixelFormat.ARGB8888: (ByteOrder.ARGB8888, [1, 0, 3, 2]),
    PixelFormat.LA88: (ByteOrder.LA88, [3, 3, 3, 0]),
}
"""The alternative reading of each format, and the usual reading's channels that are its R, G, B, A."""

OPAQUE: Final = 255


@dataclass(frozen=True, slots=True)
class TextureSwitches:
    """Switches of texture display.

    Attributes
    ----------
    has_mip_maps, is_filtered, has_lightmaps
        As the switches of the original (spec/materials.md 7).
    is_16_bit
        Colors are rounded to 16 bits per pixel, as under ``Force 16-bit textures``.
    ignores_alpha
        Ignore stored alphas: every pixel is opaque.
    hides_back_faces
        Cull back faces; the game draws both sides of everything (spec/field-notes.md 2).
    divides_ground_by_256
        Divide the texture coordinates of terrain by 256 instead of 1024; which is right is unknown
        (spec/field-notes.md 7).
    byte_orders
        The alternative readings in effect.
    """

    has_mip_maps: bool = True
    is_filtered: bool = True
    has_lightmaps: bool = True
    is_16_bit: bool = False
    ignores_alpha: bool = False
    hides_back_faces: bool = False
    divides_ground_by_256: bool = False
    byte_orders: frozenset[ByteOrder] = frozenset()

    def reorders(self, stored: PixelFormat) -> bool:
        """Whether pixels of a format are read in the alternative way."""
        return order_of(stored) in self.byte_orders


def toggle_byte_order(switches: TextureSwitches, order: ByteOrder) -> TextureSwitches:
    """Switch between an alternative byte order and the usual one."""
    return replace(switches, byte_orders=switches.byte_orders ^ {order})


def order_of(stored: PixelFormat) -> ByteOrder | None:
    """The alternative reading of a format, or None."""
    return _ORDERS[stored][0] if stored in _ORDERS else None


def reordered(rgba: Image, stored: PixelFormat) -> Image:
    """Pixels (..., 4), decoded in the usual reading, converted to the alternative reading of their format."""
    other: Image = rgba[..., _ORDERS[stored][1]]
    return other


def other_alpha(stored: PixelFormat) -> int:
    """The channel of the usual reading that is the alpha of the format's alternative reading."""
    return _ORDERS[stored][1][ALPHA]


def opaque(rgba: Image) -> Image:
    """Pixels (..., 4) with all alphas opaque."""
    result = rgba.copy()
    result[..., ALPHA] = OPAQUE
    return result
