"""Diagnostics for many rows at once, bounded however damaged a table is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, Severity

LIMIT = 100
"""Rows named one by one; the others are counted."""


def findings(
    rule: str,
    severity: Severity,
    table: str,
    is_wrong: npt.NDArray[np.bool_],
    describe: Callable[[int], str],
    field: str | None = None,
) -> list[Diagnostic]:
    """One diagnostic per wrong row of a table, with the message that `describe` gives for the row.

    `is_wrong` is (n,) bool. Past `LIMIT` rows a last diagnostic says how many more there are.
    """
    rows = np.flatnonzero(is_wrong)
    result = [Diagnostic(rule, severity, describe(row), table, row, field) for row in rows[:LIMIT].tolist()]
    if len(rows) > LIMIT:
        more = f"and {len(rows) - LIMIT} more rows like these"
        result.append(Diagnostic(rule, severity, more, table, int(rows[LIMIT]), field))
    return result
