"""Control points, controllers and node damage follow the nodes of the model next to them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.model.edit.drafts import draft_of
from tests.model.edit.neighbors.steps import GAME, MODELS, Edited, edited, payload, step_of
from tests.share import examples
from tests.terrains import terrain
from viewer.errors import EditError, UsageError
from viewer.formats import objects, splice, wear
from viewer.formats.archive.nres import Archive
from viewer.formats.msh.tables import BATCHES
from viewer.formats.neighbors import control, control_points, damage
from viewer.formats.wear import MAX_ROWS
from viewer.model.checks.animation import nodes_in_model
from viewer.model.edit.archive.entries import AddEntry, DescribeEntry, RemoveEntry, RenameEntry
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.neighbors import following
from viewer.model.edit.neighbors.follow_nodes import FollowNodes, FollowWear
from viewer.model.edit.neighbors.following import together
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode, ReorderNodes
from viewer.model.edit.nodes.node_edit import ReferencedError
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.nodes.track_edit import Retime
from viewer.model.edit.plan import Plan, lifted, lifted_together, plan
from viewer.model.edit.rows.row_changes import AddRows, MoveRows, RemoveRows
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id, promised_kind
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import material_field, wear_rows_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.editing import clearing, plan_edit

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
    assert made.moves.nodes is not None
    assert made.moves.nodes.order == tuple(node for node in range(len(names())) if node != 4)
    assert len(damage.decode(found["ndp"]).rows) == len(names()) - 1
    _, found = planned(ReorderNodes(order))
    assert found.keys() <= {"ndp"}
    assert planned(ReorderNodes(order), ReorderNodes(order))[1] == {}


def test_a_removed_node_that_something_refers_to_is_refused_with_all_that_does() -> None:
    removed = (RemoveNode("CP_walker"), RemoveNode("barrels_l"), RemoveNode("turret"))
    with pytest.raises(ReferencedError) as refused:
        plan_edit(LIBRARY, WALKER, removed)
    assert [(names()[it.node], it.words) for it in refused.value.references] == [
        ("CP_walker", "walker.cpt points[3].nodes (CameraCenter)"),
        ("CP_walker", "walker.cpt points[3].nodes (CameraCenter)"),
        ("barrels_l", "walker.cpt points[4].nodes (Muzzle_l)"),
        ("barrels_l", "walker.cpt points[4].nodes (Muzzle_l)"),
        ("barrels_l", "walker.cpt points[6].nodes (Flash_l)"),
        ("barrels_l", "walker.cpt points[6].nodes (Flash_l)"),
        ("turret", "walker.ctl channels[0].node"),
        ("barrels_l", "walker.ctl channels[3].node"),
    ]
    assert "turret (walker.ctl channels[0].node)" in refused.value.message
    assert "CP_walker (walker.cpt points[3].nodes (CameraCenter))" in refused.value.message


def test_references_to_removed_nodes_are_cleared_on_request() -> None:
    removed = clearing((RemoveNode("CP_walker"), RemoveNode("turret"), RenameNode("eye", "lens")))
    _, found = planned(*removed)
    before, after = (
        control_points.decode(it).points["nodes"].tolist() for it in (neighbor("cpt"), found["cpt"])
    )
    assert before[:6] == [[0, 0], [21, 21], [30, 30], [36, 36], [11, 11], [13, 13]]
    assert after[:6] == [[0, 0], [20, 20], [29, 29], [-1, -1], [10, 10], [12, 12]]
    gone = (5, 36)
    assert after == [
        [-1 if it in gone else it - sum(it > old for old in gone) for it in pair] for pair in before
    ]
    before, after = (control.decode(it).channels["node"].tolist() for it in (neighbor("ctl"), found["ctl"]))
    assert after == [-1 if node == 5 else node - (node > 5) for node in before]
    flags = [control.decode(it).channels["flags"].tolist() for it in (neighbor("ctl"), found["ctl"])]
    assert flags[1] == [flags[0][0] | 0x04, *flags[0][1:]], "nothing drives a channel of no node"
    assert nodes_in_model(control.decode(found["ctl"]), len(names())) == [], "and nothing is wrong with it"


def test_all_that_refers_to_nodes_next_to_a_model_is_found() -> None:
    references = [*following.node_references(LIBRARY, LIBRARY.open(WALKER))]
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
    made, found = planned(AddNode("", None, 0))
    points, old = (control_points.decode(it).points["nodes"] for it in (found["cpt"], neighbor("cpt")))
    assert 0 in old
    assert points.tolist() == np.where(old >= 0, old + 1, old).tolist(), "the first node is a node too"
    assert made.moves.nodes is not None
    assert made.moves.nodes.order[:2] == (None, 0)


def test_the_archive_gets_all_of_them_in_one_step(tmp_path: Path) -> None:
    made, found = planned(AddNode("lamp", 3, 10))
    splices = together(LIBRARY, WALKER, made, drafts).splices
    data = ARCHIVE.read_bytes()
    after = splice.applied(data, splices)
    assert splice.applied(after, splice.reverse(splices)) == data
    path = tmp_path / "models.rlb"
    path.write_bytes(after)
    for suffix, data in {**found, "msh": bytes(made.after)}.items():
        assert bytes(neighbor(suffix, path)) == data
    assert bytes(neighbor("wea", path)) == bytes(neighbor("wea"))
    alone = lifted_together(LIBRARY, [(WALKER, made.splices), (WALKER, ())])
    assert alone == lifted(LIBRARY, WALKER, made.splices)


Names = list[bytes]


def names_of(data: memoryview) -> Names:
    return [row.name for row in wear.decode(data).materials]


def rows_of(archive: Archive, stem: str) -> list[int]:
    """The wear row of each batch of a model."""
    batches = Model.read(payload(archive, f"{stem}.msh")).batches
    field = material_field(batches, len(names_of(payload(archive, f"{stem}.wea"))))
    found: list[int] = wear_rows_of(batches, field).tolist()
    return found


def shown(archive: Archive, stem: str) -> Names:
    """The material of each batch of a model."""
    names = names_of(payload(archive, f"{stem}.wea"))
    return [names[row] for row in rows_of(archive, stem)]


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with a model that uses rows 0, 2 and 3 of its wear table."""
    shapes = [box(material=row) for row in (2, 0, 3, 2)]
    data = ModelBuilder.of([Node("hull", shapes={(0, 0): shapes})]).build()
    rows = b"".join(b"%d M%d\r\n" % (row, row) for row in range(5))
    path = tmp_path_factory.mktemp("crate") / "crate.rlb"
    path.write_bytes(archive_of({"crate.msh": data, "crate.wea": b"5\r\n" + rows}))
    return path


