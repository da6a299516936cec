"""Pseudo-random numbers that are the same on every machine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_MASK = (1 << 64) - 1


def _mix(value: int) -> int:
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & _MASK
    return value ^ (value >> 31)


class Dice:
    """A sequence of numbers that depends on its seed only."""

    def __init__(self, seed: int) -> None:
        self._state = _mix(seed + 1)

    def between(self, low: float, high: float) -> float:
        """The next number, uniformly distributed."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        return low + (high - low) * ((_mix(self._state) >> 11) / (1 << 53))

    def below(self, count: int) -> int:
        """The next whole number from 0 to `count` - 1."""
        return int(self.between(0, count))


def lattice(seed: int, x: npt.NDArray[np.int64], y: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """A number in [0, 1) for every pair of whole numbers, same shape."""
    value = (x.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) ^ np.uint64(_mix(seed))
    value = value ^ (y.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F))
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: npt.NDArray[np.float64] = ((value ^ (value >> np.uint64(31))) >> np.uint64(11)) / float(1 << 53)
    return result
