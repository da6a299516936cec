"""Face normals and vertex normals, worked out from the triangles.

A face normal that was turned against its triangle stays so. A vertex takes the mean direction of its
triangles by their area; vertices at one position that have the same normal stay smooth together.

Source: spec/msh.md 4, 6, 10, 12.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh import triangles, vertices
from viewer.formats.msh.tables import FACES, NORMALS, TRIANGLES
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import NONE, Doubles, Mask, SlotTriangles
from viewer.model.edit.geometry.table_rows import put, rows_of
from viewer.model.edit.geometry.touched import Compared, slots_of_rows
from viewer.model.mesh.draws import Indices
from viewer.model.mesh.model import Model, Variant

STEPS: Final = 4
"""Steps of 1/32767 between a stored component and the computed one that are no difference."""
ALIGNED: Final = 0.9
"""Cosine of the angle from which on a stored normal is that of its triangle, or of its back."""


def face_table(model: Model) -> int:
    """The table with the face normals."""
    return FACES if model.variant is Variant.TERRAIN else TRIANGLES


def put_face_normals(draft: Draft, chosen: Mask) -> None:
    """Write the normals of the chosen descriptors, or faces of a terrain (n,), that have a triangle."""
    table = face_table(draft.model)
    rows = rows_of(draft, table)
    slots = slots_of_rows(draft.model, chosen)
    triangles_now = SlotTriangles.of(draft.model, slots)
    known = np.flatnonzero(chosen)
    made = _normals_of(triangles_now, known, len(rows))
    is_known = np.isfinite(made).all(axis=1)
    known, made = known[is_known], made[is_known]
    signs = _signs(draft.first_model, slots, len(rows))
    raw = triangles.encode_normal(made * signs[known, None])
    is_other = (np.abs(raw.astype(np.int64) - rows["normal"][known]) > STEPS).any(axis=1)
    rows["normal"][known[is_other]] = raw[is_other]
    put(draft, table, rows)


def _signs(model: Model, slots: Mask, count: int) -> Doubles:
    """1 for descriptors whose normal is that of the winding, -1 for those of the back, (count,).

    Others follow the majority of the slots (s,); all do if the model had another number of them.
    """
    raw = model.rows(face_table(model))["normal"]
    is_same = len(raw) == count and len(slots) == len(model.slots)
    measured = SlotTriangles.of(model, slots if is_same else None)
    known = np.flatnonzero(measured.of_rows(len(raw)) != NONE)
    made = _normals_of(measured, known, len(raw))
    cosine = np.zeros(len(raw))
    cosine[known] = np.nan_to_num((made * triangles.decode_normal(raw[known])).sum(axis=1))
    vote = -1.0 if np.sign(cosine).sum() < 0 else 1.0
    if not is_same:
        return np.full(count, vote)
    return np.where(np.abs(cosine) > ALIGNED, np.sign(cosine), vote)


def put_vertex_normals(draft: Draft, chosen: Mask) -> None:
    """Write the normals of the chosen vertices (v,) that have triangles with an area."""
    rows = rows_of(draft, NORMALS)
    made = _smooth(draft.model, rows)
    chosen = chosen[: len(rows)] & np.isfinite(made).all(axis=1)
    rows["normal"][chosen] = vertices.encode_normals(made[chosen], rows["normal"][chosen, 3])
    put(draft, NORMALS, rows)


def _smooth(model: Model, rows: Rows) -> Doubles:
    """The direction of every row of the normals, (n, 3); NaN if it has no triangle with an area."""
    known = SlotTriangles.of(model)
    group = _smoothing_groups(known.positions, rows)
    total = np.zeros((int(group.max(initial=-1)) + 1, 3))
    crosses = np.nan_to_num(known.crosses) * _winding(known, rows)
    for corner in range(3):
        vertex = known.corners[:, corner]
        is_there = vertex < len(group)
        np.add.at(total, group[vertex[is_there]], crosses[is_there])
    size = np.linalg.norm(total, axis=1, keepdims=True)
    directions = np.divide(total, size, out=np.full_like(total, np.nan), where=size > 0)
    made = np.full((len(rows), 3), np.nan)
    made[: len(group)] = directions[group]
    return made


def _smoothing_groups(positions: npt.NDArray[np.float32], rows: Rows) -> Indices:
    """The number of the group of every vertex with a normal: those at one position with one normal."""
    count = min(len(positions), len(rows))
    key = np.zeros(count, np.dtype([("position", "V12"), ("normal", "V3")]))
    key["position"] = np.ascontiguousarray(positions[:count] + np.float32(0)).view("V12").reshape(-1)
    key["normal"] = np.ascontiguousarray(rows["normal"][:count, :3]).view("V3").reshape(-1)
    _, group = np.unique(key.view("V15"), return_inverse=True)
    return group.reshape(-1).astype(np.int64)


def _winding(known: SlotTriangles, rows: Rows) -> float:
    """1 if most triangles wind like the normals of their vertices, else -1."""
    first = known.corners[:, 0]
    is_there = first < len(rows)
    stored = vertices.decode_normals(rows["normal"][first[is_there]]).astype(np.float64)
    agreed = np.sign(np.nan_to_num((known.crosses[is_there] * stored).sum(axis=1))).sum()
    return -1.0 if agreed < 0 else 1.0


def turned_faces(compared: Compared) -> Mask:
    """Descriptors or faces (n,) whose triangle turned, and whose normal was not set.

    None if descriptors were added or removed.
    """
    was, now = compared.was, compared.now
    old, new = (model.rows(face_table(model))["normal"] for model in (was, now))
    if len(old) != len(new) or was.variant is not now.variant:
        return np.zeros(len(new), np.bool_)
    rows = np.flatnonzero(compared.after.of_rows(len(new)) != NONE)
    before, after = (_normals_of(known, rows, len(new)) for known in (compared.before, compared.after))
    is_known = np.isfinite(after).all(axis=1)
    with np.errstate(invalid="ignore"):
        is_turned = ~(np.abs(after - before) <= 1 / triangles.SCALE).all(axis=1)
    found = np.zeros(len(new), np.bool_)
    found[rows] = is_known & is_turned & (old[rows] == new[rows]).all(axis=1)
    return found


def _normals_of(known: SlotTriangles, rows: Indices, count: int) -> Doubles:
    """Unit normals by the winding of some descriptors or faces (k,) of a table, (k, 3); NaN without one."""
    of_row = known.of_rows(count)[rows]
    made = np.full((len(rows), 3), np.nan)
    made[of_row != NONE] = known.normals[of_row[of_row != NONE]]
    return made


def turned_vertices(compared: Compared) -> Mask:
    """Vertices (v,) of triangles that turned, whose normals were not set; none if vertices were added."""
    was, now, before, after = compared.was, compared.now, compared.before, compared.after
    old, new = was.rows(NORMALS)["normal"], now.rows(NORMALS)["normal"]
    found = np.zeros(now.vertex_count, np.bool_)
    if len(old) != len(new) or was.vertex_count != now.vertex_count or len(before) != len(after):
        return found
    with np.errstate(invalid="ignore"):
        is_turned = ~(np.abs(after.normals - before.normals) <= 1 / vertices.NORMAL_SCALE / 2).all(axis=1)
    is_turned &= np.isfinite(after.normals).all(axis=1)
    found[after.corners[is_turned].reshape(-1)] = True
    found[: len(new)] &= (old == new).all(axis=1)[: len(found)]
    found[len(new) :] = False
    return found
