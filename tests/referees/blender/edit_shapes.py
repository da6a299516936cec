"""Edits of shapes as a user makes them: in Edit Mode, with modifiers, and of objects that carry shapes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import radians
from typing import Any

import bpy  # first: it brings the others

# isort: split
import bmesh
from mathutils import Matrix, Vector


@contextmanager
def _edited(node: str) -> Iterator[Any]:
    """The mesh of a node as BMesh, written back at the end."""
    data = bpy.data.objects[node].data
    mesh = bmesh.new()
    mesh.from_mesh(data)
    mesh.faces.ensure_lookup_table()
    yield mesh
    mesh.to_mesh(data)
    mesh.free()


def selected(*nodes: str) -> Any:
    """Select these objects and no others; the last one is the active one."""
    for item in bpy.data.objects:
        item.select_set(item.name in nodes)
    bpy.context.view_layer.objects.active = bpy.data.objects[nodes[-1]]
    return bpy.data.objects[nodes[-1]]


@contextmanager
def _edit_mode(node: str) -> Iterator[Any]:
    """Edit Mode of a node with everything selected."""
    item = selected(node)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    yield item
    bpy.ops.object.mode_set(mode="OBJECT")


def move_vertex(node: str, at: list[float], by: list[float]) -> None:
    """Move the vertices of a mesh that lie at a place, all in the space of the node."""
    place, step = Vector(at), Vector(by)
    moved = [it for it in bpy.data.objects[node].data.vertices if (it.co - place).length < 1e-5]
    if not moved:
        raise SystemExit(f"{node} has no vertex at {at}")
    for vertex in moved:
        vertex.co += step


def rotate_shape(node: str, degrees: float) -> None:
    """Turn everything in Edit Mode about the X axis of the node."""
    turned = Matrix.Rotation(radians(degrees), 3, "X")
    for vertex in bpy.data.objects[node].data.vertices:
        vertex.co = turned @ vertex.co


def twist(node: str, degrees: float) -> None:
    """Turn vertices about Z, each by as much as it is high."""
    for vertex in bpy.data.objects[node].data.vertices:
        vertex.co = Matrix.Rotation(radians(degrees) * vertex.co.z, 3, "Z") @ vertex.co


def mirror_shape(node: str) -> None:
    """Mirror everything in Edit Mode about X, and turn the faces outside again."""
    with _edited(node) as mesh:
        bmesh.ops.scale(mesh, vec=(-1, 1, 1), verts=mesh.verts)
        bmesh.ops.reverse_faces(mesh, faces=mesh.faces)


def merge(node: str, distance: float) -> None:
    """Merge vertices by distance."""
    with _edit_mode(node):
        bpy.ops.mesh.remove_doubles(threshold=distance)


def dissolve(node: str, degrees: float) -> None:
    """Dissolve what is flat: faces of many corners come of it."""
    with _edit_mode(node):
        bpy.ops.mesh.dissolve_limited(angle_limit=radians(degrees))


def extrude(node: str, by: list[float]) -> None:
    """Extrude the first ten faces."""
    with _edited(node) as mesh:
        made = bmesh.ops.extrude_face_region(mesh, geom=mesh.faces[:10])["geom"]
        moved = [it for it in made if isinstance(it, bmesh.types.BMVert)]
        bmesh.ops.translate(mesh, verts=moved, vec=by)


def delete_faces(node: str, count: int) -> None:
    """Remove the first triangles of a mesh, and the vertices that nothing else uses."""
    with _edited(node) as mesh:
        bmesh.ops.delete(mesh, geom=mesh.faces[:count], context="FACES")


def smooth(node: str, factor: float) -> None:
    """Smooth vertices, as a brush does."""
    with _edited(node) as mesh:
        bmesh.ops.smooth_vert(
            mesh, verts=mesh.verts, factor=factor, use_axis_x=True, use_axis_y=True, use_axis_z=True
        )


def subdivide(node: str, cuts: int) -> None:
    """Subdivide all edges."""
    with _edited(node) as mesh:
        bmesh.ops.subdivide_edges(mesh, edges=mesh.edges, cuts=cuts, use_grid_fill=True)


def shade(node: str, *, is_smooth: bool) -> None:
    """Shade all faces flat or smooth, without normals of their own."""
    item = selected(node)
    if item.data.has_custom_normals:
        bpy.ops.mesh.customdata_custom_splitnormals_clear()
    item.data.polygons.foreach_set("use_smooth", [is_smooth] * len(item.data.polygons))


def own_normals(node: str, direction: list[float]) -> None:
    """Give all corners one normal."""
    data = bpy.data.objects[node].data
    data.normals_split_custom_set([Vector(direction).normalized()] * len(data.loops))


def flip(node: str) -> None:
    """Flip the normals of all faces."""
    with _edit_mode(node):
        bpy.ops.mesh.flip_normals()


def move_uv(node: str, by: list[float]) -> None:
    """Move the texture coordinates."""
    for corner in bpy.data.objects[node].data.uv_layers.active.data:
        corner.uv += Vector(by)


def add_uv(node: str) -> None:
    """Add a second layer of texture coordinates, twice as large."""
    data = bpy.data.objects[node].data
    first = data.uv_layers.active.name
    made = data.uv_layers.new(name="second")
    for corner, source in zip(made.data, data.uv_layers[first].data, strict=True):
        corner.uv = source.uv * 2


def scale_object(node: str, by: list[float]) -> None:
    """Scale an object."""
    bpy.data.objects[node].scale = by


def apply_scale(node: str, by: list[float]) -> None:
    """Scale an object and apply it to the mesh."""
    selected(node).scale = by
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)


def set_origin(node: str) -> None:
    """Set the origin to the middle of the geometry."""
    selected(node)
    bpy.ops.object.origin_set(type="ORIGIN_GEOMETRY", center="BOUNDS")


def apply_modifier(node: str, kind: str, values: dict[str, Any]) -> None:
    """Add a modifier and apply it."""
    item = selected(node)
    made = item.modifiers.new("made", kind)
    for name, value in values.items():
        setattr(made, name, value)
    bpy.ops.object.modifier_apply(modifier="made")


SHAPES = (
    move_vertex,
    rotate_shape,
    twist,
    mirror_shape,
    merge,
    dissolve,
    extrude,
    delete_faces,
    smooth,
    subdivide,
    shade,
    own_normals,
    flip,
    move_uv,
    add_uv,
    scale_object,
    apply_scale,
    set_origin,
    apply_modifier,
)
