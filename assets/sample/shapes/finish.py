"""The finish of a solid: its material, its texture mapping, and its hard edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assets.sample.shapes.solids import Corners, Points, Solid

Mapping = Callable[[Points, Points], npt.NDArray[np.float64]]
"""Corners (n, 3) and unit normal (3,) of a polygon -> texture coordinates (n, 2); v grows downwards."""

TWO_SIDED = 0x0002
SEE_THROUGH = 0x0100
DOORWAY = 0x0008 | SEE_THROUGH
OPEN, SIGN = DOORWAY | 0x0040, DOORWAY | 0x0010
"""Flags of batches: hit by shots from behind; drawn last, without writing depth; the kinds of portals."""

Rect = tuple[float, float, float, float]
"""u, v of the first corner, width and height, in parts of the texture."""


@dataclass(frozen=True)
class Finish:
    """A finish.

    Parameters
    ----------
    material
        Name in the wear table.
    mapping
        Texture mapping, unless the solid has texture coordinates.
    crease
        Angle in degrees from which an edge stays hard.
    flags
        Batch flags.
    room
        Node behind a portal.
    heart
        Center of a crown of leaves: normals are tilted away from it, so that the crown is shaded as one mass.
    """

    material: str
    mapping: Mapping
    crease: float = 40.0
    flags: int = 0
    room: str = ""
    heart: tuple[float, float, float] | None = None

    def on(self, *solids: Solid) -> list[Piece]:
        """The solids with this finish."""
        return [Piece(solid, self) for solid in solids]


@dataclass(frozen=True)
class Piece:
    """A solid with its finish."""

    solid: Solid
    skin: Finish

    def mirrored(self) -> Piece:
        """The mirror image across x = 0."""
        return Piece(self.solid.mirrored(), self.skin)

    def texture_corners(self, face: int, corners: Points, normal: Points) -> npt.NDArray[np.float64]:
        """Texture coordinates of one polygon, shape (n, 2)."""
        own: tuple[Corners, ...] | None = self.solid.uvs
        return self.skin.mapping(corners, normal) if own is None else np.array(own[face])


def across(density: float, offset: tuple[float, float] = (0.0, 0.0)) -> Mapping:
    """Texture projected along the axis nearest to a polygon's normal; `density` in repeats per unit."""

    def mapping(corners: Points, normal: Points) -> npt.NDArray[np.float64]:
        flat = _flatten(corners, normal)
        laid: npt.NDArray[np.float64] = flat * density + np.array(offset)
        return laid

    return mapping


def _flatten(corners: Points, normal: Points) -> npt.NDArray[np.float64]:
    """Corners as seen from the front of the face: to the right, then down."""
    axis = int(np.argmax(np.abs(np.round(normal, 4)) * (1.0, 1.0001, 1.0002)))
    side = 1.0 if normal[axis] > 0 else -1.0
    x, y, z = corners.T
    return np.column_stack({0: (side * y, -z), 1: (-side * x, -z), 2: (x, -side * y)}[axis])


def around(repeats: float, density: float) -> Mapping:
    """Texture wrapped about the Z axis: `repeats` around, `density` repeats per unit of height."""

    def mapping(corners: Points, normal: Points) -> npt.NDArray[np.float64]:
        if abs(normal[2]) > 0.95:
            return corners[:, :2] * density
        middle = corners.mean(axis=0)
        centre = np.arctan2(middle[1], middle[0])
        turn = np.arctan2(corners[:, 1], corners[:, 0]) - centre
        turn = (turn + np.pi) % (2 * np.pi) - np.pi
        on_axis = np.hypot(corners[:, 0], corners[:, 1]) < 1e-6
        angle = centre + np.where(on_axis, 0.0, turn)
        return np.column_stack([angle / (2 * np.pi) * repeats, -corners[:, 2] * density])

    return mapping


def fitted(*rects: Rect) -> Mapping:
    """Mapping that fills each polygon with one rectangle of the texture, long sides aligned."""

    def mapping(corners: Points, normal: Points) -> npt.NDArray[np.float64]:
        flat = _flatten(corners, normal)
        low, size = flat.min(axis=0), np.ptp(flat, axis=0)
        u, v, width, height = _best(rects, size)
        parts = (flat - low) / np.maximum(size, 1e-6)
        laid: npt.NDArray[np.float64] = parts * np.array([width, height]) + np.array([u, v])
        return laid

    return mapping


def _best(rects: Sequence[Rect], size: npt.NDArray[np.float64]) -> Rect:
    """The rectangle with the nearest aspect ratio."""
    wanted = np.log(max(size[0], 1e-3) / max(size[1], 1e-3))
    return min(rects, key=lambda rect: round(abs(float(np.log(rect[2] / rect[3]) - wanted)), 6))