def removed(*rows: int) -> RemoveRows:
    return RemoveRows("materials", RowChoice.of(*rows))


def test_later_rows_are_renumbered_in_the_field_in_effect(crate: Path) -> None:
    made = edited(crate, "crate.wea", removed(1))
    assert made.changed == {"crate.wea", "crate.msh"}
    assert made.step.topics == (Topic.REFERENCES,)
    assert Model.read(made.payload("crate.msh")).batches["material"].tolist() == [1, 0, 2, 1]
    moved = edited(MODELS, "walker.wea", MoveRows("materials", RowChoice("3"), 0))
    old, new = (Model.read(payload(it, "walker.msh")).batches for it in (moved.before, moved.after))
    assert (old["opaque4"] >> 8 == new["opaque4"] >> 8).all()
    assert shown(moved.after, "walker") == shown(moved.before, "walker")
    assert moved.changed == {"walker.wea", "walker.msh"}


def test_a_removed_row_that_batches_use_is_refused_with_their_numbers(crate: Path) -> None:
    with pytest.raises(EditError, match=r"crate\.msh: batches\[0\]\.material: row 2 .* removed row: 0,2,3$"):
        edited(crate, "crate.wea", removed(2, 3))
    made = edited(crate, "crate.wea", removed(2, 3), declined=[Topic.REFERENCES])
    assert made.changed == {"crate.wea"}
    assert made.step.topics == ()


def test_nothing_follows_rows_that_nobody_uses(crate: Path) -> None:
    assert edited(crate, "crate.wea", removed(4)).changed == {"crate.wea"}
    assert edited(crate, "crate.wea", AddRows("materials")).changed == {"crate.wea"}
    assert edited(crate, "crate.wea", AddRows("lightmaps")).changed == {"crate.wea"}


def test_a_number_that_the_field_cannot_hold_and_a_change_of_the_field_are_refused() -> None:
    with pytest.raises(EditError, match=r"batches\[\d+\]\.opaque4: .* exceeds 0\.\.255"):
        edited(MODELS, "walker.wea", AddRows("materials", 0, 256))
    data = ModelBuilder.of([Node("hull", shapes={(0, 0): [box(material=1)]})]).build()
    draft = draft_of(data)
    batches = draft.model.batches.copy()
    batches["opaque4"] = 3
    index = draft.model.archive.find_type(BATCHES)
    assert index is not None
    draft.write(draft.model.archive.entry(index).offset, batches.tobytes())
    with pytest.raises(EditError, match="another field would be read"):
        FollowWear(5, (1, 0, 2, 3, 4)).apply(draft_of(bytes(draft.data)))
    with pytest.raises(UsageError, match="is not a model"):
        FollowWear(1, (0,)).apply(Draft(by_id("wear"), b"1\r\n0 M\r\n"))


