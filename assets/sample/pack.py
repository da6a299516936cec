"""Writing a model's container from its description, in either reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np
import numpy.typing as npt

from assets.sample.motion import Transform
from assets.sample.pose import canonical, rest_transforms
from assets.sample.shapes.facets import Batch
from assets.sample.shapes.geometry import BatchWords, Geometry, enclosing_radius
from assets.sample.spec import Cell, ModelSpec, Node
from assets.sample.surfaces.lightmap import Lightmap
from viewer.formats.msh import container, extras, name_records, nodes, slots, strings, tables
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.tracks import Pool
from viewer.formats.record import Bytes, Rows

NO_LIGHTMAP = 0xFF00
"""High byte of the word at +0x04 of a batch without a lightmap, in the field reading."""

LIGHTMAPPED = 0x2000
"""Flag of a batch with a lightmap."""

NOT_LOADED = frozenset({tables.NAME_RECORDS, tables.LIGHT_PROBES})
"""Tables whose attributes are not specified."""


class Convention(StrEnum):
    """The reading that a file follows.

    In that of the field, rows of the slot matrix are states of damage and columns levels of detail; in that
    of the seeds, rows are levels of detail.
    """

    SEED = "seed"
    FIELD = "field"


@dataclass(frozen=True)
class _Built:
    spec: ModelSpec
    geometry: Geometry
    tracks: Pool
    slots_of: Sequence[Mapping[tuple[int, int], int]]
    header: Rows


def model_bytes(
    spec: ModelSpec, convention: Convention = Convention.FIELD, lightmap: Lightmap | None = None
) -> bytes:
    """The model's container, tables in the order of retail files; a `lightmap` gets its patches.

    A file of the field reading has no vertex stream 15, which is optional and large.
    """
    built = _build(spec, convention, lightmap)
    payloads = _payloads(built, convention)
    if not spec.lightmap:
        del payloads[tables.STREAM18], payloads[tables.LIGHT_PROBES]
    if convention is Convention.FIELD:
        del payloads[tables.STREAM15]
    paths = (len(spec.paths.points), len(spec.paths.links), extras.PATH_NODE.size)
    given = {type_id: _counted(type_id, payloads) for type_id in NOT_LOADED & payloads.keys()}
    given[tables.PATH_GRAPH] = paths
    return container.build(payloads, frame_count=built.tracks.frame_count, given=given)


def _counted(type_id: int, payloads: Mapping[int, Bytes]) -> container.Attributes:
    """Number and size of the records, as in the tables of the geometry."""
    return tables.attributes(type_id, len(payloads[type_id]), node_count=0, frame_count=0)


def _build(spec: ModelSpec, convention: Convention, lightmap: Lightmap | None) -> _Built:
    geometry = Geometry(_batch_words(spec, convention))
    slots_of = []
    for index, node in enumerate(spec.nodes):
        found = {}
        for cell, pieces in node.cells.items():
            patcher = (
                partial(lightmap.patch, cell[0], is_indoors=bool(node.flags & nodes.FLAG_INTERNAL))
                if lightmap
                else None
            )
            found[cell] = geometry.slot(index, pieces, patcher, spec.lightmapped)
        slots_of.append({_cell(cell, convention): slot for cell, slot in found.items() if slot is not None})
    order = QuaternionOrder.XYZW if convention is Convention.SEED else QuaternionOrder.WXYZ
    tracks = canonical(spec.nodes, order)
    transforms = rest_transforms(spec.nodes, tracks, order)
    posed = [
        _posed(geometry.slot_positions(cells[0, 0]), transform)
        for cells, transform in zip(slots_of, transforms, strict=True)
        if (0, 0) in cells
    ]
    return _Built(spec, geometry, tracks, slots_of, header_row(np.concatenate(posed)))


def _posed(points: npt.NDArray[np.float32], transform: Transform) -> npt.NDArray[np.float64]:
    """Points of a node in the model's space, rounded so that they are equal on every machine."""
    moved = points.astype(np.float64) @ transform.rotation.T + transform.position
    same: npt.NDArray[np.float64] = np.round(moved, 9) + 0.0
    return same


def _cell(cell: Cell, convention: Convention) -> Cell:
    """Row and column of a state of damage at a level of detail."""
    state, level = cell
    return cell if convention is Convention.FIELD else (level, state)


