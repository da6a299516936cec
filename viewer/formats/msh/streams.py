"""Res15, Res16 and Res18: further per-vertex streams whose meaning is open.

Source: spec/msh.md 9; field-notes.md 2, 7.
Status: open (Res15, Res16), inferred (Res14; Res18: lightmap coordinates in the field reading).
"""

from __future__ import annotations

from viewer.formats.record import Field, Record, Status

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
        "Field reading: u, v of the lightmap, on terrain of the second layer; seed reading: perhaps a color.",
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
    Field("value", "<f4", "Weight of the first layer, 0 to 1.", status=Status.INFERRED),
    doc="How a vertex of a terrain mixes its two layers.",
)
