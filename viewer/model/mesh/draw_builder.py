"""Building the list of draws from the tables, clipping what is out of range as `checks.geometry` reports.

Source: spec/msh.md 2, 5, 6, 11 (V11 to V19); spec/land.md 3, 6.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.msh.nodes import GROUPS, LODS, NONE
from viewer.formats.msh.tables import DRAW_LIST
from viewer.formats.msh.terrain import drawn_faces, has_microtexture
from viewer.formats.record import Rows
from viewer.geometry.transforms import Floats, Indices, Mask
from viewer.model.mesh.draws import (
    NO_BATCH,
    NO_DESCRIPTOR,
    NO_SLOT,
    Draws,
    Parts,
    Rows32,
    chunks,
    expand,
    wide_ranges,
)
from viewer.model.mesh.model import Model, Variant

PART_ALLOWANCE = 100_000
"""Most filled cells in the slot matrices of all nodes."""

DRAW_ALLOWANCE = 100_000
TRIANGLE_ALLOWANCE = 100_000
"""Most rows that overlapping ranges may add, so that a small file does not become a large model."""
CHUNK = 1 << 16
"""Triangles that are worked on at once, so that the memory for it is bounded."""
TRIANGLES_PER_INDEX = 2 / 3
"""Triangles allowed in proportion to the indices: all of them twice."""

Cells = npt.NDArray[np.uint16]


def build(model: Model) -> Draws:
    """The draws of all cells of a model, legacy model or terrain."""
    return _Builder(model).build()


def with_bounds(model: Model, draws: Draws) -> Draws:
    """The draws with the bounds of the slots as a model has them now; all else is the same."""
    return _Builder(model).bounded(draws)


def triangles_of(model: Model, slots: Indices) -> tuple[Indices, Indices, Rows32, Rows32, Rows32]:
    """The triangles of some slots, whether a cell shows them or not.

    Place of the slot among those given, batch, first index, corners (t, 3) and descriptor of each, (t,); in a
    terrain the face in place of index and descriptor.
    """
    return _Builder(model).triangles_of(slots)


def index_reach(model: Model, pick: np.ufunc) -> Indices:
    """The smallest or largest index, as `pick` says, of batches whose indices exist, (b,); else -1."""
    start, count = wide_ranges(model.batches, "index")
    return reach(model.indices, start, np.where(start + count <= len(model.indices), count, 0), pick)


def reach(indices: npt.NDArray[np.uint16], start: Indices, count: Indices, pick: np.ufunc) -> Indices:
    """The smallest or largest index of ranges inside a table, (b,); -1 for one without any."""
    used = np.flatnonzero(count > 0)
    found = np.full(len(start), -1, np.int64)
    if len(used):
        # In order of their starts, so that indices between two batches are checked only once.
        used = used[np.argsort(start[used], kind="stable")]
        ends = np.stack([start[used], start[used] + count[used]], axis=1).reshape(-1)
        # Start, end, start, end, ...: every second result is a batch, the others are the gaps. A batch that
        # ends with the table has an end of len(indices), which is allowed only with one more element.
        found[used] = pick.reduceat(np.append(indices, np.uint16(0)), ends)[::2]
    return found


def cells_outside(matrix: Cells, slot_count: int | Indices) -> Mask:
    """Cells (n, c) of a slot that does not exist (V11, L06)."""
    is_outside: Mask = (matrix != NONE) & (matrix >= slot_count)
    return is_outside


def sound_bounds(slots: Rows) -> Mask:
    """Slots whose bounds can be used for culling (V19), (s,)."""
    low, high, radius = slots["aabb_min"], slots["aabb_max"], slots["sphere_radius"]
    finite = [np.isfinite(slots[name]).all(axis=1) for name in ("aabb_min", "aabb_max", "sphere_center")]
    is_sound: Mask = np.logical_and.reduce(finite) & np.isfinite(radius)
    is_sound &= (low <= high).all(axis=1) & (radius >= 0)
    return is_sound


def _within(counts: Indices, limit: int) -> Indices:
    """The counts up to a total of `limit`, then zeros."""
    return np.where(np.cumsum(counts) > limit, 0, counts)


class _Triangles(Struct, frozen=True, eq=False):
    """Triangles of draws: number per draw, corners, first index or face, and descriptor."""

    counts: Indices
    corners: Rows32
    first: Rows32
    descriptor: Rows32

    @classmethod
    def joined(cls, pieces: Sequence[_Triangles]) -> _Triangles:
        """The triangles of all pieces, in order."""
        if not pieces:
            none = np.zeros(0, np.int32)
            return cls(np.zeros(0, np.int64), none.reshape(0, 3), none, none)
        return cls(
            np.concatenate([piece.counts for piece in pieces]),
            np.concatenate([piece.corners for piece in pieces]),
            np.concatenate([piece.first for piece in pieces]),
            np.concatenate([piece.descriptor for piece in pieces]),
        )


class _Builder:
    """The pass over the tables of a model that finds its draws."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.slots = model.slots

    def build(self) -> Draws:
        if self.model.variant is Variant.LEGACY24:
            pairs = _whole()
            part, batch = np.zeros(len(self.model.batches), np.int64), np.arange(len(self.model.batches))
        else:
            pairs = self._pairs()
            if self.model.variant is Variant.TERRAIN:
                return self._terrain(*pairs)
            part, batch = self._batches(pairs[1])
        part, batch, triangles = self._triangles(pairs[1], part, batch)
        # The number of a triangle is that of its first index by three, whichever batch draws it.
        return self._finish(*pairs, part, batch, replace(triangles, first=triangles.first // 3))

    def triangles_of(self, slots: Indices) -> tuple[Indices, Indices, Rows32, Rows32, Rows32]:
        """The triangles of some slots, one by one."""
        if self.model.variant is Variant.TERRAIN:
            part, face, corners = self._faces(slots)
            row = face.astype(np.int32)
            return part, np.full(len(part), NO_BATCH), row, corners.astype(np.int32), row
        part, batch, found = self._triangles(slots, *self._batches(slots))
        part, batch = (np.repeat(it, found.counts) for it in (part, batch))
        return part, batch, found.first, found.corners, found.descriptor

    def _finish(
        self, node: Indices, slot: Indices, cells: Cells, part: Indices, batch: Indices, triangles: _Triangles
    ) -> Draws:
        start = np.concatenate(([0], np.cumsum(triangles.counts)))
        parts = self._parts(node, slot, cells, part, triangles)
        return Draws(parts, part, batch, start, triangles.corners, triangles.first, triangles.descriptor)

    def bounded(self, draws: Draws) -> Draws:
        """The draws with the bounds of the slots as they are now."""
        triangles = _Triangles(draws.triangle_count, draws.corners, draws.triangle, draws.descriptor)
        parts = self._parts(draws.parts.node, draws.parts.slot, draws.parts.cells, draws.part, triangles)
        return replace(draws, parts=parts)

    # The slot matrix: which cells show each part.

    def _pairs(self) -> tuple[Indices, Indices, Cells]:
        """Node, slot and cells of every part, by node and slot."""
        matrix = self.model.nodes["slots"].reshape(-1, LODS * GROUPS).copy()
        matrix[cells_outside(matrix, len(self.slots))] = NONE
        filled = np.count_nonzero(matrix != NONE, axis=1)
        matrix[_within(filled, PART_ALLOWANCE) < filled] = NONE
        node, cell = np.nonzero(matrix != NONE)
        # Node and slot in one number: node 2, slot 5 is 0x20005. Its cells become bits of one word.
        keys, where = np.unique(node * (NONE + 1) + matrix[node, cell], return_inverse=True)
        cells = np.zeros(len(keys), np.uint16)
        # .at, as a part may be in several cells; |= would keep the last of them.
        np.bitwise_or.at(cells, where, (1 << cell).astype(np.uint16))
        return keys // (NONE + 1), keys % (NONE + 1), cells

    # Slots to batches.

    def _batches(self, slot: Indices) -> tuple[Indices, Indices]:
        """Part and batch of every draw; ranges are clipped to the batches that exist."""
        total = len(self.model.batches)
        start, count = self._slot_range("batch", total)
        part_start, part_count = start[slot], _within(count[slot], DRAW_ALLOWANCE + 4 * total)
        part = np.repeat(np.arange(len(slot)), part_count)
        return part, expand(part_start, part_count)

    def _slot_range(self, prefix: str, total: int) -> tuple[Indices, Indices]:
        """Start and clipped count of a range of every slot."""
        start, count = wide_ranges(self.slots, prefix)
        return start, np.clip(total - start, 0, count)

    def _readable(self, part: Indices, batch: Indices) -> tuple[Indices, Indices, Indices]:
        """The draws whose indices exist, and the number of descriptors of the slot before each."""
        start, count = wide_ranges(self.model.batches, "index")
        is_cut = start + count > len(self.model.indices)
        # A batch with 4 indices has two descriptors though it draws one triangle.
        described = (count[batch] + 2) // 3
        before = np.cumsum(described) - described
        # Within each part: parts 0 0 1 1 with 2 1 3 2 descriptors have 0 2 0 3 before their batches.
        first_of_part = np.searchsorted(part, part)
        kept = ~is_cut[batch]
        return part[kept], batch[kept], (before - before[first_of_part])[kept] if len(part) else before

    # Batches to triangles.

    def _triangles(self, slot: Indices, part: Indices, batch: Indices) -> tuple[Indices, Indices, _Triangles]:
        """Part and batch of the draws whose indices exist, and their triangles."""
        part, batch, first_descriptor = self._readable(part, batch)
        counts = self.model.batches["index_count"].astype(np.int64)[batch] // 3
        most = TRIANGLE_ALLOWANCE + int(TRIANGLES_PER_INDEX * len(self.model.indices))
        counts = _within(counts, most)
        described = self._descriptor_ranges()
        pieces = [
            self._some_triangles(
                slot[part[some]], batch[some], first_descriptor[some], counts[some], described
            )
            for some in chunks(counts, CHUNK)
        ]
        return part, batch, _Triangles.joined(pieces)

    def _some_triangles(
        self,
        slot: Indices,
        batch: Indices,
        first_descriptor: Indices,
        counts: Indices,
        described: tuple[Indices, Indices],
    ) -> _Triangles:
        """The triangles of some draws (k,) from the numbers of their triangles."""
        batches = self.model.batches
        draw = np.repeat(np.arange(len(counts)), counts)
        number = expand(np.zeros(len(counts), np.int64), counts)
        first = batches["index_start"].astype(np.int64)[batch][draw] + 3 * number
        corners = self.model.indices[first[:, None] + np.arange(3)].astype(np.int64)
        corners += batches["base_vertex"].astype(np.int64)[batch][draw][:, None]
        descriptor = _descriptors(slot[draw], first_descriptor[draw] + number, *described)
        is_valid = (corners < self.model.vertex_count).all(axis=1)
        if not is_valid.all():
            # minlength, as draws without a valid triangle keep their place with 0.
            counts = np.bincount(draw[is_valid], minlength=len(counts))
            corners, first, descriptor = corners[is_valid], first[is_valid], descriptor[is_valid]
        return _Triangles(counts, corners.astype(np.int32), first.astype(np.int32), descriptor)

    def _descriptor_ranges(self) -> tuple[Indices, Indices]:
        """First descriptor and number of descriptors of each slot, none where the range is too long."""
        total = len(self.model.tri_descriptors)
        if not len(self.slots) or not total:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        start, count = wide_ranges(self.slots, "tri")
        return start, np.where(start + count > total, 0, count)

    # Terrain: slots address the draw list, which addresses faces.

    def _terrain(self, node: Indices, slot: Indices, cells: Cells) -> Draws:
        faces = self.model.faces
        if not len(slot):
            node, slot, cells = _whole()
            part, face, corners = self._whole_faces(np.zeros(len(faces), np.int64), np.arange(len(faces)))
        else:
            part, face, corners = self._faces(slot)
        layers = (faces["material_a"].astype(np.int64) << 8 | faces["material_b"])[face]
        # One draw for each part, pair of materials, and whether they have microtextures, the last bit: part 3
        # with materials 1 and 0xFF is 0x301FF before that bit.
        key = (part << 16 | layers) << 1 | has_microtexture(faces)[face]
        order = np.argsort(key, kind="stable")
        draw_key, counts = np.unique(key, return_counts=True)
        none = np.full(len(face), NO_DESCRIPTOR, np.int32)
        triangles = _Triangles(counts, corners[order].astype(np.int32), face[order].astype(np.int32), none)
        return self._finish(node, slot, cells, draw_key >> 17, np.full(len(draw_key), NO_BATCH), triangles)

    def _faces(self, slot: Indices) -> tuple[Indices, Indices, Indices]:
        """Part, face and corners of every triangle of a terrain."""
        if self.model.has(DRAW_LIST):
            listed = drawn_faces(self.model.rows(DRAW_LIST))
        else:
            listed = np.arange(len(self.model.faces))
        start, count = self._slot_range("tri", len(listed))
        counts = _within(count[slot], TRIANGLE_ALLOWANCE + len(listed))
        part = np.repeat(np.arange(len(slot)), counts)
        face = listed[expand(start[slot], counts)]
        kept = face < len(self.model.faces)
        return self._whole_faces(part[kept], face[kept])

    def _whole_faces(self, part: Indices, face: Indices) -> tuple[Indices, Indices, Indices]:
        """The faces whose corners exist, and these, (t, 3)."""
        corners = self.model.faces["vertices"].astype(np.int64)[face]
        kept = (corners < self.model.vertex_count).all(axis=1)
        return part[kept], face[kept], corners[kept]

    # Bounds.

    @np.errstate(over="ignore", invalid="ignore")
    def _parts(
        self, node: Indices, slot: Indices, cells: Cells, part: Indices, triangles: _Triangles
    ) -> Parts:
        """Parts with the bounds of their slots; damaged bounds are measured instead."""
        low, high, center = (np.zeros((len(slot), 3), np.float32) for _ignored in range(3))
        radius = np.zeros(len(slot), np.float32)
        is_sound = np.zeros(len(slot), np.bool_)
        if len(self.slots):
            stored = self.slots[slot]
            low[:], high[:], center[:] = stored["aabb_min"], stored["aabb_max"], stored["sphere_center"]
            radius[:] = stored["sphere_radius"]
            is_sound = sound_bounds(self.slots)[slot] & (slot != NO_SLOT)
        if not is_sound.all():
            is_broken = ~is_sound
            box = self._measured(part, triangles, len(slot))
            low[is_broken], high[is_broken] = (values[is_broken] for values in box)
            # Halved first: the sum of two large float32 numbers would be infinite.
            center[is_broken] = low[is_broken] / 2 + high[is_broken] / 2
            radius[is_broken] = np.linalg.norm(high[is_broken] - center[is_broken], axis=1)
        middle = low / 2 + high / 2
        extent = np.maximum(high - middle, middle - low)
        box_center, box_extent, sphere = _columns(middle), _columns(extent), _columns(center)
        return Parts(node, slot, cells, box_center, box_extent, sphere, radius)

    def _measured(self, part: Indices, triangles: _Triangles, count: int) -> tuple[Floats, Floats]:
        """Lower and upper corners of the parts' triangles, (p, 3); zero for a part without triangles."""
        low = np.full((count, 3), np.inf, np.float32)
        high = np.full((count, 3), -np.inf, np.float32)
        end = np.cumsum(triangles.counts)
        for some in chunks(triangles.counts, CHUNK):
            start = end[some] - triangles.counts[some]
            is_filled = triangles.counts[some] > 0
            if is_filled.any():
                points = self.model.positions[triangles.corners[start[0] : end[some][-1]]]
                first = (start - start[0])[is_filled]
                owner = part[some][is_filled]
                # reduceat by draw; .at, as a part may have several draws in this piece.
                np.minimum.at(low, owner, np.minimum.reduceat(points.min(axis=1), first))
                np.maximum.at(high, owner, np.maximum.reduceat(points.max(axis=1), first))
        is_empty = np.bincount(part, triangles.counts, count) == 0
        low[is_empty] = high[is_empty] = 0
        return low, high


def _whole() -> tuple[Indices, Indices, Cells]:
    """The single part of a file without usable nodes: everything, in the first cell."""
    return np.zeros(1, np.int64), np.full(1, NO_SLOT), np.ones(1, np.uint16)


def _descriptors(slot: Indices, number: Indices, start: Indices, count: Indices) -> Rows32:
    """Descriptor of each triangle from its number within the slot, -1 if the slot has none for it."""
    if not len(start):
        return np.full(len(slot), NO_DESCRIPTOR, np.int32)
    has_one = (slot != NO_SLOT) & (number < count[slot])
    return np.where(has_one, start[slot] + number, NO_DESCRIPTOR).astype(np.int32)


def _columns(vectors: npt.NDArray[np.floating]) -> Floats:
    """Vectors (n, 3) as (3, n), float32 and contiguous."""
    return np.ascontiguousarray(vectors.T, np.float32)
