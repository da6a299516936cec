"""Blended draws, sorted from back to front, in their own index buffer."""

from __future__ import annotations

from itertools import groupby

import moderngl
import numpy as np

from viewer.model.mesh.ranges import Indices, expand
from viewer.render.buffers.upload import Mesh

Run = tuple[int, int, int]
"""Row of the material, first triangle and triangle count of a call."""


class BlendedDraws:
    """The index buffer; owner: a pass, lifetime: one model. Rewritten only if the order changes.

    Attributes
    ----------
    runs
        The calls to make, in order.
    """

    def __init__(self, mesh: Mesh, program: moderngl.Program) -> None:
        self._mesh = mesh
        self._program = program
        self._order: Indices = np.zeros(0, np.int64)
        self._count: Indices = np.zeros(0, np.int64)
        self._buffer: moderngl.Buffer | None = None
        self.array: moderngl.VertexArray | None = None
        self.runs: list[Run] = []

    def sort(
        self, draws: Indices, depth: np.ndarray[tuple[int], np.dtype[np.floating]], count: Indices
    ) -> None:
        """Set what is drawn; the farthest is drawn first.

        Parameters
        ----------
        draws, depth, count
            The merged draws, their distances from the eye, and how many of their triangles are drawn, (k,).
        """
        nearest_last = np.argsort(-depth, kind="stable")
        order, count = draws[nearest_last], count[nearest_last]
        if np.array_equal(order, self._order) and np.array_equal(count, self._count):
            return
        self._order, self._count = order, count
        merged = self._mesh.merged
        self._write(merged.corners[expand(merged.triangle_start[order], count)])
        self.runs = _runs(merged.row[order], count)

    def _write(self, corners: np.ndarray[tuple[int, int], np.dtype[np.uint32]]) -> None:
        if not len(corners):
            return
        if self._buffer is None or self._buffer.size < corners.nbytes:
            self.array = None
            self._buffer = self._mesh.ctx.buffer(corners, dynamic=True)
            self.array = self._mesh.vertex_array(self._program, self._buffer)
        else:
            self._buffer.write(corners)


def _runs(row: Indices, count: Indices) -> list[Run]:
    """Adjacent draws of the same row, joined into one call each."""
    runs: list[Run] = []
    start = 0
    for key, group in groupby(zip(row.tolist(), count.tolist(), strict=True), key=lambda pair: pair[0]):
        total = sum(pair[1] for pair in group)
        runs.append((key, start, total))
        start += total
    return runs
