"""Rules, and the diagnostics of what breaks them: for many rows at once, limited in number for any damage.

Source: spec/README.md 3 (severities).
Status: proven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import NAMED_ROWS, Diagnostic, row_findings
from viewer.errors import FormatError, Severity
from viewer.formats.record import Rows
from viewer.translation import _

# Rows searched at once: a table whose first rows are broken is reported without a look at its last million.
_BLOCK = 1 << 16

Findings = Iterator[tuple[int, list[Diagnostic]]]
"""Diagnostics of some of many subjects, such as models whose tables are joined, with the subject's number."""


class Rule(Struct, frozen=True):
    """A rule of the specification, and what breaks it.

    Parameters
    ----------
    number
        Its number; empty if the specification has no rule for it.
    table, field
        Where it is broken.
    severity
        How bad that is.
    """

    number: str
    table: str = ""
    field: str | None = None
    severity: Severity = Severity.ERROR

    def finding(self, words: str, index: int | None = None, /, **values: object) -> Diagnostic:
        """The diagnostic of the table, or of a row of it, in words with values."""
        return Diagnostic(self.number, self.severity, _(words, **values), self.table, index, self.field)

    def failure(self, words: str, index: int | None = None, /, **values: object) -> FormatError:
        """The error of what cannot be read, in words with values."""
        message = _(words, **values)
        return FormatError(message, table=self.table, index=index, field=self.field, rule=self.number)

    def in_rows(
        self, is_wrong: npt.NDArray[np.bool_], words: str | Callable[[int], str], /, **values: object
    ) -> list[Diagnostic]:
        """Diagnostics by broken row, (n,) bool, in words with values, or as a function describes it.

        Of values, functions and arrays have one for each row, or an array one for all of them.
        """
        count = np.count_nonzero(is_wrong)  # takes a sixth of the time of `any` in a small table
        if not count:
            return []

        def describe(row: int) -> str:
            if callable(words):
                return words(row)
            return _(words, **{name: _of_row(value, row) for name, value in values.items()})

        place = self.number, self.severity, self.table
        return row_findings(*place, _first(is_wrong), describe, self.field, int(count))

    def in_joined(
        self,
        is_wrong: npt.NDArray[np.bool_],
        counts: npt.NDArray[np.int64],
        words: str,
        /,
        **values: object,
    ) -> Findings:
        """The diagnostics of `in_rows` of each subject, from rows (n,) of which each has a number, (m,)."""
        # One subject, as when a single model is read: its rows are all rows, and no owner is searched.
        if len(counts) == 1:
            if found := self.in_rows(is_wrong, words, **values):
                yield 0, found
            return
        rows = np.flatnonzero(is_wrong)
        if not len(rows):
            return
        ends = counts.cumsum()
        # Subjects of 2, 0, 3 rows end at 2, 2, 5: row 2 is the first of the last one.
        for subject in np.unique(np.searchsorted(ends, rows, side="right")).tolist():
            end = int(ends[subject])
            start = end - int(counts[subject])
            own = {name: _between(value, start, end) for name, value in values.items()}
            yield subject, self.in_rows(is_wrong[start:end], words, **own)

    def of_subjects(
        self,
        is_wrong: npt.NDArray[np.bool_],
        words: str,
        index: object = None,
        /,
        **values: object,
    ) -> Findings:
        """Diagnostics by subject that breaks the rule as a whole, (m,) bool.

        Of index and values, arrays and functions have one for each subject.
        """
        if np.count_nonzero(is_wrong):
            for subject in np.flatnonzero(is_wrong).tolist():
                own = {name: _plain(_of_row(value, subject)) for name, value in values.items()}
                at: Any = _plain(_of_row(index, subject))
                yield subject, [self.finding(words, at, **own)]

    def of_problems(self, problems: Mapping[int, str]) -> list[Diagnostic]:
        """Diagnostics by row with a problem, in their order."""
        rows, describe = [*problems], problems.__getitem__
        return row_findings(self.number, self.severity, self.table, rows, describe, self.field)


def _of_row(value: object, row: int) -> object:
    if callable(value):
        return value(row)
    # An array of one element holds for all rows: the limit that each of them exceeds.
    found = value[row if len(value) > 1 else 0] if isinstance(value, np.ndarray) else value
    return found.tolist() if isinstance(found, np.ndarray) else found


def _between(value: object, start: int, end: int) -> object:
    """Values of rows from `start` to `end`, as their own rows from 0."""
    if callable(value):
        # `in_rows` counts from the subject's first row, the function from the first of all.
        return lambda row: value(row + start)
    return value[start:end] if isinstance(value, np.ndarray) else value


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def endless_names(rule: Rule, rows: Rows) -> list[Diagnostic]:
    """Diagnostics by row whose name fills its field without a NUL."""
    is_endless = np.array([b"\0" not in name for name in rows[rule.field].tolist()], np.bool_)
    return rule.in_rows(is_endless, "no NUL in the name")


def _first(is_wrong: npt.NDArray[np.bool_]) -> list[int]:
    """The rows to report and one more, found without a list of all of them."""
    rows: list[int] = []
    for start in range(0, len(is_wrong), _BLOCK):
        rows += (start + np.flatnonzero(is_wrong[start : start + _BLOCK])).tolist()
        if len(rows) > NAMED_ROWS:
            break
    # The one more is where `row_findings` says that others follow.
    return rows[: NAMED_ROWS + 1]
