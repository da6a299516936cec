"""Res11 and Res21, the tables that only terrain has: draw list and faces.

Source: spec/land.md 1, 2.
Status: inferred.
"""

from __future__ import annotations

from viewer.formats.record import Field, Record, Status

NONE = 0xFFFF

DRAW = Record(
    "draw_list",
    4,
    Field("face", "<u2", "Face to draw.", refers_to="faces", status=Status.INFERRED),
    Field("flags", "<u2", "Bit 0x0010 starts a new batch.", status=Status.INFERRED),
)
FACE = Record(
    "faces",
    28,
    Field("flags", "<u4", "Query masks; 0x8 no back-face test, 0x20000 water.", status=Status.INFERRED),
    Field("material_a", "u1", "Base material selector.", status=Status.INFERRED),
    Field("material_b", "u1", "Second selector.", status=Status.INFERRED, none=0xFF),
    Field("opaque6", "<u2", "Unknown, 0xFFFF in the samples known.", status=Status.OPEN),
    Field("vertices", "<u2", "Corners.", shape=(3,), refers_to="positions", status=Status.INFERRED),
    Field("neighbours", "<u2", "Faces behind the edges.", shape=(3,), refers_to="faces", none=NONE),
    Field("normal", "<i2", "Face normal.", shape=(3,), unit="1/32767", status=Status.INFERRED),
    Field("edges", "u1", "Three 2-bit values.", status=Status.INFERRED),
    Field("opaque27", "u1", "Unknown.", status=Status.OPEN),
)
