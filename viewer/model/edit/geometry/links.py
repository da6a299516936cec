"""Links between the descriptors of triangles that share an edge.

A link fits if the two triangles share two vertex positions. Links that fit stay; others become the triangle
of the same slot at the other side of the edge, or none.

Source: spec/msh.md 6, 12; spec/field-notes.md 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh.tables import TRIANGLES
from viewer.formats.msh.triangles import NO_SELECTOR, TRIANGLE
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import NONE, Mask, SlotTriangles
from viewer.model.edit.geometry.table_rows import put, rows_of
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.ranges import Indices
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The edges of the triangles of all descriptors.

    Attributes
    ----------
    slot
        Slot of the triangle of each descriptor, (n,) int64; -1 if it has none.
    corners
        Number of the position of each of its corners, (n, 3) int64; equal positions have one number.
    position_count
        Number of distinct positions.
    """

    slot: Indices
    corners: Indices
    position_count: int

    @classmethod
    def of(cls, model: Model) -> Edges:
        """The edges of a model."""
        known = SlotTriangles.of(model)
        of_row = known.of_rows(len(model.tri_descriptors))
        positions = np.ascontiguousarray(known.positions + np.float32(0))
        distinct, number = np.unique(positions.view("V12").reshape(-1), return_inverse=True)
        slot = np.full(len(of_row), NONE, np.int64)
        corners = np.full((len(of_row), 3), NONE, np.int64)
        is_known = of_row != NONE
        slot[is_known] = known.slot[of_row[is_known]]
        corners[is_known] = number.reshape(-1)[known.corners[of_row[is_known]]]
        return cls(slot, corners, len(distinct))

    def fits(self, links: Indices) -> Mask:
        """Links (n, 3) to a descriptor that shares two positions; those that cannot be judged fit."""
        count = len(self.slot)
        is_there = links < count
        target = np.where(is_there, links, 0)
        other = self.corners[target] if count else np.zeros((*links.shape, 3), np.int64)
        shared = (self.corners[:, None, :, None] == other[:, :, None, :]).any(axis=3).sum(axis=2)
        is_unknown = (self.slot[:, None] == NONE) | (self.slot[target] == NONE if count else False)
        fitting: Mask = is_there & ((shared >= 2) | is_unknown)
        return fitting

    def neighbors(self) -> tuple[Indices, Indices]:
        """Descriptor and edge at the other side of every edge, (n, 3) each; -1 if there is none.

        A triangle that runs along the edge in the other direction is preferred.
        """
        start, end = self.corners, np.roll(self.corners, -1, axis=1)
        usable = (self.slot[:, None] != NONE) & (start != end)
        here, back = self._keys(start, end), self._keys(end, start)
        found = np.full(start.shape, NONE, np.int64)
        edge = np.full(start.shape, NONE, np.int64)
        where = np.flatnonzero(usable.reshape(-1))
        order = where[np.argsort(here.reshape(-1)[where], kind="stable")]
        ordered = here.reshape(-1)[order]
        for wanted in (here, back):
            for is_last in (True, False):
                self._look_up(wanted, ordered, order, found, edge, is_last=is_last)
        found[~usable] = edge[~usable] = NONE
        return found, edge

    def _keys(self, start: Indices, end: Indices) -> Indices:
        return (self.slot[:, None] * self.position_count + start) * self.position_count + end

    def _look_up(
        self,
        wanted: Indices,
        ordered: Indices,
        order: Indices,
        found: Indices,
        edge: Indices,
        *,
        is_last: bool,
    ) -> None:
        """Write descriptor and edge of the first or last edge with each wanted key, unless it is its own."""
        if not len(ordered):
            return
        at = np.searchsorted(ordered, wanted, "right") - 1 if is_last else np.searchsorted(ordered, wanted)
        at = np.clip(at, 0, len(ordered) - 1)
        row, number = np.divmod(order[at], 3)
        is_match = (ordered[at] == wanted) & (row != np.arange(len(wanted))[:, None])
        found[is_match], edge[is_match] = row[is_match], number[is_match]


def put_links(draft: Draft, chosen: Mask) -> None:
    """Write all links of the chosen descriptors (n,), also where there was none."""
    _put(draft, chosen, has_new=True)


def put_broken_links(draft: Draft, chosen: Mask) -> None:
    """Write those links of the chosen descriptors (n,) that do not fit."""
    _put(draft, chosen, has_new=False)


def _put(draft: Draft, chosen: Mask, *, has_new: bool) -> None:
    if draft.model.variant is Variant.TERRAIN:
        raise EditError(Sentence("a terrain has no neighbor links of this kind"), table=TRIANGLE.name)
    rows = rows_of(draft, TRIANGLES)
    edges = Edges.of(draft.model)
    links = rows["links"].astype(np.int64)
    found, edge = edges.neighbors()
    is_open = links == NO_LINK
    is_written = np.where(is_open, has_new & (found != NONE), ~edges.fits(links)) & chosen[:, None]
    limit = (found >= NO_LINK) & is_written
    found[limit] = edge[limit] = NONE
    rows["links"] = np.where(is_written, np.where(found == NONE, NO_LINK, found), links)
    selectors = rows["selectors"].astype(np.int64)
    for number in range(3):
        bits = np.where(edge[:, number] == NONE, NO_SELECTOR, edge[:, number]) << 2 * number
        kept = selectors & ~(NO_SELECTOR << 2 * number)
        selectors = np.where(is_written[:, number], kept | bits, selectors)
    rows["selectors"] = selectors
    put(draft, TRIANGLES, rows)


def broken_rows(model: Model) -> Mask:
    """Descriptors (n,) with a link that does not fit, or to a descriptor that does not exist."""
    links = model.tri_descriptors["links"].astype(np.int64)
    broken: Mask = ((links != NO_LINK) & ~Edges.of(model).fits(links)).any(axis=1)
    return broken


def parted(was: Model, now: Model) -> Mask:
    """Descriptors (n,) with a link that fitted and does not any more; none if descriptors were added."""
    if now.variant is Variant.TERRAIN or len(was.tri_descriptors) != len(now.tri_descriptors):
        return np.zeros(len(now.tri_descriptors), np.bool_)
    links = now.tri_descriptors["links"].astype(np.int64)
    is_kept = (links != NO_LINK) & (links == was.tri_descriptors["links"])
    found: Mask = (is_kept & Edges.of(was).fits(links) & ~Edges.of(now).fits(links)).any(axis=1)
    return found
