"""From a row of a table to what has to be selected to look at it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final

import numpy as np

from viewer.formats.msh import batches, nodes, slots, triangles
from viewer.session.document import Document
from viewer.session.selection import Selection
from viewer.ui.fields.field_view import Place

Finder = Callable[[Document, int, Selection], Selection]


def reaches(document: Document, place: Place) -> bool:
    """Tell whether the place exists and can be selected."""
    counts = {
        nodes.NODE.name: document.model.node_count,
        slots.SLOT.name: len(document.model.slots),
        batches.BATCH.name: len(document.model.batches),
        triangles.TRIANGLE.name: len(document.model.tri_descriptors),
    }
    return 0 <= place.row < counts.get(place.table, 0)


def selection_at(document: Document, place: Place, now: Selection) -> Selection:
    """Return the selection that shows a place; what is selected `now` decides where several would do.

    What nothing draws is selected alone, without a node.
    """
    return _FINDERS[place.table](document, place.row, now)


def batches_at(document: Document, place: Place) -> Collection[int]:
    """Return the batches that a row is, holds or is drawn by; none for what is no geometry."""
    if not reaches(document, place):
        return ()
    if place.table == slots.SLOT.name:
        return batches_of_slot(document, place.row)
    if place.table == triangles.TRIANGLE.name:
        batch = selection_at(document, place, Selection()).batch
        return () if batch is None else (batch,)
    return (place.row,) if place.table == batches.BATCH.name else ()


def batches_of_slot(document: Document, slot: int) -> range:
    """Return the batches in a slot's range, as far as they exist."""
    row = document.model.slots[slot]
    start, count = int(row["batch_start"]), len(document.model.batches)
    return range(min(start, count), min(start + int(row["batch_count"]), count))


def users_of_slot(document: Document, slot: int) -> list[tuple[int, int, int]]:
    """Return (node, LOD, group) of every cell that names a slot."""
    found = np.argwhere(document.model.nodes["slots"] == slot)
    return [(node, lod, group) for node, lod, group in found.tolist()]


def slots_of_batch(document: Document, batch: int) -> list[int]:
    """Return the slots whose range of batches holds a batch."""
    rows = document.model.slots
    start = rows["batch_start"].astype(np.int64)
    is_inside = (start <= batch) & (batch < start + rows["batch_count"])
    return np.flatnonzero(is_inside).tolist()


def corners_of(document: Document, selection: Selection) -> tuple[int, int, int] | None:
    """Return the vertices of the selected triangle, None where none is selected."""
    if selection.triangle is None:
        return None
    found = np.flatnonzero(document.draws.triangle == selection.triangle)
    if not len(found):
        return None
    a, b, c = document.draws.corners[found[0]].tolist()
    return a, b, c


def _node(document: Document, row: int, now: Selection) -> Selection:
    del document, now
    return Selection((row,))


def _slot(document: Document, row: int, now: Selection) -> Selection:
    parts = document.draws.parts
    users = parts.node[parts.slot == row].tolist()
    return Selection(_preferred(users, now), slot=row)


def _batch(document: Document, row: int, now: Selection) -> Selection:
    found = np.flatnonzero(document.draws.batch == row).tolist()
    users = [int(document.draws.node[draw]) for draw in found]
    holders = {int(document.draws.slot[draw]) for draw in found} or set(slots_of_batch(document, row))
    slot = now.slot if now.slot in holders else min(holders, default=None)
    return Selection(_preferred(users, now), slot=slot, batch=row)


def _descriptor(document: Document, row: int, now: Selection) -> Selection:
    draws = document.draws
    found = np.flatnonzero(draws.descriptor == row)
    if not len(found):
        return Selection(descriptor=row)
    draw = int(np.searchsorted(draws.triangle_start, found[0], "right")) - 1
    batch = _batch(document, int(draws.batch[draw]), replace(now, slot=int(draws.slot[draw])))
    return replace(batch, triangle=int(draws.triangle[found[0]]), descriptor=row)


def _preferred(users: list[int], now: Selection) -> tuple[int, ...]:
    """Return the active node where it is among the users, else the first of them."""
    if now.node in users and now.node is not None:
        return (now.node,)
    return tuple(users[:1])


_FINDERS: Final[dict[str, Finder]] = {
    nodes.NODE.name: _node,
    slots.SLOT.name: _slot,
    batches.BATCH.name: _batch,
    triangles.TRIANGLE.name: _descriptor,
}
