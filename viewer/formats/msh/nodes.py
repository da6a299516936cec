"""Res1, the nodes: rigid parts with a parent, an animation track and a matrix of slots.

Source: spec/msh.md 2.
Status: proven (layout, slot lookup), inferred (flag hints).
"""

from __future__ import annotations

from viewer.formats.record import Field, Record, Status

NONE = 0xFFFF
"""The value for no parent, no map, no slot."""

# The engine reads word node * 19 + 4 + lod * 5 + group of the table: 19 words a node, the first 4 before the
# matrix (spec/msh.md 2).
LODS = 3
GROUPS = 5
LEGACY_SIZE = 24
"""Node size of the only retail file with unknown records; its tables are copied unchanged."""

# The seeds say that the engine tests 0x0040 and 0x0800, and not what for. The meanings are those of public
# projects; 0x0010, on 861 of 1845 nodes, is a suggestion of one that nothing confirms (spec/msh.md 2,
# field-notes.md 2).
FLAG_HINTS = {
    0x0001: "internal part",
    0x0004: "different rule for the bounds of its children",
    0x0010: "children are not visited",
    0x0020: "cockpit, drawn in the own view only",
    0x0040: "casts no shadow",
    0x0080: "has a damage stage of its own",
    0x0100: "drawn even after its last damage state",
    0x0200: "vital: the unit dies with it",
    0x0400: "copies the parent's share of life",
    0x0800: 'hidden when the parent\'s name contains "central"',
}

NODE = Record(
    "nodes",
    38,
    Field("flags", "<u2", "Node flags (hdr0).", flags=FLAG_HINTS, status=Status.INFERRED),
    Field("parent", "<u2", "Parent node (hdr1); none for a root.", refers_to="nodes", none=NONE),
    Field(
        "map_start",
        "<u2",
        "First word of the node's block in the frame map (hdr2); none if not animated.",
        refers_to="frame_map",
        none=NONE,
    ),
    Field(
        "fallback_key", "<u2", "Last key of the node's track, also its static pose (hdr3).", refers_to="keys"
    ),
    Field(
        "slots",
        "<u2",
        "Slot matrix: LOD 0..2 (row; damage stage) by group 0..4 (column; level of detail, 4 the own view).",
        shape=(LODS, GROUPS),
        refers_to="slots",
        none=NONE,
    ),
    doc="A rigid part: its parent, its keys, and what it shows.",
)

# `system.rlb :: MTCHECK.MSH`, with one key and an empty frame map (spec/msh.md 2).
LEGACY_NODE = Record(
    "nodes",
    LEGACY_SIZE,
    *(
        Field(
            f"unknown_0x{offset:02x}",
            "<u2",
            "Unknown; shown in words of two bytes because a node of 38 bytes has no others.",
            status=Status.OPEN,
        )
        for offset in range(0, LEGACY_SIZE, 2)
    ),
    doc="A node of the one file whose records are unknown.",
)

FLAG_INTERNAL = 0x0001
FLAG_COCKPIT = 0x0020
FLAG_SURVIVES = 0x0100
"""Shown even at life 0."""
FLAG_VITAL = 0x0200
FLAG_COPIES_LIFE = 0x0400
