"""Files without normals: those of the model stay, and those around edited triangles are of their faces."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from tests.model.convert.importing.scenes import (
    PLAIN,
    SOURCE,
    added,
    cube,
    imported,
    model_after,
    scene,
    source_of,
    with_primitive,
)
from viewer.formats.msh.tables import NORMALS
from viewer.model.convert.building.tables import made_of
from viewer.model.convert.scene import Node, Primitive, Scene
from viewer.model.convert.shapes import mapped

HALF = 0.5 / 127
"""Half a step of a stored normal."""
TURN = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])


def bare(it: Primitive) -> Primitive:
    """A primitive of a file without normals."""
    return replace(it, normals=None, has_own_normals=False)


def without_normals(given: Scene) -> Scene:
    """A scene of a file without normals."""
    return replace(given, meshes=tuple(mapped(it, bare) for it in given.meshes))


def turned(it: Primitive) -> Primitive:
    """A quarter turn about x."""
    return replace(it, positions=(it.positions @ TURN).astype(np.float32))


@pytest.mark.parametrize("has_rows", [True, False])
def test_what_was_not_edited_keeps_its_normals(has_rows: bool) -> None:
    given = without_normals(scene())
    if not has_rows:
        given = with_primitive(given, 0, lambda it: replace(it, vertices=None))
    found = imported(given)
    assert (found.changes, found.losses) == ((), ())


def test_normals_of_turned_geometry_are_those_of_its_faces() -> None:
    """A box keeps its edges: each side has the normal that it has after the turn."""
    given = with_primitive(without_normals(scene()), 0, turned)
    found = imported(given)
    assert [*map(str, found.losses)] == []
    note = "the file has no normals: 24 of vertices whose triangles changed are computed from faces"
    assert note in map(str, found.notes)
    made = scene(PLAIN, source_of(model_after(given).archive.data)).meshes[0].primitives[0]
    assert made.normals is not None
    points = made.positions[made.triangles].astype(np.float64)
    faces = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    np.testing.assert_allclose(made.normals[made.triangles], np.repeat(faces[:, None], 3, axis=1), atol=HALF)


def test_normals_beside_edited_triangles_stay() -> None:
    """Only the box was turned: the square of the same node has its own vertices."""
    given = with_primitive(without_normals(scene()), 0, turned)
    before, after = (it.rows(NORMALS)["normal"] for it in (SOURCE.model, model_after(given)))
    assert (before[:24] != after[:24]).any()
    assert before[24:].tolist() == after[24:].tolist()


def test_new_geometry_has_the_normals_of_its_faces() -> None:
    given = scene()
    crate = mapped(cube(), bare)
    after = model_after(added(given, Node("crate", cells={(0, 0): len(given.meshes)}), meshes=[crate]))
    made = scene(PLAIN, source_of(after.archive.data))
    shown = made.meshes[made.nodes[-1].cells[0, 0]].primitives[0]
    assert shown.normals is not None
    sides = [(1, 0, 0)] * 8 + [(0, 1, 0)] * 8 + [(0, 0, 1)] * 8
    assert sorted(map(tuple, np.abs(np.rint(shown.normals)).tolist())) == sorted(sides)


@pytest.mark.parametrize("is_bare", [True, False])
def test_a_new_model_says_whether_its_normals_are_computed(is_bare: bool) -> None:
    given = without_normals(scene()) if is_bare else scene()
    words = "the file has no normals: they are computed from its faces"
    assert (words in map(str, made_of(given).notes)) is is_bare
