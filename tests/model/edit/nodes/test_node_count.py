"""Nodes added, removed and reordered, with names, tracks and whatever refers to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box
from tests.model.edit.drafts import corpus_models, draft_of, edited, planned
from tests.model.edit.nodes.golden import animation, poses, times_of
from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.msh.batches import FLAG_PORTAL
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_LINK, PATH_NODE
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH
from viewer.formats.record import Rows
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode, ReorderNodes, SetParent
from viewer.model.edit.nodes.node_edit import ReferencedError
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading import FIELD
from viewer.model.mesh.reading_choices import ReadingChoice

SCENE = (
    Node("hull", shapes={(0, 0): [box()]}, keys=[Key(0), Key(3, (1, 0, 0))]),
    Node("turret", parent=0, shapes={(0, 0): [box()]}, keys=[Key(0, (0, 0, 2))]),
    Node("gun", parent=1, shapes={(0, 0): [box()]}, keys=[Key(0, (0, 5, 0)), Key(2, (0, 6, 0))]),
    Node("foot", parent=0, keys=[Key(0, (0, 0, -2))]),
)
SEED_MODEL = ModelBuilder.of(SCENE).build()
FIELD_MODEL = ModelBuilder.of(SCENE, FIELD).build()
BOTH = [(SEED_MODEL, ReadingChoice.SEED), (FIELD_MODEL, ReadingChoice.FIELD)]
TIMES = [-1, 0, 0.5, 1, 1.5, 2, 2.75, 3, 4, 9]


def names(model: Model, reading: ReadingChoice) -> tuple[str, ...]:
    return model.node_names(from_records=reading is ReadingChoice.FIELD)


def order_of(reading: ReadingChoice) -> QuaternionOrder:
    return QuaternionOrder.WXYZ if reading is ReadingChoice.FIELD else QuaternionOrder.XYZW


@pytest.mark.parametrize(("data", "reading"), BOTH)
def test_a_node_is_added_at_its_parent(data: bytes, reading: ReadingChoice) -> None:
    model = edited(data, AddNode("lamp", "turret"), reading=reading)
    assert names(model, reading) == ("hull", "turret", "gun", "foot", "lamp")
    assert model.nodes["parent"].tolist() == [NONE, 0, 1, 0, 1]
    assert (model.nodes["slots"][4] == NONE).all()
    assert times_of(model) == [[0, 3], [0], [0, 2], [0], [0]]
    old, new = (poses(it, TIMES, order_of(reading)) for it in (Model.read(data), model))
    assert np.array_equal(new[:, :4], old)
    assert np.array_equal(new[:, 4], old[:, 1])


def test_a_node_after_the_last_leaves_all_rows_as_they_are() -> None:
    made = planned(SEED_MODEL, AddNode("lamp", 1))
    added = 38 + 24 + 4 + len("lamp") + 1 + NAME_SIZE
    tables = len(Model.read(SEED_MODEL).archive.entries)
    assert splice.total(made.splices) <= added + 8 * 4 + 4 * (tables + 4) + 4
    assert not made.notes


@pytest.mark.parametrize(("data", "reading"), BOTH)
def test_a_node_is_added_between_others(data: bytes, reading: ReadingChoice) -> None:
    made = planned(data, AddNode("", "hull", 1), reading=reading)
    model = Model.read(made.after)
    assert names(model, reading) == ("hull", "", "turret", "gun", "foot")
    assert model.nodes["parent"].tolist() == [NONE, 0, 0, 2, 0]
    assert times_of(model) == [[0, 3], [0], [0], [0, 2], [0]]
    old, new = (poses(it, TIMES, order_of(reading)) for it in (Model.read(data), model))
    assert np.array_equal(new[:, [0, 2, 3, 4]], old)
    assert len(made.notes) == 1
    assert bytes(edited(bytes(made.after), RemoveNode(1), reading=reading).archive.data) == data


@pytest.mark.parametrize(("data", "reading"), BOTH)
def test_a_removed_node_leaves_its_children_where_they_are(data: bytes, reading: ReadingChoice) -> None:
    order = order_of(reading)
    old = poses(Model.read(data), TIMES, order)
    for node, left in (("turret", [0, 2, 3]), ("hull", [1, 2, 3]), ("foot", [0, 1, 2])):
        model = edited(data, RemoveNode(node), reading=reading)
        assert names(model, reading) == tuple(SCENE[it].name for it in left)
        assert poses(model, TIMES, order) == pytest.approx(old[:, left], abs=1e-3)
    assert edited(data, RemoveNode("turret"), reading=reading).nodes["parent"].tolist() == [NONE, 0, 0]
    assert len(edited(data, RemoveNode("turret"), reading=reading).slots) == 3


def test_a_node_goes_with_all_that_is_under_it() -> None:
    model = edited(SEED_MODEL, RemoveNode("turret", with_children=True))
    assert model.strings == (b"hull", b"foot")
    assert times_of(model) == [[0, 3], [0]]
    assert model.nodes["parent"].tolist() == [NONE, 0]


@pytest.mark.parametrize(("data", "reading"), BOTH)
def test_nodes_are_reordered(data: bytes, reading: ReadingChoice) -> None:
    order = (0, 3, 1, 2)
    made = planned(data, ReorderNodes(order), reading=reading)
    model = Model.read(made.after)
    assert names(model, reading) == ("hull", "foot", "turret", "gun")
    assert model.nodes["parent"].tolist() == [NONE, 0, 0, 2]
    old, new = (poses(it, TIMES, order_of(reading)) for it in (Model.read(data), model))
    assert np.array_equal(new, old[:, order])
    back = tuple(np.argsort(order).tolist())
    assert bytes(edited(bytes(made.after), ReorderNodes(back), reading=reading).archive.data) == data
    assert planned(data, ReorderNodes((0, 1, 2, 3)), reading=reading).splices == ()


@pytest.mark.parametrize(("data", "reading"), BOTH)
@pytest.mark.parametrize(
    ("node", "parent"), [("foot", "gun"), ("gun", "foot"), ("turret", None), ("gun", "hull")]
)
def test_a_node_keeps_its_pose_under_another_parent(
    data: bytes, reading: ReadingChoice, node: str, parent: str | None
) -> None:
    order = order_of(reading)
    model = edited(data, SetParent(node, parent, keeps_pose=True, reorders=True), reading=reading)
    known = [names(model, reading).index(it.name) for it in SCENE]
    old, new = (poses(it, TIMES, order) for it in (Model.read(data), model))
    assert new[:, known] == pytest.approx(old, abs=2e-3)
    index = names(model, reading).index(node)
    found = Skeleton(model).parents[index]
    assert (None if found < 0 else names(model, reading)[found]) == parent
    assert (Skeleton(model).parents < np.arange(4)).all()


def test_a_bend_of_the_motion_gets_keys() -> None:
    turning = [Key(0), Key(8, (0, 0, 0), (0.0, 0.0, 0.0, 1.0))]
    scene = [Node("hub", keys=turning), Node("rim", parent=0, keys=[Key(0, (10, 0, 0))]), Node("base")]
    data = ModelBuilder.of(scene).build()
    model = edited(data, SetParent("rim", None, keeps_pose=True))
    assert times_of(model)[1] == [*range(9)]
    times = np.linspace(0, 8, 17)
    old, new = (poses(it, [*range(9)], QuaternionOrder.XYZW) for it in (Model.read(data), model))
    assert new == pytest.approx(old, abs=1e-3)
    old, new = (poses(it, times.tolist(), QuaternionOrder.XYZW) for it in (Model.read(data), model))
    assert np.abs(new - old).max() < 10 * (1 - np.cos(np.pi / 16)) + 1e-3
    assert model.frame_count == 9


def test_whatever_refers_to_a_node_gets_its_new_number() -> None:
    builder = ModelBuilder.of(SCENE, FIELD)
    builder.batches["flags"][1] = FLAG_PORTAL
    builder.batches["opaque6"] = (2, 3, NONE)
    builder.batches["opaque4"] = 0xFF01
    points, links, probes = PATH_NODE.new(2), PATH_LINK.new(1), LIGHT_PROBE.new(2)
    points["node"], probes["node"] = (0, 3), (2, 3)
    links["end"] = 1
    builder.tables[PATH_GRAPH] = points.tobytes() + links.tobytes()
    builder.attributes[PATH_GRAPH] = (2, 1, 0)
    builder.tables[LIGHT_PROBES] = probes.tobytes()
    data = builder.build()
    model = edited(data, RemoveNode("turret"))
    assert model.batches["opaque6"].tolist() == [2, 2, NONE]
    assert PATH_NODE.view(model.payload(PATH_GRAPH), count=2)["node"].tolist() == [0, 2]
    assert rows(model)["node"].tolist() == [1, 2]
    with pytest.raises(ReferencedError) as refused:
        edited(data, RemoveNode("foot"))
    assert [it.words for it in refused.value.references] == [
        "batches[1].opaque6",
        "path_graph[1].node",
        "light_probes[1].node",
    ]
    cleared = edited(data, RemoveNode("foot", clears_references=True))
    assert cleared.batches["opaque6"].tolist() == [2, NONE, NONE]
    assert PATH_NODE.view(cleared.payload(PATH_GRAPH), count=2)["node"].tolist() == [0, 0xFFFFFFFF]
    assert rows(cleared)["node"].tolist() == [2, -1]
    again = edited(bytes(cleared.archive.data), RemoveNode("turret", clears_references=True))
    assert rows(again)["node"].tolist() == [1, -1]
    probes["node"] = 99, 3
    builder.tables[LIGHT_PROBES] = probes.tobytes()
    assert rows(edited(builder.build(), RemoveNode("turret")))["node"].tolist() == [99, 3]


def rows(model: Model) -> Rows:
    return model.rows(LIGHT_PROBES)


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        (AddNode("x" * 32), "name_records[4].name", "at most 31"),
        (AddNode("x", 1, 1), "nodes[1].parent", "its parent 1 would come after it"),
        (AddNode("x", None, 9), "nodes[9]", "0..4"),
        (AddNode("x", "wheel"), "nodes", "no node is named"),
        (RemoveNode(0, with_children=True), "nodes[0]", "a model needs a node"),
        (ReorderNodes((0, 2, 1, 3)), "nodes[2].parent", "its parent 1 would come after it"),
        (ReorderNodes((0, 1, 2)), "nodes", "each of the 4 nodes once"),
        (ReorderNodes((0, 1, 2, 2)), "nodes", "each of the 4 nodes once"),
        (SetParent("turret", "foot"), "nodes[1].parent", "comes after it"),
        (SetParent("hull", "gun", reorders=True), "nodes[0].parent", "is under it"),
    ],
)
def test_what_nodes_cannot_be_is_refused(change: Change, place: str, reason: str) -> None:
    draft = draft_of(FIELD_MODEL)
    with pytest.raises(EditError) as refused:
        change.apply(draft)
    assert refused.value.where == place
    assert reason in refused.value.message
    assert bytes(draft.data) == FIELD_MODEL


def test_a_model_without_keys_has_nodes_all_the_same() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.missing = {8, 19}
    model = edited(builder.build(), AddNode("lamp", "gun"), RemoveNode("turret"))
    assert model.strings == (b"hull", b"gun", b"foot", b"lamp")
    assert model.nodes["parent"].tolist() == [NONE, 0, 0, 1]


def test_nodes_of_the_corpora_come_and_go(files: Path) -> None:
    """A node added in the middle and removed again gives the same bytes; one removed moves no other."""
    for corpus in ["seed", "field"]:
        reading = ReadingChoice(corpus)
        order = order_of(reading)
        for key, data in corpus_models(files, corpus):
            before = Model.read(data)
            count = len(before.nodes)
            middle = count // 2
            more = edited(data, AddNode("x", None, middle), reading=reading)
            times = np.linspace(-1, before.frame_count + 1, 7).round().tolist()
            old, new = (poses(it, times, order) for it in (before, more))
            assert np.array_equal(np.delete(new, middle, 1), old), key
            again = edited(bytes(more.archive.data), RemoveNode(middle), reading=reading)
            assert bytes(again.archive.data) == data, key
            referred = {node for type_id in (LIGHT_PROBES, PATH_GRAPH) for node in nodes_of(before, type_id)}
            referred |= {*before.batches["opaque6"][before.batches["flags"] & FLAG_PORTAL != 0].tolist()}
            if count == 1 or middle in referred:
                continue
            less = edited(data, RemoveNode(middle), reading=reading)
            kept = np.delete(old, middle, 1)
            assert np.abs(poses(less, times, order) - kept).max() < 2e-3 * max(1, np.abs(kept).max()), key


def nodes_of(model: Model, type_id: int) -> set[int]:
    """The nodes that light probes or points of the path graph refer to."""
    if not model.has(type_id):
        return set()
    if type_id == LIGHT_PROBES:
        return {*model.rows(type_id)["node"].tolist()}
    index = model.archive.find_type(type_id)
    count = 0 if index is None else model.archive.entry(index).attr1
    data = model.payload(type_id)
    return {*PATH_NODE.view(data, count=min(count, len(data) // PATH_NODE.size))["node"].tolist()}


def test_a_track_that_does_not_move_has_no_more_keys() -> None:
    assert len(edited(SEED_MODEL, SetParent("gun", "hull", keeps_pose=True)).keys) == 6
    assert animation(Model.read(SEED_MODEL)).frame_count == 4
