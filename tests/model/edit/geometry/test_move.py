"""Moved vertices: exactly they move, and bounds, normals and links follow unless declined."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box, quad
from viewer.errors import EditError, UsageError
from viewer.formats import splice
from viewer.formats.msh.triangles import NONE
from viewer.model.checks.models import check_model
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.links import DerivedData, Recompute
from viewer.model.edit.geometry.move import MoveGeometry, MoveVertices, TransformGeometry, TransformVertices
from viewer.model.edit.plan import Plan, plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model

SCENE = [
    Node("hull", shapes={(0, 0): [box(), box((1, 2, 3), center=(4, 0, 0))]}),
    Node("gun", 0, {(0, 0): [quad()]}),
]
DATA = ModelBuilder.of(SCENE).build()
QUARTER = (0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def planned(*changes: Change, data: bytes = DATA, **topics: frozenset[Topic]) -> Plan:
    made = plan(Draft(by_id("msh"), data), changes, **topics)
    assert splice.applied(made.after, splice.reverse(made.splices)) == data
    return made


def scaled(x: float, y: float, z: float) -> tuple[float, ...]:
    return (x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1)


def test_the_geometry_of_a_node_moves_and_nothing_else() -> None:
    before, after = Model.read(DATA), Model.read(planned(MoveGeometry("gun", (0, 0, 2.5))).after)
    assert (after.positions[:48] == before.positions[:48]).all()
    assert (after.positions[48:] == before.positions[48:] + np.array([0, 0, 2.5], np.float32)).all()
    assert after.slots["aabb_min"][1].tolist() == [-0.5, -0.5, 2.5]
    assert after.slots["sphere_center"][1].tolist() == [0, 0, 2.5]
    assert bytes(after.slots[:1]) == bytes(before.slots[:1])
    for name in ("nodes", "batches", "tri_descriptors", "keys"):
        assert getattr(after, name).tobytes() == getattr(before, name).tobytes()
    assert after.payload(4) == before.payload(4)


def test_the_consequences_can_be_declined() -> None:
    made = planned(MoveGeometry(1, (0, 0, 2)), declined=frozenset({Topic.BOUNDS}))
    assert made.topics == ()
    assert Topic.BOUNDS in {offer.topic for offer in made.offered}
    assert Model.read(made.after).slots["aabb_min"][1].tolist() == [-0.5, -0.5, 0]


def test_the_header_follows_only_on_request() -> None:
    changes = [MoveGeometry(0, (0, 0, 7))]
    offered, made = planned(*changes), planned(*changes, wanted=frozenset({Topic.HEADER}))
    assert {offer.topic for offer in offered.offered} == {Topic.HEADER}
    before = Model.read(DATA).header
    after = Model.read(offered.after).header, Model.read(made.after).header
    assert before is not None
    assert after[0] == before
    assert after[1] is not None
    assert after[1]["capsule_b"][2] == before["capsule_b"][2] + 7


def test_a_turn_turns_normals_and_face_normals() -> None:
    made = planned(TransformGeometry("hull", QUARTER))
    before, after = Model.read(DATA), Model.read(made.after)
    assert set(made.topics) == {Topic.BOUNDS, Topic.NORMALS}
    x, y, z = before.rows(4)["normal"][:48, :3].T
    assert (after.rows(4)["normal"][:48, :3] == np.stack([-y, x, z], 1)).all()
    x, y, z = before.tri_descriptors["normal"][:24].T
    assert (after.tri_descriptors["normal"][:24] == np.stack([-y, x, z], 1)).all()
    assert bytes(after.tri_descriptors[24:]) == bytes(before.tri_descriptors[24:])


def test_a_scale_keeps_the_normals_upright() -> None:
    made = planned(TransformGeometry("hull", scaled(1, 1, 3)))
    assert Model.read(made.after).payload(4) == Model.read(DATA).payload(4)
    assert made.topics == (Topic.BOUNDS,)


def test_a_mirror_flips_the_triangles() -> None:
    made = planned(TransformGeometry("hull", scaled(-1, 1, 1)))
    model = Model.read(made.after)
    assert (
        planned(Recompute(DerivedData.ALL), data=bytes(made.after)).splices
        == planned(Recompute(DerivedData.HEADER), data=bytes(made.after)).splices
    )
    assert (model.rows(4)["normal"][:48, 0] == -Model.read(DATA).rows(4)["normal"][:48, 0]).all()
    assert made.topics == (Topic.BOUNDS, Topic.NORMALS)
    back = planned(TransformGeometry("hull", scaled(-1, 1, 1)), data=bytes(made.after))
    assert bytes(back.after) == DATA


def test_slanted_normals_follow_the_inverse_of_a_scale() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})])
    builder.normals[:, :3] = (90, 0, 90)
    builder.normals[:, 3] = 5
    after = Model.read(
        planned(TransformVertices(RowChoice("*"), scaled(2, 1, 1)), data=builder.build()).after
    )
    direction = np.array([0.5, 0, 1]) / np.hypot(0.5, 1)
    assert np.abs(after.rows(4)["normal"][0, :3] / 127 - direction).max() < 0.01
    assert (after.rows(4)["normal"][:, 3] == 5).all()


def test_an_inner_vertex_changes_neither_box_nor_sphere() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(8), quad(1)]})])
    made = planned(MoveVertices(RowChoice("4"), (0.25, 0, 0)), data=builder.build())
    assert Topic.BOUNDS not in made.topics
    assert splice.total(made.splices) <= 4


def test_a_sphere_that_no_longer_encloses_follows_though_the_box_stays() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [box((2, 2, 2)), quad(0.5)]})])
    builder.slots["sphere_radius"] = 1
    builder.positions[:24] = np.clip(builder.positions[:24], -1, 1)
    builder.positions[:24] *= np.float32(1 / np.sqrt(3))
    builder.positions[0] = (1, 0, 0)
    builder.positions[1] = (-1, 0, 0)
    builder.positions[2] = (0, 1, 0)
    builder.positions[4] = (0, -1, 0)
    builder.positions[5] = (0, 0, 1)
    builder.positions[6] = (0, 0, -1)
    data = builder.build()
    data = bytes(planned(Recompute(DerivedData.BOUNDS), data=data).after)
    made = planned(MoveVertices(RowChoice("24"), (1.1, 1.1, 0.9)), data=data)
    before, after = (Model.read(it).slots[0] for it in (data, made.after))
    assert after["aabb_min"].tolist() == before["aabb_min"].tolist()
    assert after["aabb_max"].tolist() == before["aabb_max"].tolist()
    assert after["sphere_radius"] > before["sphere_radius"]


def test_faces_that_part_lose_their_links() -> None:
    made = planned(MoveVertices(RowChoice("51"), (0, 0, 1)))
    assert Topic.LINKS not in made.topics
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})])
    builder.positions = np.concatenate([builder.positions, builder.positions[2:3]])
    builder.normals, builder.uvs = (np.concatenate([it, it[2:3]]) for it in (builder.normals, builder.uvs))
    builder.indices[4] = 4
    builder.batches["opaque14"] = 5
    data = builder.build()
    assert not (Model.read(data).tri_descriptors["links"][:, :] == NONE).all()
    made = planned(MoveVertices(RowChoice("4"), (0, 0, 1)), data=data)
    after = Model.read(made.after).tri_descriptors
    assert Topic.LINKS in made.topics
    assert (after["links"] == NONE).all()
    assert (after["selectors"] & 0x3F == 0x3F).all()
    kept = planned(MoveVertices(RowChoice("4"), (0, 0, 1)), data=data, declined=frozenset({Topic.LINKS}))
    assert (
        Model.read(kept.after).tri_descriptors["links"].tolist()
        == Model.read(data).tri_descriptors["links"].tolist()
    )


def test_an_index_set_by_hand_has_the_same_consequences() -> None:
    made = planned(SetField("indices", RowChoice("0"), "index", 6))
    assert Topic.NORMALS in made.topics
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(), quad(2)]})])
    builder.batches["base_vertex"] = 0
    builder.indices[6:] += 4
    builder.batches["opaque14"][1] = 8
    made = planned(SetField("indices", RowChoice("2"), "index", 7), data=builder.build())
    assert Topic.VERTEX_COUNTS in made.topics
    assert Model.read(made.after).batches["opaque14"].tolist() == [8, 8]


def test_vertex_counts_stay_where_the_file_has_something_else() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.batches["opaque14"] = 4711
    made = planned(SetField("indices", RowChoice("0"), "index", 23), data=builder.build())
    assert Topic.VERTEX_COUNTS not in made.topics


def test_bounds_that_are_set_by_hand_are_not_overwritten() -> None:
    changes: list[Change] = [
        MoveGeometry(1, (0, 0, 2)),
        SetField("slots", RowChoice("1"), "sphere_radius", 9),
    ]
    made = planned(*changes)
    assert Topic.BOUNDS not in made.topics
    assert Model.read(made.after).slots["sphere_radius"][1] == 9


def test_area_and_volume_follow_where_the_file_has_them() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [box((1, 2, 3))]})])
    builder.slots["opaque"][0, :2] = np.array([22, 6], "<f4").view("<u4")
    made = planned(TransformGeometry(0, scaled(2, 1, 1)), data=builder.build())
    assert Model.read(made.after).slots["opaque"][0, :2].view("<f4").tolist() == [32, 12]
    builder.slots["opaque"][0, :2] = (7, 8)
    made = planned(TransformGeometry(0, scaled(2, 1, 1)), data=builder.build())
    assert Model.read(made.after).slots["opaque"][0, :2].tolist() == [7, 8]


def test_shared_vertices_move_and_their_other_users_are_named() -> None:
    shapes = [quad()]
    builder = ModelBuilder.of(
        [Node("a", shapes={(0, 0): shapes}), Node("b", shapes={(0, 0): shapes}), Node("c")]
    )
    made = planned(MoveGeometry("a", (1, 0, 0)), data=builder.build())
    assert [str(note) for note in made.notes] == ["nodes 1 use vertices of node 0; they move too"]


def test_vertices_that_are_not_finite_stay() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.positions[3] = (np.nan, 1, np.inf)
    made = planned(MoveGeometry(0, (1, 1, 1)), data=builder.build())
    assert Model.read(made.after).rows(3)["position"][3].tobytes() == builder.positions[3].tobytes()


def test_the_way_of_nothing_changes_nothing() -> None:
    assert planned(MoveGeometry(0, (0, 0, 0))).splices == ()
    assert planned(TransformGeometry(0, scaled(1, 1, 1))).splices == ()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (MoveGeometry(2, (1, 0, 0)), "nodes[2]"),
        (MoveGeometry("turret", (1, 0, 0)), "nodes"),
        (MoveGeometry(0, (3.4e38, 0, 0)), ""),
        (MoveVertices(RowChoice("52"), (1, 0, 0)), "positions[52]"),
    ],
)
def test_what_cannot_be_moved_is_refused(change: Change, place: str) -> None:
    builder = ModelBuilder.of(SCENE)
    builder.positions[0, 0] = 3e38
    draft = Draft(by_id("msh"), builder.build())
    with pytest.raises(EditError) as refused:
        change.apply(draft)
    assert str(refused.value).startswith(place or "positions[0].position")
    assert draft.splices == ()


@pytest.mark.parametrize(
    "matrix",
    [
        (1.0,) * 15,
        (*scaled(1, 1, 1)[:15], 2),
        scaled(0, 1, 1),
        scaled(float("nan"), 1, 1),
    ],
)
def test_an_unusable_matrix_is_refused(matrix: tuple[float, ...]) -> None:
    with pytest.raises(UsageError):
        planned(TransformGeometry(0, matrix))


def test_a_moved_model_has_no_new_findings() -> None:
    made = planned(
        TransformGeometry(0, QUARTER), MoveGeometry(1, (5, 0, 0)), wanted=frozenset({Topic.HEADER})
    )
    assert check_model(Model.read(made.after)) == check_model(Model.read(DATA))


@pytest.mark.parametrize(
    "what",
    [
        DerivedData.BOUNDS,
        DerivedData.HEADER,
        DerivedData.NORMALS,
        DerivedData.LINKS,
        DerivedData.ALL,
        DerivedData.VERTEX_COUNTS,
    ],
)
def test_what_is_right_is_not_recomputed(what: DerivedData) -> None:
    assert planned(Recompute(what)).splices == ()


def test_what_is_wrong_is_recomputed() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.slots["aabb_max"][0] = np.nan
    builder.header["hull"] = 0
    builder.triangles["normal"][3] = 0
    builder.triangles["links"][5] = 7000
    builder.normals[8] = (0, 0, 0, 9)
    builder.batches["opaque14"] = 0
    made = planned(Recompute(DerivedData.ALL), Recompute(DerivedData.VERTEX_COUNTS), data=builder.build())
    builder = ModelBuilder.of(SCENE)
    builder.normals[8, 3] = 9
    assert bytes(made.after) == builder.build()
