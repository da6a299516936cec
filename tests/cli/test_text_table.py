"""Tables for people."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.cli.text_table import ALIGNED, ROWS_AT_ONCE, cell, document_lines, lines
from viewer.model.kinds.columns import Columns, MadeColumn, MixedRows


def test_numbers_align_right_and_texts_left() -> None:
    rows = Columns(2, {"name": ["a", "bcd"], "size": np.array([7, 1234]), "at": None})
    assert list(lines(rows)) == ["name  size  at", "a        7   -", "bcd   1234   -"]


def test_cut_table_counts_the_rest() -> None:
    assert list(lines(Columns(5, {"n": np.arange(5)}), 2)) == ["n", "0", "1", "... 3 more"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (True, "yes"),
        (0.1, "0.1"),
        (np.array([1.5, 2.0], np.float32), "1.5 2"),
        ([[1, None], [2, 3]], "1 - | 2 3"),
        ({"a": 1, "b": [1, 2]}, "a 1, b 1 2"),
        ("tab\there", "tab\\there"),
    ],
)
def test_cells(value: object, text: str) -> None:
    assert cell(value) == text


def test_rows_have_every_field() -> None:
    rows = [{"a": 1}, {"b": 2}, {"c": 3}]
    assert list(lines(rows, 2)) == ["a  b  c", "1  -  -", "-  2  -", "... 1 more"]


def test_rows_of_several_kinds() -> None:
    parts = [
        Columns(1, {"kind": ["one"], "a": np.array([1])}),
        Columns(1, {"kind": ["two"], "b": [2.5], "name": ["x"]}),
    ]
    assert list(document_lines({"rows": MixedRows(np.array([1, 0]), parts)}, 1))[1:] == [
        "rows (2)",
        "  kind         fields",
        "  two   name x, b 2.5",
        "  ... 1 more",
    ]


def test_a_long_table_has_one_heading_and_widens_where_it_has_to() -> None:
    numbers = np.zeros(ROWS_AT_ONCE + 1, int)
    numbers[-1] = 1234
    printed = list(lines(Columns(len(numbers), {"n": numbers, "m": numbers})))
    assert printed[:2] == ["n  m", "0  0"]
    assert printed[-2:] == ["0  0", "1234  1234"]
    assert len(printed) == len(numbers) + 1


def test_document_puts_tables_behind_values() -> None:
    document = {"rows": [{"a": 1}], "name": "x", "none": []}
    assert list(document_lines(document)) == ["name  x", "", "rows (1)", "  a", "  1", "", "none (0)"]


def test_what_goes_to_no_terminal_is_never_cut() -> None:
    rows = Columns(2, {"text": ["x" * 1000, "y"], "list": [[*range(1000)], None]})
    heading, row, short = lines(rows)
    assert heading.startswith("text ")
    assert row == "x" * 1000 + "  " + " ".join(map(str, range(1000)))
    assert len(short) == 2 * ALIGNED + 2, "a long cell does not fill the other rows"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viewer.cli.output.line_width", lambda: 50)


@pytest.mark.usefixtures("terminal")
def test_on_a_terminal_a_cell_is_no_longer_than_a_line() -> None:
    _, cut, whole = lines(Columns(2, {"text": ["x" * 51, "y" * 50]}))
    assert (cut, whole) == ("x" * 49 + "…", "y" * 50)


@pytest.mark.usefixtures("terminal")
def test_of_a_long_list_only_what_is_shown_is_looked_at() -> None:
    looked_at: list[int] = []

    def make(value: int) -> int:
        looked_at.append(value)
        return value

    _, row = lines([{"list": MadeColumn(range(1_000_000), make)}])
    assert (len(row), row[-1], max(looked_at)) == (50, "…", 49)
