"""Errors say source, place and what is wrong, in this order, and only what is known."""

from __future__ import annotations

import pytest

from tests.messages import states
from viewer.errors import (
    NAMED_ROWS,
    AddressError,
    Diagnostic,
    FormatError,
    MshviewError,
    OutputError,
    Severity,
    UsageError,
    location,
    reading_from,
    row_findings,
)


@pytest.mark.parametrize(
    ("table", "index", "field", "expected"),
    [
        ("batches", 12, "index_start", "batches[12].index_start"),
        ("batches", 0, None, "batches[0]"),
        ("header", None, "hull", "header.hull"),
        ("tail", None, None, "tail"),
        ("", None, None, ""),
    ],
)
def test_a_place_is_spelled_as_far_as_known(
    table: str, index: int | None, field: str | None, expected: str
) -> None:
    assert location(table, index, field) == expected
    assert FormatError("x", table=table, index=index, field=field).where == expected
    assert Diagnostic("V01", Severity.ERROR, "x", table, index, field).where == expected


def test_a_format_error_names_source_place_and_message() -> None:
    error = FormatError("7 of 3 slots", table="nodes", index=4, field="slots", source="a.rlb::b.msh")
    assert str(error) == "a.rlb::b.msh: nodes[4].slots: 7 of 3 slots"


@pytest.mark.parametrize("kind", [MshviewError, AddressError, OutputError, UsageError])
def test_other_errors_have_no_place(kind: type[MshviewError]) -> None:
    assert str(kind("no such file", source="a.msh")) == "a.msh: no such file"
    assert str(kind("no such file")) == "no such file"


def test_a_diagnostic_names_its_place() -> None:
    assert str(Diagnostic("V12", Severity.ERROR, "clipped", "slots", 3, "batch_start")) == (
        "slots[3].batch_start: clipped"
    )
    assert str(Diagnostic("V12", Severity.ERROR, "clipped")) == "clipped"


def test_whoever_opens_a_file_names_it() -> None:
    with pytest.raises(FormatError) as caught, reading_from("a.msh"):
        raise FormatError("cut", table="nodes")
    assert str(caught.value) == "a.msh: nodes: cut"


def test_the_innermost_source_stays() -> None:
    with pytest.raises(MshviewError) as caught, reading_from("a.rlb"), reading_from("a.rlb::b.msh"):
        raise AddressError("cut")
    assert caught.value.source == "a.rlb::b.msh"


def test_other_exceptions_pass_untouched() -> None:
    with pytest.raises(KeyError), reading_from("a.msh"):
        raise KeyError("bug")


@pytest.mark.parametrize("count", [0, 1, NAMED_ROWS])
def test_each_wrong_row_is_named(count: int) -> None:
    rows = list(range(5, 5 + count))
    found = row_findings("V11", Severity.ERROR, "nodes", rows, lambda row: f"row {row}", "slots")
    assert [str(each) for each in found] == [f"nodes[{row}].slots: row {row}" for row in rows]


def test_a_flood_of_wrong_rows_is_counted() -> None:
    found = row_findings("V11", Severity.ERROR, "nodes", range(10**6), lambda row: f"row {row}")
    assert len(found) == NAMED_ROWS + 1
    assert states(found[-1].message, f"{10**6 - NAMED_ROWS}")
    assert found[-1].index == NAMED_ROWS
