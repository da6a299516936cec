"""Meshes of a scene: some of their vertices, in another space, without rows; whether there is any to draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.formats.msh.vertices import NORMAL_SCALE
from viewer.geometry.transforms import Doubles, Indices, Matrix
from viewer.model.convert.motion.rotations import unit
from viewer.model.convert.scene import (
    NO_FIELDS,
    Mesh,
    Primitive,
    Scene,
)
from viewer.translation import Text, _

STREAMS: Final = ("normals", "uvs", "lightmap_uvs", "vertices")
"""The streams that a primitive may have for each vertex besides its position."""
SPREAD: Final = 8
"""Numbers that lie further apart than this many times their count are sorted, not marked."""


def distinct(numbers: npt.NDArray[np.integer[Any]]) -> tuple[Indices, Indices]:
    """The distinct whole numbers of an array, ascending, and the place of each of its elements among them."""
    low = int(numbers.min()) if numbers.size else 0
    high = int(numbers.max(initial=low)) + 1
    # Marking takes memory for the whole range, 8 bytes a number at most; beyond that sorting is cheaper.
    if high - low > SPREAD * numbers.size:
        found, places = np.unique(numbers, return_inverse=True)
        return found.astype(np.int64), places.reshape(numbers.shape).astype(np.int64)
    is_used = np.zeros(high - low, np.bool_)
    is_used[numbers - low] = True
    # Numbers 5 and 7 of 5..7: flags 1 0 1, running sum less 1 is 0 0 1, the place of each.
    place = np.cumsum(is_used) - 1
    return np.flatnonzero(is_used) + low, place[numbers - low]


def chosen(primitive: Primitive, rows: Indices, triangles: Indices) -> Primitive:
    """Subset of the vertices of a primitive, and triangles over them."""
    streams = {name: values for name in STREAMS if (values := getattr(primitive, name)) is not None}
    taken = {name: values[rows] for name, values in streams.items()}
    return replace(primitive, positions=primitive.positions[rows], triangles=triangles, **taken)


def mapped(mesh: Mesh, made: Callable[[Primitive], Primitive]) -> Mesh:
    """A mesh of what a function makes of its primitives."""
    return replace(mesh, primitives=tuple(map(made, mesh.primitives)))


def without_rows(mesh: Mesh) -> Mesh:
    """A mesh without the rows and the fields of a model."""
    bare = mapped(mesh, lambda it: replace(it, vertices=None, batch=None, fields=NO_FIELDS))
    return replace(bare, slot=None, fields=NO_FIELDS)


@np.errstate(over="ignore", invalid="ignore")
def transformed(primitive: Primitive, matrix: Matrix, offset: npt.ArrayLike = 0.0) -> Primitive:
    """A primitive whose vertices are multiplied with a matrix (3, 3) and moved; a mirror turns corners."""
    normals = primitive.normals
    if normals is not None:
        normals = unit(normals @ cofactors(matrix).T).astype(np.float32)
    positions = (primitive.positions @ matrix.T + np.asarray(offset)).astype(np.float32)
    # A mirror turns clockwise corners counterclockwise: a, b, c is seen from outside as c, b, a.
    step = -1 if np.linalg.det(matrix) < 0 else 1
    triangles = np.ascontiguousarray(primitive.triangles[:, ::step])
    return replace(primitive, positions=positions, triangles=triangles, normals=normals)


def cofactors(matrix: Matrix) -> Matrix:
    """The factors of normals: the inverse transpose without its division, (..., 3, 3)."""
    a, b, c = np.moveaxis(matrix, -1, 0)
    found = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=-1)
    # The inverse transpose is cofactors / det: of a mirror its sign is the other one.
    sign = np.where(np.linalg.det(matrix) < 0, -1, 1)
    return np.asarray(found * sign[..., None, None])


MEASURED_AT_ONCE: Final = 1 << 14
"""Triangles that are measured together."""
NO_TRIANGLES: Final = _("the file gives no triangles")
NO_AREA: Final = _("the file gives no triangles that can be seen: none has an area")


def corner_normals(points: Doubles) -> tuple[Doubles, Doubles]:
    """The normals of triangles (t, 3, 3), not of unit length, and what each adds to those of its corners.

    Smooth normals weigh a face by its angle at the vertex: cutting it in two changes nothing. Returns (t, 3)
    and (3 t, 3); zeros for a triangle without an area.
    """
    ahead, back = np.roll(points, -1, axis=1) - points, np.roll(points, 1, axis=1) - points
    faces = np.cross(ahead[:, 0], back[:, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.linalg.norm(ahead, axis=2) * np.linalg.norm(back, axis=2)
        angles = np.arccos(np.clip((ahead * back).sum(axis=2) / lengths, -1, 1)).reshape(-1, 1)
        units = faces / np.linalg.norm(faces, axis=1, keepdims=True)
    return faces, np.nan_to_num(angles * np.repeat(units, 3, axis=0))


def with_flat_normals(primitive: Primitive) -> Primitive:
    """The primitive with the normals of its triangles, and a vertex for each that a corner needs."""
    corners = primitive.positions[primitive.triangles].astype(np.float64)
    normals = unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    # Corners share a vertex if their normals are stored the same: three bytes from 1 to 255 in one number,
    # below the row of the vertex, e.g. row 5, normal (0, 0, 1): 5 << 24 | 255 << 16 | 128 << 8 | 128.
    raw = np.rint(normals * NORMAL_SCALE).astype(np.int64) + 128
    packed = raw @ np.array([1, 1 << 8, 1 << 16])
    key = (primitive.triangles << 24) | packed[:, None]
    _ignored, first, number = np.unique(key.reshape(-1), return_index=True, return_inverse=True)
    made = chosen(primitive, primitive.triangles.reshape(-1)[first], number.reshape(-1, 3))
    # Three corners belong to each triangle, so corner 7 has the normal of triangle 2.
    return replace(made, normals=normals[first // 3].astype(np.float32))


def emptiness(scene: Scene) -> list[Text]:
    """The note that a scene has nothing to draw; none if it has something."""
    primitives = [it for mesh in scene.meshes for it in mesh.primitives]
    if any(map(_has_area, primitives)):
        return []
    return [NO_AREA if any(len(it.triangles) for it in primitives) else NO_TRIANGLES]


def _has_area(primitive: Primitive) -> bool:
    """Whether any triangle has three corners that are not on one line."""
    starts = range(0, len(primitive.triangles), MEASURED_AT_ONCE)
    for corners in (primitive.triangles[start : start + MEASURED_AT_ONCE] for start in starts):
        first, second, third = primitive.positions[corners].astype(np.float64).swapaxes(0, 1)
        # In double precision: tiny triangles of large coordinates have an area that binary32 rounds away.
        if np.cross(second - first, third - first).any():
            return True
    return False
