"""Res5, the texture coordinates: signed 1/1024 steps; v grows downwards from the first texture row.

Source: spec/msh.md 4.
Status: proven.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.formats.packing import dequantise, quantise
from viewer.formats.record import Field, Record

SCALE = 1024

UV = Record(
    "uvs",
    4,
    Field("uv", "<i2", "u, v of the texture.", shape=(2,), unit="1/1024", scale=SCALE),
    doc="The texture coordinate of a vertex.",
)


def decode(raw: npt.NDArray[np.int16]) -> npt.NDArray[np.float32]:
    """Texture coordinates, shape (n, 2), float32, from raw ones (n, 2)."""
    return dequantise(raw, SCALE)


def encode(uvs: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Raw texture coordinates, shape (n, 2), of floats (n, 2); clamped to -32..31.999."""
    return quantise(uvs, SCALE, -32768, 32767).astype("<i2").reshape(-1, 2)
