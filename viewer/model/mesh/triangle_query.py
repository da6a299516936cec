"""The engine's query of triangles: filtered by masks, in the order of its callbacks, with their links.

A triangle is tested by the flags of its descriptor, in a terrain of its face. The query visits nodes, batches
and triangles in the order of the draws, which is the engine's. A triangle without a descriptor has no flags:
it passes if nothing is required.

Source: 003 1.10, 1.16; 002 8; spec/msh.md 6; spec/field-notes.md 2; spec/land.md 3.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct

from viewer.formats.msh.terrain import NONE as NO_FACE
from viewer.formats.msh.triangles import NONE, decode_normal, decode_selectors
from viewer.geometry.transforms import Doubles, Floats, Indices, Mask
from viewer.model.mesh.draws import (
    NO_DESCRIPTOR,
    Draws,
    Rows32,
    expand,
)
from viewer.model.mesh.model import Model, Variant

EDGES: Final = 3
NO_LINK: Final = -1
NO_FLAGS: Final = -1


class Masks(Struct, frozen=True):
    """The masks of a query: every bit of `required` is set, and none of `forbidden`."""

    required: int = 0
    forbidden: int = 0

    def passes(self, flags: Indices) -> Mask:
        """Mask of the flags that pass, (n,) bool; `NO_FLAGS` stands for none."""
        is_known = flags != NO_FLAGS
        has_required = (flags & self.required) == self.required
        passing: Mask = np.where(is_known, has_required & (flags & self.forbidden == 0), self.required == 0)
        return passing


class FoundTriangles(Struct, frozen=True, eq=False):
    """The triangles that a query calls back, in that order.

    Attributes
    ----------
    row
        Row of each among the triangles of the draws, (n,) int64.
    draw
        Its draw, (n,) int64.
    record
        Its descriptor, or face in a terrain, (n,) int64; -1 if it has none.
    flags
        Its flags, (n,) int64; -1 if it has none.
    tested
        Number of triangles that were tested.
    """

    row: Indices
    draw: Indices
    record: Indices
    flags: Indices
    tested: int


def query(model: Model, draws: Draws, shown: Mask, masks: Masks) -> FoundTriangles:
    """The triangles of the shown draws (d,) that pass the masks, in the order of the engine's callbacks."""
    chosen = np.flatnonzero(shown)
    count = draws.triangle_count[chosen]
    row, draw = expand(draws.triangle_start[chosen], count), np.repeat(chosen, count)
    record = records_of(model, draws)[row].astype(np.int64)
    flags = flags_of(model, record)
    passing = masks.passes(flags)
    return FoundTriangles(row[passing], draw[passing], record[passing], flags[passing], len(row))


def reached(model: Model, draws: Draws, walked: list[tuple[int, int]], tested: int) -> FoundTriangles:
    """Triangles that a walk has reached, each with the first draw that uses it; -1 if none does."""
    record = np.array([row for row, _steps in walked], np.int64)
    of_row = records_of(model, draws)
    row = np.full(int(max(of_row.max(initial=-1), record.max(initial=-1))) + 1, NO_DESCRIPTOR)
    # Of several assignments to one row numpy keeps the last, so reversed it is the first triangle: if 2 and 7
    # have descriptor 5, row[5] is 7 and then 2.
    used = np.flatnonzero(of_row != NO_DESCRIPTOR)[::-1]
    row[of_row[used]] = used
    row = row[record]
    # Draws that start at triangles 0, 3, 3: triangle 3 is in the last one, as the one before it is empty.
    draw = np.where(row < 0, -1, np.searchsorted(draws.triangle_start, row, "right") - 1)
    return FoundTriangles(row, draw, record, flags_of(model, record), tested)


def records_of(model: Model, draws: Draws) -> Rows32:
    """The descriptor of each triangle of the draws, in a terrain its face, (t,) int32; -1 if it has none."""
    return draws.triangle if model.variant is Variant.TERRAIN else draws.descriptor


