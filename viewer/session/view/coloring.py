"""The numbers that shading modes color, and the look of a material shown alone."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import Doubles
from viewer.model.material.materials import Material
from viewer.model.material.phases import PhaseState
from viewer.model.mesh.draws import NO_DESCRIPTOR, Draws
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.portals import PortalKind
from viewer.model.mesh.shown import ShownParts
from viewer.model.mesh.triangle_query import normal_angles
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState, has_look_of

GROUPED: Final = (
    Shading.NODE,
    Shading.BATCH,
    Shading.SLOT,
    Shading.MATERIAL,
    Shading.LOD,
    Shading.FLAG,
    Shading.NORMAL_ERROR,
)
"""Shading modes with one color per group of triangles."""
NO_GROUP: Final = -1
"""The number of triangles that belong to no group, which are gray."""
GRAY: Final = (0.78, 0.78, 0.76)
"""The color of `NO_GROUP`."""
ANGLES: Final = (0.5, 2.0, 5.0, 15.0, 45.0, 90.0)
"""Ends of the bands of angles that the heat map of normals colors, degrees; the last band has no end."""
PORTAL_COLORS: Final = {
    PortalKind.SIGN: (0.36, 0.86, 0.46),
    PortalKind.OPEN: (0.95, 0.72, 0.30),
    PortalKind.DOORWAY: (0.30, 0.72, 0.98),
}
"""The color of each kind of portal, in the image and in its legend."""
Numbers = npt.NDArray[np.int64]


def numbers(shading: Shading, model: Model, draws: Draws, material: Numbers, shown: ShownParts) -> Numbers:
    """The group of each triangle of `draws`, (t,), in a shading.

    Parameters
    ----------
    material
        The material of each draw, (d,).
    shown
        What is shown, which tells the cell of each node.
    """
    if shading is Shading.FLAG:
        return flags_of(model, draws)
    if shading is Shading.NORMAL_ERROR:
        return bands_of(normal_angles(model, draws))
    of_draw = material
    if shading is Shading.NODE:
        of_draw = draws.node
    elif shading is Shading.SLOT:
        of_draw = draws.slot
    elif shading is Shading.BATCH:
        of_draw = draws.batch
    elif shading is Shading.LOD:
        of_draw = shown.cell[draws.node]
    return np.repeat(of_draw, draws.triangle_count)


def flags_of(model: Model, draws: Draws) -> Numbers:
    """The flags of each triangle, from its descriptor or face, (t,); `NO_GROUP` if it has neither."""
    if model.variant is Variant.TERRAIN:
        return model.faces["flags"].astype(np.int64)[draws.triangle]
    stored = np.append(model.tri_descriptors["flags"].astype(np.int64), NO_GROUP)
    return np.where(draws.descriptor == NO_DESCRIPTOR, NO_GROUP, stored[draws.descriptor])


def bands_of(angles: Doubles) -> Numbers:
    """The band of each angle (t,), by `ANGLES`; `NO_GROUP` for NaN."""
    # An angle that is exactly a limit belongs to the band above it. NaN sorts behind all of them.
    bands: Numbers = np.searchsorted(ANGLES, angles, side="right").astype(np.int64)
    return np.where(np.isnan(angles), NO_GROUP, bands)


def group_color(shading: Shading, number: int) -> tuple[float, float, float]:
    """The color of a group in a shading mode, red, green and blue from 0 to 1."""
    if shading is not Shading.NORMAL_ERROR or number == NO_GROUP:
        return color(number)
    return heat(number)


def heat(number: int) -> tuple[float, float, float]:
    """The color of a band from 0, cold, to 6, hot, as in shaders/include/palette.glsl."""
    share = 2 * number / len(ANGLES)
    cold, warm, hot = np.array([(0.20, 0.50, 0.85), (0.95, 0.85, 0.25), (0.95, 0.20, 0.15)])
    mixed = cold + (warm - cold) * share if share < 1 else warm + (hot - warm) * (share - 1)
    red, green, blue = mixed.tolist()
    return red, green, blue


def color(number: int) -> tuple[float, float, float]:
    """The color of a group, red, green and blue from 0 to 1, as in shaders/include/palette.glsl."""
    if number == NO_GROUP:
        return GRAY
    mixed = np.uint32(number) ^ (np.uint32(number) >> np.uint32(16))
    single = np.float32(mixed)
    hue = np.modf(single * np.float32(0.61803399) + np.float32(0.08))[0]
    value = np.float32(0.68) + np.float32(0.22) * np.modf(single * np.float32(0.38196601))[0]
    pure = np.clip(np.abs(np.modf(hue + np.array([0, 2, 1], np.float32) / 3)[0] * 6 - 3) - 1, 0, 1)
    red, green, blue = (value * (1 + 0.52 * (pure - 1))).tolist()
    return red, green, blue


class MaterialLook(Struct, frozen=True, eq=False):
    """An image of a material: its phase and shape.

    Attributes
    ----------
    state
        Its phase.
    view
        The look of the program: textures, background, samples.
    size
        Width and height, pixels.
    yaw, pitch
        How far the ball is turned, radians.
    """

    material: Material
    state: PhaseState
    view: ViewState
    size: tuple[int, int]
    yaw: float = 0.0
    pitch: float = 0.0

    def is_like(self, other: MaterialLook | None) -> bool:
        """Whether another look gives the same image from the same textures."""
        return (
            other is not None
            and self.material is other.material
            and self.state == other.state
            and (self.size, self.yaw, self.pitch) == (other.size, other.yaw, other.pitch)
            and has_look_of(self.view, other.view)
        )