def _batch_words(spec: ModelSpec, convention: Convention) -> BatchWords:
    """The seed reading has wear rows at +0x02, the field reading in the low byte at +0x04."""
    rows = {name: row for row, name in enumerate(spec.wear)}

    def of_seeds(batch: Batch) -> tuple[int, int, int, int]:
        return batch.flags, rows[batch.material], 0, 0

    def of_field(batch: Batch) -> tuple[int, int, int, int]:
        room = spec.number(batch.room) if batch.room else nodes.NONE
        if batch.material in spec.lightmapped:
            return batch.flags | LIGHTMAPPED, 0, rows[batch.material], room
        return batch.flags, 0, rows[batch.material] | NO_LIGHTMAP, room

    return of_field if convention is Convention.FIELD else of_seeds


def header_row(points: npt.NDArray[np.float64]) -> Rows:
    """The bounds of posed points: box corners, sphere, and upright capsule."""
    row = slots.HEADER.new()
    (x0, y0, z0), (x1, y1, z1) = points.min(axis=0), points.max(axis=0)
    floor = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    row["hull"] = [(x, y, z) for z in (z0, z1) for x, y in floor]
    centre = np.array([(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2])
    row["sphere_center"] = centre
    row["sphere_radius"] = enclosing_radius(points, centre.astype(np.float32))
    row["capsule_a"], row["capsule_b"] = (*centre[:2], z0), (*centre[:2], z1)
    row["capsule_radius"] = np.hypot(x1 - x0, y1 - y0) / 2
    return row


def _payloads(built: _Built, convention: Convention) -> dict[int, Bytes]:
    geometry, tracks = built.geometry, built.tracks
    names = [node.name.encode("ascii") for node in built.spec.nodes]
    labels = [node.takes.encode("ascii") for node in built.spec.nodes]
    nameless = [b""] * len(names)
    records, texts = (nameless, names) if convention is Convention.SEED else (names, labels)
    return {
        tables.NODES: _nodes(built).tobytes(),
        tables.SLOTS: built.header.tobytes() + geometry.slots.tobytes(),
        tables.POSITIONS: geometry.positions.tobytes(),
        tables.NORMALS: geometry.normals.tobytes(),
        tables.UVS: geometry.uvs.tobytes(),
        tables.STREAM18: geometry.lightmap_uvs.tobytes(),
        tables.STREAM15: bytes(8 * len(geometry.positions)),
        tables.BATCHES: geometry.batches.tobytes(),
        tables.INDICES: geometry.indices.tobytes(),
        tables.TRIANGLES: geometry.descriptors.tobytes(),
        tables.KEYS: tracks.keys.tobytes(),
        tables.FRAME_MAP: tracks.words.tobytes(),
        tables.NAME_RECORDS: name_records.build(records),
        tables.STRINGS: strings.build(texts),
        tables.PATH_GRAPH: _path_graph(built.spec),
        tables.LIGHT_PROBES: _light_probes(built.spec),
    }


def _nodes(built: _Built) -> Rows:
    rows = nodes.NODE.new(len(built.spec.nodes))
    numbers = {node.name: index for index, node in enumerate(built.spec.nodes)}
    rows["flags"] = [node.flags for node in built.spec.nodes]
    rows["parent"] = [_parent(node, numbers) for node in built.spec.nodes]
    rows["map_start"], rows["fallback_key"] = built.tracks.map_starts, built.tracks.fallbacks
    rows["slots"] = nodes.NONE
    for index, cells in enumerate(built.slots_of):
        for cell, slot in cells.items():
            rows["slots"][index][cell] = slot
    return rows


def _parent(node: Node, numbers: Mapping[str, int]) -> int:
    return nodes.NONE if node.parent is None else numbers[node.parent]


def _path_graph(spec: ModelSpec) -> bytes:
    points = extras.PATH_NODE.new(len(spec.paths.points))
    links = extras.PATH_LINK.new(len(spec.paths.links))
    if len(points):
        points["position"] = [point.position for point in spec.paths.points]
        points["node"] = [spec.number(point.node) for point in spec.paths.points]
        links["start"], links["end"] = np.array(spec.paths.links).T
        links["opaque"] = 0xFFFFFFFF
    return points.tobytes() + links.tobytes()


def _light_probes(spec: ModelSpec) -> bytes:
    rows = extras.LIGHT_PROBE.new(len(spec.probes))
    numbers = {node.name: index for index, node in enumerate(spec.nodes)}
    for row, probe in zip(rows, spec.probes, strict=True):
        row["node"], row["intensity"] = numbers[probe.node], probe.intensity
        row["position"], row["direction"] = probe.position, (0, 0, -1)
        row["color"] = (*probe.color, 1)
    return rows.tobytes()
