"""View frusta as six planes, tests against them, and rays through the pixels of an image."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Matrix

Planes = npt.NDArray[np.float32]
"""Shape (6, 4): unit normal pointing inwards and offset; ``n . p + d >= 0`` inside."""


def planes(clip_from_world: npt.NDArray[np.floating]) -> Planes:
    """The six planes of a projection: left, right, bottom, top, near, far.

    A plane beyond the range of float32 has an infinite offset: nothing is outside it.
    """
    rows = np.asarray(clip_from_world, np.float64)
    # Inside, -w <= x in clip space. With rows w and x of the matrix that is (w + x) . p >= 0, the left plane.
    w = rows[3]
    raw = np.stack([w + rows[0], w - rows[0], w + rows[1], w - rows[1], w + rows[2], w - rows[2]])
    lengths = np.linalg.norm(raw[:, :3], axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        return (raw / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def holds(frustum: Planes, points: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """Mask of points (3, n) that are inside all planes."""
    distance = frustum[:, :3] @ points
    distance += frustum[:, 3:]
    inside: npt.NDArray[np.bool_] = np.logical_and.reduce(distance >= 0, axis=0)
    return inside


def meets_spheres(
    frustum: Planes, centers: npt.NDArray[np.float32], radii: npt.NDArray[np.float32]
) -> npt.NDArray[np.bool_]:
    """Mask of spheres, centers (3, n) and radii (n,), that are not wholly outside one plane."""
    distance = frustum[:, :3] @ centers
    distance += frustum[:, 3:]
    distance += radii
    inside: npt.NDArray[np.bool_] = np.logical_and.reduce(distance >= 0, axis=0)
    return inside


def meets_boxes(
    frustum: Planes, centers: npt.NDArray[np.float32], extents: npt.NDArray[np.float32]
) -> npt.NDArray[np.bool_]:
    """Mask of axis-aligned boxes, centers and half extents (3, n), that are not wholly outside one plane."""
    distance = frustum[:, :3] @ centers
    distance += frustum[:, 3:]
    distance += np.abs(frustum[:, :3]) @ extents
    inside: npt.NDArray[np.bool_] = np.logical_and.reduce(distance >= 0, axis=0)
    return inside


def through_pixel(
    world_from_clip: Matrix, x: float, y: float, width: int, height: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Origin and unit direction, each (3,), of the ray through a pixel; x, y count from the top left."""
    device = np.array([2 * x / width - 1, 1 - 2 * y / height])
    near, far = (world_from_clip @ np.array([*device, depth, 1.0]) for depth in (-1.0, 1.0))
    origin = near[:3] / near[3]
    direction = far[:3] / far[3] - origin
    return origin, direction / np.linalg.norm(direction)
