"""Tables as text: quotes, and no text that a spreadsheet would run."""

from __future__ import annotations

import csv
import io

from viewer.model.kinds.separated import text_of

ROWS = [
    ["name", "value"],
    ["=1+1", "-1.5"],
    ["@SUM(A1)", "+1e3"],
    ["+cmd", "-1 2 -3"],
    ["\tx", "-"],
    ['a "b", c', ""],
    ["a\tb", "a\nb"],
]


def test_a_text_is_no_formula_and_a_number_stays() -> None:
    for delimiter in (",", "\t"):
        read = [*csv.reader(io.StringIO(text_of(ROWS, delimiter)), delimiter=delimiter)]
        assert read[1:5] == [["'=1+1", "-1.5"], ["'@SUM(A1)", "+1e3"], ["'+cmd", "-1 2 -3"], ["'\tx", "'-"]]
        assert read[0] == ROWS[0]
        assert read[5:] == ROWS[5:]


def test_lines_end_as_everywhere() -> None:
    assert text_of([["a", "b"], ["c,d", "e"]]) == 'a,b\n"c,d",e\n'
    assert text_of([["a", "\x1b"]], shown=lambda it: it.replace("\x1b", "\\x1b")) == "a,\\x1b\n"
