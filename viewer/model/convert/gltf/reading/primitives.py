"""The triangles of a primitive, whatever it is made of, and the vertices that they use.

Source: glTF 2.0, 3.7.2.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.convert.gltf.reading.accessors import Accessors
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.item import Item
from viewer.translation import Sentence

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

TRIANGLES, STRIP, FAN = 4, 5, 6
_MODES: Final = {mode: mode for mode in range(7)}
_FEW: Final = 4
"""Vertices for each index, above which the used ones are looked for among the indices."""


def triangles_of(document: Document, accessors: Accessors, primitive: Item, count: int) -> Indices | None:
    """Triangles over `count` vertices, (t, 3); None for points and lines, which are lost."""
    mode = primitive.choice("mode", _MODES, TRIANGLES)
    if mode < TRIANGLES:
        document.losses.add(Sentence("points and lines are left out"), primitive.path)
        return None
    if "indices" in primitive:
        corners = accessors.integers(primitive, "indices", 1, count)[:, 0]
    else:
        document.budget.spend(count, primitive.path)
        corners = np.arange(count)
    document.budget.spend(3 * len(corners), primitive.path)
    if mode == TRIANGLES:
        if len(corners) % 3:
            document.losses.add(Sentence("corners that make no whole triangle are left out"), primitive.path)
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    return _without_degenerate(_strip(corners) if mode == STRIP else _fan(corners))


def _strip(corners: Indices) -> Indices:
    """Each corner with the two before it; every second triangle is turned."""
    if len(corners) < 3:
        return np.empty((0, 3), np.int64)
    triangles = np.lib.stride_tricks.sliding_window_view(corners, 3).copy()
    triangles[1::2] = triangles[1::2, [1, 0, 2]]
    return triangles


def _fan(corners: Indices) -> Indices:
    """Each edge with the first corner, in the order of the specification."""
    if len(corners) < 3:
        return np.empty((0, 3), np.int64)
    first = np.full(len(corners) - 2, corners[0])
    return np.column_stack([corners[1:-1], corners[2:], first])


def _without_degenerate(triangles: Indices) -> Indices:
    """Strips repeat corners to go on elsewhere."""
    a, b, c = triangles.T
    kept: Indices = triangles[(a != b) & (b != c) & (a != c)]
    return kept


def compacted(triangles: Indices, count: int) -> tuple[Indices | None, Indices]:
    """The rows that triangles use, None for all, and the triangles over those rows.

    Vertices that several primitives share are then not repeated by each of them.
    """
    if triangles.size * _FEW < count:
        rows, corners = np.unique(triangles, return_inverse=True)
        return rows, corners.reshape(-1, 3)
    is_used = np.zeros(count, np.bool_)
    is_used[triangles] = True
    if is_used.all():
        return None, triangles
    rows = np.flatnonzero(is_used)
    new = np.empty(count, np.int64)
    new[rows] = np.arange(len(rows))
    return rows, new[triangles]


def separated(triangles: Indices) -> tuple[Indices, Indices]:
    """The rows of triangles that share no vertices, and those triangles: a file without normals is flat."""
    rows = triangles.reshape(-1)
    return rows, np.arange(len(rows)).reshape(-1, 3)


def flat_normals(positions: Floats) -> Floats:
    """The normals of triangles of three vertices each, (n, 3); zero for those without an area."""
    points = positions.astype(np.float64).reshape(-1, 3, 3)
    x, y, z = (points[:, 1] - points[:, 0]).T
    u, v, w = (points[:, 2] - points[:, 0]).T
    normals = np.stack(
        [y * w - z * v, z * u - x * w, x * v - y * u], axis=1
    )  # a third of the time of np.cross
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.repeat((normals / np.where(length == 0, 1, length)).astype(np.float32), 3, axis=0)
