"""Movement that was sampled, as Blender does unless told otherwise, at another rate than that of the game."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

EVEN: Final = 1e-5
"""How far a step may be from the others, as a part of the last time, or a time from a whole frame."""
WIDEST: Final = 1.6
"""Frames between samples, at most."""


def is_sampled(times: npt.NDArray[np.float64], widest: float = WIDEST) -> bool:
    """Whether times, in frames, are those of frames of another rate: evenly apart, and not all whole."""
    steps = np.diff(times)
    is_even = len(steps) > 1 and bool((np.abs(steps - steps[0]) <= EVEN * (1 + times[-1])).all())
    return is_even and bool(steps[0] <= widest) and bool((np.abs(times - np.rint(times)) > EVEN).any())
