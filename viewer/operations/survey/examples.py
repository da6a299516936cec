"""Examples of rows behind the figures of a survey: shown on this computer, never a part of a report.

Source: spec/survey.md, which lets a report hold no name and lets the window lead to the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field

from viewer.geometry.transforms import Indices, Mask
from viewer.model.store.address import Address
from viewer.model.store.place import Place

Value = int | float | str
"""Value of a bin: a number, or one of the words of a question; never a text of a file."""
MOST_PLACES: Final = 100
"""Places that are kept of a reading on each side, one of each file: a list that a person goes through."""
MOST_OF_VALUE: Final = 8
MOST_PLACED_VALUES: Final = 1024
"""Values of a table whose places are kept. A report has 64 of a table, the most frequent ones, which come
early; a field of hashes would take 100 MB of places without this."""

Row = tuple[str, int | None]
"""Table and row in a file; an empty table and None is the whole file."""
WHOLE: Final[Row] = ("", None)


class FileExamples(Struct, eq=False):
    """The first row of one file for each reading, where it holds and where not, and for each value.

    Attributes
    ----------
    table, rows
        The rows in the table of the file that the next readings and values are about, (n,); None if they
        are about the file as a whole.
    """

    table: str = ""
    rows: Indices | None = None
    readings: dict[tuple[str, bool], Row] = field(default_factory=dict)
    values: dict[tuple[str, Value], Row] = field(default_factory=dict)

    def note_reading(self, name: str, holds: Mask) -> None:
        """Note the first row on which a reading holds, (n,), and the first on which it does not."""
        for is_held in (True, False):
            found = np.flatnonzero(holds == is_held)
            if len(found):
                self.readings.setdefault((name, is_held), self._row(int(found[0]), holds.size))

    def note_values(self, table: str, values: Sequence[Value], first: Sequence[int], count: int) -> None:
        """Note the first row of each value of `count` rows."""
        for value, row in zip(values[:MOST_PLACED_VALUES], first, strict=False):
            self.values.setdefault((table, value), self._row(row, count))

    def _row(self, row: int, count: int) -> Row:
        # What is counted several times for each row, or for the file, is of no row.
        return WHOLE if self.rows is None or len(self.rows) != count else (self.table, int(self.rows[row]))


class SurveyExamples(Struct):
    """Places of a question in all files, at most `MOST_PLACES` for each reading and side.

    It only grows: while a survey runs, another thread may ask it.
    """

    readings: dict[tuple[str, bool], list[Place]] = field(default_factory=dict)
    values: dict[tuple[str, Value], list[Place]] = field(default_factory=dict)
    value_counts: dict[str, int] = field(default_factory=dict)

    def add(self, address: Address, examples: FileExamples) -> None:
        """Add what was noted in the file or entry at an address."""
        for key, row in examples.readings.items():
            kept = self.readings.setdefault(key, [])
            if len(kept) < MOST_PLACES:
                kept.append(Place(address, *row))
        for named, row in examples.values.items():
            places = self._of_value(named)
            if places is not None and len(places) < MOST_OF_VALUE:
                places.append(Place(address, *row))

    def _of_value(self, named: tuple[str, Value]) -> list[Place] | None:
        """The kept places of a value; None if too many values of its table are known."""
        known = self.values.get(named)
        count = self.value_counts.get(named[0], 0)
        if known is None and count < MOST_PLACED_VALUES:
            self.value_counts[named[0]] = count + 1
            known = self.values[named] = []
        return known

    def join(self, other: SurveyExamples) -> None:
        """Add the places of other files."""
        for key, places in other.readings.items():
            kept = self.readings.setdefault(key, [])
            kept += places[: MOST_PLACES - len(kept)]
        for named, places in other.values.items():
            mine = self._of_value(named)
            if mine is not None:
                mine += places[: MOST_OF_VALUE - len(mine)]

    def of_reading(self, name: str, *, is_held: bool) -> tuple[Place, ...]:
        """The places where a reading holds, or does not."""
        return tuple(self.readings.get((name, is_held), ()))

    def of_value(self, table: str, value: Value) -> tuple[Place, ...]:
        """The places with a value of a table."""
        return tuple(self.values.get((table, value), ()))
