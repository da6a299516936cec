"""Conversion of finished pieces to triangles with normals, texture coordinates and shared vertices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
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
    places: list[_Vector] = [(x, y, z) for x, y, z in points.tolist()]
    normals = [_newell([places[corner] for corner in face]) for face in piece.solid.faces]
    numbers = [index for index, normal in enumerate(normals) if _length(normal) > 1e-7]
    faces = [piece.solid.faces[number] for number in numbers]
    areas = [_length(normals[number]) for number in numbers]
    directions = [np.array(normals[number]) / area for number, area in zip(numbers, areas, strict=True)]
    smooth = _corner_normals(places, faces, areas, directions, piece.skin.crease)
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


def _newell(corners: Sequence[_Vector]) -> _Vector:
    """Twice the area of a polygon times its normal, in plain numbers: for few corners arrays take longer."""
    (a, b, c), *others = corners
    i = j = k = x = y = z = 0.0
    for d, e, f in others:
        u, v, w = d - a, e - b, f - c
        i, j, k = i + (y * w - z * v), j + (z * u - x * w), k + (x * v - y * u)
        x, y, z = u, v, w
    return i, j, k


def _length(vector: _Vector) -> float:
    return sqrt(_dot(vector, vector))


def _dot(a: _Vector, b: _Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _corner_normals(
    places: Sequence[_Vector],
    faces: Sequence[tuple[int, ...]],
    areas: Sequence[float],
    directions: Sequence[Points],
    crease: float,
) -> list[list[_Vector]]:
    """Per corner the mean of the normals around it that are less than `crease` apart.

    They are weighted by angle and area, so that a bevelled edge is smooth and its adjacent faces stay flat.
    """
    around: dict[_Vector, list[tuple[int, float]]] = defaultdict(list)
    normals: list[_Vector] = [(x, y, z) for x, y, z in (direction.tolist() for direction in directions)]
    for number, (face, area) in enumerate(zip(faces, areas, strict=True)):
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
    x = y = z = 0.0
    for number, weight in around:
        normal = normals[number]
        if _dot(own, normal) >= limit:
            x, y, z = x + weight * normal[0], y + weight * normal[1], z + weight * normal[2]
    length = _length((x, y, z))
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
    places: list[_Vector] = [(x, y, z) for x, y, z in positions.tolist()]
    kept = [row for row in triangles if _length(_newell([places[it] for it in row])) > 1e-7]
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
