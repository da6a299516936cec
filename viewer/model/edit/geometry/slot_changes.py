"""Slots added, copied and removed, with the slot matrices of the nodes; the materials of batches.

The material of a batch is a wear row, in the field that selects it in the reading in effect. In a terrain it
is the first material of the faces.

Source: spec/msh.md 2, 3, 8.1, 12; spec/field-notes.md 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.errors import EditError
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import BATCHES, FACES, INDICES, NODES, SLOTS, TABLES, TRIANGLES
from viewer.formats.msh.triangles import ALL_NONE, NO_SELECTOR
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.record import Rows
from viewer.geometry.transforms import Indices
from viewer.model.edit.change import Change, change, refusal, refuse_missing, refuse_more, refuse_outside
from viewer.model.edit.draft import REMOVED, Draft, renumbered, targets_of
from viewer.model.edit.geometry.links import put_new_links
from viewer.model.edit.geometry.measures import put_face_normals, put_slot_bounds
from viewer.model.edit.geometry.slot_tables import NewVertices, Piece, SlotTables
from viewer.model.edit.geometry.vertex_tables import (
    MOST,
    edited,
    put,
    refuse_terrain,
    replace,
    rows_of,
    spans,
    vertex_tables,
)
from viewer.model.edit.typed_words import Typed, Word, value_of
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.draws import expand, wide_ranges
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import MaterialField, material_field, wear_rows_of
from viewer.translation import _


@change("add-slot", "add a slot", icon="plus", menu={"add_slot": _("Add an empty slot")})
class AddSlot(Change, frozen=True):
    """Add an empty slot after the last one."""

    def apply(self, draft: Draft) -> None:
        """Add the slot; raises `EditError` beyond 65,535 slots."""
        replace(draft, {SLOTS: _appended(rows_of(draft, SLOTS), SLOT.new())})


@change(
    "copy-slot",
    "copy slot {slot} with its geometry",
    icon="copy",
    menu={"copy_slot": _("Copy the slot"), "copy_slot_geometry": _("Copy the slot with its geometry")},
    has_own_geometry="copy slot {slot}",
)
class CopySlot(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Add the copy; raises `EditError` for a slot that does not exist, damaged ranges and full tables."""
        rows = rows_of(draft, SLOTS)
        refuse_missing([self.slot], len(rows), SLOT.name)
        copy = rows[self.slot : self.slot + 1].copy()
        made = _own_geometry(draft, copy) if self.has_own_geometry else {}
        replace(draft, {**made, SLOTS: _appended(rows, copy)})


@change("remove-slot", "remove slot {slot}", icon="trash", menu={"remove_slot": _("Remove the slot")})
class RemoveSlot(Change, frozen=True):
    """Remove a slot; cells that show it become empty, its batches and triangles stay.

    Parameters
    ----------
    slot
        The slot.
    """

    slot: int

    def apply(self, draft: Draft) -> None:
        """Remove the slot and renumber the later ones; raises `EditError` for a slot that does not exist."""
        rows, nodes = rows_of(draft, SLOTS), rows_of(draft, NODES)
        refuse_missing([self.slot], len(rows), SLOT.name)
        kept = np.delete(np.arange(len(rows)), self.slot)
        # Without slot 2 of 5 cells with 3 and 4 get 2 and 3.
        cells = renumbered(nodes["slots"].astype(np.int64), targets_of(len(rows), kept.tolist()))
        nodes["slots"] = np.where(cells == REMOVED, NONE, cells)
        replace(draft, {SLOTS: np.delete(rows, self.slot), NODES: nodes})


def _appended(rows: Rows, more: Rows, most: int = MOST, table: str = SLOT.name) -> Rows:
    refuse_more(len(rows) + len(more), most, table)
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
        raise EditError(_("a batch has indices or vertices that do not exist"), table=SLOT.name)
    copies = batches[chosen].copy()
    starts, counts = wide_ranges(copies, "index")
    vertices = expand(base, span)
    # Spans 4, 3 after 10 vertices: the copies begin at 10 and 14.
    copies["base_vertex"] = model.vertex_count + np.cumsum(span) - span
    copies["index_start"] = len(indices) + np.cumsum(counts) - counts
    slot["batch_start"] = len(batches)
    made = {table: np.concatenate([rows, rows[vertices]]) for table, rows in vertex_tables(draft).items()}
    # As many as 16 bits can number; of slots and descriptors one fewer, as 0xFFFF is none of them.
    made[BATCHES] = _appended(batches, copies, MOST + 1, TABLES[BATCHES].name)
    made[INDICES] = np.concatenate([indices, indices[expand(starts, counts)]])
    if model.has(TRIANGLES):
        made[TRIANGLES] = _with_descriptors(rows_of(draft, TRIANGLES), slot)
    return made


