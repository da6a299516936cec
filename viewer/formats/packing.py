"""Floats packed into integers: scaled, rounded half away from zero, clamped.

Source: spec/README.md 3 (`rha`), spec/msh.md 4.
Status: proven.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def dequantise(
    raw: npt.NDArray[np.signedinteger], scale: int, *, clamp: bool = False
) -> npt.NDArray[np.float32]:
    """``raw / scale`` as float32, same shape; with `clamp` no value is below -1."""
    values = raw.astype(np.float32) / np.float32(scale)
    # The lowest code alone is below -1: -128 / 127 is -1.008 (spec/msh.md 4).
    return np.maximum(values, np.float32(-1)) if clamp else values


def quantise(values: npt.ArrayLike, scale: int, low: int, high: int) -> npt.NDArray[np.int64]:
    """``round(values * scale)``, halves away from zero, clamped to ``low..high``; same shape.

    Values are rounded to float32 first, as the game stores them.
    """
    # float32 holds every i16 and every i8, so a stored value decodes and encodes to itself.
    scaled = np.asarray(values, np.float32).astype(np.float64) * scale
    rounded = np.trunc(scaled + np.copysign(0.5, scaled))  # np.round takes halves to even: 2.5 to 2
    return np.clip(rounded, low, high).astype(np.int64)
