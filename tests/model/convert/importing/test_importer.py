"""Edits of a scene as changes of its model: each exactly its change, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from msgspec.structs import replace

from tests.model.convert.importing.scenes import (
    DATA,
    NAMES,
    PLAIN,
    SOURCE,
    added,
    changed_bytes,
    cube,
    imported,
    model_after,
    moved,
    planned,
    scene,
    source_of,
    with_node,
    with_primitive,
    without_node,
)
from tests.model.edit.drafts import corpus_models
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.tables import (
    BATCHES,
    INDICES,
    KEYS,
    NODES,
    NORMALS,
    POSITIONS,
    SLOTS,
    STRINGS,
    TABLES,
    TRIANGLES,
    UVS,
)
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.geometry.transforms import Floats
from viewer.model.convert.building.tables import tables_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import Node, Scene, SceneMaterial, Track
from viewer.model.edit.geometry.slot_changes import AssignMaterial
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode, SetCell, SetParent
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.nodes.set_key import SetKey
from viewer.model.edit.rows.row_changes import AddRows, ReplaceRows, ReplaceTrack
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD

BEFORE = SOURCE.model
OPTIONS = (
    PLAIN,
    replace(PLAIN, has_all_cells=True),
    replace(PLAIN, rest=3.0, clips=Clips.NONE, cell=(1, 0)),
    replace(PLAIN, nodes=frozenset([1])),
)


def other_tables(given: Scene) -> set[int]:
    """The tables whose bytes an import changes."""
    after = model_after(given)
    return {it for it in (*TABLES,) if bytes(after.payload(it)) != bytes(BEFORE.payload(it))}


def test_an_unedited_file_changes_nothing(files: Path) -> None:
    for corpus, first in [("seed", 0), ("field", 1)]:
        for index, (name, data) in enumerate(corpus_models(files, corpus), first):
            source, options = source_of(data), OPTIONS[index % len(OPTIONS)]
            found = imported(read(glb_of(scene(options, source))), source, None)
            assert (found.changes, found.losses, found.notes) == ((), (), ()), (name, options)


def test_a_moved_vertex_is_one_row_of_positions() -> None:
    given = with_primitive(scene(), 0, moved({2: (0.5, 0.5, 0.75)}))
    (change,) = imported(given).changes
    assert isinstance(change, ReplaceRows)
    assert (change.table, change.rows.text) == ("positions", "2")
    assert other_tables(given) == {POSITIONS, TRIANGLES}
    assert model_after(given).positions[2].tolist() == [0.5, 0.5, 0.75]


def test_noise_of_other_programs_is_no_edit() -> None:
    noise = np.random.default_rng(3)

    def edit(primitive):  # type: ignore[no-untyped-def]
        sign = noise.choice([-1, 1], primitive.normals.shape)
        return replace(
            primitive,
            positions=primitive.positions * np.float32(1 + 2e-7),
            normals=primitive.normals + np.float32(0.009) * sign,
            uvs=primitive.uvs + np.float32(0.0004),
        )

    given = scene()
    for mesh in range(len(given.meshes)):
        given = with_primitive(given, mesh, edit)
    turned = given.nodes[1].track
    assert turned is not None
    track = Track(turned.times + 5e-5, turned.positions * np.float32(1 + 2e-7), -turned.rotations)
    given = with_node(given, 1, track=track, rotation=tuple(-np.array(given.nodes[1].rotation)))
    assert imported(given).changes == ()


def test_texture_coordinates_are_a_table_of_their_own() -> None:
    given = with_primitive(scene(), 0, lambda it: replace(it, uvs=shifted(it.uvs, 0.25)))
    (change,) = imported(given).changes
    assert isinstance(change, ReplaceRows)
    assert other_tables(given) == {UVS}


def test_a_key_is_24_bytes() -> None:
    track = scene().nodes[1].track
    assert track is not None
    positions = track.positions.copy()
    positions[1] = (7, 8, 9)
    given = with_node(scene(), 1, track=replace(track, positions=positions))
    (change,) = imported(given).changes
    assert change == SetKey(1, 1, (7.0, 8.0, 9.0))
    assert other_tables(given) == {KEYS}
    assert changed_bytes(planned(given)) <= 12


def test_a_turned_key_has_the_rotation_of_the_file() -> None:
    track = scene().nodes[1].track
    assert track is not None
    rotations = track.rotations.copy()
    rotations[2] = (0.0, 0.0, 0.0, 1.0)
    given = with_node(scene(), 1, track=replace(track, rotations=rotations))
    (change,) = imported(given).changes
    assert isinstance(change, SetKey)
    assert (change.index, change.position, change.quaternion) == (2, None, (0.0, 0.0, 0.0, -1.0))
    assert scene(PLAIN, source_of(planned(given).after)).nodes[1].track.rotations[2].tolist() in (  # type: ignore[union-attr]
        [0, 0, 0, 1],
        [0, 0, 0, -1],
    )


def test_added_removed_and_moved_keys_make_a_new_track() -> None:
    track = scene().nodes[1].track
    assert track is not None
    times = np.array([0.0, 2.0, 4.0, 12.0])
    given = with_node(
        scene(), 1, track=Track(times, track.positions[[0, 0, 1, 2]], track.rotations[[0, 0, 1, 2]])
    )
    after = model_after(given)
    assert after.frame_count == 13
    assert after.keys["time"].tolist() == [0, 0, 2, 4, 12, 0, 0, 0]
    assert after.keys[1:2].tobytes() == BEFORE.keys[1:2].tobytes()
    found = scene(PLAIN, source_of(after.archive.data)).nodes[1].track
    assert found is not None
    assert found.times.tolist() == times.tolist()


def test_a_sampled_track_is_the_curve_that_it_was_sampled_from() -> None:
    sampled = _sampled(scene())
    assert imported(sampled).changes == ()
    track = sampled.nodes[1].track
    assert track is not None
    positions = track.positions.copy()
    positions[:, 2] += np.interp(track.times, [0, 4, 10], [0, 5, 0]).astype(np.float32)
    edited = with_node(sampled, 1, track=replace(track, positions=positions))
    (change,) = imported(edited).changes
    assert change == SetKey(1, 1, (1.0, 2.0, 8.0))


def shifted(values: Floats | None, by: float) -> Floats | None:
    return None if values is None else values + np.float32(by)


def _sampled(given: Scene) -> Scene:
    times = np.arange(11.0)
    poses = [SOURCE.animation.pose(time) for time in times]
    positions = np.array([pose.position[1] for pose in poses], np.float32)
    rotations = np.array([pose.quaternion[1] for pose in poses], np.float32) * np.array(
        [1, -1, -1, -1], np.float32
    )
    return with_node(given, 1, track=Track(times, positions, rotations))


def test_a_file_without_animation_keeps_that_of_the_model() -> None:
    found = imported(with_node(scene(), 1, track=None))
    assert found.changes == ()
    assert len(found.notes) == 1


def test_a_still_node_that_moved_is_its_one_key() -> None:
    given = with_node(scene(), 4, position=(0.0, 1.0, 2.0))
    assert imported(given).changes == (SetKey(4, 0, (0.0, 1.0, 2.0)),)
    assert other_tables(given) == {KEYS}


def test_a_still_node_whose_only_key_is_late_has_one_key() -> None:
    late = Track(np.array([5.0]), np.array([(1, 2, 3)], np.float32), np.array([(1, 0, 0, 0)], np.float32))
    after = source_of(planned(with_node(scene(), 1, track=late)).after)
    keys = after.model.keys[after.animation.track(1)]
    assert (keys["time"].tolist(), keys["position"].tolist()) == ([0], [[1, 2, 3]])


def test_a_key_after_the_last_frame_of_any_model_is_at_it() -> None:
    there = np.array([(0, 0, 0), (1, 2, 3)], np.float32)
    late = Track(np.array([0.0, MAX_FRAMES + 9]), there, np.array([(1, 0, 0, 0)] * 2, np.float32))
    changes = imported(with_node(scene(), 1, track=late)).changes
    (change,) = (it for it in changes if isinstance(it, ReplaceTrack))
    assert np.frombuffer(change.keys, KEY.dtype)["time"].tolist() == [0, MAX_FRAMES - 1]


def test_names_parents_and_fields() -> None:
    given = with_node(scene(), 2, name="cannon", parent=0, fields={**scene().nodes[2].fields, "flags": 64})
    assert imported(given).changes == (
        RenameNode(2, "cannon"),
        SetField("nodes", imported(given).changes[1].rows, "flags", 64),  # type: ignore[attr-defined]
        SetParent(2, 0),
    )
    assert other_tables(given) == {NODES, STRINGS}


def test_a_node_is_put_under_a_new_one() -> None:
    given = added(scene(), Node("pivot", parent=0, position=(0.0, 0.0, 1.0)))
    given = with_node(given, 1, parent=5)
    after = model_after(given)
    assert after.strings == (b"hull", b"socket", b"pivot", b"turret", b"gun_l", b"gun_r")
    assert after.nodes["parent"].tolist() == [0xFFFF, 0, 0, 2, 3, 3]
    assert after.keys["position"][:3].tolist() == [[0, 0, 0], [0, 0, 2], [0, 0, 1]]


def test_a_cube_becomes_a_node_with_a_slot() -> None:
    given = added(
        scene(), Node("Cube", parent=0, cells={(0, 0): 4}, position=(9.0, 0.0, 0.0)), meshes=[cube(2)]
    )
    assert len(scene().meshes) == 3
    given = added(
        scene(), Node("Cube", parent=0, cells={(0, 0): 3}, position=(9.0, 0.0, 0.0)), meshes=[cube(2)]
    )
    found = imported(given).changes
    assert [type(it).__name__ for it in found] == ["ReplaceSlots", "AddNode", "SetKey", "SetCell"]
    assert found[1] == AddNode("Cube", 0)
    assert found[3] == SetCell(5, 0, 0, 4)
    after = model_after(given)
    assert after.slots["aabb_max"][4].tolist() == [1, 1, 1]
    assert after.batches["material"].tolist()[-1] == 0
    assert after.positions[: BEFORE.vertex_count].tobytes() == BEFORE.positions.tobytes()
    assert after.indices[: len(BEFORE.indices)].tobytes() == BEFORE.indices.tobytes()
    assert bytes(after.payload(NORMALS)[: len(BEFORE.payload(NORMALS))]) == bytes(BEFORE.payload(NORMALS))


def test_nodes_are_added_one_after_the_other_so_that_they_are_written_at_once() -> None:
    given = added(scene(), Node("mast", parent=0, position=(1.0, 0.0, 0.0)))
    given = added(given, Node("flag", parent=5, position=(0.0, 2.0, 0.0)))
    found = imported(given).changes
    assert [type(it).__name__ for it in found] == ["AddNode", "AddNode", "SetKey", "SetKey"]
    after = model_after(given)
    assert after.strings[-2:] == (b"mast", b"flag")
    assert after.nodes["parent"][-2:].tolist() == [0, 5]
    assert after.keys["position"][-2:].tolist() == [[1, 0, 0], [0, 2, 0]]


def test_texture_coordinates_that_are_gone_are_a_loss() -> None:
    given = scene()
    bare = tuple(replace(it, uvs=None) for it in given.meshes[0].primitives)
    found = imported(replace(given, meshes=(replace(given.meshes[0], primitives=bare), *given.meshes[1:])))
    assert found.changes == ()
    (loss,) = found.losses
    assert str(loss) == (
        f"no texture coordinates of {given.meshes[0].name} are in the file: those of the model are kept"
    )


def test_a_node_that_is_gone_is_removed() -> None:
    given = without_node(scene(), 1)
    assert imported(given).changes == (SetParent(2, 0), SetParent(3, 0), RemoveNode(1))
    assert model_after(given).strings == (b"hull", b"gun_l", b"gun_r", b"socket")


def test_what_was_not_exported_is_never_removed() -> None:
    part = scene(replace(PLAIN, nodes=frozenset([1])))
    assert [node.name for node in part.nodes] == ["hull", "turret"]
    assert imported(part).changes == ()
    assert imported(with_node(part, 1, name="head")).changes == (RenameNode(1, "head"),)


def test_cells_are_set_and_emptied() -> None:
    mesh = scene().nodes[1].cells[0, 0]
    given = with_node(with_node(scene(), 4, cells={(0, 0): mesh}), 1, cells={})
    assert imported(given).changes == (SetCell(1, 0, 0, None), SetCell(4, 0, 0, 2))


def test_a_shared_slot_changes_for_all_or_is_split() -> None:
    mesh = scene().nodes[2].cells[0, 0]
    both = with_primitive(scene(), mesh, moved({0: (-2, -2, 0)}))
    found = imported(both)
    assert [type(it) for it in found.changes] == [ReplaceRows]
    assert "2, 3" in found.notes[0]
    own = both.meshes[mesh]
    split = with_node(replace(scene(), meshes=(*scene().meshes, own)), 3, cells={(0, 0): len(scene().meshes)})
    found = imported(split)
    assert [type(it).__name__ for it in found.changes] == ["ReplaceSlots", "SetCell"]
    after = model_after(split)
    assert after.positions[: BEFORE.vertex_count].tobytes() == BEFORE.positions.tobytes()
    assert after.nodes["slots"][:, 0, 0].tolist() == [0, 2, 3, 4, 0xFFFF]
    assert bytes(after.payload(BATCHES)[:-20]) == bytes(BEFORE.payload(BATCHES))


def test_a_batch_gets_another_material() -> None:
    given = with_primitive(scene(), 0, lambda it: replace(it, material=1))
    (change,) = imported(given).changes
    assert isinstance(change, AssignMaterial)
    assert (change.rows.text, change.material) == ("0", 1)
    assert other_tables(given) == {BATCHES}


def test_a_new_material_is_a_row_of_the_wear_table() -> None:
    known = scene()
    rust = replace(known.materials[0], name="RUST", row=None)
    given = replace(known, materials=(*known.materials, rust))
    given = with_primitive(given, 0, lambda it: replace(it, material=len(known.materials)))
    found = imported(given)
    assert [type(it) for it in found.wear] == [AddRows, SetField]
    (change,) = found.changes
    assert isinstance(change, AssignMaterial)
    assert change.material == len(NAMES)
    spaced = replace(given, materials=(*known.materials, replace(rust, name="OLD RUST")))
    found = imported(spaced)
    assert found.wear[1] == SetField("materials", RowChoice.of(len(NAMES)), "name", "OLD_RUST")
    assert len(found.losses) == 1
    assert imported(given, names=None).losses


def test_a_removed_triangle_rebuilds_its_slot_alone() -> None:
    given = with_primitive(scene(), 0, lambda it: replace(it, triangles=it.triangles[:-1]))
    assert other_tables(given) == {SLOTS, POSITIONS, NORMALS, UVS, INDICES, TRIANGLES, BATCHES, 15}
    after = model_after(given)
    assert (len(after.indices), after.vertex_count) == (len(BEFORE.indices) - 3, BEFORE.vertex_count - 1)
    assert after.tri_descriptors["normal"][:11].tolist() == BEFORE.tri_descriptors["normal"][:11].tolist()
    for mesh in (1, 2):
        one, other = (
            scene(PLAIN, it).meshes[mesh].primitives[0] for it in (SOURCE, source_of(after.archive.data))
        )
        assert one.positions.tobytes() == other.positions.tobytes()
        assert one.triangles.tolist() == other.triangles.tolist()


def test_a_flipped_file_without_ids_is_matched_by_name_and_place() -> None:
    bare = replace(
        scene(),
        nodes=tuple(replace(node, number=None, fields={}) for node in scene().nodes),
        meshes=tuple(
            replace(
                mesh,
                slot=None,
                fields={},
                primitives=tuple(replace(it, vertices=None, batch=None, fields={}) for it in mesh.primitives),
            )
            for mesh in scene().meshes
        ),
    )
    found = imported(bare)
    assert found.changes == ()
    assert found.notes
    given = with_primitive(bare, 0, moved({2: (0.5, 0.5, 0.75)}))
    (change,) = imported(given).changes
    assert isinstance(change, ReplaceRows)


def test_another_template_is_named_and_still_compared() -> None:
    given = scene()
    assert given.origin is not None
    other = replace(given, origin=replace(given.origin, sha256="0" * 64))
    found = imported(with_node(other, 2, name="cannon"))
    assert found.changes == (RenameNode(2, "cannon"),)
    assert len(found.notes) == 1


def test_copies_have_the_ids_of_their_originals() -> None:
    copy = replace(scene().nodes[2], name="gun_l.001", position=(5.0, 0.0, 0.0))
    given = added(scene(), copy)
    found = imported(given).changes
    assert [type(it) for it in found] == [AddNode, SetKey, SetCell]
    assert found[0] == AddNode("gun_l.001", 1)
    assert Model.read(planned(given).after).nodes["slots"][5, 0, 0] == 3
    assert bytes(DATA) == bytes(SOURCE.data)


def test_options_say_what_is_compared() -> None:
    given = scene(Options(has_textures=False, cell=(1, 0)))
    mesh = given.nodes[0].cells[1, 0]
    (change,) = imported(with_primitive(given, mesh, moved({0: (-1, -1, 2)}))).changes
    assert isinstance(change, ReplaceRows)


def test_new_long_names_that_begin_alike_stay_two() -> None:
    long = "a_very_long_name_of_a_part_that_goes_"
    source = source_of(tables_of(scene(), FIELD).model().archive.data)
    given = added(scene(source=source), *(Node(long + it, 0) for it in ("left", "right")))
    names = [it.name for it in imported(given, source).changes if isinstance(it, AddNode)]
    assert names == [long[:31], long[:29] + "_2"]
    assert len(imported(given, source).losses) >= 2


def test_new_long_names_of_materials_that_begin_alike_are_two_rows() -> None:
    long = "a_very_long_name_of_a_material_that_is_"
    given = scene()
    count = len(given.materials)
    materials = (*given.materials, SceneMaterial(long + "red"), SceneMaterial(long + "blue"))
    given = replace(given, materials=materials)
    given = with_primitive(given, 0, lambda it: replace(it, material=count))
    given = with_primitive(given, 2, lambda it: replace(it, material=count + 1))
    words = [it.value for it in imported(given).wear if isinstance(it, SetField) and it.field == "name"]
    assert words == [long[:35], long[:33] + "_2"]
