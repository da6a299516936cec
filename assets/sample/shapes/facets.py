"""Conversion of finished pieces to triangles with normals, texture coordinates and shared vertices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assets.sample.shapes.finish import Piece
from assets.sample.shapes.solids import GRID, Points
from viewer.formats.msh import vertices


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
    position: tuple[float, float, float]
    normal: tuple[float, float, float]
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


def _newell(corners: Points) -> Points:
    """Twice the area of a polygon times its normal; for few corners ``np.cross`` takes longer than this."""
    spokes = corners - corners[0]
    x, y, z = spokes.T
    u, v, w = spokes[[*range(1, len(spokes)), 0]].T
    area: Points = np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1).sum(axis=0)
    return area


def _area(corners: Points) -> float:
    return float(np.linalg.norm(_newell(corners)))


def _direction(corners: Points) -> Points:
    normal = _newell(corners)
    direction: Points = normal / np.linalg.norm(normal)
    return direction


def _corner_normals(
    points: Points, faces: Sequence[tuple[int, ...]], directions: Sequence[Points], crease: float
) -> list[list[tuple[float, float, float]]]:
    """Per corner the mean of the normals around it that are less than `crease` apart.

    They are weighted by angle and area, so that a bevelled edge is smooth and its adjacent faces stay flat.
    """
    around: dict[tuple[float, ...], list[tuple[int, float]]] = defaultdict(list)
    for number, face in enumerate(faces):
        area = _area(points[list(face)])
        for corner in range(len(face)):
            weight = _angle(points, face, corner) * area
            around[tuple(points[face[corner]])].append((number, weight))
    limit = float(np.cos(np.radians(crease))) - 1e-6
    return [
        [
            _mean_normal(around[tuple(points[corner])], directions, directions[number], limit)
            for corner in face
        ]
        for number, face in enumerate(faces)
    ]


def _mean_normal(
    around: Sequence[tuple[int, float]], directions: Sequence[Points], own: Points, limit: float
) -> tuple[float, float, float]:
    """The mean of weighted normals whose cosine with `own` is at least `limit`."""
    near = [w * directions[n] for n, w in around if float(np.sum(own * directions[n])) >= limit]
    total: Points = np.sum(near, axis=0)
    x, y, z = np.round(total / np.linalg.norm(total), 6).tolist()
    return x, y, z


def _bulging(
    points: Points, faces: Sequence[tuple[int, ...]], directions: Sequence[Points], heart: Points
) -> list[list[tuple[float, float, float]]]:
    """Per corner a normal that is tilted from the face normal away from `heart`."""
    rows = []
    for face, direction in zip(faces, directions, strict=True):
        spokes = points[list(face)] - heart
        away: Points = spokes / np.maximum(np.linalg.norm(spokes, axis=1, keepdims=True), 1e-6)
        away = away * np.where((away * direction).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
        leaning: Points = 0.4 * direction + 0.6 * away
        leaning = np.round(leaning / np.linalg.norm(leaning, axis=1, keepdims=True), 6)
        rows.append([(float(x), float(y), float(z)) for x, y, z in leaning])
    return rows


def _angle(points: Points, face: tuple[int, ...], corner: int) -> float:
    here = points[face[corner]]
    before, after = points[face[corner - 1]] - here, points[face[(corner + 1) % len(face)]] - here
    cosine = np.sum(before * after) / (np.linalg.norm(before) * np.linalg.norm(after))
    return float(np.arccos(np.clip(cosine, -1, 1)))


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
