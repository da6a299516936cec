"""The triangles that a frame submits, in as few contiguous runs as possible; numpy only."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import Indices, Mask

# A run is one glDrawElements, whose cost is in the driver and does not depend on its triangles; copying
# corners costs per triangle. The two limits below weigh one against the other.
MOST_RUNS = 200
"""The number of runs above which one compacted index buffer is cheaper than a call per run."""
FEW_RUNS = 16
SHORT = 256
"""Triangles of a run, on average, that are copied in the time of a call: above few runs that pays at once."""


class DrawList(Struct, frozen=True, eq=False, dict=True):
    """The visible merged draws, and their runs of triangles.

    Attributes
    ----------
    visible
        Per merged draw, (m,) bool.
    triangle_start
        First triangle of each merged draw and the end of the last, (m + 1,) int64.
    run_start, run_count
        Triangles of each run, (r,) int64.
    """

    visible: Mask
    triangle_start: Indices
    run_start: Indices
    run_count: Indices

    @classmethod
    def of(cls, visible: Mask, triangle_start: Indices) -> DrawList:
        """The list for the merged draws that are visible."""
        # The borders of runs of visible draws: [0 1 1 0 1] gives 1, 3, 4, 5, that is draws 1 to 2 and draw 4.
        edges = np.flatnonzero(np.diff(visible, prepend=False, append=False))
        start, end = triangle_start[edges[::2]], triangle_start[edges[1::2]]
        return cls(visible, triangle_start, start, end - start)

    @cached_property
    def draw_count(self) -> int:
        """The number of visible merged draws."""
        return int(np.count_nonzero(self.visible))

    @cached_property
    def triangle_count(self) -> int:
        """The number of submitted triangles."""
        return int(self.run_count.sum())

    @property
    def draw_counts(self) -> Indices:
        """Submitted triangles of each merged draw, (m,)."""
        return np.where(self.visible, np.diff(self.triangle_start), 0)

    @cached_property
    def is_compacted(self) -> bool:
        """Whether the triangles are copied to an index buffer of their own."""
        # 40 runs of 100 triangles are copied (4,000 < 256 * 40), 40 runs of 1,000 are drawn where they are.
        # The limit of FEW_RUNS keeps small models out of it: copying also costs the upload of a buffer.
        runs = len(self.run_start)
        return runs > MOST_RUNS or (runs > FEW_RUNS and self.triangle_count < SHORT * runs)

    @property
    def runs(self) -> list[tuple[int, int]]:
        """First triangle and count of every call to make; one call if compacted."""
        if self.is_compacted:
            return [(0, self.triangle_count)]
        return list(zip(self.run_start.tolist(), self.run_count.tolist(), strict=True))

    def runs_of(self, draw_start: Indices) -> list[list[tuple[int, int]]]:
        """The runs of each group of merged draws; `draw_start` (g + 1,) ends with the number of draws."""
        if self.is_compacted:
            # Hidden draws count 0 triangles, so this sum is where each draw begins in the compacted buffer,
            # which has the draws in the same order: a group is one run of it.
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
        # Groups may be empty and then start at the same draw: of starts 0 2 2 5, "right" finds for draw 2 the
        # last one with that start, group 2, which is the one that has draws.
        group = np.searchsorted(draw_start, first, side="right") - 1
        for at, run_start, run_end in zip(group.tolist(), start.tolist(), end.tolist(), strict=True):
            groups[at].append((run_start, run_end - run_start))
        return groups

    def compacted(self, corners: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        """The corners of the visible triangles, (n, 3)."""
        return corners[np.repeat(self.visible, np.diff(self.triangle_start))]

    def merged_triangles(self, drawn: Indices) -> Indices:
        """Merged triangles for the triangle numbers of the shader, (n,)."""
        if not self.is_compacted:
            return drawn
        # Runs of 3 and 2 triangles from 10 and 40 on end at 3 and 5 in the compacted buffer: triangle 4 of it
        # is in run 1, which begins at 5 - 2 = 3 there, so it is merged triangle 40 + 4 - 3 = 41.
        end = np.cumsum(self.run_count)
        run = np.searchsorted(end, drawn, side="right")
        return self.run_start[run] + drawn - (end[run] - self.run_count[run])
