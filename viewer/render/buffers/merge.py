"""All triangles of a model as one set of vertices and triangles, ready to be uploaded; numpy only.

A vertex is stored once per draw that uses it, so that it can carry its node:
thousands of draws then become one call. Draws are ordered by their material row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Floats, Indices
from viewer.model.mesh.draws import (
    Draws,
    Rows32,
    chunks,
    expand,
)
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import wear_rows_of

if TYPE_CHECKING:
    from viewer.session.opened.document import Document
_T = TypeVar("_T", bound=np.generic)
MadeOf = tuple[Model, Draws, npt.ArrayLike | None, Indices | None]
"""The arguments of `merge`."""

SPARSE = 1
"""Draws whose vertex ranges hold more than this many vertices per corner are packed by sorting."""
CHUNK = 1 << 16
"""Triangles that are packed at once, so that the memory for it is bounded."""


class MergedDraws(Struct, frozen=True, eq=False):
    """Vertices and triangles of all draws that are not empty.

    Attributes
    ----------
    positions
        Node space, (v, 3) float32.
    normals
        As in the file, (v, 4) int8; zero if absent.
    uvs, lightmap_uvs
        As in the file, (v, 2) int16 and uint16; zero if absent.
    second_alphas
        Opacity of the second material of a terrain, (v,) float32; None elsewhere.
    node
        Of each vertex, (v,) uint32.
    vertex
        Row of each vertex in the model's tables, (v,) int32.
    corners
        Vertex numbers, (t, 3) uint32.
    draw
        Row in `Draws` of each merged draw, (m,) int64, ordered by `row`, then as in the engine.
    row
        The material row of each merged draw, (m,) int64, ascending.
    triangle_start
        First triangle of each merged draw and the end of the last, (m + 1,) int64.
    vertex_start
        First vertex of each merged draw and the end of the last, (m + 1,) int64.
    box_low, box_high
        Bounds of each merged draw in node space, (m, 3) float32.
    """

    positions: Floats
    normals: npt.NDArray[np.int8]
    uvs: npt.NDArray[np.int16]
    lightmap_uvs: npt.NDArray[np.uint16]
    second_alphas: Floats | None
    node: npt.NDArray[np.uint32]
    vertex: Rows32
    corners: npt.NDArray[np.uint32]
    draw: Indices
    row: Indices
    triangle_start: Indices
    vertex_start: Indices
    box_low: Floats
    box_high: Floats

    @property
    def triangle_count(self) -> int:
        """Triangles of all draws."""
        return len(self.corners)

    def source_triangles(self, draws: Draws, triangles: Indices) -> tuple[Indices, Indices]:
        """The draw, and the triangle within `Draws`, of merged triangles (n,)."""
        at = np.searchsorted(self.triangle_start, triangles, side="right") - 1
        draw = self.draw[at]
        return draw, draws.triangle_start[draw] + triangles - self.triangle_start[at]

    def mask_of(self, draws: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The merged draws that belong to a mask of draws (d,), as a mask (m,) bool."""
        return draws[self.draw]


def merge(
    model: Model, draws: Draws, material: npt.ArrayLike | None = None, row: Indices | None = None
) -> MergedDraws:
    """The merged draws of a model.

    Parameters
    ----------
    material
        The number of each batch's material, (b,); zero by default.
    row
        The row of each draw, (d,); by default its material.
    """
    # Stable: draws of the same material stay in the order of the engine, so of two surfaces in one plane the
    # one that the game draws first is drawn first.
    row_of_draw = material_of_draws(draws, material) if row is None else row
    order = np.argsort(row_of_draw, kind="stable")
    count = draws.triangle_count[order]
    # Empty draws go: `reduceat` below gives the first element of the next range for an empty one, not
    # nothing.
    order, count = order[count > 0], count[count > 0]
    source = expand(draws.triangle_start[order], count)
    vertex, draw_of_vertex, corners = _pack(draws.corners[source].reshape(-1), count * 3)
    positions = np.ascontiguousarray(model.positions[vertex], np.float32)
    # Vertices are numbered draw after draw, so the draw of each vertex ascends.
    vertex_start = np.searchsorted(draw_of_vertex, np.arange(len(order) + 1))
    low, high = _boxes(positions, vertex_start[:-1])
    return MergedDraws(
        positions=positions,
        normals=_gathered(model.normals_raw, vertex, 4, np.int8),
        uvs=_gathered(model.uvs_raw, vertex, 2, np.int16),
        lightmap_uvs=_gathered(model.lightmap_uvs_raw, vertex, 2, np.uint16),
        second_alphas=None if model.second_alphas is None else model.second_alphas[vertex],
        node=draws.node[order[draw_of_vertex]].astype(np.uint32),
        vertex=vertex,
        corners=corners.reshape(-1, 3),
        draw=order,
        row=row_of_draw[order],
        triangle_start=np.concatenate(([0], np.cumsum(count))),
        vertex_start=vertex_start,
        box_low=low,
        box_high=high,
    )


def made_of(document: Document) -> MadeOf:
    """The arguments of `merge` for a document in its reading and its materials."""
    material = wear_rows_of(document.model.batches, document.choice.reading.material_field)
    materials = document.drawn_materials.materials
    return document.model, document.draws, material, materials.of_draw if materials.rows else None


