"""Which other times of an animation are shown with the current one, and in which colors."""

from __future__ import annotations

from typing import Final

from viewer.dataclass import dataclass

Rgb = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""
MOST_GHOSTS: Final = 8
"""On each side."""
LONGEST_STEP: Final = 100


@dataclass(frozen=True, slots=True)
class Ghosts:
    """Ghosts before and after the current time.

    Attributes
    ----------
    before, after
        How many there are.
    step
        Frames from one to the next; of a clip frames at our rate.
    color_before, color_after
        Their colors.
    """

    before: int = 2
    after: int = 2
    step: int = 4
    color_before: Rgb = (0.95, 0.45, 0.35)
    color_after: Rgb = (0.35, 0.75, 0.95)
