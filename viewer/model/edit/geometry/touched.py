"""Which slots changes may have touched, so that only these are measured.

Source: spec/msh.md 3, 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.formats.msh.tables import BATCHES, DRAW_LIST, FACES, INDICES, POSITIONS, SLOTS
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.model.edit.geometry.slot_triangles import Mask, SlotTriangles
from viewer.model.edit.geometry.vertex_counts import reaches
from viewer.model.mesh.model import Model, Variant

BATCH_FIELDS: Final = ("index_count", "index_start", "base_vertex")
SLOT_FIELDS: Final = ("tri_start", "tri_count", "batch_start", "batch_count")


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A model before and after changes, and the triangles of the slots that they may have touched.

    Attributes
    ----------
    was, now
        The models.
    before, after
        The triangles of the touched slots in each.
    """

    was: Model
    now: Model
    before: SlotTriangles
    after: SlotTriangles

    @classmethod
    def of(cls, was: Model, now: Model) -> Compared | None:
        """The comparison; None if no triangle can have changed."""
        if has_other_indices(was, now) or any(differs(was, now, table) for table in (FACES, DRAW_LIST)):
            return cls(was, now, SlotTriangles.of(was), SlotTriangles.of(now))
        if differs(was, now, SLOTS, SLOT_FIELDS):
            return cls(was, now, SlotTriangles.of(was), SlotTriangles.of(now))
        if not differs(was, now, POSITIONS):
            return None
        slots = _of_moved(was, now)
        return cls(was, now, SlotTriangles.of(was, slots), SlotTriangles.of(now, slots))


def _of_moved(was: Model, now: Model) -> Mask:
    """The slots with moved vertices, (s,), and those to which their descriptors are linked."""
    everything = np.ones(len(now.slots), np.bool_)
    old, new = was.rows(POSITIONS)["position"], now.rows(POSITIONS)["position"]
    if len(old) != len(new) or now.variant is Variant.TERRAIN:
        return everything
    moved = np.concatenate(([0], np.cumsum((old.view("<u4") != new.view("<u4")).any(axis=1))))
    low, high = reaches(now)
    base = now.batches["base_vertex"].astype(np.int64)
    first, last = (np.minimum(base + it, len(new)) for it in (low, high + 1))
    is_touched = np.concatenate(([0], np.cumsum((high >= 0) & (moved[last] > moved[first]))))
    start = np.minimum(now.slots["batch_start"].astype(np.int64), len(base))
    end = np.minimum(start + now.slots["batch_count"], len(base))
    return with_linked(now, is_touched[end] > is_touched[start])


def with_linked(model: Model, slots: Mask) -> Mask:
    """Some slots (s,), and those with descriptors that the descriptors of these are linked to."""
    links = model.tri_descriptors["links"]
    if not len(links) or model.variant is Variant.TERRAIN:
        return slots
    total = len(links)
    start = np.minimum(model.slots["tri_start"].astype(np.int64), total)
    end = np.minimum(start + model.slots["tri_count"], total)
    is_linked = np.zeros(total + 1, np.bool_)
    for slot in np.flatnonzero(slots).tolist():
        targets = links[start[slot] : end[slot]]
        is_linked[targets[(targets != NO_LINK) & (targets < total)]] = True
    reached = np.concatenate(([0], np.cumsum(is_linked)))
    linked: Mask = slots | (reached[end] > reached[start])
    return linked


def slots_of_rows(model: Model, rows: Mask) -> Mask:
    """The slots with some of the descriptors (n,), all slots of a terrain, (s,)."""
    if model.variant is Variant.TERRAIN or len(rows) != len(model.tri_descriptors):
        return np.ones(len(model.slots), np.bool_)
    before = np.concatenate(([0], np.cumsum(rows)))
    start = np.minimum(model.slots["tri_start"].astype(np.int64), len(rows))
    end = np.minimum(start + model.slots["tri_count"], len(rows))
    found: Mask = before[end] > before[start]
    return found


def has_other_indices(was: Model, now: Model) -> bool:
    """Whether indices or the ranges of batches differ."""
    return differs(was, now, INDICES) or differs(was, now, BATCHES, BATCH_FIELDS)


def differs(was: Model, now: Model, table: int, fields: tuple[str, ...] = ()) -> bool:
    """Whether a table has other bytes, or other values in some fields."""
    old, new = (np.frombuffer(model.payload(table), np.uint8) for model in (was, now))
    if np.array_equal(old, new):
        return False
    if len(old) != len(new) or not fields:
        return True
    rows = was.rows(table), now.rows(table)
    return any(not np.array_equal(rows[0][name], rows[1][name]) for name in fields)
