"""The normals of vertices in files without normals, around which triangles were edited.

Such a file says nothing of the normals of a model: they stay as they are where its triangles do. Around a
triangle that is new or has a corner elsewhere they are computed from the faces, as smooth as they were: what
had one normal at one place has one again.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from viewer.geometry.transforms import Indices, Mask
from viewer.model.convert.importing import identity
from viewer.model.convert.importing.vertices import NONE, Compared, Vertices
from viewer.model.convert.motion.rotations import unit
from viewer.model.convert.scene import NEW
from viewer.model.convert.shapes import corner_normals


def with_face_normals(compared: Compared, known: Vertices) -> tuple[Vertices, int]:
    """The vertices of a file with the normals that it does not have, and how many of them are computed.

    They are NaN for vertices that keep those of their rows.

    Parameters
    ----------
    known
        The vertices of the model.
    """
    given = compared.given
    is_open = ~given.has_normals
    if not is_open.any():
        return given, 0
    is_edited = np.zeros(len(given), np.bool_)
    is_edited[given.triangles[_is_edited(compared, known)]] = True
    is_edited &= is_open
    group = _groups(compared, known)
    points = given.positions.astype(np.float64)[given.triangles]
    sums = np.zeros((int(group.max()) + 1, 3))
    # `add.at`, as a group has many corners: a plain += would count each group once.
    np.add.at(sums, group[given.triangles].reshape(-1), corner_normals(points)[1])
    computed = unit(sums).astype(np.float32)[group]
    # A new vertex has the normal that the reader computed, by smoothing groups or of its face.
    is_read = ~np.isnan(given.normals).any(axis=1) & (compared.rows == NEW)
    made = np.where(is_read[:, None], given.normals, computed)
    made = np.where(is_edited[:, None], made, np.float32(np.nan))
    normals = np.where(is_open[:, None], made, given.normals)
    return replace(given, normals=normals), int(is_edited.sum())


def _is_edited(compared: Compared, known: Vertices) -> Mask:
    """The triangles that the model does not have with these corners at these places, (t,) bool."""
    triangles = compared.given.triangles
    is_known: Mask = np.asarray(compared.is_placed[triangles].all(axis=1))
    found = identity.pairs(known.rows[known.triangles], compared.rows[triangles[is_known]]).of_given
    is_known[np.flatnonzero(is_known)[found == NONE]] = False
    return np.asarray(~is_known)


def _groups(compared: Compared, known: Vertices) -> Indices:
    """A number for all vertices of a mesh with one normal: those of one place and normal before, (n,)."""
    given, rows = compared.given, compared.rows
    vertex = np.zeros(int(known.rows.max(initial=0)) + 1, np.int64)
    vertex[known.rows] = np.arange(len(known))
    at = vertex[np.where(rows == NEW, 0, rows)]
    values = np.hstack([known.positions, known.normals]).astype(np.float32)
    alike = np.unique(np.nan_to_num(values), axis=0, return_inverse=True)[1].reshape(-1)
    # New vertices have a group each, behind those of rows.
    own = np.where(rows == NEW, int(alike.max(initial=0)) + 1 + np.arange(len(rows)), alike[at])
    return identity.combined([own, given.mesh])
