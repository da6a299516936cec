"""Size of the grid and of the world axes, which depends on the view."""

from __future__ import annotations

import math
from typing import Final

from viewer.session.view.camera import Camera

STEPS_IN_VIEW: Final = 4
"""Fewest grid steps in the height of the view; there are up to ten times as many."""
AXES_SHARE: Final = 0.25
"""Length of the world's axes as a fraction of half the view height at the target."""


def grid_step(camera: Camera) -> float:
    """Distance between grid lines, a power of ten, model units."""
    return float(10.0 ** math.floor(grid_fineness(camera)))


def grid_fineness(camera: Camera) -> float:
    """Decimal logarithm of the exact step; its fraction is the density of the lines."""
    return math.log10(2 * camera.half_height / STEPS_IN_VIEW)


def axes_length(camera: Camera) -> float:
    """Length of the world's axes, model units."""
    return AXES_SHARE * camera.half_height
