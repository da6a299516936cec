"""Parts that lost their nodes in another program: back in them by their places, or new, or said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests import corpora
from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from tests.model.convert.importing.parts.foreign import (
    ASSIMP,
    BARE,
    STYLES,
    TRIMESH,
    ObjPart,
    ObjStyle,
    moved,
    parts_of,
    written,
)
from tests.model.convert.importing.scenes import NAMES, source_of
from tests.model.convert.scenes import resolver_of
from tests.model.edit.drafts import draft_of
from viewer.geometry.transforms import Matrix
from viewer.model.convert import exchange, scene
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.importer import Import, changes_of
from viewer.model.convert.importing.nodes.worlds import worlds
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Mesh, Scene, SceneMaterial
from viewer.model.convert.scene_file import OBJ, SceneFile
from viewer.model.convert.shapes import mapped, transformed
from viewer.model.convert.source import ModelSource
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.plan import Plan, plan
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source, model_of

OBJ_PLAIN = Options(has_textures=False, is_y_up=False)
GUN = [quad(2, material=1), box((0.5, 0.25, 0.5), center=(0, 1, 0))]
WHEEL = [box((0.25, 1, 1))]
FAR = (Key(0, (20, 7, -3), turn((0.6, 0, 0.8), 40)),)
MOVING = (Key(), Key(4, (1, 2, 3), turn((0, 0, 1), 40)), Key(10, (0, 5, 0)))
NODES = (
    Node("hull", shapes={(0, 0): [box(), quad(4, center=(0, 0, 3), material=1)], (1, 0): [box((2, 2, 2))]}),
    Node("turret", 0, {(0, 0): [box((1, 2, 1.5))]}, keys=FAR),
    Node("gun_l", 1, {(0, 0): GUN}, keys=[Key(0, (1, 0, 0), turn((0, 0, 1), 30))]),
    Node("gun_r", 1, {(0, 0): GUN}, keys=[Key(0, (-1, 0, 0))]),
    Node("antenna", 0, {(0, 0): [box((0.125, 0.125, 2), center=(0, 0, 5))]}, keys=MOVING),
    Node("socket", 0, keys=[Key(0, (0, 0, 2), turn((1, 0, 0), 30))]),
)
SOURCE = source_of(ModelBuilder.of(NODES).build())
WHEELS = source_of(
    ModelBuilder.of(
        (
            Node("hull", shapes={(0, 0): [box((3, 3, 3))]}),
            Node("wheel_l", 0, {(0, 0): WHEEL}, keys=[Key(0, (1, 0, 0))]),
            Node("wheel_r", 0, {(0, 0): [box((0.25, 1, 1))]}, keys=[Key(0, (1, 0, 0))]),
        )
    ).build()
)


def parts(source: ModelSource = SOURCE, options: Options = OBJ_PLAIN) -> list[ObjPart]:
    """The objects of the file of a model."""
    files = exchange.files_of(scene_of(source, options), OBJ, "tank")
    return parts_of(files["tank.obj"].decode())


def read(given: Sequence[ObjPart], style: ObjStyle, source: ModelSource = SOURCE) -> Scene:
    """The scene of a file of another program."""
    return exchange.read(replace(file_of(given, style), is_y_up=False), source)


def file_of(given: Sequence[ObjPart], style: ObjStyle) -> SceneFile:
    """A file of another program, with an empty library of materials."""
    resolver = resolver_of({"tank.mtl": b""})
    return SceneFile(Path("tank.obj"), written(given, style).encode(), OBJ, resolver)


def imported(given: Scene, source: ModelSource = SOURCE) -> Import:
    """What a scene changes."""
    return changes_of(source, given, NAMES)


def planned(given: Scene, source: ModelSource = SOURCE) -> Plan:
    """The plan of what a scene changes, without a loss."""
    found = imported(given, source)
    assert [*map(str, found.losses)] == []
    return plan(draft_of(bytes(source.data)), found.changes)


def of_name(given: Sequence[ObjPart], name: str) -> int:
    """The index of the first part of a node."""
    return next(at for at, it in enumerate(given) if it.name.startswith(name))


@pytest.mark.parametrize("name", STYLES)
def test_parts_without_their_names_change_nothing(name: str) -> None:
    given = read(parts(), STYLES[name])
    found = imported(given)
    assert (found.changes, found.wear, found.losses) == ((), (), ())
    said = "66 triangles that had lost their nodes are back in them, by their places: 5 nodes"
    assert said in map(str, found.notes)


@pytest.mark.parametrize("name", STYLES)
def test_a_moved_vertex_is_all_that_changes(name: str) -> None:
    """A corner of the box of the turret, which is a vertex of each of three faces."""
    given = parts()
    at = of_name(given, "turret")
    place = given[at].corners[0][0]
    corners = [number for number, it in enumerate(given[at].corners) if it[0] == place]
    given[at] = moved(given[at], (0.5, 0, 0), corners)
    made = planned(read(given, STYLES[name]))
    before, after = SOURCE.model, Model.read(made.after)
    rows = np.flatnonzero((before.positions != after.positions).any(axis=1))
    assert len(rows) == 3
    np.testing.assert_allclose(np.ptp(after.positions[rows], axis=0), 0, atol=1e-6)
    assert np.linalg.norm(after.positions[rows[0]] - before.positions[rows[0]]) == pytest.approx(
        0.5, abs=1e-5
    )
    assert after.batches.tobytes() == before.batches.tobytes()
    assert after.nodes.tobytes() == before.nodes.tobytes()
    assert after.indices.tobytes() == before.indices.tobytes()


def test_a_part_that_moved_as_a_whole_is_that_of_which_the_model_misses_one() -> None:
    """The antenna alone moved: its triangles are those that are gone, with the same texture coordinates."""
    given = parts()
    at = of_name(given, "antenna")
    given[at] = moved(given[at], (0, 0, 0.25))
    made = planned(read(given, TRIMESH))
    after = Model.read(made.after)
    rows = np.flatnonzero((SOURCE.model.positions != after.positions).any(axis=1))
    assert len(rows) == 24
    np.testing.assert_allclose(
        after.positions[rows] - SOURCE.model.positions[rows], [(0, 0, 0.25)] * 24, atol=1e-5
    )
    assert after.nodes.tobytes() == SOURCE.model.nodes.tobytes()


def test_a_new_part_is_a_new_node() -> None:
    given = parts()
    crate = moved(given[of_name(given, "antenna")], (9, 9, 9))
    made = planned(read([*given, replace(crate, name="crate")], ObjStyle(lambda it: f"o {it.name[:5]}")))
    after = Model.read(made.after)
    assert after.strings == (*SOURCE.model.strings, b"crate")
    assert after.nodes["slots"][:6].tolist() == SOURCE.model.nodes["slots"].tolist()


def test_a_part_that_is_gone_leaves_the_others() -> None:
    given = parts()
    del given[of_name(given, "antenna")]
    after = Model.read(planned(read(given, ASSIMP)).after)
    assert after.strings == SOURCE.model.strings
    shown = scene_of(source_of(after.archive.data), OBJ_PLAIN)
    assert [len(it.cells) for it in shown.nodes] == [1, 1, 1, 1, 0, 0]
    assert after.positions.tobytes() == SOURCE.model.positions.tobytes()
    assert after.indices.tobytes() == SOURCE.model.indices.tobytes()


def test_parts_at_one_place_go_to_both_nodes_if_the_file_has_both() -> None:
    assert imported(read(parts(WHEELS), BARE, WHEELS), WHEELS).changes == ()


def test_parts_at_one_place_of_which_the_file_has_one_are_said() -> None:
    given = parts(WHEELS)
    del given[of_name(given, "wheel_r")]
    found = imported(read(given, BARE, WHEELS), WHEELS)
    place = "12 triangles are at one place in wheel_l and wheel_r, and in the file only once"
    assert [*map(str, found.losses)] == [f"{place}: they are in wheel_l now"]


def test_a_name_says_which_of_two_parts_at_one_place_it_is() -> None:
    given = parts(WHEELS)
    del given[of_name(given, "wheel_l")]
    made = planned(read(given, ObjStyle(lambda it: f"o {it.name.partition('~')[0]}_1"), WHEELS), WHEELS)
    after = Model.read(made.after)
    shown = scene_of(source_of(after.archive.data), OBJ_PLAIN)
    assert {it.name: len(it.cells) for it in shown.nodes} == {"hull": 1, "wheel_l": 0, "wheel_r": 1}


def test_what_was_separated_on_purpose_is_a_new_node() -> None:
    """The rest of the batch is in its node, under its name."""
    given = parts()
    at = of_name(given, "hull~n0.s0.b0")
    rest, lid = given[at].corners[6:], given[at].corners[:6]
    given[at] = replace(given[at], corners=rest)
    given.append(replace(given[at], name="lid", corners=lid))
    made = plan(
        draft_of(bytes(SOURCE.data)),
        imported(read(given, ObjStyle(lambda it: f"o {it.name}", (9, 9, 9)))).changes,
    )
    assert Model.read(made.after).strings == (*SOURCE.model.strings, b"lid")


def bare(given: Scene) -> Scene:
    """A scene of a program that keeps no ids."""
    return replace(
        given,
        nodes=tuple(replace(it, number=None, fields={}) for it in given.nodes),
        meshes=tuple(
            replace(
                mapped(it, lambda one: replace(one, vertices=None, batch=None, fields={})),
                slot=None,
                fields={},
            )
            for it in given.meshes
        ),
        materials=tuple(replace(it, row=None, name=NAMES[it.row or 0]) for it in given.materials),
        origin=None,
        views=(),
        fields={},
    )


def hung(given: Scene) -> Scene:
    """A scene whose primitives are each shown by a child of their node, as trimesh writes it."""
    nodes, meshes = [*given.nodes], list[Mesh]()
    for index, node in enumerate(given.nodes):
        for cell, mesh in node.cells.items():
            for number, primitive in enumerate(given.meshes[mesh].primitives):
                nodes.append(scene.Node(f"{node.name}_{number:x}", index, {cell: len(meshes)}))
                meshes.append(Mesh("", (primitive,)))
        nodes[index] = replace(node, cells={})
    return replace(given, nodes=tuple(nodes), meshes=tuple(meshes))


def flat(given: Scene, names: Mapping[int, str] | None = None) -> Scene:
    """A scene of parts in the world, without the nodes of the model."""
    world: list[Matrix] = worlds(given)
    nodes, meshes = list[scene.Node](), list[Mesh]()
    for index, node in enumerate(given.nodes):
        for cell, mesh in node.cells.items():
            nodes.append(scene.Node((names or {}).get(index, f"part {index}"), None, {cell: len(meshes)}))
            matrix = world[index]
            change = partial(transformed, matrix=matrix[:3, :3], offset=matrix[:3, 3])
            meshes.append(mapped(given.meshes[mesh], change))
    return replace(given, nodes=tuple(nodes), meshes=tuple(meshes), clips=(), frame_count=1)


def test_meshes_below_their_nodes_are_those_of_the_nodes() -> None:
    found = imported(hung(bare(scene_of(SOURCE, OBJ_PLAIN))))
    assert (found.changes, found.losses) == ((), ())


def test_nodes_without_names_whose_meshes_hang_below_them_are_renamed_and_no_more() -> None:
    given = hung(bare(scene_of(SOURCE, OBJ_PLAIN)))
    named = tuple(replace(it, name=f"Node.{at:03}") for at, it in enumerate(given.nodes))
    found = imported(replace(given, nodes=named))
    assert found.losses == ()
    # The guns show one mesh at two places, so that each of them is one node only.
    assert found.changes == tuple(RenameNode(at, f"Node.{at:03}") for at in range(6))


def test_parts_without_any_node_of_the_model_leave_all_nodes_as_they_are() -> None:
    found = imported(flat(bare(scene_of(SOURCE, OBJ_PLAIN))))
    assert (found.changes, found.losses, found.missing) == ((), (), None)


def test_meshes_below_a_moved_node_are_its_own_and_move_with_it() -> None:
    given = hung(bare(scene_of(SOURCE, OBJ_PLAIN)))
    nodes = [*given.nodes]
    nodes[1] = replace(nodes[1], position=(20, 7, -1))
    made = planned(replace(given, nodes=tuple(nodes)))
    after = Model.read(made.after)
    assert after.positions.tobytes() == SOURCE.model.positions.tobytes()
    assert after.nodes["slots"].tolist() == SOURCE.model.nodes["slots"].tolist()
    assert scene_of(source_of(after.archive.data), OBJ_PLAIN).nodes[1].position == (20, 7, -1)


def test_parts_with_the_other_axis_up_are_recognised() -> None:
    found = imported(exchange.read(file_of([turned(it) for it in parts()], TRIMESH), SOURCE))
    assert (found.changes, found.losses, found.is_turned) == ((), (), True)
    notes = [*map(str, found.notes)]
    assert "Y is up in the file: it is the model turned by 90 degrees" in notes
    assert not any("the file does not say it" in it for it in notes)


def turned(part: ObjPart) -> ObjPart:
    """A part with Y up."""

    def up(row: tuple[float, ...]) -> tuple[float, ...]:
        x, y, z = row
        return x, z, -y

    return replace(part, corners=[(up(v), vt, up(vn)) for v, vt, vn in part.corners])


def test_a_material_without_a_name_is_that_of_its_triangles() -> None:
    given = flat(bare(scene_of(SOURCE, OBJ_PLAIN)))
    nameless = tuple(SceneMaterial(f"material {at}") for at in range(len(given.materials)))
    found = imported(replace(given, materials=nameless))
    assert (found.changes, found.wear) == ((), ())


@pytest.mark.parametrize("name", ["trimesh", "assimp"])
def test_a_model_of_many_nodes_and_levels_without_names_changes_nothing(name: str) -> None:
    """The walker of the sample: 35 nodes with 95 batches and 7,128 triangles."""
    archive = corpora.ROOT / "assets" / "game" / "models.rlb"
    walker = model_of(FileStore(), Source(Address(archive, ("walker.msh",))))
    assert walker.materials is not None
    given = read(parts(walker), STYLES[name], walker)
    found = changes_of(walker, given, walker.materials.wear_names)
    assert (found.changes, found.wear) == ((), ())


@pytest.mark.parametrize(("blender", "rate"), [(1, 24), (1, 30), (1, 15), (5, 24), (2, 60), (4, 15)])
def test_a_file_at_any_frame_of_blender_is_compared_there(blender: int, rate: float) -> None:
    """Blender begins at frame 1, and an animation at 0: the antenna has moved since."""
    frame = blender * 15 / rate
    given = parts(SOURCE, replace(OBJ_PLAIN, rest=frame))
    found = imported(read(given, TRIMESH))
    assert (found.changes, found.losses) == ((), ())
    words = f"the file shows the model at frame {frame:g}, not at rest: its parts are compared there"
    assert words in map(str, found.notes)
