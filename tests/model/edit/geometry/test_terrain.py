"""Terrain: vertices move, bounds and face normals follow; what a terrain does not have is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.terrains import terrain
from viewer.errors import EditError
from viewer.formats import splice
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.links import DerivedData, Recompute
from viewer.model.edit.geometry.move import FlipTriangles, MoveVertices, RemoveTriangles, TransformVertices
from viewer.model.edit.geometry.slot_changes import AssignMaterial, ReplaceMaterial
from viewer.model.edit.plan import Plan, plan
from viewer.model.edit.repair import found_repairs
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model

DATA = terrain()
MIRROR = (-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def planned(*changes: Change) -> Plan:
    made = plan(Draft(by_id("msh"), DATA), changes)
    assert splice.applied(made.after, splice.reverse(made.splices)) == DATA
    return made


def test_bounds_and_face_normals_follow_a_raised_vertex() -> None:
    made = planned(MoveVertices(RowChoice("4"), (0, 0, 5)))
    before, after = Model.read(DATA), Model.read(made.after)
    assert made.topics == (Topic.BOUNDS, Topic.NORMALS)
    assert after.slots["aabb_max"][:, 2].tolist() == [5] * 8
    uses_it = (before.faces["vertices"] == 4).any(axis=1)
    is_turned = (before.faces["normal"] != after.faces["normal"]).any(axis=1)
    assert is_turned.tolist() == uses_it.tolist()
    assert (after.faces["normal"][:, 2] > 0).all()


def test_recomputing_leaves_out_what_there_is_not() -> None:
    assert Topic.HEADER not in planned(Recompute(DerivedData.ALL)).topics
    assert found_repairs(Draft(by_id("msh"), bytes(planned(Recompute(DerivedData.ALL)).after))) == ()


def test_the_first_layer_is_the_material() -> None:
    after = Model.read(planned(AssignMaterial(RowChoice("0:2"), 7), ReplaceMaterial(1, 3)).after)
    before = np.where(Model.read(DATA).faces["material_a"] == 1, 3, 0)
    before[:2] = 7
    assert after.faces["material_a"].tolist() == before.tolist()


@pytest.mark.parametrize(
    "change",
    [
        FlipTriangles((0,)),
        TransformVertices(RowChoice("*"), MIRROR),
        Recompute(DerivedData.HEADER),
        Recompute(DerivedData.LINKS),
        AssignMaterial(RowChoice("0"), 256),
    ],
)
def test_what_a_terrain_does_not_have_is_refused(change: Change) -> None:
    with pytest.raises(EditError):
        planned(change)


def test_triangles_of_a_terrain_are_not_looked_for_where_it_has_none() -> None:
    with pytest.raises(EditError, match="a terrain does not have this table"):
        planned(RemoveTriangles((0,)))
