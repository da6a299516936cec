"""The phases of a material by the fraction of its track, as effects show it.

Source: spec/effects.md 5 (Phase); spec/field-notes.md 4.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import Indices
from viewer.model.material.materials import BlendMask, Material

OUTSIDE: Final = 0.5
"""The fraction that the game takes for one outside 0 to 1."""
Reals = npt.NDArray[np.float64]


class MaterialTrack(Struct, frozen=True, eq=False):
    """Track 0 of a material; one without keys shows phase 0.

    Attributes
    ----------
    ends
        Time at which each key ends, (k,); none for a material that is not animated.
    phase
        Phase of each key, (k,), or 0.
    ambient, following
        Red, green and blue of each key and those that it blends towards, (k, 3) each.
    """

    ends: Reals
    phase: Indices
    ambient: Reals
    following: Reals

    @classmethod
    def of(cls, material: Material) -> MaterialTrack:
        """The track of a material."""
        keys = material.blocks[0].keys if material.blocks else ()
        # A key may name a phase that is not there (M06): the last one then, as in `phases.phase_of`.
        last = len(material.phases) - 1
        phase = np.array([min(key.phase, last) for key in keys] or [0], np.int64)
        ambient = np.array([material.phases[it].ambient[:3] for it in phase.tolist()])
        is_blended = bool(keys) and material.blocks[0].mask & BlendMask.AMBIENT != 0
        # The key after the last one is the first: the track is a loop.
        following = np.roll(ambient, -1, axis=0) if is_blended else ambient
        return cls(np.array([key.time for key in keys], np.float64), phase, ambient, following)

    def moments(self, fraction: Reals) -> tuple[Indices, Reals]:
        """The key (n,) at fractions (n,) of the track, and how far each is on the way to the next, 0 to 1."""
        if not len(self.ends):
            return np.zeros(len(fraction), np.int64), np.zeros(len(fraction))
        # NaN is neither and becomes a half as well.
        inside = np.where((fraction >= 0) & (fraction <= 1), fraction, OUTSIDE)
        time = inside * self.ends[-1]
        # Keys that end at 100, 200 and 400, fraction 0.375: time 150, which is in key 1, half of the way to
        # key 2.
        starts = np.append(0.0, self.ends[:-1])
        # Ends that do not ascend are skipped, as the game takes the first key whose end is beyond the time.
        key = np.searchsorted(np.maximum.accumulate(self.ends), time, side="right")
        # At 1.0 no key ends later: the end of the loop is its start, key 0.
        is_there = key < len(self.ends)
        key = np.where(is_there, key, 0)
        length = self.ends[key] - starts[key]
        share = np.where(is_there & (length > 0), (time - starts[key]) / np.where(length > 0, length, 1), 0.0)
        return key, share

    def colors(self, key: Indices, share: Reals) -> Reals:
        """The ambient colors (n, 3) at moments."""
        change = (self.following - self.ambient).take(key, axis=0)  # several times as fast as an index
        change *= share[:, None]
        change += self.ambient.take(key, axis=0)
        return change
