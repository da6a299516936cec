"""Curves of an animation, held, linear or cubic, and the keys that are added to those of wide turns.

Between two keys the format and the engine turn evenly; Blender mixes the components, which is off by up to
0.004 times the cube of the angle in radians. Where that can be seen, rotations get keys at whole frames that
lie on the way: what other programs show stays the same. They are listed in the extras of their node, and left
out again when the file is read, unless they were changed.

Source: glTF 2.0, 3.11, appendix C; spec/animation.md 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Floats
from viewer.model.convert.rotations import is_sampled
from viewer.model.convert.scene import Track

Times = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64]

STILL: Final = 1e-6
"""Values that differ less are the same: programs hold what hardly moves."""
SEEN: Final = 4e-6
"""Deviation from which keys are added, radians; those of all nodes above add up."""
SAME_TIME: Final = 1e-3
"""A key this near to a time, in frames, is that of this time."""
SAME_ROTATION: Final = 2e-5
"""Rotations whose components differ less are the same."""
WIDTH: Final = 5
"""Numbers of a key: its time in frames, w, x, y and z."""


class Interpolation(StrEnum):
    """How a curve goes from key to key."""

    LINEAR = "LINEAR"
    STEP = "STEP"
    CUBIC = "CUBICSPLINE"


@dataclass(frozen=True, slots=True, eq=False)
class KeyCurve:
    """Keys of a position, rotation or scale.

    Attributes
    ----------
    times
        (k,) float64, frames, strictly increasing.
    values
        (k, 3), or rotations w, x, y, z, (k, 4), float32.
    tangents
        The incoming and the outgoing one of each key, per frame, (k, 2, 3 or 4); of cubic curves only.
    """

    mode: Interpolation
    times: Times
    values: Floats
    tangents: Values | None = None

    @property
    def is_exact(self) -> bool:
        """Whether a track can go from key to key in the same way."""
        if self.mode is Interpolation.LINEAR or len(self.times) < 2:
            return True
        return self.mode is Interpolation.STEP and bool((np.abs(self.values - self.values[0]) <= STILL).all())

    def at(self, times: Times) -> Floats:
        """The values at some times, (n, 3) or (n, 4); held before the first key and after the last."""
        if np.array_equal(times, self.times):
            return self.values
        left = np.clip(np.searchsorted(self.times, times, "right") - 1, 0, len(self.times) - 1)
        right = np.minimum(left + 1, len(self.times) - 1)
        span = self.times[right] - self.times[left]
        share = np.clip((times - self.times[left]) / np.where(span == 0, 1, span), 0, 1)
        result = self.values[left]
        between = np.flatnonzero((share > 0) & (span > 0))
        if self.mode is not Interpolation.STEP and len(between):
            result[between] = self._between(left[between], span[between], share[between])
        return result

    def _between(self, left: npt.NDArray[np.int64], span: Times, share: Times) -> Values:
        """Values between a key and the next one."""
        start, end = self.values[left].astype(np.float64), self.values[left + 1].astype(np.float64)
        if self.tangents is not None:
            out, into = self.tangents[left, 1] * span[:, None], self.tangents[left + 1, 0] * span[:, None]
            t = share[:, None]
            t2, t3 = t * t, t * t * t  # the cubic Hermite spline of glTF 2.0, appendix C
            hermite = (2 * t3 - 3 * t2 + 1) * start + (t3 - 2 * t2 + t) * out
            return _unit(hermite + (3 * t2 - 2 * t3) * end + (t3 - t2) * into)
        if self.values.shape[1] == 4:
            return slerp(start, end, share)
        return start + (end - start) * share[:, None]


def _unit(values: Values) -> Values:
    """Rotations of length 1; positions stay as they are."""
    if values.shape[1] != 4:
        return values
    length = np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(values / np.where(length == 0, 1, length))


def slerp(start: Values, end: Values, share: Times) -> Values:
    """Rotations between two, (n, 4), on the shorter way."""
    dot = np.einsum("ij,ij->i", start, end)
    end = np.where(dot < 0, -1, 1)[:, None] * end
    angle = np.arccos(np.clip(np.abs(dot), 0, 1))
    is_wide = angle > 1e-6
    sine = np.where(is_wide, np.sin(angle), 1)
    first = np.where(is_wide, np.sin((1 - share) * angle) / sine, 1 - share)
    second = np.where(is_wide, np.sin(share * angle) / sine, share)
    return _unit(first[:, None] * start + second[:, None] * end)


@dataclass(frozen=True, slots=True, eq=False)
class Turning:
    """The rotations of a track with the keys that were added.

    Attributes
    ----------
    times
        (k,) float64, frames.
    rotations
        (k, 4) float32.
    added
        (n, 5) float32: time, w, x, y, z of the keys that the track does not have.
    """

    times: Times
    rotations: Floats
    added: Floats


def with_frame_keys(track: Track) -> Turning:
    """The rotations of a track, with keys at the whole frames of wide turns."""
    frames = _frames_inside(track)
    left = np.searchsorted(track.times, frames, "right") - 1
    start, end = (track.rotations[at].astype(np.float64) for at in (left, left + 1))
    share = (frames - track.times[left]) / (track.times[left + 1] - track.times[left])
    even = slerp(start, end, share)
    worst = np.zeros(len(track.times))
    np.maximum.at(worst, left, _distance(even, _mixed(start, end, share)))
    kept = worst[left] > SEEN
    added = np.concatenate([frames[kept, None], even[kept]], axis=1).astype(np.float32)
    times = np.concatenate([track.times, frames[kept]])
    order = np.argsort(times, kind="stable")
    return Turning(times[order], np.concatenate([track.rotations, added[:, 1:]])[order], added)


def _frames_inside(track: Track) -> Times:
    """The whole frames between the first and the last key that are no keys, (f,)."""
    first, last = np.floor(track.times[0]) + 1, np.ceil(track.times[-1])
    frames = np.arange(first, last)
    near = np.searchsorted(track.times, frames)
    gap = np.minimum(track.times[near] - frames, frames - track.times[near - 1])
    return np.asarray(frames[gap > SAME_TIME])


def _mixed(start: Values, end: Values, share: Times) -> Values:
    """Rotations whose components are mixed, on the shorter way."""
    sign = np.where(np.einsum("ij,ij->i", start, end) < 0, -1.0, 1.0)
    return _unit(start + (end * sign[:, None] - start) * share[:, None])


def _distance(first: Values, second: Values) -> Values:
    """The angle between near rotations, radians."""
    sign = np.where(np.einsum("ij,ij->i", first, second) < 0, -1.0, 1.0)
    return np.asarray(2 * np.linalg.norm(first - second * sign[:, None], axis=1))


def without_frame_keys(curve: KeyCurve, said: Sequence[float]) -> KeyCurve:
    """A curve of rotations without the keys that were added and are as they were.

    Those of a curve that was sampled stay: keys of the track are left out there too. `said` are the added
    keys as the extras list them, `WIDTH` numbers for each.
    """
    if curve.mode is not Interpolation.LINEAR or not said or len(said) % WIDTH or is_sampled(curve.times):
        return curve
    added = np.array(said, np.float64).reshape(-1, WIDTH)
    added = added[np.argsort(added[:, 0], kind="stable")]
    near = np.clip(np.searchsorted(added[:, 0], curve.times - SAME_TIME), 0, len(added) - 1)
    is_added = np.abs(added[near, 0] - curve.times) < SAME_TIME
    is_added &= _distance(curve.values.astype(np.float64), added[near, 1:]) < 2 * SAME_ROTATION
    if not is_added.any() or is_added.all():
        return curve
    is_added[[0, -1]] = False  # a program that samples may leave out the last frame
    return KeyCurve(curve.mode, curve.times[~is_added], curve.values[~is_added])
