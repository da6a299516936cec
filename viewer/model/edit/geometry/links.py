"""Links between the descriptors of triangles that share an edge.

A link fits if the two triangles share two vertex positions. Links that fit stay; others become the triangle
of the same slot at the other side of the edge, or none.

Source: spec/msh.md 6, 12; spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.errors import EditError, FormatError
from viewer.formats.msh import tables
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.triangles import NO_SELECTOR
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.record import Rows
from viewer.geometry.transforms import Indices, Mask
from viewer.model.edit.change import Change, Consequence, Topic, change, refuse_missing
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry import measures, vertex_tables
from viewer.model.edit.geometry.slot_triangles import NONE, SlotTriangles
from viewer.model.edit.typed_words import Fields, Typed, Word
from viewer.model.edit.values import NodeChoice
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import SEED
from viewer.model.mesh.triangle_query import position_numbers
from viewer.translation import _


class Edges(Struct, frozen=True, eq=False):
    """The edges of the triangles of some descriptors.

    Attributes
    ----------
    rows
        The descriptors, (k,) int64, ascending.
    place
        The place of every descriptor among `rows`, (n + 1,) int64; -1 if it is not there.
    slot
        Slot of each triangle, (k,) int64.
    corners
        Number of the position of each of its corners, (k, 3) int64; equal positions have one number.
    """

    rows: Indices
    place: Indices
    slot: Indices
    corners: Indices

    @classmethod
    def of(cls, known: SlotTriangles, count: int) -> Edges:
        """The edges of triangles, whose model has `count` descriptors."""
        of_row = known.of_rows(count)
        rows = np.flatnonzero(of_row != NONE)
        # One element more, so that a link beyond the table finds NONE there instead of needing a mask.
        place = np.full(count + 1, NONE, np.int64)
        place[rows] = np.arange(len(rows))
        slot, corners = (it[of_row[rows]].astype(np.int64) for it in (known.slot, known.corners))
        return cls(rows, place, slot, position_numbers(known.positions, corners))

    def fits(self, links: Indices) -> Mask:
        """Links (k, 3) of `rows` to a descriptor that shares two positions; unknown ones fit."""
        count = len(self.place) - 1
        target = self.place[np.minimum(links, count)]
        other = self.corners[target] if len(self.corners) else np.zeros((*links.shape, 3), np.int64)
        shared = np.zeros(links.shape, np.int64)
        for corner in range(3):
            # Corners with one number have one position: two shared positions are a shared edge, whatever the
            # vertices are.
            shared += (other == self.corners[:, corner, None, None]).any(axis=2)
        fitting: Mask = (links < count) & ((shared >= 2) | (target == NONE))
        return fitting

    def neighbors(self) -> tuple[Indices, Indices]:
        """Descriptor and edge at the other side of every edge, (k, 3) each; -1 if there is none.

        Triangles that run along an edge in opposite directions are paired, the first with the first, and
        then those that are left.
        """
        # The edges between two positions, by slot, positions and direction, and their keys, (e,) each
        start, end = self.corners.reshape(-1), np.roll(self.corners, -1, axis=1).reshape(-1)
        count = int(start.max(initial=0)) + 1
        key = (np.repeat(self.slot, 3) * count + np.minimum(start, end)) * count + np.maximum(start, end)
        # Positions 3 and 7 of slot 1, of 10 positions: 137 from either end; edge 3-7 is 274, edge 7-3 is 275.
        key = 2 * key + (start > end)
        usable = np.flatnonzero(start != end)
        key = key[usable]
        order = np.argsort(key)
        # A stable sort takes several times longer than this one and another of the equal keys: of n edges,
        # the one at index i with the r-th key is r * n + i; sorting these numbers orders equal keys by index.
        rank = np.cumsum(np.append(0, np.diff(key[order]) != 0)[: len(order)])
        order = np.sort(rank * len(order) + order) % max(1, len(order))
        order, key = usable[order], key[order]
        row, number = np.divmod(order, 3)
        at, other = _pairs(key)
        is_other = row[at] != row[other]
        at, other = at[is_other], other[is_other]
        found, edge = np.full((2, self.corners.size), NONE, np.int64)
        found[order[at]], edge[order[at]] = self.rows[row[other]], number[other]
        return found.reshape(-1, 3), edge.reshape(-1, 3)


def _pairs(key: Indices) -> tuple[Indices, Indices]:
    """The sorted edges that have a partner, and their partners, (p,) each."""
    if not len(key):
        return key, key
    # Of the keys 6 6 6 7 7 9 the first five are one group: 3 edges ahead, 2 back. Edge 0 is paired with 3
    # and 1 with 4; edge 2 is left (left = 0) and would pair with the next (left = 1) if there were one.
    is_first = np.append(True, np.diff(key >> 1) != 0)
    group = np.cumsum(is_first) - 1
    begin, is_back = np.flatnonzero(is_first)[group], key & 1
    size = np.bincount(group)[group]
    ahead = size - np.bincount(group, is_back).astype(np.int64)[group]
    rank = np.arange(len(key)) - begin - is_back * ahead
    paired = np.minimum(ahead, size - ahead)
    left = rank - paired
    adjacent = np.arange(len(key)) + 1 - 2 * (left & 1)
    other = np.where(left < 0, begin + rank + (1 - is_back) * ahead, adjacent)
    has_partner = (left < 0) | (left + 1 - 2 * (left & 1) < size - 2 * paired)
    return np.flatnonzero(has_partner), other[has_partner]


def linked(found: Indices, edge: Indices) -> tuple[Indices, Indices]:
    """Links (k, 3) and selectors (k,) as they are stored, of the `neighbors` of edges."""
    is_none = (found == NONE) | (found >= NO_LINK)
    selectors = np.where(is_none, NO_SELECTOR, edge) << np.array([0, 2, 4])
    return np.where(is_none, NO_LINK, found), selectors.sum(axis=1)


def put_links(draft: Draft, chosen: Mask) -> None:
    """Write all links of the chosen descriptors (n,), also where there was none."""
    _put(draft, chosen, has_new=True)


def put_broken_links(draft: Draft, chosen: Mask) -> None:
    """Write those links of the chosen descriptors (n,) that do not fit."""
    _put(draft, chosen, has_new=False)


def put_new_links(draft: Draft, is_new: Mask, is_lost: Mask) -> None:
    """Write links where there are none.

    Parameters
    ----------
    is_new
        Descriptors (n,) whose links are wanted, and those of others to them.
    is_lost
        Links (n, 3) that led to a descriptor that is gone.
    """
    edges, found, edge = _edges(draft.model, is_new | is_lost.any(axis=1))
    found[found >= NO_LINK] = NONE
    # `found` is -1 for no neighbor, which picks the appended False.
    leads_to_new = np.append(is_new, np.False_)[found]
    is_wanted = is_new[edges.rows][:, None] | is_lost[edges.rows] | leads_to_new
    with vertex_tables.edited(draft, tables.TRIANGLES) as rows:
        is_written = is_wanted & (rows["links"][edges.rows] == NO_LINK) & (found != NONE)
        # NONE writes "no link", NONE - 1 leaves what is stored.
        _write(rows, edges.rows, np.where(is_written, found, NONE - 1), edge)


def _edges(model: Model, chosen: Mask) -> tuple[Edges, Indices, Indices]:
    """The edges of slots with some descriptors (n,) and of those linked to them, with their neighbors."""
    slots = vertex_tables.with_linked(model, vertex_tables.slots_of_rows(model, chosen))
    edges = Edges.of(SlotTriangles.of(model, slots), len(model.tri_descriptors))
    return edges, *edges.neighbors()


def _put(draft: Draft, chosen: Mask, *, has_new: bool) -> None:
    vertex_tables.refuse_terrain(draft, tables.TRIANGLES)
    with vertex_tables.edited(draft, tables.TRIANGLES) as rows:
        edges, found, edge = _edges(draft.model, chosen)
        links = rows["links"][edges.rows].astype(np.int64)
        is_written = np.where(links == NO_LINK, has_new & (found != NONE), ~edges.fits(links))
        is_written &= chosen[edges.rows][:, None]
        found[found >= NO_LINK] = NONE
        edge[found == NONE] = NONE
        _write(rows, edges.rows, np.where(is_written, found, NONE - 1), edge)
        outside = chosen[:, None] & (rows["links"] != NO_LINK) & (rows["links"] >= len(rows))
        _write(rows, np.arange(len(rows)), np.where(outside, NONE, NONE - 1), np.full(outside.shape, NONE))


def _write(rows: Rows, chosen: Indices, found: Indices, edge: Indices) -> None:
    """Set links (k, 3) and selectors of the chosen rows; -1 is none, -2 leaves what is there."""
    is_written = found != NONE - 1
    rows["links"][chosen] = np.where(
        is_written, np.where(found == NONE, NO_LINK, found), rows["links"][chosen]
    )
    selectors = rows["selectors"][chosen].astype(np.int64)
    for number in range(3):
        # Two bits for each edge: 0 to 2 is the edge of the neighbor, 3 is none. Bits 6 to 15 of the word
        # stay.
        bits = np.where(edge[:, number] == NONE, NO_SELECTOR, edge[:, number]) << 2 * number
        kept = selectors & ~(NO_SELECTOR << 2 * number)
        selectors = np.where(is_written[:, number], kept | bits, selectors)
    rows["selectors"][chosen] = selectors


def broken_rows(model: Model) -> Mask:
    """Descriptors (n,) with a link that does not fit, or to a descriptor that does not exist."""
    links = model.tri_descriptors["links"].astype(np.int64)
    edges = Edges.of(SlotTriangles.of(model), len(links))
    broken: Mask = ((links != NO_LINK) & (links >= len(links))).any(axis=1)
    of_known = links[edges.rows]
    broken[edges.rows] |= ((of_known != NO_LINK) & ~edges.fits(of_known)).any(axis=1)
    return broken


def parted(compared: vertex_tables.ComparedModels) -> Mask:
    """Descriptors (n,) with a link that fitted and does not any more; none if descriptors were added."""
    was, now = compared.was.tri_descriptors["links"], compared.now.tri_descriptors["links"]
    found = np.zeros(len(now), np.bool_)
    if compared.now.variant is Variant.TERRAIN or len(was) != len(now) or not len(now):
        return found
    before, after = Edges.of(compared.before, len(was)), Edges.of(compared.after, len(now))
    if not np.array_equal(before.rows, after.rows):
        return found
    links = now[after.rows].astype(np.int64)
    is_kept = (links != NO_LINK) & (now == was)[after.rows]
    found[after.rows] = (is_kept & before.fits(links) & ~after.fits(links)).any(axis=1)
    return found


class DerivedData(StrEnum):
    """The data that can be computed again; the values are those of the command line."""

    BOUNDS = "bounds"
    HEADER = "header"
    NORMALS = "normals"
    LINKS = "links"
    ALL = "all"
    FACE_NORMALS = "face-normals"
    VERTEX_NORMALS = "vertex-normals"
    BROKEN_LINKS = "broken-links"
    VERTEX_COUNTS = "vertex-counts"


TOGETHER: Final[Mapping[DerivedData, tuple[DerivedData, ...]]] = {
    DerivedData.NORMALS: (DerivedData.FACE_NORMALS, DerivedData.VERTEX_NORMALS),
    DerivedData.ALL: (
        DerivedData.BOUNDS,
        DerivedData.HEADER,
        DerivedData.FACE_NORMALS,
        DerivedData.VERTEX_NORMALS,
        DerivedData.LINKS,
    ),
}
"""Kinds that stand for several others together."""
_METHODS: Final[Mapping[DerivedData, tuple[str, Callable[[Draft, Mask], None] | None]]] = {
    DerivedData.BOUNDS: (_("recompute slot bounds"), measures.put_slot_bounds),
    DerivedData.HEADER: (
        _("recompute the bounds in the header"),
        lambda draft, _ignored: measures.put_header(draft),
    ),
    DerivedData.NORMALS: (_("recompute normals"), None),
    DerivedData.LINKS: (_("recompute neighbor links"), put_links),
    DerivedData.ALL: (_("recompute bounds, normals and links"), None),
    DerivedData.FACE_NORMALS: (_("recompute face normals"), measures.put_face_normals),
    DerivedData.VERTEX_NORMALS: (_("recompute vertex normals"), measures.put_vertex_normals),
    DerivedData.BROKEN_LINKS: (_("repair neighbor links that do not fit"), put_broken_links),
    DerivedData.VERTEX_COUNTS: (_("recompute the vertex counts of batches"), vertex_tables.put_vertex_counts),
}
"""The words of each, and what writes the chosen rows; None for what stands for several."""


def recompute_fields(words: Sequence[str]) -> Fields:
    """``WHAT`` or ``WHAT:NODE``."""
    what, colon, node = words[0].partition(":")
    return {"what": what, **({"node": node} if colon else {})}


@change(
    "recompute",
    typed=Typed(
        "recompute bounds, header, normals, links or all from the triangles, of all nodes or of one",
        (Word("WHAT[:NODE]"),),
        recompute_fields,
    ),
    icon="calculator",
    menu={
        "recompute_bounds": _("Recompute its bounds"),
        "recompute_vertex-counts": _("Recompute its vertex count"),
        "recompute_face-normals": _("Recompute face normals"),
        "recompute_links": _("Recompute neighbor links"),
        "recompute_vertex-normals": _("Recompute vertex normals"),
    },
)
class Recompute(Change, frozen=True):
    """Compute something again from the triangles.

    Parameters
    ----------
    what
        What.
    rows
        The slots, descriptors, vertices or batches; None for all. Not for the header and for what stands for
        several.
    node
        The node, by index or name, whose slots alone are looked at; None for all. The header is that of all.
    """

    what: DerivedData
    rows: tuple[int, ...] | None = None
    node: NodeChoice | None = None

    @property
    def words(self) -> str:
        """The name of the computed data, and the number of rows if not all."""
        words = _METHODS[DerivedData(self.what)][0]
        if self.node is not None:
            return _("{words} of node {node}", words=words, node=self.node)
        if self.rows is None:
            return words
        if len(self.rows) == 1:
            return _("{words} of row {row}", words=words, row=self.rows[0])
        return _("{words} of {count} rows", words=words, count=len(self.rows))

    def apply(self, draft: Draft) -> None:
        """Write the computed values that differ; raises `EditError` for rows and tables that do not exist."""
        what = DerivedData(self.what)
        if self.rows is not None and what in TOGETHER:
            raise EditError(_("{what} are of several tables; rows are of one", what=what))
        for each in TOGETHER.get(what, (what,)):
            _ignored, put_rows = _METHODS[each]
            if put_rows is None or not (each is what or _is_possible(draft.model, each)):
                continue
            table = _table(draft.model, each)
            if table is not None:
                put_rows(draft, self._chosen(draft, table))
            elif self.node is None:
                put_rows(draft, np.zeros(0, np.bool_))
            elif each is what:
                raise EditError(_("is that of all nodes"), table=HEADER.name)

    def _chosen(self, draft: Draft, table: int) -> Mask:
        """Rows of a table that are computed."""
        count = len(draft.model.rows(table))
        chosen = np.full(count, self.rows is None)
        if self.rows is not None:
            refuse_missing(self.rows, count, tables.TABLES[table].name)
            chosen[[*self.rows]] = True
        if self.node is not None:
            chosen &= vertex_tables.rows_of_node(draft, self.node, table)
        return chosen


def _is_possible(model: Model, what: DerivedData) -> bool:
    """Whether a model has what is computed, and what it is computed from."""
    if what is DerivedData.HEADER:
        return model.header is not None and measures.posed_bounds(model, SEED) is not None
    if what is DerivedData.LINKS and model.variant is Variant.TERRAIN:
        return False
    table = _table(model, what)
    return table is not None and model.has(table)


def _table(model: Model, what: DerivedData) -> int | None:
    """The table whose rows are chosen; None for the header."""
    match what:
        case DerivedData.BOUNDS:
            return tables.SLOTS
        case DerivedData.VERTEX_NORMALS:
            return tables.NORMALS
        case DerivedData.VERTEX_COUNTS:
            return tables.BATCHES
        case DerivedData.HEADER:
            return None
    return measures.face_table(model)


_NODE_FIELDS: Final = ("parent", "map_start", "fallback_key", "slots")


def geometry_follows(_before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Consequences of moved vertices and other triangles."""
    models = _models(draft)
    if models is None:
        return
    was, now = models
    if vertex_tables.has_other_indices(was, now):
        yield from _made(
            Topic.VERTEX_COUNTS, DerivedData.VERTEX_COUNTS, vertex_tables.changed_counts(was, now)
        )
        # The removal of vertices is offered if batches leave more of them unused than before
        is_comparable = now.variant is not Variant.TERRAIN and was.vertex_count == now.vertex_count
        if is_comparable and (vertex_tables.used_vertices(was) & ~vertex_tables.used_vertices(now)).any():
            yield Consequence(Topic.UNUSED_VERTICES, vertex_tables.RemoveUnusedVertices(), is_default=False)
    compared = vertex_tables.ComparedModels.of(was, now)
    if compared is None:
        return
    yield from _made(Topic.BOUNDS, DerivedData.BOUNDS, measures.moved_slots(compared))
    yield from _made(Topic.NORMALS, DerivedData.FACE_NORMALS, measures.turned_faces(compared))
    turned = measures.turned_vertices(compared)
    yield from _made(Topic.NORMALS, DerivedData.VERTEX_NORMALS, turned, is_default=False)
    yield from _made(Topic.LINKS, DerivedData.BROKEN_LINKS, parted(compared))


