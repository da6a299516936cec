"""The triangles of every slot, whether a node shows it or not, and what they measure.

Damaged ranges are clipped and triangles with a corner that does not exist are left out, so all indices
here are valid.

Source: spec/msh.md 3, 5, 6, 12; spec/land.md 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.msh.tables import POSITIONS
from viewer.geometry.transforms import Doubles, Floats, Indices, Mask
from viewer.model.mesh.draw_builder import triangles_of
from viewer.model.mesh.draws import Rows32, chunks
from viewer.model.mesh.model import Model

NONE: Final = -1
AT_ONCE: Final = 1 << 16
"""Triangles that are worked on together, so that the memory for it is bounded."""


class SlotTriangles(Struct, frozen=True, eq=False, dict=True):
    """The triangles of all slots, slot by slot in the order of their batches.

    Attributes
    ----------
    slot_count
        Number of slots.
    slot, batch
        Slot and batch of each triangle, (t,) int32, slots ascending; batch -1 in terrain.
    first
        Its first corner among the indices, in terrain its face, (t,) int32.
    corners
        Absolute vertices, (t, 3) int32.
    row
        Its triangle descriptor, in terrain its face, (t,) int32; -1 if it has none.
    positions
        Positions of all vertices as they are stored, (v, 3) float32.
    """

    slot_count: int
    slot: Rows32
    batch: Rows32
    first: Rows32
    corners: Rows32
    row: Rows32
    positions: Floats

    @classmethod
    def of(cls, model: Model, slots: Mask | None = None) -> SlotTriangles:
        """The triangles of a model, legacy model or terrain, all or those of some slots (s,).

        The same object for the same model, if all are asked for.
        """
        # A model is one revision of the bytes, so its triangles cannot become outdated; a new revision is a
        # new key.
        known = _KNOWN.get(model)
        if known is not None:
            return known if slots is None else known.within(slots)
        chosen = np.arange(len(model.slots)) if slots is None else np.flatnonzero(slots)
        place, batch, first, corners, row = triangles_of(model, chosen)
        slot, positions = chosen[place].astype(np.int32), model.rows(POSITIONS)["position"]
        made = cls(len(model.slots), slot, batch.astype(np.int32), first, corners, row, positions)
        if slots is None:
            _KNOWN[model] = made
        return made

    def within(self, slots: Mask) -> SlotTriangles:
        """The triangles of some slots (s,)."""
        kept = slots[self.slot]
        return replace(
            self,
            slot=self.slot[kept],
            batch=self.batch[kept],
            first=self.first[kept],
            corners=self.corners[kept],
            row=self.row[kept],
        )

    def __len__(self) -> int:
        return len(self.slot)

    @cached_property
    def is_filled(self) -> Mask:
        """Slots that have triangles with finite vertices, (s,)."""
        is_finite: Mask = np.isfinite(np.hstack(self.boxes))
        is_filled: Mask = np.logical_and.reduce(is_finite, axis=1)
        return is_filled

    def _pieces(self) -> Iterator[tuple[slice, Indices, Indices]]:
        """Triangles of whole slots or of a part of one, those slots, and the first triangle of each."""
        counts = np.bincount(self.slot, minlength=self.slot_count)
        ends = np.cumsum(counts)
        for some in chunks(counts, AT_ONCE):
            first, end = int(ends[some][0] - counts[some][0]), int(ends[some][-1])
            # One slot may have more triangles than fit a piece; it comes in several then, and results are
            # merged per slot.
            for start in range(first, end, AT_ONCE):
                piece = slice(start, min(start + AT_ONCE, end))
                slots, starts = np.unique(self.slot[piece], return_index=True)
                yield piece, slots.astype(np.int64), starts

    def _points(self, piece: slice) -> Floats:
        """The corners of triangles, (t, 3, 3); vertices that are not finite are NaN."""
        points = self.positions[self.corners[piece]]
        is_finite = np.isfinite(points)
        if is_finite.all():
            return points
        return np.where(is_finite.all(axis=2, keepdims=True), points, np.float32(np.nan))

    @cached_property
    def boxes(self) -> tuple[Floats, Floats]:
        """Lower and upper corners of the vertices of every slot, (s, 3); not finite for an empty slot."""
        low, high = (np.full((self.slot_count, 3), np.nan, np.float32) for _ in range(2))
        for piece, slots, starts in self._pieces():
            points = self._points(piece)
            # fmin and fmax ignore NaN, which stands for a vertex that is not finite, and for a slot without
            # any so far.
            low[slots] = np.fmin(low[slots], np.fmin.reduceat(np.fmin.reduce(points, axis=1), starts))
            high[slots] = np.fmax(high[slots], np.fmax.reduceat(np.fmax.reduce(points, axis=1), starts))
        return low, high

    @np.errstate(invalid="ignore", over="ignore")
    def reach(self, centers: npt.NDArray[np.floating]) -> Doubles:
        """The largest distance of a vertex of a slot from its center (s, 3), (s,); NaN for an empty slot."""
        found = np.full(self.slot_count, np.nan)
        for piece, slots, starts in self._pieces():
            away = self._points(piece) - centers.astype(np.float64)[self.slot[piece]][:, None]
            # The sum is made in binary64 and in this order, so that the radius is the same for the same
            # vertices.
            distance = np.sqrt(np.einsum("tci,tci->tc", away, away))
            found[slots] = np.fmax(found[slots], np.fmax.reduceat(np.fmax.reduce(distance, axis=1), starts))
        return found

    @np.errstate(invalid="ignore", over="ignore")
    def _crosses(self, piece: slice) -> Doubles:
        points = self._points(piece).astype(np.float64)
        return np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])

    @cached_property
    def crosses(self) -> Doubles:
        """Normal of every triangle by its winding, as long as twice its area, (t, 3)."""
        return self._crosses(slice(None))

    @cached_property
    @np.errstate(invalid="ignore", divide="ignore")
    def normals(self) -> Doubles:
        """Unit normal of every triangle by its winding, (t, 3); NaN without an area."""
        normals: Doubles = self.crosses / np.linalg.norm(self.crosses, axis=1, keepdims=True)
        return normals

    @cached_property
    def areas(self) -> Doubles:
        """Surface area of every slot, (s,); triangles without finite vertices do not count."""
        found = np.zeros(self.slot_count)
        for piece, slots, _ in self._pieces():
            sizes = np.nan_to_num(np.linalg.norm(self._crosses(piece), axis=1)) / 2
            found[slots] += np.bincount(self.slot[piece], sizes, self.slot_count)[slots]
        return found

    def of_rows(self, table_size: int) -> Indices:
        """The first triangle of each descriptor or face of a table, (n,); -1 if none has it."""
        found = np.full(table_size, NONE, np.int64)
        # Backwards, so that of several triangles with one descriptor the first is written last and stays.
        known = np.flatnonzero(self.row != NONE)[::-1]
        found[self.row[known]] = known
        return found


_KNOWN: Final[WeakKeyDictionary[Model, SlotTriangles]] = WeakKeyDictionary()
