"""Bounds, normals and neighbors computed again, on request or as a consequence of other changes.

Source: spec/msh.md 12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh.tables import BATCHES, NORMALS, SLOTS, TABLES
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.bounds import posed_bounds, put_header, put_slot_bounds
from viewer.model.edit.geometry.links import put_broken_links, put_links
from viewer.model.edit.geometry.normals import face_table, put_face_normals, put_vertex_normals
from viewer.model.edit.geometry.slot_triangles import Mask
from viewer.model.edit.geometry.vertex_counts import put_vertex_counts
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
