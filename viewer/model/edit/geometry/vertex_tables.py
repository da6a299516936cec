"""Tables with a row for each vertex, which are kept equally long, and what refers to them.

Unused vertices, the number of vertices that a batch spans (its largest index + 1), and the slots that a
change of rows touches.

Source: spec/msh.md 1, 3, 5, 8, 12; spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.errors import EditError
from viewer.formats.msh import tables
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.record import Bytes, Rows
from viewer.geometry.transforms import Indices, Mask
from viewer.model.edit.change import Change, change, refusal, refuse_outside
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.edit.values import NodeChoice, node_of
from viewer.model.mesh.draw_builder import index_reach
from viewer.model.mesh.draws import clipped_ranges, expand, wide_ranges
from viewer.model.mesh.model import Model, Variant
from viewer.translation import _


def rows_of(draft: Draft, type_id: int) -> Rows:
    """A copy of the whole records of a table, (n,); raises `EditError` if the model has none."""
    if not draft.model.has(type_id):
        raise EditError(_("the model does not have this table"), table=tables.TABLES[type_id].name)
    return draft.model.rows(type_id).copy()


def put(draft: Draft, type_id: int, rows: Rows) -> None:
    """Write as many records as the table has; bytes that are equal are not touched."""
    archive = draft.model.archive
    index = archive.find_type(type_id)
    if index is None:
        raise EditError(_("the model does not have this table"), table=tables.TABLES[type_id].name)
    draft.write(archive.entry(index).offset + tables.TABLES[type_id].header_size, rows.tobytes())


@contextmanager
def edited(draft: Draft, type_id: int) -> Iterator[Rows]:
    """The records of a table, to be changed, which are written then; raises `EditError` like `rows_of`."""
    rows = rows_of(draft, type_id)
    yield rows
    put(draft, type_id, rows)


def replace(draft: Draft, changed: Mapping[int, Rows]) -> None:
    """Set tables to records of any number, with their headers and tails kept.

    Raises `EditError` if the container cannot move its payloads.
    """
    made: dict[int, Bytes] = {}
    for type_id, rows in changed.items():
        data, header = draft.model.payload(type_id), tables.TABLES[type_id].header_size
        old = draft.model.rows(type_id)
        made[type_id] = bytes(data[:header]) + rows.tobytes() + bytes(data[header + old.nbytes :])
    draft.replace_tables(made)


def refuse_terrain(draft: Draft, table: int) -> None:
    """Raise `EditError` for a terrain, whose triangles are not in this table."""
    if draft.model.variant is Variant.TERRAIN:
        raise EditError(_("a terrain does not have this table"), table=tables.TABLES[table].name)


MOST: Final = 0xFFFF
"""The largest number of a 16-bit field. In the slot matrix it means none, so it is the most slots too."""
STREAMS: Final = (
    tables.POSITIONS,
    tables.NORMALS,
    tables.UVS,
    tables.STREAM14,
    tables.STREAM15,
    tables.STREAM16,
    tables.STREAM18,
)


def vertex_tables(draft: Draft) -> dict[int, Rows]:
    """The tables with a row for each vertex, copies; raises `EditError` if one is longer or shorter."""
    found: dict[int, Rows] = {}
    for table in STREAMS:
        if not draft.model.has(table):
            continue
        found[table] = rows_of(draft, table)
        count, vertices = len(found[table]), draft.model.vertex_count
        if count != vertices:
            words = "{rows} rows for {vertices} vertices"
            raise refusal(words, tables.TABLES[table].name, rows=count, vertices=vertices)
    return found


@change(
    "remove-unused-vertices",
    "remove unused vertices",
    icon="trash",
    menu={"remove_unused": _("Remove all vertices that nothing uses")},
)
class RemoveUnusedVertices(Change, frozen=True):
    """Remove the vertices that no batch uses, from all tables of vertices."""

    def apply(self, draft: Draft) -> None:
        """Remove the vertices; raises `EditError` for other lengths of tables, indices that cannot follow."""
        refuse_terrain(draft, tables.INDICES)
        streams = vertex_tables(draft)
        kept = used_vertices(draft.model)
        if kept.all():
            return
        batches, indices = rows_of(draft, tables.BATCHES), rows_of(draft, tables.INDICES)
        # Of vertices kept, gone, kept the running sum is 0 1 1 2: how many kept ones stand before each.
        renumber(batches, indices, np.concatenate(([0], np.cumsum(kept))))
        replace(
            draft,
            {
                **{table: rows[kept] for table, rows in streams.items()},
                tables.BATCHES: batches,
                tables.INDICES: indices,
            },
        )


def used_vertices(model: Model) -> Mask:
    """The vertices that a batch uses, whether a slot has it or not, (v,)."""
    is_used = np.zeros(model.vertex_count, np.bool_)
    _ignored, _ignored, vertex = uses(model.batches, model.rows(tables.INDICES), model.vertex_count)
    is_used[vertex] = True
    return is_used


def uses(batches: Rows, indices: Rows, vertex_count: int) -> tuple[Indices, Indices, Indices]:
    """Batch, position among the indices and vertex of every index of a batch that leads to a vertex."""
    start, count = wide_ranges(batches, "index")
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
    # A first vertex beyond the table is damage that stays; that of a removed one becomes the next kept one.
    new_base = np.where(base <= count, number[np.minimum(base, count)], base)
    relative = number[vertex] - new_base[batch]
    for use in np.flatnonzero(relative > MOST)[:1].tolist():
        refuse_outside(int(relative[use]), 0, MOST, tables.TABLES[tables.INDICES].name, int(at[use]))
    # Batches may share indices. If their first vertices move apart, one index would have to be two numbers.
    order = np.argsort(at, kind="stable")
    is_same = at[order][1:] == at[order][:-1]
    if (relative[order][1:][is_same] != relative[order][:-1][is_same]).any():
        row = int(batch[order][1:][is_same][0])
        raise refusal(
            "uses indices of another batch, with another first vertex",
            tables.TABLES[tables.BATCHES].name,
            row,
        )
    indices["index"][at] = relative
    batches["base_vertex"] = new_base


def spans(model: Model) -> Indices:
    """The largest index + 1 of every batch whose indices exist, (b,); -1 for the others."""
    high = index_reach(model, np.maximum)
    return np.where(high < 0, -1, high + 1)


def is_followed(model: Model) -> bool:
    """Whether all batches of a model with indices that exist store their number of vertices."""
    # It follows only in files in which all of them were right: other writers left something else there.
    known = spans(model)
    return bool((known == model.batches["opaque14"])[known >= 0].all())


def put_vertex_counts(draft: Draft, chosen: Mask) -> None:
    """Write the numbers of the chosen batches (b,)."""
    known = spans(draft.model)
    is_written = chosen & (known >= 0) & (known <= 0xFFFF)
    with edited(draft, tables.BATCHES) as rows:
        rows["opaque14"][is_written] = known[is_written]


def changed_counts(was: Model, now: Model) -> Mask:
    """Batches (b,) whose number of vertices is another one, and was not set; none if not all had theirs."""
    if len(was.batches) != len(now.batches) or not is_followed(was):
        return np.zeros(len(now.batches), np.bool_)
    known = spans(now)
    is_set = was.batches["opaque14"] != now.batches["opaque14"]
    changed: Mask = (known >= 0) & (known != now.batches["opaque14"]) & ~is_set
    return changed


BATCH_FIELDS: Final = ("index_count", "index_start", "base_vertex")
SLOT_FIELDS: Final = ("tri_start", "tri_count", "batch_start", "batch_count")


class ComparedModels(Struct, frozen=True, eq=False):
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
    def of(cls, was: Model, now: Model) -> ComparedModels | None:
        """The comparison; None if no triangle can have changed."""
        ranges = ((tables.FACES, ()), (tables.DRAW_LIST, ()), (tables.SLOTS, SLOT_FIELDS))
        if has_other_indices(was, now) or any(differs(was, now, *it) for it in ranges):
            return cls(was, now, SlotTriangles.of(was), SlotTriangles.of(now))
        if not differs(was, now, tables.POSITIONS):
            return None
        slots = _of_moved(was, now)
        return cls(was, now, SlotTriangles.of(was, slots), SlotTriangles.of(now, slots))


def _of_moved(was: Model, now: Model) -> Mask:
    """The slots with moved vertices, (s,), and those to which their descriptors are linked."""
    everything = np.ones(len(now.slots), np.bool_)
    old, new = was.rows(tables.POSITIONS)["position"], now.rows(tables.POSITIONS)["position"]
    if len(old) != len(new) or now.variant is Variant.TERRAIN:
        return everything
    # Compared as words: -0.0 becoming 0.0 is a change of bytes, and NaN equals itself. Prefix sums answer
    # "is any vertex of first..last moved" by two look-ups.
    moved = np.concatenate(([0], np.cumsum((old.view("<u4") != new.view("<u4")).any(axis=1))))
    low, high = (index_reach(now, pick) for pick in (np.minimum, np.maximum))
    base = now.batches["base_vertex"].astype(np.int64)
    first, last = (np.minimum(base + it, len(new)) for it in (low, high + 1))
    is_touched = np.concatenate(([0], np.cumsum((high >= 0) & (moved[last] > moved[first]))))
    start, end = clipped_ranges(now.slots, "batch", len(base))
    return with_linked(now, is_touched[end] > is_touched[start])


def with_linked(model: Model, slots: Mask) -> Mask:
    """Slots (s,), and those with descriptors that the descriptors of these are linked to."""
    links = model.tri_descriptors["links"]
    if not len(links) or model.variant is Variant.TERRAIN:
        return slots
    total = len(links)
    start, end = clipped_ranges(model.slots, "tri", total)
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
    # before[end] > before[start] if one of the rows start..end is chosen.
    before = np.concatenate(([0], np.cumsum(rows)))
    start, end = clipped_ranges(model.slots, "tri", len(rows))
    found: Mask = before[end] > before[start]
    return found


def rows_of_node(draft: Draft, choice: NodeChoice, table: int) -> Mask:
    """The slots of a node, or the descriptors, batches or vertices in them, as a mask of a table (n,)."""
    model, node = draft.model, node_of(draft, choice)
    own = model.nodes["slots"][node].reshape(-1)
    slots = np.zeros(len(model.slots), np.bool_)
    slots[own[own < len(slots)]] = True
    if table == tables.SLOTS:
        return slots
    triangles = SlotTriangles.of(model, slots)
    of_tables = {
        tables.TRIANGLES: triangles.row,
        tables.BATCHES: triangles.batch,
        tables.NORMALS: triangles.corners,
    }
    rows = of_tables[table].reshape(-1)
    found = np.zeros(len(model.rows(table)), np.bool_)
    found[rows[(rows >= 0) & (rows < len(found))]] = True
    return found


def has_other_indices(was: Model, now: Model) -> bool:
    """Whether indices or the ranges of batches differ."""
    return differs(was, now, tables.INDICES) or differs(was, now, tables.BATCHES, BATCH_FIELDS)


def differs(was: Model, now: Model, table: int, fields: tuple[str, ...] = ()) -> bool:
    """Whether a table has other bytes, or other values in some fields."""
    old, new = (np.frombuffer(model.payload(table), np.uint8) for model in (was, now))
    if np.array_equal(old, new):
        return False
    if len(old) != len(new) or not fields:
        return True
    rows = was.rows(table), now.rows(table)
    return any(not np.array_equal(rows[0][name], rows[1][name]) for name in fields)
