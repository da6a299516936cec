"""Axis-aligned boxes and their unions."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt
from msgspec import Struct

Points = npt.NDArray[np.floating]
Directions = npt.NDArray[np.float64]
BOX_EDGES = np.array(
    [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)], np.int64
)
"""Corner indices of the edges of a box, shape (12, 2)."""


class SupportShape(Protocol):
    """A shape with an extent in every direction."""

    def support(self, directions: Directions) -> npt.NDArray[np.float64]:
        """Extent of a shape in some directions (k, 3): the largest scalar product of a point, (k,)."""


class JoinedShapes(Struct, frozen=True):
    """Several shapes as one, at least one."""

    shapes: tuple[SupportShape, ...]

    def support(self, directions: Directions) -> npt.NDArray[np.float64]:
        """Extent of all shapes together in some directions (k, 3), (k,)."""
        reach: npt.NDArray[np.float64] = np.max([it.support(directions) for it in self.shapes], axis=0)
        return reach


class Bounds(Struct, frozen=True, eq=False):
    """An axis-aligned box; `low` and `high` are float64 of shape (3,), low <= high."""

    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]

    @classmethod
    def of(cls, points: Points) -> Bounds | None:
        """The box of the finite points among (n, 3), or None if there are none."""
        # The minimum along contiguous rows is many times faster than down the columns of (n, 3).
        columns = np.ascontiguousarray(points.T)
        is_finite = np.isfinite(columns)
        if not is_finite.all():
            columns = columns[:, is_finite.all(axis=0)]
        if not columns.size:
            return None
        return cls(columns.min(axis=1).astype(np.float64), columns.max(axis=1).astype(np.float64))

    @property
    def center(self) -> npt.NDArray[np.float64]:
        """Center of the box, shape (3,)."""
        return self.low + (self.high - self.low) / 2

    @property
    def size(self) -> npt.NDArray[np.float64]:
        """Extent along the axes, shape (3,)."""
        return self.high - self.low

    @property
    def diagonal(self) -> float:
        """Length of the diagonal."""
        return float(np.linalg.norm(self.size))

    @property
    def corners(self) -> npt.NDArray[np.float64]:
        """The eight corners, shape (8, 3), in the order of the model header's hull (spec/msh.md 3)."""
        corners: npt.NDArray[np.float64] = box_corners(self.low[None], self.high[None])[0]
        return corners

    def support(self, directions: Directions) -> npt.NDArray[np.float64]:
        """Extent of the box in some directions (k, 3), (k,)."""
        reach: npt.NDArray[np.float64] = (directions @ self.corners.T).max(axis=1)
        return reach

    def holds(self, point: npt.NDArray[np.float64]) -> bool:
        """Whether a point (3,) lies in the box."""
        return bool(((self.low <= point) & (point <= self.high)).all())

    def union(self, other: Bounds) -> Bounds:
        """The box around both."""
        return Bounds(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


def box_corners(low: Points, high: Points) -> Points:
    """Corners of boxes from low (n, 3) to high (n, 3): (n, 8, 3), bottom then top, each counter-clockwise."""
    pick = np.array(
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], bool
    )
    return np.where(pick, high[:, None], low[:, None])
