"""Conditions: what they select, and what is said about bad ones."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import UsageError
from viewer.formats.record import CP1251, Field, Record
from viewer.model.query.condition import Condition, is_condition
from viewer.model.query.table import Column, ColumnTexts, QueryTable

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


def test_nothing_is_decoded_that_the_condition_does_not_name() -> None:
    def refuse() -> ColumnTexts:
        raise AssertionError

    table = QueryTable("t", 2, {"x": Column("x", lambda: np.arange(2)), "slow": Column("slow", refuse)})
    assert Condition.parse("x = 1").rows(table).tolist() == [False, True]
