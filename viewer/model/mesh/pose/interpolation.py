"""Between two keys: positions and quaternions, and the matrices of both.

Follows the engine, also in its single precision. What no time changes is worked out once per pair of keys.

Source: spec/animation.md 4, 5.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import Floats, Indices

Real = TypeVar("Real", np.float32, np.float64)

LINEAR_BELOW = np.float32(9.9999997e-6)
"""Quaternions closer than this (1 - dot) are interpolated linearly."""
SHORTEST = np.float32(2.0**-24)
"""Frames between two keys below which they are at one time: far from them a fraction would be no number."""


def interpolate(q0: Floats, q1: Floats, a: Floats) -> Floats:
    """The engine's slerp of quaternions (n, 4) by weights (n,): shorter way, not normalised.

    The arc functions are evaluated in double precision and rounded; all else is single.
    """
    return Arcs.between(q0, q1).at(a).T


class Arcs(Struct, frozen=True, eq=False):
    """Pairs of quaternions, and what their interpolation needs that no weight changes.

    `first` and `second`, on the shorter way, are (4, n) float32; `dot`, `angle` and its `sine` are (n,).
    """

    first: Floats
    second: Floats
    dot: Floats
    angle: Floats
    sine: Floats
    is_linear: npt.NDArray[np.bool_]

    @classmethod
    def between(cls, q0: Floats, q1: Floats) -> Arcs:
        """The arcs from quaternions (n, 4) to others."""
        q0, q1 = np.ascontiguousarray(q0), np.ascontiguousarray(q1)
        dot = np.einsum("ij,ij->i", q0, q1)
        # q and -q are one rotation: the second is turned round for the shorter way.
        sign = np.where(dot < 0, np.float32(-1), np.float32(1))
        dot = np.abs(dot)
        is_linear = np.float32(1) - dot <= LINEAR_BELOW
        # Linear arcs use no angle; 0 keeps a dot product rounded above 1 out of arccos.
        angle = _single(np.arccos, np.where(is_linear, np.float32(0), dot))
        first, second = np.ascontiguousarray(q0.T), q1.T * sign
        return cls(first, second, dot, angle, _single(np.sin, angle), is_linear)

    def at(self, a: Floats) -> Floats:
        """The quaternions at weights (n,), (4, n)."""
        turned = (a * self.angle).astype(np.float64)
        w1 = np.sin(turned).astype(np.float32) / self.sine
        w0 = np.cos(turned).astype(np.float32) - w1 * self.dot
        if self.is_linear.any():
            w0 = np.where(self.is_linear, np.float32(1) - a, w0)
            w1 = np.where(self.is_linear, a, w1)
        # Not normalised, as in the game: the length may be a little off 1 (spec/animation.md 4).
        result = w0 * self.first
        result += w1 * self.second
        return result


class Segments(Struct, frozen=True, eq=False):
    """Pairs of neighboring keys, and what no time between them changes.

    Attributes
    ----------
    left
        Row of the first key of each, (k,) int64.
    before, after, length
        Times of both keys in frames, and the time between them, infinite instead of 0, (k,) float32.
    start, displacement
        Position of the first key, and that of the second one relative to it, (3, k) float32.
    arcs
        From the quaternion of the first to that of the second.
    """

    left: Indices
    before: Floats
    after: Floats
    length: Floats
    start: Floats
    displacement: Floats
    arcs: Arcs

    def at(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Positions (3, k) and quaternions (4, k) at fractions (k,)."""
        position = self.displacement * alpha
        position += self.start
        return position, self.arcs.at(alpha)


def matrices(quaternion: Floats, position: Floats) -> Floats:
    """``parent_from_node`` (n, 4, 4) float32 of w, x, y, z (n, 4) and translations (n, 3).

    The rotation is by the conjugate, as in the engine: the 3x3 part is R(q) transposed.
    """
    result = np.empty((len(quaternion), 4, 4), np.float32)
    _rotate(quaternion, result)
    result[:, :3, 3] = position
    result[:, 3] = (0, 0, 0, 1)
    return result


def rotations(quaternion: npt.NDArray[Real]) -> npt.NDArray[Real]:
    """The 3x3 parts of ``parent_from_node`` (n, 3, 3) of w, x, y, z (n, 4), in the same precision."""
    result = np.empty((len(quaternion), 3, 3), quaternion.dtype)
    _rotate(quaternion, result)
    return result


def _rotate(quaternion: npt.NDArray[Real], result: npt.NDArray[Real]) -> None:
    """Write the 3x3 parts of matrices (n, 3, 3) or larger."""
    w, xyz = quaternion.T[0], quaternion.T[1:]
    doubled = xyz + xyz
    xx, yy, zz = xyz * doubled
    wx, wy, wz = w * doubled
    xy, xz = xyz[0] * doubled[1:]
    yz = xyz[1] * doubled[2]
    # One element of all matrices after the other, without tables between.
    at = result.transpose(1, 2, 0)
    np.subtract(1, yy + zz, out=at[0, 0])
    np.add(xy, wz, out=at[0, 1])
    np.subtract(xz, wy, out=at[0, 2])
    np.subtract(xy, wz, out=at[1, 0])
    np.subtract(1, xx + zz, out=at[1, 1])
    np.add(yz, wx, out=at[1, 2])
    np.add(xz, wy, out=at[2, 0])
    np.subtract(yz, wx, out=at[2, 1])
    np.subtract(1, xx + yy, out=at[2, 2])


def _single(function: np.ufunc, values: Floats) -> Floats:
    # Worked out in double and rounded once.
    result: Floats = function(values.astype(np.float64)).astype(np.float32)
    return result
