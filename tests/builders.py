"""Small models made in memory with the project's own writers.

A scene is a list of `Node`; `ModelBuilder` turns it into tables that lie open as writable arrays, so
a test breaks one thing by assigning to it::

    builder = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]}), Node("gun", parent=0)])
    builder.nodes["parent"][1] = 99
    model = builder.model()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, radians, sin

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import asdict

from viewer.formats.archive import nres
from viewer.formats.msh import nodes
from viewer.formats.msh.tables import NODES, STRINGS, TABLES, attributes
from viewer.geometry.quaternions import conjugate
from viewer.geometry.transforms import Floats, Mask
from viewer.model.convert import scene
from viewer.model.convert.building.tables import ModelTables, tables_of
from viewer.model.convert.scene import Primitive, Scene, SceneMaterial, Track
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import SEED, Reading
from viewer.model.mesh.shown import NO_OVERRIDES, Cell, CellRule, PartChoice, PartChooser

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
MESH_TYPE = int.from_bytes(b"MESH", "little")
WEAR_TYPE = int.from_bytes(b"WEAR", "little")


class Shape(Struct, frozen=True):
    """One batch of geometry: vertices with normals and texture coordinates, and triangles over them."""

    positions: Floats
    normals: Floats
    uvs: Floats
    triangles: npt.NDArray[np.int64]
    material: int = 0
    flags: int = 0
    has_lightmap: bool = False


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


class Key(Struct, frozen=True):
    """A pose of a node: time in frames, translation in the parent's space, raw w, x, y, z."""

    time: float = 0
    position: Vector = (0, 0, 0)
    quaternion: Quaternion = IDENTITY


def turn(axis: Vector, degrees: float) -> Quaternion:
    """w, x, y, z about a unit axis as a key holds it; the engine rotates by its conjugate."""
    half = radians(degrees) / 2
    x, y, z = (sin(half) * component for component in axis)
    return cos(half), x, y, z


class Node(Struct, frozen=True):
    """A node: shapes per (LOD, group) cell, and keys; with two keys or more it is animated.

    The same list of shapes in several cells, or in several nodes, becomes one slot.
    """

    name: str = ""
    parent: int | None = None
    shapes: Mapping[tuple[int, int], Sequence[Shape]] = field(default_factory=dict)
    keys: Sequence[Key] = (Key(),)
    flags: int = 0


class ModelBuilder(ModelTables):
    """The tables of a model, open for changes until `build`; `scene` is what they were made from."""

    scene: Sequence[Node] = ()

    @classmethod
    def of(cls, nodes: Sequence[Node], reading: Reading = SEED) -> ModelBuilder:
        """The tables of some nodes."""
        return cls(**asdict(tables_of(scene_of(nodes), reading)), scene=nodes)


def scene_of(listed: Sequence[Node]) -> Scene:
    """The scene of some nodes."""
    found: dict[int, Sequence[Shape]] = {id(it): it for node in listed for it in node.shapes.values()}
    numbers = {key: number for number, key in enumerate(found)}
    rows = sorted({shape.material for shapes in found.values() for shape in shapes})
    meshes = tuple(
        scene.Mesh("", tuple(_primitive(shape, rows.index(shape.material)) for shape in shapes))
        for shapes in found.values()
    )
    made = tuple(
        scene.Node(
            node.name,
            node.parent,
            {cell: numbers[id(shapes)] for cell, shapes in node.shapes.items()},
            track=_track(node.keys),
            fields={"flags": node.flags},
        )
        for node in listed
    )
    return Scene("", made, meshes, tuple(SceneMaterial(f"MATERIAL_{row}", row) for row in rows))


def _primitive(shape: Shape, material: int) -> Primitive:
    words = {"flags": shape.flags} | ({"opaque4": 0} if shape.has_lightmap else {})
    arrays = (shape.positions, shape.triangles, shape.normals, shape.uvs)
    return Primitive(*arrays, material=material, fields=words)


def _track(keys: Sequence[Key]) -> Track:
    rotations = conjugate([key.quaternion for key in keys]).astype(np.float32)
    positions = np.array([key.position for key in keys], np.float32)
    return Track(np.array([key.time for key in keys], np.float64), positions, rotations)


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
    builder = ModelBuilder.of([Node("relic", shapes={(0, 0): shapes})])
    builder.tables[NODES] = bytes(range(nodes.LEGACY_SIZE))
    builder.attributes[NODES] = (1, 0, nodes.LEGACY_SIZE)
    return builder.build()


def parts_in(
    model: Model, draws: Draws, cell: Cell = (0, 0), overrides: Mapping[int, Cell] = NO_OVERRIDES
) -> Mask:
    """The parts in a cell, (p,) bool."""
    choice = PartChoice(*cell, rule=CellRule.EXACT, overrides=overrides)
    return PartChooser(model, draws).shown(choice).parts


def draws_in(model: Model, draws: Draws, cell: Cell = (0, 0)) -> Mask:
    """The draws in a cell, portals among them, (d,) bool."""
    return draws.draws_of(parts_in(model, draws, cell))
