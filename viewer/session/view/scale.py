"""How large the grid and the world's axes are: they follow the view, in the picture and in its labels."""

from __future__ import annotations

import math
from typing import Final

from viewer.session.view.camera import Camera

STEPS_IN_VIEW: Final = 4
"""At least so many steps of the grid fit the height of the view, and up to ten times as many."""
AXES_SHARE: Final = 0.25
"""Length of the world's axes as a share of half the height of the view at the target."""


def grid_step(camera: Camera) -> float:
    """Distance between grid lines, a power of ten, model units."""
    return float(10.0 ** math.floor(grid_fineness(camera)))


def grid_fineness(camera: Camera) -> float:
    """Decimal logarithm of the step that would fit exactly; its fraction says how dense the lines are."""
    return math.log10(2 * camera.half_height / STEPS_IN_VIEW)


def axes_length(camera: Camera) -> float:
    """Length of the world's axes, model units."""
    return AXES_SHARE * camera.half_height
