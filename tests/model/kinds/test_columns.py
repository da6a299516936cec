"""Plain rows: each made when it is looked at, whether they share their fields or not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from viewer.model.kinds.columns import Columns, MadeColumn, MixedRows, NullableArray, PlainArray
from viewer.model.kinds.json_text import encode


def test_a_row_has_a_plain_value_of_every_column() -> None:
    rows = Columns(
        2,
        {
            "number": np.array([7, 8], np.uint16),
            "vector": np.ma.masked_equal(np.array([[1, 9], [9, 2]]), 9),
            "name": ["a"],
            "inner": Columns(2, {"flag": np.array([True, False])}),
            "missing": None,
        },
    )
    assert rows[0] == {
        "number": 7,
        "vector": [1, None],
        "name": "a",
        "inner": {"flag": True},
        "missing": None,
    }
    assert rows[-1] == {
        "number": 8,
        "vector": [None, 2],
        "name": None,
        "inner": {"flag": False},
        "missing": None,
    }
    assert type(rows[0]["number"]) is int
    assert rows[0:2] == [rows[0], rows[1]]
    with pytest.raises(IndexError):
        rows[2]


def test_rows_equal_a_list_of_the_same_rows() -> None:
    assert Columns(2, {"a": np.arange(2)}) == [{"a": 0}, {"a": 1}]
    assert Columns(2, {"a": np.arange(2)}) != [{"a": 0}]
    assert Columns(1, {"a": ["x"]}) != "x"


def test_a_part_has_the_rows_between() -> None:
    inner = Columns(3, {"b": ["x", "y", "z"]})
    rows = Columns(3, {"a": np.arange(3), "inner": inner, "short": ["x"], "missing": None})
    assert rows.part(1, 9) == rows[1:]
    assert len(rows.part(5, 9)) == 0


def test_values_are_made_when_they_are_looked_at() -> None:
    made: list[int] = []

    def make(value: int) -> int:
        made.append(value)
        return value * 10

    rows = Columns(1_000_000, {"a": MadeColumn(range(1_000_000), make)})
    assert (rows[3], rows[-1]) == ({"a": 30}, {"a": 9_999_990})
    assert rows.part(1, 3) == [{"a": 10}, {"a": 20}]
    assert made == [3, 999_999, 1, 2]
    assert list(MadeColumn("abc", str.upper)) == ["A", "B", "C"]


KINDS = np.array([1, 0, 1, 1, 0])
MIXED = MixedRows(KINDS, [Columns(2, {"a": [0, 1], "c": [5, 6]}), Columns(3, {"b": [2, 3, 4]})])


def test_mixed_rows_keep_their_order() -> None:
    assert MIXED == [{"b": 2}, {"a": 0, "c": 5}, {"b": 3}, {"b": 4}, {"a": 1, "c": 6}]


@pytest.mark.parametrize(("start", "stop"), [(0, 5), (1, 4), (3, 99), (2, 2), (9, 9)])
def test_a_part_of_mixed_rows(start: int, stop: int) -> None:
    assert MIXED.part(start, stop) == MIXED[start:stop]


def test_more_fields_stand_behind_the_first() -> None:
    rows = Columns(1, {"a": np.array([1])})
    assert list(rows.with_columns(b=["x"])[0].items()) == [("a", 1), ("b", "x")]
    assert rows == [{"a": 1}]


def test_an_array_is_a_list_of_plain_values() -> None:
    values = PlainArray(np.array([[1, 2], [3, 4]], np.float32))
    assert values == [[1.0, 2.0], [3.0, 4.0]]
    assert type(values[1][0]) is float
    assert (values[:1], len(values)) == ([[1.0, 2.0]], 2)
    assert values != [[1.0, 2.0]]


def test_one_value_of_an_array_means_none() -> None:
    links = NullableArray.of(np.array([[1, 0xFFFF], [0xFFFF, 2]], np.uint16), 0xFFFF)
    rows = Columns(2, {"links": links, "first": links[:, 0]})
    assert [*rows] == [{"links": [1, None], "first": 1}, {"links": [None, 2], "first": None}]
    assert rows.part(1, 2)[0] == {"links": [None, 2], "first": None}
    assert json.loads(encode(rows)) == [*rows]
