"""The normals of edited geometry: those of the file, unless they are what export gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.model.convert.importing.scenes import (
    PLAIN,
    SOURCE,
    imported,
    model_after,
    moved,
    scene,
    source_of,
    with_primitive,
)
from viewer.formats.msh.tables import NORMALS
from viewer.formats.msh.vertices import NORMAL_SCALE
from viewer.geometry.transforms import Floats
from viewer.model.convert.scene import NEW, Primitive, Scene
from viewer.model.mesh.model import Model

STEP = 1 / NORMAL_SCALE
TURN = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], np.float32)
"""A quarter turn about x, whose rows are the axes that a point is turned to."""
MIRROR = np.diag([-1, 1, 1]).astype(np.float32)


def corners(found: Scene, mesh: int = 0) -> Floats:
    """Positions and normals of the corners of a mesh, sorted, (n, 6)."""
    pieces = [
        np.hstack([it.positions, it.normals])[it.triangles.reshape(-1)]
        for it in found.meshes[mesh].primitives
        if it.normals is not None
    ]
    values = np.concatenate(pieces)
    order = np.lexsort(np.round(values / (2 * STEP)).T)
    sorted_values: Floats = values[order].astype(np.float32)
    return sorted_values


def changed(by: Floats, *, is_flipped: bool = False) -> Callable[[Primitive], Primitive]:
    """An edit that turns or mirrors vertices with their normals."""

    def edit(primitive: Primitive) -> Primitive:
        assert primitive.normals is not None
        triangles = primitive.triangles[:, ::-1] if is_flipped else primitive.triangles
        return replace(
            primitive,
            positions=primitive.positions @ by.T,
            normals=primitive.normals @ by.T,
            triangles=triangles.copy(),
        )

    return edit


def with_normals(
    normals: Callable[[Floats], npt.NDArray[np.floating[Any]]],
) -> Callable[[Primitive], Primitive]:
    """An edit of normals alone."""

    def edit(primitive: Primitive) -> Primitive:
        assert primitive.normals is not None
        return replace(primitive, normals=normals(primitive.normals).astype(np.float32))

    return edit


def without_ids(primitive: Primitive) -> Primitive:
    """A primitive whose vertices do not say their rows."""
    return replace(primitive, vertices=None)


@pytest.mark.parametrize("has_ids", [True, False])
@pytest.mark.parametrize(("by", "is_flipped"), [(TURN, False), (MIRROR, True), (MIRROR, False)])
def test_normals_that_turn_with_their_faces_are_those_of_the_file(
    by: Floats, is_flipped: bool, has_ids: bool
) -> None:
    given = with_primitive(scene(), 0, changed(by, is_flipped=is_flipped))
    if not has_ids:
        given = with_primitive(given, 0, without_ids)
    after = model_after(given)
    found = scene(PLAIN, source_of(after.archive.data))
    np.testing.assert_allclose(corners(found), corners(given), atol=STEP)
    assert imported(given, source_of(after.archive.data)).changes == ()


def test_a_normal_that_turned_less_than_the_faces_around_it_is_that_of_the_file() -> None:
    tilted = np.array([[0.2, 0, 0.98]] * 4, np.float32)
    given = with_primitive(scene(), 0, moved({2: (0.5, 0.5, 0.75)}))
    given = with_primitive(given, 0, with_normals(lambda it: np.concatenate([tilted, it[4:]])))
    after = model_after(given)
    assert after.rows(NORMALS)["normal"][:4].tolist() == [[25, 0, 124, 0]] * 4
    assert after.rows(NORMALS)["normal"][4:].tolist() == SOURCE.model.rows(NORMALS)["normal"][4:].tolist()


def test_what_a_program_loses_of_normals_is_no_edit_next_to_one() -> None:
    """Each corner is off by up to 0.0125; a vertex that moved leaves the others as they are."""
    chance = np.random.default_rng(5)
    given = with_primitive(scene(), 0, moved({2: (0.5, 0.5, 0.75)}))
    given = with_primitive(given, 0, with_normals(lambda it: it + chance.uniform(-0.0124, 0.0124, it.shape)))
    assert model_after(given).payload(NORMALS) == SOURCE.model.payload(NORMALS)


def test_the_normals_of_merged_vertices_are_those_of_the_file() -> None:
    """The corners of a cube are one vertex each, with the row of the first and the mean of three normals."""
    before = scene().meshes[0].primitives[0]
    places, first, number = np.unique(before.positions, axis=0, return_index=True, return_inverse=True)
    assert before.vertices is not None
    merged = replace(
        before,
        positions=places,
        normals=np.sign(places).astype(np.float32) / np.float32(np.sqrt(3)),
        uvs=None if before.uvs is None else before.uvs[first],
        vertices=before.vertices[first],
        triangles=number.reshape(-1)[before.triangles],
    )
    given = with_primitive(scene(), 0, lambda _: merged)
    found = scene(PLAIN, source_of(model_after(given).archive.data))
    np.testing.assert_allclose(corners(found), corners(given), atol=STEP)


def test_several_normals_of_one_row_are_several_vertices() -> None:
    """Corners with the row of a vertex and normals of their own; a program cuts a vertex at a sharp edge."""

    def cut(primitive: Primitive) -> Primitive:
        assert primitive.normals is not None
        assert primitive.vertices is not None
        flat = primitive.triangles.reshape(-1)
        normals = primitive.normals[flat].copy()
        normals[::3] = (0.6, 0, 0.8)
        return replace(
            primitive,
            positions=primitive.positions[flat],
            normals=normals,
            uvs=None if primitive.uvs is None else primitive.uvs[flat],
            vertices=primitive.vertices[flat],
            triangles=np.arange(len(flat)).reshape(-1, 3),
        )

    given = with_primitive(scene(), 0, cut)
    found = scene(PLAIN, source_of(model_after(given).archive.data))
    np.testing.assert_allclose(corners(found), corners(given), atol=STEP)


def test_corners_that_differ_by_what_is_lost_stay_one_vertex() -> None:
    """A turned vertex whose corners a program keeps apart: their mean is the normal of the row."""

    def turned(primitive: Primitive) -> Primitive:
        edited = changed(TURN)(primitive)
        assert edited.normals is not None
        assert edited.vertices is not None
        flat = edited.triangles.reshape(-1)
        noise = np.where(np.arange(len(flat)) % 2, 0.01, -0.01)[:, None] * np.array([1, 0, 0])
        return replace(
            edited,
            positions=edited.positions[flat],
            normals=(edited.normals[flat] + noise).astype(np.float32),
            uvs=None if edited.uvs is None else edited.uvs[flat],
            vertices=edited.vertices[flat],
            triangles=np.arange(len(flat)).reshape(-1, 3),
        )

    after: Model = model_after(with_primitive(scene(), 0, turned))
    assert after.vertex_count == SOURCE.model.vertex_count
    wanted = SOURCE.model.rows(NORMALS)["normal"][:24, :3].astype(np.float64) @ TURN.T
    np.testing.assert_allclose(after.rows(NORMALS)["normal"][:24, :3], wanted, atol=2)


def test_new_vertices_have_their_own_normals() -> None:
    def bare(primitive: Primitive) -> Primitive:
        assert primitive.vertices is not None
        return replace(changed(TURN)(primitive), vertices=np.full_like(primitive.vertices, NEW))

    given = with_primitive(scene(), 0, bare)
    found = scene(PLAIN, source_of(model_after(given).archive.data))
    np.testing.assert_allclose(corners(found), corners(given), atol=STEP)
