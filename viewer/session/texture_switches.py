"""How textures are shown: what the original could switch off, and the orders of bytes that are disputed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class ByteOrder(StrEnum):
    """Another reading of stored pixels than the usual one (spec/texm.md 3)."""

    PALETTE_RGB = "palette as R G B"
    RGB888 = "888 as R G B"
    ARGB8888 = "8888 as A R G B"
    LA88 = "88 as L A"


@dataclass(frozen=True, slots=True)
class TextureSwitches:
    """What is done with textures.

    Attributes
    ----------
    has_mip_maps, is_filtered, has_lightmaps
        As the switches of the original (spec/materials.md 7).
    is_16_bit
        Colours are rounded to 16 bits per pixel, as under ``Force 16-bit textures``.
    culls_back_faces
        Leave out what is turned away, unless its material is two-sided.
    byte_orders
        The other readings that are in effect.
    """

    has_mip_maps: bool = True
    is_filtered: bool = True
    has_lightmaps: bool = True
    is_16_bit: bool = False
    culls_back_faces: bool = True
    byte_orders: frozenset[ByteOrder] = frozenset()


def toggle_byte_order(switches: TextureSwitches, order: ByteOrder) -> TextureSwitches:
    """Read pixels in another order, or in the usual one again."""
    return replace(switches, byte_orders=switches.byte_orders ^ {order})
