"""Frames of effects: their place, and the directions of their sprites.

Source: spec/effects.md 4, 7.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.effects.chance import Reals

STREAK, FIXED = 1, 2
"""Sprite modes besides the billboard, which any other mode is."""
# Rounded, the product of a streak and the view along it is not exactly 0.
_TINY: Final = 1e-12


class EffectFrame(Struct, frozen=True, eq=False):
    """The instance space of an effect.

    Attributes
    ----------
    axes
        The columns ``A_i`` of its matrix as rows, scaled, (3, 3).
    origin
        Its place O in world space, (3,).
    """

    axes: Reals
    origin: Reals

    @classmethod
    def of(cls, axes: Reals, scale: Reals, origin: Reals) -> EffectFrame:
        """A frame of axes (3, 3), a row each, with factors (3,)."""
        return cls(axes * scale[:, None], origin)

    @np.errstate(all="ignore")  # any value can be stored
    def points(self, q: Reals) -> Reals:
        """Points (n, 3) of instance space in world space."""
        return q @ self.axes + self.origin

    @np.errstate(all="ignore")  # any value can be stored
    def directions(self, d: Reals) -> Reals:
        """Directions (n, 3) of instance space in world space, neither normalized nor moved."""
        return d @ self.axes

    @np.errstate(all="ignore")  # any value can be stored
    def inside(self, point: Reals) -> Reals:
        """A world point (3,) in instance space, as the game computes it: exact for orthogonal axes."""
        squares = (self.axes * self.axes).sum(1)
        # An axis without length gives 0, not a division by 0.
        return self.axes @ (point - self.origin) / np.where(squares == 0, np.inf, squares)


def side(d: Reals) -> Reals:
    """The directions (n, 3) to the side of others (n, 3), as the game takes them; not all of unit length."""
    x, y, z = d[:, 0], d[:, 1], d[:, 2]
    is_general = (x != 0) & (y != 0)
    # Only normalized if z is not 0: (3, 4, 0) gives (-4, 3, 0) (effects.md 4).
    length = np.where(is_general & (z != 0), np.hypot(x, y), 1.0)
    result = np.zeros_like(d)
    result[:, 0] = np.where(is_general, -y / length, x == 0)
    result[:, 1] = np.where(is_general, x / length, x != 0)
    return result


def one_direction(d: Reals) -> Reals:
    """The axes (3, 3), a row each, about a direction (3,) whose length they have; of no direction zero."""
    length = np.linalg.norm(d)
    if not 0 < length < np.inf:
        return np.zeros((3, 3))
    n = (d / length)[None]
    to_side = side(n)
    axes: Reals = np.concatenate([n, to_side, cross(n, to_side)]) * length
    return axes


def billboards(eye: Reals, q: Reals) -> tuple[Reals, Reals, Reals]:
    """The bases x, y, z, each (n, 3), of sprites at points (n, 3) that face the eye (3,); instance space.

    Not finite where the eye is on the sprite.
    """
    to_eye = eye - q
    with np.errstate(divide="ignore", invalid="ignore"):
        n = to_eye / np.sqrt(np.einsum("ij,ij->i", to_eye, to_eye))[:, None]
    x = side(n)
    return x, cross(n, x), n


def bases(modes: npt.NDArray[np.int64], eye: Reals, q: Reals, d: Reals) -> tuple[Reals, Reals, Reals]:
    """The bases x, y, z, each (n, 3), of sprites of modes (n,) at points (n, 3) with directions (n, 3).

    Not finite where nothing is drawn: the eye is on the sprite, or a streak is seen along its direction.
    """
    x, y, z = billboards(eye, q)
    is_streak, is_fixed = modes == STREAK, modes == FIXED
    if is_streak.any():
        along = d[is_streak]
        m = cross(eye - q[is_streak], along)
        length = np.sqrt(np.einsum("ij,ij->i", m, m))[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            m = np.where(length > _TINY, m / length, np.nan)
        x[is_streak], y[is_streak], z[is_streak] = along, m, cross(along, m)
    if is_fixed.any():
        along, is_there = d[is_fixed], np.isfinite(z[is_fixed])
        # Nothing when the eye is on the sprite, of any mode (effects.md 7).
        x[is_fixed] = np.where(is_there, side(along), np.nan)
        y[is_fixed], z[is_fixed] = cross(along, side(along)), along
    return x, y, z


def cross(a: Reals, b: Reals) -> Reals:
    """The cross products of rows (n, 3); several times as fast as numpy's for few rows."""
    result = np.empty_like(a)
    np.subtract(a[:, 1] * b[:, 2], a[:, 2] * b[:, 1], out=result[:, 0])
    np.subtract(a[:, 2] * b[:, 0], a[:, 0] * b[:, 2], out=result[:, 1])
    np.subtract(a[:, 0] * b[:, 1], a[:, 1] * b[:, 0], out=result[:, 2])
    return result
