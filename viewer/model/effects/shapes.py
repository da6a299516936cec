"""The shapes of sprites and domes: corners, texture coordinates and triangles.

Source: spec/effects.md 7.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.effects.chance import Reals

AROUND_AND_RINGS: Final = ((8, 3), (16, 6), (24, 9))
"""Segments around a dome and rings from its pole down, by its shape."""
LAST: Final = 0.99
"""The largest texture coordinate."""


class EffectShape(Struct, frozen=True, eq=False):
    """Triangles of a sprite.

    Attributes
    ----------
    corners
        Of triangles, in units of the columns of a sprite's matrix, (3 n, 3).
    uv
        Their texture coordinates, (3 n, 2).
    """

    corners: Reals
    uv: Reals

    @property
    def triangle_count(self) -> int:
        """Number of triangles."""
        return len(self.corners) // 3


def _quad(corners: npt.ArrayLike) -> Reals:
    """Two triangles of a quad (4, ...) whose corners go around it."""
    return np.asarray(corners, np.float64)[[0, 1, 2, 0, 2, 3]]


@cache
def quad() -> EffectShape:
    """A sprite: half a unit to every side, u along x, v along y."""
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
    corners = np.hstack([signs / 2, np.zeros((4, 1))])
    return EffectShape(_quad(corners), _quad((signs + 1) / 2 * LAST))


@cache
def dome(shape: int, *, is_faceted: bool) -> EffectShape:
    """A half ball of radius 1 about z, with one texture over it or one on each facet."""
    around, rings = AROUND_AND_RINGS[shape]
    b = np.arange(around + 1) * 2 * np.pi / around
    a = (np.arange(rings + 1) * np.pi / 2 / rings)[:, None]
    points = np.stack(np.broadcast_arrays(np.sin(a) * np.sin(b), np.sin(a) * np.cos(b), np.cos(a)), -1)
    corners, uv = [], []
    # A triangle at the pole and a quad for each further ring: 8 x 3 are 40 triangles.
    for segment in range(around):
        corners.append(np.array([points[0, 0], points[1, segment], points[1, segment + 1]]))
        uv.append(np.array([(0.5, LAST), (0.0, 0.0), (LAST, 0.0)]))
        for ring in range(1, rings):
            upper, lower = points[ring], points[ring + 1]
            facet = [upper[segment], lower[segment], lower[segment + 1], upper[segment + 1]]
            corners.append(_quad(facet))
            uv.append(_quad([(0.0, LAST), (0.0, 0.0), (LAST, 0.0), (LAST, LAST)]))
    places = np.concatenate(corners)
    over_all = (places[:, :2] + 1) / 2
    return EffectShape(places, np.concatenate(uv) if is_faceted else over_all)
