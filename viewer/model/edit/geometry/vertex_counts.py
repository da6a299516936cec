"""The number of vertices that a batch spans: its largest index + 1.

Source: spec/msh.md 8, 12; spec/field-notes.md 2.
"""

from __future__ import annotations

import numpy as np

from viewer.formats.msh.tables import BATCHES
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import Mask
from viewer.model.edit.geometry.table_rows import put, rows_of
from viewer.model.mesh.draws import Indices
from viewer.model.mesh.model import Model


def reaches(model: Model) -> tuple[Indices, Indices]:
    """The smallest and the largest index of every batch, (b,) each; -1 if it has none that exist."""
    start = model.batches["index_start"].astype(np.int64)
    count = model.batches["index_count"].astype(np.int64)
    is_there = (count > 0) & (start + count <= len(model.indices))
    low, high = np.full(len(start), -1, np.int64), np.full(len(start), -1, np.int64)
    if is_there.any():
        ends = np.stack([start, start + count], axis=1)[is_there].reshape(-1)
        padded = np.append(model.indices, np.uint16(0))
        low[is_there] = np.minimum.reduceat(padded, ends)[::2]
        high[is_there] = np.maximum.reduceat(padded, ends)[::2]
    return low, high


def spans(model: Model) -> Indices:
    """The largest index + 1 of every batch whose indices exist, (b,); -1 for the others."""
    _, high = reaches(model)
    return np.where(high < 0, -1, high + 1)


def is_followed(model: Model) -> bool:
    """Whether all batches of a model with indices that exist store their number of vertices."""
    known = spans(model)
    return bool((known == model.batches["opaque14"])[known >= 0].all())


def put_vertex_counts(draft: Draft, chosen: Mask) -> None:
    """Write the numbers of the chosen batches (b,)."""
    rows = rows_of(draft, BATCHES)
    known = spans(draft.model)
    is_written = chosen & (known >= 0) & (known <= 0xFFFF)
    rows["opaque14"][is_written] = known[is_written]
    put(draft, BATCHES, rows)


def changed_counts(was: Model, now: Model) -> Mask:
    """Batches (b,) whose number of vertices is another one, and was not set; none if not all had theirs."""
    if len(was.batches) != len(now.batches) or not is_followed(was):
        return np.zeros(len(now.batches), np.bool_)
    known = spans(now)
    is_set = was.batches["opaque14"] != now.batches["opaque14"]
    changed: Mask = (known >= 0) & (known != now.batches["opaque14"]) & ~is_set
    return changed
