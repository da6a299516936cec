"""Res4, the vertex normals: four signed bytes, of which the last is not a direction.

Source: spec/msh.md 4.
Status: proven (x, y, z), open (w).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.formats.packing import dequantise, quantise
from viewer.formats.record import Field, Record

SCALE = 127

NORMAL = Record(
    "normals",
    4,
    Field("normal", "i1", "x, y, z of the normal and an unknown w.", shape=(4,), unit="1/127", scale=SCALE),
    doc="The direction of a vertex.",
)


def decode(raw: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """Directions, shape (n, 3), float32 in [-1, 1], from raw components (n, 4); without w."""
    return dequantise(raw[:, :3], SCALE, clamp=True)


def encode(normals: npt.ArrayLike, w: npt.ArrayLike = 0) -> npt.NDArray[np.int8]:
    """Raw components, shape (n, 4), of directions (n, 3); `w` is stored as given."""
    directions = np.asarray(normals, np.float64).reshape(-1, 3)
    raw = np.empty((len(directions), 4), np.int8)
    raw[:, :3] = quantise(directions, SCALE, -128, 127)
    raw[:, 3] = w
    return raw
