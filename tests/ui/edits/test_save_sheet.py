"""What the sheet before saving says: ranges, marks in the strip, consequences, values."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.commands import calls
from viewer.formats.splice import Splice, Splices
from viewer.model.compare.differences import ChangeKind
from viewer.model.compare.edit_report import ChangedValue
from viewer.model.edit.change import Topic
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import Step
from viewer.session.edits.questions import SaveSheet
from viewer.ui.edits.save_window import (
    StepLine,
    decide_again,
    decided,
    growth_text,
    lines_of,
    runs,
    summary,
    values_text,
)
from viewer.ui.edits.value_list import RangeLines, change_text, entry_of, length_text, narrowed, spot_of

PATH = Path("a.rlb")
LONG = Splice(100, bytes(20), bytes(3))
RANGES: Splices = (Splice(4, b"ab", b"cd"), LONG, Splice(300, b"", b"xyz"))
STEP = Step(
    Address(PATH),
    "move",
    RANGES,
    topics=(Topic.BOUNDS, Topic.HEADER),
    declined=frozenset({Topic.NORMALS}),
    wanted=frozenset({Topic.HEADER}),
    offered=(Topic.NORMALS, Topic.LINKS),
)


def sheet(ranges: Splices = RANGES, target: Path = PATH) -> SaveSheet:
    return SaveSheet(PATH, target, (STEP,), 3, ranges, 400, 400 + sum(it.growth for it in ranges))


def test_lines_are_a_head_and_the_bytes_of_each_range() -> None:
    lines = RangeLines(RANGES, 8)
    assert [lines.line(number) for number in range(len(lines))] == [
        (0, None),
        (0, 0),
        (1, None),
        (1, 0),
        (1, 8),
        (1, 16),
        (2, None),
        (2, 0),
    ]
    assert [lines.nearest(offset) for offset in (0, 4, 99, 100, 399)] == [0, 0, 0, 2, 6]


def test_ranges_say_how_their_length_changes() -> None:
    assert [length_text(it) for it in (*RANGES, Splice(0, b"x", b""))] == [
        "2 bytes",
        "20 bytes become 3",
        "3 bytes inserted",
        "1 byte removed",
    ]


def test_the_summary_counts_what_changes() -> None:
    assert summary(sheet()) == "3 ranges, 25 bytes; everything else identical"
    assert growth_text(sheet()) == "14 bytes shorter"
    assert growth_text(sheet(RANGES[:1])) == ""


def test_the_strip_marks_every_range() -> None:
    assert runs(sheet(), 40) == [(0, 1), (10, 12), (30, 31)]


def test_every_consequence_is_listed_once() -> None:
    topics = (Topic.BOUNDS, Topic.HEADER, Topic.NORMALS, Topic.LINKS)
    assert lines_of((STEP,)) == [StepLine(0), *(StepLine(0, topic) for topic in topics)]


@pytest.mark.parametrize(
    ("topic", "declined", "wanted"),
    [
        (Topic.BOUNDS, {Topic.NORMALS, Topic.BOUNDS}, {Topic.HEADER}),
        (Topic.HEADER, {Topic.NORMALS}, set()),
        (Topic.NORMALS, set(), {Topic.HEADER}),
        (Topic.LINKS, {Topic.NORMALS}, {Topic.HEADER, Topic.LINKS}),
    ],
)
def test_a_click_turns_one_consequence_over(topic: Topic, declined: set[Topic], wanted: set[Topic]) -> None:
    assert [set(it) for it in decided(STEP, topic)] == [declined, wanted]


def test_the_sheet_is_shown_again_after_a_decision() -> None:
    declined, wanted = STEP.declined, STEP.wanted | {Topic.LINKS}
    for target, shown in (
        (PATH, lambda do: do.saving.save(PATH)),
        (Path("copy.rlb"), lambda do: do.saving.save_as(Path("copy.rlb"))),
    ):
        decide = partial(decide_again, sheet(target=target), 0, Topic.LINKS)
        assert calls(decide) == calls(lambda do: do.edits.decide(PATH, 3, declined, wanted), shown)


def test_values_are_written_as_inspect_prints_them() -> None:
    value = ChangedValue(ChangeKind.CHANGED, "a.rlb", "slots", 3, "center", [1.5, 2.0], None)
    assert (spot_of(value), change_text(value)) == ("slots[3].center", "[1.5, 2.0] -> none")
    assert change_text(ChangedValue(ChangeKind.ADDED, "a.rlb", "slots", 4, "", None, None)) == "added"
    single = float(np.float32(0.1))
    assert (
        change_text(ChangedValue(ChangeKind.CHANGED, "a.rlb", "slots", 4, "radius", single, [single]))
        == "0.1 -> [0.1]"
    )
    assert spot_of(ChangedValue(ChangeKind.CHANGED, "a.rlb", "header", None, "hull", 1, 2)) == "header.hull"


def test_the_first_value_of_an_entry_names_it() -> None:
    addresses = ("a.rlb", "a.rlb::b", "a.rlb::b", "a.rlb::c")
    values = [ChangedValue(ChangeKind.CHANGED, address, "slots", 4, "flags", 1, 2) for address in addresses]
    assert [entry_of(values, number) for number in range(4)] == ["", "b", "", "c"]


def test_a_list_that_differs_in_one_component_shows_that_component() -> None:
    value = ChangedValue(
        ChangeKind.CHANGED, "a.rlb", "slots", 3, "aabb_max", [1.5, 2.0, 3.0], [1.5, 2.0, 0.5]
    )
    assert (spot_of(narrowed(value)), change_text(narrowed(value))) == ("slots[3].aabb_max[2]", "3.0 -> 0.5")
    several = ChangedValue(ChangeKind.CHANGED, "a.rlb", "slots", 3, "aabb_max", [1.5, 2.0], [1.0, 1.0])
    longer = ChangedValue(ChangeKind.CHANGED, "a.rlb", "slots", 3, "rest", [1, 2], [1, 2, 3])
    assert [narrowed(it) for it in (several, longer)] == [several, longer]


def test_values_that_are_not_listed_are_counted() -> None:
    assert values_text(3, 3) == "3 values"
    assert values_text(2, 5) == "5 values, the first 2 of them listed"
