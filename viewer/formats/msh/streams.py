"""Res15, Res16 and Res18: further per-vertex streams whose meaning is open.

Source: spec/msh.md 9; field-notes.md 2.
Status: open (Res15, Res16), inferred (Res18: lightmap coordinates in the field reading).
"""

from __future__ import annotations

from viewer.formats.record import Field, Record, Status

STREAM15 = Record("stream15", 8, Field("value", "<u4", "Unknown.", shape=(2,), status=Status.OPEN))
STREAM16 = Record(
    "stream16", 8, Field("value", "i1", "Unknown; two packed values.", shape=(8,), status=Status.OPEN)
)
STREAM18 = Record(
    "stream18",
    4,
    Field(
        "value",
        "<u2",
        "Field reading: u, v of the lightmap; seed reading: perhaps a colour.",
        shape=(2,),
        unit="1/1024",
        scale=1024,
        status=Status.INFERRED,
    ),
)
STREAM14 = Record("stream14", 4, Field("value", "<u4", "Unknown, terrain only.", status=Status.OPEN))
