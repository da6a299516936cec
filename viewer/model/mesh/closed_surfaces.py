"""Closed surfaces: those whose triangles have a neighbor at every edge, so that they have an inside.

Source: spec/msh.md 5, 6; spec/field-notes.md 2 (winding).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Floats, Indices, Mask
from viewer.model.mesh.draws import Rows32


def closed_triangles(positions: Floats, corners: Rows32, part: Indices) -> Mask:
    """The triangles of closed surfaces, (t,).

    Vertices of a part at one place are one point; a surface is what hangs together by points. It is closed if
    at each of its edges as many triangles run in one direction as in the other. Not in it are triangles that
    lie on each other back to back, as leaves do: they enclose nothing.

    Parameters
    ----------
    positions
        Of all vertices, node space, (v, 3), finite.
    corners
        Vertices of each triangle, (t, 3), all valid.
    part
        The part of each triangle, (t,): parts share no surface.
    """
    if not len(corners):
        return np.zeros(0, np.bool_)
    points, count = _points(positions, corners, part)
    is_flat = (points == np.roll(points, 1, axis=1)).any(axis=1)
    start, end = points.reshape(-1), np.roll(points, -1, axis=1).reshape(-1)
    # Two points of an edge in one number, the smaller first; it is counted up in one direction, down in the
    # other. The edges of a triangle with two equal corners cancel each other.
    _edges, edge = np.unique(np.minimum(start, end) * count + np.maximum(start, end), return_inverse=True)
    balance = np.bincount(edge, np.sign(end - start))
    is_open = (balance[edge] != 0).reshape(-1, 3).any(axis=1)
    surface = _surfaces(points, count)
    has_opening = np.zeros(count, np.bool_)
    has_opening[surface[is_open]] = True
    is_closed: Mask = ~(has_opening[surface] | is_flat | _is_doubled(points, count))
    return is_closed


def _points(positions: Floats, corners: Rows32, part: Indices) -> tuple[npt.NDArray[np.int64], int]:
    """The point of each corner, (t, 3), and the number of points: a place of a part."""
    # Adding 0 turns -0 into 0, whose bits differ.
    words = (positions[corners.reshape(-1)].astype(np.float32) + np.float32(0)).view(np.uint32)
    number = np.repeat(np.asarray(part, np.int64), 3)
    # Column after column: so far fewer numbers than 2 ** 31, then the 32 bits of the next one.
    for column in words.T:
        number = np.unique(number << 32 | column, return_inverse=True)[1]
    return number.reshape(-1, 3), int(number.max()) + 1


def _surfaces(points: npt.NDArray[np.int64], count: int) -> Indices:
    """A number of what each triangle hangs together with, (t,): the smallest of its points."""
    label = np.arange(count)
    while True:
        before = label.copy()
        np.minimum.at(label, points, label[points].min(axis=1, keepdims=True))
        label = label[label]  # halves the way to the smallest
        if np.array_equal(label, before):
            return label[points[:, 0]]


def _is_doubled(points: npt.NDArray[np.int64], count: int) -> Mask:
    """Whether another triangle has the same three points, (t,)."""
    low, middle, high = np.sort(points, axis=1).T
    edge = np.unique(low * count + middle, return_inverse=True)[1]
    _all, triangle, times = np.unique(edge * count + high, return_inverse=True, return_counts=True)
    return np.asarray(times[triangle] > 1)
