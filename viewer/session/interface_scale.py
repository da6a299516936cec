"""The scale of the interface that the user chooses."""

from __future__ import annotations

from typing import Final

SCALES: Final = (0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""The choices."""
LEAST_SCALE: Final = SCALES[0]
MOST_SCALE: Final = SCALES[-1]


def next_scale(scale: float, step: int) -> float:
    """The next larger choice, or with a `step` of -1 the next smaller one; the same at the ends."""
    others = [it for it in SCALES if (it > scale if step > 0 else it < scale)]
    if not others:
        return scale
    return min(others) if step > 0 else max(others)
