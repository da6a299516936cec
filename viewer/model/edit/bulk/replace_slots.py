"""The triangles of slots replaced: indices, descriptors, batches and vertices are built anew.

What other slots show stays as it is: their triangles, descriptors and vertices keep their values, while the
numbers of rows follow. Vertices that only the old triangles used are removed.

Source: spec/msh.md 3, 5, 6, 8, 12.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import BATCHES, TRIANGLES
from viewer.model.edit.bulk.slot_tables import NewVertices, Piece, SlotTables
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.links import put_new_links
from viewer.model.edit.geometry.measures import put_face_normals, put_slot_bounds
from viewer.model.edit.geometry.slot_changes import MOST, assign
from viewer.model.edit.geometry.vertex_tables import refuse_terrain, replace
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class BatchTriangles:
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


@dataclass(frozen=True, slots=True)
class SlotBatches:
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


@dataclass(frozen=True, slots=True)
class ReplaceSlots:
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
        """The slots."""
        known = [str(it.slot) for it in self.slots if it.slot is not None]
        added = len(self.slots) - len(known)
        rows = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
        if not known:
            return "add a slot" if added == 1 else Sentence("add {count} slots", count=added)
        if not added:
            return Sentence("replace the triangles of slot {slots}", slots=rows)
        return Sentence("replace the triangles of slot {slots}; new slots: {count}", slots=rows, count=added)

    def apply(self, draft: Draft) -> None:
        """Write all tables; raises `EditError` for rows that do not exist and beyond 16-bit limits."""
        refuse_terrain(draft, BATCHES)
        targets = self._targets(len(draft.model.slots))
        streams = (self.positions, self.normals, self.uvs, self.lightmap_uvs)
        tables = SlotTables(draft, targets, NewVertices.read(draft, self.sources, streams))
        for target, slot in zip(targets, self.slots, strict=True):
            tables.pieces[target] = [
                Piece.read(draft, target, (it.corners, it.descriptors), it.like, tables.new.count)
                for it in slot.batches
                if it.corners
            ]
        replace(draft, tables.build())
        self._assign(draft, tables)
        if draft.model.has(TRIANGLES):
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

    def _targets(self, count: int) -> list[int]:
        """The rows that the slots have after the change; `count` is the number of those before it."""
        found: list[int] = []
        added = count
        for it in self.slots:
            row = added if it.slot is None else it.slot
            if it.slot is not None and (not 0 <= row < count or row in found):
                message = Sentence("there are {count} slots, each is replaced once", count=count)
                raise EditError(message, table=SLOT.name, index=row)
            found.append(row)
            added += it.slot is None
        if added > MOST:
            message = Sentence("{count} rows, at most {limit}", count=added, limit=MOST)
            raise EditError(message, table=SLOT.name)
        return found
