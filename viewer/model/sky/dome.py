"""The dome of a sky, which is drawn behind everything, and its fog.

Not known is how the textures of the nebula and of the clouds lie on their caps, so the dome has its colors
alone; below the horizon the color of the horizon continues, which is ours.

Source: spec/field-notes.md 10, 4.3.
Status: inferred.
"""

from __future__ import annotations

from math import atan2, cos, pi, radians, sin
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.sky.day import Day, SkyMoment
from viewer.model.sky.light import Color, Vector

HEIGHT: Final = 10000.0
"""Height of the cap over the eye, units."""
ANGLE: Final = 45.0
"""Angle between the apex and the rim of the cap at the center of its sphere, degrees."""
SEGMENTS: Final = 16
RINGS: Final = ("apex", "apex", "ring3", "ring2", "horizon")
"""The colors of the five rings of the cap, from the top."""
POINTS: Final = (0, 90, 180, 270)
"""Compass points with colors of their own, degrees from +Y towards +X."""


class Fog(NamedTuple):
    """The fog in one direction of view: its color, and where it begins and hides everything, units."""

    color: Color
    start: float
    end: float

    def share(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The share that something at a distance from the eye keeps of its own color."""
        d = np.asarray(distance, np.float64)
        # By the squares of distances: half of the way from 0 to the end is kept at 0.75, not at 0.5
        # (spec/field-notes.md 4.3).
        kept: npt.NDArray[np.float64] = 1 - (d**2 - self.start**2) / (self.end**2 - self.start**2)
        return np.clip(kept, 0.0, 1.0)


def fog_towards(moment: SkyMoment, view: Vector) -> Fog | None:
    """The fog while the eye looks along `view`; None if it has no depth."""
    start, end = moment.fog
    # Shipped files start at 0. An end at the start would divide by zero.
    return Fog(horizon_towards(moment, view), start, end) if end > start >= 0 else None


def horizon_towards(moment: SkyMoment, view: Vector) -> Color:
    """The horizon's color in a direction, between two compass points interpolated by the angle: ours."""
    # x before y: the angle counts from +Y towards +X, as a compass does. Looking along (1, 0) is a quarter,
    # turn 1.
    turn = atan2(view[0], view[1]) / (2 * pi) * len(POINTS) % len(POINTS)
    first = int(turn) % len(POINTS)
    one, other = moment.horizon[first], moment.horizon[(first + 1) % len(POINTS)]
    red, green, blue = (a + (b - a) * (turn - int(turn)) for a, b in zip(one, other, strict=True))
    return red, green, blue


class Dome(Struct, frozen=True, eq=False):
    """Triangles around the eye, the rim of the cap and what is below it last.

    Attributes
    ----------
    points
        Units from the eye, world axes, (n, 3) float32.
    colors
        Red, green, blue and opacity, 0 to 1, (n, 4) float32.
    corners
        Rows of both, three for each triangle, (t, 3) int32.
    """

    points: npt.NDArray[np.float32]
    colors: npt.NDArray[np.float32]
    corners: npt.NDArray[np.int32]


def dome_of(day: Day, hour: float) -> Dome:
    """The dome at an hour, 0 to 24."""
    # The cap is as high as the part of the radius that its rim lies below its apex: 10000 / (1 - cos 45) =
    # 34142. The rim is then at the height of the eye, 24142 away.
    radius = HEIGHT / (1 - cos(radians(ANGLE)))
    # One vertex more than segments: the first place comes twice, and the last segment needs no modulo.
    turns = np.arange(SEGMENTS + 1) * (2 * pi / SEGMENTS)
    points: list[npt.NDArray[np.float64]] = []
    colors: list[npt.NDArray[np.float64]] = []
    for ring, name in enumerate(RINGS):
        # Five rings have four steps: 0, 11.25, 22.5, 33.75 and 45 degrees, the first of them being the apex
        # itself.
        tilt = radians(ANGLE) * ring / (len(RINGS) - 1)
        across, up = radius * sin(tilt), radius * cos(tilt) - radius + HEIGHT
        points.append(
            np.column_stack([across * np.sin(turns), across * np.cos(turns), np.full_like(turns, up)])
        )
        colors.append(_ring(day, hour, name))
    points.append(points[-1] - (0.0, 0.0, HEIGHT))
    points.append(np.tile([0.0, 0.0, -HEIGHT], (SEGMENTS + 1, 1)))
    colors += [colors[-1], np.tile(colors[-1][:-1].mean(axis=0), (SEGMENTS + 1, 1))]
    return Dome(
        np.concatenate(points).astype(np.float32),
        np.concatenate(colors).astype(np.float32),
        _corners(len(points)),
    )


def _ring(day: Day, hour: float, name: str) -> npt.NDArray[np.float64]:
    """The colors around a ring, (segments + 1, 4): between compass points they are interpolated."""
    slots = [name] if name == "apex" else [f"{name}_{degrees}" for degrees in POINTS]
    known = np.array([day.shade(slot, hour) for slot in slots])
    # Segment 6 of 16 is 1.5 of 4 compass points: half of the way from 90 to 180 degrees.
    at = np.arange(SEGMENTS + 1) * (len(known) / SEGMENTS)
    first = at.astype(np.int64)
    part = (at - first)[:, None]
    found: npt.NDArray[np.float64] = (
        known[first % len(known)] * (1 - part) + known[(first + 1) % len(known)] * part
    )
    return found


def _corners(rings: int) -> npt.NDArray[np.int32]:
    """Two triangles for each segment between two rings, (t, 3)."""
    ring, segment = (it.ravel() for it in np.mgrid[0 : rings - 1, 0:SEGMENTS])
    upper = ring * (SEGMENTS + 1) + segment
    lower = upper + SEGMENTS + 1
    return (
        np.stack([upper, lower, lower + 1, upper, lower + 1, upper + 1], axis=1)
        .reshape(-1, 3)
        .astype(np.int32)
    )
