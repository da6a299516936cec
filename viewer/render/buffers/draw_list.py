"""The triangles that a frame submits, in as few contiguous runs as possible; numpy only."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass
from viewer.formats.record import Rows
from viewer.model.mesh.draws import NO_BATCH, Draws, Indices, Mask
from viewer.render.buffers.merge import MergedDraws

MOST_RUNS = 200
"""Number of runs above which one compacted index buffer is cheaper than a call per run."""
# 2**64 divided by the golden ratio: multiplying by it spreads low bits over all 64 (Fibonacci hashing).
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class DrawList:
    """The visible merged draws, and their runs of triangles.

    Attributes
    ----------
    visible
        Per merged draw, (m,) bool.
    triangle_start
        First triangle of each merged draw and the end of the last, (m + 1,) int64.
    run_start, run_count
        Triangles of each run, (r,) int64.
    cut
        Triangles at the end of the last visible draw that are left out.
    """

    visible: Mask
    triangle_start: Indices
    run_start: Indices
    run_count: Indices
    cut: int = 0

    @classmethod
    def of(cls, visible: Mask, triangle_start: Indices, most: int | None = None) -> DrawList:
        """The list for the merged draws that are visible, of the first `most` triangles or of all."""
        cut = 0
        if most is not None:
            end = np.cumsum(np.where(visible, np.diff(triangle_start), 0))
            last = int(np.searchsorted(end, most))
            if last < len(end):
                visible = visible & (np.arange(len(visible)) <= last) & (most > 0)
                cut = int(end[last]) - most if most > 0 else 0
        # The borders of runs of visible draws: [0 1 1 0 1] gives 1, 3, 4, 5, that is draws 1 to 2 and draw 4.
        edges = np.flatnonzero(np.diff(visible, prepend=False, append=False))
        start, end = triangle_start[edges[::2]], triangle_start[edges[1::2]]
        count = end - start
        count[-1:] -= cut
        return cls(visible, triangle_start, start, count, cut)

    @property
    def draw_count(self) -> int:
        """Number of visible merged draws."""
        return int(np.count_nonzero(self.visible))

    @property
    def triangle_count(self) -> int:
        """Number of submitted triangles."""
        return int(self.run_count.sum())

    @property
    def draw_counts(self) -> Indices:
        """Submitted triangles of each merged draw, (m,)."""
        counts = np.where(self.visible, np.diff(self.triangle_start), 0)
        if self.cut:
            counts[np.flatnonzero(self.visible)[-1]] -= self.cut
        return counts

    @property
    def is_compacted(self) -> bool:
        """Whether the triangles are copied to an index buffer of their own."""
        return len(self.run_start) > MOST_RUNS

    @property
    def runs(self) -> list[tuple[int, int]]:
        """First triangle and count of every call to make; one call if compacted."""
        if self.is_compacted:
            return [(0, self.triangle_count)]
        return list(zip(self.run_start.tolist(), self.run_count.tolist(), strict=True))

    def runs_of(self, draw_start: Indices) -> list[list[tuple[int, int]]]:
        """The runs of each group of merged draws; `draw_start` (g + 1,) ends with the number of draws."""
        if self.is_compacted:
            end = np.concatenate(([0], np.cumsum(self.draw_counts)))[draw_start]
            pairs = zip(end[:-1].tolist(), np.diff(end).tolist(), strict=True)
            return [[pair] if pair[1] else [] for pair in pairs]
        # A run also ends where the next group begins: a visible draw begins one if the draw before it is not
        # visible or is of another group, and ends one likewise.
        is_border = np.zeros(len(self.visible) + 1, np.bool_)
        is_border[draw_start] = True
        padded = np.concatenate(([False], self.visible, [False]))
        first = np.flatnonzero(self.visible & (~padded[:-2] | is_border[:-1]))
        after = np.flatnonzero(self.visible & (~padded[2:] | is_border[1:])) + 1
        start, end = self.triangle_start[first], self.triangle_start[after]
        groups: list[list[tuple[int, int]]] = [[] for _ in range(len(draw_start) - 1)]
        group = np.searchsorted(draw_start, first, side="right") - 1
        for at, run_start, run_end in zip(group.tolist(), start.tolist(), end.tolist(), strict=True):
            groups[at].append((run_start, run_end - run_start))
        if self.cut:
            at = int(group[-1])
            run_start, count = groups[at][-1]
            groups[at][-1] = run_start, count - self.cut
        return groups

    def compacted(self, corners: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        """The corners of the visible triangles, (n, 3)."""
        kept = corners[np.repeat(self.visible, np.diff(self.triangle_start))]
        return kept[: len(kept) - self.cut]

    def merged_triangles(self, drawn: Indices) -> Indices:
        """Merged triangles for the triangle numbers of the shader, (n,)."""
        if not self.is_compacted:
            return drawn
        end = np.cumsum(self.run_count)
        run = np.searchsorted(end, drawn, side="right")
        return self.run_start[run] + drawn - (end[run] - self.run_count[run])


class Repeats:
    """The merged draws of a model with equal triangles and material; owner: its buffers.

    Parameters
    ----------
    batches
        The batches of the model, (b,).
    """

    def __init__(self, draws: Draws, merged: MergedDraws, batches: Rows) -> None:
        batch = draws.batch[merged.draw]
        rows = np.flatnonzero(batch != NO_BATCH)
        fields = [batches[name][batch[rows]] for name in ("index_start", "index_count", "base_vertex")]
        keys = [*fields, merged.row[rows]]
        order = np.lexsort(keys)
        is_new = _changes([key[order] for key in keys])
        group: Indices = np.cumsum(is_new)
        shared: Indices = np.flatnonzero(np.bincount(group, minlength=1)[group] > 1)
        self._draws: Indices = rows[order[shared]]
        self._content: Indices = group[shared]
        self._node: Indices = draws.node[merged.draw[self._draws]]

    def once(self, visible: Mask, world: npt.NDArray[np.float32]) -> Mask:
        """The visible draws (m,) without those that a later one repeats.

        `world` is ``world_from_node``, (n, 4, 4).
        """
        is_visible = visible[self._draws]
        if not is_visible.any():
            return visible
        draws, content = self._draws[is_visible], self._content[is_visible]
        # Sorted by content and a hash of the matrix, repeats are next to each other; then the matrices
        # themselves are compared, so that draws with the same hash by chance stay.
        matrix = np.ascontiguousarray(world[self._node[is_visible], :3]).reshape(-1, 12)
        mixed = _mixed(matrix)
        order = np.lexsort([draws, mixed, content])
        keys = [content[order], *matrix[order].T]
        is_last = np.roll(_changes(keys), -1)  # the first one always changes: it marks the end of the last
        result = visible.copy()
        result[draws[order[~is_last]]] = False
        return result


def _changes(keys: list[npt.NDArray[np.generic]]) -> Mask:
    """Whether each row differs from the one before; the first one does."""
    is_new = np.zeros(len(keys[0]), np.bool_)
    is_new[:1] = True
    for key in keys:
        is_new[1:] |= key[1:] != key[:-1]
    return is_new


def _mixed(matrix: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
    """A number per matrix (n, 12) that is equal for equal ones, and hardly ever for others."""
    words = (matrix + 0.0).view(np.uint64)  # adding 0 turns -0 into 0, which are equal but have other bits
    mixed = np.zeros(len(words), np.uint64)
    for column in words.T:
        mixed = (mixed ^ column) * _MIX
        mixed ^= mixed >> np.uint64(29)
    return mixed
