"""What differs between two movements, and whether one has the times of another.

Source: spec/animation.md 4.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.formats.msh.keys import SCALE
from viewer.model.convert.gltf.curves import with_frame_keys
from viewer.model.convert.importing.movement.curves import DENSE, Curve, apart
from viewer.model.convert.importing.movement.fitting import fitted
from viewer.model.convert.sampling import WIDEST, is_sampled
from viewer.model.convert.scene import Rotation, Track, Vector

SAME_TIME: Final = 1e-4
"""Frames between equal times."""
HALF_STEP: Final = 0.55 / SCALE
"""Largest difference of a component of equal rotations: half a step of a stored key, and rounding."""


def has_times(one: Track, other: Track) -> bool:
    """Whether two tracks have points at the same times."""
    return len(one.times) == len(other.times) and bool((np.abs(one.times - other.times) <= SAME_TIME).all())


def changed_points(before: Track, after: Track, near: float) -> list[int]:
    """The points of a track that differ."""
    is_moved = (np.abs(after.positions - before.positions) > near).any(axis=1)
    return np.flatnonzero(is_moved | (apart(before, after) > HALF_STEP)).tolist()


def with_known_times(
    before: Track, after: Track, on: float, *, is_keyed: bool, widest: float = WIDEST
) -> Track | None:
    """The movement in a file with the times of the known one; None if it cannot be told with these.

    It is the known one itself if that was not edited.
    """
    is_even = is_sampled(after.times, widest)
    read = before if is_even else _read_off(after, before)
    is_on = Curve(before).has(after, on)
    if is_even and not is_on.all():
        is_on |= Curve(_with_frame_keys(before)).has(after, on)
    if is_on.all() and not changed_points(before, read, on):
        return before
    if is_even and is_keyed:
        return fitted(before, after, on) or _fitted_beside_frame_keys(before, after, on)
    is_told = is_keyed and Curve(after).is_dense and Curve(read).has(after, on).all()
    return read if is_told and not is_even else None


def _with_frame_keys(track: Track) -> Track:
    """A track as other programs have it."""
    turning = with_frame_keys(track)
    return Track(turning.times, Curve(track).at(turning.times).positions, turning.rotations)


def _fitted_beside_frame_keys(before: Track, after: Track, on: float) -> Track | None:
    """The track of which one key was edited in another program, which has keys at whole frames beside it."""
    full = _with_frame_keys(before)
    found = fitted(full, after, on)
    if found is None:
        return None
    own = np.isin(full.times, before.times)
    is_kept = (found.rotations == full.rotations).all(axis=1) & (found.positions == full.positions).all(
        axis=1
    )
    if not is_kept[~own].all():
        return None
    return Track(before.times, found.positions[own], found.rotations[own])


def _read_off(sampled: Track, known: Track) -> Track:
    """The points of a sampled track at the times of a known one, whose last frame may be left out."""
    read = Curve(sampled).at(known.times)
    is_out = (known.times > sampled.times[-1] + SAME_TIME) & (known.times <= sampled.times[-1] + DENSE)
    is_out &= Curve(sampled).is_dense
    positions = np.where(is_out[:, None], known.positions, read.positions)
    return Track(read.times, positions, np.where(is_out[:, None], known.rotations, read.rotations))


def as_track(position: Vector, rotation: Rotation) -> Track:
    """A place as a track of one point."""
    return Track(np.zeros(1), np.array([position], np.float32), np.array([rotation], np.float32))
