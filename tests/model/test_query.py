"""Conditions: what they select, and what is said about bad ones.

Names of a directory, compared by whole arrays: the same as one by one.

Conditions on lists whose rows differ: lines, blocks, commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import UsageError
from viewer.formats import fxid, mat0, wear
from viewer.formats.fxid import COMMAND_KINDS
from viewer.formats.part import Part, find
from viewer.formats.record import CP1251, Field, Record
from viewer.formats.text import decode, fold
from viewer.model.query.condition import Condition, is_condition
from viewer.model.query.names import NameFilter, NameTable
from viewer.model.tables.column import Column, ColumnTexts, ordered
from viewer.model.tables.lists import of_list
from viewer.model.tables.table import QueryTable

PART = Record(
    "parts",
    26,
    Field("name", "S8", "Name.", encoding=CP1251),
    Field("flags", "<u2", "Bits.", flags={1: "open", 8: "portal"}),
    Field("parent", "<u2", "Row.", refers_to="parts", none=0xFFFF),
    Field("place", "<f4", "Vector.", shape=(3,)),
    Field("mode", "<u2", "Mode.", values={0: "off", 2: "blend"}),
)
NAMES = ("Body", "turret", "gun left", "")


def parts() -> QueryTable:
    """Four parts: the body, a turret on it, a gun on the turret, one without a name or a parent."""
    rows = PART.new(4)
    rows["name"] = [name.encode() for name in NAMES]
    rows["flags"] = 0, 8, 9, 0x30
    rows["parent"] = 0xFFFF, 0, 1, 0xFFFF
    rows["place"] = (0, 0, 0), (0, 0, 2.5), (1.1, 0, 2.5), (np.nan, -1, 0)
    rows["mode"] = 0, 2, 2, 7
    stored = QueryTable.of_records(PART, rows)
    links = Column.of_field(PART.field("parent"), rows, lambda: dict(enumerate(NAMES)))
    return QueryTable(stored.name, stored.count, {**stored.columns, "parent": links})


def rows(text: str) -> list[int]:
    """The rows that a condition selects."""
    return np.flatnonzero(Condition.parse(text).rows(parts())).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flags > 8", [2, 3]),
        ("flags>=8", [1, 2, 3]),
        ("flags < 8", [0]),
        ("flags <= 0x8", [0, 1]),
        ("flags = 8", [1]),
        ("flags == 8", [1]),
        ("flags != 8", [0, 2, 3]),
        ("flags & 8", [1, 2]),
        ("flags & portal", [1, 2]),
        ("flags & 'open'", [2]),
        ("flags & 0x30 = 0x30", [3]),
        ("flags & 9 != 9", [0, 1, 3]),
        ("flags > 999999999999999999999999", []),
        ("flags < 999999999999999999999999", [0, 1, 2, 3]),
        ("flags > -1", [0, 1, 2, 3]),
        ("row >= 2", [2, 3]),
        ("row = 1 or row = 3", [1, 3]),
    ],
)
def test_whole_numbers_are_compared_and_masked(text: str, expected: list[int]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name = turret", [1]),
        ("name = TURRET", [1]),
        ("name = body or name = tur*", [0, 1]),
        ('name = "gun left"', [2]),
        ("name = 'gun ?eft'", [2]),
        ("name != turret", [0, 2, 3]),
        ("name = none", [3]),
        ("name != none", [0, 1, 2]),
        ("name > c", [1, 2]),
        ("name = '[turret]'", []),
        ("name = 'none'", []),
    ],
)
def test_texts_are_compared_without_case_and_with_wildcards(text: str, expected: list[int]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parent = none", [0, 3]),
        ("parent != none", [1, 2]),
        ("parent > 0", [2]),
        ("parent < 100", [1, 2]),
        ("parent = turret", [2]),
        ("parent = *", [1, 2]),
        ("mode = blend", [1, 2]),
        ("mode = off", [0]),
        ("mode = 7", [3]),
    ],
)
def test_a_number_is_also_found_by_its_name_and_none_is_no_number(text: str, expected: list[int]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("place[2] > 2", [1, 2]),
        ("place[0] = 1.1", [2]),
        ("place = 2.5", [1, 2]),
        ("place != 0", []),
        ("place < 0", [3]),
        ("place[0] < 1e9", [0, 1, 2]),
    ],
)
def test_of_an_array_any_element_or_the_one_that_is_named(text: str, expected: list[int]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flags = 0 or flags = 8 and name = body", [0]),
        ("(flags = 0 or flags = 8) and name = turret", [1]),
        ("not flags = 0", [1, 2, 3]),
        ("not (flags & 8 or name = body)", [3]),
        ("NOT flags=0 AND name=tur*", [1]),
    ],
)
def test_and_binds_before_or_and_not_before_both(text: str, expected: list[int]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("flgas > 3", ("flgas", "flags")),
        ("flags >", ("value", ">")),
        ("> 3", ("field", ">")),
        ("flags = 3 name = x", ("name", "and")),
        ("flags", ("flags",)),
        ("(flags = 3", ("parenthesis",)),
        ("flags = turret", ("turret", "flags")),
        ("flags & nothing", ("nothing", "open")),
        ("place & 8", ("place", "bits")),
        ("place[3] = 1", ("place", "[3]")),
        ("place[x] = 1", ("place",)),
        ("place[1 = 1", ("place",)),
        ("flags[0] = 1", ("flags", "[0]")),
        ("name & 3", ("name",)),
        ("name[0] = x", ("name",)),
        ("flags = 3 and", ("field",)),
        ("flags = 3 !", ("!",)),
        ("flags & 99999999999999999999", ("99999999999999999999",)),
        ("mode > blend", ("blend",)),
        ("(" * 5000 + "flags = 3", ("parentheses",)),
    ],
)
def test_a_bad_condition_says_what_is_wrong(text: str, words: Sequence[str]) -> None:
    with pytest.raises(UsageError) as caught:
        Condition.parse(text).rows(parts())
    assert all(word in caught.value.message for word in words), caught.value.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flags & 8", True),
        ("name=x", True),
        ("turret", False),
        ("gun and left", False),
        ("'a = b'", False),
        ("", False),
    ],
)
def test_a_text_with_a_comparison_is_meant_as_a_condition(text: str, *, expected: bool) -> None:
    assert is_condition(text) is expected


@given(st.text("flagsnmeplcod 0x12.()[]&=<>!'\"*?-", max_size=40))
def test_any_text_is_a_condition_or_is_refused(text: str) -> None:
    with suppress(UsageError):
        found = Condition.parse(text).rows(parts())
        assert found.shape == (4,)
        assert found.dtype == np.bool_


@given(st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=30), st.integers(-5, 0x10005))
def test_comparisons_agree_with_those_of_python(values: list[int], limit: int) -> None:
    table = QueryTable("numbers", len(values), {"x": Column("x", lambda: np.array(values, "<u2"))})
    for sign, compare in (("<", int.__lt__), (">=", int.__ge__), ("=", int.__eq__), ("!=", int.__ne__)):
        found = Condition.parse(f"x {sign} {limit}").rows(table)
        assert found.tolist() == [compare(value, limit) for value in values]


def test_texts_of_rows_share_their_labels() -> None:
    texts = ColumnTexts.of(["a", "", "b", "a"])
    assert texts.labels == ("a", "b")
    assert [texts[row] for row in range(len(texts))] == ["a", "", "b", "a"]


def test_bytes_that_are_no_text_are_compared_with_their_zeros() -> None:
    record = Record("rows", 4, Field("stored", "S4", "Bytes."))
    rows = np.array([(b"\1\2",), (b"\1\2\0\3",)], record.dtype)
    stored = QueryTable.of_records(record, rows)
    assert np.flatnonzero(Condition.parse("stored = '01020000'").rows(stored)).tolist() == [0]


def test_nothing_is_decoded_that_the_condition_does_not_name() -> None:
    def refuse() -> ColumnTexts:
        raise AssertionError

    table = QueryTable("t", 2, {"x": Column("x", lambda: np.arange(2)), "slow": Column("slow", refuse)})
    assert Condition.parse("x = 1").rows(table).tolist() == [False, True]


LETTERS = st.sampled_from("aAbB.жЖ_1[?").map(lambda letter: letter.encode("cp1251"))
NODE_NAMES = st.lists(LETTERS, max_size=6).map(b"".join)


def table(names: list[bytes], size: int = 8) -> NameTable:
    fields = b"".join(name.ljust(size, b"\0") for name in names)
    matrix: npt.NDArray[np.uint8] = np.frombuffer(fields, np.uint8).reshape(-1, size)
    return NameTable(matrix)


@given(st.lists(NODE_NAMES, max_size=12), st.text("aAbЖ.*?[]1_ж ", max_size=6))
def test_a_filter_finds_the_same_names_as_one_by_one(names: list[bytes], text: str) -> None:
    requested = NameFilter(text)
    expected = [requested.matches(decode(name)) for name in names]
    assert table(names).matching(requested).tolist() == expected


@given(st.lists(NODE_NAMES, max_size=12))
def test_names_are_found_as_the_engine_finds_them(names: list[bytes]) -> None:
    folded = [fold(name) for name in names]
    assert table(names).is_unique.tolist() == [folded.count(name) == 1 for name in folded]
    for name in names:
        assert table(names).find(name.swapcase() if name.isascii() else name) == folded.index(fold(name))
    assert table(names).find(b"no such name") is None


def test_a_filter_finds_a_part_at_the_end_of_a_name_that_fills_its_field() -> None:
    assert table([b"LAND.MAP", b"LAND.MSH"]).matching(NameFilter("map")).tolist() == [True, False]


def test_the_order_is_alphabetical_whatever_the_case_and_keeps_equal_names() -> None:
    names = [b"b", b"A", "Жук".encode("cp1251"), "жаба".encode("cp1251"), b"a", b""]
    assert table(names).order.tolist() == [5, 1, 4, 0, 3, 2]


def test_a_name_of_full_length_ends_with_its_field() -> None:
    assert table([b"abcdefgh", b"x"])[0] == "abcdefgh"
    assert table([b"abcdefgh", b"habc"]).matching(NameFilter("ha")).tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("", "walker.msh", True),
        ("   ", "walker.msh", True),
        ("walk", "WALKER.MSH", True),
        ("lker", "walker.msh", True),
        ("walk*", "walker.msh", True),
        ("alk*", "walker.msh", False),
        ("*.msh", "walker.msh", True),
        ("*.msh", "walker.msh.bak", False),
        ("r?b", "rob", True),
        ("r?b", "robot", False),
        ("robot arm", "arm_of_robot", True),
        ("robot arm", "robot_leg", False),
        ("ЖУК", "жук.msh", True),
        ("a.b", "axb", False),
        ("(", "a(b", True),
        ("[ab]*", "beta", True),
        ("[", "a[b", False),
    ],
)
def test_filter_matches_as_typed(text: str, name: str, *, expected: bool) -> None:
    assert NameFilter(text).matches(name) is expected


def test_filter_is_empty_without_words() -> None:
    assert NameFilter(" ").is_empty
    assert not NameFilter("a").is_empty


def chosen(root: Part, path: str, condition: str) -> list[int]:
    """The rows of a list for which a condition holds."""
    part = find(root, path)
    assert part is not None
    return np.flatnonzero(Condition.parse(condition).rows(of_list(part))).tolist()


@pytest.mark.parametrize(
    ("condition", "rows"),
    [("name = STEEL", [0, 2]), ("name = s*", [0, 2]), ("number > 0", [1, 2]), ("row = 1", [1])],
)
def test_lines_of_a_wear_table(condition: str, rows: list[int]) -> None:
    root = wear.parts(wear.decode(wear.build([b"STEEL", b"GLASS", b"steel"])))
    assert chosen(root, "materials", condition) == rows


def test_the_only_line_of_a_wear_table() -> None:
    root = wear.parts(wear.decode(wear.build([b"STEEL"])))
    assert [chosen(root, "materials", it) for it in ("number = 0", "number > 0")] == [[0], []]


@pytest.mark.parametrize(
    ("condition", "rows"), [("mode = once", [1]), ("key_count >= 2", [0]), ("mask & 1", [1])]
)
def test_blocks_of_a_material(condition: str, rows: list[int]) -> None:
    blocks = [mat0.block(0, 2, [(0, 1), (0, 2)]), mat0.block(2, 1, [(0, 1)])]
    root = mat0.parts(mat0.decode(mat0.build([mat0.PhaseRecord()], blocks)))
    assert chosen(root, "blocks", condition) == rows


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("kind = light", [0]),
        ("opcode = 2", [1]),
        ("on_top = yes", [0, 1, 2]),
        ("archive = a.rlb", [1]),
        ("window_start > 1", [1]),
    ],
)
def test_commands_of_an_effect(condition: str, rows: list[int]) -> None:
    commands = [COMMAND_KINDS[opcode].record.new() for opcode in (1, 2, 6)]
    for opcode, command in zip((1, 2, 6), commands, strict=True):
        command["word"] = opcode | fxid.ON_TOP
    commands[1]["archive"], commands[1]["window_start"] = np.void(b"a.rlb".ljust(32, b"\0")), 2
    header = fxid.HEADER.new()
    header["command_count"] = 3
    data = header.tobytes() + b"".join(command.tobytes() for command in commands)
    assert chosen(fxid.parts(fxid.decode(data)), "commands", condition) == rows


def order(
    values: npt.NDArray[np.generic] | ColumnTexts, *, none: int | None = None, is_descending: bool = False
) -> list[int]:
    """The rows 0, 1, ... in the order of their values."""
    column = Column("x", lambda: values, none=none)
    found: list[int] = ordered(column, np.arange(len(values)), is_descending=is_descending).tolist()
    return found


def test_numbers_ascend_or_descend_and_equal_ones_keep_their_order() -> None:
    values = np.array([3, 1, 3, 2, 1], "<u2")
    assert order(values) == [1, 4, 3, 0, 2]
    assert order(values, is_descending=True) == [0, 2, 3, 1, 4]


def test_what_has_no_value_is_last_both_ways() -> None:
    values = np.array([0xFFFF, 5, 0xFFFF, 1], "<u2")
    assert order(values, none=0xFFFF) == [3, 1, 0, 2]
    assert order(values, none=0xFFFF, is_descending=True) == [1, 3, 0, 2]
    assert order(np.array([np.nan, 2, 1], "<f4")) == [2, 1, 0]
    assert order(ColumnTexts.of(["b", "", "a"])) == [2, 0, 1]


def test_texts_are_sorted_without_case() -> None:
    assert order(ColumnTexts.of(["b", "C", "A", "B", "a"])) == [2, 4, 0, 3, 1]
    assert order(ColumnTexts.of(["b", "C", "A", "B", "a"]), is_descending=True) == [1, 0, 3, 2, 4]


def test_arrays_are_compared_element_by_element() -> None:
    assert order(np.array([(1, 5), (0, 9), (1, 2)], "<f4")) == [1, 2, 0]


def test_only_the_rows_given_are_sorted() -> None:
    column = Column("x", lambda: np.array([9, 1, 5, 3]))
    assert ordered(column, np.array([3, 0, 2])).tolist() == [3, 2, 0]


@pytest.mark.parametrize("is_descending", [False, True])
@given(values=st.lists(st.integers(0, 5), max_size=40))
def test_the_order_is_that_of_a_stable_sort(values: list[int], *, is_descending: bool) -> None:
    expected = sorted(range(len(values)), key=lambda row: -values[row] if is_descending else values[row])
    assert order(np.array(values, "<u2"), is_descending=is_descending) == expected


def test_none_of_a_column_with_gaps() -> None:
    values = np.array([1.0, np.nan, 3.0])
    table = QueryTable("entries", 3, {"clips": Column("clips", lambda: values, has_gaps=True)})
    for text, expected in (
        ("clips = none", [1]),
        ("clips != none", [0, 2]),
        ("clips > 1", [2]),
        ("clips < 9", [0, 2]),
    ):
        assert np.flatnonzero(Condition.parse(text).rows(table)).tolist() == expected, text
