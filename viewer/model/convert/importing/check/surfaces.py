"""Triangles of two surfaces paired by their corners, whatever their order, and what differs in the pairs.

Programs write triangles in another order, begin them with another corner and split vertices, so neither rows
nor indices are compared: only where corners are, and what they have there.

Source: spec/msh.md 4, 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import Doubles, Floats, Indices, Mask, Matrix
from viewer.model.convert.importing.identity import combined, labels, nearest, paired, turned
from viewer.model.convert.importing.vertices import HALF_STEP, NONE
from viewer.model.convert.motion.rotations import unit
from viewer.model.convert.scene import Primitive
from viewer.model.convert.shapes import cofactors

Vectors = npt.NDArray[np.floating]
ALL: Final = slice(None)
ANY: Final = -2
"""The wear row of what has no material in a file without any."""
MOST_PAIRS: Final = 1 << 25
"""Pairs of corners whose distances are measured, half a second; of more corners evenly chosen ones are."""
SAME_ANGLE: Final = 3.0
"""Largest angle of equal normals, degrees: Blender keeps them to about one, the game to half a degree."""
# sqrt(3) * 0.0262 = 0.0453 is less than the chord of 3 degrees, 0.0524.
SAME_NORMAL: Final = float(np.radians(SAME_ANGLE)) / 2
"""Largest difference of a component that needs no measuring: three of them make less than the angle."""
ROUNDED_UV: Final = HALF_STEP + 1e-5
"""Largest difference of equal texture coordinates: half a step, and the rounding of programs."""


class Triangles(Struct, frozen=True, eq=False):
    """Triangles with the values of their corners.

    Attributes
    ----------
    positions, normals
        (t, 3, 3) float32; NaN for normals that the file does not have.
    uvs, lightmap_uvs
        (t, 3, 2) float32; NaN for none.
    material
        The wear row of each, -1 for none, `ANY` for one that nothing can differ from, (t,).
    """

    positions: Floats
    normals: Floats
    uvs: Floats
    lightmap_uvs: Floats
    material: Indices

    def __len__(self) -> int:
        return len(self.positions)

    @classmethod
    def of(cls, primitives: Sequence[Primitive], rows: Indices, some: slice = ALL) -> Triangles:
        """The triangles of primitives, or some of these in their order.

        Parameters
        ----------
        rows
            The wear row of each material, and at the end that of none.
        """
        counts = [len(it.positions) for it in primitives]
        starts = np.cumsum([0, *counts])
        first, taken = within([len(it.triangles) for it in primitives], some)
        corners = [
            it.triangles[at : at + count] + start
            for it, start, at, count in zip(primitives, starts, first.tolist(), taken.tolist(), strict=False)
        ]
        triangles = np.concatenate([np.empty((0, 3), np.int64), *corners])
        values = (
            ([it.positions for it in primitives], 3),
            ([it.normals if it.has_own_normals else None for it in primitives], 3),
            ([it.uvs for it in primitives], 2),
            ([it.lightmap_uvs for it in primitives], 2),
        )
        streams = (_joined(column, counts, width)[triangles] for column, width in values)
        positions, normals, uvs, second = streams
        material = rows[[NONE if it.material is None else it.material for it in primitives]]
        return cls(positions, normals, uvs, second, np.repeat(material, taken))

    def is_same(self, other: Triangles, near: Doubles) -> Mask:
        """The triangles with the same corners in the same order as others, with the same values, (t,) bool.

        Parameters
        ----------
        near
            Largest distance of equal coordinates of each, (t,).
        """
        with np.errstate(invalid="ignore"):
            found = (np.abs(self.positions - other.positions) <= near[:, None, None]).all(axis=(1, 2))
            found &= (self.material == other.material) | (self.material == ANY)
            for name, limit in (("normals", SAME_NORMAL), ("uvs", ROUNDED_UV), ("lightmap_uvs", ROUNDED_UV)):
                one = getattr(self, name)
                # Of a file without these values nothing can differ.
                found &= ((np.abs(one - getattr(other, name)) <= limit) | np.isnan(one)).all(axis=(1, 2))
        return np.asarray(found)

    @classmethod
    def joined(cls, parts: Sequence[Triangles]) -> Triangles:
        """The triangles of several surfaces, one after the other."""
        return cls(
            np.concatenate([it.positions for it in parts]),
            np.concatenate([it.normals for it in parts]),
            np.concatenate([it.uvs for it in parts]),
            np.concatenate([it.lightmap_uvs for it in parts]),
            np.concatenate([it.material for it in parts]),
        )

    def some(self, rows: Indices) -> Triangles:
        """A subset of the triangles."""
        return Triangles(
            self.positions[rows],
            self.normals[rows],
            self.uvs[rows],
            self.lightmap_uvs[rows],
            self.material[rows],
        )

    def placed(self, matrix: Matrix) -> Triangles:
        """The triangles in another space, by a matrix (4, 4)."""
        linear, offset = matrix[:3, :3], matrix[:3, 3]
        positions = (self.positions @ linear.T + offset).astype(np.float32)
        normals = unit(self.normals @ cofactors(linear).T).astype(np.float32)
        return Triangles(positions, normals, self.uvs, self.lightmap_uvs, self.material)

    @property
    def is_flat(self) -> Mask:
        """The triangles without an area, (t,) bool: nobody sees them, and programs drop them."""
        a, b, c = (self.positions[:, corner].astype(np.float64) for corner in range(3))
        sides = b - a, c - a
        area = np.linalg.norm(np.cross(*sides), axis=1)
        size = np.maximum.reduce([(it * it).sum(axis=1) for it in (*sides, c - b)])
        # A height below a millionth of the longest side is rounding.
        return np.asarray(area <= 1e-6 * size)


def within(counts: Sequence[int] | Indices, some: slice) -> tuple[Indices, Indices]:
    """The part of each run in a slice of runs one after the other: first item and number, (r,) each."""
    counts = np.asarray(counts, np.int64)
    end = np.cumsum(counts)
    start, stop, _step = some.indices(int(end[-1]) if len(end) else 0)
    begin = end - counts
    first = np.maximum(begin, start)
    return first - begin, np.maximum(np.minimum(end, stop) - first, 0)


def _joined(pieces: Sequence[Floats | None], counts: Sequence[int], width: int) -> Floats:
    """Values of vertices, (n, width); NaN where there are none."""
    found = (
        np.full((count, width), np.nan, np.float32) if values is None else values
        for values, count in zip(pieces, counts, strict=True)
    )
    return np.concatenate([np.empty((0, width), np.float32), *found])


class TriangleMatch(Struct, frozen=True, eq=False):
    """The pairs of equal triangles of two surfaces.

    Attributes
    ----------
    given, made
        Their corners, in pairs, as numbers of all corners of a surface, (m, 3) each.
    new, gone
        The triangles of the first that the second does not have, (g,), and the reverse, (d,). Triangles that
        nobody sees, and further ones of the same corners, are not among them.
    is_in_order
        Whether all corners are paired, in the order of both surfaces.
    """

    given: Indices
    made: Indices
    new: Indices
    gone: Indices
    is_in_order: bool = False

    def of_corners(self, given: Floats, made: Floats) -> tuple[Floats, Floats]:
        """Values of the paired corners, (3 m, k) both, of those of all triangles, (t, 3, k)."""
        both = [it.reshape(-1, it.shape[-1]) for it in (given, made)]
        if self.is_in_order:
            return both[0], both[1]
        return both[0][self.given.reshape(-1)], both[1][self.made.reshape(-1)]


def matched(given: Triangles, made: Triangles, near: float) -> TriangleMatch:
    """The triangles of two surfaces whose corners are at the same places, in the same winding.

    Parameters
    ----------
    near
        Largest distance of equal coordinates.
    """
    count = min(len(given), len(made))
    with np.errstate(invalid="ignore"):
        away = np.abs(given.positions[:count] - made.positions[:count])
    # What is no number in the model is none in any file.
    is_same = ((away <= near) | ~np.isfinite(made.positions[:count])).all(axis=(1, 2))
    # Most files have the triangles in the order of the model: the others are paired by their corners.
    same = np.flatnonzero(is_same)
    own, others = (np.append(np.flatnonzero(~is_same), np.arange(count, len(it))) for it in (given, made))
    corners = same[:, None] * 3 + np.arange(3)
    if not (len(own) or len(others)):
        return TriangleMatch(corners, corners, own, others, is_in_order=True)
    classes = _classes(given.some(own), made.some(others), near)
    pairs = [[corners, corners]]
    # At a seam two corners have one place: those with equal coordinates are paired first, then the rest by
    # place.
    for has_uvs in (True, False):
        sides = _paired(own, others, [it[has_uvs] for it in classes])
        pairs.append([it.corners for it in sides])
        own, others = (it.rest for it in sides)
        classes = [(place[it.left], fine[it.left]) for (place, fine), it in zip(classes, sides, strict=True)]
    given_corners, made_corners = (np.concatenate(it) for it in zip(*pairs, strict=True))
    own, others = own[~given.is_flat[own]], others[~made.is_flat[others]]
    return TriangleMatch(given_corners, made_corners, own, _not_again(others, made, made_corners, near))


class _Side(Struct, frozen=True, eq=False):
    """A side of pairs: the paired corners, and the triangles without a partner, with their places."""

    corners: Indices
    rest: Indices
    left: Indices


def _classes(given: Triangles, made: Triangles, near: float) -> list[tuple[Indices, Indices]]:
    """A number for the place of each corner, without and with its texture coordinates, of each side."""
    points = np.concatenate([given.positions, made.positions]).reshape(-1, 3)
    uvs = np.concatenate([given.uvs, made.uvs]).reshape(-1, 2)
    place = combined([labels(it, near) for it in points.T])
    fine = place
    if not np.isnan(uvs).any():
        fine = combined([place, *(labels(it, ROUNDED_UV) for it in uvs.T)])
    split = len(given)
    both = [it.reshape(-1, 3) for it in (place, fine)]
    return [(both[0][:split], both[1][:split]), (both[0][split:], both[1][split:])]


def _paired(own: Indices, others: Indices, classes: Sequence[Indices]) -> tuple[_Side, _Side]:
    """The pairs of triangles, rows of two surfaces, by the numbers of their corners, (g, 3) and (d, 3)."""
    corners = [turned(np.arange(3 * len(it)).reshape(-1, 3), it.reshape(-1)) for it in classes]
    numbers = [it.reshape(-1)[order] for it, order in zip(classes, corners, strict=True)]
    given, made = np.split(combined([*np.concatenate(numbers).T]), [len(own)])
    of_given = paired(made, given)
    hit = of_given != NONE
    is_free = np.ones(len(others), np.bool_)
    is_free[of_given[hit]] = False
    return _side(own, corners[0], np.flatnonzero(hit), ~hit), _side(
        others, corners[1], of_given[hit], is_free
    )


def _side(rows: Indices, corners: Indices, chosen: Indices, is_left: Mask) -> _Side:
    """A side of pairs of triangles, with the rows of a surface that are left over."""
    # Corner 4 of some triangles is number 1 of the second one, whose row says where all its corners are.
    found = rows[corners[chosen] // 3] * 3 + corners[chosen] % 3
    return _Side(found, rows[is_left], np.flatnonzero(is_left))


def _not_again(others: Indices, made: Triangles, corners: Indices, near: float) -> Indices:
    """Triangles without those that have the corners of a paired one: programs drop the second of them."""
    if not len(others) or not len(corners):
        return others
    points = np.concatenate(
        [made.positions[others].reshape(-1, 3), made.positions.reshape(-1, 3)[corners.reshape(-1)]]
    )
    place = np.sort(combined([labels(it, near) for it in points.T]).reshape(-1, 3), axis=1)
    keys = combined([*place.T])
    return others[~np.isin(keys[: len(others)], keys[len(others) :])]


def farthest(points: Floats, known: Floats) -> float:
    """The largest distance of any of some points (n, 3) from the nearest known one (k, 3)."""
    points, known = (np.unique(it, axis=0) for it in (points, known))
    # 10,000 points against 10,000 are 10**8 pairs: every second one is measured, as 10**8 // 2**25 = 2.
    step = max(1, len(points) * len(known) // MOST_PAIRS)
    chosen = points[::step]
    found = known[nearest(chosen, known)].astype(np.float64)
    return float(np.linalg.norm(chosen - found, axis=1).max(initial=0))


def angles(one: Vectors, other: Vectors) -> Doubles:
    """The angles between unit vectors (n, 3), degrees; 0 where either is none."""
    half = np.linalg.norm(one.astype(np.float64) - other, axis=1) / 2
    is_known = one.any(axis=1) & other.any(axis=1)
    # By the chord, which keeps small angles that the arc cosine rounds away.
    return np.where(is_known, np.degrees(2 * np.arcsin(np.clip(np.nan_to_num(half), 0, 1))), 0.0)
