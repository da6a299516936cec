"""The color of a pixel taken apart: its texel, and what its light is made of in the game's look.

Texels are the nearest ones of the largest level: what is on screen is filtered.

Source: spec/field-notes.md 4; spec/msh.md 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import point_of
from viewer.model.material.light import Paint, PointLight, hidden_color, pixel, vertex_light
from viewer.model.material.materials import Material, TextureRef
from viewer.model.material.phases import PhaseState
from viewer.model.store.place import BYTES, Place
from viewer.session.view.options.lighting import Lighting, LightKind
from viewer.session.view.options.textures import TextureSwitches, reordered
from viewer.translation import Text, _

Vector = npt.NDArray[np.float64]
Numbers = tuple[float, ...]
LIGHTS: Final = {
    LightKind.GAME: (_("light from above right"), _("light from above left")),
    LightKind.SKY: (_("main light"), _("counter light")),
    LightKind.HEAD: (_("head light"),),
}
"""The names of `Lighting.lights`."""
OF_EFFECT: Final = _("light of an effect")


class LitSurface(Struct, frozen=True, eq=False):
    """The geometry that the light of a place depends on: vertices, or without normals the place.

    Attributes
    ----------
    weights
        Their shares of the place, together 1, (n,).
    normals
        As they are, world space, (n, 3).
    towards_eye
        Unit vectors, (n, 3).
    towards_camera
        Against the direction of the view, a unit vector, (3,).
    distance
        That of the place from the eye, units.
    places, points
        Where they are, world space, (n, 3), and the lights of effects.
    """

    weights: Vector
    normals: Vector
    towards_eye: Vector
    towards_camera: Vector
    distance: float
    places: Vector
    points: tuple[PointLight, ...] = ()


class Texel(Struct, frozen=True):
    """A pixel of a texture.

    Attributes
    ----------
    uv
        The texture coordinate, before it is put into the page.
    x, y
        Column and row in the largest level.
    color
        Red, green, blue and alpha, 0 to 255.
    """

    texture: TextureRef
    uv: tuple[float, float]
    x: int
    y: int
    color: tuple[int, int, int, int]

    @property
    def span(self) -> tuple[int, int]:
        """The offset of the texel in the texture, and its size, bytes."""
        level, size = self.texture.texture.levels[0], self.texture.texture.format.size
        return level.offset + size * (self.y * level.width + self.x), size

    @property
    def place(self) -> Place:
        """The location of the first byte of the texel."""
        return Place(self.texture.address, BYTES, self.span[0])


class FogPart(NamedTuple):
    """The effect of the fog on a color: the share left at a distance, and the result."""

    distance: float
    share: float
    color: Numbers


class LightTerm(NamedTuple):
    """A term of the light, red, green and blue; `field` is the phase's field if that is all of the term."""

    name: Text
    color: Numbers
    field: str = ""


class LightSum(Struct, frozen=True):
    """The light of a surface in the game's look: that of its vertices, each by its share of the pixel.

    Attributes
    ----------
    normal
        The normal there, world space, as it is stored or, in a model without any, that of the triangle.
    terms
        What is added up.
    total
        The sum.
    scene
        The scene color.
    base
        The sum, or the scene color where that is brighter.
    bent
        The base, bent above 1.
    highlight, power
        What the lights are mirrored with, and how sharply; of power 0 there is none.
    first, second
        What the texture is multiplied by, and what is added after it, each 0 to 1.
    fog
        The fog there; None without any.
    """

    normal: Numbers
    terms: tuple[LightTerm, ...]
    total: Numbers
    scene: Numbers
    base: Numbers
    bent: Numbers
    highlight: Numbers
    power: int
    first: Numbers
    second: Numbers
    fog: FogPart | None = None

    def times(self, *texels: Texel | None, micro: Texel | None = None) -> Numbers:
        """The color of the surface with its texels, and twice that of a microtexture, in the fog, 0 to 1."""
        texture = np.ones(3)
        for texel in (*texels, micro):
            texture = texture if texel is None else texture * np.array(texel.color[:3]) / 255
        color = pixel(texture if micro is None else 2 * texture, self.first, self.second)
        if self.fog is not None:
            color = color * self.fog.share + np.array(self.fog.color) * (1 - self.fog.share)
        return _numbers(color)


