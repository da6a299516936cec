"""The drawable parts of a model: nodes, slots, batches, triangles, for all cells of the slot matrix.

A *part* is one (node, slot) pair; the same part may fill several cells. A *draw* is one batch of
one part. Ranges that exceed their table are clipped and reported, so all indices here are valid.
`PosedVertices` finds how far draws reach in a pose, in steps of bounded memory.

Source: spec/msh.md 2, 5, 6, 11; spec/land.md 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.formats.msh.nodes import GROUPS, LODS
from viewer.formats.record import Rows
from viewer.geometry import frustum
from viewer.geometry.bounds import Bounds, Directions, box_corners
from viewer.geometry.transforms import Floats, Indices, Mask
from viewer.model.mesh.model import Model

Rows32 = npt.NDArray[np.int32]
"""Rows of a table, where there may be millions of them."""


def wide_ranges(rows: Rows, prefix: str) -> tuple[Indices, Indices]:
    """The ranges ``PREFIX_start``, ``PREFIX_count`` of rows, (n,) each, as numbers that can be added."""
    return rows[f"{prefix}_start"].astype(np.int64), rows[f"{prefix}_count"].astype(np.int64)


def clipped_ranges(rows: Rows, prefix: str, total: int) -> tuple[Indices, Indices]:
    """Starts and ends of the ranges ``PREFIX_start``, ``PREFIX_count``, clipped to a table, (n,) each."""
    start, count = wide_ranges(rows, prefix)
    start = np.minimum(start, total)
    return start, np.minimum(start + count, total)


def expand(starts: Indices, counts: Indices) -> Indices:
    """``starts[i] .. starts[i] + counts[i] - 1`` for every i, one range after the other, int64."""
    total = int(counts.sum())
    # Starts 10, 20 and counts 2, 3: 10 10 18 18 18 and the running number 0 1 2 3 4 are 10 11 20 21 22.
    result = np.repeat(starts - (np.cumsum(counts) - counts), counts)
    result += np.arange(total)
    return result


def chunks(counts: Indices, most: int) -> Iterator[slice]:
    """Slices of consecutive ranges that hold at most `most` items together, or one range each, in order."""
    end = np.cumsum(counts)
    first = 0
    while first < len(counts):
        reached = end[first - 1] if first else 0
        # Counts 4 4 9 1, at most 8: slices 0..2, 2..3, 3..4; the 9 stands alone though it is too many.
        after = max(first + 1, int(np.searchsorted(end, reached + most, side="right")))
        yield slice(first, after)
        first = after


CORNERS_AT_ONCE: Final = 1 << 16
_AXES: Final = np.vstack([np.eye(3), -np.eye(3)])


class PosedVertices(Struct, frozen=True, eq=False):
    """The vertices of some draws in world space.

    Attributes
    ----------
    corners
        Absolute vertex indices of all draws of the model, (t, 3).
    start, count
        First triangle of each draw and its number of triangles, (d,), none of them zero.
    node
        The node of each draw, (d,).
    world
        ``world_from_node``, (n, 4, 4).
    """

    model: Model
    corners: Rows32
    start: Indices
    count: Indices
    node: Indices
    world: Floats
    _used: list[tuple[Floats, Indices]] = field(default_factory=list)
    _kept: list[npt.NDArray[np.float64]] = field(default_factory=list)

    def moved(self, world: Floats) -> PosedVertices:
        """The draws in another pose; what does not depend on the pose is shared."""
        return PosedVertices(self.model, self.corners, self.start, self.count, self.node, world, self._used)

    @property
    def bounds(self) -> Bounds | None:
        """The box around the finite vertices, or None if there are none."""
        reach = self.support(_AXES)
        # The last three axes point down: the reach along -x is minus the lowest x.
        return Bounds(-reach[3:], reach[:3]) if np.isfinite(reach).all() else None

    def support(self, directions: Directions) -> npt.NDArray[np.float64]:
        """Extent of the finite vertices in some directions (k, 3), (k,); -inf if there are none."""
        reach = np.full(len(directions), -np.inf)
        for points in self._points():
            if len(points):
                np.maximum(reach, (directions @ points.T).max(axis=1), out=reach)
        return reach

    def reach(self, point: npt.ArrayLike, axes: int = 3) -> float:
        """The largest distance of a finite vertex from a point, in the first `axes` axes; 0 without any."""
        at = np.asarray(point, np.float64)[:axes]
        away = (np.linalg.norm(points[:, :axes] - at, axis=1).max(initial=0) for points in self._points())
        return float(max(away, default=0.0))

    def _points(self) -> Iterator[npt.NDArray[np.float64]]:
        """The finite vertices of some draws at a time, (n, 3).

        Those of a small model are kept: a turntable frames it from many sides.
        """
        is_small = int(self.count.sum()) * 3 <= CORNERS_AT_ONCE
        if is_small and not self._used:
            self._used.extend(map(self._stored, chunks(self.count * 3, CORNERS_AT_ONCE)))
        if is_small and not self._kept:
            self._kept.extend(starmap(self._posed, self._used))
        stored = map(self._stored, chunks(self.count * 3, CORNERS_AT_ONCE))
        yield from self._kept or starmap(self._posed, stored)

    def _stored(self, draws: slice) -> tuple[Floats, Indices]:
        """The vertices of some draws in node space, (n, 3), and their nodes, (n,)."""
        start, count = self.start[draws], self.count[draws]
        vertex, row = used_vertices(self.corners[expand(start, count)].reshape(-1), count * 3)
        return self.model.positions[vertex], self.node[draws][row]

    @np.errstate(over="ignore", invalid="ignore")
    def _posed(self, points: Floats, node: Indices) -> npt.NDArray[np.float64]:
        matrix = self.world[:, :3][node]
        posed: npt.NDArray[np.float32] = np.einsum("nij,nj->ni", matrix[:, :, :3], points) + matrix[:, :, 3]
        is_finite = np.isfinite(posed)
        if not is_finite.all():  # looking for rows of three values takes longer than all else here
            posed = posed[is_finite.all(axis=1)]
        return posed.astype(np.float64)


def used_vertices(
    corners: npt.NDArray[np.signedinteger], count: Indices
) -> tuple[npt.NDArray[np.signedinteger], Indices]:
    """The vertices of each draw, without repetition unless they are far apart in the table.

    Parameters
    ----------
    corners
        Vertices of draw after draw, (c,).
    count
        Corners of each draw, (m,), none of them zero.

    Returns
    -------
    The vertices and the draws that they belong to, (v,) both.
    """
    if not len(count):
        return corners, count
    first = np.cumsum(count) - count
    low = np.minimum.reduceat(corners, first)
    size = np.maximum.reduceat(corners, first).astype(np.int64) - low + 1
    if int(size.sum()) > len(corners):  # marking every vertex between would take more than it saves
        return corners, np.repeat(np.arange(len(count)), count)
    start = np.cumsum(size) - size
    is_used = np.zeros(int(size.sum()), np.bool_)
    # Each draw has flags for its own range: ranges 5..7 and 6..7 have flags 0..2 and 3..4.
    is_used[corners + np.repeat(start - low, count)] = True
    used = np.flatnonzero(is_used)
    draw = np.repeat(np.arange(len(count)), size)[used]
    return used + (low - start)[draw], draw


NO_SLOT: Final = -1
NO_BATCH: Final = -1
NO_DESCRIPTOR: Final = -1


class Parts(Struct, frozen=True, eq=False):
    """The (node, slot) pairs that any cell shows, by node.

    `node` and `slot` are (p,) int64 (slot -1 for a legacy file without slots); `cells` (p,) uint16 has
    bit ``lod * 5 + group`` set for each cell; centers, half extents and radius are node space, (3, p)
    and (p,) float32.
    """

    node: Indices
    slot: Indices
    cells: npt.NDArray[np.uint16]
    box_center: Floats
    box_extent: Floats
    sphere_center: Floats
    sphere_radius: Floats

    def __len__(self) -> int:
        return len(self.node)


class Draws(Struct, frozen=True, eq=False):
    """All draws of all cells in the engine's order, and their triangles.

    Attributes
    ----------
    parts
        The (node, slot) pairs.
    part, batch
        Part and batch of each draw, (d,) int64; batch -1 in terrain.
    triangle_start
        First triangle of each draw and the end of the last, (d + 1,) int64.
    corners
        Absolute vertex indices, (t, 3) int32, all valid.
    triangle
        Row among the model's triangles in Res6 order (position of its first index / 3), or face; (t,) int32.
    descriptor
        Triangle descriptor, (t,) int32, -1 if absent.
    """

    parts: Parts
    part: Indices
    batch: Indices
    triangle_start: Indices
    corners: Rows32
    triangle: Rows32
    descriptor: Rows32

    def __len__(self) -> int:
        return len(self.part)

    @property
    def node(self) -> Indices:
        """Node of each draw, (d,)."""
        return self.parts.node[self.part]

    @property
    def slot(self) -> Indices:
        """Slot of each draw, (d,)."""
        return self.parts.slot[self.part]

    @property
    def triangle_count(self) -> Indices:
        """Triangles of each draw, (d,)."""
        return np.diff(self.triangle_start)

    def has_same_triangles(self, other: Draws) -> bool:
        """Whether both share their triangles: one was made of the other by `redraw.rebuild`."""
        return self is other or (self.corners is other.corners and self.part is other.part)

    def draws_of(self, parts: Mask) -> Mask:
        """The draws of some parts, (d,) bool."""
        return parts[self.part]

    def triangle_counts(self) -> npt.NDArray[np.int64]:
        """Triangles per cell, (3, 5) int64."""
        per_part = np.bincount(self.part, self.triangle_count, len(self.parts)).astype(np.int64)
        # A cell is one number, lod * 5 + group.
        cells = np.arange(LODS * GROUPS)
        # Bit lod * 5 + group of a part says whether it is in that cell.
        is_shown = (self.parts.cells[:, None] >> cells) & 1
        counts: npt.NDArray[np.int64] = (per_part[:, None] * is_shown).sum(axis=0)
        return counts.reshape(LODS, GROUPS)

    def posed(self, model: Model, world: Floats, draws: Mask) -> PosedVertices:
        """The vertices of some draws (d,) in world space; `world` is ``world_from_node``, (n, 4, 4)."""
        rows = np.flatnonzero(draws)
        rows = rows[self.triangle_count[rows] > 0]
        start, count = self.triangle_start[rows], self.triangle_count[rows]
        return PosedVertices(model, self.corners, start, count, self.node[rows], world)

    def posed_bounds(self, model: Model, world: Floats, draws: Mask) -> Bounds | None:
        """The box of the draws' vertices in world space, or None if they have none."""
        return self.posed(model, world, draws).bounds


