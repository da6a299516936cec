"""The texture coordinates of some triangles as a map: edges, overlaps, what lies outside, texels per unit.

Overlaps are those of the unfolded plane: triangles a whole turn apart share texels of a repeated texture and
count as outside of 0..1, not as an overlap.

Source: spec/msh.md 7; spec/land.md 5; spec/texm.md 4.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.msh.vertices import UV_SCALE, across_seam
from viewer.geometry.transforms import Doubles, Indices, Mask
from viewer.model.material.materials import TextureRef, sub_image
from viewer.model.mesh.draws import Rows32, expand
from viewer.model.mesh.model import Model, Variant

GRID: Final = 512
"""Cells along the longer side of the grid on which overlaps are found: half a texel of a texture with 256."""
MOST_SPANS: Final = 4_000_000
"""Most rows of cells over all triangles, 100 MB of temporary arrays; a coarser grid has fewer."""
ROUNDING: Final = 1e-9
"""Share of a cell by which crossings of edges may be off."""
BANDS: Final = (0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
"""Ends of the bands of densities, in shares of the median; the last band has no end."""
SHARED: Final = 2
"""Triangles in a cell from which they overlap."""


class UvMap(Struct, frozen=True, eq=False, dict=True):
    """The texture coordinates of some triangles.

    Attributes
    ----------
    corners
        u and v of their corners, 0 to 1 within the material's part of the texture, (t, 3, 2).
    density
        Texels per model unit of each triangle, (t,); NaN for one without an area.
    start, size
        Corner and size of the material's part of the texture, in shares of the texture.
    """

    corners: Doubles
    density: Doubles
    start: tuple[float, float] = (0.0, 0.0)
    size: tuple[float, float] = (1.0, 1.0)

    def __len__(self) -> int:
        return len(self.corners)

    @cached_property
    def outside(self) -> Mask:
        """The triangles with a corner outside of 0..1, (t,)."""
        return np.asarray(((self.corners < 0) | (self.corners > 1)).any(axis=(1, 2)))

    @cached_property
    def overlap(self) -> UvOverlap:
        """The places that several triangles share."""
        return overlap_of(self.corners)

    @cached_property
    def median(self) -> float:
        """The median of the densities; NaN without any."""
        known = self.density[np.isfinite(self.density)]
        return float(np.median(known)) if len(known) else float("nan")

    @cached_property
    def bands(self) -> Indices:
        """The band of the density of each triangle, by `BANDS`, (t,); -1 without a density."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = self.density / self.median
        return np.where(np.isnan(share), -1, np.searchsorted(BANDS, share, side="right")).astype(np.int64)

    def edges(self, chosen: Mask | None = None) -> Doubles:
        """The edges of all or some triangles without repetition, in shares of the texture, (e, 2, 2)."""
        corners = self.corners if chosen is None else self.corners[chosen]
        ends = np.stack((corners, np.roll(corners, -1, axis=1)), axis=2).reshape(-1, 2, 2)
        # Whole steps fit 32 bits: a point is one number, and so is an edge, by the numbers of its points.
        steps = np.rint(ends * UV_SCALE).astype(np.int64)
        points, at = np.unique((steps[:, :, 0] << 32) + (steps[:, :, 1] & 0xFFFFFFFF), return_inverse=True)
        # An edge of two triangles runs in opposite directions in them.
        sorted_ends = np.sort(at.reshape(-1, 2), axis=1)
        _ignored, first = np.unique(sorted_ends @ [len(points), 1], return_index=True)
        return self.placed(ends[first])

    def placed(self, points: Doubles) -> Doubles:
        """Coordinates (..., 2) in the material's part of the texture, in shares of the texture."""
        placed: Doubles = points * self.size + self.start
        return placed


class UvOverlap(Struct, frozen=True, eq=False):
    """The cells of a grid that several triangles cover.

    Attributes
    ----------
    triangles
        Which triangles share a cell with another one, (t,).
    runs
        Runs of shared cells: u of start and end, v of their middle, (r, 3).
    cell
        Side of a cell, in the coordinates of `UvMap.corners`.
    """

    triangles: Mask
    runs: Doubles
    cell: float


