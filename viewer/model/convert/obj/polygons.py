"""Faces of any form as triangles that lie inside them and turn as they do.

Most faces are convex: a fan of triangles from their first corner, found for all of them at once, or from
their second one for some of four corners. All others are cut by earcut in the plane that fits them best. It
follows an outline that goes along a bridge into a hole and back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np

from viewer.geometry.transforms import Doubles, Indices, Mask
from viewer.model.convert.motion.rotations import unit
from viewer.model.mesh.draws import Rows32
from viewer.translation import _

_FLAT: Final = 1e-9
"""Areas below this part of the area of their face are none."""
_BENT: Final = 0.2
"""Distance of a corner from the plane of its face, as a part of its radius, from which it is not plane: the
corners of a cube that was subdivided once are at 0.13, where two squares meet at a right angle at 0.45."""
_INSIDE: Final = 1e-6
"""Difference between the area of a face and of its triangles, as a part, that is rounding."""
_AT_ONCE: Final = 1 << 18
"""Corners that are looked at together."""
_MOST_PAIRS: Final = 1 << 23
"""Pairs of edges beyond which it is not looked for crossings: outlines of thousands of corners have fewer."""
_QUAD: Final = 4
_ROUND: Final = 5
"""Corners from which on a fan may turn more than once around its first one."""
CROSSED: Final = _("faces cross themselves and cannot be cut into triangles that fill them: {count}")
BENT: Final = _("faces are not plane; which way they are cut is a choice: {count}")


def triangles(corners: Rows32, counts: Indices, positions: Doubles) -> tuple[Rows32, Counter[str]]:
    """The corners of the triangles of faces, and what cannot be cut as it is meant, by templates.

    Parameters
    ----------
    corners
        Vertex, texture coordinate and normal of the corners of all faces, (n, 3).
    counts
        Corners of each face, (f,), 3 and more.
    positions
        Of the vertices, (v, 3).
    """
    odd: Counter[str] = Counter()
    if (counts == 3).all():
        return corners, odd
    first = np.cumsum(counts) - counts
    # A face of n corners has n - 2 triangles; those of all faces stand one after the other.
    start = np.cumsum(counts - 2) - (counts - 2)
    made = np.full((int((counts - 2).sum()), 3), -1, np.int64)
    for count, faces in _alike(counts):
        rows = first[faces, None] + np.arange(count)
        cut = np.tile(_fan(count), (len(faces), 1, 1))
        if count > 3:
            points = positions[corners[rows, 0]]
            _cut(points - points.mean(axis=1, keepdims=True), cut, odd)
        is_used = (cut >= 0).all(axis=2)
        places = (start[faces, None] + np.arange(count - 2))[is_used]
        made[places] = (first[faces, None, None] + cut)[is_used]
    return corners[made[made[:, 0] >= 0].reshape(-1)], odd


def _alike(counts: Indices) -> Iterator[tuple[int, Indices]]:
    """A number of corners and some of the faces that have it, not too many at once."""
    for count in np.unique(counts).tolist():
        faces = np.flatnonzero(counts == count)
        # Bounds the memory: faces of 4 corners come 65536 at a time, one of a million corners alone.
        step = max(1, _AT_ONCE // count)
        yield from ((count, faces[at : at + step]) for at in range(0, len(faces), step))


def _fan(count: int) -> Indices:
    """The triangles of a face from its first corner, (n - 2, 3)."""
    step = np.arange(count - 2)
    return np.stack([np.zeros_like(step), step + 1, step + 2], axis=1)


def _cut(points: Doubles, cut: Indices, odd: Counter[str]) -> None:
    """Replace fans (f, n - 2, 3) that leave their face; corners (f, n, 3) are around the center of each."""
    # Newell's normal: the sum over all edges is twice the area along the normal, also for a face that is bent
    # or not convex.
    normals = np.cross(points, np.roll(points, -1, axis=1)).sum(axis=1)
    heights = np.abs(np.einsum("fnk,fk->fn", points, unit(normals))).max(axis=1)
    is_bent = heights > _BENT * np.linalg.norm(points, axis=2).max(axis=1)
    rest = np.flatnonzero(~_is_fan(points, normals))
    if points.shape[1] == _QUAD and len(rest):
        # Around the second corner if the first triangles turned, which are those of one with a corner inside.
        other = np.roll(points[rest], -1, axis=1)
        is_other = _is_fan(other, normals[rest])
        # The fan 0 1 2, 0 2 3 becomes 1 2 3, 1 3 0.
        cut[rest[is_other]] = (cut[rest[is_other]] + 1) % _QUAD
        rest = rest[~is_other]
    is_crossed = np.zeros(len(points), np.bool_)
    for face in rest.tolist():
        cut[face], is_crossed[face] = _ears(points[face], normals[face])
    odd.update({CROSSED: int(is_crossed.sum()), BENT: int((is_bent & ~is_crossed).sum())})


def _is_fan(points: Doubles, normals: Doubles) -> Mask:
    """Faces whose triangles from their first corner all turn as they do, (f,)."""
    arms = points[:, 1:] - points[:, :1]
    turns = np.cross(arms[:, :-1], arms[:, 1:])
    along = np.einsum("ftk,fk->ft", turns, normals)
    size = np.einsum("fk,fk->f", normals, normals)[:, None]
    # Corners in a row or at one place have triangles without area, which do no harm.
    is_flat = np.linalg.norm(turns, axis=2) <= _FLAT * np.square(arms).sum(axis=2).max(axis=1)[:, None]
    found: Mask = ((along >= -_FLAT * size) & (size > 0) | is_flat).all(axis=1)
    if points.shape[1] >= _ROUND:
        # A star of five corners drawn in one line has such triangles too, but they go around twice.
        angles = np.arctan2(np.linalg.norm(turns, axis=2), (arms[:, :-1] * arms[:, 1:]).sum(axis=2))
        found &= angles.sum(axis=1) < 2 * np.pi
    return found


def _ears(points: Doubles, normal: Doubles) -> tuple[Indices, bool]:
    """The triangles of a face (n, 3) by earcut, (n - 2, 3) with -1 in place of missing ones.

    And whether it crosses itself, or its triangles do not fill it.
    """
    import mapbox_earcut  # noqa: PLC0415 few files have such faces

    count = len(points)
    # The two axes in which the corners lie: across the normal, or if it has no length those of most extent.
    up = unit(normal)
    axes = np.linalg.svd(points - np.outer(points @ up, up), full_matrices=False)[2][:2]
    flat = np.ascontiguousarray(points @ axes.T)
    found = mapbox_earcut.triangulate_float64(flat, np.array([count], np.uint32)).astype(np.int64)
    made, (x, y) = found.reshape(-1, 3), flat.T
    area = float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())
    areas = _areas(flat[made])
    # earcut turns all triangles one way, which is that of the face or the other one.
    is_turned = areas * area < 0
    made[is_turned] = made[is_turned][:, ::-1]
    is_filled = len(made) > 0 and abs(np.abs(areas).sum() - abs(area)) <= _INSIDE * abs(area)
    is_crossed = not is_filled or _has_crossing(flat)
    cut = np.full((count - 2, 3), -1, np.int64)
    cut[: len(made)] = made[: count - 2]
    return (cut, is_crossed) if len(made) else (_fan(count), is_crossed)


def _has_crossing(corners: Doubles) -> bool:
    """Whether two edges of an outline (n, 2) cross; those that touch or cover each other do not."""
    ends = np.roll(corners, -1, axis=0)
    left, right = np.minimum(corners[:, 0], ends[:, 0]), np.maximum(corners[:, 0], ends[:, 0])
    # Sorted by their left ends, so that only edges whose ranges of x overlap are compared, not all pairs.
    order = np.argsort(left)
    # From left to right each edge may cross those that begin before it ends.
    counts = np.searchsorted(left[order], right[order], "right") - np.arange(len(order)) - 1
    if counts.sum() > _MOST_PAIRS:
        return False
    first = np.repeat(np.arange(len(order)), counts)
    step = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    one, other = order[first], order[first + step + 1]
    least = _FLAT * float(np.square(corners).sum(axis=1).max())
    found = np.ones(len(first), np.bool_)
    for a, b in ((one, other), (other, one)):
        # Two edges cross if the ends of each lie on different sides of the other, neither of them on it.
        sides = [_areas(np.stack([corners[a], ends[a], it], axis=1)) for it in (corners[b], ends[b])]
        found &= (np.minimum(*sides) < -least) & (np.maximum(*sides) > least)
    return bool(found.any())


def _areas(corners: Doubles) -> Doubles:
    """Twice the areas of triangles in a plane (t, 3, 2), below 0 if they turn clockwise, (t,)."""
    # The z of the cross product of two sides.
    (ax, ay), (bx, by) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
    found: Doubles = ax * by - ay * bx
    return found