def _range(slot: Rows, prefix: str, total: int) -> Indices:
    start, count = int(slot[f"{prefix}_start"][0]), int(slot[f"{prefix}_count"][0])
    if start + count > total:
        words, field = "{start} + {count} exceeds {total} rows", f"{prefix}_start"
        raise refusal(words, SLOT.name, None, field, start=start, count=count, total=total)
    return np.arange(start, start + count)


def _with_descriptors(rows: Rows, slot: Rows) -> Rows:
    """Descriptors with a copy of those of a slot; links stay inside the copy."""
    chosen = _range(slot, "tri", len(rows))
    copies = rows[chosen].copy()
    links = copies["links"].astype(np.int64)
    first = int(slot["tri_start"][0])
    is_inside = (links >= first) & (links < first + len(chosen))
    copies["links"] = np.where(is_inside, links - first + len(rows), NO_LINK)
    # Links that leave the slot would lead to the original; its copy has none, so 3 (no edge) in their two
    # bits.
    lost = np.where(is_inside, 0, NO_SELECTOR << np.array([0, 2, 4])).sum(axis=1)
    copies["selectors"] |= lost.astype(np.uint16) & ALL_NONE
    slot["tri_start"] = len(rows)
    return _appended(rows, copies, MOST, TABLES[TRIANGLES].name)


@change(
    "material",
    "assign material {material} to rows {rows}",
    typed=Typed(
        "give batches, by number, range or condition, the material in a row of the wear table",
        (Word("ROWS", "rows"), Word("ROW", "material", value_of, "material")),
    ),
)
class AssignMaterial(Change, frozen=True):
    """Give batches, or faces of a terrain, a material.

    Parameters
    ----------
    rows
        Rows of the batches, or of the faces.
    material
        Row of the wear table.
    """

    rows: RowChoice
    material: int

    def apply(self, draft: Draft) -> None:
        """Write the selector; raises `EditError` for rows that do not exist and rows of no wear table."""
        table = TABLES[_table(draft.model)].name
        assign(draft, self.rows.rows(draft, table), self.material)


@change("replace-material", "replace material {material} by {by}")
class ReplaceMaterial(Change, frozen=True):
    """Give everything with one material another one.

    Parameters
    ----------
    material, by
        Rows of the wear table.
    """

    material: int
    by: int

    def apply(self, draft: Draft) -> None:
        """Write the selectors; raises `EditError` if nothing has the material, or like `AssignMaterial`."""
        rows = np.flatnonzero(_materials(draft) == self.material).tolist()
        if not rows:
            table = TABLES[_table(draft.model)].name
            raise refusal("nothing has material {material}", table, material=self.material)
        assign(draft, rows, self.by)


def _table(model: Model) -> int:
    return FACES if model.variant is Variant.TERRAIN else BATCHES


def _materials(draft: Draft) -> Indices:
    """The wear row of every batch or face."""
    model = draft.model
    if model.variant is Variant.TERRAIN:
        return model.faces["material_a"].astype(np.int64)
    return wear_rows_of(model.batches, draft.reading.reading.material_field)


SELECTORS: Final = {MaterialField.SEED: ("material", 0xFFFF), MaterialField.FIELD: ("opaque4", 0xFF)}
"""The field of batches that selects the row of the wear table, and the largest row, by reading."""


def assign(draft: Draft, chosen: Sequence[int], material: int) -> None:
    """Write the selector into chosen rows; raises `EditError` beyond its limits."""
    field = draft.reading.reading.material_field
    new = _materials(draft)
    new[chosen] = material
    if draft.model.variant is Variant.TERRAIN:
        refuse_outside(material, 0, 0xFF, TABLES[FACES].name, next(iter(chosen), None), "material_a")
        with edited(draft, FACES) as rows:
            rows["material_a"] = new
    else:
        put_wear_rows(draft, new, field, (draft.wear_rows, draft.wear_rows))
    if draft.wear_rows is not None and material >= draft.wear_rows:
        draft.notes.append(_("the wear table has {count} rows", count=draft.wear_rows))


