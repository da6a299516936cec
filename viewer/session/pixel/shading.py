"""The color of a pixel taken apart: the texel that it shows, and what each light adds in the game's look.

Texels are the nearest ones of the largest level: what is on screen is filtered.

Source: spec/field-notes.md 4; spec/msh.md 4.
"""

from __future__ import annotations

from math import floor
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import NamedTuple, dataclass
from viewer.geometry.transforms import point_of
from viewer.model.material.materials import Material, TextureRef
from viewer.model.material.phases import PhaseState
from viewer.session.view.lighting import Lighting
from viewer.session.view.textures import TextureSwitches, reordered
from viewer.translation import Text, _

Vector = npt.NDArray[np.float64]
Numbers = tuple[float, ...]
LIGHTS: Final = (_("sun"), _("counter light"), _("head light"))
"""The names of `Lighting.lights`."""


@dataclass(frozen=True, slots=True)
class Texel:
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


class LightTerm(NamedTuple):
    """What one light adds, red, green and blue; `field` of the phase is all of it, if there is one."""

    name: Text
    color: Numbers
    field: str = ""


@dataclass(frozen=True, slots=True)
class LightSum:
    """The light of a surface in the game's look.

    Attributes
    ----------
    normal
        The unit normal that it is computed with, world space.
    terms
        What is added up.
    color
        The sum, clamped to 0 to 1.
    """

    normal: Numbers
    terms: tuple[LightTerm, ...]
    color: Numbers

    def times(self, *texels: Texel | None) -> Numbers:
        """The color of the surface with its texels, 0 to 1."""
        color = np.array(self.color)
        for texel in texels:
            color = color if texel is None else color * np.array(texel.color[:3]) / 255
        return tuple(color.tolist())


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
    material: Material, state: PhaseState, lighting: Lighting, normal: Vector, towards_eye: Vector
) -> LightSum:
    """The light of a surface with a normal (3,); `towards_eye` is against the direction of the view."""
    diffuse = np.array(state.diffuse[:3])
    terms = [LightTerm(_("scene"), (lighting.scene,) * 3)]
    if material.is_lightmapped:
        terms.append(LightTerm(_("diffuse, as a lightmap lights it"), tuple(state.diffuse[:3]), "diffuse"))
    else:
        terms.append(LightTerm(_("ambient, the material's own light"), tuple(state.ambient[:3]), "ambient"))
        for name, light in zip(LIGHTS, lighting.lights(point_of(towards_eye)), strict=False):
            facing = max(float(normal @ np.array(light.towards)), 0.0)
            terms.append(LightTerm(name, tuple((facing * np.array(light.color) * diffuse).tolist())))
    total = np.clip(np.sum([term.color for term in terms], axis=0), 0, 1)
    return LightSum(tuple(normal.tolist()), tuple(terms), tuple(total.tolist()))
