"""Vertices of a file put back where they were, if they are off by rounding only.

A vertex is written in the space of the model, with the digits of a binary32 number; other programs write six
decimals. Both are far from the last bit of its position in the space of its node.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.convert.scene import NEW, Primitive

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
