"""What becomes a batch: a primitive, or a part of one that is too large, with the vertices that it uses.

Source: spec/msh.md 4, 5, 8, 12.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from viewer.errors import FormatError
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.vertices import INDEX, NORMAL_SCALE
from viewer.geometry.transforms import Floats, Matrix
from viewer.model.convert.building.values import Spot
from viewer.model.convert.scene import Indices, Primitive
from viewer.translation import Sentence

MOST_TRIANGLES = 0xFFFF // 3
"""Triangles of a batch: it counts its indices in 16 bits, so it has at most 65,535 vertices as well."""


def pieces(primitive: Primitive, scale: Matrix | None, spot: Spot) -> Iterator[Primitive]:
    """Yield the batches of a primitive, with normals and only the vertices that their triangles use.

    `spot` is the first batch, for messages. Raises `FormatError` for triangles without vertices.
    """
    _check(primitive, spot)
    count = len(primitive.triangles)
    for first in range(0, max(1, count), MOST_TRIANGLES):
        piece = primitive
        if count > MOST_TRIANGLES:
            piece = replace(primitive, triangles=primitive.triangles[first : first + MOST_TRIANGLES])
        if piece.normals is None:
            piece = _with_flat_normals(piece)
        yield _of_used(piece if scale is None else _scaled(piece, scale))


def _check(primitive: Primitive, spot: Spot) -> None:
    corners, count = primitive.triangles, len(primitive.positions)
    if len(corners) and not 0 <= int(corners.min()) <= int(corners.max()) < count:
        outside = (corners < 0) | (corners >= count)
        message = Sentence("{value} of {count} vertices", value=int(corners[outside][0]), count=count)
        raise FormatError(message, table=BATCH.name, index=spot.index, field=INDEX.name)
    for name in ("normals", "uvs", "lightmap_uvs", "vertices"):
        values = getattr(primitive, name)
        if values is not None and len(values) != count:
            message = Sentence("{rows} rows for {vertices} vertices", rows=len(values), vertices=count)
            raise FormatError(message, table=BATCH.name, index=spot.index, field=name)


def _of_used(primitive: Primitive) -> Primitive:
    """The primitive without vertices that no triangle uses."""
    count = len(primitive.positions)
    is_used = np.zeros(count, np.bool_)
    is_used[primitive.triangles.reshape(-1)] = True
    if is_used.all():
        return primitive
    return _chosen(primitive, np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[primitive.triangles])


def _chosen(primitive: Primitive, rows: Indices, triangles: Indices) -> Primitive:
    """Some vertices of a primitive, and triangles over them."""

    def taken(values: Floats | None) -> Floats | None:
        return None if values is None else values[rows]

    return replace(
        primitive,
        positions=primitive.positions[rows],
        triangles=triangles,
        normals=taken(primitive.normals),
        uvs=taken(primitive.uvs),
        lightmap_uvs=taken(primitive.lightmap_uvs),
        vertices=None if primitive.vertices is None else primitive.vertices[rows],
    )


def _with_flat_normals(primitive: Primitive) -> Primitive:
    """The primitive with the normals of its triangles, and a vertex for each that a corner needs."""
    corners = primitive.positions[primitive.triangles].astype(np.float64)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, size, out=np.zeros_like(normals), where=size > 0)
    raw = np.rint(normals * NORMAL_SCALE).astype(np.int64) + 128
    packed = raw @ np.array([1, 1 << 8, 1 << 16])
    key = (primitive.triangles << 24) | packed[:, None]
    _, first, number = np.unique(key.reshape(-1), return_index=True, return_inverse=True)
    made = _chosen(primitive, primitive.triangles.reshape(-1)[first], number.reshape(-1, 3))
    return replace(made, normals=normals[first // 3].astype(np.float32))


def _scaled(primitive: Primitive, scale: Matrix) -> Primitive:
    """The primitive with scaled vertices; a mirrored one winds the other way."""
    is_mirrored = np.linalg.det(scale) < 0
    # The rows of the matrix of cofactors are cross products; it keeps normals upright on their faces.
    cofactors = np.array([np.cross(scale[(row + 1) % 3], scale[(row + 2) % 3]) for row in range(3)])
    normals = np.zeros_like(primitive.positions) if primitive.normals is None else primitive.normals
    turned = normals.astype(np.float64) @ cofactors.T * (-1 if is_mirrored else 1)
    size = np.linalg.norm(turned, axis=1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):
        return replace(
            primitive,
            positions=(primitive.positions.astype(np.float64) @ scale.T).astype(np.float32),
            normals=np.divide(turned, size, out=np.zeros_like(turned), where=size > 0).astype(np.float32),
            triangles=primitive.triangles[:, ::-1] if is_mirrored else primitive.triangles,
        )
