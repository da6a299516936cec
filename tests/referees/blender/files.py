"""Opening and saving glTF in Blender."""

from __future__ import annotations

from typing import Any, Final

import bpy

OPTIONS: Final[dict[str, Any]] = {}
"""Options of the next export that an edit asks for."""
KEEP: Final = {
    "export_extras": True,
    "export_attributes": True,
    "export_yup": True,
    "export_apply": False,
    "export_animations": True,
    "export_animation_mode": "ACTIONS",
    "export_force_sampling": False,
    "export_optimize_animation_size": False,
    "export_texcoords": True,
    "export_normals": True,
}
"""With custom properties, attributes, and keys as they are."""


def open_file(path: str, fps: int) -> None:
    """Import a file into an empty scene with `fps` frames a second; ends the program if Blender cannot."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps
    OPTIONS.clear()
    if bpy.ops.import_scene.gltf(filepath=path) != {"FINISHED"}:
        raise SystemExit(f"Blender did not import {path}")


def save_file(path: str, *, by_default: bool = False) -> None:
    """Export the scene with its custom properties and its keys as they are, or as Blender does by default."""
    options = OPTIONS if by_default else {**KEEP, **OPTIONS}
    bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", **options)