@np.errstate(over="ignore", invalid="ignore")
def part_bounds(draws: Draws, world: Floats, chosen: Mask) -> Bounds | None:
    """The box around the stored boxes of the chosen parts (p,) in world space, or None if there are none."""
    parts = draws.parts
    low, high = (parts.box_center + sign * parts.box_extent for sign in (-1, 1))
    corners = box_corners(low.T[chosen], high.T[chosen])
    matrix = world[parts.node[chosen], :3]
    return Bounds.of((corners @ matrix[:, :, :3].swapaxes(1, 2) + matrix[:, None, :, 3]).reshape(-1, 3))


@np.errstate(over="ignore", invalid="ignore")
def visible_parts(draws: Draws, world: Floats, planes: frustum.Planes, chosen: Mask) -> Mask:
    """The chosen parts inside the view frustum, (p,) bool.

    A part whose sphere has its center there is inside. Another one is culled by its sphere, scaled by the
    largest axis scale of its node, then by its box. `world` is ``world_from_node`` (n, 4, 4), `planes` (6, 4)
    in world space.
    """
    parts = draws.parts
    matrix = affine_columns(world, parts.node)
    center = posed_centers(matrix, parts.sphere_center)
    rest = np.flatnonzero(chosen & ~frustum.holds(planes, center))
    if not len(rest):
        return chosen
    visible, linear = chosen.copy(), matrix[:, :3, rest]
    # The columns of a matrix are where the axes go: their lengths are the scales.
    scale = np.sqrt(np.einsum("ijp,ijp->jp", linear, linear).max(axis=0, initial=0))
    is_met = frustum.meets_spheres(planes, center[:, rest], parts.sphere_radius[rest] * scale)
    center = posed_centers(matrix[:, :, rest], parts.box_center[:, rest])
    extent = posed_extents(matrix[:, :, rest], parts.box_extent[:, rest])
    visible[rest] = is_met & frustum.meets_boxes(planes, center, extent)
    return visible


def affine_columns(world: Floats, nodes: Indices) -> Floats:
    """The upper rows of the matrices (n, 4, 4) of some nodes (p,), (3, 4, p): a row for each number."""
    rows = world.reshape(-1, 16).take(nodes, axis=0)[:, :12]
    return np.ascontiguousarray(rows.T).reshape(3, 4, -1)


def posed_centers(matrix: Floats, centers: Floats) -> Floats:
    """Points (3, p) through matrices (3, 4, p), (3, p)."""
    posed: Floats = np.einsum("ijp,jp->ip", matrix[:, :3], centers)
    posed += matrix[:, 3]
    return posed


def posed_extents(matrix: Floats, extents: Floats) -> Floats:
    """Half extents (3, p) of the boxes around turned boxes, (3, p)."""
    # |M| e, as each axis adds the size of its component.
    posed: Floats = np.einsum("ijp,jp->ip", np.abs(matrix[:, :3]), extents)
    return posed