def flags_of(model: Model, records: Indices) -> Indices:
    """The flags of some descriptors or faces (n,), (n,) int64; `NO_FLAGS` for -1."""
    rows = model.faces if model.variant is Variant.TERRAIN else model.tri_descriptors
    flags = np.append(rows["flags"].astype(np.int64), NO_FLAGS)
    found: Indices = flags[records]
    return found


def normal_angles(model: Model, draws: Draws) -> Doubles:
    """The angles between the stored normals of the triangles of the draws and those of their winding.

    (t,) degrees; NaN for a triangle without a descriptor or face, without an area, or with a stored normal
    of length 0.
    """
    rows = model.faces if model.variant is Variant.TERRAIN else model.tri_descriptors
    stored = np.append(decode_normal(rows["normal"]), np.zeros((1, 3), np.float32), axis=0)
    normal = stored[records_of(model, draws)].astype(np.float64)
    a, b, c = (model.positions[draws.corners[:, it]].astype(np.float64) for it in range(EDGES))
    with np.errstate(all="ignore"):
        cross = np.cross(b - a, c - a)
        lengths = np.linalg.norm(cross, axis=1) * np.linalg.norm(normal, axis=1)
        cosine = np.einsum("ti,ti->t", cross, normal) / np.where(lengths > 0, lengths, np.nan)
        angles: Doubles = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    return angles


class Link(NamedTuple):
    """A link of a descriptor or face over one of its edges; `target` is -1 if it leads nowhere."""

    record: int
    edge: int
    target: int


class TriangleLinks(Struct, frozen=True, eq=False):
    """The neighbors of all descriptors, or of the faces of a terrain.

    Edge e of a triangle runs from its corner e to the next one; link e leads to the triangle on its other
    side. Only descriptors that a draw uses have corners.

    Attributes
    ----------
    target
        The neighbors, (n, 3) int64; -1 for none, and for one that does not exist.
    selector
        The edge of the neighbor that is the same, (n, 3) uint8; 3 for none.
    corners
        Absolute vertices, (n, 3) int64; -1 if no draw uses the descriptor.
    is_outside
        Links to a row that does not exist, (n, 3) bool.
    is_one_way
        Links to a triangle that does not link back, (n, 3) bool.
    is_apart
        Links to a triangle that does not have that edge, (n, 3) bool.
    is_open
        Edges of used triangles without a link, (n, 3) bool.
    is_crowded
        Edges that more than two triangles of the slot have, (n, 3) bool.
    """

    target: Indices
    selector: np.ndarray
    corners: Indices
    is_outside: Mask
    is_one_way: Mask
    is_apart: Mask
    is_open: Mask
    is_crowded: Mask

    @classmethod
    def of(cls, model: Model, draws: Draws) -> TriangleLinks:
        """The links of a model or a terrain; the same object for the same model."""
        # A model is one revision of the bytes, so its links cannot become outdated.
        known = _KNOWN.get(model)
        if known is None:
            known = _KNOWN[model] = cls._made(model, draws)
        return known

    @classmethod
    def _made(cls, model: Model, draws: Draws) -> TriangleLinks:
        is_terrain = model.variant is Variant.TERRAIN
        rows = model.faces if is_terrain else model.tri_descriptors
        stored = rows["neighbours" if is_terrain else "links"].astype(np.int64)
        count, none = len(stored), NO_FACE if is_terrain else NONE
        is_outside = (stored != none) & (stored >= count)
        target = np.where((stored == none) | is_outside, NO_LINK, stored)
        corners, slot = _corners(model, draws, count)
        is_used = corners[:, :1] >= 0
        # Both ends of each edge as numbers of positions, the smaller first, (n, 3, 2).
        used = corners[:, 0] >= 0
        numbers = np.full(corners.shape, -1, np.int64)
        numbers[used] = position_numbers(model.positions, corners[used])
        ends = np.sort(np.stack([numbers, np.roll(numbers, -1, axis=1)], axis=2), axis=2)
        back = np.append(target, np.full((1, EDGES), NO_LINK - 1), axis=0)[target]
        theirs = np.append(ends, np.full((1, EDGES, 2), -1), axis=0)[target]
        has_link = target != NO_LINK
        is_same = (theirs == ends[:, :, None]).all(axis=3).any(axis=2)
        is_known = has_link & is_used & (corners[target, 0] >= 0)
        return cls(
            target,
            decode_selectors(rows["edges" if is_terrain else "selectors"]),
            corners,
            is_outside,
            has_link & ~(back == np.arange(count)[:, None, None]).any(axis=2),
            is_known & ~is_same,
            is_used & (stored == none),
            _crowded(ends, slot, is_used[:, 0]),
        )

    def __len__(self) -> int:
        return len(self.target)

    def listed(self, chosen: Mask) -> list[Link]:
        """Rows of links or edges (n, 3), one by one."""
        rows, edges = np.nonzero(chosen)
        return [
            Link(*it) for it in zip(rows.tolist(), edges.tolist(), self.target[chosen].tolist(), strict=True)
        ]

    def walk(self, start: int, allowed: Mask, most: int | None = None) -> list[tuple[int, int]]:
        """The triangles that links reach from one, and the number of steps to each, the nearest first.

        Parameters
        ----------
        allowed
            The triangles that may be entered, (n,) bool; the first one always is.
        most
            The most steps; None for any number.
        """
        links, is_free = self.target.tolist(), allowed.tolist()
        steps = {start: 0}
        waiting = deque([start])
        while waiting:
            row = waiting.popleft()
            if steps[row] == most:
                break
            for target in links[row]:
                if target != NO_LINK and target not in steps and is_free[target]:
                    steps[target] = steps[row] + 1
                    waiting.append(target)
        return [*steps.items()]


