"""Vertices of nodes in the space of the model and back, in double precision."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Matrix, inverse
from viewer.model.convert.scene import NEW, Node, Primitive, Scene

Points = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
DECIMALS: Final = 1.01e-6
"""Distance by which six decimals are off, along all axes."""
DIGITS: Final = 4 * float(np.finfo(np.float32).eps)
"""Distance by which binary32 numbers are off, as a part of the largest coordinate."""
MOST: Final = 32
"""Known points that are looked at for each point."""
_SLANT: Final = np.array((0.5370, 0.3221, 0.7797))
"""A direction in which few points have the same height."""


def local(node: Node) -> Matrix:
    """The matrix (4, 4) of a node's rest pose in its parent's space."""
    w, x, y, z = np.asarray(node.rotation, np.float64)
    matrix = np.eye(4)
    matrix[:3, :3] = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    matrix[:3, :3] *= node.scale
    matrix[:3, 3] = node.position
    return matrix


def worlds(scene: Scene) -> Matrix:
    """The matrix (n, 4, 4) of each node in the model's space; parents that form a ring count as roots."""
    made: dict[int, Matrix] = {}
    for index in range(len(scene.nodes)):
        chain: dict[int, None] = {}
        number: int | None = index
        while number is not None and number not in chain and number not in made:
            chain[number] = None
            number = scene.nodes[number].parent
        for number in reversed(chain):
            node = scene.nodes[number]
            above = made.get(node.parent) if node.parent is not None else None
            made[number] = local(node) if above is None else above @ local(node)
    return np.array([made[index] for index in range(len(scene.nodes))]).reshape(-1, 4, 4)


def turned(normals: npt.ArrayLike, matrix: Matrix) -> Matrix:
    """Normals (n, 3) through the inverse transpose of a matrix, of unit length again; zeros stay."""
    back = inverse(matrix)[:3, :3]
    moved = np.asarray(normals, np.float64) @ back
    length = np.linalg.norm(moved, axis=1, keepdims=True)
    unit: Matrix = np.divide(moved, length, out=np.zeros_like(moved), where=length > 0)
    return unit


def y_up(points: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Points with Y up of points with Z up."""
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


def z_up(points: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Points with Z up of points with Y up."""
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)


def tolerance(points: npt.NDArray[np.floating], origin: npt.NDArray[np.floating]) -> float:
    """How far points of the model's space may be off, for a node at a place."""
    reach = float(np.abs(points).max(initial=0.0)) + float(np.abs(origin).max(initial=0.0))
    return DECIMALS + DIGITS * reach


def identified(given: Primitive, known: Primitive, own: Indices, count: int, limit: float) -> Primitive:
    """A primitive with rows of the model, and where it is only off by rounding with the positions there.

    By their order if the object still has as many vertices, unless more are at the same place as another.

    Parameters
    ----------
    known
        The primitive that was written, or only its rows.
    own
        The number in its object of each vertex, (n,).
    count
        Vertices of the object.
    limit
        How far a vertex may be off.
    """
    rows = known.vertices
    if rows is None or not len(rows):
        return given
    is_complete = count == len(rows) and bool(((own >= 0) & (own < count)).all())
    if not len(known.positions):
        return replace(given, vertices=_once(own, rows[own])) if is_complete else given
    same = np.where(is_complete, own, 0)
    is_there = _is_near(given.positions, known.positions[same], limit) & is_complete
    if not is_there.all():
        place = _by_place(given.positions, known.positions, limit)
        if not is_complete or (place >= 0).sum() > 2 * is_there.sum():
            same, is_there, is_complete = place, place >= 0, False
    settled = np.where(is_there[:, None], known.positions[same], given.positions)
    return replace(given, positions=settled, vertices=rows[same] if is_complete else None)


def _once(own: Indices, rows: Indices) -> Indices:
    """The rows of vertices; of several with one number the first has it."""
    _, first = np.unique(own, return_index=True)
    is_first = np.zeros(len(own), np.bool_)
    is_first[first] = True
    found: Indices = np.where(is_first, rows, NEW)
    return found


def _by_place(points: Points, known: Points, limit: float) -> Indices:
    """The first known point at each point, -1 where there is none, (n,)."""
    heights = known.astype(np.float64) @ _SLANT
    order = np.argsort(heights, kind="stable")
    wanted = points.astype(np.float64) @ _SLANT
    at = np.searchsorted(heights[order], wanted - 2 * limit)
    found = np.full(len(points), len(known), np.int64)
    for step in range(min(MOST, len(known))):
        candidate = order[np.minimum(at + step, len(known) - 1)]
        is_hit = (at + step < len(known)) & _is_near(points, known[candidate], limit)
        found = np.where(is_hit, np.minimum(found, candidate), found)
    return np.where(found < len(known), found, -1)


def _is_near(points: Points, others: Points, limit: float) -> npt.NDArray[np.bool_]:
    away = np.abs(points.astype(np.float64) - others).max(axis=1, initial=0.0)
    near: npt.NDArray[np.bool_] = away <= limit
    return near
