"""Small models made in memory with the project's own writers.

A scene is a list of `Node`; `ModelBuilder` turns it into tables that lie open as writable arrays, so
a test breaks one thing by assigning to it::

    builder = ModelBuilder([Node("hull", shapes={(0, 0): [box()]}), Node("gun", parent=0)])
    builder.nodes["parent"][1] = 99
    model = builder.model()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin

import numpy as np
import numpy.typing as npt

from viewer.formats.archive import nres
from viewer.formats.msh import (
    frame_map,
    keys,
    name_records,
    nodes,
    normals,
    slots,
    strings,
    texcoords,
    triangles,
)
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.tables import (
    BATCHES,
    FRAME_MAP,
    INDICES,
    KEYS,
    NAME_RECORDS,
    NODES,
    NORMALS,
    POSITIONS,
    SLOTS,
    STREAM15,
    STRINGS,
    TABLES,
    TRIANGLES,
    UVS,
    attributes,
)
from viewer.formats.record import Rows
from viewer.geometry.bounds import Bounds
from viewer.geometry.transforms import transform_points
from viewer.model.mesh.animation import matrices
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD, SEED, Reading

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Floats = npt.NDArray[np.float32]

IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
MESH_TYPE = int.from_bytes(b"MESH", "little")
WEAR_TYPE = int.from_bytes(b"WEAR", "little")


@dataclass(frozen=True)
class Shape:
    """One batch of geometry: vertices with normals and texture coordinates, and triangles over them."""

    positions: Floats
    normals: Floats
    uvs: Floats
    triangles: npt.NDArray[np.int64]
    material: int = 0
    flags: int = 0
    has_lightmap: bool = False

    @property
    def edges(self) -> dict[tuple[bytes, bytes], tuple[int, int]]:
        """Triangle and edge number by the positions of the edge's ends, in winding order."""
        points = [position.tobytes() for position in self.positions]
        return {
            (points[corner], points[corners[(edge + 1) % 3]]): (triangle, edge)
            for triangle, corners in enumerate(self.triangles.tolist())
            for edge, corner in enumerate(corners)
        }


def quad(
    size: float = 1.0,
    *,
    center: Vector = (0, 0, 0),
    material: int = 0,
    flags: int = 0,
    has_lightmap: bool = False,
) -> Shape:
    """A square in the XY plane that faces up: four vertices, two triangles."""
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], np.float32) * (size / 2)
    return Shape(
        (corners + np.array(center)).astype(np.float32),
        np.tile(np.array([0, 0, 1], np.float32), (4, 1)),
        np.array([(0, 1), (1, 1), (1, 0), (0, 0)], np.float32),
        np.array([(0, 1, 2), (0, 2, 3)], np.int64),
        material,
        flags,
        has_lightmap,
    )


def box(size: Vector = (1, 1, 1), *, center: Vector = (0, 0, 0), material: int = 0, flags: int = 0) -> Shape:
    """A box with its own vertices on each face: 24 vertices, 12 triangles, facing outwards."""
    face = quad(2.0, center=(0, 0, 1)).positions.astype(np.float64)
    up = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1)], np.float64)
    turns = [up, np.diag([1, -1, -1]), *(np.roll(up, shift, axis=0) for shift in (1, 2))]
    turns += [turn @ turns[1] for turn in turns[2:4]]
    half = np.array(size) / 2
    return Shape(
        np.concatenate([face @ turn.T * half + center for turn in turns]).astype(np.float32),
        np.repeat([turn[:, 2] for turn in turns], 4, axis=0).astype(np.float32),
        np.tile(quad().uvs, (6, 1)),
        (quad().triangles + 4 * np.arange(6)[:, None, None]).reshape(-1, 3),
        material,
        flags,
    )


@dataclass(frozen=True)
class Key:
    """A pose of a node: time in frames, translation in the parent's space, raw w, x, y, z."""

    time: float = 0
    position: Vector = (0, 0, 0)
    quaternion: Quaternion = IDENTITY


def turn(axis: Vector, degrees: float) -> Quaternion:
    """w, x, y, z about a unit axis as a key holds it; the engine rotates by its conjugate."""
    half = radians(degrees) / 2
    x, y, z = (sin(half) * component for component in axis)
    return cos(half), x, y, z


@dataclass(frozen=True)
class Node:
    """A node: shapes per (LOD, group) cell, and keys; with two keys or more it is animated.

    The same list of shapes in several cells, or in several nodes, becomes one slot.
    """

    name: str = ""
    parent: int | None = None
    shapes: Mapping[tuple[int, int], Sequence[Shape]] = field(default_factory=dict)
    keys: Sequence[Key] = (Key(),)
    flags: int = 0

    @property
    def is_animated(self) -> bool:
        """Whether the node gets a block of the frame map."""
        return len(self.keys) > 1


