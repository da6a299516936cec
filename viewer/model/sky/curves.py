"""A day of a sky as curves: what it looks like and how it lights at many hours.

Source: spec/field-notes.md 10.
Status: inferred.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.sky.clock import LAST_HOUR
from viewer.model.sky.day import Day

COUNT: Final = 24 * 8 + 1
"""Hours of a day that curves have: every seven and a half minutes, and both ends."""

Floats = npt.NDArray[np.float64]


class DayCurves(Struct, frozen=True, eq=False):
    """Colors over a day, red, green and blue, 1 is full; lights may be brighter.

    Attributes
    ----------
    hours
        The hours, (n,).
    scene, main, counter
        Scene color, main light with its strength, and counter light, (n, 3).
    horizon, apex
        Colors of the sky, the horizon's from all around, (n, 3).
    """

    hours: Floats
    scene: Floats
    main: Floats
    counter: Floats
    horizon: Floats
    apex: Floats

    @classmethod
    def of(cls, day: Day, count: int = COUNT) -> DayCurves:
        """The curves of a day at some hours from 0 to 24."""
        hours = np.linspace(0.0, LAST_HOUR, count)
        moments = [day.at(hour) for hour in hours.tolist()]
        return cls(
            hours,
            np.array([it.light.scene for it in moments]),
            np.array([it.light.lights[0].color for it in moments]),
            np.array([it.light.lights[1].color for it in moments]),
            np.array([np.mean(it.horizon, axis=0) for it in moments]),
            np.array([day.color("apex", hour) for hour in hours.tolist()]),
        )


def brightness(colors: Floats) -> Floats:
    """The brightest channel of colors, (n, 3): (n,)."""
    found: Floats = colors.max(axis=1)
    return found
