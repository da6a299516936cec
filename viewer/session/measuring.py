"""Distances and angles between points on models that were clicked, in world space and model units."""

from __future__ import annotations

from math import acos, degrees
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import Doubles, Point, inverse, point_of, transform_points
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Pose
from viewer.session.field_text import numbers_text
from viewer.session.selection import PickHit
from viewer.translation import _

MOST_POINTS: Final = 100
"""Points of one measurement; another one takes the place of the first."""
ANGLE_POINTS: Final = 3


class SurfacePoint(Struct, frozen=True, eq=False):
    """A point on a model at a pixel.

    Attributes
    ----------
    position
        World space.
    corners, vertices
        The corners of its triangle, (3, 3) world space, and their rows of Res3.
    node
        The node that it moves along with; None in a unit, where points stay where they were clicked.
    """

    position: Point
    corners: Doubles
    vertices: tuple[int, int, int]
    node: int | None = None

    @classmethod
    def of(cls, hit: PickHit, model: Model, world: npt.NDArray[np.floating], *, moves: bool) -> SurfacePoint:
        """The point of a hit; `world` is ``world_from_node`` of all nodes, (n, 4, 4)."""
        local = model.positions[list(hit.vertices)].astype(np.float64)
        corners = transform_points(world[hit.node].astype(np.float64), local).astype(np.float64)
        return cls(hit.position, corners, hit.vertices, hit.node if moves else None)

    def measured(self, corner: int | None, pose: Pose | None) -> MeasuredPoint:
        """The point to be kept: one of the corners, or the position itself."""
        place = self.position if corner is None else point_of(self.corners[corner])
        vertex = None if corner is None else self.vertices[corner]
        if self.node is None or pose is None or self.node >= len(pose.world):
            return MeasuredPoint(place, vertex=vertex)
        try:
            local = transform_points(inverse(pose.world[self.node]), place)
        except np.linalg.LinAlgError:  # a node of zero size
            return MeasuredPoint(place, vertex=vertex)
        return MeasuredPoint(place, self.node, point_of(local), vertex)


class MeasuredPoint(Struct, frozen=True):
    """A point that was clicked.

    Attributes
    ----------
    position
        Where it was then, world space.
    node, local
        The node that it moves along with, and where it is in its space; None for one that stays.
    vertex
        The vertex that it snapped to; None for a place between vertices.
    """

    position: Point
    node: int | None = None
    local: Point = (0.0, 0.0, 0.0)
    vertex: int | None = None

    def at(self, pose: Pose | None) -> Point:
        """Its position in a pose, world space."""
        if self.node is None or pose is None or self.node >= len(pose.world):
            return self.position
        return point_of(transform_points(pose.world[self.node].astype(np.float64), self.local))


class Measurement(Struct, frozen=True, eq=False):
    """Points in the order of their clicks.

    Attributes
    ----------
    points
        World space, (n, 3).
    """

    points: Doubles

    @property
    def deltas(self) -> Doubles:
        """The way from each point to the next, (n - 1, 3)."""
        return np.diff(self.points, axis=0)

    @property
    def distances(self) -> Doubles:
        """The length of each of these ways, (n - 1,)."""
        return np.asarray(np.linalg.norm(self.deltas, axis=1), np.float64)

    @property
    def angle(self) -> float | None:
        """The angle at the last point but one, degrees; None with fewer than three or equal points."""
        if len(self.points) < ANGLE_POINTS:
            return None
        before, after = -self.deltas[-2], self.deltas[-1]
        lengths = float(np.linalg.norm(before) * np.linalg.norm(after))
        if not lengths:
            return None
        # Rounding may give 1.0000000000000002.
        return degrees(acos(min(max(float(before @ after) / lengths, -1.0), 1.0)))

    def facts(self) -> dict[str, str]:
        """The numbers of the last two or three points, by what they are called."""
        if len(self.points) < 2:
            return {}
        found = {
            str(_("distance")): numbers_text(self.distances[-1]),
            str(_("dx dy dz")): numbers_text(self.deltas[-1]),
        }
        if self.angle is not None:
            found[str(_("angle"))] = f"{self.angle:.4g}°"
        if len(self.points) >= ANGLE_POINTS:
            found[str(_("all together"))] = numbers_text(self.distances.sum())
        return found

    def text(self) -> str:
        """A table for the clipboard: each point with the way and the distance from the one before."""
        lines = ["\t".join(("x", "y", "z", "dx", "dy", "dz", "distance"))]
        for row, point in enumerate(self.points.tolist()):
            numbers = [*point]
            if row:
                numbers += [*self.deltas[row - 1].tolist(), float(self.distances[row - 1])]
            lines.append("\t".join(f"{it:.6g}" for it in numbers))
        if self.angle is not None:
            lines.append(f"angle\t{self.angle:.6g}")
        return "\n".join(lines)
