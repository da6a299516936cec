"""Colors of overlays: RGBA, straight alpha, 0 to 1."""

from __future__ import annotations

from typing import Final

from viewer.session.view.view_state import Background

Color = tuple[float, float, float, float]

X_AXIS: Final[Color] = (0.86, 0.28, 0.30, 1.0)
Y_AXIS: Final[Color] = (0.48, 0.74, 0.25, 1.0)
Z_AXIS: Final[Color] = (0.27, 0.54, 0.94, 1.0)
SELECTION: Final[Color] = (1.0, 0.62, 0.16, 1.0)
BATCH: Final[Color] = (1.0, 0.62, 0.16, 0.22)
TRIANGLE: Final[Color] = (1.0, 0.82, 0.30, 0.75)
VERTEX: Final[Color] = (1.0, 0.95, 0.55, 1.0)
FLASH: Final[Color] = (0.10, 0.88, 1.0, 1.0)
BONE_PARENT: Final[Color] = (0.98, 0.86, 0.42, 0.95)
BONE_NODE: Final[Color] = (0.90, 0.45, 0.20, 0.95)
NORMAL_ROOT: Final[Color] = (0.20, 0.55, 0.95, 0.9)
NORMAL_TIP: Final[Color] = (0.55, 0.95, 1.0, 0.9)
SLOT_BOX: Final[Color] = (0.96, 0.76, 0.28, 0.85)
SLOT_SPHERE: Final[Color] = (0.36, 0.76, 0.96, 0.40)
HEADER_HULL: Final[Color] = (0.93, 0.42, 0.80, 0.95)
HEADER_SPHERE: Final[Color] = (0.62, 0.52, 0.98, 0.55)
HEADER_CAPSULE: Final[Color] = (0.42, 0.90, 0.66, 0.80)
PORTAL: Final[Color] = (0.30, 0.72, 0.98, 0.32)
PORTAL_EDGE: Final[Color] = (0.55, 0.86, 1.0, 0.9)
EDGES: Final[Color] = (0.04, 0.05, 0.07, 0.32)

BACKDROP: Final[dict[Background, Color]] = {
    Background.DARK: (0.2, 0.2, 0.2, 1.0),
    Background.LIGHT: (0.86, 0.87, 0.88, 1.0),
    Background.TRANSPARENT: (0.0, 0.0, 0.0, 0.0),
}
WIRE: Final[dict[Background, Color]] = {
    Background.DARK: (0.82, 0.86, 0.92, 0.5),
    Background.LIGHT: (0.10, 0.13, 0.18, 0.5),
    Background.TRANSPARENT: (0.55, 0.58, 0.62, 0.7),
}
GRID_MINOR: Final[dict[Background, Color]] = {
    Background.DARK: (1.0, 1.0, 1.0, 0.16),
    Background.LIGHT: (0.0, 0.0, 0.0, 0.16),
    Background.TRANSPARENT: (0.5, 0.5, 0.5, 0.35),
}
GRID_MAJOR: Final[dict[Background, Color]] = {
    Background.DARK: (1.0, 1.0, 1.0, 0.30),
    Background.LIGHT: (0.0, 0.0, 0.0, 0.32),
    Background.TRANSPARENT: (0.5, 0.5, 0.5, 0.6),
}


def faded(color: Color, strength: float) -> Color:
    """A color with its alpha multiplied."""
    red, green, blue, alpha = color
    return red, green, blue, alpha * strength
