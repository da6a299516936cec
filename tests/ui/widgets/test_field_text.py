"""How stored values read on screen."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.record import Field, Status
from viewer.ui.widgets.field_text import (
    cell_text,
    counted,
    float_text,
    raw_text,
    short_count,
    size_text,
    tooltip_lines,
)


def field(name: str = "count", dtype: str = "<u2", **rest: object) -> Field:
    return Field(name, dtype, "doc", **rest)  # type: ignore[arg-type]


def test_sentinel_names_itself_and_its_value() -> None:
    assert raw_text(field("parent", none=0xFFFF), np.uint16(0xFFFF)) == "none (0xFFFF)"
    assert raw_text(field("parent", none=0xFFFF), np.uint16(7)) == "7"


def test_sentinel_of_another_field_is_a_number() -> None:
    assert raw_text(field("count"), np.uint16(0xFFFF)) == "65535"


def test_flags_and_open_fields_are_bits() -> None:
    assert raw_text(field("mask", flags={1: "one"}), np.uint16(0x20)) == "0x0020"
    assert raw_text(field("mystery", "<u4", status=Status.OPEN), np.uint32(9)) == "0x00000009"
    assert raw_text(field("mystery", "<i2", status=Status.OPEN), np.int16(-1)) == "0xFFFF"
    assert raw_text(field("mystery", "<f4", status=Status.OPEN), np.float32(1.0)) == "0x3F800000"


def test_links_show_each_item() -> None:
    links = np.array([3, 0xFFFF, 0], "<u2")
    assert raw_text(field("links", shape=(3,), none=0xFFFF), links) == "3, none (0xFFFF), 0"


def test_matrix_takes_a_line_per_row() -> None:
    assert raw_text(field("hull", "<f4", shape=(2, 2)), np.eye(2, dtype="<f4")) == "1, 0\n0, 1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (-0.0, "-0"),
        (70.0, "70"),
        (1e-7, "1e-07"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
    ],
)
def test_float_text(value: float, text: str) -> None:
    assert float_text(value) == text


def test_float_text_reads_back_the_same() -> None:
    for value in np.random.default_rng(1).normal(size=200).astype("<f4") * 10.0 ** np.arange(-20, 20).repeat(
        5
    ):
        assert np.float32(float_text(value)) == np.float32(value)


def test_bytes_show_text_and_bits() -> None:
    assert raw_text(field("name", "V4", encoding="cp1251"), b"ab\0\0") == "'ab'"
    assert raw_text(field("name", "V4", encoding="cp1251"), b"ab\0c") == "'ab'  61620063"
    assert raw_text(field("raw", "V4"), b"\1\2\0\0") == "01020000"


def test_tooltip_says_place_type_and_meaning() -> None:
    text = "\n".join(tooltip_lines(field("mass", "<f4", unit="kg", offset=0x30)))
    assert "0x30" in text
    assert "f32" in text
    assert "kg" in text
    assert "doc" in text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (1234, "1.2k"),
        (9960, "10k"),
        (300_000, "300k"),
        (999_900, "1.0M"),
    ],
)
def test_short_count(count: int, text: str) -> None:
    assert short_count(count) == text


def test_size_text() -> None:
    assert [size_text(n) for n in (0, 1023, 14_541, 3_250_586)] == ["0 B", "1023 B", "14.2 KB", "3.1 MB"]


def test_cell_is_one_line_with_short_sentinel() -> None:
    matrix = np.array([[1, 0xFFFF], [2, 3]], "<u2")
    assert cell_text(field("slots", shape=(2, 2), none=0xFFFF), matrix) == "1, none | 2, 3"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 vertices"), (1, "1 vertex"), (2, "2 vertices"), (12_345, "12 345 vertices")]
)
def test_what_is_counted_is_one_or_several(count: int, text: str) -> None:
    assert counted(count, "{count} vertex", "{count} vertices") == text
