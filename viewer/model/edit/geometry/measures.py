"""Normals and bounds worked out again from vertices and triangles.

A face normal that was turned against its triangle stays so. A vertex takes the mean direction of its
triangles by their area; vertices at one position that have the same normal stay smooth together.
A sphere that encloses its vertices stays as long as the box stays. Surface area and volume of a slot follow
if most slots of the file as it was have them.

Source: spec/msh.md 3, 4, 6, 10, 12; spec/field-notes.md 2.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError
from viewer.formats.msh import triangles, vertices
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import FACES, NORMALS, SLOTS, TRIANGLES
from viewer.formats.record import Rows
from viewer.geometry.bounds import Bounds
from viewer.geometry.transforms import Doubles, Floats, Indices, Mask
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import NONE, SlotTriangles
from viewer.model.edit.geometry.vertex_tables import ComparedModels, put, rows_of, slots_of_rows
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.draws import PosedVertices
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading import Reading
from viewer.model.mesh.shown import PartChoice, PartChooser
from viewer.translation import _

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
    # Writers round in different ways; what is within some steps keeps its bytes.
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
    # The majority tells whether the face normals of this file follow the winding or the back of it.
    vote = -1.0 if np.sign(cosine).sum() < 0 else 1.0
    if not is_same:
        return np.full(count, vote)
    return np.where(np.abs(cosine) > ALIGNED, np.sign(cosine), vote)


def put_vertex_normals(draft: Draft, chosen: Mask) -> None:
    """Write the normals of the chosen vertices (v,) that have triangles with an area."""
    rows = rows_of(draft, NORMALS)
    # The direction of every row of the normals, (n, 3); NaN if it has no triangle with an area
    known = SlotTriangles.of(draft.model)
    group = _smoothing_groups(known.positions, rows)
    total = np.zeros((int(group.max(initial=-1)) + 1, 3))
    crosses = np.nan_to_num(known.crosses) * _winding(known, rows)
    # Crosses are as long as twice the area, so their sum weighs each triangle by its area.
    for corner in range(3):
        vertex = known.corners[:, corner]
        is_there = vertex < len(group)
        np.add.at(total, group[vertex[is_there]], crosses[is_there])
    size = np.linalg.norm(total, axis=1, keepdims=True)
    directions = np.divide(total, size, out=np.full_like(total, np.nan), where=size > 0)
    made = np.full((len(rows), 3), np.nan)
    made[: len(group)] = directions[group]
    chosen = chosen[: len(rows)] & np.isfinite(made).all(axis=1)
    rows["normal"][chosen] = vertices.encode_normals(made[chosen], rows["normal"][chosen, 3])
    put(draft, NORMALS, rows)


def _smoothing_groups(positions: npt.NDArray[np.float32], rows: Rows) -> Indices:
    """The number of the group of every vertex with a normal: those at one position with one normal."""
    count = min(len(positions), len(rows))
    key = np.zeros(count, np.dtype([("position", "V12"), ("normal", "V3")]))
    # Adding 0 turns -0.0 into 0.0; then equal positions have equal bytes, and 12 + 3 bytes make one key.
    key["position"] = np.ascontiguousarray(positions[:count] + np.float32(0)).view("V12").reshape(-1)
    key["normal"] = np.ascontiguousarray(rows["normal"][:count, :3]).view("V3").reshape(-1)
    _ignored, group = np.unique(key.view("V15"), return_inverse=True)
    return group.reshape(-1).astype(np.int64)


def _winding(known: SlotTriangles, rows: Rows) -> float:
    """1 if most triangles wind like the normals of their vertices, else -1."""
    first = known.corners[:, 0]
    is_there = first < len(rows)
    stored = vertices.decode_normals(rows["normal"][first[is_there]]).astype(np.float64)
    agreed = np.sign(np.nan_to_num((known.crosses[is_there] * stored).sum(axis=1))).sum()
    return -1.0 if agreed < 0 else 1.0


def turned_faces(compared: ComparedModels) -> Mask:
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
        # Written as not-less, so that a NaN on one side counts as turned.
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


def turned_vertices(compared: ComparedModels) -> Mask:
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


CLOSE: Final = 1e-5
"""Distance of stored bounds from computed ones, as a fraction of their size, that is no difference."""
ALMOST: Final = 1e-3
"""Difference of stored area and volume from computed ones, as a fraction, that is ignored."""
JUDGED: Final = 32
"""Slots that tell whether a file stores area and volume."""


@np.errstate(invalid="ignore", over="ignore")
def put_slot_bounds(draft: Draft, chosen: Mask) -> None:
    """Write the bounds of the chosen slots (s,) that have triangles."""
    rows = rows_of(draft, SLOTS)
    triangles = SlotTriangles.of(draft.model, chosen)
    is_chosen = chosen & triangles.is_filled
    low, high = triangles.boxes
    # A sphere that is larger than ours is not wrong: writers choose other centers. It stays with its box.
    is_same = (rows["aabb_min"] == low).all(axis=1) & (rows["aabb_max"] == high).all(axis=1)
    is_kept = is_same & enclosed(rows, triangles)
    rows["aabb_min"][is_chosen], rows["aabb_max"][is_chosen] = low[is_chosen], high[is_chosen]
    is_moved = is_chosen & ~is_kept
    center, radius = spheres(triangles)
    rows["sphere_center"][is_moved] = center[is_moved]
    is_other = is_moved & ~(np.abs(radius - rows["sphere_radius"]) <= CLOSE * radius)
    rows["sphere_radius"][is_other] = radius[is_other]
    _put_extents(rows, draft, triangles, is_chosen)
    put(draft, SLOTS, rows)


@np.errstate(invalid="ignore", over="ignore")
def spheres(triangles: SlotTriangles) -> tuple[Floats, Floats]:
    """The sphere around the center of the box of every slot: center (s, 3) and radius (s,).

    The radius is the smallest binary32 number that encloses all vertices; NaN for an empty slot.
    """
    low, high = triangles.boxes
    # Halves first: low + high may exceed binary32 where their mean does not.
    center = (low / 2 + high / 2).astype(np.float32)
    return center, rounded_up(triangles.reach(center))


@np.errstate(invalid="ignore")
def enclosed(rows: Rows, triangles: SlotTriangles) -> Mask:
    """Slots whose sphere holds all of their vertices, (s,)."""
    held: Mask = triangles.reach(rows["sphere_center"]) <= rows["sphere_radius"].astype(np.float64) * (
        1 + CLOSE
    )
    return held


@np.errstate(invalid="ignore", over="ignore")
def _put_extents(rows: Rows, draft: Draft, triangles: SlotTriangles, is_chosen: Mask) -> None:
    """Set area and volume of slots, each if the file as it was has it."""
    first = draft.first_model
    followed = _extents_followed(first)
    for column, values in enumerate(extents(triangles)):
        if followed[column]:
            # `opaque` is stored as words; compared as floats and written as words, others keep their bits.
            words = values.astype("<f4").view("<u4")
            is_other = ~_almost(rows["opaque"][:, column].copy().view("<f4"), values)
            rows["opaque"][is_chosen & is_other, column] = words[is_chosen & is_other]


def extents(triangles: SlotTriangles) -> tuple[Doubles, Doubles]:
    """Surface area and volume of the box of every slot, (s,) each."""
    low, high = (corner.astype(np.float64) for corner in triangles.boxes)
    return triangles.areas, np.prod(high - low, axis=1)


def _extents_followed(model: Model) -> tuple[bool, bool]:
    """Whether most of the first slots of a model store their area, and the volume of their box."""
    triangles = SlotTriangles.of(model, np.arange(len(model.slots)) < JUDGED)
    stored = model.slots["opaque"]
    followed = [
        np.count_nonzero(_almost(stored[:, column].copy().view("<f4"), values)[triangles.is_filled])
        > np.count_nonzero(triangles.is_filled) / 2
        for column, values in enumerate(extents(triangles))
    ]
    return bool(followed[0]), bool(followed[1])


@np.errstate(invalid="ignore", over="ignore")
def _almost(stored: npt.NDArray[np.float32], values: Doubles) -> Mask:
    close: Mask = np.abs(stored.astype(np.float64) - values) <= ALMOST * np.abs(values)
    return close


@np.errstate(over="ignore", invalid="ignore")
def rounded_up(values: npt.ArrayLike) -> Floats:
    """The smallest binary32 numbers that are not less."""
    exact = np.asarray(values, np.float64)
    rounded = exact.astype(np.float32)
    # Rounding to nearest may give a radius that a vertex exceeds by half a step; then the next number is
    # taken.
    return np.where(rounded < exact, np.nextafter(rounded, np.float32(np.inf)), rounded)


def posed_bounds(model: Model, reading: Reading) -> Bounds | None:
    """The box of `posed_vertices`; None if there are none."""
    found = posed_vertices(model, reading)
    return None if found is None else found.bounds


def posed_vertices(model: Model, reading: Reading) -> PosedVertices | None:
    """The vertices of what the game shows first, in the rest pose; None for a terrain."""
    if model.variant is not Variant.MODEL:
        return None
    skeleton, draws = Skeleton(model), build(model)
    drawn = draws.draws_of(PartChooser(model, draws).shown(PartChoice()).parts)
    pose = Animation(model, skeleton, reading.quaternion_order).pose(0.0)
    return draws.posed(model, pose.world, drawn)


def header_of(bounds: Bounds) -> Rows:
    """The header with the bounds of a model, one row: box, sphere around it, upright cylinder."""
    made = HEADER.new()
    row, center = made[0], bounds.center
    row["hull"] = bounds.corners
    row["sphere_center"], row["sphere_radius"] = center, bounds.diagonal / 2
    row["capsule_a"], row["capsule_b"] = (*center[:2], bounds.low[2]), (*center[:2], bounds.high[2])
    row["capsule_radius"] = np.linalg.norm(bounds.size[:2]) / 2
    return made


def put_header(draft: Draft) -> None:
    """Write the header; fields that are close to it stay. Raises `EditError` if nothing is drawn."""
    model = draft.model
    bounds = posed_bounds(model, draft.reading.reading)
    stored = model.header
    if bounds is None or stored is None:
        raise EditError(_("the model draws nothing that it could enclose"), table=HEADER.name)
    made = header_of(bounds)
    for field in HEADER.fields:
        if is_close(stored[field.name], made[0][field.name], bounds):
            made[0][field.name] = stored[field.name]
    draft.write(draft.part(HEADER.name).start, made.tobytes())


@np.errstate(invalid="ignore", over="ignore")
def is_close(stored: npt.NDArray[np.float32], made: npt.NDArray[np.float32], bounds: Bounds) -> bool:
    """Whether a stored field of the header fits the bounds."""
    away = np.abs(np.asarray(stored, np.float64) - np.asarray(made, np.float64))
    return bool((away <= CLOSE * bounds.diagonal).all())


def moved_slots(compared: ComparedModels) -> Mask:
    """Slots (s,) whose box is another one, or whose sphere held its vertices and does not any more.

    None if slots were added or removed. Slots with bounds that were changed themselves are left alone.
    """
    was, now, before, after = compared.was.slots, compared.now.slots, compared.before, compared.after
    if len(was) != len(now):
        return np.zeros(len(now), np.bool_)
    is_moved = [(old != new).any(axis=1) for old, new in zip(before.boxes, after.boxes, strict=True)]
    is_out = enclosed(was, before) & ~enclosed(now, after)
    names = ("aabb_min", "aabb_max", "sphere_center", "sphere_radius")
    is_set = np.logical_or.reduce([_differs(was[name], now[name]) for name in names])
    found: Mask = (is_moved[0] | is_moved[1] | is_out) & after.is_filled & ~is_set
    return found


def _differs(was: npt.NDArray[np.float32], now: npt.NDArray[np.float32]) -> Mask:
    # As words: -0.0 that becomes 0.0 differs, and NaN does not differ from itself.
    differs = was.view("<u4") != now.view("<u4")
    found: Mask = differs.any(axis=tuple(range(1, differs.ndim)))
    return found
