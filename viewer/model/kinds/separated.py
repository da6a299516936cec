"""Tables as text with delimiters, for spreadsheets and programs.

A text that a spreadsheet would run as a formula begins with an apostrophe, as spreadsheets have it: names
come from files of others.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Final

FORMULAS: Final = "=+-@\t\r"
"""The characters at the start of a cell that spreadsheets take for a formula."""


def text_of(rows: Iterable[Sequence[str]], delimiter: str = ",", shown: Callable[[str], str] = str) -> str:
    """A line for each row; a cell with the delimiter or a quote stands in quotes.

    Parameters
    ----------
    shown
        How a cell is written: with escapes for what a terminal would obey.
    """
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=delimiter, lineterminator="\n")
    writer.writerows([shown(_harmless(cell)) for cell in row] for row in rows)
    return lines.getvalue()


def _harmless(cell: str) -> str:
    """A cell of a table; what is not a number, or some, does not begin as a formula does."""
    # The start of an empty cell is in every text.
    if cell[:1] not in FORMULAS or not cell:
        return cell
    try:
        # A spreadsheet takes a cell that begins with "-" for a formula. "-1.5" and "-1 0 2" are numbers all
        # the same, and are left as they are.
        [*map(float, cell.split())]
    except ValueError:
        return f"'{cell}"
    return cell
