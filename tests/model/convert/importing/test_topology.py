"""Triangles and vertices that another program added, removed or shared otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from tests.model.convert.importing.scenes import (
    DATA,
    PLAIN,
    SOURCE,
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
from viewer.formats.msh.tables import NORMALS, POSITIONS, STREAM15, UVS
from viewer.model.convert.importing.vertices import Surface
from viewer.model.convert.scene import NEW, Primitive, Scene
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.move import FlipTriangles
from viewer.model.edit.geometry.slot_changes import ReplaceSlots
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model

BEFORE = SOURCE.model


def shapes(model: Model, mesh: int) -> list[bytes]:
    """What a mesh has in every stream, corner by corner."""
    found = scene(PLAIN, source_of(model.archive.data)).meshes[mesh].primitives
    rows = np.concatenate([it.vertices[it.triangles].reshape(-1) for it in found if it.vertices is not None])
    return [model.rows(table)[rows].tobytes() for table in (POSITIONS, NORMALS, UVS, STREAM15)]


def grown(primitive: Primitive) -> Primitive:
    """A primitive with a triangle between its first two vertices and a new one."""
    return replace(
        primitive,
        positions=np.concatenate([primitive.positions, [[0, 0, 9]]]).astype(np.float32),
        triangles=np.concatenate([primitive.triangles, [[0, 1, len(primitive.positions)]]]),
        normals=_with(primitive.normals, [1, 0, 0]),
        uvs=_with(primitive.uvs, [0.5, 0.5]),
        vertices=_with(primitive.vertices, NEW),
    )


def _with(values: Any, last: Any) -> Any:
    return np.concatenate([values, np.array([last], values.dtype)])


def _twice(values: Any) -> Any:
    return np.concatenate([values, values[:4]])


def _joined(*values: Any) -> Any:
    return np.concatenate(values)


def test_an_added_triangle_stands_in_its_batch_and_has_a_descriptor_of_its_own() -> None:
    given = with_primitive(scene(), 0, grown)
    (change,) = imported(given).changes
    assert isinstance(change, ReplaceSlots)
    after = model_after(given)
    assert after.batches["index_count"].tolist() == [39, 6, 36, 36, 6]
    assert (len(after.tri_descriptors), after.vertex_count) == (
        len(BEFORE.tri_descriptors) + 1,
        BEFORE.vertex_count + 1,
    )
    assert after.tri_descriptors[:12]["normal"].tobytes() == BEFORE.tri_descriptors[:12]["normal"].tobytes()
    assert after.slots["aabb_max"][0].tolist() == [2, 2, 9]
    for mesh in (1, 2):
        assert shapes(after, mesh) == shapes(BEFORE, mesh)
    assert imported(given, source_of(after.archive.data)).changes == ()
    removed = without_node(scene(), 2)
    assert imported(removed, source_of(model_after(removed).archive.data)).changes == ()


def test_the_centers_of_triangles_are_the_means_of_their_corners() -> None:
    surface = Surface.of(SOURCE.model, 0)
    means = [sum(SOURCE.model.positions[row] for row in corners) / 3 for corners in surface.corners.tolist()]
    np.testing.assert_allclose(surface.centers, means, atol=1e-6)


def test_copied_vertices_have_the_values_of_their_originals() -> None:
    """A program that extrudes a face copies the ids of its vertices."""

    def extruded(primitive: Primitive) -> Primitive:
        count = len(primitive.positions)
        return replace(
            primitive,
            positions=np.concatenate([primitive.positions, primitive.positions[:4] + np.float32(5)]),
            triangles=np.concatenate([primitive.triangles, primitive.triangles[:2] + count]),
            normals=_twice(primitive.normals),
            uvs=_twice(primitive.uvs),
            vertices=_twice(primitive.vertices),
        )

    stream = np.arange(2 * BEFORE.vertex_count, dtype="<u4").tobytes()
    source = source_of(BEFORE.encode({STREAM15: stream}))
    after = model_after(with_primitive(scene(PLAIN, source), 0, extruded), source)
    added = after.rows(STREAM15)["value"][24 + 4 : 24 + 8].tolist()
    assert after.vertex_count == BEFORE.vertex_count + 4
    assert added == source.model.rows(STREAM15)["value"][:4].tolist()
    assert shapes(after, 1) == shapes(source.model, 1)


def test_a_vertex_of_two_batches_that_moved_in_one_becomes_two() -> None:
    data = _shared()
    source = source_of(data)
    given = with_primitive(scene(PLAIN, source), 0, moved({0: (7, 7, 7)}), primitive=1)
    (change,) = imported(given, source).changes
    assert isinstance(change, ReplaceSlots)
    after = model_after(given, source)
    assert after.vertex_count == source.model.vertex_count + 1
    first, second = scene(PLAIN, source_of(after.archive.data)).meshes[0].primitives
    assert [7, 7, 7] not in first.positions.tolist()
    assert [7, 7, 7] in second.positions.tolist()
    both = with_primitive(given, 0, moved({0: (7, 7, 7)}))
    assert [type(it).__name__ for it in imported(both, source).changes] == ["ReplaceRows"]


def _shared() -> bytes:
    """The model with the second batch over vertices of the first."""
    batches = BEFORE.batches.copy()
    batches["base_vertex"][1] = 0
    return BEFORE.encode({13: batches.tobytes()})


def test_a_batch_with_two_materials_becomes_two() -> None:
    def split(given: Scene) -> Scene:
        first, *others = given.meshes[0].primitives
        parts = (
            replace(first, triangles=first.triangles[:8]),
            replace(first, triangles=first.triangles[8:], material=1),
        )
        mesh = replace(given.meshes[0], primitives=(*parts, *others))
        return replace(given, meshes=(mesh, *given.meshes[1:]))

    after = model_after(split(scene()))
    assert after.batches["index_count"].tolist() == [24, 12, 6, 36, 36, 6]
    assert after.batches["material"].tolist() == [0, 1, 1, 0, 0, 1]
    assert after.tri_descriptors["normal"].tolist() == BEFORE.tri_descriptors["normal"].tolist()
    assert shapes(after, 0) == shapes(BEFORE, 0)


def test_batches_that_were_joined_by_material_are_told_apart_by_their_vertices() -> None:
    given = scene()
    (first, second), one = given.meshes[0].primitives, len(given.meshes[0].primitives[0].positions)
    joined = Primitive(
        np.concatenate([first.positions, second.positions]),
        np.concatenate([second.triangles + one, first.triangles]),
        material=first.material,
        vertices=_joined(first.vertices, second.vertices),
    )
    mesh = replace(given.meshes[0], primitives=(joined,))
    (change,) = imported(replace(given, meshes=(mesh, *given.meshes[1:]))).changes
    assert type(change).__name__ == "AssignMaterial"


def test_moved_vertices_and_a_new_slot_together() -> None:
    given = with_primitive(scene(), 1, moved({2: (0.5, 0.5, 4)}))
    given = replace(given, meshes=(*given.meshes, cube()))
    given = with_node(given, 4, cells={(0, 0): 3})
    after = model_after(given)
    assert after.slots["aabb_max"][2].tolist() == [0.5, 1, 4]
    made = planned(with_primitive(scene(), 1, moved({2: (0.5, 0.5, 4)})))
    alone = Model.read(made.after)
    count = len(alone.tri_descriptors)
    assert after.tri_descriptors[:count].tobytes() == alone.tri_descriptors.tobytes()
    assert bytes(SOURCE.data) == DATA


def test_triangles_that_were_turned_over_stay_in_their_place() -> None:
    chosen = [2, 3, 7]

    def turn(primitive: Primitive) -> Primitive:
        triangles = primitive.triangles.copy()
        triangles[chosen] = triangles[chosen][:, [1, 0, 2]]
        return replace(primitive, triangles=triangles)

    after = model_after(with_primitive(scene(), 0, turn))
    draft = Draft(by_id("msh"), BEFORE.archive.data)
    FlipTriangles(tuple(chosen)).apply(draft)
    assert after.indices.tobytes() == draft.model.indices.tobytes()
    assert after.batches.tobytes() == BEFORE.batches.tobytes()
    assert after.tri_descriptors["flags"].tobytes() == BEFORE.tri_descriptors["flags"].tobytes()
    links = after.tri_descriptors["links"], draft.model.tri_descriptors["links"]
    assert [np.sort(it).tolist() for it in links[0]] == [np.sort(it).tolist() for it in links[1]]
    kept = np.delete(np.arange(len(BEFORE.tri_descriptors)), chosen)
    normals = (
        BEFORE.tri_descriptors["normal"].astype(np.int64),
        after.tri_descriptors["normal"].astype(np.int64),
    )
    assert normals[0][kept].tolist() == normals[1][kept].tolist()
    assert np.abs(normals[0][chosen] + normals[1][chosen]).max() <= 1
