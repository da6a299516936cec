"""Triangles, slots, materials and vertices: what they change, what follows, and that nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box, quad
from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.msh.tables import NORMALS, TRIANGLES
from viewer.formats.msh.triangles import NONE
from viewer.model.checks.models import check_model
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry import measures
from viewer.model.edit.geometry.links import DerivedData, Recompute
from viewer.model.edit.geometry.move import FlipTriangles, MoveVertices, RemoveTriangles
from viewer.model.edit.geometry.slot_changes import (
    AddSlot,
    AssignMaterial,
    CopySlot,
    RemoveSlot,
    ReplaceMaterial,
)
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.edit.geometry.vertex_tables import RemoveUnusedVertices
from viewer.model.edit.nodes.node_count import SetCell
from viewer.model.edit.plan import Plan, plan
from viewer.model.edit.rows.row_changes import ReplaceRows
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD, SEED, Reading

SCENE = [
    Node("hull", shapes={(0, 0): [box(), box((1, 2, 3), center=(4, 0, 0), material=1)]}),
    Node("gun", 0, {(0, 0): [quad(material=2)], (1, 0): [quad(3)]}),
]
DATA = ModelBuilder.of(SCENE).build()


def planned(*changes: Change, data: bytes = DATA, **topics: frozenset[Topic]) -> Plan:
    made = plan(Draft(by_id("msh"), data), changes, **topics)
    assert splice.applied(made.after, splice.reverse(made.splices)) == data
    new = {(it.rule, it.severity) for it in check_model(Model.read(made.after))}
    assert new <= {("V27", "info")}
    return made


def edited(*changes: Change, data: bytes = DATA, **topics: frozenset[Topic]) -> Model:
    return Model.read(planned(*changes, data=data, **topics).after)


def corners(model: Model) -> list[list[bytes]]:
    """The positions of the corners of every triangle of every slot."""
    found = SlotTriangles.of(model)
    return [[point.tobytes() for point in points] for points in found.positions[found.corners]]


def test_a_flipped_triangle_turns_over_and_back() -> None:
    before, after = Model.read(DATA), edited(FlipTriangles((3,)))
    assert after.indices[9:12].tolist() == before.indices[[9, 11, 10]].tolist()
    assert after.tri_descriptors["normal"][3].tolist() == (-before.tri_descriptors["normal"][3]).tolist()
    assert (after.tri_descriptors["links"][3] == before.tri_descriptors["links"][3, ::-1]).all()
    assert (
        np.delete(after.tri_descriptors["normal"], 3, 0).tolist()
        == np.delete(before.tri_descriptors["normal"], 3, 0).tolist()
    )
    assert planned(Recompute(DerivedData.LINKS), data=bytes(after.archive.data)).splices == ()
    assert bytes(edited(FlipTriangles((3,)), FlipTriangles((3,))).archive.data) == DATA
    assert (
        bytes(edited(FlipTriangles(tuple(range(28))), FlipTriangles(tuple(range(28)))).archive.data) == DATA
    )


def test_removed_triangles_take_descriptors_with_them() -> None:
    before, after = Model.read(DATA), edited(RemoveTriangles((0, 5, 13)))
    gone = {0, 5, 13}
    assert corners(after) == [it for row, it in enumerate(corners(before)) if row not in gone]
    assert after.batches["index_count"].tolist() == [30, 33, 6, 6]
    assert after.batches["index_start"].tolist() == [0, 30, 63, 69]
    assert after.slots["tri_start"].tolist() == [0, 21, 23]
    assert after.slots["tri_count"].tolist() == [21, 2, 2]
    kept = [row for row in range(28) if row not in gone]
    assert (after.tri_descriptors["normal"] == before.tri_descriptors["normal"][kept]).all()
    for row, old in enumerate(kept):
        for link, was in zip(
            after.tri_descriptors["links"][row], before.tri_descriptors["links"][old], strict=True
        ):
            assert link == (NONE if was == NONE or was in gone else kept.index(was))
    assert planned(Recompute(DerivedData.LINKS), data=bytes(after.archive.data)).splices == ()
    assert after.positions.tobytes() == before.positions.tobytes()


def test_a_batch_can_become_empty_and_its_vertices_go_on_request() -> None:
    made = planned(RemoveTriangles((24, 25)))
    assert Topic.UNUSED_VERTICES in {offer.topic for offer in made.offered}
    after = edited(RemoveTriangles((24, 25)), wanted=frozenset({Topic.UNUSED_VERTICES}))
    before = Model.read(DATA)
    assert after.vertex_count == before.vertex_count - 4
    assert after.batches["base_vertex"].tolist() == [0, 24, 48, 48]
    assert corners(after) == corners(before)[:24] + corners(before)[26:]
    for table in (4, 5, 15):
        assert len(after.rows(table)) == after.vertex_count


def test_unused_vertices_between_used_ones_go() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(), quad(2)]})])
    builder.indices[:] = [1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 2, 3]
    data = builder.build()
    data = bytes(planned(Recompute(DerivedData.ALL), Recompute(DerivedData.VERTEX_COUNTS), data=data).after)
    before, after = Model.read(data), edited(RemoveUnusedVertices(), data=data)
    assert after.vertex_count == 6
    assert corners(after) == corners(before)
    assert (after.batches["opaque14"] == 3).all()
    assert planned(RemoveUnusedVertices()).splices == ()


def test_links_that_leave_a_copied_slot_have_no_edge() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.triangles["links"][:2] = len(builder.triangles) - 1, 1, 0xFFFF
    builder.triangles["selectors"][:2] = 0
    draft = Draft(by_id("msh"), builder.build())
    count, (first, size) = len(draft.model.tri_descriptors), draft.model.slots[["tri_start", "tri_count"]][0]
    CopySlot(0, has_own_geometry=True).apply(draft)
    copies = draft.model.tri_descriptors[count:]
    assert (first, len(copies)) == (0, size)
    assert copies["links"][:2].tolist() == [[NONE, count + 1, NONE]] * 2
    assert copies["selectors"][:2].tolist() == [0b110011] * 2


def test_a_slot_whose_ranges_do_not_exist_is_not_copied() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.slots["tri_start"][0] = len(builder.triangles) - 1
    with pytest.raises(EditError, match="exceeds"):
        CopySlot(0, has_own_geometry=True).apply(Draft(by_id("msh"), builder.build()))


def test_no_slot_is_added_that_no_cell_can_name() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.slots = np.repeat(builder.slots[:1], 0xFFFF)
    with pytest.raises(EditError, match="65536"):
        AddSlot().apply(Draft(by_id("msh"), builder.build()))


def test_everything_that_a_model_has_is_recomputed() -> None:
    """Normals are left out of one that has none; asked for by name they are refused."""
    builder = ModelBuilder.of(SCENE)
    builder.slots["aabb_max"] = 9
    builder.missing = {NORMALS}
    draft = Draft(by_id("msh"), builder.build())
    Recompute(DerivedData.ALL).apply(draft)
    assert (draft.model.slots["aabb_max"] == Model.read(DATA).slots["aabb_max"]).all()
    with pytest.raises(EditError, match="does not have this table"):
        Recompute(DerivedData.VERTEX_NORMALS).apply(draft)


def test_of_one_node_all_is_recomputed_and_of_others_nothing() -> None:
    """Its box and all its normals are right again; those of the other node stay as wrong as they were."""
    builder = ModelBuilder.of(
        [Node("hull", shapes={(0, 0): [box()]}), Node("gun", 0, shapes={(0, 0): [box()]})]
    )
    right = Model.read(builder.build())
    draft = Draft(by_id("msh"), builder.build())
    noise = np.random.default_rng(0).integers(-99, 99, (len(right.positions), 4), np.int8)  # no two are alike
    ReplaceRows("normals", RowChoice("*"), "normal", noise.tobytes()).apply(draft)
    SetField("tri_descriptors", RowChoice("*"), "normal", (1.0, 0.0, 0.0)).apply(draft)
    SetField("slots", RowChoice("*"), "aabb_max", (9, 9, 9)).apply(draft)
    wrong = draft.model
    Recompute(DerivedData.ALL, node="gun").apply(draft)
    made, half = draft.model, len(right.positions) // 2
    for table, first in ((NORMALS, half), (TRIANGLES, len(right.tri_descriptors) // 2)):
        normals = [it.rows(table)["normal"] for it in (right, wrong, made)]
        assert np.abs(normals[2][first:, :3].astype(int) - normals[0][first:, :3]).max() <= 4
        assert (normals[2][:first] == normals[1][:first]).all()
    assert made.slots["aabb_max"].tolist() == [[9, 9, 9], right.slots["aabb_max"][1].tolist()]
    assert made.header == wrong.header


def test_what_is_recomputed_is_named_exactly() -> None:
    draft = Draft(by_id("msh"), DATA)
    with pytest.raises(EditError, match="that of all nodes"):
        Recompute(DerivedData.HEADER, node=0).apply(draft)
    with pytest.raises(EditError, match="normals are of several tables; rows are of one"):
        Recompute(DerivedData.NORMALS, (0,)).apply(draft)
    with pytest.raises(EditError):
        Recompute(DerivedData.NORMALS, node="nobody").apply(draft)
    assert draft.data == DATA


def test_a_model_without_vertices_has_no_normals_to_recompute() -> None:
    data = ModelBuilder.of([Node("hull")]).build()
    draft = Draft(by_id("msh"), data)
    Recompute(DerivedData.VERTEX_NORMALS).apply(draft)
    assert draft.data == data


def test_vertices_at_0_and_minus_0_are_at_one_position() -> None:
    """They are smoothed together as they lie at one point, though their bytes differ."""
    points = np.array([[0, 0, 0], [-0.0, 0, -0.0], [0, 1, 0]], np.float32)
    assert measures._smoothing_groups(points, Model.read(DATA).rows(NORMALS)[[0, 0, 0]]).tolist() == [0, 0, 1]


@pytest.mark.parametrize("reading", [SEED, FIELD])
def test_materials_are_set_in_the_field_in_effect(reading: Reading) -> None:
    scene = [Node("a", shapes={(0, 0): [quad(material=1), quad(material=2), quad(material=1)]})]
    data = ModelBuilder.of(scene, reading).build()
    made = planned(AssignMaterial(RowChoice("1"), 7), data=data)
    assert splice.total(made.splices) == 1
    made = planned(ReplaceMaterial(1, 3), data=data)
    assert splice.total(made.splices) == 2
    name = "opaque4" if reading is FIELD else "material"
    assert (Model.read(made.after).batches[name] & 0xFF).tolist() == [3, 2, 3]
    assert (Model.read(made.after).batches[name] & 0xFF00 == Model.read(data).batches[name] & 0xFF00).all()
    limit = 256 if reading is FIELD else 65536
    for change in (
        AssignMaterial(RowChoice("0"), limit),
        AssignMaterial(RowChoice("0"), -1),
        ReplaceMaterial(9, 1),
    ):
        with pytest.raises(EditError):
            planned(change, data=data)


def test_a_material_that_the_wear_table_does_not_have_is_noted() -> None:
    data = ModelBuilder.of([Node(shapes={(0, 0): [quad(material=1)]})], FIELD).build()
    made = plan(Draft(by_id("msh"), data, wear_rows=3), [AssignMaterial(RowChoice("0"), 3)])
    assert [str(note) for note in made.notes] == ["the wear table has 3 rows"]


def test_a_material_that_would_change_the_reading_is_refused() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(material=1)]})])
    builder.batches["opaque4"] = 5
    with pytest.raises(EditError, match="choose the reading"):
        planned(AssignMaterial(RowChoice("*"), 0), data=builder.build())


def test_a_slot_goes_and_the_matrix_follows() -> None:
    before, after = Model.read(DATA), edited(RemoveSlot(1))
    assert len(after.slots) == 2
    assert bytes(after.slots[1:]) == bytes(before.slots[2:])
    assert after.nodes["slots"][1, :2, 0].tolist() == [0xFFFF, 1]
    assert after.nodes["slots"][0].tolist() == before.nodes["slots"][0].tolist()
    assert after.archive.entries[1].attr1 == 2


def test_a_copied_slot_shows_the_same() -> None:
    after = edited(CopySlot(0), SetCell(1, 2, 0, 3))
    assert bytes(after.slots[3:]) == bytes(after.slots[:1])
    assert len(edited(AddSlot()).slots) == 4


def test_a_slot_with_its_own_geometry_is_changed_alone() -> None:
    before = Model.read(DATA)
    made = planned(CopySlot(0, has_own_geometry=True), SetCell(1, 2, 0, 3))
    after = Model.read(made.after)
    assert corners(after) == corners(before) + corners(before)[:24]
    assert after.vertex_count == before.vertex_count + 48
    assert after.slots[["batch_start", "tri_start"]][3].tolist() == (4, 28)
    assert planned(Recompute(DerivedData.ALL), data=bytes(made.after)).splices == ()
    moved = edited(MoveVertices(RowChoice("56:"), (1, 0, 0)), data=bytes(made.after))
    assert corners(moved)[:28] == corners(before)
    assert moved.slots["aabb_min"][3, 0] == moved.slots["aabb_min"][0, 0] + 1


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (FlipTriangles((28,)), "triangles[28]"),
        (RemoveTriangles((0, 99)), "triangles[99]"),
        (RemoveTriangles((0, 1 << 64)), f"triangles[{1 << 64}]"),
        (RemoveSlot(3), "slots[3]"),
        (CopySlot(-1), "slots[-1]"),
    ],
)
def test_what_does_not_exist_is_refused(change: Change, place: str) -> None:
    with pytest.raises(EditError) as refused:
        planned(change)
    assert str(refused.value).startswith(place)


def test_triangles_that_share_single_indices_are_not_removed() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(), quad()]})])
    builder.batches["index_start"][1] = 1
    with pytest.raises(EditError, match="shares indices"):
        plan(Draft(by_id("msh"), builder.build()), [RemoveTriangles((1,))])
