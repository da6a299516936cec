"""The camera: position of the eye, and its movement by mouse and view keys.

World space is Z up and right-handed, and models face +Y (field-notes.md 3). At yaw 0 the eye is at +Y and
looks along -Y, at the front; a positive yaw moves it to +X, the right side of the model, a positive pitch
upwards. Uses float64.
"""

from __future__ import annotations

import math
from enum import StrEnum
from math import atan, atan2, cos, hypot, pi, radians, sin, tan
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry import transforms
from viewer.geometry.transforms import Point, point_of
from viewer.options import Lifetime, MenuEntry, Option
from viewer.translation import _
from viewer.typed_json import Limits

if TYPE_CHECKING:
    from viewer.geometry.bounds import SupportShape
    from viewer.geometry.transforms import Matrix

Direction = tuple[int, int, int]
"""Towards a side, or between two or three of them: -1, 0 or 1 along each axis."""
FAR: Final = 1e9
"""Coordinates and times of state links are smaller than this."""
Coordinate = Annotated[float, Limits(FAR, -FAR)]
Size = tuple[int, int]
"""Width and height of an image, pixels."""

FILL: Final = (0.9, 0.8)
"""Share of the width and of the height of the image that a framed shape takes, whichever is reached first."""
NEAREST: Final = 1e-4
AHEAD: Final = 0.5
"""Distance of the point that an eye inside a model turns around, model units."""
FARTHEST: Final = 1e7


class Side(StrEnum):
    """Side of the model that the eye is at in the six views along an axis."""

    FRONT = "front"
    BACK = "back"
    RIGHT = "right"
    LEFT = "left"
    TOP = "top"
    BOTTOM = "bottom"


DIRECTIONS: Final[dict[Side, Direction]] = {
    Side.FRONT: (0, 1, 0),
    Side.BACK: (0, -1, 0),
    Side.RIGHT: (1, 0, 0),
    Side.LEFT: (-1, 0, 0),
    Side.TOP: (0, 0, 1),
    Side.BOTTOM: (0, 0, -1),
}
"""Direction of the eye in each view, as seen from the target."""


FORWARD: Final = Side.BACK
"""The side from which the eye looks along +Y, where models face."""