class GroundLayer(NamedTuple):
    """A material of a terrain at a place: row, texels, and color, 0 to 1."""

    row: int
    texel: Texel | None
    micro: Texel | None
    color: Numbers


def ground_color(layers: Sequence[GroundLayer], opacity: float) -> Numbers:
    """The color of a place of a terrain, 0 to 1: that of the first layer, under the second if there is."""
    first, *others = (np.array(it.color) for it in layers)
    for second in others:
        first = (1 - opacity) * first + opacity * second
    return _numbers(first)


def texel_at(
    texture: TextureRef, uv: Vector, switches: TextureSwitches, *, repeats: bool = True
) -> Texel | None:
    """The texel at a texture coordinate (2,); None if that is not finite, or the texture has no pixels.

    Parameters
    ----------
    repeats
        Whether the texture repeats; else its border does.
    """
    if not texture.texture.levels or not np.isfinite(uv).all():
        return None
    level = texture.texture.levels[0]
    left, top, width, height = texture.page or (0, 0, level.width, level.height)
    # A page rewrites the coordinates, but the whole texture repeats: beyond 1 it runs into the next page.
    x, y = floor(left + float(uv[0]) * width), floor(top + float(uv[1]) * height)
    if repeats:
        x, y = x % level.width, y % level.height
    else:
        x, y = min(max(x, 0), level.width - 1), min(max(y, 0), level.height - 1)
    row = texture.texture.rows(level, y, y + 1)
    if switches.reorders(texture.texture.format):
        row = reordered(row, texture.texture.format)
    r, g, b, a = row[0, x].tolist()
    return Texel(texture, (float(uv[0]), float(uv[1])), x, y, (r, g, b, a))


def game_light(
    material: Material,
    state: PhaseState,
    lighting: Lighting,
    surface: LitSurface,
) -> LightSum:
    """The light of a place on a surface."""
    paint = Paint(state.diffuse[:3], state.ambient[:3], state.specular[:3], state.power)
    own = LightTerm(_("ambient, the material's own light"), tuple(paint.ambient), "ambient")
    lights, points = lighting.lights(point_of(surface.towards_camera)), surface.points
    if material.is_lightmapped:
        own = LightTerm(_("diffuse, as a lightmap lights it"), tuple(paint.diffuse), "diffuse")
        paint, lights, points = paint.in_lightmap, (), ()
    of_vertices = surface.normals, surface.towards_eye, surface.places
    made = vertex_light(paint, lighting.scene_color, lights, *of_vertices, points)

    def mixed(values: Vector) -> Numbers:
        return _numbers(surface.weights @ values)

    names = (*LIGHTS[lighting.kind][: len(lights)], *[OF_EFFECT] * len(points))
    terms = (LightTerm(name, mixed(it)) for name, it in zip(names, made.fallen, strict=True))
    return LightSum(
        normal=mixed(surface.normals),
        terms=(own, *terms),
        total=mixed(made.total),
        scene=lighting.scene_color,
        base=mixed(made.base),
        bent=mixed(made.bent),
        highlight=mixed(made.gleams.sum(axis=0)),
        power=paint.power,
        first=mixed(made.first),
        second=mixed(made.second),
        fog=_fog(material, lighting, surface),
    )


def _fog(material: Material, lighting: Lighting, surface: LitSurface) -> FogPart | None:
    fog = lighting.fog(point_of(surface.towards_camera))
    if fog is None:
        return None
    return FogPart(surface.distance, float(fog.share(surface.distance)), hidden_color(fog, material.blend))


def _numbers(values: Vector) -> Numbers:
    return tuple(values.tolist())