def test_a_terrain_and_a_broken_model_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    for model in (b"NRes broken", terrain()):
        path.write_bytes(archive_of({"a.msh": model, "a.wea": b"2\r\n0 A\r\n1 B\r\n"}))
        made = edited(path, "a.wea", removed(0))
        assert (made.changed, made.step.notes) == ({"a.wea"}, ())


@pytest.mark.parametrize(
    ("count", "is_refused"), [(0, False), (MAX_ROWS, False), (-1, True), (MAX_ROWS + 1, True)]
)
def test_a_wear_table_may_have_no_row_and_as_many_as_it_can_hold(count: int, is_refused: bool) -> None:
    data = ModelBuilder.of([Node("hull")]).build()
    change = FollowWear(count, (*range(min(max(count, 0), MAX_ROWS)),))
    if is_refused:
        with pytest.raises(UsageError, match=f"{count} exceeds 0..{MAX_ROWS}"):
            change.apply(draft_of(data))
    else:
        draft = draft_of(data)
        change.apply(draft)
        assert bytes(draft.data) == data


def test_of_a_file_of_its_own_it_is_told(tmp_path: Path) -> None:
    data = ModelBuilder.of([Node("hull", shapes={(0, 0): [box(material=1)]})]).build()
    (tmp_path / "a.msh").write_bytes(data)
    (tmp_path / "a.wea").write_bytes(b"2\r\n0 A\r\n1 B\r\n")
    assert (
        step_of(tmp_path / "a.wea", "", removed(0)).notes[0].startswith("the batches of a.msh do not follow")
    )


ROWS = st.integers(0, 5)
CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.builds(removed, ROWS),
    st.builds(lambda row, to: MoveRows("materials", RowChoice.of(row), to), ROWS, st.none() | ROWS),
    st.builds(lambda at, count, like: AddRows("materials", at, count, like), ROWS, st.integers(1, 3), ROWS),
)


@pytest.mark.parametrize("stem", ["crate", "walker"])
def test_no_sequence_changes_what_a_batch_shows(crate: Path, stem: str) -> None:
    path = crate if stem == "crate" else MODELS

    @settings(max_examples=examples(60), database=None, deadline=None)
    @given(st.lists(CHANGES, min_size=1, max_size=4))
    def run(changes: list[Change]) -> None:
        try:
            alone = edited(path, f"{stem}.wea", *changes, declined=[Topic.REFERENCES])
        except EditError:
            return
        before = shown(alone.before, stem)
        try:
            made = edited(path, f"{stem}.wea", *changes)
        except EditError as error:
            refused.append((alone, error))
            return
        assert shown(made.after, stem) == before
        assert made.changed <= {f"{stem}.wea", f"{stem}.msh"}
        assert_only_selectors_changed(made, stem)

    refused: list[tuple[Edited, EditError]] = []
    run()
    for alone, error in refused:
        kept = alone.step.payloads[0][1].moves.orders["materials"].order
        assert "another field" in error.message or {*rows_of(alone.before, stem)} - {*kept}


def assert_only_selectors_changed(made: Edited, stem: str) -> None:
    old, new = (bytes(payload(it, f"{stem}.msh")) for it in (made.before, made.after))
    assert len(old) == len(new)
    archive = Model.read(old).archive
    index = archive.find_type(BATCHES)
    assert index is not None
    entry = archive.entry(index)
    at = np.flatnonzero(np.frombuffer(old, "u1") != np.frombuffer(new, "u1")) - entry.offset
    assert ((at >= 0) & (at < entry.size)).all()
    assert np.isin(at % 20, (2, 3, 4)).all()


@pytest.mark.parametrize(("entry", "table"), [("walker.ndp", "nodes"), ("walker.cpt", "points")])
def test_the_directory_follows_the_number_of_rows(entry: str, table: str) -> None:
    made = edited(MODELS, entry, AddRows(table, None, 2))
    assert made.changed == {entry}
    assert made.step.topics == (Topic.ATTRIBUTES,)
    index = made.before.find(entry.encode())
    assert index is not None
    assert made.after.entry(index).attr1 == made.before.entry(index).attr1 + 2
    removed = edited(MODELS, entry, RemoveRows(table, RowChoice("0")))
    assert removed.after.entry(index).attr1 == made.before.entry(index).attr1 - 1


def test_rings_are_counted_too() -> None:
    archives = {path: Archive.read(path.read_bytes()) for path in GAME.glob("*.rlb") if path.stem != "seed"}
    found = [(path, it) for path, held in archives.items() for it in held.entries if it.text.endswith(".bas")]
    assert found
    for path, entry in found:
        made = edited(path, entry.text, AddRows("outer", None, 1, 0))
        assert made.after.entry(entry.index).attr1 == entry.attr1 + 1


