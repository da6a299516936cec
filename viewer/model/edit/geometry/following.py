"""What follows from changes of a model's geometry: bounds, normals, neighbor links, vertex counts.

Found by comparing the model before and after, so it does not matter which change touched a table. Nothing
is measured if no table that matters was touched.

Source: spec/msh.md 12.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from viewer.errors import FormatError
from viewer.formats.msh.tables import (
    BATCHES,
    FACES,
    FRAME_MAP,
    INDICES,
    KEYS,
    NODES,
    POSITIONS,
    SLOTS,
)
from viewer.model.edit.change import Consequence, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry import bounds, links, normals, vertex_counts
from viewer.model.edit.geometry.recompute import Recompute, What
from viewer.model.edit.geometry.slot_triangles import Mask
from viewer.model.edit.geometry.vertex_tables import RemoveUnusedVertices, used_vertices
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model, Variant

SHAPE: Final = (POSITIONS, INDICES, FACES)
"""Tables of which every byte is geometry."""
_BATCH_FIELDS: Final = ("index_count", "index_start", "base_vertex")
_SLOT_FIELDS: Final = ("tri_start", "tri_count", "batch_start", "batch_count")


def geometry_follows(_before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield what follows from moved vertices and other triangles."""
    models = _models(draft)
    if models is None:
        return
    was, now = models
    if _has_other_indices(was, now):
        yield from _made(Topic.VERTEX_COUNTS, What.VERTEX_COUNTS, vertex_counts.changed_counts(was, now))
        yield from _unused(was, now)
    if not _has_other_shape(was, now):
        return
    yield from _made(Topic.BOUNDS, What.BOUNDS, bounds.moved_slots(was, now))
    yield from _made(Topic.NORMALS, What.FACE_NORMALS, normals.turned_faces(was, now))
    turned = normals.turned_vertices(was, now)
    yield from _made(Topic.NORMALS, What.VERTEX_NORMALS, turned, is_default=False)
    yield from _made(Topic.LINKS, What.BROKEN_LINKS, links.parted(was, now))


def header_follows(_before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield the bounds in the header, if the model does not fit them after something moved."""
    models = _models(draft)
    if models is None or not _has_other_pose(*models):
        return
    if not bounds.header_fits(models[1], draft.reading.reading):
        yield Consequence(Topic.HEADER, Recompute(What.HEADER), is_default=False)


def _unused(was: Model, now: Model) -> Iterator[Consequence]:
    """Yield the removal of vertices, if batches leave more of them unused than before."""
    is_comparable = now.variant is not Variant.TERRAIN and was.vertex_count == now.vertex_count
    if is_comparable and (used_vertices(was) & ~used_vertices(now)).any():
        yield Consequence(Topic.UNUSED_VERTICES, RemoveUnusedVertices(), is_default=False)


def _models(draft: Draft) -> tuple[Model, Model] | None:
    """The model before and after the changes; None if nothing changed, or if it cannot be read."""
    if draft.kind is not MODEL or not draft.splices:
        return None
    try:
        return draft.first_model, draft.model
    except FormatError:
        return None


def _made(topic: Topic, what: What, rows: Mask, *, is_default: bool = True) -> Iterator[Consequence]:
    if rows.any():
        yield Consequence(topic, Recompute(what, tuple(np.flatnonzero(rows).tolist())), is_default)


def _has_other_shape(was: Model, now: Model) -> bool:
    """Whether triangles of slots may lie elsewhere."""
    if any(_differs(was, now, table) for table in SHAPE) or _has_other_indices(was, now):
        return True
    return _differs(was, now, SLOTS, _SLOT_FIELDS)


def _has_other_indices(was: Model, now: Model) -> bool:
    return _differs(was, now, INDICES) or _differs(was, now, BATCHES, _BATCH_FIELDS)


def _has_other_pose(was: Model, now: Model) -> bool:
    """Whether what is drawn in the rest pose may lie elsewhere."""
    tables = (NODES, KEYS, FRAME_MAP)
    return _has_other_shape(was, now) or any(_differs(was, now, table) for table in tables)


def _differs(was: Model, now: Model, table: int, fields: tuple[str, ...] = ()) -> bool:
    """Whether a table has other bytes, or other values in some fields."""
    if was.payload(table) is now.payload(table):
        return False
    old, new = (np.frombuffer(model.payload(table), np.uint8) for model in (was, now))
    if np.array_equal(old, new):
        return False
    if len(old) != len(new) or not fields:
        return True
    rows = was.rows(table), now.rows(table)
    return any(not np.array_equal(rows[0][name], rows[1][name]) for name in fields)
