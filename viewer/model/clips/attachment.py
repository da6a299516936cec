"""Attachment of an effect to a model: a node, control points, a sphere of the model, or an explosion.

Source: spec/effects.md 4, 8, 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.record import Rows
from viewer.geometry.transforms import Doubles
from viewer.model.effects.chance import Reals
from viewer.model.effects.frame import one_direction

Point = tuple[float, float, float]
ORIGIN: Final = (0.0, 0.0, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
# 0 is on 81 and 7 on 63 of the game's 144 explosions; the engine reads the others (spec/effects.md 8).
AXES_OF_NODE: Final = {0: Y, 1: X, 2: X, 3: Z}
"""Axis of an explosion in the space of its node, by its placement."""
AXES_OF_OBJECT: Final = {4: X, 5: Y, 6: Z}
"""Axis of an explosion in the space of the object, by its placement."""
OBJECT: Final = -1
"""Number that stands for the space of the whole object in place of a node."""
IDENTITY: Final[Doubles] = np.eye(4)
# One triple of the game is flat, that of `r_h_01`: it is placed about its first direction, which is our
# choice (spec/effects.md 4).
LEAST_VOLUME: Final = 1e-6
"""Volume of a box of three directions, as a fraction of their lengths, below which they lie in a plane."""


class PlacedFrame(Struct, frozen=True, eq=False):
    """The frame of an effect in the space of the model: a row for each axis (3, 3), and the place (3,)."""

    axes: Reals
    origin: Reals


class Anchor(Struct, frozen=True):
    """The thing that an effect follows.

    Attributes
    ----------
    nodes
        The node in whose space each point is, or `OBJECT`, (k,).
    positions, directions
        One, or three, of each; with no direction the axes are those of the node.
    scale
        Factor of the size.
    is_turned
        Whether directions turn with their nodes; else they are those of the object.
    """

    nodes: tuple[int, ...]
    positions: tuple[Point, ...] = (ORIGIN,)
    directions: tuple[Point, ...] = ()
    scale: float = 1.0
    is_turned: bool = True

    def frame(self, world: npt.NDArray[np.float32], placed: Doubles = IDENTITY) -> PlacedFrame | None:
        """The frame while the nodes have some matrices (n, 4, 4); None if one of the nodes does not exist.

        Parameters
        ----------
        placed
            The matrix of the whole object, (4, 4), which those of the nodes contain.
        """
        if not self.nodes or not all(OBJECT <= node < len(world) for node in self.nodes):
            return None
        matrices = [placed if it == OBJECT else world[it].astype(np.float64) for it in self.nodes]
        pairs = zip(matrices, self.positions, strict=True)
        # Of three points the middle (spec/effects.md 4).
        origin = np.mean([matrix[:3, :3] @ np.array(it) + matrix[:3, 3] for matrix, it in pairs], axis=0)
        if not self.directions:
            # The axes are the columns of a matrix, and rows here.
            return PlacedFrame(matrices[0][:3, :3].T, origin)
        turns = [(matrix if self.is_turned else placed)[:3, :3] for matrix in matrices]
        pairs = zip(turns, self.directions, strict=True)
        axes = np.array([turn @ np.array(it) for turn, it in pairs])
        lengths = np.linalg.norm(axes, axis=1)
        # One direction, or three that do not span a space.
        if len(axes) == 1 or abs(np.linalg.det(axes)) <= LEAST_VOLUME * np.prod(lengths):
            axes = one_direction(axes[0])
        return PlacedFrame(axes, origin)


def on_points(points: Rows, numbers: Sequence[int]) -> Anchor | None:
    """The anchor on control points, rows of `POINT`; None if one of them does not exist.

    One point three times is one direction, as are three points with equal directions.
    """
    if not numbers or not all(0 <= it < len(points) for it in numbers):
        return None
    # 690 actions of the game name one point three times.
    chosen = points[list(dict.fromkeys(numbers)) if len(set(numbers)) == 1 else list(numbers)]
    return Anchor(
        tuple(chosen["nodes"][:, 0].tolist()),
        tuple(map(_point, chosen["position"].tolist())),
        tuple(map(_point, chosen["direction"].tolist())),
    )


def on_sphere(center: Point, radius: float) -> Anchor:
    """The anchor on a sphere of the object, scaled by its radius."""
    return Anchor((OBJECT,), (center,), scale=radius)


def at_explosion(node: int, center: Point, radius: float, placement: int) -> Anchor:
    """The anchor in the middle of the bounding sphere of a node, about the axis of a placement.

    The normal of the face struck, placement 7, is not known here: the node's y axis stands for it.
    """
    of_object = AXES_OF_OBJECT.get(placement)
    axis = of_object or AXES_OF_NODE.get(placement, Y)
    return Anchor((node,), (center,), (axis,), radius, is_turned=of_object is None)


def _point(values: Sequence[float]) -> Point:
    x, y, z = values
    return x, y, z
