"""Triangles flipped and removed; descriptors, ranges and links follow in the same step.

Triangles are numbered by the position of their first index, divided by 3, as ``draws`` and picking do.

Source: spec/msh.md 5, 6, 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh.tables import BATCHES, INDICES, SLOTS, TRIANGLES
from viewer.formats.msh.triangles import ALL_NONE, NO_SELECTOR
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import NONE, Mask, SlotTriangles
from viewer.model.edit.geometry.vertex_tables import put, refuse_terrain, replace, rows_of
from viewer.model.mesh.draws import Indices, expand
from viewer.model.mesh.model import Model
from viewer.translation import Sentence

TRIANGLE: Final = "triangles"
"""How errors call the triangles."""


@dataclass(frozen=True, slots=True)
class FlipTriangles:
    """Turn triangles over: their winding, and with it their face normals.

    Parameters
    ----------
    triangles
        Numbers of triangles.
    """

    triangles: tuple[int, ...]

    @property
    def words(self) -> str:
        """The triangle, or how many."""
        return _counted("flip", self.triangles)

    def apply(self, draft: Draft) -> None:
        """Swap two corners of each; raises `EditError` for a triangle that does not exist."""
        refuse_terrain(draft, INDICES)
        flip(draft, _firsts(draft.model, self.triangles))


@dataclass(frozen=True, slots=True)
class RemoveTriangles:
    """Remove triangles with their descriptors; their vertices stay.

    Parameters
    ----------
    triangles
        Numbers of triangles.
    """

    triangles: tuple[int, ...]

    @property
    def words(self) -> str:
        """The triangle, or how many."""
        return _counted("remove", self.triangles)

    def apply(self, draft: Draft) -> None:
        """Remove them; raises `EditError` for one that does not exist, or of which others use a part."""
        refuse_terrain(draft, INDICES)
        remove(draft, _firsts(draft.model, self.triangles))


def _counted(verb: str, triangles: tuple[int, ...]) -> str:
    if len(triangles) == 1:
        return Sentence("{verb} triangle {triangle}", verb=Sentence.of(verb), triangle=triangles[0])
    return Sentence("{verb} {count} triangles", verb=Sentence.of(verb), count=len(triangles))


def all_firsts(model: Model) -> Indices:
    """The first index of every triangle of every batch whose indices exist, (t,), with repetitions."""
    start = model.batches["index_start"].astype(np.int64)
    count = model.batches["index_count"].astype(np.int64)
    is_there = start + count <= len(model.indices)
    start, count = start[is_there], count[is_there] // 3
    return expand(np.zeros(len(start), np.int64), count) * 3 + np.repeat(start, count)


def _firsts(model: Model, triangles: tuple[int, ...]) -> Indices:
    """The first indices of triangles by their numbers, ascending."""
    firsts = np.unique(all_firsts(model))
    missing = set(triangles).difference((firsts // 3).tolist())
    if missing:
        raise EditError(Sentence("no batch has this triangle"), table=TRIANGLE, index=min(missing))
    found: Indices = firsts[np.isin(firsts // 3, triangles)]
    return found


def flip(draft: Draft, firsts: Indices) -> None:
    """Swap the last two corners of triangles given by their first indices, with their links and selectors."""
    triangles = SlotTriangles.of(draft.model)
    rows = rows_of(draft, INDICES)
    rows["index"][firsts + 1], rows["index"][firsts + 2] = (
        rows["index"][firsts + 2],
        rows["index"][firsts + 1],
    )
    if draft.model.has(TRIANGLES):
        turned = np.unique(triangles.row[np.isin(triangles.first, firsts)])
        put(draft, TRIANGLES, _flipped(rows_of(draft, TRIANGLES), turned[turned != NONE]))
    put(draft, INDICES, rows)


def _flipped(rows: Rows, turned: Indices) -> Rows:
    """Descriptors after some were turned: their edges 0 and 2 change places, also for their neighbors."""
    is_turned = np.zeros(len(rows) + 1, np.bool_)
    is_turned[turned] = True
    links, words = rows["links"].astype(np.int64), rows["selectors"].astype(np.int64)
    selectors = words[:, None] >> np.array([0, 2, 4]) & NO_SELECTOR
    leads = is_turned[np.minimum(links, len(rows))]
    selectors = np.where(leads & (selectors != NO_SELECTOR), 2 - selectors, selectors)
    links[turned], selectors[turned] = links[turned][:, ::-1], selectors[turned][:, ::-1]
    rows["links"] = links
    rows["selectors"] = words & ~ALL_NONE | (selectors << np.array([0, 2, 4])).sum(axis=1)
    return rows


def remove(draft: Draft, firsts: Indices) -> None:
    """Remove triangles given by their first indices, with their descriptors."""
    model = draft.model
    is_gone = np.zeros(len(model.indices), np.bool_)
    is_gone[(firsts[:, None] + np.arange(3)).reshape(-1)] = True
    _refuse_torn(model, is_gone)
    batches, slots = rows_of(draft, BATCHES), rows_of(draft, SLOTS)
    _shrink(batches, ("index_start", "index_count"), ~is_gone)
    made = {INDICES: rows_of(draft, INDICES)[~is_gone], BATCHES: batches}
    if model.has(TRIANGLES):
        kept = ~_gone_descriptors(model, is_gone)
        _shrink(slots, ("tri_start", "tri_count"), kept)
        made |= {SLOTS: slots, TRIANGLES: without_descriptors(rows_of(draft, TRIANGLES), kept)}
    replace(draft, made)


def _refuse_torn(model: Model, is_gone: Mask) -> None:
    """Refuse to remove indices that other triangles use together with indices that stay."""
    firsts = np.unique(all_firsts(model))
    parts = is_gone[firsts[:, None] + np.arange(3)].sum(axis=1)
    is_torn = (parts != 0) & (parts != 3)
    if is_torn.any():
        raise EditError(
            Sentence("shares indices with triangles that are to be removed"),
            table=TRIANGLE,
            index=int(firsts[is_torn][0]) // 3,
        )


def _gone_descriptors(model: Model, is_gone: Mask) -> Mask:
    """The descriptors of removed triangles, (n,); refuses those of which another triangle stays."""
    triangles = SlotTriangles.of(model)
    is_removed = is_gone[triangles.first]
    found = np.zeros(len(model.tri_descriptors), np.bool_)
    found[triangles.row[is_removed & (triangles.row != NONE)]] = True
    shared = triangles.row[~is_removed & (triangles.row != NONE)]
    if found[shared].any():
        row = int(shared[found[shared]][0])
        raise EditError(
            Sentence("is the descriptor of a triangle that stays, too"), table="tri_descriptors", index=row
        )
    return found


def _shrink(rows: Rows, names: tuple[str, str], kept: Mask) -> None:
    """Set ranges of rows to what is left of them; ranges that exceed the table stay."""
    before = np.concatenate(([0], np.cumsum(kept)))
    start, count = (rows[name].astype(np.int64) for name in names)
    fits = start + count <= len(kept)
    first, last = (before[np.minimum(it, len(kept))] for it in (start, start + count))
    rows[names[0]] = np.where(fits, first, start)
    rows[names[1]] = np.where(fits, last - first, count)


def without_descriptors(rows: Rows, kept: Mask) -> Rows:
    """Descriptors without some; links to those that are gone become none."""
    relinked(rows, np.where(kept, np.cumsum(kept) - 1, NO_LINK))
    return rows[kept]


def relinked(rows: Rows, number: Indices) -> Mask:
    """Give the links of descriptors new numbers, and return the links that became none, (n, 3).

    Parameters
    ----------
    number
        The new number of each old descriptor, `NO_LINK` for one that is gone.
    """
    links = rows["links"].astype(np.int64)
    is_there = links < len(number)
    renumbered = np.where(is_there, number[np.where(is_there, links, 0)] if len(number) else links, links)
    is_lost: Mask = is_there & (renumbered == NO_LINK)
    rows["links"] = renumbered
    masks = np.where(is_lost, NO_SELECTOR << np.array([0, 2, 4]), 0).sum(axis=1)
    rows["selectors"] = rows["selectors"] | masks.astype(np.uint16)
    return is_lost
