"""Slots, batches, indices, vertices and triangle descriptors, made from the meshes of a scene.

Slots follow the order of the meshes, batches that of their primitives, and vertices, indices and descriptors
that of the batches; each batch has vertices of its own.

Source: spec/msh.md 3 to 8, spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.formats.msh import normals, texcoords, triangles
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.positions import POSITION
from viewer.formats.msh.slots import SLOT
from viewer.formats.packing import quantise
from viewer.formats.record import Rows
from viewer.model.convert.building.order import Matrix, NodeOrder
from viewer.model.convert.building.pieces import pieces
from viewer.model.convert.building.values import Losses, Spot, finite, words
from viewer.model.convert.scene import NEW, Mesh, Primitive, Scene
from viewer.model.edit.geometry.bounds import extents, spheres
from viewer.model.edit.geometry.links import Edges, linked
from viewer.model.edit.geometry.slot_triangles import Doubles, SlotTriangles
from viewer.model.mesh.ranges import Indices
from viewer.translation import Sentence

MOST_DESCRIPTORS = 0xFFFF
"""Descriptors of a model: slots and links address them with 16 bits, and one value means none."""
LARGEST = float(np.finfo(np.float32).max)
"""Radius, area and volume that are larger are cut, so that they are finite."""
MOST_SLOTS = 0xFFFF
WHOLE_STEPS = 0x8000
"""Steps of a texture coordinate on either side of 0."""


@dataclass(frozen=True, slots=True, eq=False)
class SlotChoice:
    """The meshes that become slots.

    Attributes
    ----------
    meshes
        Mesh and scale of its vertices for each slot.
    cells
        The slot of each cell, by row of the node.
    """

    meshes: Sequence[tuple[Mesh, Matrix | None]]
    cells: Sequence[Mapping[tuple[int, int], int]]


def slot_choice(scene: Scene, order: NodeOrder) -> SlotChoice:
    """A slot for each mesh, and further ones for nodes that show a mesh in another scale."""
    found: dict[int, bytes] = {}
    slots: dict[tuple[int, bytes], int] = {}
    scales: list[Matrix | None] = [None] * len(scene.meshes)
    meshes = list(scene.meshes)
    cells: list[dict[tuple[int, int], int]] = []
    for node, scale in zip(order.nodes, order.scales, strict=True):
        cells.append({})
        key = b"" if scale is None else scale.tobytes()
        for cell, mesh in scene.nodes[node].cells.items():
            if (mesh, key) not in slots:
                is_first = found.setdefault(mesh, key) == key
                slots[mesh, key] = mesh if is_first else len(meshes)
                if is_first:
                    scales[mesh] = scale
                else:
                    meshes.append(scene.meshes[mesh])
                    scales.append(scale)
            cells[-1][cell] = slots[mesh, key]
    if len(meshes) > MOST_SLOTS:
        message = Sentence("{count} slots, at most {limit}", count=len(meshes), limit=MOST_SLOTS)
        raise FormatError(message, table=SLOT.name, index=MOST_SLOTS)
    return SlotChoice(list(zip(meshes, scales, strict=True)), cells)


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """The tables of the geometry.

    Attributes
    ----------
    batches
        The primitives that became batches.
    slots, triangles
        Records.
    positions, normals, uvs
        (v, 3) float32, (v, 4) int8, (v, 2) int16.
    lightmap_uvs
        (v, 2) uint16; None if no primitive has any.
    indices
        (i,) uint16, relative to the first vertex of their batch.
    rows
        Rows of the vertices in the model they came from, (v,) int64, `NEW` for others.
    vertex_starts
        First vertex of each batch and the number of all, (b + 1,) int64.
    """

    batches: Sequence[Primitive]
    slots: Rows
    triangles: Rows
    positions: npt.NDArray[np.float32]
    normals: npt.NDArray[np.int8]
    uvs: npt.NDArray[np.int16]
    lightmap_uvs: npt.NDArray[np.uint16] | None
    indices: npt.NDArray[np.uint16]
    rows: Indices
    vertex_starts: Indices

    def points(self, slot: int) -> npt.NDArray[np.float32]:
        """The vertices of a slot, (n, 3)."""
        start, count = (int(self.slots[name][slot]) for name in ("batch_start", "batch_count"))
        return self.positions[self.vertex_starts[start] : self.vertex_starts[start + count]]


def geometry_of(chosen: SlotChoice, losses: Losses) -> Geometry:
    """The tables of the chosen slots; raises `FormatError` for what 16 bits cannot address."""
    batches: list[Primitive] = []
    ends = []
    for slot, (mesh, scale) in enumerate(chosen.meshes):
        spot, first = Spot(SLOT.name, slot), len(batches)
        spot.limited("batch_count", len(mesh.primitives), 0xFFFF)
        for primitive in mesh.primitives:
            batches += pieces(primitive, scale, Spot(BATCH.name, len(batches)))
        spot.limited("batch_start", first, 0xFFFF)
        spot.limited("batch_count", len(batches) - first, 0xFFFF)
        ends.append(len(batches))
    batch_ends = np.array(ends, np.int64)
    batch_counts = np.diff(batch_ends, prepend=0)
    vertex_counts = np.array([len(it.positions) for it in batches], np.int64)
    triangle_counts = np.array([len(it.triangles) for it in batches], np.int64)
    starts = np.concatenate(([0], np.cumsum(vertex_counts)))
    corners = np.concatenate([np.empty((0, 3), "<u2"), *(it.triangles.astype("<u2") for it in batches)])
    positions = _joined([it.positions for it in batches], 3)
    finite(positions, POSITION.name, "position")
    slot_of_batch = np.repeat(np.arange(len(ends), dtype=np.int32), batch_counts)
    batch = np.repeat(np.arange(len(batches), dtype=np.int32), triangle_counts)
    known = SlotTriangles(
        len(ends),
        slot_of_batch[batch],
        batch,
        3 * np.arange(len(corners), dtype=np.int32),
        corners + starts.astype(np.int32)[batch, None],
        np.arange(len(corners), dtype=np.int32),
        positions,
    )
    slots = measured(known)
    slots["batch_start"], slots["batch_count"] = batch_ends - batch_counts, batch_counts
    _put_unknown_words(slots, chosen)
    return Geometry(
        batches,
        slots,
        _descriptors(slots, known, losses),
        positions.astype("<f4"),
        _normals(batches, vertex_counts, losses),
        _uvs(batches, vertex_counts, losses),
        _lightmap_uvs(batches, vertex_counts, losses),
        corners.reshape(-1),
        _rows(batches, vertex_counts),
        starts,
    )


@np.errstate(over="ignore")
@np.errstate(over="ignore", invalid="ignore")
def measured(known: SlotTriangles) -> Rows:
    """A record for each slot with its bounds, area and volume; zero for an empty one."""
    slots = SLOT.new(known.slot_count)
    is_filled = known.is_filled
    low, high = known.boxes
    center, radius = spheres(known)
    for name, values in (("aabb_min", low), ("aabb_max", high), ("sphere_center", center)):
        slots[name][is_filled] = values[is_filled]
    slots["sphere_radius"][is_filled] = np.minimum(radius[is_filled], LARGEST)
    for column, extent in enumerate(extents(known)):
        slots["opaque"][is_filled, column] = np.minimum(extent[is_filled], LARGEST).astype("<f4").view("<u4")
    return slots


def _put_unknown_words(slots: Rows, chosen: SlotChoice) -> None:
    """Write the words of slots that nobody knows, as they were."""
    for row, (mesh, _) in enumerate(chosen.meshes):
        if "opaque" in mesh.fields:
            kept = words(mesh.fields["opaque"], 5, "opaque", Spot(SLOT.name, row))
            slots["opaque"][row, 2:] = kept[2:]


def _descriptors(slots: Rows, known: SlotTriangles, losses: Losses) -> Rows:
    """The descriptors of all triangles, none if they cannot be addressed; their ranges are written."""
    count = len(known)
    if count > MOST_DESCRIPTORS:
        losses.add(
            "triangles: {count}; only {limit} can have descriptors, so none has one for collisions",
            count,
            limit=MOST_DESCRIPTORS,
        )
        return triangles.TRIANGLE.new(0)
    counts = np.bincount(known.slot, minlength=len(slots))
    slots["tri_count"] = counts
    slots["tri_start"] = np.minimum(np.cumsum(counts) - counts, 0xFFFF)
    rows = triangles.TRIANGLE.new(count)
    rows["normal"] = triangles.encode_normal(np.nan_to_num(known.normals))
    rows["links"], rows["selectors"] = linked(*Edges.of(known, count).neighbors())
    return rows


def _normals(batches: Sequence[Primitive], counts: Indices, losses: Losses) -> npt.NDArray[np.int8]:
    values = _stacked([it.normals for it in batches], counts, 3).astype(np.float64)
    is_known = np.isfinite(values).all(axis=1)
    is_long = np.abs(values).max(axis=1, initial=0) > 1 + 0.5 / normals.SCALE
    losses.add("normals that are not finite or longer than 1: {count}", int((~is_known | is_long).sum()))
    return normals.encode(np.nan_to_num(values, posinf=0, neginf=0))


def _uvs(batches: Sequence[Primitive], counts: Indices, losses: Losses) -> npt.NDArray[np.int16]:
    values = _stacked([it.uvs for it in batches], counts, 2).astype(np.float64)
    limit = WHOLE_STEPS / texcoords.SCALE
    if len(values) and not np.abs(values).max() < limit - 1:
        values = _within(values, counts, limit)
    is_lost = ~(np.abs(values * texcoords.SCALE + 0.5) <= WHOLE_STEPS).all(axis=1)
    losses.add("texture coordinates beyond {limit}: {count}; they are cut", int(is_lost.sum()), limit=limit)
    return texcoords.encode(np.nan_to_num(values, posinf=0, neginf=0))


def _within(values: Doubles, counts: Indices, limit: float) -> Doubles:
    """Coordinates (v, 2) of batches beyond the limit, moved by whole textures if that brings them in."""
    made = values.copy()
    ends = np.cumsum(counts)
    for start, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
        part = values[start:end]
        if len(part) and np.isfinite(part).all() and np.abs(part * texcoords.SCALE + 0.5).max() > WHOLE_STEPS:
            middle = np.rint((part.min(axis=0) + part.max(axis=0)) / 2)
            is_narrow = part.max(axis=0) - part.min(axis=0) < 2 * limit - 1
            made[start:end] = part - np.where(is_narrow, middle, 0)
    return made


def _lightmap_uvs(
    batches: Sequence[Primitive], counts: Indices, losses: Losses
) -> npt.NDArray[np.uint16] | None:
    if all(it.lightmap_uvs is None for it in batches):
        return None
    values = _stacked([it.lightmap_uvs for it in batches], counts, 2).astype(np.float64)
    scaled = values * texcoords.SCALE
    is_lost = ~((scaled > -0.5) & (scaled < 0xFFFF + 0.5)).all(axis=1)
    losses.add(
        "lightmap coordinates below 0 or above {limit}: {count}; they are cut", int(is_lost.sum()), limit=64
    )
    return quantise(np.nan_to_num(values, posinf=0, neginf=0), texcoords.SCALE, 0, 0xFFFF).astype("<u2")


def _rows(batches: Sequence[Primitive], counts: Indices) -> Indices:
    parts = [
        np.full(count, NEW) if it.vertices is None else it.vertices
        for it, count in zip(batches, counts.tolist(), strict=True)
    ]
    return np.concatenate([np.empty(0, np.int64), *parts])


def _stacked(
    parts: Sequence[npt.NDArray[np.float32] | None], counts: Indices, width: int
) -> npt.NDArray[np.float32]:
    """Arrays (n, width) one after the other; zeros for those that are missing."""
    filled = [
        np.zeros((count, width), np.float32) if part is None else part
        for part, count in zip(parts, counts.tolist(), strict=True)
    ]
    return _joined(filled, width)


def _joined(parts: Sequence[npt.NDArray[np.float32]], width: int) -> npt.NDArray[np.float32]:
    return np.concatenate([np.empty((0, width), np.float32), *parts]).astype(np.float32, copy=False)
