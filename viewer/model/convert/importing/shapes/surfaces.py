"""What a slot of the model has: its triangles in order, with batch and descriptor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.formats.msh.batches import FLAG_PORTAL
from viewer.geometry.transforms import Floats
from viewer.model.convert.scene import Indices
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.mesh.model import Model

NONE: Final = -1


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles of a slot.

    Attributes
    ----------
    corners
        Rows of vertices, (t, 3).
    batch, descriptor
        Of each, (t,).
    batches
        The batches of the slot, in order.
    centers
        Their centers, (t, 3).
    """

    corners: Indices
    batch: Indices
    descriptor: Indices
    batches: tuple[int, ...]
    centers: Floats

    @classmethod
    def of(cls, model: Model, slot: int | None) -> Surface:
        """The triangles of a slot; none without one."""
        if slot is None:
            none = np.zeros(0, np.int64)
            return cls(none.reshape(0, 3), none, none, (), np.zeros((0, 3), np.float32))
        known = SlotTriangles.of(model)
        chosen = known.slot == slot
        corners = known.corners[chosen]
        row = model.slots[slot]
        first = int(row["batch_start"])
        batches = tuple(range(first, min(first + int(row["batch_count"]), len(model.batches))))
        centers = model.positions[corners].mean(axis=1, dtype=np.float64).astype(np.float32)
        return cls(corners, known.batch[chosen], known.row[chosen], batches, centers)


def is_portal(model: Model, batch: int) -> bool:
    """Whether a batch is a doorway, which leads to a node of its own."""
    return bool(model.batches["flags"][batch] & FLAG_PORTAL)
