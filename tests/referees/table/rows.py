"""The edits of the table, a row a line, and what is known to be off after their import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

X: Final = [1, 0, 0]
CORNER: Final = [-0.7099609375, -1.599609375, 0.2998046875]


@dataclass(frozen=True, slots=True)
class EditRow:
    """An edit of the walker.

    Attributes
    ----------
    edit, arguments
        Of a function in the modules ``blender/edit_...``.
    z_up, only
        Whether the file has the game's axes, and holds only what is selected.
    is_keyed
        Whether a file of samples says too little: between two samples a key that was edited is a corner,
        which the straight way cuts off by degrees. The right value is then what Blender itself shows at
        whole frames, which the file with its keys says. No keys at whole frames go through all samples and
        through the straight way between them.
    off
        Figures that are off, by the name of the setting, each with the largest value.
    """

    name: str
    edit: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    z_up: bool = False
    only: bool = False
    is_keyed: bool = False
    off: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def _both(**figures: float) -> dict[str, dict[str, float]]:
    """The same figures with both settings."""
    return {"keep": figures, "default": figures}


def _modifier(kind: str, node: str = "engine", **values: Any) -> dict[str, Any]:
    return {"node": node, "kind": kind, "values": values}


ENGINE: Final = {"node": "engine"}
ROWS: Final = (
    EditRow("nothing", "nothing"),
    EditRow("vertex", "move_vertex", {**ENGINE, "at": CORNER, "by": [0.25, 0, 0]}),
    EditRow("rotate", "rotate_shape", {**ENGINE, "degrees": 90}),
    EditRow("twist", "twist", {**ENGINE, "degrees": 60}),
    EditRow("mirror", "mirror_shape", ENGINE),
    EditRow("merge", "merge", {**ENGINE, "distance": 0.001}),
    EditRow("dissolve", "dissolve", {**ENGINE, "degrees": 5}),
    EditRow("extrude", "extrude", {**ENGINE, "by": [0, 0, 0.5]}),
    EditRow("delete faces", "delete_faces", {**ENGINE, "count": 10}),
    EditRow("flip", "flip", ENGINE),
    EditRow("scale", "scale_object", {**ENGINE, "by": [1.5, 1.5, 1.5]}),
    EditRow("mirrored scale", "scale_object", {**ENGINE, "by": [-1, 1, 1]}),
    EditRow("applied scale", "apply_scale", {**ENGINE, "by": [1, 2, 0.5]}),
    EditRow("origin", "set_origin", ENGINE),
    EditRow("Array", "apply_modifier", _modifier("ARRAY", count=2)),
    EditRow("Mirror", "apply_modifier", _modifier("MIRROR")),
    EditRow("Subdivision", "apply_modifier", _modifier("SUBSURF", levels=1)),
    EditRow("bevel", "apply_modifier", _modifier("BEVEL", width=0.05, segments=2)),
    EditRow("bevel of one step", "apply_modifier", _modifier("BEVEL", node="turret", width=0.03, segments=1)),
    EditRow("Solidify", "apply_modifier", _modifier("SOLIDIFY", thickness=0.05)),
    EditRow("Decimate", "apply_modifier", _modifier("DECIMATE", ratio=0.5)),
    EditRow("smooth", "smooth", {**ENGINE, "factor": 0.5}),
    EditRow("subdivide", "subdivide", {**ENGINE, "cuts": 1}),
    EditRow("shade flat", "shade", {**ENGINE, "is_smooth": False}),
    EditRow("shade smooth", "shade", {**ENGINE, "is_smooth": True}),
    EditRow("normals", "own_normals", {**ENGINE, "direction": [0, 0.6, 0.8]}),
    EditRow("second uv", "add_uv", ENGINE),
    EditRow("uv", "move_uv", {**ENGINE, "by": [0.25, 0.125]}),
    EditRow("slots", "swap_slots", ENGINE),
    EditRow("material of some faces", "paint_faces", {**ENGINE, "count": 20, "material": "GLASS"}),
    EditRow("no material", "remove_materials", ENGINE, off=_both(worn=336)),
    EditRow("colour", "base_color", {"material": "WALKER_METAL", "color": [1.0, 0.5, 0.0, 1.0]}),
    EditRow("alpha", "alpha", {"material": "WALKER_METAL", "value": 0.5}, off=_both(materials=1)),
    EditRow("image", "image", {"material": "WALKER_JOINT", "name": "DOME", "width": 64, "height": 32}),
    EditRow("rename material", "rename_material", {"material": "TRIM", "name": "BRASS"}),
    EditRow("add material", "add_material", {**ENGINE, "index": 0, "name": "GOLD", "color": [1, 0.5, 0, 1]}),
    EditRow("roughness", "roughness", {"material": "WALKER_METAL", "value": 0.2}),
    EditRow("delete", "delete", {"node": "flap_l"}),
    EditRow("delete a node of a channel", "delete", {"node": "turret"}, off=_both(nodes=1)),
    EditRow("add", "add_cube", {"name": "crate", "parent": "turret", "size": 0.5, "material": "TRIM"}),
    EditRow("duplicate", "duplicate", {**ENGINE, "by": [1, 0, 0]}),
    EditRow("linked duplicate", "duplicate_linked", {**ENGINE, "by": [1, 0, 0]}),
    EditRow("empty", "add_empty", {"name": "socket", "parent": "turret"}),
    EditRow("separate", "separate", ENGINE),
    EditRow("join", "join", {"node": "fittings", "into": "engine"}),
    EditRow("reparent", "set_parent", {"node": "eye", "parent": "central"}),
    EditRow("no parent", "clear_parent", {"node": "dish"}),
    EditRow("delete with what is below", "delete_below", {"node": "turret"}, off=_both(nodes=7)),
    EditRow("swap names", "swap_names", {"node": "flap_l", "other": "flap_r"}, is_keyed=True),
    EditRow("turn", "turn", {**ENGINE, "axis": X, "radians": 0.2}),
    EditRow("scale of what moves", "scale_object", {"node": "turret", "by": [1.5, 1.5, 1.5]}, is_keyed=True),
    EditRow(
        "uneven scale of what moves",
        "scale_object",
        {"node": "turret", "by": [1, 2, 1]},
        off=_both(frames=777, degrees=18.4, units=0.57),
    ),
    EditRow("rename", "rename", {"node": "dish", "name": "radar"}),
    EditRow("location", "move_object", {"node": "gun_l", "by": [0.5, 0, 0]}),
    EditRow(
        "key value",
        "rotate_key",
        {"node": "gun_l", "frame": 88, "axis": X, "radians": 0.3},
        is_keyed=True,
    ),
    EditRow("key added", "add_key", {"node": "gun_l", "frame": 50, "axis": X, "radians": 0.3}),
    EditRow(
        "key deleted",
        "delete_key",
        {"node": "gun_l", "frame": 88},
        is_keyed=True,
    ),
    EditRow(
        "helper key",
        "rotate_key",
        {"node": "turret", "frame": 90, "axis": X, "radians": 0.3},
        is_keyed=True,
    ),
    EditRow("keys of the location", "move_keys", {"node": "gun_l", "by": [0.25, 0, 0.5]}, is_keyed=True),
    EditRow("a still node moves", "animate", {**ENGINE, "frames": [0, 20, 40], "axis": X, "radians": 0.5}),
    EditRow("a moving node stands still", "clear_animation", {"node": "dish"}),
    EditRow("constant", "interpolate", {"node": "gun_l", "kind": "CONSTANT"}),
    EditRow("bezier", "interpolate", {"node": "gun_l", "kind": "BEZIER"}),
    EditRow("retimed", "retime", {"node": "dish", "factor": 0.75}),
    EditRow("all retimed", "retime_all", {"factor": 0.5}, off={"default": {"frames": 5, "units": 0.0036}}),
    EditRow("cut", "cut", {"node": "gun_l", "frame": 50, "axis": X, "radians": 0.3}),
    EditRow(
        "new action",
        "new_action",
        {"name": "wave", "node": "gun_l", "frames": 20, "axis": X, "radians": 0.5},
    ),
    EditRow("selected only", "only", {"nodes": ["engine", "fittings"]}, only=True),
    EditRow("axes", "z_up", z_up=True),
)
