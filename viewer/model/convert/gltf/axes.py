"""Axes of glTF: a scene has Z up, a glTF file Y up unless it was asked for otherwise.

The map is a rotation that swaps components and changes a sign, so that it is exact: x, y, z of a scene are
x, z, -y with Y up. The vector part of a rotation follows it.

Source: spec/msh.md 13.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def outward(vectors: Floats, *, is_y_up: bool) -> Floats:
    """Vectors of a scene (n, 3) as in the file; no component is a negative zero."""
    if not is_y_up:
        return vectors + np.float32(0)
    result = vectors[:, [0, 2, 1]]
    result[:, 2] *= -1
    return result + np.float32(0)


def inward(vectors: Floats, *, is_y_up: bool) -> Floats:
    """Vectors of a file (n, 3) as in a scene."""
    if not is_y_up:
        return vectors + np.float32(0)
    result = vectors[:, [0, 2, 1]]
    result[:, 1] *= -1
    return result + np.float32(0)


def rotations_outward(rotations: Floats, *, is_y_up: bool) -> Floats:
    """Rotations w, x, y, z of a scene (n, 4) as x, y, z, w of the file."""
    vector = outward(rotations[:, 1:], is_y_up=is_y_up)
    return np.concatenate([vector, rotations[:, :1]], axis=1)


def rotations_inward(rotations: Floats, *, is_y_up: bool) -> Floats:
    """Rotations x, y, z, w of a file (n, 4) as w, x, y, z of a scene."""
    vector = inward(rotations[:, :3], is_y_up=is_y_up)
    return np.concatenate([rotations[:, 3:], vector], axis=1)
