"""Edits of objects: added, deleted, joined, moved to other parents; and of what is exported of them."""

from __future__ import annotations

import bpy  # first: it brings the others

# isort: split
from mathutils import Quaternion

from tests.referees.blender.edit_shapes import selected
from tests.referees.blender.files import OPTIONS


def turn(node: str, axis: list[float], radians: float) -> None:
    """Turn a node that does not move."""
    item = bpy.data.objects[node]
    item.rotation_mode = "QUATERNION"
    item.rotation_quaternion = item.rotation_quaternion @ Quaternion(axis, radians)


def move_object(node: str, by: list[float]) -> None:
    """Move an object: one with an animation is where that says."""
    item = bpy.data.objects[node]
    item.location = [a + b for a, b in zip(item.location, by, strict=True)]


def add_cube(name: str, parent: str, size: float, material: str) -> None:
    """Add a cube under a node, with a material that is there."""
    bpy.ops.mesh.primitive_cube_add(size=size)
    cube = bpy.context.object
    cube.name = name
    cube.parent = bpy.data.objects[parent]
    cube.matrix_parent_inverse.identity()
    cube.location = (0, 0, 0)
    cube.data.materials.append(bpy.data.materials[material])


def add_empty(name: str, parent: str) -> None:
    """Add an empty under a node."""
    made = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(made)
    made.parent = bpy.data.objects[parent]
    made.location = (0.5, 1.0, 0.25)


def duplicate(node: str, by: list[float]) -> None:
    """Duplicate an object and move the copy."""
    selected(node)
    bpy.ops.object.duplicate()
    move_object(bpy.context.object.name, by)


def duplicate_linked(node: str, by: list[float]) -> None:
    """Duplicate an object with the same mesh, and move the copy."""
    selected(node)
    bpy.ops.object.duplicate(linked=True)
    move_object(bpy.context.object.name, by)


def separate(node: str) -> None:
    """Make an object of each material of a node."""
    selected(node)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.separate(type="MATERIAL")
    bpy.ops.object.mode_set(mode="OBJECT")


def join(node: str, into: str) -> None:
    """Join an object into another one."""
    selected(node, into)
    bpy.ops.object.join()


def rename(node: str, name: str) -> None:
    """Rename a node."""
    bpy.data.objects[node].name = name


def set_parent(node: str, parent: str) -> None:
    """Hang a node on another one, with its position as it is."""
    bpy.data.objects[node].parent = bpy.data.objects[parent]


def clear_parent(node: str) -> None:
    """Take a node off its parent, and leave it where it is."""
    selected(node)
    bpy.ops.object.parent_clear(type="CLEAR_KEEP_TRANSFORM")


def swap_names(node: str, other: str) -> None:
    """Swap the names of two nodes."""
    one, two = bpy.data.objects[node], bpy.data.objects[other]
    one.name = "swapped"
    two.name, one.name = node, other


def delete_below(node: str) -> None:
    """Remove a node with everything below it."""
    for item in [*bpy.data.objects[node].children_recursive, bpy.data.objects[node]]:
        bpy.data.objects.remove(item)


def delete(node: str) -> None:
    """Remove a node without children."""
    bpy.data.objects.remove(bpy.data.objects[node])


def only(nodes: list[str]) -> None:
    """Export selected objects only."""
    selected(*nodes)
    OPTIONS["use_selection"] = True


def z_up() -> None:
    """Export with "+Y Up" off."""
    OPTIONS["export_yup"] = False


OBJECTS = (
    turn,
    move_object,
    add_cube,
    add_empty,
    duplicate,
    duplicate_linked,
    separate,
    join,
    rename,
    set_parent,
    clear_parent,
    swap_names,
    delete_below,
    delete,
    only,
    z_up,
)
