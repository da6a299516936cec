"""The vertices of some draws in a pose: how far they reach, worked out in steps of bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.bounds import Bounds, Directions
from viewer.model.mesh.model import Model
from viewer.model.mesh.ranges import Indices, Rows32, chunks, expand

CORNERS_AT_ONCE: Final = 1 << 16
_AXES: Final = np.vstack([np.eye(3), -np.eye(3)])


@dataclass(frozen=True, slots=True, eq=False)
class PosedVertices:
    """The vertices of some draws in world space.

    Attributes
    ----------
    corners
        Absolute vertex indices of all draws of the model, (t, 3).
    start, count
        First triangle of each draw and its number of triangles, (d,), none of them zero.
    matrix
        ``world_from_node`` of each draw, (d, 4, 4).
    """

    model: Model
    corners: Rows32
    start: Indices
    count: Indices
    matrix: npt.NDArray[np.float32]

    @property
    def bounds(self) -> Bounds | None:
        """The box around the finite vertices, or None if there are none."""
        reach = self.support(_AXES)
        return Bounds(-reach[3:], reach[:3]) if np.isfinite(reach).all() else None

    def support(self, directions: Directions) -> npt.NDArray[np.float64]:
        """How far the finite vertices reach in some directions (k, 3), (k,); -inf if there are none."""
        reach = np.full(len(directions), -np.inf)
        for points in self._points():
            if len(points):
                np.maximum(reach, (directions @ points.T).max(axis=1), out=reach)
        return reach

    def _points(self) -> Iterator[npt.NDArray[np.float64]]:
        """Yield the finite vertices of some draws at a time, (n, 3)."""
        for draws in chunks(self.count * 3, CORNERS_AT_ONCE):
            yield self._posed(draws)

    @np.errstate(over="ignore", invalid="ignore")
    def _posed(self, draws: slice) -> npt.NDArray[np.float64]:
        start, count = self.start[draws], self.count[draws]
        vertex, row = used_vertices(self.corners[expand(start, count)].reshape(-1), count * 3)
        matrix = self.matrix[draws, :3][row]
        posed = np.einsum("nij,nj->ni", matrix[:, :, :3], self.model.positions[vertex]) + matrix[:, :, 3]
        finite: npt.NDArray[np.float64] = posed[np.isfinite(posed).all(axis=1)].astype(np.float64)
        return finite


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
    if int(size.sum()) > len(corners):
        return corners, np.repeat(np.arange(len(count)), count)
    start = np.cumsum(size) - size
    is_used = np.zeros(int(size.sum()), np.bool_)
    is_used[corners + np.repeat(start - low, count)] = True
    used = np.flatnonzero(is_used)
    draw = np.repeat(np.arange(len(count)), size)[used]
    return used + (low - start)[draw], draw
