"""Diagnostics for many rows at once, limited in number for any damage.

Source: spec/README.md 3 (severities).
Status: proven.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from viewer.errors import NAMED_ROWS, Diagnostic, Severity, row_findings
from viewer.formats.record import Rows

_BLOCK = 1 << 16


def findings(
    rule: str,
    severity: Severity,
    table: str,
    is_wrong: npt.NDArray[np.bool_],
    describe: Callable[[int], str],
    field: str | None = None,
) -> list[Diagnostic]:
    """One diagnostic per broken row of a table, with the message `describe(row)`.

    `is_wrong` is (n,) bool.
    """
    if not is_wrong.any():
        return []
    count = int(np.count_nonzero(is_wrong))
    return row_findings(rule, severity, table, _first(is_wrong), describe, field, count)


def endless_names(rule: str, severity: Severity, table: str, rows: Rows, field: str) -> list[Diagnostic]:
    """One diagnostic per row whose name fills its field without a NUL."""
    is_endless = np.array([b"\0" not in name for name in rows[field].tolist()], np.bool_)
    return findings(rule, severity, table, is_endless, lambda _: "no NUL in the name", field)


def _first(is_wrong: npt.NDArray[np.bool_]) -> list[int]:
    """The rows to report and one more, found without a list of all of them."""
    rows: list[int] = []
    for start in range(0, len(is_wrong), _BLOCK):
        rows += (start + np.flatnonzero(is_wrong[start : start + _BLOCK])).tolist()
        if len(rows) > NAMED_ROWS:
            break
    return rows[: NAMED_ROWS + 1]
