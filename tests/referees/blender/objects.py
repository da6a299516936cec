"""``python -m tests.referees.blender.objects JOBS.json``: edit OBJ files in Blender as a user would.

JOBS is a list of ``{"file", "out", "edit", ...}``: the name of a function below, and its arguments. Axes and
all other options are those that Blender proposes.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import bpy  # first: it brings the others

# isort: split
import bmesh
from mathutils import Vector


def nothing() -> None:
    """Only through Blender and out again."""


def move_vertex(part: str, number: int, by: list[float]) -> None:
    """Move a vertex of an object, and those at the same place."""
    vertices = bpy.data.objects[part].data.vertices
    place = vertices[number].co.copy()
    for vertex in vertices:
        if (vertex.co - place).length < 1e-5:
            vertex.co += Vector(by)


def change_material(part: str, material: str) -> None:
    """Give an object another material of the file."""
    bpy.data.objects[part].material_slots[0].material = bpy.data.materials[material]


def new_material(part: str, name: str) -> None:
    """Give an object a new material."""
    bpy.data.objects[part].material_slots[0].material = bpy.data.materials.new(name)


def remove_image(material: str) -> None:
    """Delete the image of a material."""
    nodes = bpy.data.materials[material].node_tree.nodes
    for node in [it for it in nodes if it.type == "TEX_IMAGE"]:
        nodes.remove(node)


def paint_faces(part: str, material: str, count: int) -> None:
    """Give the first faces of an object another material."""
    data = bpy.data.objects[part].data
    data.materials.append(bpy.data.materials[material])
    for face in data.polygons[:count]:
        face.material_index = len(data.materials) - 1


def add_cube(name: str, size: float, material: str) -> None:
    """Add a cube."""
    bpy.ops.mesh.primitive_cube_add(size=size)
    bpy.context.object.name = name
    bpy.context.object.data.materials.append(bpy.data.materials[material])


def rename(part: str, name: str) -> None:
    """Rename an object."""
    bpy.data.objects[part].name = name


def delete(part: str) -> None:
    """Remove an object."""
    bpy.data.objects.remove(bpy.data.objects[part])


def copy(part: str, by: list[float]) -> None:
    """Duplicate an object and move the copy."""
    made = bpy.data.objects[part].copy()
    made.data = made.data.copy()
    made.location += Vector(by)
    bpy.context.collection.objects.link(made)


def delete_faces(part: str, count: int) -> None:
    """Remove the first triangles of an object, and the vertices that nothing else uses."""
    data = bpy.data.objects[part].data
    mesh = bmesh.new()
    mesh.from_mesh(data)
    mesh.faces.ensure_lookup_table()
    bmesh.ops.delete(mesh, geom=mesh.faces[:count], context="FACES")
    mesh.to_mesh(data)
    mesh.free()


def select(nodes: list[str]) -> None:
    """Select the objects of some nodes, and nothing else."""
    for it in bpy.data.objects:
        it.select_set(it.name.partition("~")[0] in nodes)


EDITS = {
    it.__name__: it
    for it in (
        nothing,
        move_vertex,
        change_material,
        new_material,
        remove_image,
        paint_faces,
        add_cube,
        rename,
        delete,
        copy,
        delete_faces,
        select,
    )
}

if __name__ == "__main__":
    for job in json.loads(Path(sys.argv[1]).read_text()):
        arguments = dict(job)
        file, out, edit = (arguments.pop(name) for name in ("file", "out", "edit"))
        bpy.ops.wm.read_factory_settings(use_empty=True)
        if bpy.ops.wm.obj_import(filepath=file) != {"FINISHED"}:
            raise SystemExit(f"Blender did not import {file}")
        EDITS[edit](**arguments)
        bpy.ops.wm.obj_export(filepath=out, export_selected_objects=edit == "select")
    sys.stdout.flush()
    os._exit(0)  # Blender may crash in its own clean-up