class Camera(Struct, frozen=True):
    """An eye on a sphere around its target.

    Parameters
    ----------
    target
        Point that the camera looks at, world space.
    distance
        From the eye to the target, model units.
    yaw, pitch
        Direction of the eye as seen from the target, radians; pitch within +-pi / 2.
    field_of_view
        Vertical, radians; an orthographic projection shows the same height at the target.
    is_orthographic
        Orthographic projection.
    reach
        Radius of the scene, model units; sets the far plane.
    planes
        Distances of the near and the far plane from the eye, model units; None to fit the scene.
    """

    target: Annotated[
        tuple[Coordinate, Coordinate, Coordinate], Option(lasts=Lifetime.TAB, link="target")
    ] = (
        0.0,
        0.0,
        0.0,
    )
    distance: Annotated[float, Limits(FAR, 1e-9), Option(lasts=Lifetime.TAB, link="distance")] = 10.0
    yaw: Annotated[float, Limits(1e6, -1e6), Option(lasts=Lifetime.TAB, link="yaw")] = radians(35)
    pitch: Annotated[float, Limits(pi / 2, -pi / 2), Option(lasts=Lifetime.TAB, link="pitch")] = radians(22)
    field_of_view: Annotated[float, Limits(pi - 1e-3, 1e-3), Option(lasts=Lifetime.TAB, link="fov")] = (
        radians(40)
    )
    is_orthographic: Annotated[
        bool,
        Option(
            _("Orthographic"),
            lasts=Lifetime.TAB,
            stored="is_orthographic",
            link="ortho",
            action=MenuEntry("view.orthographic", "5", "view.camera"),
        ),
    ] = False
    reach: float = 10.0
    planes: tuple[float, float] | None = None

    @property
    def axes(self) -> npt.NDArray[np.float64]:
        """Right, up and backward (towards the eye) in world space: unit rows, shape (3, 3)."""
        sin_yaw, cos_yaw = sin(self.yaw), cos(self.yaw)
        sin_pitch, cos_pitch = sin(self.pitch), cos(self.pitch)
        right = (-cos_yaw, sin_yaw, 0.0)
        up = (-sin_yaw * sin_pitch, -cos_yaw * sin_pitch, cos_pitch)
        backward = (sin_yaw * cos_pitch, cos_yaw * cos_pitch, sin_pitch)
        return np.array([right, up, backward])

    @property
    def eye(self) -> npt.NDArray[np.float64]:
        """Position in world space, shape (3,)."""
        eye: npt.NDArray[np.float64] = np.asarray(self.target) + self.axes[2] * self.distance
        return eye

    @property
    def half_height(self) -> float:
        """Half the visible height at the target, model units."""
        return self.distance * tan(self.field_of_view / 2)

    def height_at(self, point: npt.ArrayLike) -> float:
        """The height that the image shows at the distance of a point from the eye, model units."""
        if self.is_orthographic:
            return 2 * self.half_height
        distance = float(np.linalg.norm(self.eye - np.asarray(point)))
        return 2 * distance * tan(self.field_of_view / 2)

    @property
    def view_from_world(self) -> Matrix:
        """World space to eye space (-Z forward, +Y up), shape (4, 4)."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes
        matrix[:3, 3] = -self.axes @ self.eye
        return matrix

    def clip_from_view(self, aspect: float) -> Matrix:
        """Eye space to clip space for a viewport of width / height `aspect`, shape (4, 4)."""
        far = self.distance * 10 + self.reach * 4
        if self.is_orthographic:
            return transforms.orthographic(2 * self.half_height, aspect, *(self.planes or (-far, far)))
        near, far = self.planes or (max(self.distance / 500, far / 1e5), far)
        return transforms.perspective(self.field_of_view, aspect, near, far)

    def clip_from_world(self, aspect: float) -> Matrix:
        """World space to clip space, shape (4, 4)."""
        return self.clip_from_view(aspect) @ self.view_from_world

    def orbit(self, yaw: float, pitch: float) -> Camera:
        """Rotate around the target by angles in radians; pitch is clamped at the poles."""
        turned = (self.yaw + yaw + pi) % (2 * pi) - pi  # -pi to below pi: 3/2 pi becomes -pi/2
        return replace(self, yaw=turned, pitch=min(max(self.pitch + pitch, -pi / 2), pi / 2))

    def pan(self, right: float, up: float) -> Camera:
        """Move eye and target parallel to the view plane, in viewport heights."""
        offset = np.array([right, up]) * 2 * self.half_height @ self.axes[:2]
        return replace(self, target=point_of(self.target + offset))

    def zoom(self, factor: float, x: float = 0.0, y: float = 0.0, aspect: float = 1.0) -> Camera:
        """Multiply the distance; the point under the cursor at the target's depth keeps its position.

        Parameters
        ----------
        factor
            Below 1 moves closer.
        x, y
            The cursor from -1 (left, bottom) to 1 (right, top).
        aspect
            Width / height of the viewport.
        """
        distance = min(max(self.distance * factor, NEAREST), FARTHEST)
        share = 1 - distance / self.distance
        offset = np.array([x * aspect, y]) * self.half_height * share @ self.axes[:2]
        return replace(self, distance=distance, target=point_of(self.target + offset))

    def frame(self, shape: SupportShape, aspect: float = 1.0, target: Point | None = None) -> Camera:
        """Look at a shape from the same direction, so close that it fills the image but for a margin.

        Parameters
        ----------
        aspect
            Width / height of the image.
        target
            Point to look at; by default the shape is in the middle of the image.
        """
        slope = tan(self.field_of_view / 2) * np.array(FILL) * (min(aspect, 1e3), 1.0)
        lean = np.zeros(2) if self.is_orthographic else slope
        axes = self.axes
        inclined = lean[:, None] * axes[2]
        sides = np.concatenate([axes[:2] + inclined, inclined - axes[:2], [axes[2], -axes[2]]])
        reach = shape.support(sides)
        near, far = reach[4], -reach[5]
        middle = np.append((reach[:2] - reach[2:4]) / 2, (near + far) / 2)
        if target is not None:
            middle = axes @ target
        spread = np.maximum(reach[:2] - middle[:2], reach[2:4] + middle[:2])
        distance = float((spread / slope).max()) - (0.0 if self.is_orthographic else float(middle[2]))
        return replace(
            self, target=target or point_of(middle @ axes), distance=min(max(distance, NEAREST), FARTHEST)
        )

    def seated(self, eye: npt.NDArray[np.float64]) -> Camera:
        """Look from a point in the same direction, and turn around a point just ahead."""
        return replace(self, target=point_of(eye - self.axes[2] * AHEAD), distance=AHEAD)

    def widened(self, before: float, after: float) -> Camera:
        """The camera for an image of another aspect, width / height, that shows all that it showed before."""
        factor = max(1.0, before / after)
        return replace(self, field_of_view=2 * atan(tan(self.field_of_view / 2) * factor))

    def towards(self, side: Side) -> Camera:
        """Look at the same target from one of the six sides."""
        return self.seen_from(DIRECTIONS[side])

    def seen_from(self, direction: Direction) -> Camera:
        """Look at the same target from a side, or from between sides.

        Seen from above +X is to the right and +Y up, as on a map.
        """
        x, y, z = direction
        return replace(self, yaw=atan2(x, y) if x or y else pi, pitch=atan2(z, hypot(x, y)))


STEPS_IN_VIEW: Final = 4
"""Fewest grid steps in the height of the view; there are up to ten times as many."""
AXES_SHARE: Final = 0.25
"""Length of the world's axes as a fraction of half the view height at the target."""


def grid_step(camera: Camera) -> float:
    """Distance between grid lines, a power of ten, model units."""
    return float(10.0 ** math.floor(grid_fineness(camera)))


def grid_fineness(camera: Camera) -> float:
    """Decimal logarithm of the exact step; its fraction is the density of the lines."""
    return math.log10(2 * camera.half_height / STEPS_IN_VIEW)


def axes_length(camera: Camera) -> float:
    """Length of the world's axes, model units."""
    return AXES_SHARE * camera.half_height
