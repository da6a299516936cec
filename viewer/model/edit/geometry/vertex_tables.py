"""The tables with a row for each vertex, which are kept equally long; vertices that nothing uses.

Source: spec/msh.md 1, 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh.tables import (
    BATCHES,
    INDICES,
    NORMALS,
    POSITIONS,
    STREAM14,
    STREAM15,
    STREAM16,
    STREAM18,
    TABLES,
    UVS,
)
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import Mask
from viewer.model.edit.geometry.table_rows import refuse_terrain, replace, rows_of
from viewer.model.mesh.draws import Indices, expand
from viewer.model.mesh.model import Model
from viewer.translation import Sentence

MOST: Final = 0xFFFF
"""The largest index relative to the first vertex of a batch."""
STREAMS: Final = (POSITIONS, NORMALS, UVS, STREAM14, STREAM15, STREAM16, STREAM18)


def vertex_tables(draft: Draft) -> dict[int, Rows]:
    """The tables with a row for each vertex, copies; raises `EditError` if one is longer or shorter."""
    found: dict[int, Rows] = {}
    for table in STREAMS:
        if not draft.model.has(table):
            continue
        found[table] = rows_of(draft, table)
        if len(found[table]) != draft.model.vertex_count:
            message = Sentence(
                "{rows} rows for {vertices} vertices",
                rows=len(found[table]),
                vertices=draft.model.vertex_count,
            )
            raise EditError(message, table=TABLES[table].name)
    return found


@dataclass(frozen=True, slots=True)
class RemoveUnusedVertices:
    """Remove the vertices that no batch uses, from all tables of vertices."""

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("remove unused vertices")

    def apply(self, draft: Draft) -> None:
        """Remove them; raises `EditError` for tables of other lengths and indices that cannot follow."""
        refuse_terrain(draft, INDICES)
        tables = vertex_tables(draft)
        kept = used_vertices(draft.model)
        if kept.all():
            return
        batches, indices = rows_of(draft, BATCHES), rows_of(draft, INDICES)
        renumber(batches, indices, np.concatenate(([0], np.cumsum(kept))))
        replace(
            draft,
            {**{table: rows[kept] for table, rows in tables.items()}, BATCHES: batches, INDICES: indices},
        )


def used_vertices(model: Model) -> Mask:
    """The vertices that a batch uses, whether a slot has it or not, (v,)."""
    is_used = np.zeros(model.vertex_count, np.bool_)
    _, _, vertex = uses(model.batches, model.rows(INDICES), model.vertex_count)
    is_used[vertex] = True
    return is_used


def uses(batches: Rows, indices: Rows, vertex_count: int) -> tuple[Indices, Indices, Indices]:
    """Batch, position among the indices and vertex of every index of a batch that leads to a vertex."""
    start, count = (batches[name].astype(np.int64) for name in ("index_start", "index_count"))
    count = np.where(start + count <= len(indices), count, 0)
    batch = np.repeat(np.arange(len(batches)), count)
    at = expand(start, count)
    vertex = batches["base_vertex"].astype(np.int64)[batch] + indices["index"].astype(np.int64)[at]
    is_there = vertex < vertex_count
    return batch[is_there], at[is_there], vertex[is_there]


def renumber(batches: Rows, indices: Rows, number: Indices) -> None:
    """Set base vertices and indices to new numbers of the vertices.

    Parameters
    ----------
    number
        The new number of each vertex, ascending, (v + 1,) int64; of one that is removed, that of the next.

    Raises
    ------
    EditError
        If two batches with other first vertices use the same indices, or an index exceeds 16 bits.
    """
    count = len(number) - 1
    batch, at, vertex = uses(batches, indices, count)
    base = batches["base_vertex"].astype(np.int64)
    new_base = np.where(base <= count, number[np.minimum(base, count)], base)
    relative = number[vertex] - new_base[batch]
    for use in np.flatnonzero(relative > MOST)[:1].tolist():
        message = Sentence("{value} exceeds {low}..{high}", value=int(relative[use]), low=0, high=MOST)
        raise EditError(message, table=TABLES[INDICES].name, index=int(at[use]))
    order = np.argsort(at, kind="stable")
    is_same = at[order][1:] == at[order][:-1]
    if (relative[order][1:][is_same] != relative[order][:-1][is_same]).any():
        row = int(batch[order][1:][is_same][0])
        message = Sentence("uses indices of another batch, with another first vertex")
        raise EditError(message, table=TABLES[BATCHES].name, index=row)
    indices["index"][at] = relative
    batches["base_vertex"] = new_base
