"""Rays through the pixels of an image."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Matrix


def through_pixel(
    world_from_clip: Matrix, x: float, y: float, width: int, height: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Origin and unit direction, each (3,), of the ray through a pixel; x, y count from the top left."""
    device = np.array([2 * x / width - 1, 1 - 2 * y / height])
    near, far = (world_from_clip @ np.array([*device, depth, 1.0]) for depth in (-1.0, 1.0))
    origin = near[:3] / near[3]
    direction = far[:3] / far[3] - origin
    return origin, direction / np.linalg.norm(direction)
