"""Triangles of a file compared with those of a slot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.model.convert.scene import Indices

Mask = npt.NDArray[np.bool_]
NONE = -1
FAR = 1 << 22
"""Pairs of triangles that are measured at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Which triangles of a file are those of the model.

    Attributes
    ----------
    of_given
        The triangle of the model of each given one, `NONE` for a new one, (g,).
    is_lost
        Triangles of the model that are gone, (t,).
    """

    of_given: Indices
    is_lost: Mask

    @property
    def is_same(self) -> bool:
        """Whether none is new and none is gone."""
        return not self.is_lost.any() and bool((self.of_given != NONE).all())


def pairs(known: Indices, given: Indices) -> Pairs:
    """Pair triangles (t, 3) and (g, 3) with the same vertices in the same winding.

    Triangles without three vertices, and a second one of the same vertices, are not gone if the file does not
    have them: other programs drop these.
    """
    base = int(max(known.max(initial=0), given.max(initial=0))) + 1
    of_given = paired(_keys(known, base), _keys(given, base))
    is_lost = np.ones(len(known), np.bool_)
    is_lost[of_given[of_given != NONE]] = False
    if is_lost.any():
        is_lost &= ~_is_droppable(known, is_lost, base)
    return Pairs(of_given, is_lost)


def paired(known: Indices, given: Indices) -> Indices:
    """The place of each given number among known ones, `NONE` for none; several equal ones in order, (g,)."""
    order, asked = np.argsort(known, kind="stable"), np.argsort(given, kind="stable")
    at = np.searchsorted(known[order], given[asked]) + _repeats(given[asked])
    is_hit = at < len(order)
    is_hit[is_hit] = known[order][at[is_hit]] == given[asked][is_hit]
    found = np.full(len(given), NONE, np.int64)
    found[asked[is_hit]] = order[at[is_hit]]
    return found


def _keys(triangles: Indices, base: int) -> Indices:
    """A number for the vertices of each triangle, whichever comes first, (t,)."""
    first = triangles.argmin(axis=1)[:, None] if len(triangles) else np.zeros((0, 1), np.int64)
    a, b, c = np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1).T
    keys: Indices = (a * base + b) * base + c
    return keys


def _repeats(ordered: Indices) -> Indices:
    """How many equal numbers stand before each one in a sorted list."""
    repeats: Indices = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    return repeats


def _is_droppable(triangles: Indices, is_lost: Mask, base: int) -> Mask:
    """Triangles that other programs drop, (t,)."""
    corners = np.sort(triangles, axis=1)
    is_flat = (corners[:, 0] == corners[:, 1]) | (corners[:, 1] == corners[:, 2])
    a, b, c = corners.T
    keys = (a * base + b) * base + c
    found: Mask = is_flat | np.isin(keys, keys[~is_lost])
    return found


def nearest(points: npt.NDArray[np.floating], known: npt.NDArray[np.floating]) -> Indices:
    """The nearest known point of each point, (n,); `NONE` if there is none."""
    if not len(known):
        return np.full(len(points), NONE, np.int64)
    found = np.empty(len(points), np.int64)
    step = max(1, FAR // len(known))
    for start in range(0, len(points), step):
        some = points[start : start + step, None].astype(np.float64) - known
        found[start : start + step] = np.einsum("nki,nki->nk", some, some).argmin(axis=1)
    return found
