"""The tables of a model with other triangles in some slots.

Source: spec/msh.md 3, 5, 6, 8, 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.errors import EditError
from viewer.formats.msh import tables
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.triangles import ALL_NONE, TRIANGLE
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.record import Rows
from viewer.geometry.transforms import Indices, Mask
from viewer.model.edit.change import refusal, refuse_more, refuse_outside
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.move import relinked
from viewer.model.edit.geometry.vertex_tables import MOST, is_followed, renumber, rows_of, uses, vertex_tables
from viewer.model.mesh.draws import expand
from viewer.translation import _


class Merged(Struct, frozen=True, eq=False):
    """A new order of rows.

    Attributes
    ----------
    number
        The new number of each old row, ascending, (n + 1,) int64; of one that is removed, that of the next.
    before
        The same of what is inserted there.
    starts
        The first row of each insertion.
    is_gone
        The old rows that are removed, (n,).
    """

    number: Indices
    before: Indices
    starts: tuple[int, ...]
    is_gone: Mask

    @classmethod
    def of(cls, is_gone: Mask, places: Sequence[int], counts: Sequence[int]) -> Merged:
        """Rows without some, with others inserted: before which old row each time, and how many.

        Of 4 rows without row 1, with 2 inserted before row 2: `number` is 0 1 3 4 5; they begin at 1.
        """
        before = np.concatenate(([0], np.cumsum(~is_gone)))
        added = np.zeros(len(before), np.int64)
        offsets: list[int] = []
        for at, count in zip(places, counts, strict=True):
            # Several insertions before one row stand in the order in which they were given.
            offsets.append(int(added[at]))
            added[at] += count
        # Rows that are kept before it, and rows inserted before it, which include those of its own place.
        number = before + np.cumsum(added)
        starts = (int(number[at] - added[at]) + first for at, first in zip(places, offsets, strict=True))
        return cls(number, number - added, tuple(starts), is_gone)

    def rows(self, old: Rows, new: Sequence[Rows]) -> Rows:
        """The rows in their new order; `new` are those of each insertion."""
        made = np.zeros(int(self.number[-1]), old.dtype)
        made[self.number[:-1][~self.is_gone]] = old[~self.is_gone]
        for start, rows in zip(self.starts, new, strict=True):
            made[start : start + len(rows)] = rows
        return made

    def moved(self, starts: npt.NDArray[Any], counts: npt.NDArray[Any]) -> Indices:
        """Starts of ranges of kept rows in the new order; those beyond the table stay."""
        total = len(self.number) - 1
        at = np.minimum(starts.astype(np.int64), total)
        # An empty range before an insertion stays before it: it must not grow onto the inserted rows by
        # accident.
        number = np.where(counts == 0, self.before[at], self.number[at])
        return np.where(starts < total, number, starts.astype(np.int64))


def covered(start: npt.NDArray[Any], count: npt.NDArray[Any], chosen: Mask, total: int) -> Mask:
    """The rows of a table that the chosen ranges have, and no other range, (total,)."""
    start = np.minimum(start.astype(np.int64), total)
    count = np.minimum(count.astype(np.int64), total - start)
    found = np.zeros(total, np.bool_)
    found[expand(start[chosen], count[chosen])] = True
    for first, number in zip(start[~chosen].tolist(), count[~chosen].tolist(), strict=True):
        # Rows that another range has too stay, whatever the chosen range says.
        found[first : first + number] = False
    return found


STREAMS = (tables.POSITIONS, tables.NORMALS, tables.UVS, tables.STREAM18)
"""The tables of vertices whose values are known."""


class NewVertices(Struct, frozen=True, eq=False):
    """Vertices that are added: where their values come from, (n,), and those that are given, by table."""

    sources: Indices
    given: dict[int, Rows]

    @classmethod
    def read(cls, draft: Draft, sources: bytes, streams: Sequence[bytes]) -> NewVertices:
        """The vertices of a change; raises `EditError` for rows that do not exist and missing values."""
        rows = _numbers(sources, "<i4", 1, "sources").reshape(-1)
        _refuse_outside(rows, -1, draft.model.vertex_count, tables.TABLES[tables.POSITIONS].name)
        given: dict[int, Rows] = {}
        for table, data in zip(STREAMS, streams, strict=True):
            record = tables.TABLES[table].record
            if not data or record is None or not draft.model.has(table):
                continue
            if len(data) != len(rows) * record.size:
                words = "{size} bytes for {count} rows of {each}"
                raise refusal(words, record.name, size=len(data), count=len(rows), each=record.size)
            given[table] = record.view(data)
        return cls(rows, given)

    @property
    def count(self) -> int:
        """The number of vertices."""
        return len(self.sources)

    def rows(self, table: int, old: Rows) -> Rows:
        """The rows of some vertices in a table; zeros without a source."""
        if table in self.given:
            return self.given[table]
        made = np.zeros(self.count, old.dtype)
        has_source = self.sources >= 0
        made[has_source] = old[self.sources[has_source]]
        return made


class Piece(Struct, frozen=True, eq=False):
    """The triangles of a batch: vertices (t, 3), descriptors (t,), and the batch that it is like."""

    corners: Indices
    descriptors: Indices
    like: int | None

    @classmethod
    def read(
        cls, draft: Draft, slot: int, data: tuple[bytes, bytes], like: int | None, new_vertices: int
    ) -> Piece:
        """The triangles of a change; raises `EditError` for rows that do not exist and too many triangles."""
        model = draft.model
        corners = _numbers(data[0], "<u4", 3, "corners")
        descriptors = _numbers(data[1], "<i4", 1, "descriptors").reshape(-1)
        _refuse_outside(corners, 0, model.vertex_count + new_vertices, tables.TABLES[tables.POSITIONS].name)
        _refuse_outside(np.where(descriptors < -1, -2 - descriptors, descriptors), -1,
                        len(model.tri_descriptors), TRIANGLE.name)  # fmt: skip
        if len(corners) != len(descriptors):
            words = "{count} descriptors for {triangles} triangles"
            raise refusal(words, SLOT.name, slot, count=len(descriptors), triangles=len(corners))
        refuse_outside(corners.size, 0, MOST, BATCH.name, like, "index_count")
        if like is not None and not 0 <= like < len(model.batches):
            raise refusal("there are {count} rows", BATCH.name, like, count=len(model.batches))
        return cls(corners, descriptors, like)


class SlotTables:
    """The tables of a draft, to be built with other triangles in some slots.

    Attributes
    ----------
    new
        The vertices that are added.
    pieces
        What each slot has, by its row; in the order of the targets.
    batch_starts
        After `build`: the first batch of each target.
    is_new_descriptor, is_lost
        After `build`: descriptors that are new, (d,), and links that led to one that is gone, (d, 3).
    """

    def __init__(self, draft: Draft, targets: Sequence[int], new: NewVertices) -> None:
        model = draft.model
        self.new = new
        self.pieces: dict[int, list[Piece]] = {it: [] for it in targets}
        self.batch_starts: tuple[int, ...] = ()
        self.is_new_descriptor: Mask = np.zeros(0, np.bool_)
        self.is_lost: Mask = np.zeros((0, 3), np.bool_)
        self._vertices = vertex_tables(draft)
        self._vertex_count = model.vertex_count
        self._has_spans = is_followed(model)
        self._slots, self._batches, self._indices = (
            rows_of(draft, it) for it in (tables.SLOTS, tables.BATCHES, tables.INDICES)
        )
        self._descriptors = rows_of(draft, tables.TRIANGLES) if model.has(tables.TRIANGLES) else None
        self._is_replaced = np.zeros(len(self._slots), np.bool_)
        self._is_replaced[[it for it in targets if it < len(self._slots)]] = True
        self._gone = self._only_here("batch", len(self._batches))

    def _only_here(self, prefix: str, count: int) -> Mask:
        """The rows that only replaced slots have, (n,)."""
        start, number = (self._slots[f"{prefix}_{name}"] for name in ("start", "count"))
        return covered(start, number, self._is_replaced, count)

    def build(self) -> dict[int, Rows]:
        """All tables that change."""
        vertices, numbers = self._new_vertices()
        batches, indices = self._batches.copy(), self._indices.copy()
        renumber(batches, indices, vertices.number)
        made = {
            table: vertices.rows(rows, [self.new.rows(table, rows)[own] for own in self._own])
            for table, rows in self._vertices.items()
        }
        drawn = [self._drawn(batches, numbers, pieces) for pieces in self.pieces.values()]
        made[tables.INDICES] = self._put_indices(batches, indices, drawn)
        added = sum(target >= len(self._slots) for target in self.pieces)
        slots = np.concatenate([self._slots, SLOT.new(added)])
        counts = [len(rows) for rows, _ignored in drawn]
        merged = Merged.of(self._gone, self._places("batch", self._gone), counts)
        made[tables.BATCHES] = merged.rows(batches, [rows for rows, _ignored in drawn])
        refuse_more(len(made[tables.BATCHES]), MOST + 1, BATCH.name)
        self.batch_starts = merged.starts
        self._put_ranges(slots, "batch", merged, counts)
        if self._descriptors is not None:
            made[tables.TRIANGLES] = self._put_descriptors(slots, self._descriptors)
        made[tables.SLOTS] = slots
        return made

    def _new_vertices(self) -> tuple[Merged, Indices]:
        """The order of the vertices, and the number of every old and new one.

        New vertices stand after the last one that their slot uses.
        """
        count = self._vertex_count
        is_free = np.ones(self.new.count, np.bool_)
        is_used = np.zeros(count, np.bool_)
        _ignored, _ignored, vertex = uses(self._batches[~self._gone], self._indices, count)
        is_used[vertex] = True
        self._own: list[Indices] = []
        places: list[int] = []
        for pieces in self.pieces.values():
            corners = np.unique(
                np.concatenate([np.empty(0, np.int64), *(it.corners.ravel() for it in pieces)])
            )
            old, new = corners[corners < count], corners[corners >= count] - count
            is_used[old] = True
            # A new vertex of several slots stands with the first of them.
            self._own.append(new[is_free[new]])
            is_free[new] = False
            places.append(int(old[-1]) + 1 if len(old) else count)
        _ignored, _ignored, vertex = uses(self._batches[self._gone], self._indices, count)
        is_gone = np.zeros(count, np.bool_)
        is_gone[vertex] = True
        # Vertices that only the replaced triangles used go; those that nothing used before stay.
        merged = Merged.of(is_gone & ~is_used, places, [*map(len, self._own)])
        numbers = np.concatenate([merged.number[:count], np.zeros(self.new.count, np.int64)])
        for start, own in zip(merged.starts, self._own, strict=True):
            numbers[count + own] = start + np.arange(len(own))
        return merged, numbers

    def _drawn(self, batches: Rows, numbers: Indices, pieces: Sequence[Piece]) -> tuple[Rows, Indices]:
        """The batches of a slot, whose indices count from the first of the slot, and these indices."""
        rows = np.zeros(len(pieces), batches.dtype)
        indices: list[Indices] = [np.empty(0, np.int64)]
        start = 0
        for number, piece in enumerate(pieces):
            vertices = numbers[piece.corners.ravel()]
            low, high = int(vertices.min()), int(vertices.max())
            base = low
            if piece.like is not None:
                rows[number] = batches[piece.like]
                kept = int(batches["base_vertex"][piece.like])
                # A kept first vertex means the fewest changed indices; it can be kept if all vertices lie
                # within 16 bits of it.
                base = kept if self._gone[piece.like] and kept <= low and high - kept <= MOST else low
            refuse_outside(high - base, 0, MOST, BATCH.name, piece.like, "base_vertex")
            if self._has_spans or piece.like is None or not self._gone[piece.like]:
                # 65,536 vertices are one more than its 16 bits hold.
                rows["opaque14"][number] = min(high - base + 1, MOST)
            rows["base_vertex"][number], rows["index_start"][number] = base, start
            rows["index_count"][number] = len(vertices)
            indices.append(vertices - base)
            start += len(vertices)
        return rows, np.concatenate(indices)

    def _places(self, prefix: str, is_gone: Mask) -> list[int]:
        """The row before which those of each target are inserted: where they were, or the end."""
        found: list[int] = []
        for target in self.pieces:
            start = len(is_gone)
            if target < len(self._slots) and self._slots[f"{prefix}_count"][target]:
                start = int(self._slots[f"{prefix}_start"][target])
            # If the first row stays, as another slot has it too, the new ones go to the end: before it they
            # could part the rows of that slot.
            found.append(start if start < len(is_gone) and is_gone[start] else len(is_gone))
        return found

    def _put_indices(self, batches: Rows, indices: Rows, drawn: Sequence[tuple[Rows, Indices]]) -> Rows:
        """Set the ranges of old and new batches, and return the indices."""
        start, count = (self._batches[name] for name in ("index_start", "index_count"))
        is_gone = covered(start, count, self._gone, len(indices))
        places = [
            int(start[row])
            if row < len(start) and is_gone[start[row] : start[row] + 1].any()
            else len(indices)
            for row in self._places("batch", self._gone)
        ]
        merged = Merged.of(is_gone, places, [len(it) for _ignored, it in drawn])
        batches["index_start"] = merged.moved(start, count)
        new: list[Rows] = []
        for first, (rows, values) in zip(merged.starts, drawn, strict=True):
            rows["index_start"] += first
            new.append(np.zeros(len(values), indices.dtype))
            new[-1]["index"] = values
        return merged.rows(indices, new)

    def _put_ranges(self, slots: Rows, prefix: str, merged: Merged, counts: Sequence[int]) -> None:
        """Set the ranges of all slots."""
        ranges = slots[f"{prefix}_start"], slots[f"{prefix}_count"]
        slots[f"{prefix}_start"] = np.minimum(merged.moved(*ranges), MOST)
        for target, start, count in zip(self.pieces, merged.starts, counts, strict=True):
            refuse_outside(max(start, count), 0, MOST, SLOT.name, target, f"{prefix}_start")
            # A range that was empty and stays so keeps its start, whatever that is.
            if count or slots[f"{prefix}_count"][target]:
                slots[f"{prefix}_start"][target], slots[f"{prefix}_count"][target] = start, count

    def _put_descriptors(self, slots: Rows, old: Rows) -> Rows:
        """Set the ranges of descriptors, and return them."""
        is_gone = self._only_here("tri", len(old))
        wanted = [np.concatenate([np.empty(0, np.int64), *(it.descriptors for it in pieces)])
                  for pieces in self.pieces.values()]  # fmt: skip
        merged = Merged.of(is_gone, self._places("tri", is_gone), [*map(len, wanted)])
        refuse_more(int(merged.number[-1]), MOST, TRIANGLE.name)
        self._put_ranges(slots, "tri", merged, [*map(len, wanted)])
        target = np.where(is_gone, NO_LINK, merged.number[:-1])
        for start, rows in zip(merged.starts, wanted, strict=True):
            kept = np.flatnonzero(rows >= 0)
            kept = kept[is_gone[rows[kept]]]
            # Those that go here and are asked for again move, and links to them follow.
            target[rows[kept]] = start + kept
        made = merged.rows(old, [_described(old, rows) for rows in wanted])
        self.is_new_descriptor = np.zeros(len(made), np.bool_)
        self.is_lost = relinked(made, target)
        for start, rows in zip(merged.starts, wanted, strict=True):
            is_new = rows < 0
            own = slice(start, start + len(rows))
            self.is_new_descriptor[own] = is_new
            made["links"][own][is_new], made["selectors"][own][is_new] = NO_LINK, ALL_NONE
        return made


def _described(old: Rows, rows: Indices) -> Rows:
    """Descriptors as they were, and new ones."""
    made = np.zeros(len(rows), old.dtype)
    made[rows >= 0] = old[rows[rows >= 0]]
    # -1 is a new descriptor, -2 - ROW one with the flags of a row: -2 is row 0, -5 row 3.
    made["flags"][rows < -1] = old["flags"][-2 - rows[rows < -1]]
    return made


def _numbers(data: bytes, kind: str, columns: int, name: str) -> Indices:
    """Numbers in rows, (n, columns) int64; raises `EditError` for other sizes."""
    size = 4 * columns
    if len(data) % size:
        raise refusal("{size} bytes are no rows of {each}", SLOT.name, None, name, size=len(data), each=size)
    return np.frombuffer(data, kind).astype(np.int64).reshape(-1, columns)


def _refuse_outside(rows: Indices, low: int, count: int, table: str) -> None:
    outside = rows[(rows < low) | (rows >= count)]
    if len(outside):
        raise EditError(_("there are {count} rows", count=count), table=table, index=int(outside[0]))
