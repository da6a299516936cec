"""Meshes that other programs put into children of their nodes, and the levels that keep the old geometry."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.model.convert.gltf.making import glb
from tests.model.convert.importing.scenes import (
    NAMES,
    PLAIN,
    SOURCE,
    imported,
    moved,
    scene,
    with_node,
    with_primitive,
    without_node,
)
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.findings import ImportChoices, OtherLevels
from viewer.model.convert.importing.importer import Import, changes_of
from viewer.model.convert.scene import Scene
from viewer.model.edit.nodes.node_count import RemoveNode, SetCell
from viewer.model.edit.nodes.node_edit import NodeReference
from viewer.model.edit.nodes.set_key import SetKey

Root = dict[str, Any]


def edited(edit: Callable[[Root], None], given: Scene | None = None) -> Scene:
    """An export whose JSON another program has changed."""
    data = glb_of(given or scene())
    size = struct.unpack("<I", data[12:16])[0]
    root = json.loads(data[20 : 20 + size])
    edit(root)
    return read(glb(root, data[28 + size :]))


def put_into_children(root: Root, *, keeps_extras: bool = False, scale: float = 1.0) -> None:
    """Give every mesh a node of its own, as `gltf-transform quantize` and trimesh do."""
    for node in [it for it in root["nodes"] if "mesh" in it]:
        child = {"mesh": node.pop("mesh"), "scale": [scale] * 3}
        if keeps_extras:
            child |= {"name": f"{node['name']}_3dd382", "extras": node["extras"]}
        node.setdefault("children", []).append(len(root["nodes"]))
        root["nodes"].append(child)


@pytest.mark.parametrize("keeps_extras", [False, True])
@pytest.mark.parametrize("has_all_cells", [False, True])
def test_a_mesh_in_a_child_goes_back_into_its_node(*, keeps_extras: bool, has_all_cells: bool) -> None:
    given = scene(replace(PLAIN, has_all_cells=has_all_cells))
    found = edited(lambda root: put_into_children(root, keeps_extras=keeps_extras), given)
    assert [node.name for node in found.nodes] == [node.name for node in given.nodes]
    assert [node.cells.keys() for node in found.nodes] == [node.cells.keys() for node in given.nodes]
    assert imported(found).changes == ()


def test_primitives_in_children_are_one_mesh_again() -> None:
    def split(root: Root) -> None:
        (node,) = (it for it in root["nodes"] if it["name"] == "hull")
        mesh = root["meshes"][node.pop("mesh")]
        for primitive in mesh["primitives"]:
            root["meshes"].append({**mesh, "primitives": [primitive]})
            node.setdefault("children", []).append(len(root["nodes"]))
            root["nodes"].append({"mesh": len(root["meshes"]) - 1})

    assert imported(edited(split)).changes == ()


def test_a_scaled_child_is_its_mesh_at_that_size() -> None:
    found = edited(lambda root: put_into_children(root, scale=2.0))
    np.testing.assert_allclose(
        found.meshes[0].primitives[0].positions, 2 * scene().meshes[0].primitives[0].positions
    )


@pytest.mark.parametrize("change", [{"children": [0]}, {"extras": {}}])
def test_another_mesh_under_an_empty_node_is_a_node(change: Root) -> None:
    def edit(root: Root) -> None:
        (node,) = (it for it in root["nodes"] if it["name"] == "gun_l")
        mesh = {**root["meshes"][node.pop("mesh")], "extras": {}}
        root["meshes"].append(mesh)
        node["children"] = [len(root["nodes"])]
        root["nodes"].append({"name": "Cube", "mesh": len(root["meshes"]) - 1})

    del change
    assert [node.name for node in edited(edit).nodes][-1] == "Cube"


def test_a_node_whose_origin_was_set_is_where_the_file_has_it() -> None:
    given = with_primitive(scene(), 2, lambda it: replace(it, positions=it.positions - np.float32(0.25)))
    given = with_node(given, 3, cells={})
    back = with_node(given, 2, position=tuple(it + 0.25 for it in scene().nodes[2].position))
    found = changes_of(SOURCE, back, NAMES)
    (key,) = (it for it in found.changes if isinstance(it, SetKey))
    assert key.position == pytest.approx((1.25, 0.25, 0.25))
    alone = with_node(scene(), 2, position=(7.0, 0.0, 0.0))
    assert [type(it) for it in imported(alone).changes] == [SetKey]


def with_levels(given: Scene, levels: OtherLevels) -> Import:
    return changes_of(SOURCE, given, NAMES, ImportChoices(other_levels=levels))


def test_other_levels_keep_clear_or_reuse_the_geometry() -> None:
    given = with_primitive(scene(), 0, moved({2: (0.5, 0.5, 0.75)}))
    found = with_levels(given, OtherLevels.LEAVE)
    assert found.has_outdated
    assert [note for note in found.notes if "hull (LOD 1 - damaged, group 0 - near)" in note]
    assert not any(isinstance(it, SetCell) for it in found.changes)
    cleared, reused = (with_levels(given, it) for it in (OtherLevels.CLEAR, OtherLevels.REUSE))
    assert SetCell(0, 1, 0, None) in cleared.changes
    assert SetCell(0, 1, 0, 0) in reused.changes
    assert not any("hull" in note for note in (*cleared.notes, *reused.notes))


def test_unchanged_geometry_leaves_other_levels_without_a_word() -> None:
    given = with_primitive(scene(), 0, lambda it: replace(it, material=1))
    found = with_levels(given, OtherLevels.CLEAR)
    assert not found.has_outdated
    assert not any(isinstance(it, SetCell) for it in found.changes)


def test_a_node_that_something_refers_to_stays_without_geometry() -> None:
    reference = NodeReference(4, "points", 3, "nodes", "tank.cpt", "CameraCenter")
    source = replace(SOURCE, references=(reference,))
    found = changes_of(source, without_node(scene(), 4), NAMES)
    assert found.changes == ()
    assert found.has_referenced
    socket = "socket (tank.cpt points[3].nodes (CameraCenter))"
    assert found.notes == (f"not in the file, but kept, as something refers to them: {socket}",)
    assert not found.losses
    cleared = changes_of(source, without_node(scene(), 4), NAMES, ImportChoices(clears_references=True))
    assert cleared.changes == (RemoveNode(4, clears_references=True),)
    assert cleared.notes == ("not in the file and removed: socket",)
    shown = replace(SOURCE, references=(replace(reference, node=3),))
    found = changes_of(shown, without_node(scene(), 3), NAMES)
    assert found.changes == (SetCell(3, 0, 0, None),)
    assert not [it for it in found.notes if "removed" in it]
    assert len(found.losses) == 1, "the file does not have it, and the model still does"
    assert found.losses[0].startswith(
        "not in the file, but kept without geometry, as something refers to them"
    )