def test_a_number_that_was_another_stays(tmp_path: Path) -> None:
    path = tmp_path / "models.rlb"
    made = edited(MODELS, "", DescribeEntry("walker.ndp", attr1=7))
    path.write_bytes(made.after.data)
    index = made.after.find(b"walker.ndp")
    assert index is not None
    assert edited(path, "walker.ndp", AddRows("nodes")).after.entry(index).attr1 == 7
    declined = edited(MODELS, "walker.ndp", AddRows("nodes"), declined=[Topic.ATTRIBUTES])
    assert declined.after.entry(index).attr1 == made.before.entry(index).attr1


def test_the_directory_follows_rows_that_follow() -> None:
    made = edited(MODELS, "walker.msh", AddNode("lamp", 3))
    assert made.changed == {"walker.msh", "walker.ndp"}
    assert {*made.step.topics} == {Topic.REFERENCES, Topic.ATTRIBUTES}
    index = made.before.find(b"walker.ndp")
    assert index is not None
    assert made.after.entry(index).attr1 == made.before.entry(index).attr1 + 1


def test_what_the_registry_calls_by_an_old_name_is_told() -> None:
    (note,) = step_of(MODELS, "", RenameEntry("walker.msh", "runner.msh")).notes
    assert note == "objects.rlb still refers to walker.msh, walker.wea, walker.cpt and 2 more, in walker"
    assert step_of(MODELS, "", RemoveEntry("walker.ctl")).notes == (
        "objects.rlb still refers to walker.ctl, in walker",
    )
    assert step_of(MODELS, "", AddEntry("new.msh", b"")).notes == ()
    three = [RemoveEntry(f"walker.{suffix}") for suffix in ("ctl", "cpt", "wea")]
    (note,) = step_of(MODELS, "", *three).notes
    assert note == "objects.rlb still refers to walker.wea, walker.cpt, walker.ctl, in walker"
    declined = step_of(MODELS, "", RenameEntry("walker.msh", "runner.msh"), declined=[Topic.REFERENCES])
    assert declined.notes == ()


def test_without_a_registry_nothing_is_told(tmp_path: Path) -> None:
    shutil.copy(MODELS, tmp_path)
    rename = RenameEntry("walker.msh", "runner.msh")
    assert step_of(tmp_path / MODELS.name, "", rename).notes == ()
    (tmp_path / "objects.rlb").write_bytes(b"nothing")
    assert step_of(tmp_path / MODELS.name, "", rename).notes == ()


def test_the_controller_is_the_one_that_the_registry_names(tmp_path: Path) -> None:
    other = edited(MODELS, "", RenameEntry("walker.ctl", "legs.ctl"))
    path = tmp_path / MODELS.name
    path.write_bytes(other.after.data)
    change = Retime(0, 1000, 0, 2000)
    assert edited(path, "walker.msh", change).changed == {"walker.msh"}
    pairs = [(b"models.rlb", b"walker.msh"), (b"models.rlb", b"legs.ctl")]
    (tmp_path / "objects.rlb").write_bytes(archive_of({"walker": objects.build(pairs)}))
    assert edited(path, "walker.msh", change).changed == {"walker.msh", "legs.ctl"}


def test_a_controller_of_several_models_stays(tmp_path: Path) -> None:
    shutil.copy(MODELS, tmp_path)
    lists = {
        name: objects.build([(b"models.rlb", model), (b"models.rlb", b"walker.ctl")])
        for name, model in (("a", b"walker.msh"), ("b", b"crate.msh"))
    }
    (tmp_path / "objects.rlb").write_bytes(archive_of(lists))
    made = edited(tmp_path / MODELS.name, "walker.msh", Retime(0, 1000, 0, 2000))
    assert made.changed == {"walker.msh"}
    assert made.step.notes[0] == "walker.ctl does not follow: it moves crate.msh too"
    assert made.step.notes[1].startswith("clip stand of walker.ctl plays frames 0 to 12, which now show")


def test_a_neighbor_that_cannot_be_read_stays(tmp_path: Path) -> None:
    old = Archive.read(MODELS.read_bytes())
    files = {entry.text: bytes(old.payload(entry.index)) for entry in old.entries if "walker" in entry.text}
    path = tmp_path / "models.rlb"
    path.write_bytes(archive_of({**files, "walker.ctl": b"cut"}))
    made = edited(path, "walker.msh", Retime(0, 1000, 0, 2000))
    assert made.changed == {"walker.msh"}
    assert made.step.notes[0].startswith("walker.ctl does not follow: ")
