"""The light of the game: two colors of a vertex, one that multiplies the texture and one that is added to it.

shaders/include/light.glsl computes the same on the graphics card. All values are stored (display) values.

Source: spec/field-notes.md 4.1, 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.material.materials import Blend
from viewer.model.sky.dome import Fog
from viewer.model.sky.light import Color, Light

Values = npt.NDArray[np.float64]

HIGHEST_POWER: Final = 24
"""Highest power of a highlight: the exponent of a higher one would be infinite."""


class PointLight(NamedTuple):
    """A light of an effect: its place, its red, green and blue, and how far it reaches.

    Attributes
    ----------
    factors
        Of the powers 0, 1 and 2 of the share of its reach that is left at a distance.
    """

    place: Color
    color: Color
    reach: float
    factors: Color


class Paint(NamedTuple):
    """The colors of a material in light, red, green and blue, and the power of its highlight."""

    diffuse: Sequence[float]
    ambient: Sequence[float]
    specular: Sequence[float] = (0.0, 0.0, 0.0)
    power: int = 0

    @property
    def in_lightmap(self) -> Paint:
        """The paint with a lightmap: the diffuse color is its own light, and no light falls on it."""
        return Paint((0.0, 0.0, 0.0), self.diffuse)


class VertexLight(Struct, frozen=True, eq=False):
    """The light of some vertices.

    Attributes
    ----------
    fallen, gleams
        What each light adds to the sum and to the highlight, (lights, n, 3).
    total
        Their sum with the material's own light, (n, 3).
    base
        That, or the scene color where that is brighter, (n, 3).
    bent
        Above 1 the base is bent to rise less, up to 2, (n, 3).
    first
        What the texture is multiplied by, 0 to 1, (n, 3).
    second
        What is added after it, 0 to 1, (n, 3).
    """

    fallen: Values
    gleams: Values
    total: Values
    base: Values
    bent: Values
    first: Values
    second: Values


def knee(color: npt.ArrayLike) -> Values:
    """A color bent at 1, from where it rises a sixth as steeply, and level from 7."""
    c = np.asarray(color, np.float64)
    # The three lines meet at 1 and 7, and each is the lowest where it counts, so the minimum is the curve
    # without asking where a value lies: 4 gives min(4, 1.5, 2) = 1.5.
    return np.minimum(np.minimum(c, c / 6 + 5 / 6), 2.0)


def spill(color: npt.ArrayLike) -> Values:
    """The color that is added to the texture, of what is too bright for it: bent at 1, level from 3."""
    s = np.asarray(color, np.float64)
    # As in `knee`: 2 gives min(1.6, 0.9, 1) = 0.9; the lines meet at 1 and 3.
    return np.minimum(np.minimum(0.8 * s, 0.1 * s + 0.7), 1.0)


def exponent(power: int) -> float:
    """The exponent of a highlight of some power, which is not 0."""
    # Powers 1, 2, 3 and 6 are the exponents 1, 2, 4 and 32 (spec/field-notes.md 4.1).
    return float(2.0 ** (min(power, HIGHEST_POWER) - 1))


def vertex_light(
    paint: Paint,
    scene: Sequence[float],
    lights: Sequence[Light],
    normals: npt.ArrayLike,
    towards_eye: npt.ArrayLike,
    places: npt.ArrayLike = (),
    points: Sequence[PointLight] = (),
) -> VertexLight:
    """The light of vertices.

    Parameters
    ----------
    scene
        The scene color, red, green and blue.
    normals
        As they are, which need not be of unit length: none is zero and takes no light, (n, 3).
    towards_eye
        Unit vectors, (n, 3) or (3,).
    places, points
        Where the vertices are, (n, 3), and the lights near them.
    """
    n = np.atleast_2d(np.asarray(normals, np.float64))
    arriving = [(np.broadcast_to(it.towards, n.shape), np.broadcast_to(it.color, n.shape)) for it in lights]
    arriving += [_arriving(it, np.asarray(places, np.float64)) for it in points]
    towards = np.array([it for it, _color in arriving], np.float64).reshape(-1, len(n), 3)
    colors = np.array([it for _towards, it in arriving], np.float64).reshape(-1, len(n), 3)
    # The normal is not made a unit vector, as the game does not: a zero one gives 0 here, so it takes no
    # light.
    facing = np.maximum((towards * n).sum(axis=2, keepdims=True), 0.0)
    mirrored = 2 * facing * n - towards
    seen = np.maximum((mirrored * np.asarray(towards_eye, np.float64)).sum(axis=2, keepdims=True), 0.0)
    # Behind the surface the mirrored ray may still point at the eye: without the last factor it would gleam
    # through.
    share = seen ** exponent(paint.power) * (facing > 0) if paint.power else np.zeros_like(facing)
    fallen = np.asarray(paint.diffuse) * colors * facing
    gleams = np.asarray(paint.specular) * colors * share
    total = fallen.sum(axis=0) + np.asarray(paint.ambient)
    # A floor and not a term: sums of 0.2 and 0.5 in a scene of 0.3 are 0.3 and 0.5 (spec/field-notes.md 4.1).
    base = np.maximum(total, np.asarray(scene))
    bent = knee(base)
    second = spill(gleams.sum(axis=0) + np.maximum(bent - 1, 0.0))
    return VertexLight(fallen, gleams, total, base, bent, np.minimum(bent, 1.0), second)


HIDDEN: Final[dict[Blend, Color]] = {
    Blend.ADD: (0.0, 0.0, 0.0),
    Blend.MULTIPLY: (1.0, 1.0, 1.0),
    # Mode 5 draws destination * source * 2, and 2 * 127 / 255 is as near to 1 as a byte comes.
    Blend.MULTIPLY2: (127 / 255, 127 / 255, 127 / 255),
}
"""The colors of some batches in the fog, with which they change nothing behind them."""


def hidden_color(fog: Fog, blend: Blend) -> Color:
    """The color of a batch in the fog."""
    return HIDDEN.get(blend, fog.color)


def _arriving(light: PointLight, places: Values) -> tuple[Values, Values]:
    """The direction towards a light from places, and its color there, (n, 3) each; 0 out of its reach."""
    ways = np.asarray(light.place) - places
    far = np.linalg.norm(ways, axis=1, keepdims=True)
    # 1 at the light, 0 at its reach.
    near = (light.reach - far) / light.reach
    strength = light.factors[0] + light.factors[1] * near + light.factors[2] * near**2
    # At the very place of the light there is no direction to it.
    is_reached = (far > 0) & (far < light.reach)
    towards = np.divide(ways, far, out=np.zeros_like(ways), where=is_reached)
    return towards, np.where(is_reached, strength, 0.0) * np.asarray(light.color)


def pixel(texture: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> Values:
    """The color of a texture, 0 to 1, in the two colors."""
    found: Values = np.minimum(np.asarray(texture) * np.asarray(first) + np.asarray(second), 1.0)
    return found
