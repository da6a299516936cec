"""An eye that looks at a point."""

from __future__ import annotations

import numpy as np

from viewer.geometry.transforms import Matrix, Vector


def look_at(eye: Vector, target: Vector, up: Vector) -> Matrix:
    """``view_from_world`` of an eye looking at a target: -Z forward, +Y up, shape (4, 4)."""
    position = np.asarray(eye, np.float64)
    backward = position - np.asarray(target, np.float64)
    right = np.cross(np.asarray(up, np.float64), backward)
    axes = np.array([right, np.cross(backward, right), backward])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = axes, -axes @ position
    return matrix
