"""A track as a function of time.

Source: spec/animation.md 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Floats
from viewer.model.convert.scene import Track, Vector
from viewer.model.mesh.animation import interpolate

DENSE: Final = 1.0 + 1e-4
"""Frames between the points of a sampled track, at most."""
LEAST: Final = 1e-7
"""Distance of equal positions, however small the coordinates are."""
SOON: Final = 1e-4
"""Frames between times that are the same but for rounding."""
STEPS: Final = 16
"""Points for each key at which a movement is looked at."""
MOST_FRAMES: Final = 100_000
"""Frames at which it is."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A track between its points too: linear in position, spherical in rotation, held outside."""

    TURN: ClassVar[float] = 2e-4
    """Largest difference of a component of rotations of the same curve."""

    track: Track

    def at(self, times: npt.NDArray[np.float64], *, is_mixed: bool = False) -> Track:
        """The points at some times; with their components mixed, as Blender does, rather than turned."""
        known = self.track
        right = np.clip(np.searchsorted(known.times, times, "right"), 1, max(1, len(known.times) - 1))
        left = np.minimum(right - 1, len(known.times) - 1)
        right = np.minimum(right, len(known.times) - 1)
        length = known.times[right] - known.times[left]
        part = np.divide(times - known.times[left], length, out=np.zeros(len(times)), where=length > 0)
        part = np.clip(part, 0, 1).astype(np.float32)
        start, end = known.positions[left], known.positions[right]
        turns = known.rotations[left], known.rotations[right]
        turned = _mixed(*turns, part[:, None]) if is_mixed else interpolate(*turns, part)
        return Track(times, start + (end - start) * part[:, None], turned)

    def has(self, points: Track, near: float) -> npt.NDArray[np.bool_]:
        """Which points are on it, between its own where another program interpolates alike, (k,).

        Where it jumps, a little earlier or later will do: programs keep times as single floats.
        """
        turned, mixed = (self.at(points.times, is_mixed=it) for it in (False, True))
        early, late = (self.at(points.times + it) for it in (-SOON, SOON))
        slack = np.abs(late.positions - early.positions).max(axis=1)
        away = np.minimum(apart(turned, points), apart(mixed, points))
        is_placed = np.abs(turned.positions - points.positions).max(axis=1) <= near + slack
        found: npt.NDArray[np.bool_] = is_placed & (away <= self.TURN + apart(early, late))
        return found

    @property
    def is_dense(self) -> bool:
        """Whether there is a point in every frame."""
        return len(self.track.times) > 1 and bool((np.diff(self.track.times) <= DENSE).all())

    def is_constant(self, place: float, turn: float) -> bool:
        """Whether nothing moves further than a distance, and no component of a rotation changes by more."""
        known = self.track
        is_still = (np.abs(known.positions - known.positions[0]) <= place).all()
        away = np.minimum(
            *(np.abs(known.rotations - sign * known.rotations[0]).max(axis=1) for sign in (1, -1))
        )
        return bool(is_still and (away <= turn).all())

    def passes(self, position: Vector, place: float) -> bool:
        """Whether it comes as near as a distance to a position, at its keys, in a frame, or between."""
        known = self.track.times
        times = np.linspace(known[0], known[-1], STEPS * len(known) + 1)
        frames = np.arange(np.ceil(known[0]), min(known[-1], known[0] + MOST_FRAMES) + 1)
        points = self.at(np.unique(np.concatenate([known, times, frames]))).positions
        return bool((np.abs(points - np.asarray(position)).max(axis=1) <= place).any())


def _mixed(start: Floats, end: Floats, part: Floats) -> Floats:
    """Rotations between others, each component alone."""
    sign = np.where((start * end).sum(axis=1, keepdims=True) < 0, np.float32(-1), np.float32(1))
    turned = start + (sign * end - start) * part
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    made: Floats = np.divide(turned, length, out=start.copy(), where=length > 0)
    return made


def apart(one: Track, other: Track) -> Floats:
    """The largest difference of a component of rotations, whichever sign they have, (k,)."""
    found: Floats = np.minimum(
        *(np.abs(one.rotations - sign * other.rotations).max(axis=1) for sign in (1, -1))
    )
    return found
