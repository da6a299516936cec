"""Matrices: the only module that uses pyrr and defines the convention.

Column vectors, row-major arrays, translation in the fourth column, right-handed, Z up: the
engine's own layout (spec/animation.md 5). pyrr uses row vectors, so its results are transposed.
Names say direction: ``world_from_node`` takes node space to world space.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float64]
"""A matrix or an array of matrices, (..., 4, 4) or (..., 3, 3)."""
Vector = npt.ArrayLike
Point = tuple[float, float, float]
_LOCKED = 1e-6
"""Cosine of the second of three angles below which the first and the third turn around the same axis."""


def point_of(values: Vector) -> Point:
    """Three numbers as a plain value."""
    x, y, z = np.asarray(values, np.float64).tolist()
    return x, y, z


def perspective(field_of_view: float, aspect: float, near: float, far: float) -> Matrix:
    """``clip_from_view`` with a vertical field of view in radians, shape (4, 4)."""
    degrees = np.degrees(field_of_view)
    return _transposed(_pyrr().create_perspective_projection(degrees, aspect, near, far, dtype=np.float64))


def orthographic(height: float, aspect: float, near: float, far: float) -> Matrix:
    """``clip_from_view`` of an orthographic projection `height` units high, shape (4, 4)."""
    half_y = height / 2
    half_x = half_y * aspect
    return _transposed(
        _pyrr().create_orthogonal_projection(-half_x, half_x, -half_y, half_y, near, far, dtype=np.float64)
    )


def inverse(matrix: npt.NDArray[np.floating]) -> Matrix:
    """The inverse in double precision, shape (4, 4); raises `numpy.linalg.LinAlgError` if singular."""
    return np.linalg.inv(np.asarray(matrix, np.float64))


def translation(offset: Vector) -> Matrix:
    """A pure translation, shape (4, 4)."""
    return _transposed(_pyrr().create_from_translation(np.asarray(offset, np.float64), dtype=np.float64))


def transform_points(matrix: npt.NDArray[np.floating], points: npt.ArrayLike) -> npt.NDArray[np.floating]:
    """Points (n, 3) through an affine matrix (4, 4) or one matrix per point (n, 4, 4)."""
    points = np.asarray(points)
    rotated: npt.NDArray[np.floating] = np.einsum("...ij,...j->...i", matrix[..., :3, :3], points)
    return rotated + matrix[..., :3, 3]


def rotation(degrees: Vector) -> Matrix:
    """A rotation around the fixed axes x, then y, then z by angles (3,) in degrees, shape (4, 4)."""
    (sx, sy, sz), (cx, cy, cz) = (
        turn(np.radians(np.asarray(degrees, np.float64))) for turn in (np.sin, np.cos)
    )
    matrix = np.eye(4)
    matrix[:3, :3] = (
        (cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz),
        (cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz),
        (-sy, sx * cy, cx * cy),
    )
    return matrix


def angles(matrix: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """The angles (..., 3) in degrees that `rotation` makes rotations (..., 3, 3) or 4x4 of, y in -90..90.

    Where y is 90 or -90 only the difference of the others counts; x is 0 then.
    """
    m = np.moveaxis(np.asarray(matrix, np.float64), (-2, -1), (0, 1))
    # The first column is (cos y cos z, cos y sin z, -sin y): its horizontal part is cos y, 0 at y = 90.
    horizontal = np.hypot(m[0, 0], m[1, 0])
    is_locked = horizontal < _LOCKED
    x = np.where(is_locked, 0.0, np.arctan2(m[2, 1], m[2, 2]))
    z = np.where(is_locked, np.arctan2(-m[0, 1], m[1, 1]), np.arctan2(m[1, 0], m[0, 0]))
    found: npt.NDArray[np.float64] = np.stack([x, np.arctan2(-m[2, 0], horizontal), z], axis=-1)
    return np.degrees(found)


def nearest_rotation(matrix: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """The unit quaternion w, x, y, z, w >= 0, of the rotation nearest to a matrix (3, 3) or (4, 4).

    It turns column vectors actively: the matrix of the quaternion is the one given.
    """
    (a, b, c), (d, e, f), (g, h, i) = np.asarray(matrix, np.float64)[:3, :3].tolist()
    # Bar-Itzhack: of this symmetric matrix (Davenport's K) the eigenvector of the largest eigenvalue is the
    # quaternion whose rotation comes nearest; eigh sorts the values in ascending order.
    quality = np.array(
        [
            (a + e + i, h - f, c - g, d - b),
            (h - f, a - e - i, b + d, c + g),
            (c - g, b + d, e - a - i, f + h),
            (d - b, c + g, f + h, i - a - e),
        ]
    )
    best: npt.NDArray[np.float64] = np.linalg.eigh(quality)[1][:, -1]
    return best if best[0] >= 0 else -best


def project_points(matrix: npt.NDArray[np.floating], points: npt.ArrayLike) -> npt.NDArray[np.floating]:
    """Clip coordinates (n, 4) of points (n, 3); before the division by w."""
    points = np.asarray(points)
    homogeneous: npt.NDArray[np.floating] = points @ matrix[:, :3].T
    return homogeneous + matrix[:, 3]


@cache
def _pyrr() -> Any:
    """The matrix functions of pyrr, imported on first use: verbs without drawing start faster."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of "\*" in its docstrings, since Python 3.12
        from pyrr import matrix44  # noqa: PLC0415

    return matrix44


def _transposed(matrix: npt.NDArray[np.float64]) -> Matrix:
    return np.ascontiguousarray(matrix.T)
