"""Links between the descriptors of triangles that share an edge.

A link fits if the two triangles share two vertex positions. Links that fit stay; others become the triangle
of the same slot at the other side of the edge, or none.

Source: spec/msh.md 6, 12; spec/field-notes.md 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viewer.formats.msh.tables import TRIANGLES
from viewer.formats.msh.triangles import NO_SELECTOR
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.record import Rows
from viewer.geometry.transforms import Floats
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import NONE, Mask, SlotTriangles
from viewer.model.edit.geometry.vertex_tables import (
    ComparedModels,
    put,
    refuse_terrain,
    rows_of,
    slots_of_rows,
    with_linked,
)
from viewer.model.mesh.draws import Indices
from viewer.model.mesh.model import Model, Variant


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
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
        place = np.full(count + 1, NONE, np.int64)
        place[rows] = np.arange(len(rows))
        slot, corners = (it[of_row[rows]].astype(np.int64) for it in (known.slot, known.corners))
        return cls(rows, place, slot, _numbered(known.positions, corners))

    def fits(self, links: Indices) -> Mask:
        """Links (k, 3) of `rows` to a descriptor that shares two positions; unknown ones fit."""
        count = len(self.place) - 1
        target = self.place[np.minimum(links, count)]
        other = self.corners[target] if len(self.corners) else np.zeros((*links.shape, 3), np.int64)
        shared = np.zeros(links.shape, np.int64)
        for corner in range(3):
            shared += (other == self.corners[:, corner, None, None]).any(axis=2)
        fitting: Mask = (links < count) & ((shared >= 2) | (target == NONE))
        return fitting

    def neighbors(self) -> tuple[Indices, Indices]:
        """Descriptor and edge at the other side of every edge, (k, 3) each; -1 if there is none.

        Triangles that run along an edge in opposite directions are paired, the first with the first, and
        then those that are left.
        """
        order, key = self._sorted()
        row, number = np.divmod(order, 3)
        at, other = _pairs(key)
        is_other = row[at] != row[other]
        at, other = at[is_other], other[is_other]
        found, edge = np.full((2, self.corners.size), NONE, np.int64)
        found[order[at]], edge[order[at]] = self.rows[row[other]], number[other]
        return found.reshape(-1, 3), edge.reshape(-1, 3)

    def _sorted(self) -> tuple[Indices, Indices]:
        """The edges between two positions, by slot, positions and direction, and their keys, (e,) each.

        Keys of edges between the same positions of a slot differ in the last bit, their direction.
        """
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
        return usable[order], key[order]


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
    beside = np.arange(len(key)) + 1 - 2 * (left & 1)
    other = np.where(left < 0, begin + rank + (1 - is_back) * ahead, beside)
    has_partner = (left < 0) | (left + 1 - 2 * (left & 1) < size - 2 * paired)
    return np.flatnonzero(has_partner), other[has_partner]


def _numbered(positions: Floats, corners: Indices) -> Indices:
    """Numbers of the positions of corners (k, 3); equal positions have one number."""
    is_used = np.zeros(len(positions), np.bool_)
    is_used[corners] = True
    # Adding 0 makes -0.0 and 0.0 the same bits. Three words of 32 bits do not fit one key: x and y get one
    # number first, then this number and z.
    words = (positions[is_used] + np.float32(0)).view(np.uint32).astype(np.uint64)
    _, flat = np.unique(words[:, 0] << np.uint64(32) | words[:, 1], return_inverse=True)
    _, number = np.unique(flat.astype(np.uint64) << np.uint64(32) | words[:, 2], return_inverse=True)
    numbers: Indices = number.reshape(-1)[(np.cumsum(is_used) - 1)[corners]]
    return numbers


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
    rows, model = rows_of(draft, TRIANGLES), draft.model
    slots = with_linked(model, slots_of_rows(model, is_new | is_lost.any(axis=1)))
    edges = Edges.of(SlotTriangles.of(model, slots), len(rows))
    found, edge = edges.neighbors()
    found[found >= NO_LINK] = NONE
    leads_to_new = np.append(is_new, np.False_)[found]
    is_wanted = is_new[edges.rows][:, None] | is_lost[edges.rows] | leads_to_new
    is_written = is_wanted & (rows["links"][edges.rows] == NO_LINK) & (found != NONE)
    _write(rows, edges.rows, np.where(is_written, found, NONE - 1), edge)
    put(draft, TRIANGLES, rows)


def _put(draft: Draft, chosen: Mask, *, has_new: bool) -> None:
    refuse_terrain(draft, TRIANGLES)
    rows, model = rows_of(draft, TRIANGLES), draft.model
    slots = with_linked(model, slots_of_rows(model, chosen))
    edges = Edges.of(SlotTriangles.of(model, slots), len(rows))
    links = rows["links"][edges.rows].astype(np.int64)
    found, edge = edges.neighbors()
    is_written = np.where(links == NO_LINK, has_new & (found != NONE), ~edges.fits(links))
    is_written &= chosen[edges.rows][:, None]
    found[found >= NO_LINK] = NONE
    edge[found == NONE] = NONE
    _write(rows, edges.rows, np.where(is_written, found, NONE - 1), edge)
    outside = chosen[:, None] & (rows["links"] != NO_LINK) & (rows["links"] >= len(rows))
    _write(rows, np.arange(len(rows)), np.where(outside, NONE, NONE - 1), np.full(outside.shape, NONE))
    put(draft, TRIANGLES, rows)


def _write(rows: Rows, chosen: Indices, found: Indices, edge: Indices) -> None:
    """Set links (k, 3) and selectors of the chosen rows; -1 is none, -2 leaves what is there."""
    is_written = found != NONE - 1
    rows["links"][chosen] = np.where(
        is_written, np.where(found == NONE, NO_LINK, found), rows["links"][chosen]
    )
    selectors = rows["selectors"][chosen].astype(np.int64)
    for number in range(3):
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


def parted(compared: ComparedModels) -> Mask:
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
