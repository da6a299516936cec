"""Keys of rotations at whole frames, for programs that do not turn evenly.

Between two keys the format and the engine turn evenly; Blender mixes the components, which is off by up to
0.004 times the cube of the angle in radians. Where that can be seen, rotations get keys at whole frames that
lie on the way: what other programs show stays the same. They are listed in the extras of their node, and left
out again when the file is read, unless somebody has changed them.

Source: glTF 2.0, 3.11; spec/animation.md 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.convert.gltf.reading.curves import Curve, Mode, slerp
from viewer.model.convert.sampling import is_sampled
from viewer.model.convert.scene import Floats, Track

SEEN: Final = 4e-6
"""Deviation from which keys are added, radians; those of all nodes above add up."""
SAME_TIME: Final = 1e-3
"""A key this near to a time, in frames, is that of this time."""
SAME_ROTATION: Final = 2e-5
"""Rotations whose components differ less are the same."""
WIDTH: Final = 5
"""Numbers of a key: its time in frames, w, x, y and z."""


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

    times: npt.NDArray[np.float64]
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


def _frames_inside(track: Track) -> npt.NDArray[np.float64]:
    """The whole frames between the first and the last key that are no keys, (f,)."""
    first, last = np.floor(track.times[0]) + 1, np.ceil(track.times[-1])
    frames = np.arange(first, last)
    near = np.searchsorted(track.times, frames)
    gap = np.minimum(track.times[near] - frames, frames - track.times[near - 1])
    inside: npt.NDArray[np.float64] = frames[gap > SAME_TIME]
    return inside


def _mixed(
    start: npt.NDArray[np.float64], end: npt.NDArray[np.float64], share: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Rotations whose components are mixed, on the shorter way."""
    sign = np.where(np.einsum("ij,ij->i", start, end) < 0, -1.0, 1.0)
    mixed = start + (end * sign[:, None] - start) * share[:, None]
    unit: npt.NDArray[np.float64] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    return unit


def _distance(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The angle between near rotations, radians."""
    sign = np.where(np.einsum("ij,ij->i", first, second) < 0, -1.0, 1.0)
    angle: npt.NDArray[np.float64] = 2 * np.linalg.norm(first - second * sign[:, None], axis=1)
    return angle


def without_frame_keys(curve: Curve, said: Sequence[float]) -> Curve:
    """A curve of rotations without the keys that were added and are as they were.

    Those of a curve that was sampled stay: keys of the track are left out there too. `said` are the added
    keys as the extras list them, `WIDTH` numbers for each.
    """
    if curve.mode is not Mode.LINEAR or not said or len(said) % WIDTH or is_sampled(curve.times):
        return curve
    added = np.array(said, np.float64).reshape(-1, WIDTH)
    added = added[np.argsort(added[:, 0], kind="stable")]
    near = np.clip(np.searchsorted(added[:, 0], curve.times - SAME_TIME), 0, len(added) - 1)
    is_added = np.abs(added[near, 0] - curve.times) < SAME_TIME
    is_added &= _distance(curve.values.astype(np.float64), added[near, 1:]) < 2 * SAME_ROTATION
    if not is_added.any() or is_added.all():
        return curve
    is_added[[0, -1]] = False  # a program that samples may leave out the last frame
    return Curve(curve.mode, curve.times[~is_added], curve.values[~is_added])
