"""Bounds, normals and neighbors computed again, on request or as a consequence of other changes.

Source: spec/msh.md 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from viewer.errors import EditError, FormatError
from viewer.formats.msh.tables import BATCHES, FRAME_MAP, KEYS, NODES, NORMALS, POSITIONS, SLOTS, TABLES
from viewer.model.edit.change import Consequence, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry import links, measures, vertex_tables
from viewer.model.edit.geometry.links import put_broken_links, put_links
from viewer.model.edit.geometry.measures import (
    face_table,
    posed_bounds,
    put_face_normals,
    put_header,
    put_slot_bounds,
    put_vertex_normals,
)
from viewer.model.edit.geometry.slot_triangles import Mask
from viewer.model.edit.geometry.vertex_tables import (
    SLOT_FIELDS,
    ComparedModels,
    RemoveUnusedVertices,
    differs,
    has_other_indices,
    put_vertex_counts,
    used_vertices,
)
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import SEED
from viewer.translation import Sentence


class What(StrEnum):
    """What can be computed again; the values are those of the command line."""

    BOUNDS = "bounds"
    HEADER = "header"
    NORMALS = "normals"
    LINKS = "links"
    ALL = "all"
    FACE_NORMALS = "face-normals"
    VERTEX_NORMALS = "vertex-normals"
    BROKEN_LINKS = "broken-links"
    VERTEX_COUNTS = "vertex-counts"


TOGETHER: Final[Mapping[What, tuple[What, ...]]] = {
    What.NORMALS: (What.FACE_NORMALS, What.VERTEX_NORMALS),
    What.ALL: (What.BOUNDS, What.HEADER, What.FACE_NORMALS, What.VERTEX_NORMALS, What.LINKS),
}
"""What stands for several."""
_WORDS: Final[Mapping[What, str]] = {
    What.BOUNDS: Sentence("recompute slot bounds"),
    What.HEADER: Sentence("recompute the bounds in the header"),
    What.NORMALS: Sentence("recompute normals"),
    What.LINKS: Sentence("recompute neighbor links"),
    What.ALL: Sentence("recompute bounds, normals and links"),
    What.FACE_NORMALS: Sentence("recompute face normals"),
    What.VERTEX_NORMALS: Sentence("recompute vertex normals"),
    What.BROKEN_LINKS: Sentence("mend neighbor links that do not fit"),
    What.VERTEX_COUNTS: Sentence("recompute the vertex counts of batches"),
}
_PUT: Final[Mapping[What, Callable[[Draft, Mask], None]]] = {
    What.BOUNDS: put_slot_bounds,
    What.HEADER: lambda draft, _: put_header(draft),
    What.FACE_NORMALS: put_face_normals,
    What.VERTEX_NORMALS: put_vertex_normals,
    What.LINKS: put_links,
    What.BROKEN_LINKS: put_broken_links,
    What.VERTEX_COUNTS: put_vertex_counts,
}


@dataclass(frozen=True, slots=True)
class Recompute:
    """Compute something again from the triangles.

    Parameters
    ----------
    what
        What.
    rows
        The slots, descriptors, vertices or batches; None for all. Not used for the header and for what
        stands for several.
    """

    what: What
    rows: tuple[int, ...] | None = None

    @property
    def words(self) -> str:
        """What is computed, and of how many rows if not of all."""
        words = _WORDS[What(self.what)]
        if self.rows is None:
            return words
        if len(self.rows) == 1:
            return Sentence("{words} of row {row}", words=words, row=self.rows[0])
        return Sentence("{words} of {count} rows", words=words, count=len(self.rows))

    def apply(self, draft: Draft) -> None:
        """Write what differs; raises `EditError` for rows and tables that do not exist."""
        model, what = draft.model, What(self.what)
        if what not in TOGETHER:
            _PUT[what](draft, _mask(model, what, self.rows))
            return
        for each in TOGETHER[what]:
            if _is_possible(draft.model, each):
                _PUT[each](draft, _mask(draft.model, each, None))


def _is_possible(model: Model, what: What) -> bool:
    """Whether a model has what is computed, and what it is computed from."""
    if what is What.HEADER:
        return model.header is not None and posed_bounds(model, SEED) is not None
    if what is What.LINKS and model.variant is Variant.TERRAIN:
        return False
    table = _table(model, what)
    return table is not None and model.has(table)


def _mask(model: Model, what: What, rows: tuple[int, ...] | None) -> Mask:
    """The chosen rows of the table."""
    table = _table(model, what)
    count = 0 if table is None else len(model.rows(table))
    chosen = np.full(count, rows is None)
    if rows is not None and table is not None:
        outside = [row for row in rows if not 0 <= row < count]
        if outside:
            raise EditError(
                Sentence("there are {count} rows", count=count), table=TABLES[table].name, index=outside[0]
            )
        chosen[[*rows]] = True
    return chosen


def _table(model: Model, what: What) -> int | None:
    """The table whose rows are chosen; None for the header."""
    match what:
        case What.BOUNDS:
            return SLOTS
        case What.VERTEX_NORMALS:
            return NORMALS
        case What.VERTEX_COUNTS:
            return BATCHES
        case What.HEADER:
            return None
    return face_table(model)


_NODE_FIELDS: Final = ("parent", "map_start", "fallback_key", "slots")


def geometry_follows(_before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield what follows from moved vertices and other triangles."""
    models = _models(draft)
    if models is None:
        return
    was, now = models
    if has_other_indices(was, now):
        yield from _made(Topic.VERTEX_COUNTS, What.VERTEX_COUNTS, vertex_tables.changed_counts(was, now))
        yield from _unused(was, now)
    compared = ComparedModels.of(was, now)
    if compared is None:
        return
    yield from _made(Topic.BOUNDS, What.BOUNDS, measures.moved_slots(compared))
    yield from _made(Topic.NORMALS, What.FACE_NORMALS, measures.turned_faces(compared))
    turned = measures.turned_vertices(compared)
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
