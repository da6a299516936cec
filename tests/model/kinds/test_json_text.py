"""JSON text: binary32 floats, columns as rows."""

from __future__ import annotations

import json
import struct
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.model.kinds import json_text
from viewer.model.kinds.columns import Columns, MixedRows, PlainArray
from viewer.model.kinds.json_text import ROWS_AT_ONCE, encode, float_text


@given(st.integers(0, 2**32 - 1))
def test_float_reads_back_as_the_same_binary32(bits: int) -> None:
    value = np.array([bits], "<u4").view("<f4")
    loaded = json.loads(encode(value))[0]
    if isinstance(loaded, str):
        assert not np.isfinite(value[0])
        assert loaded in ("nan", "inf", "-inf")
        assert isnan(float(loaded)) == np.isnan(value[0])
    else:
        assert struct.pack("<f", loaded) == value.tobytes()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (np.float32(0.1), "0.1"),
        (np.float64(np.float32(0.1)), "0.1"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (1e-9, "1e-09"),
        (16777216.0, "16777216.0"),
        (float("nan"), '"nan"'),
        (float("inf"), '"inf"'),
        (float("-inf"), '"-inf"'),
        (1e300, '"inf"'),
    ],
)
def test_float_is_shortest(value: float, text: str) -> None:
    assert float_text(value) == text


def test_integers_stay_integers() -> None:
    document = {
        "a": 3,
        "b": np.uint32(0xFFFFFFFF),
        "c": np.array([[1, -2], [3, 4]], np.int16),
        "d": True,
        "e": None,
    }
    text = '{"a": 3, "b": 4294967295, "c": [[1, -2], [3, 4]], "d": true, "e": null}'
    assert encode(document) == text


def test_masked_elements_are_null() -> None:
    links = np.ma.masked_equal(np.array([[1, 0xFFFF], [0xFFFF, 2]], np.uint16), 0xFFFF)
    assert encode(links) == "[[1, null], [null, 2]]"
    assert json.loads(encode(Columns(2, {"links": links}))) == [{"links": [1, None]}, {"links": [None, 2]}]


def test_columns_are_rows() -> None:
    rows = Columns(
        2,
        {
            "index": np.arange(2),
            "100%": ["a", None],
            "matrix": np.arange(8, dtype=np.float32).reshape(2, 2, 2),
            "flag": np.array([True, False]),
            "missing": None,
            "short": np.array([[5, 6]], np.int8),
        },
    )
    assert json.loads(encode({"rows": rows})) == {
        "rows": [
            {
                "index": 0,
                "100%": "a",
                "matrix": [[0, 1], [2, 3]],
                "flag": True,
                "missing": None,
                "short": [5, 6],
            },
            {
                "index": 1,
                "100%": None,
                "matrix": [[4, 5], [6, 7]],
                "flag": False,
                "missing": None,
                "short": None,
            },
        ]
    }


@pytest.mark.parametrize("count", [0, 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1])
def test_long_tables_are_one_list(count: int) -> None:
    loaded = json.loads(encode(Columns(count, {"index": np.arange(count)})))
    assert [row["index"] for row in loaded] == list(range(count))


def test_rows_inside_rows() -> None:
    inner = Columns(2, {"x%": np.array([1.5, 2.5], np.float32), "y": ["a", "b"]})
    text = '[{"in": {"x%": 1.5, "y": "a"}, "empty": {}}, {"in": {"x%": 2.5, "y": "b"}, "empty": {}}]'
    assert encode(Columns(2, {"in": inner, "empty": Columns(2, {})})) == text


@pytest.mark.parametrize("count", [0, 5, ROWS_AT_ONCE + 2])
def test_rows_of_several_kinds_keep_their_order(count: int) -> None:
    kinds = np.arange(count) % 3 // 2
    seconds = int(kinds.sum())
    parts = [Columns(count - seconds, {}), Columns(seconds, {"b": np.arange(seconds)})]
    rows = MixedRows(kinds, parts)
    assert json.loads(encode(rows)) == list(rows)
    assert len(rows) == count


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (ROWS_AT_ONCE + 1, 2), (2, 3, 4), ()])
def test_arrays_are_nested_lists(shape: tuple[int, ...]) -> None:
    values = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    assert json.loads(encode(values)) == values.tolist()
    if shape:
        assert json.loads(encode({"a": PlainArray(values)})) == {"a": values.tolist()}


def test_texts_in_an_array() -> None:
    assert encode(np.array(["a", 'é"'])) == '["a", "é\\""]'


Plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(Plain)
def test_agrees_with_the_standard_library(document: object) -> None:
    assert json.loads(encode(document)) == document


def test_refuses_what_json_cannot_hold() -> None:
    with pytest.raises(TypeError, match="bytes"):
        encode({"raw": b"\0"})


def test_plain_floats_take_no_array(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    monkeypatch.setattr(json_text, "float_texts", made.append)
    assert encode([0.1, -1e-9, 16777217.0, {"a": 2.5}]) == '[0.1, -1e-09, 16777216.0, {"a": 2.5}]'
    assert made == []
