"""Plain rows: each made when it is looked at, whether they share their fields or not.

JSON text: binary32 floats, columns as rows.
"""

from __future__ import annotations

import json
import struct
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats import fxid, mat0, wear
from viewer.formats.msh.keys import KEY
from viewer.formats.objects import REFERENCE
from viewer.formats.part import find
from viewer.formats.record import CP1251, MATERIAL, Field, Record, Status
from viewer.model.kinds import json_text
from viewer.model.kinds.columns import (
    MOST_COMPARED,
    Columns,
    MadeColumn,
    MixedRows,
    NullableArray,
    PlainArray,
    order_of_one,
    order_of_parts,
    order_of_rows,
    record_row,
    record_rows,
)
from viewer.model.kinds.json_text import ROWS_AT_ONCE, encode, float_text


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


RECORD = Record(
    "test",
    15,
    Field("link", "<u2", "Link.", shape=(2,), none=0xFFFF),
    Field("name", "V4", "Name.", encoding=CP1251),
    Field("unknown_0x08", "V2", "Unknown.", status=Status.OPEN),
    Field("value", "<f4", "Value."),
    Field("flag", "u1", "Flag."),
)
ROWS = RECORD.view(bytes.fromhex("0100FFFF 4100FFFF 0A0B 0000803F 07  FFFF0200 41424344 0000 000000C0 00"))


def test_names_end_at_their_nul_and_unknown_bytes_are_hexadecimal() -> None:
    assert record_row(RECORD, ROWS[0]) == {
        "link": [1, None],
        "name": "A",
        "unknown_0x08": "0a0b",
        "value": 1.0,
        "flag": 7,
    }


def test_rows_are_the_records_with_their_index() -> None:
    assert record_rows(RECORD, ROWS) == [
        {"index": index, **record_row(RECORD, row)} for index, row in enumerate(ROWS)
    ]


def test_numbers_are_not_copied() -> None:
    values = record_rows(RECORD, ROWS).columns["value"]
    assert np.shares_memory(np.asarray(values), ROWS)


ROW = Record(
    "rows",
    16,
    Field("kind", "<u4", "The same in all rows."),
    Field("size", "<u4", "Another in each."),
    Field("time", "<u2", "Another in each.", unit="ms"),
    Field("always", "<u2", "The same, a time.", unit="ms"),
    Field("name", "S4", "Another in each.", encoding="cp1251"),
)


def names(order: tuple[Field, ...]) -> list[str]:
    return [field.name for field in order]


def test_what_varies_comes_first_and_of_that_names_and_times() -> None:
    rows = ROW.new(3)
    rows["size"] = rows["time"] = 1, 2, 3
    rows["name"] = b"a", b"b", b"c"
    assert names(order_of_rows(ROW, rows)) == ["name", "time", "size", "always", "kind"]


def test_a_name_that_is_the_same_in_all_rows_comes_after_a_number_that_varies() -> None:
    rows = ROW.new(3)
    rows["size"] = 1, 2, 3
    assert names(order_of_rows(ROW, rows))[0] == "size"


def test_a_single_record_begins_with_its_name() -> None:
    assert names(order_of_one(ROW)) == ["name", "time", "always", "kind", "size"]


def test_a_key_of_a_node_begins_with_its_time() -> None:
    keys = KEY.new(2)
    keys["time"] = 0, 20
    assert names(order_of_rows(KEY, keys))[0] == "time"


def test_a_key_of_a_material_begins_with_its_time() -> None:
    keys = mat0.block(0, 0, [(1, 100), (2, 200)]).keys
    assert names(order_of_rows(mat0.KEY, keys))[:2] == ["time", "phase"]


def test_a_reference_begins_with_the_name_that_tells_it_apart() -> None:
    rows = REFERENCE.new(2)
    rows["archive"] = b"static.rlb"
    rows["resource"] = b"a.msh", b"a.wea"
    assert names(order_of_rows(REFERENCE, rows)) == ["resource", "archive"]


def test_what_names_a_file_of_the_game_comes_before_other_texts() -> None:
    text = Field("note", "S4", "A text.", encoding=CP1251)
    record = Record("r", 8, text, Field("material", "S4", "A name.", encoding=CP1251, names=MATERIAL))
    assert names(order_of_one(record)) == ["material", "note"]


def test_rows_of_different_lengths_are_compared_too() -> None:
    materials = find(wear.parts(wear.decode(wear.build([b"STEEL", b"PAINT.0"]))), "materials")
    assert materials is not None
    assert names(order_of_parts(materials.children)["materials"])[0] == "name"


def test_commands_are_compared_with_those_of_their_kind() -> None:
    sounds = [struct.pack("<I80x32s32s", 2, b"sounds.lib", name) for name in (b"a.wav", b"b.wav")]
    effect = fxid.decode(struct.pack("<I56x", 3) + b"".join(sounds) + struct.pack("<I", 6))
    commands = find(fxid.parts(effect), "commands")
    assert commands is not None
    orders = order_of_parts(commands.children)
    assert {name: names(order)[0] for name, order in orders.items()} == {"sound": "resource", "point": "word"}


def test_not_a_number_is_one_value() -> None:
    record = Record("r", 8, Field("x", "<f4", "The same."), Field("y", "<f4", "Another."))
    rows = record.new(2)
    rows["x"] = np.nan
    rows["y"] = 1, 2
    assert names(order_of_rows(record, rows)) == ["y", "x"]


def test_of_a_long_table_only_the_first_rows_are_compared() -> None:
    rows = ROW.new(MOST_COMPARED + 1)
    rows["size"][-1] = 1
    assert names(order_of_rows(ROW, rows))[0] == "name"


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
