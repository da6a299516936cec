"""The projection of one frame: the uniforms that all shaders share, and the ray of a pixel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.geometry import frustum, rays, transforms
from viewer.geometry.transforms import Matrix
from viewer.render.programs import FRAME_BINDING
from viewer.render.targets import Size
from viewer.session.view.camera import Camera

FRAME_BYTES = 160
"""Size of the ``Frame`` block: two matrices, the eye, the target size, padding."""


@dataclass(frozen=True, slots=True)
class Projection:
    """The projection from world space to the pixels of one target.

    Attributes
    ----------
    view_from_world, clip_from_world
        Shape (4, 4) float64.
    eye
        Position and 1; for a parallel projection the direction towards the eye and 0. Shape (4,).
    size
        The target in pixels.
    """

    view_from_world: Matrix
    clip_from_world: Matrix
    eye: npt.NDArray[np.float64]
    size: Size

    @classmethod
    def of(cls, camera: Camera, size: Size) -> Projection:
        """The projection of a camera onto a target."""
        eye = np.append(camera.axes[2], 0.0) if camera.is_orthographic else np.append(camera.eye, 1.0)
        return cls(camera.view_from_world, camera.clip_from_world(size[0] / size[1]), eye, size)

    @property
    def frustum(self) -> frustum.Planes:
        """The six planes of the view frustum, (6, 4)."""
        return frustum.planes(self.clip_from_world)

    @property
    def towards_eye(self) -> npt.NDArray[np.float64]:
        """The direction against that of the view, a unit vector in world space, (3,)."""
        return np.asarray(self.view_from_world, np.float64)[2, :3]

    def at_pixel(self, x: float, y: float) -> Projection:
        """The same view zoomed onto the one pixel whose top left corner is `x`, `y`, counted from the top."""
        width, height = self.size
        zoom = np.diag([width, height, 1.0, 1.0])
        zoom[0, 3] = width - 2 * x - 1
        zoom[1, 3] = 2 * y + 1 - height
        return replace(self, clip_from_world=zoom @ self.clip_from_world, size=(1, 1))

    def ray(self, x: float, y: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Origin and direction, world space, each (3,), through the center of a pixel."""
        world_from_clip = transforms.inverse(self.clip_from_world)
        return rays.through_pixel(world_from_clip, x + 0.5, y + 0.5, *self.size)

    def block(self) -> bytes:
        """The bytes of the ``Frame`` block (shaders/include/frame.glsl), std140, matrices row by row."""
        parts = (self.clip_from_world, self.view_from_world, self.eye, (*self.size, 0, 0))
        return b"".join(np.asarray(part, np.float32).tobytes() for part in parts)


class FrameBlock:
    """The uniform buffer behind the ``Frame`` block; owner: the renderer, lifetime: its context."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._buffer: moderngl.Buffer = ctx.buffer(reserve=FRAME_BYTES, dynamic=True)

    def write(self, projection: Projection) -> None:
        """Write a projection to the buffer that all shaders read."""
        self._buffer.write(projection.block())
        self._buffer.bind_to_uniform_block(FRAME_BINDING)
