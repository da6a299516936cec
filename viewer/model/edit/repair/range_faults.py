"""Faults of numbers that lead to other tables: parents, cells, ranges of batches, indices and descriptors.

In retail files the ranges of batches tile the indices, and those of slots tile the descriptors. So a range
that cannot be right is moved to the one gap that it fits exactly; without such a gap it is clipped.

Source: spec/msh.md 11 (V11 to V14, V17, V18, V22); spec/field-notes.md 2.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.tables import BATCHES, NODES, SLOTS, TRIANGLES
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.table_rows import put, rows_of
from viewer.model.mesh.draws import Indices
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.skeleton import ROOT, Skeleton

MOST: Final = 0xFFFF


def mend_parents(draft: Draft) -> None:
    """Make roots of nodes whose parent is not a node, or closes a cycle, as they are shown (V22)."""
    rows = rows_of(draft, NODES)
    parents = Skeleton(draft.model).parents[: len(rows)]
    rows["parent"] = np.where(parents == ROOT, NONE, rows["parent"])
    put(draft, NODES, rows)


def mend_cells(draft: Draft) -> None:
    """Empty cells with a slot that does not exist, as they are shown (V11)."""
    rows = rows_of(draft, NODES)
    rows["slots"] = np.where(rows["slots"] < len(draft.model.slots), rows["slots"], NONE)
    put(draft, NODES, rows)


def clip_batch_ranges(draft: Draft) -> None:
    """Clip the batch ranges of slots to the batches that exist (V12)."""
    if draft.model.variant is not Variant.TERRAIN:
        rows = rows_of(draft, SLOTS)
        _clip(rows, "batch_start", "batch_count", len(draft.model.batches))
        put(draft, SLOTS, rows)


def mend_index_counts(draft: Draft) -> None:
    """Complete the last triangle of batches if the indices up to the next batch do, else drop it (V17)."""
    rows = rows_of(draft, BATCHES)
    starts = np.sort(rows["index_start"].astype(np.int64))
    ends = np.append(starts, len(draft.model.indices))
    for number in np.flatnonzero(rows["index_count"] % 3).tolist():
        row = rows[number]
        start, count = int(row["index_start"]), int(row["index_count"])
        after = int(ends[np.searchsorted(ends, start, "right")]) if start < ends[-1] else start
        whole = -(-count // 3) * 3
        row["index_count"] = whole if after - start == whole else count // 3 * 3
    put(draft, BATCHES, rows)


def mend_index_ranges(draft: Draft) -> None:
    """Move index ranges of batches that exceed the indices to the gap that they fit, else clip them (V14)."""
    rows = rows_of(draft, BATCHES)
    total = len(draft.model.indices)
    start, count = rows["index_start"].astype(np.int64), rows["index_count"].astype(np.int64)
    is_broken = start + count > total
    _into_gaps(rows, ("index_start", "index_count"), is_broken, count, total)
    _clip(rows, "index_start", "index_count", total, step=3)
    put(draft, BATCHES, rows)


def mend_triangle_ranges(draft: Draft) -> None:
    """Move descriptor ranges of slots that exceed the table or have another length than needed (V13, V18)."""
    model = draft.model
    if model.variant is Variant.TERRAIN or not model.has(TRIANGLES):
        return
    rows = rows_of(draft, SLOTS)
    total = len(model.tri_descriptors)
    start, count = rows["tri_start"].astype(np.int64), rows["tri_count"].astype(np.int64)
    needed = _triangles(model)
    is_broken = (start + count > total) | (count != needed)
    _into_gaps(rows, ("tri_start", "tri_count"), is_broken, needed, total)
    start, count = rows["tri_start"].astype(np.int64), rows["tri_count"].astype(np.int64)
    fits = (count != needed) & (start + needed <= total) & (needed <= MOST)
    rows["tri_count"][fits] = needed[fits]
    _clip(rows, "tri_start", "tri_count", total)
    put(draft, SLOTS, rows)


def _triangles(model: Model) -> Indices:
    """How many descriptors the batches of every slot have, (s,)."""
    per_batch = (model.batches["index_count"].astype(np.int64) + 2) // 3
    before = np.concatenate(([0], np.cumsum(per_batch)))
    start = np.minimum(model.slots["batch_start"].astype(np.int64), len(per_batch))
    end = np.minimum(start + model.slots["batch_count"], len(per_batch))
    needed: Indices = before[end] - before[start]
    return needed


def _into_gaps(
    rows: Rows, names: tuple[str, str], is_broken: npt.NDArray[np.bool_], needed: Indices, total: int
) -> None:
    """Set the ranges of broken rows to gaps between the others that have exactly the needed size."""
    starts, counts = (rows[name].astype(np.int64) for name in names)
    free = np.ones(total, np.bool_)
    for start, count in zip(starts[~is_broken].tolist(), counts[~is_broken].tolist(), strict=True):
        free[start : start + count] = False
    edges = np.flatnonzero(np.diff(np.concatenate(([False], free, [False])).astype(np.int8)))
    gaps = {int(end - start): int(start) for start, end in edges.reshape(-1, 2)[::-1]}
    for row in np.flatnonzero(is_broken).tolist():
        start = gaps.pop(int(needed[row]), None)
        if start is not None and needed[row] <= MOST and start <= np.iinfo(rows[names[0]].dtype).max:
            rows[names[0]][row], rows[names[1]][row] = start, needed[row]


def _clip(rows: Rows, start: str, count: str, total: int, step: int = 1) -> None:
    """Clip ranges of rows to a table, to a multiple of `step` rows."""
    first = rows[start].astype(np.int64)
    size = rows[count].astype(np.int64)
    is_cut = first + size > total
    kept = np.minimum(first, total)
    rows[start] = np.where(is_cut, kept, first)
    rows[count] = np.where(is_cut, (total - kept) // step * step, size)
