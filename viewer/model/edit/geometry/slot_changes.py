"""Slots added, copied and removed; the slot matrices of the nodes follow.

Source: spec/msh.md 2, 3, 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import BATCHES, INDICES, NODES, SLOTS, TABLES, TRIANGLES
from viewer.formats.msh.triangles import ALL_NONE, NO_SELECTOR
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.table_rows import refuse_terrain, replace, rows_of
from viewer.model.edit.geometry.vertex_counts import spans
from viewer.model.edit.geometry.vertex_tables import vertex_tables
from viewer.model.mesh.draws import Indices, expand
from viewer.translation import Sentence

MOST: Final = 0xFFFF
"""Slots, and first rows of a range: what a 16-bit field addresses; in the matrix this value is none."""


@dataclass(frozen=True, slots=True)
class AddSlot:
    """Add an empty slot after the last one."""

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("add a slot")

    def apply(self, draft: Draft) -> None:
        """Add it; raises `EditError` beyond 65,535 slots."""
        replace(draft, {SLOTS: _appended(rows_of(draft, SLOTS), SLOT.new())})


@dataclass(frozen=True, slots=True)
class CopySlot:
    """Add a copy of a slot after the last one.

    Parameters
    ----------
    slot
        The slot.
    has_own_geometry
        Whether its batches, triangles and vertices are copied too, so that either can be changed alone;
        else both slots show the same ones.
    """

    slot: int
    has_own_geometry: bool = False

    @property
    def words(self) -> str:
        """The slot."""
        if self.has_own_geometry:
            return Sentence("copy slot {slot} with its geometry", slot=self.slot)
        return Sentence("copy slot {slot}", slot=self.slot)

    def apply(self, draft: Draft) -> None:
        """Add it; raises `EditError` for a slot that does not exist, damaged ranges and full tables."""
        rows = rows_of(draft, SLOTS)
        _refuse_missing(rows, self.slot)
        copy = rows[self.slot : self.slot + 1].copy()
        made = _own_geometry(draft, copy) if self.has_own_geometry else {}
        replace(draft, {**made, SLOTS: _appended(rows, copy)})


@dataclass(frozen=True, slots=True)
class RemoveSlot:
    """Remove a slot; cells that show it become empty, its batches and triangles stay.

    Parameters
    ----------
    slot
        The slot.
    """

    slot: int

    @property
    def words(self) -> str:
        """The slot."""
        return Sentence("remove slot {slot}", slot=self.slot)

    def apply(self, draft: Draft) -> None:
        """Remove it and renumber the later ones; raises `EditError` for a slot that does not exist."""
        rows, nodes = rows_of(draft, SLOTS), rows_of(draft, NODES)
        _refuse_missing(rows, self.slot)
        cells = nodes["slots"].astype(np.int64)
        is_later = (cells > self.slot) & (cells < len(rows))
        nodes["slots"] = np.where(cells == self.slot, NONE, cells - is_later)
        replace(draft, {SLOTS: np.delete(rows, self.slot), NODES: nodes})


def _refuse_missing(rows: Rows, slot: int) -> None:
    if not 0 <= slot < len(rows):
        raise EditError(Sentence("there are {count} slots", count=len(rows)), table=SLOT.name, index=slot)


def _appended(rows: Rows, more: Rows, most: int = MOST, table: str = SLOT.name) -> Rows:
    count = len(rows) + len(more)
    if count > most:
        raise EditError(Sentence("{count} rows, at most {limit}", count=count, limit=most), table=table)
    return np.concatenate([rows, more])


def _own_geometry(draft: Draft, slot: Rows) -> dict[int, Rows]:
    """The tables with a copy of what a slot (1,) shows; its ranges are set to the copy."""
    refuse_terrain(draft, BATCHES)
    model = draft.model
    batches, indices = rows_of(draft, BATCHES), rows_of(draft, INDICES)
    chosen = _range(slot, "batch", len(batches))
    span = spans(model)[chosen]
    is_damaged = (span < 0) & (batches["index_count"][chosen] > 0)
    span = np.maximum(span, 0)
    base = batches["base_vertex"].astype(np.int64)[chosen]
    if is_damaged.any() or (base + span > model.vertex_count).any():
        raise EditError(Sentence("a batch has indices or vertices that do not exist"), table=SLOT.name)
    copies = batches[chosen].copy()
    starts, counts = (copies[name].astype(np.int64) for name in ("index_start", "index_count"))
    vertices = expand(base, span)
    copies["base_vertex"] = model.vertex_count + np.cumsum(span) - span
    copies["index_start"] = len(indices) + np.cumsum(counts) - counts
    slot["batch_start"] = len(batches)
    made = {table: np.concatenate([rows, rows[vertices]]) for table, rows in vertex_tables(draft).items()}
    made[BATCHES] = _appended(batches, copies, MOST + 1, TABLES[BATCHES].name)
    made[INDICES] = np.concatenate([indices, indices[expand(starts, counts)]])
    if model.has(TRIANGLES):
        made[TRIANGLES] = _with_descriptors(rows_of(draft, TRIANGLES), slot)
    return made


def _range(slot: Rows, prefix: str, total: int) -> Indices:
    start, count = int(slot[f"{prefix}_start"][0]), int(slot[f"{prefix}_count"][0])
    if start + count > total:
        message = Sentence("{start} + {count} exceeds {total} rows", start=start, count=count, total=total)
        raise EditError(message, table=SLOT.name, field=f"{prefix}_start")
    return np.arange(start, start + count)


def _with_descriptors(rows: Rows, slot: Rows) -> Rows:
    """Descriptors with a copy of those of a slot; links stay inside the copy."""
    chosen = _range(slot, "tri", len(rows))
    copies = rows[chosen].copy()
    links = copies["links"].astype(np.int64)
    first = int(slot["tri_start"][0])
    is_inside = (links >= first) & (links < first + len(chosen))
    copies["links"] = np.where(is_inside, links - first + len(rows), NO_LINK)
    lost = np.where(is_inside, 0, NO_SELECTOR << np.array([0, 2, 4])).sum(axis=1)
    copies["selectors"] |= lost.astype(np.uint16) & ALL_NONE
    slot["tri_start"] = len(rows)
    return _appended(rows, copies, MOST, TABLES[TRIANGLES].name)
