"""Slots, batches, indices, vertices and triangle descriptors, made from the meshes of a scene.

Slots follow the order of the meshes, batches that of their primitives, and vertices, indices and descriptors
that of the batches. A primitive is a batch, or several if it is too large; each has vertices of its own.

Source: spec/msh.md 3 to 8, 12; spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import FormatError
from viewer.formats.msh import triangles, vertices
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.vertices import INDEX, POSITION
from viewer.formats.packing import quantise
from viewer.formats.record import Rows
from viewer.geometry.transforms import Doubles, Indices, Matrix
from viewer.model.convert.building.nodes import Losses, NodeOrder, RowPlace, finite, words
from viewer.model.convert.scene import (
    NEW,
    Mesh,
    Primitive,
    Scene,
)
from viewer.model.convert.shapes import STREAMS, chosen, distinct, transformed, with_flat_normals
from viewer.model.edit.geometry.links import Edges, linked
from viewer.model.edit.geometry.measures import extents, spheres
from viewer.model.edit.geometry.slot_triangles import AT_ONCE, SlotTriangles
from viewer.model.mesh.draws import chunks
from viewer.translation import _

MOST_TRIANGLES = 0xFFFF // 3
"""Triangles of a batch: it counts its indices in 16 bits, so it has at most 65,535 vertices as well."""


def pieces(primitive: Primitive, scale: Matrix | None, place: RowPlace) -> Iterator[Primitive]:
    """The batches of a primitive, with normals and only the vertices that their triangles use.

    `place` is the first batch, for messages. Raises `FormatError` for triangles without vertices.
    """
    _check(primitive, place)
    count = len(primitive.triangles)
    for first in range(0, max(1, count), MOST_TRIANGLES):
        piece = primitive
        if count > MOST_TRIANGLES:
            piece = replace(primitive, triangles=primitive.triangles[first : first + MOST_TRIANGLES])
        if piece.normals is None:
            piece = with_flat_normals(piece)
        if scale is not None:
            piece = transformed(piece, scale)
        rows, corners = distinct(piece.triangles)
        yield piece if len(rows) == len(piece.positions) else chosen(piece, rows, corners)


def _check(primitive: Primitive, place: RowPlace) -> None:
    corners, count = primitive.triangles, len(primitive.positions)
    if len(corners) and not 0 <= int(corners.min()) <= int(corners.max()) < count:
        outside = (corners < 0) | (corners >= count)
        value = int(corners[outside][0])
        raise place.wrong(INDEX.name, "{value} of {count} vertices", value=value, count=count)
    for name in STREAMS:
        values = getattr(primitive, name)
        if values is not None and len(values) != count:
            words = "{rows} rows for {vertices} vertices"
            raise place.wrong(name, words, rows=len(values), vertices=count)


MOST_DESCRIPTORS = 0xFFFF
"""Descriptors of a model: slots and links address them with 16 bits, and one value means none."""
LARGEST = float(np.finfo(np.float32).max)
"""Radius, area and volume that are larger are cut, so that they are finite."""
MOST_SLOTS = 0xFFFF
WHOLE_STEPS = 0x8000
"""Steps of a texture coordinate on either side of 0."""


class SlotChoice(Struct, frozen=True, eq=False):
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
                # The first scale of a mesh keeps its slot, so that without scales slots stay in order.
                is_first = found.setdefault(mesh, key) == key
                slots[mesh, key] = mesh if is_first else len(meshes)
                if is_first:
                    scales[mesh] = scale
                else:
                    meshes.append(scene.meshes[mesh])
                    scales.append(scale)
            cells[-1][cell] = slots[mesh, key]
    if len(meshes) > MOST_SLOTS:
        message = _("{count} slots, at most {limit}", count=len(meshes), limit=MOST_SLOTS)
        raise FormatError(message, table=SLOT.name, index=MOST_SLOTS)
    return SlotChoice(list(zip(meshes, scales, strict=True)), cells)


class Geometry(Struct, frozen=True, eq=False):
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
        # Batches lie one after the other, so those of a slot are one run of vertices.
        return self.positions[self.vertex_starts[start] : self.vertex_starts[start + count]]


def geometry_of(choice: SlotChoice, losses: Losses) -> Geometry:
    """The tables of the chosen slots; raises `FormatError` for what 16 bits cannot address."""
    batches, batch_counts = _batches(choice)
    vertex_counts = np.array([len(it.positions) for it in batches], np.int64)
    starts = np.concatenate(([0], np.cumsum(vertex_counts)))
    corners = np.concatenate([np.empty((0, 3), "<u2"), *(it.triangles.astype("<u2") for it in batches)])
    positions = np.concatenate([np.empty((0, 3), "<f4"), *(it.positions for it in batches)])
    finite(positions, POSITION.name, "position")
    slots, descriptors = _slots(batches, batch_counts, corners, starts, positions, losses)
    _put_unknown_words(slots, choice)
    return Geometry(
        batches,
        slots,
        descriptors,
        positions,
        _normals(batches, vertex_counts, losses),
        _uvs(batches, vertex_counts, losses),
        _lightmap_uvs(batches, vertex_counts, losses),
        corners.reshape(-1),
        _rows(batches, vertex_counts),
        starts,
    )


def _batches(choice: SlotChoice) -> tuple[list[Primitive], Indices]:
    """The batches of all slots, and the number of batches of each slot, (s,)."""
    batches: list[Primitive] = []
    ends = [0]
    for slot, (mesh, scale) in enumerate(choice.meshes):
        place, first = RowPlace(SLOT.name, slot), len(batches)
        place.limited("batch_count", len(mesh.primitives), 0xFFFF)
        for primitive in mesh.primitives:
            batches += pieces(primitive, scale, RowPlace(BATCH.name, len(batches)))
        place.limited("batch_start", first, 0xFFFF)
        place.limited("batch_count", len(batches) - first, 0xFFFF)
        ends.append(len(batches))
    edges = np.array(ends, np.int64)
    return batches, edges[1:] - edges[:-1]


def _slots(
    batches: Sequence[Primitive],
    counts: Indices,
    corners: npt.NDArray[np.uint16],
    starts: Indices,
    positions: npt.NDArray[np.float32],
    losses: Losses,
) -> tuple[Rows, Rows]:
    """The records of slots, each with its number of batches, and of the descriptors of their triangles."""
    triangle_counts = np.array([len(it.triangles) for it in batches], np.int64)
    slot_of_batch = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    batch = np.repeat(np.arange(len(batches), dtype=np.int32), triangle_counts)
    known = SlotTriangles(
        len(counts),
        slot_of_batch[batch],
        batch,
        # Triangle t has indices 3t to 3t + 2 of one list over all batches, and descriptor t.
        3 * np.arange(len(corners), dtype=np.int32),
        corners + starts.astype(np.int32)[batch, None],
        np.arange(len(corners), dtype=np.int32),
        positions,
    )
    slots = measured(known)
    # Counts 2 0 3: the running sum 2 2 5 less the counts gives the starts 0 2 2.
    slots["batch_start"], slots["batch_count"] = np.cumsum(counts) - counts, counts
    return slots, _descriptors(slots, known, losses)


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
        # The words hold floats: their bits are written, as the meaning of the words is not known for
        # certain.
        slots["opaque"][is_filled, column] = np.minimum(extent[is_filled], LARGEST).astype("<f4").view("<u4")
    return slots


def _put_unknown_words(slots: Rows, choice: SlotChoice) -> None:
    """Write the unknown words of slots, as they were."""
    for row, (mesh, _ignored) in enumerate(choice.meshes):
        if "opaque" in mesh.fields:
            kept = words(mesh.fields["opaque"], 5, "opaque", RowPlace(SLOT.name, row))
            # The first two are area and volume (spec/field-notes.md 2), which are measured anew; the other
            # three are open.
            slots["opaque"][row, 2:] = kept[2:]


def _descriptors(slots: Rows, known: SlotTriangles, losses: Losses) -> Rows:
    """The descriptors of all triangles, none if they cannot be addressed; their ranges are written."""
    count = len(known)
    # A model without Res7 is drawn all the same: descriptors serve collisions and picking (spec/msh.md 6).
    if count > MOST_DESCRIPTORS:
        words = "triangles: {count}; only {limit} can have descriptors, so none has one for collisions"
        losses.add(words, count, limit=MOST_DESCRIPTORS)
        return triangles.TRIANGLE.new(0)
    counts = np.bincount(known.slot, minlength=len(slots))
    slots["tri_count"] = counts
    # Empty slots behind the last descriptor would start at 65,536.
    slots["tri_start"] = np.minimum(np.cumsum(counts) - counts, 0xFFFF)
    rows = triangles.TRIANGLE.new(count)
    rows["normal"] = triangles.encode_normal(np.nan_to_num(known.normals))
    rows["links"], rows["selectors"] = linked(*Edges.of(known, count).neighbors())
    return rows


def _normals(batches: Sequence[Primitive], counts: Indices, losses: Losses) -> npt.NDArray[np.int8]:
    made, lost = [np.empty((0, 4), np.int8)], 0
    for values, _ignored in _stacked([it.normals for it in batches], counts, 3):
        is_known = np.isfinite(values).all(axis=1)
        # Up to half a step above 1 still rounds to 127, the largest that is stored.
        is_long = np.abs(values).max(axis=1, initial=0) > 1 + 0.5 / vertices.NORMAL_SCALE
        lost += int((~is_known | is_long).sum())
        made.append(vertices.encode_normals(np.nan_to_num(values, posinf=0, neginf=0)))
    losses.add("normals that are not finite or longer than 1: {count}", lost)
    return np.concatenate(made)


def _uvs(batches: Sequence[Primitive], counts: Indices, losses: Losses) -> npt.NDArray[np.int16]:
    limit = WHOLE_STEPS / vertices.UV_SCALE
    made, lost = [np.empty((0, 2), "<i2")], 0
    for stored, own in _stacked([it.uvs for it in batches], counts, 2):
        # The usual case costs one comparison; only coordinates near the limit are looked at batch by batch.
        is_near = np.abs(stored).max(initial=0) < limit - 1
        values = stored if is_near else _within(stored, own, limit)
        # Written as "not inside", as NaN is neither inside nor outside.
        # What rounds to a step from -32,768 to 32,767 fits, so -32,768.5 to 32,767.5; half a step further
        # both limits are WHOLE_STEPS.
        lost += int((~(np.abs(values * vertices.UV_SCALE + 0.5) <= WHOLE_STEPS).all(axis=1)).sum())
        made.append(vertices.encode_uvs(np.nan_to_num(values, posinf=0, neginf=0)))
    losses.add("texture coordinates beyond {limit}: {count}; they are cut", lost, limit=limit)
    return np.concatenate(made)


def _within(values: Doubles, counts: Indices, limit: float) -> Doubles:
    """Coordinates (v, 2) of batches beyond the limit, moved by whole textures if that brings them in."""
    made = values.copy()
    ends = np.cumsum(counts)
    for start, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
        part = values[start:end]
        if (
            len(part)
            and np.isfinite(part).all()
            and np.abs(part * vertices.UV_SCALE + 0.5).max() > WHOLE_STEPS
        ):
            # Textures repeat, so 40.25 to 41.5 is stored as -0.75 to 0.5: the middle, 41, becomes 0.
            middle = np.rint((part.min(axis=0) + part.max(axis=0)) / 2)
            is_narrow = part.max(axis=0) - part.min(axis=0) < 2 * limit - 1
            made[start:end] = part - np.where(is_narrow, middle, 0)
    return made


def _lightmap_uvs(
    batches: Sequence[Primitive], counts: Indices, losses: Losses
) -> npt.NDArray[np.uint16] | None:
    if all(it.lightmap_uvs is None for it in batches):
        return None
    made, lost = [np.empty((0, 2), "<u2")], 0
    for values, _ignored in _stacked([it.lightmap_uvs for it in batches], counts, 2):
        scaled = values * vertices.UV_SCALE
        # What rounds to a step from 0 to 65,535 fits: -0.0004 is -0.41 steps and gives 0, -0.0006 is cut.
        # Written as "not inside", as NaN is neither inside nor outside.
        lost += int((~((scaled > -0.5) & (scaled < 0xFFFF + 0.5)).all(axis=1)).sum())
        kept = np.nan_to_num(values, posinf=0, neginf=0)
        made.append(quantise(kept, vertices.UV_SCALE, 0, 0xFFFF).astype("<u2"))
    losses.add("lightmap coordinates below 0 or above {limit}: {count}; they are cut", lost, limit=64)
    return np.concatenate(made)


def _rows(batches: Sequence[Primitive], counts: Indices) -> Indices:
    if all(it.vertices is None for it in batches):
        # One number in memory that reads as millions of rows.
        return np.broadcast_to(np.int64(NEW), int(counts.sum()))
    parts = [
        np.full(count, NEW) if it.vertices is None else it.vertices
        for it, count in zip(batches, counts.tolist(), strict=True)
    ]
    return np.concatenate([np.empty(0, np.int64), *parts])


def _stacked(
    parts: Sequence[npt.NDArray[np.float32] | None], counts: Indices, width: int
) -> Iterator[tuple[Doubles, Indices]]:
    """Arrays (n, width), some of them together, and the rows of each; zeros for missing ones."""
    for some in chunks(counts, AT_ONCE):
        own = counts[some]
        filled = [
            np.zeros((count, width)) if part is None else part.astype(np.float64)
            for part, count in zip(parts[some], own.tolist(), strict=True)
        ]
        yield np.concatenate(filled), own
