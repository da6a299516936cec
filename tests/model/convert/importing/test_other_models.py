"""Files of one model imported onto another: rows are not those of the template, and what it shows arrives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests import builders
from tests.builders import ModelBuilder, box, quad
from tests.model.convert.importing.scenes import (
    PLAIN,
    SOURCE,
    added,
    imported,
    model_after,
    scene,
    source_of,
    with_node,
    without_node,
)
from viewer.geometry.transforms import Floats, Indices
from viewer.model.convert import exchange
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf import read as gltf
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.check.deviation import DeviationKind
from viewer.model.convert.importing.check.deviations import deviations
from viewer.model.convert.importing.identity import rows_now
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.scene import (
    NEW,
    Mesh,
    Node,
    Primitive,
    Scene,
    SceneMaterial,
)
from viewer.model.convert.scene_file import GLB, OBJ, SceneFile, nothing
from viewer.model.convert.shapes import chosen, mapped
from viewer.model.convert.source import ModelSource
from viewer.model.edit.draft import Draft
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.plan import plan
from viewer.model.edit.set_field import SetField
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source, model_of

ARCHIVE = Path(__file__).parents[4] / "assets" / "game" / "models.rlb"
MODELS = ("walker", "drone", "b_tower", "s_tree_oak", "s_sign")
WHOLE = replace(PLAIN, has_all_cells=True, has_frame_keys=False)


@cache
def sample(name: str) -> ModelSource:
    return model_of(FileStore(), Source(Address(ARCHIVE, (f"{name}.msh",))))


@cache
def exported(name: str, suffix: str) -> Mapping[str, bytes]:
    options = WHOLE if suffix == GLB else replace(PLAIN, is_y_up=False)
    return exchange.files_of(scene_of(sample(name), options), suffix, name)


def read(name: str, suffix: str, template: ModelSource) -> Scene:
    files, path = exported(name, suffix), Path(f"{name}.{suffix}")
    return exchange.read(SceneFile(path, files[path.name], suffix, files.__getitem__), template)


@pytest.mark.parametrize("suffix", [GLB, OBJ])
@pytest.mark.parametrize(("name", "other"), [*pairwise((*MODELS, MODELS[0]))])
def test_a_model_can_be_imported_onto_another(name: str, other: str, suffix: str) -> None:
    template = sample(other)
    given = read(name, suffix, template)
    materials = template.materials
    assert materials is not None
    found = changes_of(template, given, materials.wear_names)
    kept = [it for it in found.losses if it not in given.losses]
    # paths and light probes of the tower name a node that the other model does not have
    words = "not in the file, but kept without geometry, as something refers to them: o01_bunker "
    assert [it.startswith(words) for it in kept] == [True] * (other == "b_tower")
    assert len(found.losses) == len(given.losses) + len(kept)
    after = plan(Draft(MODEL, template.data, resolved=template.choice), found.changes).after
    made = scene_of(ModelSource(other, Model.read(after), template.choice), WHOLE)
    assert_shows(made, given)


def assert_shows(made: Scene, given: Scene) -> None:
    """Assert that all nodes of a file are in a model, under their parents, with what they show."""
    known = {node.name: node for node in made.nodes}
    assert len({node.name for node in given.nodes}) == len(given.nodes)
    for node in given.nodes:
        own = known[node.name]
        assert above(made, own) == above(given, node)
        np.testing.assert_allclose(own.position, node.position, atol=1e-4)
        assert (own.track is None) == (node.track is None)
        for cell, mesh in node.cells.items():
            np.testing.assert_allclose(
                corners(made.meshes[own.cells[cell]]), corners(given.meshes[mesh]), atol=1e-3
            )


def above(scene: Scene, node: Node) -> str:
    return "" if node.parent is None else scene.nodes[node.parent].name


def corners(mesh: Mesh) -> Floats:
    """The places of the corners of all triangles, in any order."""
    found = np.concatenate([it.positions[it.triangles.reshape(-1)] for it in mesh.primitives])
    return np.sort(found, axis=0)


def other_scene() -> Scene:
    """The export of another small model, as a file says it."""
    shapes = {(0, 0): [box((3, 1, 1), material=2), quad(2, material=1)]}
    nodes = (builders.Node("cabin", shapes=shapes), builders.Node("wheel", 0, {(0, 0): [box(material=0)]}))
    made = source_of(ModelBuilder.of(nodes).build(), "car.msh")
    names = {row: SceneMaterial(name, row=row) for row, name in enumerate(("RUBBER", "GLASS", "CHROME"))}
    given = scene_of(made, PLAIN)
    return replace(given, materials=tuple(names[it.row or 0] for it in given.materials))


def test_rows_of_another_model_are_not_those_of_the_template() -> None:
    found = imported(other_scene())
    assert any("another model" in note for note in found.notes)
    assert not any(isinstance(it, RenameNode) for it in found.changes)
    assert [it.value for it in found.wear if isinstance(it, SetField)] == ["RUBBER", "GLASS", "CHROME"]
    after = model_after(other_scene())
    assert sorted(after.strings) == [b"cabin", b"wheel"]


def test_a_model_that_was_changed_since_keeps_its_rows() -> None:
    given = scene()
    assert given.origin is not None
    renamed = replace(given, origin=replace(given.origin, sha256="0" * 64, name="copy.msh"))
    found = imported(with_node(renamed, 2, name="cannon"))
    assert found.changes == (RenameNode(2, "cannon"),)


def test_vertices_without_a_place_of_their_own_go_with_those_that_moved() -> None:
    """12 rows were put before them; the last two are at one place with others, which has no row alone."""

    def beside(rows: Indices) -> Any:
        is_there = rows >= 12
        return SimpleNamespace(rows=rows, is_placed=is_there, has_uvs=is_there)

    found = rows_now(np.arange(5), np.array([12, 13, 14, NEW, NEW]), beside)
    assert found.tolist() == [12, 13, 14, 15, 16]


def test_a_part_of_another_model_is_added() -> None:
    whole = other_scene()
    part = replace(whole, options=replace(whole.options, nodes=frozenset([0])))
    after = model_after(without_node(part, 1))
    assert after.strings == (*SOURCE.model.strings, b"cabin")


def test_parts_joined_from_two_exports_are_new() -> None:
    given, other = scene(), other_scene()
    nodes = [
        replace(
            it,
            parent=len(given.nodes) + it.parent if it.parent is not None else 0,
            cells={cell: len(given.meshes) + mesh for cell, mesh in it.cells.items()},
        )
        for it in other.nodes
    ]
    meshes = [
        replace(
            mesh,
            primitives=tuple(
                replace(it, material=len(given.materials) + (it.material or 0), batch=99)
                for it in mesh.primitives
            ),
        )
        for mesh in other.meshes
    ]
    joined = replace(added(given, *nodes, meshes=meshes), materials=(*given.materials, *other.materials))
    joined = gltf.read(glb_of(replace(joined, views=())), nothing)
    after = model_after(joined)
    assert after.strings == (*SOURCE.model.strings, b"cabin", b"wheel")
    assert after.nodes["slots"][:5].tolist() == SOURCE.model.nodes["slots"].tolist()
    assert after.positions[: SOURCE.model.vertex_count].tobytes() == SOURCE.model.positions.tobytes()
    assert after.batches["material"].tolist()[-3:] == [4, 3, 2]
    assert_shows(scene_of(source_of(after.archive.data), PLAIN), joined)


def _as_one(primitive: Primitive) -> Primitive:
    """A primitive as assimp writes it: equal vertices are one, and there is no lightmap."""
    assert primitive.normals is not None
    assert primitive.uvs is not None
    values = np.hstack([primitive.positions, primitive.normals, primitive.uvs])
    _ignored, first, number = np.unique(values, axis=0, return_index=True, return_inverse=True)
    triangles = number.reshape(-1)[primitive.triangles]
    made = chosen(primitive, first, triangles)
    return replace(made, vertices=None, lightmap_uvs=None, batch=None, fields={})


def _tower_as_one() -> Scene:
    """The tower of the sample, whose vertices with other lightmap coordinates are else equal."""
    given = scene_of(sample("b_tower"), PLAIN)
    joined = tuple(mapped(it, _as_one) for it in given.meshes)
    known = sum(len(it.positions) for mesh in given.meshes for it in mesh.primitives)
    assert known - sum(len(it.positions) for mesh in joined for it in mesh.primitives) > 100
    return replace(given, meshes=joined)


def test_vertices_that_a_program_made_one_are_still_several() -> None:
    tower = sample("b_tower")
    found = imported(_tower_as_one(), tower)
    assert (found.changes, deviations(found, tower)) == ((), ())


def test_a_vertex_that_was_made_one_of_several_moves_all_of_their_triangles() -> None:
    tower, given = sample("b_tower"), _tower_as_one()
    known = scene_of(tower, PLAIN).meshes[0].primitives[0]
    primitive = given.meshes[0].primitives[0]
    assert known.vertices is not None
    assert known.normals is not None
    assert known.uvs is not None
    assert primitive.normals is not None
    assert primitive.uvs is not None
    # one with which several of the model are equal
    both = np.hstack([known.positions, known.normals, known.uvs])
    values, counts = np.unique(both, axis=0, return_counts=True)
    own = np.hstack([primitive.positions, primitive.normals, primitive.uvs])
    at = int(np.flatnonzero((own == values[counts.argmax()]).all(axis=1))[0])
    moved = primitive.positions.copy()
    moved[at] += (0, 0, 0.5)
    mesh = given.meshes[0]
    edited = replace(mesh, primitives=(replace(primitive, positions=moved), *mesh.primitives[1:]))
    edited_scene = replace(given, meshes=(edited, *given.meshes[1:]))
    found = imported(edited_scene, tower)
    after = plan(Draft(MODEL, tower.data, resolved=tower.choice), found.changes)
    left = deviations(found, tower.edited(after.after), after.moves)
    assert [it.words for it in left if it.kind is not DeviationKind.NORMALS] == []
