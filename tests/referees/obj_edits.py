"""Edits of OBJ files in Blender, and what the import has to find: these changes and no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tests.referees.edits import COUNTS, MOVED, Edit, Found

PART: Final = "engine~n3.s2.b2"
"""A lamp of the engine: 12 triangles over 24 vertices."""
NEW_ROWS: Final[Mapping[Found, int]] = {
    ("indices", None): 36,
    ("positions", None): 24,
    ("tri_descriptors", None): 12,
}
WALKER: Final[Sequence[Edit]] = (
    Edit(
        {"edit": "move_vertex", "part": PART, "number": 0, "by": [0.25, 0, 0]},
        {("positions", "position"): 3, ("tri_descriptors", "normal_raw"): 3, ("normals", "normal"): 5},
    ),
    Edit({"edit": "change_material", "part": PART, "material": "GLASS~m5"}, {("batches", "opaque4"): 1}),
    Edit(
        {"edit": "new_material", "part": PART, "name": "GOLD"},
        {("batches", "opaque4"): 1},
        items=["Material.lib::GOLD: add entry GOLD"],
    ),
    Edit(
        {"edit": "remove_image", "material": "GLASS~m5"},
        {},
        items=["Material.lib::GLASS: set phases[0].texture to "],
    ),
    Edit(
        {"edit": "paint_faces", "part": PART, "material": "GLASS~m5", "count": 2},
        {("batches", None): 1},
        MOVED,
    ),
    Edit(
        {"edit": "add_cube", "name": "crate", "size": 0.5, "material": "TRIM~m3"},
        {**NEW_ROWS, ("slots", None): 1, ("batches", None): 1, ("keys", None): 1, ("name_records", None): 1},
        COUNTS | {"nodes", "normals", "uvs", "strings"},
    ),
    Edit(
        {"edit": "rename", "part": "dish~n7.s6.b0", "name": "radar~n7.s6.b0"}, {("name_records", "name"): 1}
    ),
    Edit({"edit": "delete", "part": PART}, {**NEW_ROWS, ("batches", None): 1}, MOVED),
    Edit({"edit": "copy", "part": PART, "by": [1, 0, 0]}, NEW_ROWS, MOVED),
    Edit(
        {"edit": "delete_faces", "part": PART, "count": 2},
        {("indices", None): 6, ("tri_descriptors", None): 2},
        MOVED,
    ),
    # "Selected Only": nodes that are not in the file stay as they are.
    Edit({"edit": "select", "nodes": ["engine", "fittings"]}, {}),
)
