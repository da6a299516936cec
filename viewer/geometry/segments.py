"""Segments from an eye to a point, against boxes and triangles."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]
LEAST: Final = 1e-4
"""Share of a segment at its end that meets nothing: a point on a surface is not behind it."""


@np.errstate(all="ignore")
def meets_boxes(
    start: Reals, end: Reals, center: npt.NDArray[np.floating], extent: npt.NDArray[np.floating]
) -> npt.NDArray[np.bool_]:
    """Mask (n,) of the boxes (3, n) of centers and half extents that a segment between two points meets."""
    # Separating axes: those of the box, and their products with the segment.
    half = (end - start) / 2
    away = (center - ((start + end) / 2)[:, None]).astype(np.float64)
    size = np.abs(half)
    meets = np.all(np.abs(away) <= extent + size[:, None], axis=0)
    for one, other in ((1, 2), (2, 0), (0, 1)):
        reach = extent[one] * size[other] + extent[other] * size[one]
        meets &= np.abs(away[one] * half[other] - away[other] * half[one]) <= reach
    return np.asarray(meets)


@np.errstate(all="ignore")
def meets_triangles(start: Reals, end: Reals, corners: npt.NDArray[np.floating]) -> bool:
    """Whether a segment between two points (3,) goes through any triangle (n, 3, 3), from either side."""
    along = end - start
    first = corners[:, 0].astype(np.float64)
    one, other = corners[:, 1] - first, corners[:, 2] - first
    across = np.cross(along, other)
    slope = np.einsum("ij,ij->i", one, across)
    offset = start - first
    u = np.einsum("ij,ij->i", offset, across) / slope
    turned = np.cross(offset, one)
    v = turned @ along / slope
    share = np.einsum("ij,ij->i", other, turned) / slope
    return bool(((u >= 0) & (v >= 0) & (u + v <= 1) & (share >= 0) & (share <= 1 - LEAST)).any())
