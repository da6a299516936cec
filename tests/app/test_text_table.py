"""Tables for people."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.app.json_text import Columns
from viewer.app.text_table import cell, document_lines, lines, rows_of


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
        ("tab\there", "tab\\x09here"),
    ],
)
def test_cells(value: object, text: str) -> None:
    assert cell(value) == text


def test_rows_have_every_field() -> None:
    columns = rows_of([{"a": 1}, {"b": 2}]).columns
    assert {name: list(values or ()) for name, values in columns.items()} == {"a": [1, None], "b": [None, 2]}


def test_document_puts_tables_behind_values() -> None:
    document = {"rows": [{"a": 1}], "name": "x", "none": []}
    assert list(document_lines(document)) == ["name  x", "", "rows (1)", "  a", "  1", "", "none (0)"]


def test_wide_cells_are_cut() -> None:
    _, row = lines(Columns(1, {"text": ["x" * 200]}))
    assert row == "x" * 79 + "…"
