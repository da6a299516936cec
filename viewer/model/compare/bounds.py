"""Stored bounds against those measured on the vertices: boxes and spheres of slots, hull, sphere, cylinder.

What is measured is what recomputing would write. A sphere or a cylinder differs only if it does not hold its
vertices: another one that does is not wrong, as writers choose other centers.

Source: spec/msh.md 3, 6; spec/field-notes.md 2.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.msh.slots import HEADER, SLOT
from viewer.geometry.bounds import Bounds
from viewer.geometry.transforms import Floats, Mask
from viewer.model.edit.geometry import measures
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.mesh.draws import Draws, part_bounds
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import Reading


class BoundsDifference(Struct, frozen=True):
    """A stored bound that is not as measured.

    Attributes
    ----------
    table, row, field
        Its place; row 0 for the header.
    stored, measured
        Its numbers, model units; those of a slot in the space of its node, those of the header at time 0.
    away
        The largest distance between two of them; infinite if a stored one is not finite.
    """

    table: str
    row: int
    field: str
    stored: tuple[float, ...]
    measured: tuple[float, ...]
    away: float


# Keyed by the model, which never changes, and gone with it. One reading of each is kept: the one that is
# shown.
_KNOWN: WeakKeyDictionary[Model, tuple[Reading, tuple[BoundsDifference, ...]]] = WeakKeyDictionary()


def bounds_differences(model: Model, reading: Reading) -> tuple[BoundsDifference, ...]:
    """The stored bounds of a model that are not as measured, the header first; kept for the model."""
    known = _KNOWN.get(model)
    if known is None or known[0] != reading:
        known = reading, (*_of_header(model, reading), *_of_slots(model))
        _KNOWN[model] = known
    return known[1]


@np.errstate(invalid="ignore", over="ignore")
def measured_header(model: Model, reading: Reading) -> np.void | None:
    """The header with the bounds of the vertices at time 0; None without a header or vertices.

    A field that is close to the stored one has its value. So have all fields of a sphere that holds the
    vertices, and of a cylinder from the bottom to the top whose radius in x and y holds them.
    """
    stored, posed = model.header, None if model.header is None else measures.posed_vertices(model, reading)
    bounds = None if posed is None else posed.bounds
    if bounds is None or posed is None or stored is None:
        return None
    made: np.void = measures.header_of(bounds)[0]
    fits = {it.name for it in HEADER.fields if measures.is_close(stored[it.name], made[it.name], bounds)}
    # Relative to the model: stored bounds are float32, of which a large model has few decimals.
    near = measures.CLOSE * bounds.diagonal
    if posed.reach(stored["sphere_center"]) <= stored["sphere_radius"] + near:
        fits |= {"sphere_center", "sphere_radius"}
    # The axis is upright, so its ends say bottom and top by z alone; x and y are where the writer put it.
    ends = [float(stored[name][2]) for name in ("capsule_a", "capsule_b")]
    spans_height = np.abs(np.array(ends) - (bounds.low[2], bounds.high[2])).max() <= near
    if spans_height and posed.reach(stored["capsule_a"], axes=2) <= stored["capsule_radius"] + near:
        fits |= {"capsule_a", "capsule_b", "capsule_radius"}
    for name in fits:
        made[name] = stored[name]
    return made


def _of_header(model: Model, reading: Reading) -> list[BoundsDifference]:
    made, stored = measured_header(model, reading), model.header
    if made is None or stored is None:
        return []
    return [
        _difference(HEADER.name, 0, field.name, stored[field.name], made[field.name])
        for field in HEADER.fields
        if not np.array_equal(stored[field.name], made[field.name])
    ]


class JoinedBounds(Struct, frozen=True):
    """The box of several slots in world space.

    Attributes
    ----------
    stored
        Around the stored boxes; for slots whose box cannot be used around their vertices.
    measured
        Around the vertices.
    """

    stored: Bounds
    measured: Bounds

    @property
    def outside(self) -> float:
        """Distance of vertices from the stored box, model units; 0 if it holds them all."""
        over = max((self.stored.low - self.measured.low).max(), (self.measured.high - self.stored.high).max())
        return max(0.0, float(over))


def joined_bounds(model: Model, draws: Draws, world: Floats, chosen: Mask) -> JoinedBounds | None:
    """The box of some draws (d,), like those of a node and all below it; None if they have no vertices.

    `world` is ``world_from_node``, (n, 4, 4).
    """
    parts = np.zeros(len(draws.parts), np.bool_)
    parts[draws.part[chosen]] = True
    stored, measured = part_bounds(draws, world, parts), draws.posed_bounds(model, world, chosen)
    return None if stored is None or measured is None else JoinedBounds(stored, measured)


class MeasuredSlots(Struct, frozen=True, eq=False):
    """Boxes and spheres of all slots around their vertices; not finite for an empty slot.

    Attributes
    ----------
    low, high, center, radius
        The box (s, 3) and the sphere (s, 3), (s,) that recomputing would write.
    has_other_box, has_other_sphere
        Slots whose stored box differs, and whose stored sphere does not hold the vertices, (s,) bool.
    """

    low: Floats
    high: Floats
    center: Floats
    radius: Floats
    has_other_box: Mask
    has_other_sphere: Mask

    @classmethod
    @np.errstate(invalid="ignore", over="ignore")
    def of(cls, model: Model) -> MeasuredSlots:
        """Measure the slots of a model."""
        rows, triangles = model.slots, SlotTriangles.of(model)
        (low, high), (center, radius) = triangles.boxes, measures.spheres(triangles)
        near = measures.CLOSE * np.linalg.norm(high.astype(np.float64) - low, axis=1)
        # Written as not-less, so that a stored NaN counts as a difference.
        is_other = ~(_away(rows["aabb_min"], low) <= near) | ~(_away(rows["aabb_max"], high) <= near)
        filled = triangles.is_filled
        return cls(low, high, center, radius, filled & is_other, filled & ~measures.enclosed(rows, triangles))


def _of_slots(model: Model) -> list[BoundsDifference]:
    rows, made = model.slots, MeasuredSlots.of(model)
    found: list[BoundsDifference] = []
    for row in _rows(made.has_other_box):
        for name, corner in (("aabb_min", made.low[row]), ("aabb_max", made.high[row])):
            if not np.array_equal(rows[name][row], corner):
                found.append(_difference(SLOT.name, row, name, rows[name][row], corner))
    for row in _rows(made.has_other_sphere):
        stored = np.append(rows["sphere_center"][row], rows["sphere_radius"][row])
        # A sphere is one thing of four numbers, said at its radius.
        ball = np.append(made.center[row], made.radius[row])
        found.append(_difference(SLOT.name, row, "sphere_radius", stored, ball))
    return sorted(found, key=lambda it: it.row)


def _away(stored: npt.NDArray[np.float32], made: Floats) -> npt.NDArray[np.float64]:
    """The largest distance of a coordinate of some points (s, 3), (s,)."""
    # In float64: the difference of two float32 of one size would be rounded as coarsely as they are.
    away: npt.NDArray[np.float64] = np.abs(stored.astype(np.float64) - made).max(axis=1, initial=0)
    return away


def _rows(chosen: npt.NDArray[np.bool_]) -> list[int]:
    rows: list[int] = np.flatnonzero(chosen).tolist()
    return rows


@np.errstate(invalid="ignore", over="ignore")
def _difference(
    table: str, row: int, field: str, stored: npt.ArrayLike, measured: npt.ArrayLike
) -> BoundsDifference:
    """The difference of two bounds of the same shape."""
    one, other = (np.asarray(values, np.float64).ravel() for values in (stored, measured))
    away = float(np.abs(one - other).max(initial=0))
    distance = away if np.isfinite(away) else float("inf")
    return BoundsDifference(table, row, field, tuple(one.tolist()), tuple(other.tolist()), distance)
