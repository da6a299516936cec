"""Rays against triangles."""

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


def hit_distances(
    origin: npt.ArrayLike, direction: npt.ArrayLike, triangles: npt.NDArray[np.floating]
) -> npt.NDArray[np.float64]:
    """Distance along the ray to each triangle (n, 3, 3), infinite where it misses; both sides count."""
    corners = np.asarray(triangles, np.float64)
    start, ray = np.asarray(origin, np.float64), np.asarray(direction, np.float64)
    edge1, edge2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(ray, edge2)
    determinant = np.einsum("ij,ij->i", edge1, normal)
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = start - corners[:, 0]
        u = np.einsum("ij,ij->i", offset, normal) / determinant
        across = np.cross(offset, edge1)
        v = across @ ray / determinant
        distance = np.einsum("ij,ij->i", across, edge2) / determinant
        is_hit = (determinant != 0) & (u >= 0) & (v >= 0) & (u + v <= 1) & (distance >= 0)
    return np.where(is_hit, distance, np.inf)
