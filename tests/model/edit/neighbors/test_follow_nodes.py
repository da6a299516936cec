"""Control points, controllers and node damage follow the nodes of the model next to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.model.edit.drafts import draft_of
from viewer.errors import UsageError
from viewer.formats import splice
from viewer.formats.neighbors import control, control_points, damage
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.lift import lifted, lifted_together
from viewer.model.edit.neighbors import following
from viewer.model.edit.neighbors.follow_nodes import FollowNodes
from viewer.model.edit.neighbors.following import together
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode, ReorderNodes
from viewer.model.edit.nodes.references import ReferencedError
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.plan import Plan, plan
from viewer.model.kinds.registry import by_id, promised_kind
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

ARCHIVE = Path(__file__).parents[4] / "assets" / "game" / "models.rlb"
WALKER = Address(ARCHIVE, ("walker.msh",))
LIBRARY = FileStore()


def neighbor(suffix: str, archive: Path = ARCHIVE) -> memoryview:
    return memoryview(FileStore().open(Address(archive, (f"walker.{suffix}",))).data)


def drafts(address: Address) -> Draft:
    item = LIBRARY.open(address)
    return Draft(promised_kind(item), item.data)


def planned(*changes: Change) -> tuple[Plan, dict[str, bytes]]:
    """The plan of changes of the model, and the payloads next to it that follow, by their suffix."""
    made = plan(draft_of(LIBRARY.open(WALKER).data), changes)
    found = together(LIBRARY, WALKER, made, drafts).payloads[1:]
    assert all(it.topics in ((Topic.REFERENCES,), (Topic.ATTRIBUTES,)) for _, it in found)
    return made, {a.name.rpartition(".")[2]: bytes(it.after) for a, it in found if a != WALKER.parent}


def names() -> tuple[str, ...]:
    return Model.read(LIBRARY.open(WALKER).data).node_names(from_records=True)


def test_later_nodes_get_their_numbers_everywhere() -> None:
    _, found = planned(AddNode("lamp", 3, 10))
    points = control_points.decode(found["cpt"]).points["nodes"].tolist()
    old = control_points.decode(neighbor("cpt")).points["nodes"].tolist()
    assert points == [[node + (node >= 10) for node in pair] for pair in old]
    channels = control.decode(found["ctl"]).channels["node"].tolist()
    before = control.decode(neighbor("ctl")).channels["node"].tolist()
    assert channels == [node + (node >= 10) for node in before]
    rows = damage.decode(found["ndp"]).rows
    assert len(rows) == len(names()) + 1
    stored = damage.decode(neighbor("ndp")).rows
    assert [*rows[:10], *rows[11:]] == [*stored]


def test_a_node_after_the_last_only_has_a_row_of_damage_of_its_own() -> None:
    _, found = planned(AddNode("lamp", 3))
    assert found.keys() == {"ndp"}
    assert planned(RenameNode(3, "lamp"))[1] == {}


def test_several_changes_are_followed_at_once() -> None:
    order = (*range(37), 38, 37)
    made, found = planned(AddNode("lamp", 3, 10), RemoveNode(4), RemoveNode("lamp"))
    assert made.node_order == tuple(node for node in range(len(names())) if node != 4)
    assert len(damage.decode(found["ndp"]).rows) == len(names()) - 1
    _, found = planned(ReorderNodes(order))
    assert found.keys() <= {"ndp"}
    assert planned(ReorderNodes(order), ReorderNodes(order))[1] == {}


def test_a_removed_node_that_something_refers_to_is_refused_with_all_that_does() -> None:
    removed = (RemoveNode("CP_walker"), RemoveNode("barrels_l"), RemoveNode("turret"))
    with pytest.raises(ReferencedError) as refused:
        following.planned(LIBRARY, WALKER, removed, drafts)
    assert [(names()[it.node], it.words) for it in refused.value.references] == [
        ("CP_walker", "walker.cpt points[3].nodes (CameraCenter)"),
        ("CP_walker", "walker.cpt points[3].nodes (CameraCenter)"),
        ("barrels_l", "walker.cpt points[4].nodes (Muzzle_l)"),
        ("barrels_l", "walker.cpt points[4].nodes (Muzzle_l)"),
        ("turret", "walker.ctl channels[0].node"),
        ("barrels_l", "walker.ctl channels[3].node"),
    ]
    assert "turret (walker.ctl channels[0].node)" in refused.value.message
    assert "CP_walker (walker.cpt points[3].nodes (CameraCenter))" in refused.value.message


def test_references_to_removed_nodes_are_cleared_on_request() -> None:
    removed = following.clearing((RemoveNode("CP_walker"), RemoveNode("turret"), RenameNode("eye", "lens")))
    _, found = planned(*removed)
    points = control_points.decode(found["cpt"]).points["nodes"].tolist()
    assert points == [[0, 0], [20, 20], [29, 29], [-1, -1], [10, 10], [12, 12]]
    before, after = (control.decode(it).channels["node"].tolist() for it in (neighbor("ctl"), found["ctl"]))
    assert after == [-1 if node == 5 else node - (node > 5) for node in before]


def test_all_that_refers_to_nodes_next_to_a_model_is_found() -> None:
    references = [*following.node_references(LIBRARY, WALKER)]
    assert {it.payload for it in references} == {"walker.cpt", "walker.ctl"}
    assert {it.name for it in references if it.node == 36} == {"CameraCenter"}


@pytest.mark.parametrize("wrong", [(-1, ()), (1 << 64, ()), (2, (2, 0)), (2, (-1,)), (0, (None,) * 0x10000)])
def test_what_is_no_order_of_nodes_is_refused(wrong: tuple[int, tuple[int | None, ...]]) -> None:
    with pytest.raises(UsageError):
        FollowNodes(*wrong).apply(Draft(by_id("control"), neighbor("ctl")))


def test_numbers_that_are_no_nodes_and_damage_of_other_nodes_stay() -> None:
    with pytest.raises(UsageError, match="does not number the nodes"):
        plan(draft_of(LIBRARY.open(WALKER).data), [FollowNodes(3, (0, 2, 1))])
    few = FollowNodes(3, (0, 2, 1))
    draft = Draft(by_id("control_points"), neighbor("cpt"))
    assert plan(draft, [few]).splices == ()
    assert plan(Draft(by_id("damage"), neighbor("ndp")), [few]).splices == ()
    made, _ = planned(AddNode("", None, 0))
    assert made.node_order is not None
    assert FollowNodes(made.node_count, made.node_order).order[:2] == (None, 0)


def test_the_archive_gets_all_of_them_in_one_step(tmp_path: Path) -> None:
    made, found = planned(AddNode("lamp", 3, 10))
    splices = together(LIBRARY, WALKER, made, drafts).splices
    data = ARCHIVE.read_bytes()
    after = splice.applied(data, splices)
    assert splice.applied(after, splice.reverse(splices)) == data
    path = tmp_path / "models.rlb"
    path.write_bytes(after)
    for suffix, payload in {**found, "msh": bytes(made.after)}.items():
        assert bytes(neighbor(suffix, path)) == payload
    assert bytes(neighbor("wea", path)) == bytes(neighbor("wea"))
    alone = lifted_together(LIBRARY, [(WALKER, made.splices), (WALKER, ())])
    assert alone == lifted(LIBRARY, WALKER, made.splices)
