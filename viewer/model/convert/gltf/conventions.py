"""Axes of glTF: a scene has Z up, a glTF file Y up unless it was asked for otherwise.

The map is a rotation that swaps components and changes a sign, so that it is exact: x, y, z of a scene are
x, z, -y with Y up. The vector part of a rotation follows it.

Source: spec/msh.md 13.
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


def outward(vectors: Floats, *, is_y_up: bool) -> Floats:
    """Vectors of a scene (n, 3) as in the file; no component is a negative zero."""
    if not is_y_up:
        return vectors + np.float32(0)
    result = vectors[:, [0, 2, 1]]
    result[:, 2] *= -1
    return result + np.float32(0)


def inward(vectors: Floats, *, is_y_up: bool) -> Floats:
    """Vectors of a file (n, 3) as in a scene."""
    if not is_y_up:
        return vectors + np.float32(0)
    result = vectors[:, [0, 2, 1]]
    result[:, 1] *= -1
    return result + np.float32(0)


def rotations_outward(rotations: Floats, *, is_y_up: bool) -> Floats:
    """Rotations w, x, y, z of a scene (n, 4) as x, y, z, w of the file."""
    vector = outward(rotations[:, 1:], is_y_up=is_y_up)
    return np.concatenate([vector, rotations[:, :1]], axis=1)


def rotations_inward(rotations: Floats, *, is_y_up: bool) -> Floats:
    """Rotations x, y, z, w of a file (n, 4) as w, x, y, z of a scene."""
    vector = inward(rotations[:, :3], is_y_up=is_y_up)
    return np.concatenate([rotations[:, 3:], vector], axis=1)


class Axes(NamedTuple):
    """The directions of a file: Y up, or Z up as in a model."""

    is_y_up: bool

    @property
    def matrix(self) -> Matrix:
        """From the file's axes to those of the model, (3, 3)."""
        return inward(np.eye(3, dtype=np.float32), is_y_up=self.is_y_up).T.astype(np.float64)

    def vectors(self, values: npt.NDArray[Any]) -> Floats:
        """Positions or directions of the file in the model's axes, (n, 3)."""
        return inward(values.astype(np.float32, copy=False), is_y_up=self.is_y_up)

    def rotations(self, values: npt.NDArray[Any]) -> Floats:
        """Quaternions x, y, z, w of the file as w, x, y, z of the model, (n, 4)."""
        return rotations_inward(values.astype(np.float32, copy=False), is_y_up=self.is_y_up)


Y_UP: Final = Axes(is_y_up=True)
"""What glTF asks for."""


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