_KNOWN: Final[WeakKeyDictionary[Model, TriangleLinks]] = WeakKeyDictionary()


def _corners(model: Model, draws: Draws, count: int) -> tuple[Indices, Indices]:
    """Absolute vertices of the triangle of each record, (n, 3), and its slot, (n,); -1 if no draw uses it."""
    record = records_of(model, draws)
    # Backwards, so that of several triangles with one descriptor the first is written last and stays.
    used = np.flatnonzero(record != NO_DESCRIPTOR)[::-1]
    corners, slot = np.full((count, EDGES), -1, np.int64), np.full(count, -1, np.int64)
    corners[record[used]] = draws.corners[used]
    slot[record[used]] = np.repeat(draws.slot, draws.triangle_count)[used]
    return corners, slot


def _crowded(ends: Indices, slot: Indices, is_used: Mask) -> Mask:
    """Edges that more than two triangles of their slot have, (n, 3)."""
    crowded = np.zeros(ends.shape[:2], np.bool_)
    rows = np.flatnonzero(is_used)
    if len(rows):
        count = int(ends.max()) + 1
        key = (slot[rows, None] * count + ends[rows, :, 0]) * count + ends[rows, :, 1]
        _ignored, where, times = np.unique(key, return_inverse=True, return_counts=True)
        is_line = ends[rows, :, 0] == ends[rows, :, 1]
        crowded[rows] = (times[where].reshape(key.shape) > 2) & ~is_line
    return crowded


def position_numbers(positions: Floats, corners: Indices) -> Indices:
    """Numbers of the positions of corners (k, 3); equal positions have one number."""
    is_used = np.zeros(len(positions), np.bool_)
    is_used[corners] = True
    # Adding 0 makes -0.0 and 0.0 the same bits. Three words of 32 bits do not fit one key: x and y get one
    # number first, then this number and z.
    words = (positions[is_used] + np.float32(0)).view(np.uint32).astype(np.uint64)
    _ignored, flat = np.unique(words[:, 0] << np.uint64(32) | words[:, 1], return_inverse=True)
    _ignored, number = np.unique(flat.astype(np.uint64) << np.uint64(32) | words[:, 2], return_inverse=True)
    numbers: Indices = number.reshape(-1)[(np.cumsum(is_used) - 1)[corners]]
    return numbers
