"""The bounds of slots and of the whole model, worked out again.

A sphere that encloses its vertices stays as long as the box stays. Surface area and volume of a slot follow
if most slots of the file as it was have them.

Source: spec/msh.md 3, 12; spec/field-notes.md 2.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import SLOTS
from viewer.formats.record import Rows
from viewer.geometry.bounds import Bounds
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import Doubles, Floats, Mask, SlotTriangles
from viewer.model.edit.geometry.table_rows import put, rows_of
from viewer.model.edit.geometry.touched import Compared
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import Reading
from viewer.model.mesh.shown import PartChoice, PartChooser
from viewer.model.mesh.skeleton import Skeleton
from viewer.translation import Sentence

CLOSE: Final = 1e-5
"""Distance of stored bounds from computed ones, as a fraction of their size, that is no difference."""
ALMOST: Final = 1e-3
"""The same for area and volume."""
JUDGED: Final = 32
"""Slots that tell whether a file stores area and volume."""


@np.errstate(invalid="ignore", over="ignore")
def put_slot_bounds(draft: Draft, chosen: Mask) -> None:
    """Write the bounds of the chosen slots (s,) that have triangles."""
    rows = rows_of(draft, SLOTS)
    triangles = SlotTriangles.of(draft.model, chosen)
    is_chosen = chosen & triangles.is_filled
    low, high = triangles.boxes
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
    return np.where(rounded < exact, np.nextafter(rounded, np.float32(np.inf)), rounded)


def posed_bounds(model: Model, reading: Reading) -> Bounds | None:
    """The box of what the game shows first, in the rest pose; None if that is nothing, or for a terrain."""
    if model.variant is not Variant.MODEL:
        return None
    skeleton, draws = Skeleton(model), build(model)
    drawn = draws.draws_of(PartChooser(model, draws).shown(PartChoice()).parts)
    pose = Animation(model, skeleton, reading.quaternion_order).pose(0.0)
    return draws.posed_bounds(model, pose.world, drawn)


def header_of(bounds: Bounds) -> Rows:
    """The header with the bounds of a model, one row: box, sphere around it, capsule."""
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
        raise EditError(Sentence("the model draws nothing that it could enclose"), table=HEADER.name)
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


def moved_slots(compared: Compared) -> Mask:
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
    differs = was.view("<u4") != now.view("<u4")
    found: Mask = differs.any(axis=tuple(range(1, differs.ndim)))
    return found
