"""Res11 and Res21, the tables that only terrain has: draw list and faces.

Source: spec/land.md 1, 2; spec/field-notes.md 7; README.md 5, C34 (which half of a draw is the face is
contested).
Status: inferred.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Field, Record, Rows, Status

NONE = 0xFFFF
NO_LAYER = 0xFF
"""Second material of a face that has one."""
FLAG_WATER = 0x0008
FLAG_MICROTEXTURE = 0x0400
# Flags fill the low word; the surface is in the high one, hence the gap.
SURFACE_WATER = 0x20000
FLAG_HINTS = {
    0x0004: "second material",
    FLAG_WATER: "water",
    0x0200: "in every map",
    FLAG_MICROTEXTURE: "has a microtexture",
    0x2000: "bed under a liquid",
    SURFACE_WATER: "surface: water",
    0x100000: "surface: clear on lava",
}

DRAW = Record(
    "draw_list",
    4,
    Field("face", "<u2", "Face to draw; a material if the other half counts the faces.", refers_to="faces"),
    Field("flags", "<u2", "Bit 0x0010 starts a new batch; if it counts 0, 1, 2, ..., the face to draw."),
    doc="A face to draw.",
    status=Status.INFERRED,
)
FACE = Record(
    "faces",
    28,
    Field(
        "flags",
        "<u4",
        "Query masks: flags, and in the high word the surface.",
        flags=FLAG_HINTS,
        status=Status.INFERRED,
    ),
    Field(
        "material_a",
        "u1",
        "First material: row of Land1.wea; Land2.wea names its microtexture in the same row.",
        status=Status.INFERRED,
    ),
    Field(
        "material_b",
        "u1",
        "Second material, over the first: row of Land1.wea.",
        status=Status.INFERRED,
        none=NO_LAYER,
    ),
    Field("opaque6", "<u2", "Unknown, 0xFFFF in the samples known.", status=Status.OPEN),
    Field("vertices", "<u2", "Corners.", shape=(3,), refers_to="positions", status=Status.INFERRED),
    Field("neighbours", "<u2", "Faces behind the edges.", shape=(3,), refers_to="faces", none=NONE),
    Field("normal", "<i2", "Face normal.", shape=(3,), unit="1/32767", scale=32767, status=Status.INFERRED),
    # As the selectors of a triangle descriptor: 0x24 is 0, 1, 2 from the lowest bits on.
    Field("edges", "u1", "Three 2-bit values.", status=Status.INFERRED),
    Field("opaque27", "u1", "Unknown.", status=Status.OPEN),
    doc="A triangle of the ground.",
)


def has_microtexture(faces: Rows) -> npt.NDArray[np.bool_]:
    """Whether each face has the microtextures of its materials, (n,): with the flag, and not on water."""
    found: npt.NDArray[np.bool_] = (faces["flags"] & FLAG_MICROTEXTURE != 0) & ~is_water(faces)
    return found


def is_water(faces: Rows) -> npt.NDArray[np.bool_]:
    """Whether each face is water, (n,)."""
    found: npt.NDArray[np.bool_] = faces["flags"] & (FLAG_WATER | SURFACE_WATER) != 0
    return found


def drawn_faces(draws: Rows) -> npt.NDArray[np.int64]:
    """The face of each draw, (n,): the half that counts the faces in order, else the first."""
    halves = [draws[name].astype(np.int64) for name in ("face", "flags")]
    # Which half is the face is contested; a half that is 0, 1, 2, ... numbers all faces in order.
    in_order = np.arange(len(draws))
    return next((half for half in halves if np.array_equal(half, in_order)), halves[0])
