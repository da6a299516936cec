"""The geometry tables of a model: vertices, indices, batches, triangle descriptors and slots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Sequence

import numpy as np
import numpy.typing as npt

from assets.sample.shapes.facets import Batch, Patcher, batches
from assets.sample.shapes.finish import Piece
from assets.sample.shapes.solids import GRID
from viewer.formats.msh import batches as batch_table
from viewer.formats.msh import slots as slot_table
from viewer.formats.msh import triangles as triangle_table
from viewer.formats.record import Rows

BatchWords = Callable[[Batch], tuple[int, int, int, int]]
"""A batch -> its words at +0x00, +0x02, +0x04 and +0x06."""

Triangles = npt.NDArray[np.float64]
"""Corner positions, shape (t, 3, 3)."""


class Geometry:
    """Slots, appended in order; equal slots of one node are stored once."""

    def __init__(self, batch_words: BatchWords) -> None:
        self._batch_words = batch_words
        self._known: dict[tuple[int, bytes], int] = {}
        self._batches: list[Batch] = []
        self._batch_rows: list[tuple[int, ...]] = []
        self._slot_rows: list[npt.NDArray[np.void]] = []
        self._descriptors: list[Rows] = []
        self._vertex_count = 0
        self._index_count = 0
        self._triangle_count = 0

    def slot(
        self, node: int, pieces: Sequence[Piece], patcher: Patcher | None = None, lit: Container[str] = ()
    ) -> int | None:
        """The slot of `pieces`; none if they are empty."""
        drawn = [batch for batch in batches(pieces, patcher, lit) if len(batch.triangles)]
        if not drawn:
            return None
        key = (node, b"".join(_content(batch) for batch in drawn))
        if key not in self._known:
            self._known[key] = len(self._slot_rows)
            self._append(drawn)
        return self._known[key]

    def _append(self, drawn: Sequence[Batch]) -> None:
        corners = np.concatenate([batch.positions[batch.triangles] for batch in drawn]).astype(np.float64)
        row = slot_row(corners)
        row["tri_start"], row["tri_count"] = self._triangle_count, len(corners)
        row["batch_start"], row["batch_count"] = len(self._batches), len(drawn)
        self._slot_rows.append(row)
        self._descriptors.append(descriptors(corners, self._triangle_count))
        self._triangle_count += len(corners)
        for batch in drawn:
            self._append_batch(batch)

    def _append_batch(self, batch: Batch) -> None:
        index_count = batch.triangles.size
        spanned = int(batch.triangles.max()) + 1
        ranges = (index_count, self._index_count, spanned, self._vertex_count)
        self._batch_rows.append((*self._batch_words(batch), *ranges))
        self._batches.append(batch)
        self._vertex_count += len(batch.positions)
        self._index_count += index_count

    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """All vertices, shape (v, 3)."""
        return np.concatenate([batch.positions for batch in self._batches]).astype("<f4")

    @property
    def normals(self) -> npt.NDArray[np.int8]:
        """Packed normals, shape (v, 4)."""
        return np.concatenate([batch.normals for batch in self._batches])

    @property
    def uvs(self) -> npt.NDArray[np.int16]:
        """Packed texture coordinates, shape (v, 2)."""
        return np.concatenate([batch.uvs for batch in self._batches]).astype("<i2")

    @property
    def lightmap_uvs(self) -> npt.NDArray[np.uint16]:
        """Packed lightmap coordinates, shape (v, 2)."""
        return np.concatenate([batch.lightmap_uvs for batch in self._batches]).astype("<u2")

    @property
    def indices(self) -> npt.NDArray[np.uint16]:
        """All indices, batch by batch."""
        return np.concatenate([batch.triangles.ravel() for batch in self._batches]).astype("<u2")

    @property
    def descriptors(self) -> Rows:
        """Triangle descriptors, slot by slot."""
        return np.concatenate(self._descriptors)

    @property
    def batches(self) -> Rows:
        """Batch records."""
        return np.array(self._batch_rows, batch_table.BATCH.dtype)

    @property
    def slots(self) -> Rows:
        """Slot records."""
        return np.concatenate(self._slot_rows)

    def slot_positions(self, slot: int) -> npt.NDArray[np.float32]:
        """Vertices that a slot draws, in node space, shape (n, 3)."""
        row = self._slot_rows[slot][0]
        start = int(row["batch_start"])
        return np.concatenate([b.positions for b in self._batches[start : start + int(row["batch_count"])]])


def _content(batch: Batch) -> bytes:
    parts = (batch.positions, batch.normals, batch.uvs, batch.lightmap_uvs, batch.triangles)
    return batch.material.encode() + b"".join(part.tobytes() for part in parts)


def slot_row(corners: Triangles) -> npt.NDArray[np.void]:
    """A slot record with the exact bounds, surface area and box volume of its triangles."""
    row = slot_table.SLOT.new()
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    centre = ((low + high) / 2).astype(np.float32)
    row["aabb_min"], row["aabb_max"], row["sphere_center"] = low, high, centre
    row["sphere_radius"] = enclosing_radius(corners.reshape(-1, 3), centre)
    area = np.linalg.norm(_normals(corners), axis=1).sum() / 2
    measures = np.array([area, np.prod(high - low)]).round(5).astype("<f4")
    row["opaque"][0, :2] = measures.view("<u4")
    return row


def enclosing_radius(points: npt.NDArray[np.float64], centre: npt.NDArray[np.float32]) -> np.float32:
    """The smallest float32 that is at least every distance from `centre`."""
    distance = np.sqrt(((points - centre.astype(np.float64)) ** 2).sum(axis=1).max())
    radius = np.float32(distance)
    return radius if radius >= distance else np.nextafter(radius, np.float32(np.inf))


def _normals(corners: Triangles) -> npt.NDArray[np.float64]:
    """Twice the area of each triangle times its normal."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def descriptors(corners: Triangles, first: int) -> Rows:
    """Descriptors of one slot's triangles, numbered from `first`: normals, neighbors and shared edges."""
    rows = triangle_table.TRIANGLE.new(len(corners))
    normals = _normals(corners)
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    rows["normal"] = triangle_table.encode_normal(normals)
    links, selectors = neighbours(corners)
    rows["links"] = np.where(links < 0, triangle_table.NONE, links + first)
    rows["selectors"] = triangle_table.encode_selectors(selectors)
    return rows


def neighbours(corners: Triangles) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each edge the adjacent triangle (-1 for none) and the index of the edge in it (3 for none).

    An edge is shared if two triangles have the same two points in opposite order.
    """
    cells = np.rint(corners * GRID).astype(np.int64).tolist()
    open_edges: dict[tuple[tuple[int, ...], tuple[int, ...]], list[tuple[int, int]]] = defaultdict(list)
    links = np.full((len(corners), 3), -1, np.int64)
    selectors = np.full((len(corners), 3), triangle_table.NO_SELECTOR, np.int64)
    for number, triangle in enumerate(cells):
        for edge in range(3):
            start, end = tuple(triangle[edge]), tuple(triangle[(edge + 1) % 3])
            waiting = open_edges[end, start]
            if waiting and waiting[0][0] != number:
                other, other_edge = waiting.pop(0)
                links[number, edge], selectors[number, edge] = other, other_edge
                links[other, other_edge], selectors[other, other_edge] = number, edge
            else:
                open_edges[start, end].append((number, edge))
    return links, selectors
