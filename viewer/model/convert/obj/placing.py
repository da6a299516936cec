"""Vertices of nodes in the space of the model and back, in double precision, and put back where they were.

A vertex is written in the space of the model, with the digits of a binary32 number; other programs write six
decimals. Both are far from the last bit of its position in the space of its node.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Matrix, inverse
from viewer.model.convert.rotations import turn_matrix
from viewer.model.convert.scene import NEW, Primitive, Scene

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


def worlds(scene: Scene) -> Matrix:
    """The matrix (n, 4, 4) of each node in the model's space; parents that form a ring count as roots."""
    nodes = scene.nodes
    world: Matrix = np.tile(np.eye(4), (len(nodes), 1, 1))
    if nodes:
        scales = np.array([it.scale for it in nodes])
        world[:, :3, :3] = turn_matrix(np.array([it.rotation for it in nodes])) * scales[:, None, :]
        world[:, :3, 3] = [it.position for it in nodes]
    done: set[int] = set()
    for index in range(len(nodes)):
        chain: dict[int, None] = {}
        number: int | None = index
        while number is not None and number not in chain and number not in done:
            chain[number] = None
            number = nodes[number].parent
        for number in reversed(chain):
            above = nodes[number].parent
            if above in done and above is not None:
                world[number] = world[above] @ world[number]
            done.add(number)
    return world


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
        if not is_complete:
            return given
        # Of several vertices with one number in their object the first has the row, the others are new.
        is_first = np.zeros(len(own), np.bool_)
        is_first[np.unique(own, return_index=True)[1]] = True
        return replace(given, vertices=np.where(is_first, rows[own], NEW))
    same = np.where(is_complete, own, 0)
    is_there = _is_near(given.positions, known.positions[same], limit) & is_complete
    if not is_there.all():
        place = _by_place(given.positions, known.positions, limit)
        if not is_complete or (place >= 0).sum() > 2 * is_there.sum():
            same, is_there, is_complete = place, place >= 0, False
    settled = np.where(is_there[:, None], known.positions[same], given.positions)
    return replace(given, positions=settled, vertices=rows[same] if is_complete else None)


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
