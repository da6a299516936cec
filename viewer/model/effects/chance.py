"""Random numbers of effects: the generator of the game, and a state for each particle.

The game draws from states that it seeds from the clock. Here every particle draws from a state of its own,
so that any moment can be shown without those before it.

Source: spec/effects.md 5 (Generator).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
Reals = npt.NDArray[np.float64]

OF_TIME: Final = 0xFFFF
"""The number in place of a block's for the jitter of the time (flag 1)."""
STEPS: Final = 65536.0
"""Different draws."""


def mixed(seed: int, block: int | npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]) -> Words:
    """The states (n,) of the particles `numbers` (n,) of blocks: a number, or one per particle (n,)."""
    # uint64 wraps, but its low 32 bits are those of the u32 arithmetic.
    first = (seed * 0x9E3779B1 & 0xFFFFFFFF) + np.asarray(block, np.uint64) * np.uint64(0x85EBCA77)
    h = ((first + numbers.astype(np.uint64) * np.uint64(0xC2B2AE3D)) & np.uint64(0xFFFFFFFF)).astype(
        np.uint32
    )
    h ^= h >> np.uint32(15)
    h *= np.uint32(0x2C1B3C6D)
    h ^= h >> np.uint32(12)
    h *= np.uint32(0x297A2D39)
    h ^= h >> np.uint32(15)
    # State 0 stays 0: all its draws would be 0 (effects.md 5).
    h[h == 0] = 1
    return h


def drawn(states: Words, count: int) -> Reals:
    """The first `count` draws of states (n,), 0 to below 1, (count, n)."""
    low, high = (states & np.uint32(0xFFFF)).astype(np.uint16), (states >> np.uint32(16)).astype(np.uint16)
    draws = np.empty((count, len(states)), np.float64)
    for row in draws:
        low = (low << np.uint16(1)) ^ high
        # Of the new low: the order is that of the generator.
        high = (high >> np.uint16(1)) ^ low
        row[:] = high
    draws /= STEPS
    return draws


def spread(draws: Reals, width: Reals | float) -> Reals:
    """Draws as numbers between minus and plus half of a width."""
    return (draws - 0.5) * width
