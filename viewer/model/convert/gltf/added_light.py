"""Light that is added to what is behind it, which glTF does not have, as a layer that is blended over it.

The opacity of the layer is the strength of the light, its largest channel, and its color is the light at full
strength: over something dark both look the same. The multiplication of both gives the light again.

Source: spec/field-notes.md 4, blend mode 2.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import numpy as np

from viewer.formats.texture.pixels import Image
from viewer.model.convert.scene import Color, Vector

FULL: Final = 255
AT_ONCE: Final = 1 << 18
"""Pixels that are converted at once."""


class Strength(StrEnum):
    """Where a picture of light has its strength; the values are those of ``extras``."""

    COLOR = "color"
    """In its color alone."""
    OPACITY = "opacity"
    """In its opacity too."""


def strength_of(light: Image) -> Strength:
    """Where a picture (h, w, 4) has its strength."""
    return Strength.COLOR if (light[..., 3] == FULL).all() else Strength.OPACITY


def layer_of(light: Image) -> Image:
    """The layer of a picture of light, both (h, w, 4)."""
    flat = np.ascontiguousarray(light).reshape(-1, 4)
    layer = np.empty_like(flat)
    for start in range(0, len(flat), AT_ONCE):
        part = flat[start : start + AT_ONCE].astype(np.uint32)
        most = part[:, :3].max(axis=1, initial=0)
        color = (part[:, :3] * FULL + most[:, None] // 2) // np.maximum(most, 1)[:, None]
        layer[start : start + AT_ONCE, :3] = color
        layer[start : start + AT_ONCE, 3] = (most * part[:, 3] + FULL // 2) // FULL
    is_clear = layer[:, 3] == 0
    if not is_clear.all():
        layer[is_clear, :3] = _mean(layer[~is_clear])
    return layer.reshape(light.shape)


def _mean(shown: Image) -> Image:
    """The mean color (3,) of pixels (n, 4), which is next to them where nothing shows."""
    weights = shown[:, 3].astype(np.float64)
    mean: Image = np.rint(weights @ shown[:, :3] / weights.sum()).astype(np.uint8)
    return mean


def light_of(layer: Image) -> Image:
    """The picture of light without opacity whose layer is given: the same bytes if it had none."""
    light = np.full_like(layer, FULL)
    strength = layer[..., 3:].astype(np.uint16)
    np.floor_divide(layer[..., :3] * strength + FULL // 2, FULL, out=light[..., :3], casting="unsafe")
    return light


def layer_color(color: Color) -> Color:
    """The factor of a layer for the factor of light."""
    strength = max(color[:3])
    if not strength:
        return 1.0, 1.0, 1.0, 0.0
    red, green, blue = (value / strength for value in color[:3])
    return red, green, blue, strength * color[3]


def light_color(color: Color) -> Color:
    """The factor of light for the factor of a layer."""
    light: Vector = (color[0] * color[3], color[1] * color[3], color[2] * color[3])
    return (*light, 1.0)