def header_follows(_before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Offer the bounds in the header after something moved that the rest pose may show.

    Whether they still fit is found when they are recomputed.
    """
    models = _models(draft)
    if models is not None and _has_other_pose(*models):
        yield Consequence(Topic.HEADER, Recompute(DerivedData.HEADER), is_default=False)


def _models(draft: Draft) -> tuple[Model, Model] | None:
    """The model before and after the changes; None if nothing changed, or if it cannot be read."""
    if draft.kind is not MODEL or not draft.splices:
        return None
    try:
        return draft.first_model, draft.model
    except FormatError:
        return None


def _made(topic: Topic, what: DerivedData, rows: Mask, *, is_default: bool = True) -> Iterator[Consequence]:
    if rows.any():
        yield Consequence(topic, Recompute(what, tuple(np.flatnonzero(rows).tolist())), is_default)


def _has_other_pose(was: Model, now: Model) -> bool:
    """Whether what is drawn in the rest pose may lie elsewhere."""
    if now.variant is not Variant.MODEL:
        return False
    shown: tuple[tuple[int, tuple[str, ...]], ...] = (
        (tables.POSITIONS, ()),
        (tables.NODES, _NODE_FIELDS),
        (tables.KEYS, ()),
        (tables.FRAME_MAP, ()),
        (tables.SLOTS, vertex_tables.SLOT_FIELDS),
    )
    return vertex_tables.has_other_indices(was, now) or any(
        vertex_tables.differs(was, now, *it) for it in shown
    )
