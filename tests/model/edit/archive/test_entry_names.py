"""What belongs to a model by its name follows when the model is renamed."""

from __future__ import annotations

from tests.builders import ModelBuilder, Node, archive_of, box
from viewer.formats.archive.nres import Archive, NewEntry, build, sort_order
from viewer.model.edit.archive.entries import AddEntry, RecomputeSortIndices, RemoveEntry, RenameEntry
from viewer.model.edit.change import Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import Plan, plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import ARCHIVE

MODEL = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})]).build()


def names(plan: Plan) -> list[str]:
    archive = Archive.read(plan.after)
    assert [it.sort_index for it in archive.entries] == sort_order([it.name for it in archive.entries])
    return [entry.text for entry in archive.entries]


def renamed(entries: list[str], *, is_declined: bool = False) -> Plan:
    data = archive_of({name: MODEL if name.endswith(".msh") else b"1\r\n0 M\r\n" for name in entries})
    declined = [Topic.REFERENCES] if is_declined else []
    return plan(Draft(ARCHIVE, data), [RenameEntry("walker.msh", "Runner.msh")], declined=declined)


def test_the_wear_table_and_the_controller_follow() -> None:
    made = renamed(["walker.msh", "b.wea", "WALKER.WEA", "walker.ctl", "walker.txt"])
    assert names(made) == ["Runner.msh", "b.wea", "Runner.WEA", "Runner.ctl", "walker.txt"]
    assert made.topics == (Topic.REFERENCES,)


def test_they_can_be_left() -> None:
    made = renamed(["walker.msh", "walker.wea"], is_declined=True)
    assert names(made) == ["Runner.msh", "walker.wea"]
    assert [it.change for it in made.offered] == [RenameEntry("walker.wea", "Runner.wea")]


def test_a_name_that_is_taken_is_not_given_twice() -> None:
    assert names(renamed(["walker.msh", "walker.wea", "runner.wea"])) == [
        "Runner.msh",
        "walker.wea",
        "runner.wea",
    ]


def test_they_follow_among_other_changes() -> None:
    data = archive_of({"a": b"x", "walker.msh": MODEL, "walker.wea": b"1\r\n0 M\r\n"})
    changes = RemoveEntry("a"), RenameEntry("walker.msh", "b.msh"), AddEntry("new", b"more", row=0)
    made = plan(Draft(ARCHIVE, data), changes)
    assert names(made) == ["new", "b.msh", "b.wea"]
    assert names(plan(Draft(ARCHIVE, data), [RemoveEntry("walker.msh")])) == ["a", "walker.wea"]


def test_a_name_that_was_set_in_the_directory_is_followed_too() -> None:
    data = archive_of({"walker.msh": MODEL, "walker.wea": b"1\r\n0 M\r\n"})
    made = plan(Draft(ARCHIVE, data), [SetField("directory", RowChoice("0"), "name", "a.msh")])
    assert names(made) == ["a.msh", "a.wea"]
    assert set(made.topics) == {Topic.REFERENCES}


DATA = build([NewEntry(1, b"1", b"a"), NewEntry(1, b"2", b"b"), NewEntry(1, b"3", b"c")])
RENAMED = SetField("directory", RowChoice("0"), "name", "x")


def sort_indices(data: memoryview | bytes) -> list[int]:
    return [entry.sort_index for entry in Archive.read(data).entries]


def test_they_follow_a_name() -> None:
    made = plan(Draft(ARCHIVE, DATA), [RENAMED])
    assert made.topics == (Topic.ORDER,)
    assert sort_indices(made.after) == sort_order([b"x", b"b", b"c"])


def test_they_can_be_declined() -> None:
    made = plan(Draft(ARCHIVE, DATA), [RENAMED], declined=[Topic.ORDER])
    assert sort_indices(made.after) == sort_indices(DATA)
    assert [it.topic for it in made.offered] == [Topic.ORDER]


def test_wrong_ones_stay_unless_asked_for() -> None:
    wrong = SetField("directory", RowChoice("2"), "sort_index", 7)
    broken = bytes(plan(Draft(ARCHIVE, DATA), [wrong]).after)
    assert sort_indices(plan(Draft(ARCHIVE, broken), [RENAMED]).after)[2] == 7
    repaired = plan(Draft(ARCHIVE, broken), [RENAMED], wanted=[Topic.ORDER])
    assert sort_indices(repaired.after) == sort_order([b"x", b"b", b"c"])
    assert plan(Draft(ARCHIVE, broken), [RecomputeSortIndices()]).after == DATA
