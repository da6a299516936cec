"""``python -m tests.referees.blender.edits JOBS.json``: edit files in Blender as a user would.

JOBS is a list of ``{"file", "out", "fps", "edit", ...}``: the name of a function below, and its arguments.
With ``"by_default": true`` files are written as Blender does unless told otherwise.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import bpy  # first: it brings the others

# isort: split
import bmesh
from mathutils import Quaternion, Vector

from tests.referees.blender.files import open_file, save_file


def nothing() -> None:
    """Only through Blender and out again."""


def move_vertex(node: str, at: list[float], by: list[float]) -> None:
    """Move the vertices of a mesh that lie at a place, all in the space of the node."""
    place, step = Vector(at), Vector(by)
    moved = [it for it in bpy.data.objects[node].data.vertices if (it.co - place).length < 1e-5]
    if not moved:
        raise SystemExit(f"{node} has no vertex at {at}")
    for vertex in moved:
        vertex.co += step


def rotate_key(node: str, frame: float, axis: list[float], radians: float) -> None:
    """Turn a node at one of its keys about an axis of its own."""
    item = bpy.data.objects[node]
    curves = [it for it in _curves(item) if it.data_path == "rotation_quaternion"]
    points = [next(it for it in curve.keyframe_points if abs(it.co.x - frame) < 1e-3) for curve in curves]
    turned = Quaternion([it.co.y for it in points]) @ Quaternion(axis, radians)
    for point, value in zip(points, turned, strict=True):
        point.co.y = value


def turn(node: str, axis: list[float], radians: float) -> None:
    """Turn a node that does not move."""
    item = bpy.data.objects[node]
    item.rotation_mode = "QUATERNION"
    item.rotation_quaternion = item.rotation_quaternion @ Quaternion(axis, radians)


def add_cube(name: str, parent: str, size: float, material: str) -> None:
    """Add a cube under a node, with a material that is there."""
    bpy.ops.mesh.primitive_cube_add(size=size)
    cube = bpy.context.object
    cube.name = name
    cube.parent = bpy.data.objects[parent]
    cube.matrix_parent_inverse.identity()
    cube.location = (0, 0, 0)
    cube.data.materials.append(bpy.data.materials[material])


def rename(node: str, name: str) -> None:
    """Rename a node."""
    bpy.data.objects[node].name = name


def change_material(node: str, index: int, material: str) -> None:
    """Give the faces with a material of a node another one."""
    bpy.data.objects[node].material_slots[index].material = bpy.data.materials[material]


def base_color(material: str, color: list[float]) -> None:
    """Multiply the image of a material by a linear color."""
    tree, socket = _tree(material)
    links = socket.links
    if links and links[0].from_node.type == "MIX":
        free = [it for it in links[0].from_node.inputs if it.type == "RGBA" and not it.is_linked]
        free[-1].default_value = color
        return
    mix = tree.nodes.new("ShaderNodeMix")
    mix.data_type, mix.blend_type = "RGBA", "MULTIPLY"
    mix.inputs[0].default_value = 1.0
    tree.links.new(links[0].from_socket, mix.inputs[6])
    mix.inputs[7].default_value = color
    tree.links.new(mix.outputs[2], socket)


def emission(material: str, color: list[float], strength: float) -> None:
    """Let a material shine in a linear color."""
    shader = _tree(material)[1].node
    shader.inputs["Emission Color"].default_value = color
    shader.inputs["Emission Strength"].default_value = strength


def image(material: str, name: str, width: int, height: int) -> None:
    """Give a material another image, red from left to right."""
    made = bpy.data.images.new(name, width, height)
    row = [value for x in range(width) for value in (x / (width - 1), 0.0, 0.0, 1.0)]
    made.pixels = row * height
    made.pack()
    tree = _tree(material)[0]
    next(it for it in tree.nodes if it.type == "TEX_IMAGE").image = made


def _tree(material: str) -> tuple[Any, Any]:
    """The nodes of a material, and the base color of its shader."""
    tree = bpy.data.materials[material].node_tree
    shader = next(it for it in tree.nodes if it.type == "BSDF_PRINCIPLED")
    return tree, shader.inputs["Base Color"]


def delete_faces(node: str, count: int) -> None:
    """Remove the first triangles of a mesh, and the vertices that nothing else uses."""
    data = bpy.data.objects[node].data
    mesh = bmesh.new()
    mesh.from_mesh(data)
    mesh.faces.ensure_lookup_table()
    bmesh.ops.delete(mesh, geom=mesh.faces[:count], context="FACES")
    mesh.to_mesh(data)
    mesh.free()


def set_parent(node: str, parent: str) -> None:
    """Hang a node on another one, with its position as it is."""
    bpy.data.objects[node].parent = bpy.data.objects[parent]


def delete(node: str) -> None:
    """Remove a node without children."""
    bpy.data.objects.remove(bpy.data.objects[node])


def _curves(item: Any) -> list[Any]:
    """The curves of an object in its action, which it may share."""
    data = item.animation_data
    strips = [strip for layer in data.action.layers for strip in layer.strips]
    return [it for strip in strips for it in strip.channelbag(data.action_slot).fcurves]


EDITS = {
    it.__name__: it
    for it in (
        nothing,
        move_vertex,
        rotate_key,
        turn,
        add_cube,
        rename,
        change_material,
        base_color,
        emission,
        image,
        delete_faces,
        set_parent,
        delete,
    )
}

if __name__ == "__main__":
    for job in json.loads(Path(sys.argv[1]).read_text()):
        arguments = dict(job)
        file, out, fps, edit = (arguments.pop(name) for name in ("file", "out", "fps", "edit"))
        by_default = arguments.pop("by_default", False)
        open_file(file, fps)
        EDITS[edit](**arguments)
        save_file(out, by_default=by_default)
    sys.stdout.flush()
    os._exit(0)  # Blender may crash in its own clean-up
