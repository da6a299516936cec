"""Rotations as the keys of a model store them: w, x, y, z, whose matrix is that of the conjugate.

Source: spec/animation.md 5.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Doubles


def product(first: npt.ArrayLike, then: npt.ArrayLike) -> Doubles:
    """Quaternions (..., 4) of rotations followed by those of `then` in the space around them."""
    a, b = np.broadcast_arrays(np.asarray(first, np.float64), np.asarray(then, np.float64))
    w = a[..., 0] * b[..., 0] - (a[..., 1:] * b[..., 1:]).sum(axis=-1)
    vector = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w[..., None], vector], axis=-1)


def conjugate(quaternion: npt.ArrayLike) -> Doubles:
    """The opposite rotations, w, x, y, z (..., 4)."""
    opposite: Doubles = np.asarray(quaternion, np.float64) * np.array([1.0, -1.0, -1.0, -1.0])
    return opposite


def of_matrix(matrix: npt.ArrayLike) -> Doubles:
    """The quaternion (4,), of length 1 and with w from 0, whose matrix is a rotation (3, 3)."""
    m = np.asarray(matrix, np.float64)
    # Four times the products of the components; the row of the largest one is the most exact.
    products = np.array(
        [
            [1 + m[0, 0] + m[1, 1] + m[2, 2], m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0]],
            [m[1, 2] - m[2, 1], 1 + m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[2, 0] - m[0, 2], m[0, 1] + m[1, 0], 1 - m[0, 0] + m[1, 1] - m[2, 2], m[1, 2] + m[2, 1]],
            [m[0, 1] - m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1 - m[0, 0] - m[1, 1] + m[2, 2]],
        ]
    )
    row = products[int(np.argmax(np.diagonal(products)))]
    row = row / np.linalg.norm(row)
    # q and -q are the same rotation.
    found: Doubles = row if row[0] >= 0 else -row
    return found
