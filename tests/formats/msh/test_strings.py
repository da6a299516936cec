"""Res10: the worked example, round trips, and damage in the middle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from tests.messages import states
from viewer.errors import NAMED_ROWS, Severity
from viewer.formats.msh.strings import NAME, Strings, build, build_name_records, decode, encode, parts
from viewer.formats.part import spot_at

EXAMPLE = bytes.fromhex("00000000 07000000 63656E7472616C00")


def test_the_worked_example() -> None:
    read = decode(EXAMPLE, 2)
    assert (read.texts, read.tail, read.diagnostics) == ((b"", b"central"), b"", ())
    assert build([b"", b"central"]) == EXAMPLE
    assert [row.item() for row in read.rows] == [(0,), (7, b"central", 0)]


@given(st.lists(st.binary(max_size=20)))
def test_what_is_written_is_read_back(texts: list[bytes]) -> None:
    read = decode(build(texts), len(texts))
    assert read.texts == tuple(texts)
    assert read.diagnostics == ()


@pytest.mark.parametrize(
    ("data", "count", "texts", "values", "index"),
    [
        (EXAMPLE, 3, 2, "0", 2),
        (EXAMPLE[:6], 2, 1, "2", 1),
        (EXAMPLE[:-1], 2, 1, "7 7", 1),
        (b"\xff\xff\xff\xff" + EXAMPLE, 2, 0, "4294967295 16", 0),
        (EXAMPLE, 1, 1, "12", None),
        (b"", 1, 0, "0", 0),
    ],
)
def test_reading_stops_at_damage(data: bytes, count: int, texts: int, values: str, index: int | None) -> None:
    read = decode(data, count)
    assert len(read.texts) == texts
    assert [(found.rule, found.index) for found in read.diagnostics] == [("V21", index)]
    assert states(read.diagnostics[0].message, values)


def test_a_missing_nul_is_reported_and_reading_goes_on() -> None:
    read = decode(b"\1\0\0\0AX\1\0\0\0B\0", 2)
    assert read.texts == (b"A", b"B")
    assert [(found.severity, found.index) for found in read.diagnostics] == [(Severity.ERROR, 0)]
    assert states(read.diagnostics[0].message, "NUL")


@given(st.binary(max_size=60), st.integers(0, 10**9))
def test_arbitrary_bytes_are_read_as_far_as_they_go(data: bytes, count: int) -> None:
    read = decode(data, count)
    assert len(read.diagnostics) <= NAMED_ROWS + 2
    check_payload(data, encode(read), parts(read), read.diagnostics)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    read = decode(EXAMPLE + b"\1\0\0\0A\0tail", 3)
    check_field_change(read, encode, parts(read), data)


def test_a_text_is_a_row_and_its_fields_have_offsets() -> None:
    listed, tail = parts(decode(EXAMPLE + b"tail", 2), 100).children
    assert listed.span(1, "text") == (108, 7)
    assert tail.start == 100 + len(EXAMPLE)
    assert spot_at(listed, 110).row == 1
    assert encode(Strings((), b"x")) == b"x"


def test_names_fill_their_records() -> None:
    data = build_name_records([b"Base_TM", b"", b"x" * 31])
    assert data == b"Base_TM".ljust(32, b"\0") + bytes(32) + b"x" * 31 + b"\0"
    assert len(NAME.view(data)) == 3


@pytest.mark.parametrize("name", [b"x" * 32, b"Base\0TM"])
def test_a_name_that_would_come_back_otherwise_is_refused(name: bytes) -> None:
    with pytest.raises(ValueError, match="31 bytes"):
        build_name_records([name])
