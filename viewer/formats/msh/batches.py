"""Res13, the batches: one indexed draw each.

Source: spec/msh.md 8; field-notes.md 2.
Status: proven (ranges, opaque6, opaque14), inferred (flags), contested (material: see the readings).
"""

from __future__ import annotations

from viewer.formats.record import Bits, Field, Record, Status

# 0x0020 is never in a file: the game sets it on portals while it runs. 0x0008 comes with 0x0100 always,
# 0x0010 and 0x0040 only with 0x0008 (spec/field-notes.md 2).
FLAG_HINTS = {
    0x0001: "submitted at once",
    0x0002: "hit by shots from behind",
    0x0004: "material phase set externally",
    0x0008: "portal",
    0x0010: "portal: sign",
    0x0020: "portal, set at run time",
    0x0040: "portal: open",
    0x0100: "see-through layer",
    0x0800: "point-light emulation",
    0x2000: "takes the lightmap",
    0x4000: "early facing test",
}
FLAG_PORTAL = 0x0008
FLAG_SIGN = 0x0010
FLAG_OPEN = 0x0040
"""Bits that tell the kinds of portals apart: viewer/model/mesh/portals.py."""
FLAG_SEE_THROUGH = 0x0100
"""Drawn in the second layer, after what is opaque; portals have it too (spec/field-notes.md 2)."""
LIGHTMAP_HINTS = {0x00: "taken", 0xFF: "not taken"}

# `index_start` lies at 0x0A: records are packed, and no field is aligned (spec/msh.md 8).
BATCH = Record(
    "batches",
    20,
    Field("flags", "<u2", "Filter mask.", flags=FLAG_HINTS, status=Status.INFERRED),
    Field("material", "<u2", "Wear row.", refers_to="wear", reading="seed", status=Status.INFERRED),
    Field(
        "opaque4",
        "<u2",
        "Unknown in the seed reading; in the field reading the wear row and whether the lightmap is taken.",
        bits=(
            Bits("wear row", 0, 8, "Row of the wear table.", refers_to="wear", reading="field"),
            Bits("lightmap", 8, 8, "Whether the lightmap is taken.", values=LIGHTMAP_HINTS, reading="field"),
        ),
        status=Status.OPEN,
    ),
    Field(
        "opaque6",
        "<u2",
        "In the field reading the node (room) behind a portal; unknown in the seed reading.",
        bits=(
            Bits(
                "node behind the portal",
                0,
                16,
                "Room that the portal leads to.",
                refers_to="nodes",
                none=0xFFFF,
                reading="field",
            ),
        ),
    ),
    Field("index_count", "<u2", "Number of indices."),
    Field("index_start", "<u4", "First index.", refers_to="indices"),
    Field("opaque14", "<u2", "Vertices spanned: the largest index + 1."),
    # By one reading the game takes its low 16 bits only (spec/msh.md 8).
    Field("base_vertex", "<u4", "Added to every index of the batch.", refers_to="positions"),
    doc="A range of indices drawn with one material.",
)
