"""What differs between glTF and a scene: axes, colors, and light that is added to what is behind it.

A scene has Z up, a glTF file Y up unless it was exported otherwise. The map is a rotation that swaps
components and changes a sign, so that it is exact; the vector part of a rotation follows it.

Colors of glTF are linear; those of the game multiply stored colors, which are sRGB.

Added light is written as a layer that is blended over what is behind: the opacity of the layer is the
strength of the light, its largest channel, and its color is the light at full strength: over something
dark both look the same. The multiplication of both gives the light again.

Source: spec/msh.md 13; spec/field-notes.md 4, blend mode 2.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.formats.texture.pixels import Image
from viewer.geometry.transforms import Floats, Matrix
from viewer.model.convert.scene import Color, Vector

PLACES: Final = 6
FULL: Final = 255
AT_ONCE: Final = 1 << 18
"""Pixels that are converted at once."""


_OUTWARD: Final = np.array((1, 1, -1), np.float32)
_INWARD: Final = np.array((1, -1, 1), np.float32)


class Axes(NamedTuple):
    """The directions of a file: Y up, or Z up as in a scene; it gives no negative zeros."""

    is_y_up: bool

    @property
    def matrix(self) -> Matrix:
        """From the file's axes to those of the scene, (3, 3)."""
        return self.inward(np.eye(3)).T.astype(np.float64)

    def outward(self, vectors: npt.NDArray[Any]) -> Floats:
        """Vectors of a scene (n, 3) as in the file: x, y, z are x, z, -y with Y up."""
        found = vectors[:, [0, 2, 1]] * _OUTWARD if self.is_y_up else vectors
        return found.astype(np.float32, copy=False) + np.float32(0)

    def inward(self, vectors: npt.NDArray[Any]) -> Floats:
        """Vectors of a file (n, 3) as in a scene."""
        found = vectors[:, [0, 2, 1]] * _INWARD if self.is_y_up else vectors
        return found.astype(np.float32, copy=False) + np.float32(0)

    def rotations_outward(self, rotations: Floats) -> Floats:
        """Rotations w, x, y, z of a scene (n, 4) as x, y, z, w of the file."""
        return np.concatenate([self.outward(rotations[:, 1:]), rotations[:, :1]], axis=1)

    def rotations_inward(self, rotations: npt.NDArray[Any]) -> Floats:
        """Rotations x, y, z, w of a file (n, 4) as w, x, y, z of a scene."""
        first = rotations[:, 3:].astype(np.float32)
        return np.concatenate([first, self.inward(rotations[:, :3])], axis=1)


def linear(value: float) -> float:
    """The linear factor that has the effect of a factor of stored colors."""
    return round(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4, PLACES)


def stored(value: float) -> float:
    """The factor of stored colors that has the effect of a linear factor."""
    return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


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
        # What is clear gets the mean color, as programs mix it with what is next to it.
        shown = layer[~is_clear]
        weights = shown[:, 3].astype(np.float64)
        layer[is_clear, :3] = np.rint(weights @ shown[:, :3] / weights.sum()).astype(np.uint8)
    return layer.reshape(light.shape)


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
