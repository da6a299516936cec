"""Edits in Blender, and what the import has to find: these changes and no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Found = tuple[str, str | None]
"""A table and a field; None for whole rows that are added or removed."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What is done to the walker of our sample.

    Attributes
    ----------
    arguments
        Of a function in ``blender/edits.py``, with its name.
    changes
        How many values of a field, or rows of a table, are changed.
    others
        Tables in which anything may change: what follows from rows that come or go.
    items
        The changes of libraries, as they are listed.
    """

    arguments: Mapping[str, Any]
    changes: Mapping[Found, int]
    others: frozenset[str] = frozenset()
    items: Sequence[str] = ()


COUNTS: Final = frozenset({"header", "entries", "resources"})
MOVED: Final = COUNTS | {"slots", "batches", "tri_descriptors", "indices", "positions", "normals", "uvs"}
WALKER: Final[Sequence[Edit]] = (
    Edit(
        {
            "edit": "move_vertex",
            "node": "engine",
            "at": [-0.7099609375, -1.599609375, 0.2998046875],
            "by": [0.25, 0, 0],
        },
        {("positions", "position"): 2, ("normals", "normal"): 5, ("tri_descriptors", "normal_raw"): 1},
    ),
    Edit(
        {"edit": "rotate_key", "node": "gun_l", "frame": 88, "axis": [0, 0, 1], "radians": 0.3},
        {("keys", None): 2, ("keys", "quaternion_raw"): 1},  # its neighbors at whole frames become keys
        frozenset({"resources", "keys", "frame_map"}),
    ),
    Edit(
        {"edit": "turn", "node": "engine", "axis": [1, 0, 0], "radians": 0.2}, {("keys", "quaternion_raw"): 1}
    ),
    Edit(
        {"edit": "add_cube", "name": "crate", "parent": "turret", "size": 0.5, "material": "TRIM"},
        {
            ("indices", None): 36,
            ("positions", None): 24,
            ("tri_descriptors", None): 12,
            ("slots", None): 1,
            ("batches", None): 1,
            ("keys", None): 1,
            ("name_records", None): 1,
        },
        COUNTS | {"nodes", "normals", "uvs", "strings"},
    ),
    Edit({"edit": "rename", "node": "dish", "name": "radar"}, {("name_records", "name"): 1}),
    Edit(
        {"edit": "change_material", "node": "engine", "index": 2, "material": "GLASS"},
        {("batches", "opaque4"): 1},
    ),
    Edit(
        {"edit": "base_color", "material": "WALKER_METAL", "color": [1.0, 0.5, 0.0, 1.0]},
        {},
        items=["Material.lib::WALKER_METAL: set phases[0].diffuse to [255, 188, 0]"],
    ),
    Edit(
        {"edit": "emission", "material": "TRIM", "color": [0.25, 0.0, 0.0, 1.0], "strength": 2.0},
        {},
        items=["Material.lib::TRIM: set phases[0].ambient to [188, 0, 0]"],
    ),
    Edit(
        {"edit": "image", "material": "WALKER_JOINT", "name": "DOME", "width": 64, "height": 32},
        {},
        items=[
            "Textures.lib::DOME.0: add entry DOME.0",
            "Material.lib::WALKER_JOINT: set phases[0].texture to DOME.0",
        ],
    ),
    Edit(
        {"edit": "delete_faces", "node": "engine", "count": 2},
        {("indices", None): 6, ("tri_descriptors", None): 2},
        MOVED,
    ),
    Edit({"edit": "set_parent", "node": "eye", "parent": "central"}, {("nodes", "parent"): 1}),
    Edit(
        {"edit": "delete", "node": "flap_l"},
        {("name_records", None): 1, ("nodes", None): 1},
        MOVED | {"nodes", "keys", "frame_map", "strings"},
    ),
)


def difference(edit: Edit, said: Mapping[str, Any]) -> str:
    """How what an import says differs from what is expected; empty if it does not."""
    changes = said["changes"]
    items = [f"{it['item']}: {it['change']}" for it in said["items"]]
    if items != [*edit.items]:
        return f"{edit.arguments['edit']}: expected {edit.items}, found {items}"
    found: Counter[Found] = Counter()
    for it in changes:
        found[it["table"], it["field"]] += it.get("count", 1)  # rows that follow each other
    missing = {key: count for key, count in edit.changes.items() if found[key] != count}
    more = {
        key: count for key, count in found.items() if key not in edit.changes and key[0] not in edit.others
    }
    if not missing and not more:
        return ""
    return f"{edit.arguments['edit']}: expected {missing}, found { ({k: found[k] for k in missing} | more) }"
