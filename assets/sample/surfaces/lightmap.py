"""A lightmap: every lit polygon has its own patch of one page, and light is computed for each texel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from assets.sample.shapes.solids import Points, Solid

SIZE = 256
DENSITY, INDOOR_DENSITY = 0.9, 0.5
"""Texels per unit, outside and in rooms."""

SHELVES = (1, 2, 3, 4, 6, 8, 12, 16, 20, 26, 32)
"""Heights of the shelves of patches."""

SUN = np.array([-0.48, 0.60, 0.64])
"""From the front and the left: a lightmap has a light of its own."""

SUNLIGHT = np.array([0.66, 0.60, 0.48])
SKYLIGHT = np.array([0.66, 0.70, 0.77])
GROUND = np.array([0.42, 0.37, 0.30])
INDOORS = np.array([0.30, 0.30, 0.32])
"""Light on everything in a room."""

HIDDEN = 0.1
"""Fraction of the light from a ray that hits something."""
RAYS = 28
OFFSET = 0.15
"""Distance from the surface at which rays start."""


@dataclass(frozen=True)
class Lamp:
    """A light without shadow: position, color, and the distance at which it has half its strength."""

    position: tuple[float, float, float]
    color: tuple[float, float, float]
    reach: float


@dataclass(frozen=True)
class _Patch:
    """A rectangle of texels over a polygon: the first position, and the steps across and down."""

    row: int
    corner: tuple[int, int]
    size: tuple[int, int]
    origin: Points
    steps: tuple[Points, Points]
    normal: Points
    is_indoors: bool


@dataclass
class Lightmap:
    """A page under construction.

    Parameters
    ----------
    blockers
        Convex solids that cast shadows, per row of the slot matrix.
    lamps
        Lights in addition to sun and sky.
    """

    blockers: Sequence[Sequence[Solid]]
    lamps: Sequence[Lamp] = ()
    _patches: list[_Patch] = field(default_factory=list)
    _shelves: dict[int, tuple[int, int]] = field(default_factory=dict)
    _used: int = 0

    def patch(
        self, row: int, corners: Points, normal: Points, *, is_indoors: bool = False
    ) -> npt.NDArray[np.uint16]:
        """Allocate a patch for a polygon (n, 3); returns its lightmap coordinates in 1/1024, shape (n, 2).

        Sun and sky do not reach what is indoors.
        """
        axes = _axes(normal)
        flat = np.stack([(corners * axis).sum(axis=1) for axis in axes], axis=1)
        low, extent = flat.min(axis=0), np.ptp(flat, axis=0)
        wanted = np.round(extent * (INDOOR_DENSITY if is_indoors else DENSITY), 5).tolist()
        size = [int(np.ceil(texels - 0.25)) + 1 if texels > 0.75 else 1 for texels in wanted]
        corner = self._room(size[0], size[1])
        steps = [extent[i] / max(size[i] - 1, 1) for i in (0, 1)]
        start = low if max(size) > 1 else low + extent / 2
        origin = corners[0] + sum(axes[i] * (start[i] - flat[0, i]) for i in (0, 1))
        spans = (axes[0] * steps[0], axes[1] * steps[1])
        self._patches.append(_Patch(row, corner, (size[0], size[1]), origin, spans, normal, is_indoors))
        parts = (flat - low) / np.maximum(extent, 1e-9)
        texels = np.array(corner) + 0.5 + parts * (np.array(size) - 1)
        coordinates: npt.NDArray[np.uint16] = np.floor(np.round(texels / SIZE * 1024, 4) + 0.5).astype(
            np.uint16
        )
        return coordinates

    def _room(self, width: int, height: int) -> tuple[int, int]:
        """A free rectangle, on the open shelf for its height or on a new one."""
        shelf = min((s for s in SHELVES if s >= height), default=SIZE)
        x, y = self._shelves.get(shelf, (SIZE, 0))
        if x + width > SIZE:
            x, y = 0, self._used
            self._used += shelf
        if self._used > SIZE or width > SIZE:
            raise ValueError(f"no room for {width} x {height} texels")
        self._shelves[shelf] = (x + width, y)
        return x, y

    def page(self) -> npt.NDArray[np.float64]:
        """The light on every patch, colors 0..1, shape (SIZE, SIZE, 3)."""
        image = np.full((SIZE, SIZE, 3), 0.5)
        for row, blockers in enumerate(self.blockers):
            patches = [patch for patch in self._patches if patch.row == row]
            texels = [_texels(patch) for patch in patches]
            normals = [np.broadcast_to(p.normal, (len(t), 3)) for p, t in zip(patches, texels, strict=True)]
            indoors = np.concatenate(
                [np.full(len(t), p.is_indoors) for p, t in zip(patches, texels, strict=True)]
            )
            light = self._light(
                np.concatenate(texels), np.concatenate(normals), indoors, [_planes(s) for s in blockers]
            )
            first = 0
            for patch in patches:
                (x, y), (width, height) = patch.corner, patch.size
                last = first + width * height
                image[y : y + height, x : x + width] = light[first:last].reshape(height, width, 3)
                first = last
        return image

    def _light(
        self, positions: Points, normals: Points, indoors: npt.NDArray[np.bool_], blockers: list[Points]
    ) -> Points:
        starts = positions + OFFSET * normals
        facing = np.maximum((normals * SUN).sum(axis=1), 0)
        is_lit = ~_is_blocked(starts, np.broadcast_to(SUN, starts.shape), blockers)
        light = (facing * is_lit)[:, None] * SUNLIGHT + _ambient(starts, normals, blockers)
        light[indoors] = INDOORS
        for lamp in self.lamps:
            away = np.array(lamp.position) - positions
            distance = np.sqrt((away * away).sum(axis=1))
            angle = np.maximum((away * normals).sum(axis=1) / np.maximum(distance, 1e-6), 0)
            light = light + (angle / (1 + (distance / lamp.reach) ** 2))[:, None] * np.array(lamp.color)
        lit: Points = light / np.maximum(light.max(axis=1, keepdims=True), 1)
        return lit


def _axes(normal: Points) -> tuple[Points, Points]:
    """Two unit vectors along a plane: level to the right, then down."""
    across = np.array([-normal[1], normal[0], 0.0]) if abs(normal[2]) < 0.95 else np.array([1.0, 0.0, 0.0])
    across = across - normal * float((across * normal).sum())
    across = across / np.sqrt((across * across).sum())
    return across, np.cross(across, normal)


def _texels(patch: _Patch) -> Points:
    """Positions of a patch's texels, row by row, shape (n, 3)."""
    rows, columns = np.mgrid[0 : patch.size[1], 0 : patch.size[0]]
    positions: Points = patch.origin + columns[..., None] * patch.steps[0] + rows[..., None] * patch.steps[1]
    return positions.reshape(-1, 3)


