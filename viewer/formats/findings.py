"""Rules, and the diagnostics of what breaks them: for many rows at once, limited in number for any damage.

Source: spec/README.md 3 (severities).
Status: proven.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass
from viewer.errors import NAMED_ROWS, Diagnostic, FormatError, Severity, row_findings
from viewer.formats.record import Rows
from viewer.translation import _

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Rule:
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
        """One diagnostic per broken row, (n,) bool, in words with values, or as a function describes it.

        Of values, arrays and functions have one for each row.
        """
        if not is_wrong.any():
            return []

        def describe(row: int) -> str:
            if callable(words):
                return words(row)
            return _(words, **{name: _of_row(value, row) for name, value in values.items()})

        count = int(np.count_nonzero(is_wrong))
        place = self.number, self.severity, self.table
        return row_findings(*place, _first(is_wrong), describe, self.field, count)

    def of_problems(self, problems: Mapping[int, str]) -> list[Diagnostic]:
        """One diagnostic per row with a problem, in their order."""
        rows, describe = [*problems], problems.__getitem__
        return row_findings(self.number, self.severity, self.table, rows, describe, self.field)


def _of_row(value: object, row: int) -> object:
    if callable(value):
        return value(row)
    found = value[row] if isinstance(value, np.ndarray) else value
    return found.tolist() if isinstance(found, np.ndarray) else found


def endless_names(rule: Rule, rows: Rows) -> list[Diagnostic]:
    """One diagnostic per row whose name fills its field without a NUL."""
    is_endless = np.array([b"\0" not in name for name in rows[rule.field].tolist()], np.bool_)
    return rule.in_rows(is_endless, "no NUL in the name")


def _first(is_wrong: npt.NDArray[np.bool_]) -> list[int]:
    """The rows to report and one more, found without a list of all of them."""
    rows: list[int] = []
    for start in range(0, len(is_wrong), _BLOCK):
        rows += (start + np.flatnonzero(is_wrong[start : start + _BLOCK])).tolist()
        if len(rows) > NAMED_ROWS:
            break
    return rows[: NAMED_ROWS + 1]