def put_wear_rows(
    draft: Draft, new: Indices, field: MaterialField, wear_rows: tuple[int | None, int | None]
) -> None:
    """Write the row of the wear table of every batch, (b,), into the field that selects it.

    Raises `EditError` beyond the limits of the field, or if another field would be read as the material then;
    `wear_rows` are the lengths of the wear table before and after, which help to choose the field.
    """
    rows, (name, limit) = rows_of(draft, BATCHES), SELECTORS[field]
    changed = np.flatnonzero(new != wear_rows_of(rows, field)).tolist()
    for row in changed:
        refuse_outside(int(new[row]), 0, limit, TABLES[BATCHES].name, row, name)
    requested = draft.reading.requested
    is_read = material_field(rows, wear_rows[0], requested) is field
    # In the field reading the upper byte of the word says something else, and stays
    rows[name] = new if field is MaterialField.SEED else rows[name] & 0xFF00 | new
    now = material_field(rows, wear_rows[1], requested)
    if changed and is_read and (wear_rows_of(rows, now) != new).any():
        words = "then another field would be read as the material; choose the reading first"
        raise refusal(words, TABLES[BATCHES].name)
    put(draft, BATCHES, rows)


class BatchTriangles(Struct, frozen=True):
    """The triangles of one batch.

    Parameters
    ----------
    corners
        Vertices, three u32 a triangle; numbers from the number of vertices on are new vertices, in order.
    descriptors
        One i32 a triangle: the descriptor that is kept, -1 for a new one, or -2 - ROW for a new one with the
        flags of a row.
    like
        The batch whose other fields it has; None for those of a new one.
    material
        Row of the wear table; None for that of `like`.
    """

    corners: bytes
    descriptors: bytes
    like: int | None = None
    material: int | None = None


class SlotBatches(Struct, frozen=True):
    """The batches of one slot.

    Parameters
    ----------
    batches
        In order; those without triangles are left out.
    slot
        Its row; None for a new slot, after the last.
    """

    batches: tuple[BatchTriangles, ...]
    slot: int | None = None


@change("replace-slots")
class ReplaceSlots(Change, frozen=True):
    """Give slots other triangles, and add slots with triangles.

    Parameters
    ----------
    slots
        What they have; each slot once.
    sources
        One i32 for each new vertex: the vertex whose values it has where no others are given, -1 for zeros.
    positions, normals, uvs, lightmap_uvs
        The values of new vertices as they are stored; empty to take those of the sources.
    """

    slots: tuple[SlotBatches, ...]
    sources: bytes = b""
    positions: bytes = b""
    normals: bytes = b""
    uvs: bytes = b""
    lightmap_uvs: bytes = b""

    @property
    def words(self) -> str:
        """The numbers of the slots, at most eight, and how many are new."""
        known = [str(it.slot) for it in self.slots if it.slot is not None]
        added = len(self.slots) - len(known)
        rows = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
        if not known:
            return "add a slot" if added == 1 else _("add {count} slots", count=added)
        if not added:
            return _("replace the triangles of slot {slots}", slots=rows)
        return _("replace the triangles of slot {slots}; new slots: {count}", slots=rows, count=added)

    def apply(self, draft: Draft) -> None:
        """Write all tables; raises `EditError` for rows that do not exist and beyond 16-bit limits."""
        refuse_terrain(draft, BATCHES)
        count = added = len(draft.model.slots)
        targets: list[int] = []  # the row of each slot after the change
        for it in self.slots:
            row = added if it.slot is None else it.slot
            if it.slot is not None and (not 0 <= row < count or row in targets):
                raise refusal("there are {count} slots, each is replaced once", SLOT.name, row, count=count)
            targets.append(row)
            added += it.slot is None
        refuse_more(added, MOST, SLOT.name)
        streams = (self.positions, self.normals, self.uvs, self.lightmap_uvs)
        tables = SlotTables(draft, targets, NewVertices.read(draft, self.sources, streams))
        for target, slot in zip(targets, self.slots, strict=True):
            tables.pieces[target] = [
                Piece.read(draft, target, (it.corners, it.descriptors), it.like, tables.new.count)
                for it in slot.batches
                if it.corners
            ]
        replace(draft, tables.build())
        # After the tables: the batches of the change have their rows only now.
        self._assign(draft, tables)
        if draft.model.has(TRIANGLES):
            # Kept descriptors keep their normals; of their links those to descriptors that are gone are found
            # anew, and none of those that hold.
            put_face_normals(draft, tables.is_new_descriptor)
            put_new_links(draft, tables.is_new_descriptor, tables.is_lost)
        touched = np.zeros(len(draft.model.slots), np.bool_)
        touched[targets] = True
        put_slot_bounds(draft, touched)

    def _assign(self, draft: Draft, tables: SlotTables) -> None:
        """Set the materials that are given."""
        for start, slot in zip(tables.batch_starts, self.slots, strict=True):
            filled = (it for it in slot.batches if it.corners)
            for row, batch in enumerate(filled, start):
                if batch.material is not None:
                    assign(draft, [row], batch.material)
