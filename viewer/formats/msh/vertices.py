"""Tables of vertices (Res3 to Res5, Res14 to Res16, Res18), and the indices that name vertices (Res6).

Texture coordinates are signed steps of 1/1024; v grows downwards from the first texture row. On terrain both
pairs are words that start over after 64 turns. Indices count from the base vertex of a batch.

Source: spec/msh.md 4, 5, 9; field-notes.md 2, 7; land.md 5.
Status: proven (Res3, Res5, Res6; Res4 without w), inferred (Res14; Res18: lightmap coordinates in the field
reading), open (Res15, Res16, w of a normal).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.formats.packing import dequantise, quantise
from viewer.formats.record import Field, Record, Status

POSITION = Record(
    "positions",
    12,
    Field("position", "<f4", "Position of a vertex.", shape=(3,), unit="node space"),
    doc="The position of a vertex.",
)


# A byte has no 128: -128 would be -1.008 and is clamped to -1, so it alone is not encoded as it was stored.
# Edits therefore keep the stored bytes of normals that do not change (spec/msh.md 4).
NORMAL_SCALE = 127

NORMAL = Record(
    "normals",
    4,
    Field(
        "normal",
        "i1",
        "x, y, z of the normal and an unknown w.",
        shape=(4,),
        unit="1/127",
        scale=NORMAL_SCALE,
    ),
    doc="The direction of a vertex.",
)


def decode_normals(raw: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """Directions, shape (n, 3), float32 in [-1, 1], from raw components (n, 4); without w."""
    return dequantise(raw[:, :3], NORMAL_SCALE, clamp=True)


def encode_normals(normals: npt.ArrayLike, w: npt.ArrayLike = 0) -> npt.NDArray[np.int8]:
    """Raw components, shape (n, 4), of directions (n, 3); `w` is stored as given."""
    directions = np.asarray(normals, np.float64).reshape(-1, 3)
    raw = np.empty((len(directions), 4), np.int8)
    raw[:, :3] = quantise(directions, NORMAL_SCALE, -128, 127)
    # The engine ignores w, whose meaning is not known: an edit hands in the stored one, new vertices have 0.
    raw[:, 3] = w
    return raw


UV_SCALE = 1024

UV = Record(
    "uvs",
    4,
    Field("uv", "<i2", "u, v of the texture.", shape=(2,), unit="1/1024", scale=UV_SCALE),
    doc="The texture coordinate of a vertex.",
)


def decode_uvs(raw: npt.NDArray[np.int16]) -> npt.NDArray[np.float32]:
    """Texture coordinates, shape (n, 2), float32, from raw ones (n, 2)."""
    return dequantise(raw, UV_SCALE)


def encode_uvs(uvs: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Raw texture coordinates, shape (n, 2), of floats (n, 2); clamped to -32..31.999."""
    # Every int16 has an exact float32, so stored coordinates survive; half a step, 0.00048828125, becomes 1.
    return quantise(uvs, UV_SCALE, -32768, 32767).astype("<i2").reshape(-1, 2)


def across_seam(words: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """The words of texture coordinates of terrain, (..., n, 2), as numbers that lie close together.

    Words start over after 64 turns, unsigned ones at 0, signed ones at 32. Those of n vertices are read in
    the way in which they do not run through all turns, u and v apart (spec/land.md 5, field-notes.md 7).
    """
    bits = np.asarray(words).astype(np.uint16)
    signed, unsigned = bits.view(np.int16).astype(np.int64), bits.astype(np.int64)
    if not bits.shape[-2]:
        return signed
    # 65530 and 4 are -6 and 4 signed, 10 steps apart; 32760 and 32776 are 16 apart unsigned, 65520 signed.
    is_unsigned = np.ptp(unsigned, axis=-2, keepdims=True) < np.ptp(signed, axis=-2, keepdims=True)
    return np.where(is_unsigned, unsigned, signed)


INDEX = Record(
    "indices",
    2,
    Field("index", "<u2", "Vertex, counted from the batch's base vertex."),
    doc="A vertex of a triangle.",
)


STREAM15 = Record(
    "stream15",
    8,
    Field("value", "<u4", "Unknown.", shape=(2,), status=Status.OPEN),
    doc="Two words of a vertex.",
)
STREAM16 = Record(
    "stream16",
    8,
    Field("value", "i1", "Unknown; two packed values.", shape=(8,), status=Status.OPEN),
    doc="Two packed values of a vertex.",
)
STREAM18 = Record(
    "stream18",
    4,
    Field(
        "value",
        "<u2",
        "Field reading: u, v of the lightmap, on terrain of the microtexture; seed reading: perhaps a color.",
        shape=(2,),
        unit="1/1024",
        scale=1024,
        status=Status.INFERRED,
    ),
    doc="A second texture coordinate of a vertex.",
)
STREAM14 = Record(
    "stream14",
    4,
    Field("value", "<f4", "Opacity of the second material, 0 to 1.", status=Status.INFERRED),
    doc="How a vertex of a terrain mixes its two materials.",
)