def merge_again(merged: MergedDraws, before: Model, model: Model) -> MergedDraws:
    """The merged draws of another state of a model, if its triangles and their materials are the same.

    Tables with the same values are shared.

    Parameters
    ----------
    merged
        That of `before`.
    """
    # Triangles and materials are equal by the condition, so only stored values are compared. A table that
    # stays the same object keeps its buffer on the card (`MeshBuffers`).
    vertex = merged.vertex
    changed: dict[str, Any] = {}
    if not np.array_equal(before.positions, model.positions):
        positions = np.ascontiguousarray(model.positions[vertex], np.float32)
        low, high = _boxes(positions, merged.vertex_start[:-1])
        changed.update(positions=positions, box_low=low, box_high=high)
    if not is_equal(before.normals_raw, model.normals_raw):
        changed.update(normals=_gathered(model.normals_raw, vertex, 4, np.int8))
    if not is_equal(before.uvs_raw, model.uvs_raw):
        changed.update(uvs=_gathered(model.uvs_raw, vertex, 2, np.int16))
    if not is_equal(before.lightmap_uvs_raw, model.lightmap_uvs_raw):
        changed.update(lightmap_uvs=_gathered(model.lightmap_uvs_raw, vertex, 2, np.uint16))
    if not is_equal(before.second_alphas, model.second_alphas) and model.second_alphas is not None:
        changed.update(second_alphas=model.second_alphas[vertex])
    return replace(merged, **changed) if changed else merged


def has_same_triangles(one: MadeOf, other: MadeOf) -> bool:
    """Whether both give the same triangles in the same order, of the same vertices."""
    is_same = one[1].has_same_triangles(other[1]) and one[0].variant is other[0].variant
    return is_same and all(is_equal(a, b) for a, b in zip(one[2:], other[2:], strict=True))


def is_equal(one: npt.ArrayLike | None, other: npt.ArrayLike | None) -> bool:
    """Whether two tables have the same values, or both are absent."""
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def material_of_draws(draws: Draws, material: npt.ArrayLike | None) -> Indices:
    """The number of the material of each draw, (d,), from that of each batch, (b,); zero by default."""
    if material is None or not len(draws):
        return np.zeros(len(draws), np.int64)
    # The material of NO_BATCH, which is -1 and so indexes the end, is 0.
    return np.append(np.asarray(material, np.int64), 0)[draws.batch]


def _gathered(stored: npt.NDArray[_T] | None, vertex: Rows32, width: int, dtype: type[_T]) -> npt.NDArray[_T]:
    if stored is None:
        return np.zeros((len(vertex), width), dtype)
    return np.ascontiguousarray(stored[vertex], dtype)


def _pack(corner: Rows32, count: Indices) -> tuple[Rows32, Rows32, npt.NDArray[np.uint32]]:
    """The used vertices of all draws, numbered one after the other.

    Parameters
    ----------
    corner
        Vertices in the file, (c,), draw after draw.
    count
        Corners of each draw, (m,), none of them zero.

    Returns
    -------
    The file's vertex and the draw of each new vertex, (v,), and the new numbers of the corners, (c,).
    """
    number = np.zeros(len(corner), np.uint32)
    vertices, draws = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    first = packed = 0
    # 65,536 triangles have 196,608 corners, whose sortable keys of 8 bytes take 1.5 MB. A chunk ends between
    # two draws, so no vertex of a draw is packed twice.
    for some in chunks(count, 3 * CHUNK):
        after = first + int(count[some].sum())
        vertex, draw, number[first:after] = _pack_some(corner[first:after], count[some])
        number[first:after] += packed
        vertices.append(vertex.astype(np.int32))
        draws.append((draw + some.start).astype(np.int32))
        first, packed = after, packed + len(vertex)
    return np.concatenate(vertices), np.concatenate(draws), number


def _pack_some(corner: Rows32, count: Indices) -> tuple[Indices, Indices, npt.NDArray[np.signedinteger]]:
    """Like `_pack`; by sorting if the draws use few of the vertices in their ranges."""
    first = np.cumsum(count) - count
    low = np.minimum.reduceat(corner, first).astype(np.int64)
    size = np.maximum.reduceat(corner, first) - low + 1
    # A mesh whose triangles share vertices has fewer vertices than corners, and copying whole ranges needs no
    # sorting. In a made-up file every draw may name the first and the last vertex: ranges would then take as
    # many vertices as there are draws times vertices.
    if int(size.sum()) > SPARSE * len(corner):
        # Draw and vertex in one sortable number: vertex 7 of draw 2 is 0x2_0000_0007. The unique keys, split
        # again, are the used vertices of each draw, in the order of the draws.
        key = np.repeat(np.arange(len(count)), count) << 32 | corner
        used, number = np.unique(key, return_inverse=True)
        return used & 0xFFFFFFFF, used >> 32, number
    # Dense: the whole range of each draw is copied. Draws with the ranges 5..7 and 6..7 get the new vertices
    # 0..2 and 3..4, so the corners of the second move by 3 - 6.
    start = np.cumsum(size) - size
    draw = np.repeat(np.arange(len(count)), size)
    return expand(low, size), draw, corner + np.repeat(start - low, count)


def _boxes(positions: Floats, start: Indices) -> tuple[Floats, Floats]:
    """Bounds of the vertices of each draw; `start` is the first vertex of each."""
    if not len(start):
        return np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)
    return np.minimum.reduceat(positions, start), np.maximum.reduceat(positions, start)
