"""Polygon shapes: bevelled boxes, turned profiles, lofts, tubes. Z is up, in model units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Corners = tuple[tuple[float, float], ...]

GRID = 1024
"""Positions are multiples of ``1 / GRID``, so that equal points are equal on every machine."""


@dataclass(frozen=True)
class Solid:
    """Polygons over shared points.

    Parameters
    ----------
    points
        Shape (n, 3).
    faces
        Corners of each convex polygon, counter-clockwise from outside.
    uvs
        Texture coordinates of each polygon's corners, if the shape defines them.
    """

    points: Points
    faces: tuple[tuple[int, ...], ...]
    uvs: tuple[Corners, ...] | None = None

    def moved(self, x: float = 0, y: float = 0, z: float = 0) -> Solid:
        """The solid, translated."""
        return replace(self, points=self.points + np.array([x, y, z]))

    def scaled(self, x: float = 1, y: float = 1, z: float = 1) -> Solid:
        """The solid, scaled along the axes by positive factors."""
        return replace(self, points=self.points * (x, y, z))

    def turned(self, axis: str, degrees: float) -> Solid:
        """The solid, rotated counter-clockwise about an axis through the origin."""
        return replace(self, points=rotate(self.points, axis, degrees))

    def mirrored(self, axis: str = "x") -> Solid:
        """The mirror image across the plane normal to `axis`; faces still face outwards."""
        factor = [-1.0 if letter == axis else 1.0 for letter in "xyz"]
        return replace(self.inside_out(), points=self.points * factor)

    def inside_out(self) -> Solid:
        """The surface seen from its other side."""
        faces = tuple(tuple(reversed(face)) for face in self.faces)
        uvs = None if self.uvs is None else tuple(tuple(reversed(corners)) for corners in self.uvs)
        return Solid(self.points, faces, uvs)

    def textured(self, axis: str, margin: float = 0.0) -> Solid:
        """The solid with one texture projected along `axis`, instead of one on each face.

        It fills the solid's outline; a `margin`, as a fraction of the texture, is left out on each side.
        """
        column = "xyz".index(axis)
        flat = np.delete(self.points, column, axis=1) * (1.0, -1.0)
        low, size = flat.min(axis=0), np.ptp(flat, axis=0)
        laid = margin + (1 - 2 * margin) * (flat - low) / np.maximum(size, 1e-6)
        transforms = [(float(u), float(v)) for u, v in laid]
        return replace(self, uvs=tuple(tuple(transforms[corner] for corner in face) for face in self.faces))

    def without(self, *faces: int) -> Solid:
        """The solid without some polygons; negative numbers count from the end."""
        dropped = {face % len(self.faces) for face in faces}
        kept = [index for index in range(len(self.faces)) if index not in dropped]
        uvs = None if self.uvs is None else tuple(self.uvs[index] for index in kept)
        return Solid(self.points, tuple(self.faces[index] for index in kept), uvs)


def rotate(points: Points, axis: str, degrees: float) -> Points:
    """Points of shape (..., 3), rotated counter-clockwise about an axis through the origin."""
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    turned = np.array(points, np.float64)
    turned[..., first] = cosine * points[..., first] - sine * points[..., second]
    turned[..., second] = sine * points[..., first] + cosine * points[..., second]
    return turned


def loft(rings: Sequence[Points], *, cap_first: bool = True, cap_last: bool = True) -> Solid:
    """A surface over rings of equal length, counter-clockwise about the direction from first to last.

    A ring whose points coincide becomes a tip. Side faces are in order of the rings, the caps last.
    """
    count = len(rings[0])
    faces: list[tuple[int, ...]] = []
    for level in range(len(rings) - 1):
        low, high = level * count, (level + 1) * count
        for corner in range(count):
            after = (corner + 1) % count
            faces.append((low + corner, low + after, high + after, high + corner))
    if cap_first:
        faces.append(tuple(range(count - 1, -1, -1)))
    if cap_last:
        top = (len(rings) - 1) * count
        faces.append(tuple(range(top, top + count)))
    return _clean(np.concatenate(rings), faces)


def _clean(points: Points, faces: Sequence[tuple[int, ...]]) -> Solid:
    """Merge points that coincide on the grid and drop degenerate faces."""
    cells = np.rint(points * GRID).astype(np.int64)
    unique, inverse = np.unique(cells, axis=0, return_inverse=True)
    first = np.full(len(unique), -1)
    first[inverse.ravel()[::-1]] = np.arange(len(points))[::-1]
    number = first[inverse.ravel()].tolist()
    kept: list[tuple[int, ...]] = []
    for face in faces:
        corners = [number[corner] for corner in face]
        ring = tuple(c for i, c in enumerate(corners) if c != corners[i - 1])
        if len(ring) >= 3:
            kept.append(ring)
    return Solid(points, tuple(kept))


def ring(outline: Sequence[tuple[float, float]] | Points, z: float) -> Points:
    """A flat outline in XY at height `z`."""
    flat = np.asarray(outline, np.float64)
    return np.column_stack([flat, np.full(len(flat), float(z))])


def circle(radius: float, sides: int, turn: float = 0.0) -> Points:
    """An outline of `sides` corners; `turn` in degrees."""
    angles = np.radians(turn + 360.0 * np.arange(sides) / sides)
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles)])


def rectangle(width: float, depth: float, chamfer: float = 0.0) -> Points:
    """A rectangle around the origin; with a chamfer its corners are cut."""
    x, y, c = width / 2, depth / 2, chamfer
    if c <= 0:
        return np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
    return np.array(
        [(c - x, -y), (x - c, -y), (x, c - y), (x, y - c), (x - c, y), (c - x, y), (-x, y - c), (-x, c - y)]
    )


def slab(
    bottom: tuple[float, float],
    height: float,
    top: tuple[float, float] | None = None,
    *,
    bevel: float = 0.0,
    chamfer: float | None = None,
    shift: tuple[float, float] = (0.0, 0.0),
) -> Solid:
    """A box on z = 0, tapered from `bottom` to `top`, its top moved sideways by `shift`.

    `bevel` applies to all edges, `chamfer` overrides it for the vertical ones.
    """
    top = top or bottom
    chamfer = bevel if chamfer is None else chamfer
    levels = [(0.0, bevel), (bevel, 0.0), (height - bevel, 0.0), (height, bevel)]
    rings = []
    for z, inset in levels if bevel > 0 else [levels[0], levels[3]]:
        part = z / height
        width, depth = (b + (t - b) * part - 2 * inset for b, t in zip(bottom, top, strict=True))
        outline = rectangle(width, depth, max(chamfer - inset * 0.6, 0.2 * chamfer))
        rings.append(ring(outline + np.array(shift) * part, z))
    return loft(rings)


def box(width: float, depth: float, height: float, *, bevel: float = 0.0) -> Solid:
    """A box around the origin."""
    return slab((width, depth), height, bevel=bevel).moved(z=-height / 2)


def turned_profile(profile: Sequence[tuple[float, float]], sides: int, *, turn: float = 0.0) -> Solid:
    """A profile of (radius, z), from low to high, turned about Z and capped."""
    return loft([ring(circle(radius, sides, turn), z) for radius, z in profile])


def disc(radius: float, sides: int) -> Solid:
    """A flat disc at the origin facing +Z."""
    return Solid(ring(circle(radius, sides), 0.0), (tuple(range(sides)),))


def cylinder(radius: float, length: float, sides: int, *, bevel: float = 0.0) -> Solid:
    """A cylinder around the origin along Z."""
    half = length / 2
    profile = [(radius, -half), (radius, half)]
    if bevel > 0:
        inner = radius - bevel
        profile = [(inner, -half), (radius, bevel - half), (radius, half - bevel), (inner, half)]
    return turned_profile(profile, sides)


def pipe(radius: float, bore: float, length: float, sides: int) -> Solid:
    """A hollow cylinder around the origin along Z."""
    half = length / 2
    outer, inner = circle(radius, sides), circle(bore, sides)
    rings = [ring(inner, -half), ring(outer, -half), ring(outer, half), ring(inner, half), ring(inner, -half)]
    return loft(rings, cap_first=False, cap_last=False)


def ball(radius: float, sides: int, *, squash: float = 1.0) -> Solid:
    """A sphere around the origin, scaled along Z by `squash`."""
    steps = max(3, sides // 2)
    angles = np.linspace(-np.pi / 2, np.pi / 2, steps + 1)
    profile = [(radius * abs(float(np.cos(a))), radius * squash * float(np.sin(a))) for a in angles]
    profile[0], profile[-1] = (0.0, -radius * squash), (0.0, radius * squash)
    return turned_profile(profile, sides)


def tube(path: Sequence[tuple[float, float, float]], radii: Sequence[float], sides: int) -> Solid:
    """A tube along a path, one radius per point, without twist."""
    points = np.array(path, np.float64)
    ways = np.gradient(points, axis=0)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    side = np.cross(ways[0], (0.0, 0.0, 1.0) if abs(ways[0][2]) < 0.9 else (0.0, 1.0, 0.0))
    rings = []
    for point, way, radius in zip(points, ways, radii, strict=True):
        side = side - way * float(np.sum(side * way))
        side = side / np.linalg.norm(side)
        outline = circle(radius, sides)
        rings.append(point + outline[:, :1] * side + outline[:, 1:] * np.cross(way, side))
    return loft(rings)


def prism(outline: Sequence[tuple[float, float]], width: float, *, bevel: float = 0.0) -> Solid:
    """A convex outline in (y, z), counter-clockwise from +X, as a plate of `width` around x = 0."""
    flat = np.array(outline, np.float64)
    half = width / 2
    inner = flat.mean(axis=0) + (flat - flat.mean(axis=0)) * _shrink(flat, bevel)
    levels = [(-half, inner), (bevel - half, flat), (half - bevel, flat), (half, inner)]
    chosen = levels if bevel > 0 else [(-half, flat), (half, flat)]
    return loft([np.column_stack([np.full(len(o), x), o]) for x, o in chosen])


def _shrink(outline: Points, bevel: float) -> Points:
    """Scale that moves each corner inwards by about `bevel`."""
    reach = np.linalg.norm(outline - outline.mean(axis=0), axis=1, keepdims=True)
    factor: Points = np.maximum(1 - 1.3 * bevel / reach, 0.3)
    return factor


def sheet(corners: Sequence[tuple[float, float, float]], uvs: Corners) -> Solid:
    """A polygon with its own texture coordinates."""
    return Solid(np.array(corners, np.float64), (tuple(range(len(corners))),), (uvs,))


def mesh(points: Points, faces: Sequence[tuple[int, ...]]) -> Solid:
    """A solid of arbitrary polygons."""
    return _clean(points, faces)