def _planes(solid: Solid) -> Points:
    """Outward planes (a, b, c, d) of a convex solid, a x + b y + c z <= d inside."""
    rows = []
    for face in solid.faces:
        a, b, c = solid.points[list(face[:3])]
        normal = np.cross(b - a, c - a)
        length = float(np.sqrt((normal * normal).sum()))
        if length > 1e-9:
            normal = normal / length
            rows.append([*normal.tolist(), float((normal * a).sum())])
    return np.array(rows)


def _is_blocked(starts: Points, ways: Points, blockers: list[Points]) -> npt.NDArray[np.bool_]:
    """Whether a ray enters any blocker; a blocker that contains the start is ignored."""
    blocked = np.zeros(len(starts), bool)
    (x, y, z), (u, v, w) = (np.ascontiguousarray(rows.T) for rows in (starts, ways))
    for planes in blockers:
        enter, leave = np.full(len(starts), 1e-6), np.full(len(starts), 60.0)
        outside = np.zeros(len(starts), bool)
        for a, b, c, d in planes.tolist():
            gap = d - (a * x + b * y + c * z)
            speed = a * u + b * v + c * w
            outside |= gap < 0
            with np.errstate(divide="ignore", invalid="ignore"):
                when = gap / speed
            np.maximum(enter, when, out=enter, where=speed < -1e-9)
            np.minimum(leave, when, out=leave, where=speed > 1e-9)
            leave[(np.abs(speed) <= 1e-9) & (gap < 0)] = -1.0
        blocked |= outside & (enter < leave)
    return blocked


def _ambient(starts: Points, normals: Points, blockers: list[Points]) -> Points:
    """Unblocked light from sky and ground, from rays distributed over the half space."""
    total = np.zeros_like(starts)
    for index in range(RAYS):
        ways = _spread(index, normals)
        is_free = ~_is_blocked(starts, ways, blockers)
        source = np.where(ways[:, 2:] > 0, SKYLIGHT, GROUND)
        total += source * np.where(is_free, 1.0, HIDDEN)[:, None]
    return total / RAYS


def _spread(index: int, normals: Points) -> Points:
    """A sample direction around each normal, denser near it."""
    height = np.sqrt(1 - (index + 0.5) / RAYS)
    turn = 2.399963 * index + 0.3
    helper = np.where(np.abs(normals[:, 2:]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    first = np.cross(helper, normals)
    first = first / np.sqrt((first * first).sum(axis=1, keepdims=True))
    second = np.cross(normals, first)
    flat = np.sqrt(1 - height * height)
    ways: Points = normals * height + (first * np.cos(turn) + second * np.sin(turn)) * flat
    return ways
