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
from viewer.formats.msh.tables import FRAME_MAP, KEYS, NODES, POSITIONS, SLOTS
from viewer.model.edit.change import Consequence, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry import bounds, links, normals, vertex_counts
from viewer.model.edit.geometry.recompute import Recompute, What
from viewer.model.edit.geometry.slot_triangles import Mask
from viewer.model.edit.geometry.touched import SLOT_FIELDS, Compared, differs, has_other_indices
from viewer.model.edit.geometry.vertex_tables import RemoveUnusedVertices, used_vertices
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model, Variant

_NODE_FIELDS: Final = ("parent", "map_start", "fallback_key", "slots")


def geometry_follows(_before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield what follows from moved vertices and other triangles."""
    models = _models(draft)
    if models is None:
        return
    was, now = models
    if has_other_indices(was, now):
        yield from _made(Topic.VERTEX_COUNTS, What.VERTEX_COUNTS, vertex_counts.changed_counts(was, now))
        yield from _unused(was, now)
    compared = Compared.of(was, now)
    if compared is None:
        return
    yield from _made(Topic.BOUNDS, What.BOUNDS, bounds.moved_slots(compared))
    yield from _made(Topic.NORMALS, What.FACE_NORMALS, normals.turned_faces(compared))
    turned = normals.turned_vertices(compared)
    yield from _made(Topic.NORMALS, What.VERTEX_NORMALS, turned, is_default=False)
    yield from _made(Topic.LINKS, What.BROKEN_LINKS, links.parted(compared))


def header_follows(_before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Offer the bounds in the header after something moved that the rest pose may show.

    Whether they still fit is found when they are recomputed.
    """
    models = _models(draft)
    if models is not None and _has_other_pose(*models):
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


def _has_other_pose(was: Model, now: Model) -> bool:
    """Whether what is drawn in the rest pose may lie elsewhere."""
    if now.variant is not Variant.MODEL:
        return False
    tables: tuple[tuple[int, tuple[str, ...]], ...] = (
        (POSITIONS, ()),
        (NODES, _NODE_FIELDS),
        (KEYS, ()),
        (FRAME_MAP, ()),
        (SLOTS, SLOT_FIELDS),
    )
    return has_other_indices(was, now) or any(differs(was, now, *table) for table in tables)
