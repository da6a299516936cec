"""How far the faces around a vertex turned when vertices of theirs were moved."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Doubles, Floats
from viewer.model.convert.scene import Indices

Mask = npt.NDArray[np.bool_]

UNKNOWN = np.pi / 4
"""What is taken for faces that are new: how far the faces turned that were there is not known."""


def turns(triangles: Indices, before: Floats, after: Floats, is_known: Mask, is_placed: Mask) -> Doubles:
    """The largest angle, in radians, by which a triangle of each vertex turned, (n,).

    Parameters
    ----------
    triangles
        (t, 3), numbers of vertices.
    before, after
        Positions, (n, 3).
    is_known
        Vertices whose position before is known, (n,).
    is_placed
        Vertices that did not move, (n,).
    """
    found = np.zeros(len(after))
    touched = triangles[~is_placed[triangles].all(axis=1)]
    if not len(touched):
        return found
    angle = np.maximum.reduce(
        [_angles(_frames(before, touched, edge), _frames(after, touched, edge)) for edge in range(3)]
    )
    angle[~is_known[touched].all(axis=1)] = UNKNOWN
    for corner in range(3):
        np.maximum.at(found, touched[:, corner], angle)
    return found


def _frames(positions: Floats, triangles: Indices, edge: int) -> Doubles:
    """Along an edge, across it in the triangle, and the normal of each, (t, 3, 3)."""
    points = positions[np.roll(triangles, -edge, axis=1)].astype(np.float64)
    along = _unit(points[:, 1] - points[:, 0])
    normal = _unit(np.cross(along, points[:, 2] - points[:, 0]))
    return np.stack([along, np.cross(normal, along), normal], axis=1)


def _unit(vectors: Doubles) -> Doubles:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: Doubles = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return made


def _angles(before: Doubles, after: Doubles) -> Doubles:
    """The angle of the rotation between frames; half a turn where a triangle has no area."""
    trace = np.einsum("tij,tij->t", before, after)
    is_flat = np.abs(np.einsum("tij,tij->t", before, before) - 3) > 0.5
    return np.where(is_flat, np.pi, np.arccos(np.clip((trace - 1) / 2, -1, 1)))
