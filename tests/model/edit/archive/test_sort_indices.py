"""Sort indices follow from names that are set by hand."""

from __future__ import annotations

from viewer.formats.archive.nres import Archive, NewEntry, build, sort_order
from viewer.model.edit.archive.sort_indices import RecomputeSortIndices
from viewer.model.edit.change import Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.edit.row_choice import RowChoice
from viewer.model.edit.set_field import SetField
from viewer.model.kinds.registry import ARCHIVE

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
    mended = plan(Draft(ARCHIVE, broken), [RENAMED], wanted=[Topic.ORDER])
    assert sort_indices(mended.after) == sort_order([b"x", b"b", b"c"])
    assert plan(Draft(ARCHIVE, broken), [RecomputeSortIndices()]).after == DATA
