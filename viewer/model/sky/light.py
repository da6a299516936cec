"""Lights of a whole scene, and the way of the sun and the moon.

Source: spec/field-notes.md 4.2.
Status: inferred.
"""

from __future__ import annotations

from math import cos, pi, radians, sin
from typing import Final, NamedTuple

from msgspec import Struct

Vector = tuple[float, float, float]
Color = tuple[float, float, float]
"""Red, green and blue; 1 is full, lights may be brighter."""
SCENE: Final = 0.2
"""The scene color without a sky, a grey, the engine's own."""


class Light(NamedTuple):
    """A light from one direction.

    Attributes
    ----------
    direction
        The way that the light travels, a unit vector.
    color
        Its color.
    """

    direction: Vector
    color: Color

    @property
    def towards(self) -> Vector:
        """The unit vector towards the light."""
        x, y, z = self.direction
        return -x, -y, -z


class SkyLight(Struct, frozen=True):
    """The lights of a scene and its scene color.

    Attributes
    ----------
    scene
        The scene color: the least light of a surface.
    lights
        The lights that are added up.
    """

    scene: Color
    lights: tuple[Light, ...]


class Body(NamedTuple):
    """The way of the sun or the moon over the sky.

    Attributes
    ----------
    turn
        Angle of its way about the vertical, degrees.
    tilt
        How far the top of its way is from the zenith, degrees.
    """

    turn: float
    tilt: float

    def direction(self, fraction: float) -> Vector:
        """The direction of the body's light after a fraction of its time, a unit vector."""
        a, b = radians(self.turn), radians(self.tilt)
        # Fractions 1/12 and 11/12 are the horizon: the way begins and ends 18 degrees below it.
        t = (1.2 * fraction - 0.1) * pi
        return (
            cos(a) * cos(t) - sin(a) * sin(b) * sin(t),
            sin(a) * cos(t) + cos(a) * sin(b) * sin(t),
            -cos(b) * sin(t),
        )


SUN: Final = Body(90, 30)
MOON: Final = Body(0, 50)
