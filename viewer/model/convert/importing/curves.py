"""A track as a function of time.

Source: spec/animation.md 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.convert.scene import Track, Vector
from viewer.model.mesh.animation import interpolate

DENSE: Final = 1.0 + 1e-4
"""Frames between the points of a sampled track, at most."""
LEAST: Final = 1e-7
"""Distance of equal positions, however small the coordinates are."""
STEPS: Final = 16
"""Points between two keys at which a movement is looked at."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A track between its points too: linear in position, spherical in rotation, held outside."""

    track: Track

    def at(self, times: npt.NDArray[np.float64]) -> Track:
        """The points at some times."""
        known = self.track
        right = np.clip(np.searchsorted(known.times, times, "right"), 1, max(1, len(known.times) - 1))
        left = np.minimum(right - 1, len(known.times) - 1)
        right = np.minimum(right, len(known.times) - 1)
        length = known.times[right] - known.times[left]
        part = np.divide(times - known.times[left], length, out=np.zeros(len(times)), where=length > 0)
        part = np.clip(part, 0, 1).astype(np.float32)
        start, end = known.positions[left], known.positions[right]
        turned = interpolate(known.rotations[left], known.rotations[right], part)
        return Track(times, start + (end - start) * part[:, None], turned)

    @property
    def is_dense(self) -> bool:
        """Whether there is a point in every frame."""
        return len(self.track.times) > 1 and bool((np.diff(self.track.times) <= DENSE).all())

    def is_constant(self, place: float, turn: float) -> bool:
        """Whether nothing moves by more than a part of the largest coordinate, and turns by more."""
        known = self.track
        size = float(np.abs(known.positions).max(initial=0))
        is_still = (np.abs(known.positions - known.positions[0]) <= place * size + LEAST).all()
        away = np.minimum(
            *(np.abs(known.rotations - sign * known.rotations[0]).max(axis=1) for sign in (1, -1))
        )
        return bool(is_still and (away <= turn).all())

    def passes(self, position: Vector, place: float) -> bool:
        """Whether it comes to a position, at its keys or between them."""
        known = self.track.times
        times = np.unique(np.concatenate([known, np.linspace(known[0], known[-1], STEPS * len(known) + 1)]))
        frames = np.arange(np.ceil(known[0]), min(known[-1], known[0] + 100_000) + 1)
        points = self.at(np.union1d(times, frames)).positions
        size = float(np.abs(points).max(initial=0))
        return bool((np.abs(points - np.asarray(position)).max(axis=1) <= place * size + LEAST).any())
