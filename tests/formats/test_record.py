"""Records: declared once, viewed without a copy, read as plain values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import FormatError
from viewer.formats.record import Field, Record, flags_text, plain

POINT = Record(
    "points",
    15,
    Field("flags", "u1", "Flags."),
    Field("place", "<f4", "Where.", shape=(3,)),
    Field("next", "<u2", "The next point.", none=0xFFFF),
)
BYTES = bytes.fromhex("07 0000803F 00000040 000040C0 FFFF")


def test_fields_lie_one_after_the_other() -> None:
    assert [(field.name, field.offset, field.size) for field in POINT.fields] == [
        ("flags", 0, 1),
        ("place", 1, 12),
        ("next", 13, 2),
    ]
    assert POINT.dtype.itemsize == POINT.size == 15


def test_a_field_may_be_in_two_records() -> None:
    shared = Field("shared", "<u2", "")
    first = Record("first", 2, shared)
    second = Record("second", 6, Field("before", "<u4", ""), shared)
    assert [it.field("shared").offset for it in (first, second)] == [0, 4]


def test_a_declaration_that_does_not_add_up_is_refused() -> None:
    with pytest.raises(ValueError, match="fields take 4 bytes, the record has 5"):
        Record("short", 5, Field("value", "<u4", "A value."))


@pytest.mark.parametrize(
    ("dtype", "shape", "expected"),
    [
        ("<u2", (3,), "u16[3]"),
        ("<u2", (3, 5), "u16[3][5]"),
        ("<f4", (), "f32"),
        ("i1", (4,), "i8[4]"),
        ("<i4", (), "i32"),
        ("V36", (), "byte[36]"),
        ("S4", (), "byte[4]"),
    ],
)
def test_types_are_spelled_as_people_write_them(dtype: str, shape: tuple[int, ...], expected: str) -> None:
    field = Field("value", dtype, "A value.", shape=shape)
    assert field.type_name == expected
    assert field.count == int(np.prod(shape, dtype=int))


def test_a_row_is_plain_values_and_the_sentinel_is_none() -> None:
    row = POINT.row(POINT.read(BYTES))
    assert row == {"flags": 7, "place": [1.0, 2.0, -3.0], "next": None}
    assert type(row["flags"]) is int


def test_the_sentinel_inside_an_array_is_none_too() -> None:
    assert plain(np.array([[1, 0xFFFF], [0xFFFF, 2]], np.uint16), 0xFFFF) == [[1, None], [None, 2]]
    assert plain(np.array([1, 0xFFFF], np.uint16)) == [1, 0xFFFF]


def test_a_view_copies_nothing_and_cannot_be_written() -> None:
    data = bytearray(BYTES * 2)
    rows = POINT.view(memoryview(data).toreadonly())
    data[0] = 9
    assert rows["flags"].tolist() == [9, 7]
    with pytest.raises(ValueError, match="read-only"):
        rows["flags"][0] = 1


@given(st.integers(0, 80), st.integers(0, 90))
def test_a_view_holds_whole_records_only(size: int, offset: int) -> None:
    assert len(POINT.view(bytes(size), offset=offset)) == max(0, size - offset) // 15


@pytest.mark.parametrize(("offset", "count"), [(0, 3), (1, 2), (31, 1), (100, 1), (0, -1)])
def test_records_that_are_not_there_are_an_error(offset: int, count: int) -> None:
    with pytest.raises(FormatError) as caught:
        POINT.view(bytes(30), offset=offset, count=count)
    assert caught.value.table == "points"


def test_no_records_are_an_empty_view_of_the_same_type() -> None:
    rows = POINT.view(b"")
    assert (len(rows), rows.dtype) == (0, POINT.dtype)


def test_new_records_are_zero_and_writable() -> None:
    rows = POINT.new(2)
    rows["next"][1] = 5
    assert rows.tobytes() == bytes(28) + b"\5\0"


@given(st.binary(min_size=15, max_size=15))
def test_reading_and_writing_keep_every_byte(data: bytes) -> None:
    assert POINT.view(data).tobytes() == data


def test_a_field_is_found_by_its_name() -> None:
    assert POINT.field("next").offset == 13
    with pytest.raises(KeyError):
        POINT.field("previous")


def test_flags_are_named_and_unknown_bits_are_kept() -> None:
    assert flags_text(0b101, {1: "first", 2: "second"}) == "first, unknown 0x0004"
    assert flags_text(0, {1: "first"}) == "none set"


def test_what_is_allowed_is_told_without_counting_it_up() -> None:
    """All the counts that a signed number can be would fill the memory."""
    record = Record("head", 4, Field("count", "<i4", "Number of rows.", allowed=range(1 << 31)))
    with pytest.raises(FormatError, match=r"-1 is not 0\.\.2147483647"):
        record.check(record.view(b"\xff" * 4)[0], "X01", {})
