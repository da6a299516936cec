"""The edits of the table, a row a line, and what is known to be off after their import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

X: Final = [1, 0, 0]
CORNER: Final = [-0.7099609375, -1.599609375, 0.2998046875]


@dataclass(frozen=True, slots=True)
class Row:
    """An edit of the walker.

    Attributes
    ----------
    edit, arguments
        Of a function in the modules ``blender/edit_...``.
    z_up, only
        Whether the file has the game's axes, and holds only what is selected.
    off
        Figures that are off, by the name of the setting, each with the largest value.
    is_silent
        Whether they are off and the import does not list them: a fault that is known.
    """

    name: str
    edit: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    z_up: bool = False
    only: bool = False
    off: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    is_silent: bool = False


def _both(**figures: float) -> dict[str, dict[str, float]]:
    """The same figures with both settings."""
    return {"keep": figures, "default": figures}


def _modifier(kind: str, node: str = "engine", **values: Any) -> dict[str, Any]:
    return {"node": node, "kind": kind, "values": values}


ENGINE: Final = {"node": "engine"}
ROWS: Final = (
    Row("nothing", "nothing"),
    Row("vertex", "move_vertex", {**ENGINE, "at": CORNER, "by": [0.25, 0, 0]}),
    Row("rotate", "rotate_shape", {**ENGINE, "degrees": 90}),
    Row("twist", "twist", {**ENGINE, "degrees": 60}),
    Row("mirror", "mirror_shape", ENGINE),
    Row("merge", "merge", {**ENGINE, "distance": 0.001}),
    Row("dissolve", "dissolve", {**ENGINE, "degrees": 5}),
    Row("extrude", "extrude", {**ENGINE, "by": [0, 0, 0.5]}),
    Row("delete faces", "delete_faces", {**ENGINE, "count": 10}),
    Row("flip", "flip", ENGINE),
    Row("scale", "scale_object", {**ENGINE, "by": [1.5, 1.5, 1.5]}),
    Row("mirrored scale", "scale_object", {**ENGINE, "by": [-1, 1, 1]}),
    Row("applied scale", "apply_scale", {**ENGINE, "by": [1, 2, 0.5]}),
    Row("origin", "set_origin", ENGINE, off={"keep": {"frames": 101, "units": 1.7}}),
    Row("Array", "apply_modifier", _modifier("ARRAY", count=2)),
    Row("Mirror", "apply_modifier", _modifier("MIRROR")),
    Row("Subdivision", "apply_modifier", _modifier("SUBSURF", levels=1)),
    Row("uv", "move_uv", {**ENGINE, "by": [0.25, 0.125]}),
    Row("slots", "swap_slots", ENGINE),
    Row("no material", "remove_materials", ENGINE, off=_both(worn=336)),
    Row("colour", "base_color", {"material": "WALKER_METAL", "color": [1.0, 0.5, 0.0, 1.0]}),
    Row("alpha", "alpha", {"material": "WALKER_METAL", "value": 0.5}, off=_both(materials=1)),
    Row("image", "image", {"material": "WALKER_JOINT", "name": "DOME", "width": 64, "height": 32}),
    Row("rename material", "rename_material", {"material": "TRIM", "name": "BRASS"}),
    Row("add material", "add_material", {**ENGINE, "index": 0, "name": "GOLD", "color": [1, 0.5, 0, 1]}),
    Row("roughness", "roughness", {"material": "WALKER_METAL", "value": 0.2}),
    Row("delete", "delete", {"node": "flap_l"}),
    Row("add", "add_cube", {"name": "crate", "parent": "turret", "size": 0.5, "material": "TRIM"}),
    Row("duplicate", "duplicate", {**ENGINE, "by": [1, 0, 0]}),
    Row("empty", "add_empty", {"name": "socket", "parent": "turret"}),
    Row("separate", "separate", ENGINE),
    Row("join", "join", {"node": "fittings", "into": "engine"}),
    Row("reparent", "set_parent", {"node": "eye", "parent": "central"}),
    Row("rename", "rename", {"node": "dish", "name": "radar"}),
    Row("location", "move_object", {"node": "gun_l", "by": [0.5, 0, 0]}),
    Row(
        "key value",
        "rotate_key",
        {"node": "gun_l", "frame": 88, "axis": X, "radians": 0.3},
        off={"default": {"frames": 6, "degrees": 2.6, "units": 0.05}},
        is_silent=True,
    ),
    Row("key added", "add_key", {"node": "gun_l", "frame": 50, "axis": X, "radians": 0.3}),
    Row(
        "key deleted",
        "delete_key",
        {"node": "gun_l", "frame": 88},
        off={"default": {"frames": 4, "degrees": 1.2, "units": 0.03}},
        is_silent=True,
    ),
    Row(
        "helper key",
        "rotate_key",
        {"node": "turret", "frame": 90, "axis": X, "radians": 0.3},
        off={"default": {"frames": 20, "degrees": 2.6, "units": 0.09}},
    ),
    Row("constant", "interpolate", {"node": "gun_l", "kind": "CONSTANT"}),
    Row("bezier", "interpolate", {"node": "gun_l", "kind": "BEZIER"}),
    Row("retimed", "retime", {"node": "dish", "factor": 0.75}),
    Row("cut", "cut", {"node": "gun_l", "frame": 50, "axis": X, "radians": 0.3}),
    Row(
        "new action",
        "new_action",
        {"name": "wave", "node": "gun_l", "frames": 20, "axis": X, "radians": 0.5},
        off={"keep": {"frames": 21}, "default": {"frames": 1808, "degrees": 26.1, "units": 0.4}},
    ),
    Row("selected only", "only", {"nodes": ["engine", "fittings"]}, only=True),
    Row("axes", "z_up", z_up=True),
)
