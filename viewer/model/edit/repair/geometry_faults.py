"""Faults of geometry: positions, bounds, neighbor links.

Source: spec/msh.md 11 (V16, V19, V20).
"""

from __future__ import annotations

import numpy as np

from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import POSITIONS, TRIANGLES
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.bounds import CLOSE, enclosed, put_header, put_slot_bounds
from viewer.model.edit.geometry.links import broken_rows, put_broken_links
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.edit.geometry.table_rows import put, rows_of
from viewer.model.mesh.model import Variant


def mend_links(draft: Draft) -> None:
    """Set links to no descriptor, or to one that shares no edge, to the neighbor or to none (V16)."""
    if draft.model.has(TRIANGLES) and draft.model.variant is not Variant.TERRAIN:
        put_broken_links(draft, broken_rows(draft.model))


def mend_positions(draft: Draft) -> None:
    """Set components of positions that are not finite to 0, as they are shown (V20)."""
    rows = rows_of(draft, POSITIONS)
    is_finite = np.isfinite(rows["position"]).all(axis=1, keepdims=True)
    rows["position"] = np.where(is_finite, rows["position"], 0)
    put(draft, POSITIONS, rows)


@np.errstate(invalid="ignore", over="ignore")
def mend_bounds(draft: Draft) -> None:
    """Set the bounds of slots whose box is not that of their vertices, or whose sphere is too small (V19)."""
    slots, triangles = draft.model.slots, SlotTriangles.of(draft.model)
    low, high = triangles.boxes
    reach = CLOSE * (1 + np.abs(high - low).max(axis=1, initial=0, keepdims=True))
    fits = (np.abs(slots["aabb_min"] - low) <= reach) & (np.abs(slots["aabb_max"] - high) <= reach)
    is_sound = fits.all(axis=1) & enclosed(slots, triangles) & (slots["sphere_radius"] >= 0)
    put_slot_bounds(draft, ~is_sound)


def mend_header(draft: Draft) -> None:
    """Set the header, if it has numbers that are not finite, to the bounds of the rest pose (V20)."""
    header = draft.model.header
    if header is not None and not all(np.isfinite(header[field.name]).all() for field in HEADER.fields):
        put_header(draft)
