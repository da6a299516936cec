"""The rows of one table that use rows of another, which the computed columns of a model share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.nodes import GROUPS, NONE
from viewer.model.game.sockets import fitting
from viewer.model.mesh.row_tables import NamedRows
from viewer.model.mesh.shown import PartChooser
from viewer.model.store.file_store import FileStore
from viewer.model.tables.column import NO_NAMES, NO_ROW
from viewer.model.tables.neighbors import ModelNeighbors, NeighborRows
from viewer.model.tables.read_model import ReadModel
from viewer.model.tables.row_labels import RowLabels

Ints = npt.NDArray[np.int64]


class TableSource:
    """A model as its columns are computed; what several of them need is worked out once.

    Parameters
    ----------
    read
        The model in its reading.
    labels
        What its rows are called.
    neighbors
        The tables next to it.
    """

    def __init__(
        self, read: ReadModel, labels: RowLabels | None = None, neighbors: ModelNeighbors | None = None
    ) -> None:
        self.read = read
        self.model = read.model
        self.labels = labels or RowLabels(read)
        self.neighbors = neighbors or ModelNeighbors()

    def stored(self, name: str) -> NamedRows | None:
        """The stored rows of a table; None if there are none."""
        return self.model.tables.get(name) or self.neighbors.tables.get(name)

    def neighbor(self, name: str) -> NeighborRows | None:
        """The rows of a table next to the model; None if there are none."""
        return self.neighbors.tables.get(name)

    def names(self, table: str) -> Mapping[int, str]:
        """The names of the rows of a table that have one."""
        if not table:
            return NO_NAMES
        return {row: name for row, name in enumerate(self.labels.names(table)) if name}

    @cached_property
    def slot_users(self) -> Ints:
        """Node, LOD and group of the first cell that shows each slot, (n, 3), `NO_ROW` for none."""
        matrix = self.model.nodes["slots"]
        users = np.full((len(self.model.slots), 3), NO_ROW)
        # Backwards, so that of several cells with a slot the first is written last and stays.
        for node, lod, group in np.argwhere(matrix != NONE)[::-1].tolist():
            slot = int(matrix[node, lod, group])
            if slot < len(users):
                users[slot] = node, lod, group
        return users

    @cached_property
    def batch_part(self) -> Ints:
        """The part whose draws have each batch first, (n,), `NO_ROW` for one that nothing draws."""
        draws = self.read.draws
        draw = first_rows(draws.batch, np.arange(len(draws)), len(self.model.batches))
        # np.where computes both sides, so the rows without a draw read what was appended for them.
        return np.where(draw < 0, NO_ROW, np.append(draws.part, NO_ROW)[draw])

    @cached_property
    def batch_users(self) -> Ints:
        """Node, LOD and group of the first cell that shows each batch, (n, 3), `NO_ROW` for none."""
        parts, part = self.read.draws.parts, self.batch_part
        # A bit for each cell that shows a part: the lowest bit is the first cell.
        cells = np.append(parts.cells, 0).astype(np.int64)
        # 0b10100000 & -0b10100000 is 0b100000, bit 5: LOD 1, group 0 of divmod(5, 5). At least 1, as 0 has no
        # logarithm.
        lowest = np.log2(np.maximum(cells & -cells, 1)).astype(np.int64)
        # Part -1 reads the cells that were appended, 0.
        is_shown = (part >= 0) & (cells[part] != 0)
        lod, group = (np.where(is_shown, it, NO_ROW) for it in np.divmod(lowest[part], GROUPS))
        return np.stack([self._of_part(parts.node), lod, group], axis=1)

    @property
    def batch_slot(self) -> Ints:
        """The slot that contains each batch, (n,), `NO_ROW` for one that nothing draws."""
        return self._of_part(self.read.draws.parts.slot)

    def _of_part(self, rows: npt.NDArray[np.integer[Any]]) -> Ints:
        return np.where(self.batch_part < 0, NO_ROW, np.append(rows, NO_ROW)[self.batch_part])

    @cached_property
    def descriptor_draw(self) -> Ints:
        """The draw that has each descriptor first, (n,), one after the last draw for none."""
        found = self.read.draws.descriptor
        return self._draw(first_rows(found, np.arange(len(found)), len(self.model.tri_descriptors)))

    @cached_property
    def vertex_draw(self) -> Ints:
        """The draw that has each vertex first, (n,), one after the last draw for none."""
        return self._draw(first_triangles(self.read.draws.corners, self.model.vertex_count))

    def _draw(self, triangles: Ints) -> Ints:
        draws = self.read.draws
        # Draws that start at 0, 4 and 9: triangle 4 has 2 starts at or before it, so it is of draw 1.
        found: Ints = np.searchsorted(draws.triangle_start, triangles, "right") - 1
        return np.where(triangles == NO_ROW, len(draws), found)

    def node_of_draw(self, draw: Ints) -> Ints:
        """The node of each draw, `NO_ROW` for the one after the last."""
        return np.append(self.read.draws.node, NO_ROW)[draw]

    def batch_of_draw(self, draw: Ints) -> Ints:
        """The batch of each draw, `NO_ROW` for the one after the last."""
        return np.append(self.read.draws.batch, NO_ROW)[draw]

    @cached_property
    def index_batch(self) -> Ints:
        """The first batch whose range has each index, (n,), `NO_ROW` for none."""
        batch = np.full(len(self.model.indices), NO_ROW)
        ranges = self.model.batches[["index_start", "index_count"]].tolist()
        # Backwards, so that the first of several batches with an index is written last.
        for row, (start, count) in [*enumerate(ranges)][::-1]:
            batch[start : start + count] = row
        return batch

    @property
    def index_vertex(self) -> Ints:
        """The vertex of each index, with the base vertex of its batch, (n,), `NO_ROW` for none."""
        # Stored indices count from the base vertex of their batch (spec/msh.md 8).
        base = np.append(self.model.batches["base_vertex"].astype(np.int64), 0)
        return np.where(self.index_batch < 0, NO_ROW, self.model.indices + base[self.index_batch])

    @cached_property
    def word_users(self) -> Ints:
        """Node and frame of each word of the frame map, (n, 2), `NO_ROW` for none."""
        count, frames = len(self.model.frame_map), self.model.frame_count
        users = np.full((count, 2), NO_ROW)
        starts = self.model.nodes["map_start"].tolist() if len(self.model.nodes) else []
        for row, start in [*enumerate(starts)][::-1]:
            if start != NONE:
                users[start : start + frames, 0] = row
                # The words of a node's frames lie one after another; the last range may be cut by the end of
                # the map.
                users[start : start + frames, 1] = np.arange(frames)[: max(0, count - start)]
        return users

    @cached_property
    def lod_counts(self) -> Ints:
        """LODs of each node that are filled without a gap, (n,)."""
        return PartChooser(self.model, self.read.draws).lods

    @cached_property
    def fitting_parts(self) -> list[tuple[int, str, str, str]]:
        """Node, socket tag, key and name of each part that fits a socket; without one a row with none."""
        store, rows = FileStore(), []
        for node, tag in enumerate(self.read.socket_tags):
            if tag:
                parts = fitting(store, self.read.game.folder, tag) or ()
                rows += [(node, tag, it.key, it.called) for it in parts] or [(node, tag, "", "")]
        return rows


def first_triangles(corners: npt.NDArray[np.integer[Any]], count: int) -> Ints:
    """The first triangle with each vertex, (count,), `NO_ROW` for none; corners are (t, 3)."""
    first = np.full(count, len(corners))
    triangles = np.arange(len(corners))
    for column in corners.T:
        found = first_rows(column, triangles, count)
        first = np.minimum(first, np.where(found == NO_ROW, len(corners), found))
    return np.where(first == len(corners), NO_ROW, first)


def first_rows(rows: npt.NDArray[np.integer[Any]], values: Ints, count: int) -> Ints:
    """The first value at each row number below `count`, (count,), `NO_ROW` where there is none."""
    result = np.full(count, NO_ROW)
    is_inside = (rows >= 0) & (rows < count)
    # Backwards: of values for one row the first is written last and stays.
    result[rows[is_inside][::-1]] = values[is_inside][::-1]
    return result
