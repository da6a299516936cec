"""Rotations of a scene from the quaternions of a model, and movement that was sampled at another rate.

Source: spec/animation.md 5.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Floats

UNIT_WITHIN: Final = 1e-3
"""Difference of the squared length from 1 up to which a quaternion only has rounding errors."""
TINY: Final = 1e-12
"""Components below it are 0: what the sine of a half turn is."""


def active(quaternions: npt.ArrayLike) -> Floats:
    """Active rotations w, x, y, z (n, 4), unit length, of quaternions as in the engine (n, 4).

    The engine's matrix of a quaternion that is not of length 1, as all are a little after rounding, is no
    rotation; the nearest one is taken. One that is not finite gives the identity.
    """
    raw = np.array(quaternions, np.float64).reshape(-1, 4)
    raw[~np.isfinite(raw).all(axis=1)] = 0
    unit = _nearest(raw)
    unit[np.abs(unit) < TINY] = 0
    unit[:, 1:] *= -1
    result: Floats = unit.astype(np.float32)
    return result + np.float32(0)


def _nearest(raw: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The rotations nearest to the engine's matrices of quaternions of any length.

    Across the axis the matrix is the complex number ``1 - 2|v|^2 + 2i w|v|``, along it 1.
    """
    length = np.sqrt(np.einsum("ij,ij->i", raw[:, 1:], raw[:, 1:]))
    half = np.arctan2(2 * raw[:, 0] * length, 1 - 2 * length**2) / 2
    axis = raw[:, 1:] / np.where(length == 0, 1, length)[:, None]
    return np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axis], axis=1)


def turn_matrix(rotation: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The matrix of an active rotation w, x, y, z, (3, 3), or of some, (n, 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(rotation, np.float64), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


EVEN: Final = 1e-5
"""How far a step may be from the others, as a part of the last time, or a time from a whole frame."""
WIDEST: Final = 1.6
"""Frames between samples, at most."""


def is_sampled(times: npt.NDArray[np.float64], widest: float = WIDEST) -> bool:
    """Whether times, in frames, are those of frames of another rate: evenly apart, and not all whole."""
    steps = np.diff(times)
    is_even = len(steps) > 1 and bool((np.abs(steps - steps[0]) <= EVEN * (1 + times[-1])).all())
    return is_even and bool(steps[0] <= widest) and bool((np.abs(times - np.rint(times)) > EVEN).any())
