"""Files with all cells that another program saved without ids: they are known by their names."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from tests.model.convert.importing.test_clips import WALKER
from tests.model.convert.importing.test_defaults import changed_json, without_extras
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Scene
from viewer.model.edit.nodes.node_count import AddNode
from viewer.model.edit.rows.row_changes import ReplaceRows

ALL_CELLS = Options(has_all_cells=True, has_textures=False)


def merged(document: dict[str, Any]) -> dict[str, Any]:
    """A file with the nodes of all its scenes in the first one, as Blender writes it; some have numbers."""
    roots = [node for scene in document["scenes"] for node in scene.get("nodes", ())]
    scenes = [{"name": "Scene", "nodes": roots}, *({"name": it["name"]} for it in document["scenes"][1:])]
    nodes = [dict(it) for it in document["nodes"]]
    for node in nodes[::3]:
        node["name"] += ".001"
    return {**document, "scenes": scenes, "nodes": nodes}


def with_all_cells(given: Scene) -> Scene:
    """A scene with all cells as Blender saves it by default."""
    return read(changed_json(without_extras(glb_of(given)), merged))


def test_all_cells_in_one_scene_without_ids_are_known_by_their_names() -> None:
    given = with_all_cells(scene_of(WALKER, ALL_CELLS))
    assert len(given.nodes) == WALKER.model.node_count
    found = changes_of(WALKER, given)
    assert (found.changes, found.losses) == ((), ())


def test_a_mesh_of_another_cell_is_edited_without_ids() -> None:
    whole = scene_of(WALKER, ALL_CELLS)
    at = next(index for index, it in enumerate(whole.nodes) if it.name == "pelvis")
    mesh = whole.nodes[at].cells[0, 2]
    given = with_all_cells(whole)
    known = given.nodes[at].cells[0, 2]
    first, *rest = given.meshes[known].primitives
    raised = replace(first, positions=first.positions + np.float32(0.5))
    meshes = [*given.meshes]
    meshes[known] = replace(meshes[known], primitives=(raised, *rest))
    found = changes_of(WALKER, replace(given, meshes=tuple(meshes)))
    assert {type(it) for it in found.changes} == {ReplaceRows}, "its vertices, and no new part or slot"
    assert whole.meshes[mesh].slot != whole.meshes[whole.nodes[at].cells[0, 0]].slot


def test_a_new_part_of_a_file_without_ids_is_added() -> None:
    def with_drum(document: dict[str, Any]) -> dict[str, Any]:
        document = merged(document)
        (first, *others), nodes = document["scenes"], document["nodes"]
        first = {**first, "nodes": [*first["nodes"], len(nodes)]}
        return {**document, "scenes": [first, *others], "nodes": [*nodes, {"name": "drum", "mesh": 0}]}

    data = changed_json(without_extras(glb_of(scene_of(WALKER, ALL_CELLS))), with_drum)
    found = changes_of(WALKER, read(data))
    assert [it.name for it in found.changes if isinstance(it, AddNode)] == ["drum"]


def test_a_cell_of_a_part_that_is_gone_is_left_out() -> None:
    def without_one(document: dict[str, Any]) -> dict[str, Any]:
        document = merged(document)
        gone = next(
            at for at, it in enumerate(document["nodes"]) if it["name"] in ("embers_l", "embers_l.001")
        )
        for node in document["nodes"]:
            node["children"] = [it for it in node.get("children", ()) if it != gone] or [gone]
            if node["children"] == [gone]:
                del node["children"]
        return document

    given = read(changed_json(without_extras(glb_of(scene_of(WALKER, ALL_CELLS))), without_one))
    assert len(given.nodes) == WALKER.model.node_count - 1
    assert not [it.name for it in given.nodes if "LOD" in it.name]
    assert given.losses
