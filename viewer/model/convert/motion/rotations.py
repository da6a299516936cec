"""Rotations of a scene from the quaternions of a model, between keys, and in the axes of files.

Source: spec/animation.md 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Doubles, Floats, Matrix

Reals = TypeVar("Reals", Floats, Doubles)

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
    # A zero vector part turns nothing: arctan2(0, 1) is 0, so this becomes the identity.
    raw[~np.isfinite(raw).all(axis=1)] = 0
    # Across the axis the engine's matrix of a quaternion of any length is the complex number
    # 1 - 2|v|^2 + 2i w|v|, along it 1: the angle of that number is the angle of the nearest rotation.
    length = np.sqrt(np.einsum("ij,ij->i", raw[:, 1:], raw[:, 1:]))
    half = np.arctan2(2 * raw[:, 0] * length, 1 - 2 * length**2) / 2
    axis = raw[:, 1:] / np.where(length == 0, 1, length)[:, None]
    unit = np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axis], axis=1)
    unit[np.abs(unit) < TINY] = 0
    # The stored quaternion is the conjugate of the active rotation (spec/animation.md 5).
    unit[:, 1:] *= -1
    result: Floats = unit.astype(np.float32)
    # -0.0 + 0.0 is 0.0: no file shall say "-0".
    return result + np.float32(0)


def turn_matrix(rotation: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The matrix of an active rotation w, x, y, z, (3, 3), or of some, (n, 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(rotation, np.float64), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def unit(vectors: npt.NDArray[np.floating]) -> Doubles:
    """Vectors or quaternions of length 1, (..., k), divided in double precision; zeros stay."""
    doubles = vectors.astype(np.float64)
    length = np.linalg.norm(doubles, axis=-1, keepdims=True)
    made: Doubles = np.divide(doubles, length, out=np.zeros_like(doubles), where=length > 0)
    return made


def unit_rotations(rotations: Reals, within: float) -> Reals:
    """Rotations (..., 4) of length 1: those that are so within a limit stay, zeros turn nothing."""
    length = np.linalg.norm(rotations.astype(np.float64), axis=-1)
    is_other = np.abs(length - 1) > within
    if not is_other.any():
        return rotations
    result = rotations.copy()
    result[is_other] /= np.where(length > 0, length, 1)[is_other, None]
    result[length == 0] = 1, 0, 0, 0
    return result


def places(known: Doubles, times: Doubles) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Doubles]:
    """The keys beside each of some times (n,), and how far it is from the first to the second, 0 to 1."""
    last = len(known) - 1
    # "right", so that a time at a key belongs to the stretch that begins there: 1 in keys 0 1 2 has left 1.
    left = np.clip(np.searchsorted(known, times, "right") - 1, 0, last)
    right = np.minimum(left + 1, last)
    length = known[right] - known[left]
    # The last key has no next one: its length is 0, and its share too.
    share = np.divide(times - known[left], length, out=np.zeros(len(times)), where=length > 0)
    return left, right, np.clip(share, 0, 1)


def mixed(start: npt.NDArray[np.floating], end: npt.NDArray[np.floating], share: npt.ArrayLike) -> Doubles:
    """Rotations between others, (n, 4): their components are mixed on the shorter way, as Blender does.

    q and -q turn alike; halfway from (1, 0, 0, 0) to (-0.8, -0.6, 0, 0) lies (0.9, 0.3, 0, 0), scaled to
    length 1, not (0.1, -0.3, 0, 0).
    """
    sign = np.where(np.einsum("ij,ij->i", start, end) < 0, -1.0, 1.0)[:, None]
    return unit(start + (sign * end - start) * np.asarray(share).reshape(-1, 1))


def apart(one: npt.NDArray[np.floating], other: npt.NDArray[np.floating]) -> npt.NDArray[Any]:
    """The largest difference of a component of rotations (n, 4), whichever signs they have, (n,)."""
    ways = [np.abs(one - sign * other).max(axis=-1, initial=0) for sign in (1, -1)]
    return np.asarray(np.minimum(*ways))


def difference(one: npt.NDArray[np.floating], other: npt.NDArray[np.floating]) -> Doubles:
    """The distances of positions (n, 3), or the angles between rotations of length 1 (n, 4), (n,)."""
    first, second = one.astype(np.float64), other.astype(np.float64)
    if first.shape[1] == 3:
        away: Doubles = np.linalg.norm(first - second, axis=1)
        return away
    # Half the angle between unit quaternions is the arc of the chord between them: 4 asin(chord / 2).
    chord = np.minimum(np.linalg.norm(first - second, axis=1), np.linalg.norm(first + second, axis=1))
    turned: Doubles = 4 * np.arcsin(np.clip(chord / 2, 0, 1))
    return turned


EVEN: Final = 1e-5
"""Tolerance of even steps, as a fraction of the last time, and of whole frames."""
WIDEST: Final = 1.6
"""Frames between samples, at most."""


def is_sampled(times: npt.NDArray[np.float64], widest: float = WIDEST) -> bool:
    """Whether times, in frames, are those of frames of another rate: evenly apart, and not all whole."""
    steps = np.diff(times)
    is_even = len(steps) > 1 and bool((np.abs(steps - steps[0]) <= EVEN * (1 + times[-1])).all())
    return is_even and bool(steps[0] <= widest) and bool((np.abs(times - np.rint(times)) > EVEN).any())


def merged_times(lists: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """The times of several lists, each once and ascending; each list has different ascending times.

    ``np.unique`` would load ``numpy.ma``.
    """
    if all(it is lists[0] or np.array_equal(it, lists[0]) for it in lists):
        return lists[0]
    times = np.sort(np.concatenate(lists))
    found: npt.NDArray[np.float64] = times[np.append(True, times[1:] != times[:-1])]
    return found


# A turn by 90 degrees about x, without a mirror, so that axes of rotations are turned like points
# (spec/msh.md 13): with y and z swapped (1, 2, 3) goes out as (1, 3, -2), and that comes in as (1, 2, 3).
_OUTWARD: Final = np.array((1, 1, -1), np.float32)
_INWARD: Final = np.array((1, -1, 1), np.float32)
_SWAPPED: Final = np.array((0, 2, 1))


class Axes(NamedTuple):
    """The directions of a file: Y up, or Z up as in a scene; it gives no negative zeros."""

    is_y_up: bool

    @property
    def matrix(self) -> Matrix:
        """From the file's axes to those of the scene, (3, 3)."""
        return self.inward(np.eye(3)).T

    def outward(self, vectors: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Vectors of a scene (n, 3) as in the file: x, y, z are x, z, -y with Y up."""
        found = vectors.take(_SWAPPED, axis=1) * _OUTWARD if self.is_y_up else vectors
        # -0.0 + 0.0 is 0.0: a swapped zero shall not come back as another number.
        return found + np.float32(0)

    def inward(self, vectors: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Vectors of a file (n, 3) as in a scene."""
        found = vectors.take(_SWAPPED, axis=1) * _INWARD if self.is_y_up else vectors
        return found + np.float32(0)

    def rotations_outward(self, rotations: Floats) -> Floats:
        """Rotations w, x, y, z of a scene (n, 4) as x, y, z, w of the file."""
        return np.concatenate([self.outward(rotations[:, 1:]), rotations[:, :1]], axis=1)

    def rotations_inward(self, rotations: Floats) -> Floats:
        """Rotations x, y, z, w of a file (n, 4) as w, x, y, z of a scene."""
        return np.concatenate([rotations[:, 3:], self.inward(rotations[:, :3])], axis=1)
