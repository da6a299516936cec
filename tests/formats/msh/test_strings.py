"""Res10: the worked example, round trips, and damage in the middle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.messages import states
from viewer.errors import NAMED_ROWS, Severity
from viewer.formats.msh.strings import decode, encode

EXAMPLE = bytes.fromhex("00000000 07000000 63656E7472616C00")


def test_the_worked_example() -> None:
    read = decode(EXAMPLE, 2)
    assert (read.texts, read.end, read.diagnostics) == ((b"", b"central"), len(EXAMPLE), ())
    assert encode([b"", b"central"]) == EXAMPLE


@given(st.lists(st.binary(max_size=20)))
def test_what_is_written_is_read_back(texts: list[bytes]) -> None:
    read = decode(encode(texts), len(texts))
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
    assert read.end <= len(data)
    assert sum(map(len, read.texts)) <= len(data)
    assert len(read.diagnostics) <= NAMED_ROWS + 2
