"""Scenes of small models, edited as another program would, and what their import changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from tests.model.edit.drafts import draft_of
from viewer.formats import splice
from viewer.formats.record import Bytes
from viewer.model.convert import scene as scenes
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.importer import Import, changes_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Mesh, Primitive, Scene
from viewer.model.convert.source import ModelSource
from viewer.model.edit.plan import Plan, plan
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.skeleton import Skeleton

PLAIN = Options(has_textures=False)
KEYS = (Key(), Key(4, (1, 2, 3), turn((0, 0, 1), 40)), Key(10, (0, 5, 0)))
GUN = [quad(2, material=1)]
NODES = (
    Node("hull", shapes={(0, 0): [box(), quad(4, center=(0, 0, 3), material=1)], (1, 0): [box((2, 2, 2))]}),
    Node("turret", 0, {(0, 0): [box((1, 2, 1))]}, keys=KEYS),
    Node("gun_l", 1, {(0, 0): GUN}, keys=[Key(0, (1, 0, 0))]),
    Node("gun_r", 1, {(0, 0): GUN}, keys=[Key(0, (-1, 0, 0))]),
    Node("socket", 0, keys=[Key(0, (0, 0, 2), turn((1, 0, 0), 30))]),
)
DATA = ModelBuilder.of(NODES).build()
NAMES = ("METAL", "PAINT")


def source_of(data: Bytes, name: str = "tank.msh") -> ModelSource:
    """A model without materials."""
    model = Model.read(data)
    choice = reading.choose(model, Skeleton(model), draw_builder.build(model))
    return ModelSource(name, model, choice)


SOURCE = source_of(DATA)


def scene(options: Options = PLAIN, source: ModelSource = SOURCE) -> Scene:
    """The scene of the model, as export makes it."""
    return scene_of(source, options)


def imported(given: Scene, source: ModelSource = SOURCE, names: Sequence[str] | None = NAMES) -> Import:
    """What a scene changes."""
    return changes_of(source, given, names)


def planned(given: Scene, source: ModelSource = SOURCE) -> Plan:
    """The plan of the changes of a scene; that it can be undone is asserted."""
    before = bytes(source.data)
    made = plan(draft_of(before), imported(given, source).changes)
    assert bytes(made.after) == splice.applied(made.before, made.splices)
    assert splice.applied(made.after, splice.reverse(made.splices)) == before
    return made


def model_after(given: Scene, source: ModelSource = SOURCE) -> Model:
    """The model after an import."""
    return Model.read(planned(given, source).after)


def with_node(given: Scene, index: int, **values: object) -> Scene:
    """The scene with other values of a node."""
    nodes = [*given.nodes]
    nodes[index] = replace(nodes[index], **values)
    return replace(given, nodes=tuple(nodes))


def added(given: Scene, *nodes: scenes.Node, meshes: Sequence[Mesh] = ()) -> Scene:
    """The scene with more nodes and meshes."""
    return replace(given, nodes=(*given.nodes, *nodes), meshes=(*given.meshes, *meshes))


def without_node(given: Scene, gone: int) -> Scene:
    """The scene without a node; its children become those of its parent."""
    above = given.nodes[gone].parent
    kept = [
        replace(node, parent=_shifted(above if node.parent == gone else node.parent, gone))
        for index, node in enumerate(given.nodes)
        if index != gone
    ]
    return replace(given, nodes=tuple(kept))


def _shifted(parent: int | None, gone: int) -> int | None:
    return parent - 1 if parent is not None and parent > gone else parent


def with_primitive(
    given: Scene, mesh: int, edit: Callable[[Primitive], Primitive], primitive: int = 0
) -> Scene:
    """The scene with an edited primitive."""
    meshes = [*given.meshes]
    primitives = [*meshes[mesh].primitives]
    primitives[primitive] = edit(primitives[primitive])
    meshes[mesh] = replace(meshes[mesh], primitives=tuple(primitives))
    return replace(given, meshes=tuple(meshes))


def moved(rows: Mapping[int, Sequence[float]]) -> Callable[[Primitive], Primitive]:
    """An edit that puts vertices elsewhere."""

    def edit(primitive: Primitive) -> Primitive:
        positions = primitive.positions.copy()
        for row, place in rows.items():
            positions[row] = place
        return replace(primitive, positions=positions)

    return edit


def cube(size: float = 1.0, material: int | None = 0) -> Mesh:
    """A cube of another program."""
    shape = box((size, size, size))
    return Mesh(
        "Cube", (Primitive(shape.positions, shape.triangles, shape.normals, shape.uvs, material=material),)
    )


def changed_bytes(made: Plan) -> int:
    """How many bytes of the file differ."""
    before, after = (np.frombuffer(it, np.uint8) for it in (made.before, made.after))
    return len(after) if len(before) != len(after) else int((before != after).sum())