def uv_map(model: Model, corners: Rows32, texture: TextureRef, *, is_lightmap: bool = False) -> UvMap:
    """The map of triangles.

    Parameters
    ----------
    corners
        Vertex indices of the triangles, (t, 3), all valid.
    texture
        The texture that they show, with its page.
    is_lightmap
        The coordinates are those of lightmaps, Res18, instead of Res5; those of a missing table are zeros.
    """
    raw = model.lightmap_uvs_raw if is_lightmap else model.uvs_raw
    words = np.zeros((len(corners), 3, 2), np.int16) if raw is None else raw[corners]
    placed = across_seam(words) if model.variant is Variant.TERRAIN else words
    uvs = placed / np.float64(UV_SCALE)
    u, v, width, height = sub_image(texture)
    level = texture.texture.levels[0]
    texels = width * level.width * height * level.height
    return UvMap(uvs, density_of(model.positions[corners], uvs, texels), (u, v), (width, height))


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def density_of(positions: npt.NDArray[np.floating], uvs: Doubles, texels: float) -> Doubles:
    """Texels per model unit of triangles, (t,): NaN for those without an area.

    Parameters
    ----------
    positions, uvs
        The corners of each in space, (t, 3, 3), and in the texture, (t, 3, 2).
    texels
        Texels of the square from 0 to 1.
    """
    edges = positions[:, 1:].astype(np.float64) - positions[:, :1]
    area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    flat = uvs[:, 1:] - uvs[:, :1]
    covered = np.abs(flat[:, 0, 0] * flat[:, 1, 1] - flat[:, 0, 1] * flat[:, 1, 0])
    density: Doubles = np.sqrt(covered * texels / area)
    return np.where(np.isfinite(density), density, np.nan)


def overlap_of(corners: Doubles) -> UvOverlap:
    """The overlaps of triangles with some corners, (t, 3, 2)."""
    if not len(corners):
        return UvOverlap(np.zeros(0, np.bool_), np.zeros((0, 3)), 1 / GRID)
    low = corners.min(axis=(0, 1))
    extent = float((corners.max(axis=(0, 1)) - low).max())
    cell = 2.0 ** np.ceil(np.log2(max(extent, 1.0) / GRID))
    while _row_counts(corners, cell).sum() > MOST_SPANS:
        cell *= 2
    triangle, row, left, right = _spans(corners - low, cell)
    # One column more than cells, as the end of a span is its first free cell.
    shape = int(extent / cell) + 2, int(extent / cell) + 3
    at = row * shape[1]
    size = shape[0] * shape[1]
    steps: Indices = np.bincount(at + left, minlength=size).astype(np.int64)
    steps -= np.bincount(at + right, minlength=size)
    is_shared = np.cumsum(steps.reshape(shape), axis=1) >= SHARED
    until: Indices = np.zeros((shape[0], shape[1] + 1), np.int64)
    until[:, 1:] = np.cumsum(is_shared, axis=1)
    shared = np.bincount(triangle, until[row, right] - until[row, left], len(corners)) > 0
    return UvOverlap(shared, _runs(is_shared, cell, low), cell)


def _row_counts(corners: Doubles, cell: float) -> Indices:
    """Rows of cells that each triangle may cover, (t,)."""
    v = corners[:, :, 1]
    counts: Indices = (np.ptp(v, axis=1) / cell).astype(np.int64) + 1
    return counts


def _spans(corners: Doubles, cell: float) -> tuple[Indices, Indices, Indices, Indices]:
    """The cells whose middle a triangle covers, row by row: triangle, row, first cell and first free cell."""
    scaled = corners / cell - 0.5  # the middle of cell 3 is 3
    first = np.ceil(scaled[:, :, 1].min(axis=1) - ROUNDING).astype(np.int64)
    count = np.ceil(scaled[:, :, 1].max(axis=1) - ROUNDING).astype(np.int64) - first
    triangle, row = np.repeat(np.arange(len(corners)), count), expand(first, count)
    left, right = np.full(len(row), np.inf), np.full(len(row), -np.inf)
    for start in range(3):
        ends = scaled[:, (start, (start + 1) % 3)]
        # From the lower end up, so that both triangles of an edge get the same crossings.
        order = np.argsort(ends[:, :, 1], axis=1)
        (u0, v0), (u1, v1) = np.take_along_axis(ends, order[:, :, None], axis=1).transpose(1, 2, 0)
        height = np.where(v1 > v0, v1 - v0, 1.0)
        line = row + ROUNDING
        is_met = (v0[triangle] < line) & (line <= v1[triangle])
        crossing = u0[triangle] + (row - v0[triangle]) * ((u1 - u0) / height)[triangle]
        left = np.where(is_met, np.minimum(left, crossing), left)
        right = np.where(is_met, np.maximum(right, crossing), right)
    is_crossed = np.isfinite(left)
    begin, end = (np.ceil(it[is_crossed] - ROUNDING).astype(np.int64) for it in (left, right))
    return triangle[is_crossed], row[is_crossed], np.maximum(begin, 0), np.maximum(end, 0)


def _runs(is_shared: Mask, cell: float, low: Doubles) -> Doubles:
    """The runs of true cells (rows, columns): u of start and end, v of their middle, (r, 3)."""
    padded = np.pad(is_shared, ((0, 0), (1, 1))).astype(np.int8)
    change = np.diff(padded, axis=1)
    rows, starts = np.nonzero(change > 0)
    ends = np.nonzero(change < 0)[1]
    u = np.stack((starts, ends), axis=1) * cell + low[0]
    return np.column_stack((u, (rows + 0.5) * cell + low[1]))