class ModelBuilder:
    """The tables of a model, open for changes until `build`.

    Attributes
    ----------
    nodes, header, slots, batches, triangles, keys
        Structured arrays of the project's records; `header` has one row.
    positions, normals, uvs, indices, frame_map
        Plain arrays: float32 (v, 3), int8 (v, 4), int16 (v, 2), uint16 (i,) and (w,).
    names, name_records
        Names per node in Res10 and in Res9.
    frame_count
        Frames that Res19 states.
    tables
        Payloads by type that take the place of the arrays, or stand beside them.
    missing
        Types that are left out.
    attributes
        attr1, attr2, attr3 by type, where they are to differ from the canonical ones.
    """

    def __init__(self, scene: Sequence[Node], reading: Reading = SEED) -> None:
        self.scene = scene
        self.reading = reading
        self.tables: dict[int, bytes] = {}
        self.missing: set[int] = set()
        self.attributes: dict[int, tuple[int, int, int]] = {}
        self.nodes = nodes.NODE.new(len(scene))
        self.header = slots.HEADER.new()
        self._fill_geometry()
        self._fill_nodes()
        self._fill_animation()
        self._fill_header()
        self._fill_names()

    def _fill_geometry(self) -> None:
        lists: dict[int, Sequence[Shape]] = {
            id(shapes): shapes for node in self.scene for shapes in node.shapes.values()
        }
        self._slot_numbers = {key: number for number, key in enumerate(lists)}
        shapes = [shape for listed in lists.values() for shape in listed]
        self.slots = slots.SLOT.new(len(lists))
        self.batches = BATCH.new(len(shapes))
        self.positions = _stacked([shape.positions for shape in shapes], 3).astype("<f4")
        self.normals = normals.encode(_stacked([shape.normals for shape in shapes], 3))
        self.uvs = texcoords.encode(_stacked([shape.uvs for shape in shapes], 2))
        self.indices = _stacked([shape.triangles for shape in shapes], 3).reshape(-1).astype("<u2")
        self.triangles = triangles.TRIANGLE.new(len(self.indices) // 3)
        first_batch = first_triangle = 0
        for slot, listed in zip(self.slots, lists.values(), strict=True):
            count = sum(len(shape.triangles) for shape in listed)
            slot["batch_start"], slot["batch_count"] = first_batch, len(listed)
            slot["tri_start"], slot["tri_count"] = first_triangle, count
            _bound(slot, listed)
            first_batch, first_triangle = first_batch + len(listed), first_triangle + count
        self._fill_batches(shapes)

    def _fill_batches(self, shapes: Sequence[Shape]) -> None:
        first_vertex = first_triangle = 0
        for batch, shape in zip(self.batches, shapes, strict=True):
            batch["flags"] = shape.flags
            batch["index_start"], batch["index_count"] = 3 * first_triangle, shape.triangles.size
            batch["base_vertex"], batch["opaque14"] = first_vertex, len(shape.positions)
            if self.reading.material_field == FIELD.material_field:
                batch["opaque4"] = shape.material | (0x0000 if shape.has_lightmap else 0xFF00)
            else:
                batch["material"] = shape.material
            _describe(self.triangles[first_triangle:], shape, first_triangle)
            first_vertex, first_triangle = (
                first_vertex + len(shape.positions),
                first_triangle + len(shape.triangles),
            )

    def _fill_nodes(self) -> None:
        self.nodes["slots"] = nodes.NONE
        for row, node in zip(self.nodes, self.scene, strict=True):
            row["flags"] = node.flags
            row["parent"] = nodes.NONE if node.parent is None else node.parent
            for cell, shapes in node.shapes.items():
                row["slots"][cell] = self._slot_numbers[id(shapes)]

    def _fill_animation(self) -> None:
        track = [key for node in self.scene for key in node.keys]
        self.frame_count = int(max((node.keys[-1].time for node in self.scene), default=0)) + 1
        self.keys = keys.KEY.new(len(track))
        self.keys["position"] = np.reshape([key.position for key in track], (-1, 3))
        self.keys["time"] = [key.time for key in track]
        quaternions = np.array([key.quaternion for key in track]).reshape(-1, 4)
        self.keys["quaternion"] = keys.encode_quaternion(quaternions, self.reading.quaternion_order)
        words: list[npt.NDArray[np.uint16]] = []
        first = 0
        for row, node in zip(self.nodes, self.scene, strict=True):
            row["fallback_key"] = first + len(node.keys) - 1
            row["map_start"] = len(words) * self.frame_count if node.is_animated else nodes.NONE
            if node.is_animated:
                times = np.array([key.time for key in node.keys])
                words.append(frame_map.encode_block(times, first, self.frame_count))
            first += len(node.keys)
        self.frame_map = np.concatenate([np.empty(0, "<u2"), *words])

    def _fill_header(self) -> None:
        points = self.posed_points()
        bounds = Bounds.of(points) if len(points) else None
        if bounds is None:
            return
        low, high, center = bounds.low, bounds.high, bounds.center
        header = self.header[0]
        header["hull"] = bounds.corners
        header["sphere_center"], header["sphere_radius"] = center, bounds.diagonal / 2
        header["capsule_a"] = (*center[:2], low[2])
        header["capsule_b"] = (*center[:2], high[2])
        header["capsule_radius"] = np.linalg.norm(bounds.size[:2]) / 2

    def posed_points(self) -> npt.NDArray[np.floating]:
        """World positions (n, 3) of everything that row 0, column 0 shows at time 0, hulls left out."""
        world: list[Floats] = []
        points: list[npt.NDArray[np.floating]] = [np.empty((0, 3), np.float32)]
        for node in self.scene:
            key = node.keys[0]
            local = matrices(np.array([key.quaternion], np.float32), np.array([key.position], np.float32))[0]
            world.append(local if node.parent is None else world[node.parent] @ local)
            if not node.flags & nodes.FLAG_COCKPIT:
                points += [
                    transform_points(world[-1], shape.positions) for shape in node.shapes.get((0, 0), ())
                ]
        return np.concatenate(points)

    def _fill_names(self) -> None:
        names = [node.name.encode("cp1251") for node in self.scene]
        in_records = self.reading.has_name_records
        self.names = [b"" for _ in names] if in_records else names
        self.name_records = names if in_records else [b"" for _ in names]

    def payloads(self) -> dict[int, bytes]:
        """Every table as it will be written, in the canonical order of types."""
        made = {
            NODES: self.nodes.tobytes(),
            SLOTS: self.header.tobytes() + self.slots.tobytes(),
            POSITIONS: self.positions.tobytes(),
            NORMALS: self.normals.tobytes(),
            UVS: self.uvs.tobytes(),
            STREAM15: bytes(8 * len(self.positions)),
            BATCHES: self.batches.tobytes(),
            INDICES: self.indices.tobytes(),
            TRIANGLES: self.triangles.tobytes(),
            KEYS: self.keys.tobytes(),
            FRAME_MAP: self.frame_map.tobytes(),
            NAME_RECORDS: name_records.build(self.name_records),
            STRINGS: strings.build(self.names),
        }
        made.update(self.tables)
        return {type_id: data for type_id, data in made.items() if type_id not in self.missing}

    def build(self) -> bytes:
        """The container."""
        return container(
            self.payloads(),
            node_count=len(self.nodes),
            frame_count=self.frame_count,
            changed=self.attributes,
        )

    def model(self) -> Model:
        """The model that the container holds."""
        return Model.read(self.build())


def _stacked(arrays: Sequence[npt.NDArray[np.generic]], width: int) -> npt.NDArray[np.float64]:
    return np.concatenate([np.empty((0, width)), *arrays])


def _bound(slot: np.void, shapes: Sequence[Shape]) -> None:
    bounds = Bounds.of(_stacked([shape.positions for shape in shapes], 3))
    if bounds is None:
        return
    slot["aabb_min"], slot["aabb_max"] = bounds.low, bounds.high
    slot["sphere_center"], slot["sphere_radius"] = (
        bounds.center,
        np.nextafter(np.float32(bounds.diagonal / 2), np.float32(np.inf)),
    )


def _describe(rows: Rows, shape: Shape, first: int) -> None:
    """Write the descriptors of a shape: neighbours inside it, face normals, shared edges."""
    edges = shape.edges
    chosen = np.full((len(shape.triangles), 3), triangles.NO_SELECTOR)
    for (start, end), (triangle, edge) in edges.items():
        neighbour, shared = edges.get((end, start), (None, triangles.NO_SELECTOR))
        rows["links"][triangle, edge] = triangles.NONE if neighbour is None else first + neighbour
        chosen[triangle, edge] = shared
    corners = shape.positions.astype(np.float64)[shape.triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    rows["normal"][: len(across)] = triangles.encode_normal(across)
    rows["selectors"][: len(chosen)] = triangles.encode_selectors(chosen)


def container(
    payloads: Mapping[int, bytes],
    *,
    node_count: int = 0,
    frame_count: int = 1,
    changed: Mapping[int, tuple[int, int, int]] | None = None,
) -> bytes:
    """Tables as a container, with the attributes the spec gives them unless `changed` says otherwise."""
    entries = []
    for type_id, data in payloads.items():
        attrs = (changed or {}).get(type_id)
        if attrs is None and (type_id == STRINGS or (type_id in TABLES and TABLES[type_id].record)):
            attrs = attributes(type_id, len(data), node_count=node_count, frame_count=frame_count)
        attr1, attr2, attr3 = attrs or (0, 0, 0)
        entries.append(nres.NewEntry(type_id, data, b"res%d" % type_id, attr1, attr2, attr3))
    return nres.build(entries)


def archive_of(files: Mapping[str, bytes]) -> bytes:
    """An archive of models and wear tables, typed by the ends of their names."""
    types = {"msh": MESH_TYPE, "wea": WEAR_TYPE}
    return nres.build(
        nres.NewEntry(types.get(name.rpartition(".")[2].lower(), 0), data, name.encode("cp1251"))
        for name, data in files.items()
    )


def legacy24(shapes: Sequence[Shape]) -> bytes:
    """A model with 24-byte nodes of unknown content, one key and an empty frame map."""
    builder = ModelBuilder([Node("relic", shapes={(0, 0): shapes})])
    builder.tables[NODES] = bytes(range(nodes.LEGACY_SIZE))
    builder.attributes[NODES] = (1, 0, nodes.LEGACY_SIZE)
    return builder.build()
