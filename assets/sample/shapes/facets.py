"""Conversion of finished pieces to triangles with normals, texture coordinates and shared vertices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import acos, cos, radians, sqrt

import numpy as np
import numpy.typing as npt

from assets.sample.shapes.finish import Piece
from assets.sample.shapes.solids import GRID, Points
from viewer.formats.msh import vertices

_Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Batch:
    """Triangles of one material with their own vertices.

    Parameters
    ----------
    material
        Name in the wear table.
    positions, normals, uvs
        Shapes (v, 3) f4, (v, 4) i1 and (v, 2) i2, as stored.
    triangles
        Shape (t, 3), counter-clockwise from outside.
    lightmap_uvs
        Shape (v, 2) u2, zero without a lightmap.
    flags
        Batch flags.
    room
        Node behind a portal.
    """

    material: str
    positions: npt.NDArray[np.float32]
    normals: npt.NDArray[np.int8]
    uvs: npt.NDArray[np.int16]
    triangles: npt.NDArray[np.int64]
    lightmap_uvs: npt.NDArray[np.uint16]
    flags: int = 0
    room: str = ""


@dataclass(frozen=True)
class _Corner:
    position: _Vector
    normal: _Vector
    uv: tuple[float, float]
    lightmap_uv: tuple[int, int] = (0, 0)


Patcher = Callable[[Points, Points], npt.NDArray[np.uint16]]
"""Corners and normal of a polygon -> its lightmap coordinates in 1/1024, shape (n, 2)."""


def batches(pieces: Sequence[Piece], patcher: Patcher | None = None, lit: Container[str] = ()) -> list[Batch]:
    """The triangles of `pieces`, one batch per material, flags and room in order of appearance.

    Polygons whose material is in `lit` get a patch of the lightmap from `patcher`.
    """
    by_material: dict[tuple[str, int, str], list[list[_Corner]]] = defaultdict(list)
    for piece in pieces:
        own = patcher if piece.skin.material in lit else None
        by_material[piece.skin.material, piece.skin.flags, piece.skin.room] += _polygons(piece, own)
    return [_batch(polygons, *of) for of, polygons in by_material.items()]


def on_grid(points: Points) -> Points:
    """Points rounded to the grid; noise below a thousandth of a step is ignored."""
    return np.floor(np.round(points * GRID, 3) + 0.5) / GRID


def _polygons(piece: Piece, patcher: Patcher | None) -> list[list[_Corner]]:
    points = on_grid(piece.solid.points)
    faces = [face for face in piece.solid.faces if _area(points[list(face)]) > 1e-7]
    numbers = [index for index, face in enumerate(piece.solid.faces) if face in set(faces)]
    directions = [_direction(points[list(face)]) for face in faces]
    smooth = _corner_normals(points, faces, directions, piece.skin.crease)
    if piece.skin.heart is not None:
        smooth = _bulging(points, faces, directions, np.array(piece.skin.heart))
    polygons = []
    for number, face, direction, corner_normals in zip(numbers, faces, directions, smooth, strict=True):
        corners = points[list(face)]
        uvs = np.round(piece.texture_corners(number, corners, direction), 6)
        patch = np.zeros((len(face), 2), np.uint16) if patcher is None else patcher(corners, direction)
        rows = zip(corners.tolist(), corner_normals, uvs.tolist(), patch.tolist(), strict=True)
        polygons.append([_Corner((x, y, z), n, (u, v), (s, t)) for (x, y, z), n, (u, v), (s, t) in rows])
    return polygons


def _newell(corners: Points) -> _Vector:
    """Twice the area of a polygon times its normal, in plain numbers: for few corners arrays take longer."""
    (a, b, c), *others = corners.tolist()
    spokes = [(x - a, y - b, z - c) for x, y, z in others]
    pairs = pairwise([(0.0, 0.0, 0.0), *spokes, (0.0, 0.0, 0.0)])
    areas = [(y * w - z * v, z * u - x * w, x * v - y * u) for (x, y, z), (u, v, w) in pairs]
    return sum(x for x, _, _ in areas), sum(y for _, y, _ in areas), sum(z for _, _, z in areas)


def _area(corners: Points) -> float:
    return _length(_newell(corners))


def _length(vector: _Vector) -> float:
    return sqrt(_dot(vector, vector))


def _dot(a: _Vector, b: _Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _direction(corners: Points) -> Points:
    normal = _newell(corners)
    return np.array(normal) / _length(normal)


def _corner_normals(
    points: Points, faces: Sequence[tuple[int, ...]], directions: Sequence[Points], crease: float
) -> list[list[_Vector]]:
    """Per corner the mean of the normals around it that are less than `crease` apart.

    They are weighted by angle and area, so that a bevelled edge is smooth and its adjacent faces stay flat.
    """
    around: dict[_Vector, list[tuple[int, float]]] = defaultdict(list)
    places: list[_Vector] = [(x, y, z) for x, y, z in points.tolist()]
    normals: list[_Vector] = [(x, y, z) for x, y, z in (direction.tolist() for direction in directions)]
    for number, face in enumerate(faces):
        area = _area(points[list(face)])
        for before, here, after in zip((face[-1], *face), face, (*face[1:], face[0]), strict=False):
            weight = _angle(places[before], places[here], places[after]) * area
            around[places[here]].append((number, weight))
    limit = cos(radians(crease)) - 1e-6
    return [
        [_mean_normal(around[places[corner]], normals, normals[number], limit) for corner in face]
        for number, face in enumerate(faces)
    ]


def _mean_normal(
    around: Sequence[tuple[int, float]], normals: Sequence[_Vector], own: _Vector, limit: float
) -> _Vector:
    """The mean of weighted normals whose cosine with `own` is at least `limit`.

    `around` has the index and the weight of each.
    """
    near = [(weight, normals[n]) for n, weight in around if _dot(own, normals[n]) >= limit]
    x, y, z = total = (
        sum(weight * x for weight, (x, _, _) in near),
        sum(weight * y for weight, (_, y, _) in near),
        sum(weight * z for weight, (_, _, z) in near),
    )
    length = _length(total)
    return round(x / length, 6), round(y / length, 6), round(z / length, 6)


def _bulging(
    points: Points, faces: Sequence[tuple[int, ...]], directions: Sequence[Points], heart: Points
) -> list[list[_Vector]]:
    """Per corner a normal that is tilted from the face normal away from `heart`."""
    rows: list[list[_Vector]] = []
    for face, direction in zip(faces, directions, strict=True):
        spokes = points[list(face)] - heart
        away: Points = spokes / np.maximum(np.linalg.norm(spokes, axis=1, keepdims=True), 1e-6)
        away = away * np.where((away * direction).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
        leaning: Points = 0.4 * direction + 0.6 * away
        leaning = np.round(leaning / np.linalg.norm(leaning, axis=1, keepdims=True), 6)
        rows.append([(float(x), float(y), float(z)) for x, y, z in leaning])
    return rows


def _angle(before: _Vector, here: _Vector, after: _Vector) -> float:
    """The angle at `here` between two edges, in radians."""
    a, b = ((x - here[0], y - here[1], z - here[2]) for x, y, z in (before, after))
    return acos(min(1.0, max(-1.0, _dot(a, b) / (_length(a) * _length(b)))))


def _batch(polygons: list[list[_Corner]], material: str, flags: int, room: str) -> Batch:
    numbers: dict[_Corner, int] = {}
    triangles = []
    for polygon in polygons:
        rows = [numbers.setdefault(corner, len(numbers)) for corner in polygon]
        triangles += [(rows[0], rows[i], rows[i + 1]) for i in range(1, len(rows) - 1)]
    corners = list(numbers)
    positions = np.array([corner.position for corner in corners], np.float32)
    kept = [row for row in triangles if _is_proper(positions[list(row)])]
    return Batch(
        material,
        positions,
        vertices.encode_normals([corner.normal for corner in corners]),
        vertices.encode_uvs([corner.uv for corner in corners]),
        np.array(kept, np.int64).reshape(-1, 3),
        np.array([corner.lightmap_uv for corner in corners], np.uint16),
        flags,
        room,
    )


def _is_proper(corners: npt.NDArray[np.float32]) -> bool:
    return _area(corners.astype(np.float64)) > 1e-7
