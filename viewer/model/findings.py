"""Diagnostics for many rows at once, bounded however damaged a table is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, Severity, row_findings


def findings(
    rule: str,
    severity: Severity,
    table: str,
    is_wrong: npt.NDArray[np.bool_],
    describe: Callable[[int], str],
    field: str | None = None,
) -> list[Diagnostic]:
    """One diagnostic per wrong row of a table, with the message that `describe` gives for the row.

    `is_wrong` is (n,) bool.
    """
    return row_findings(rule, severity, table, np.flatnonzero(is_wrong).tolist(), describe, field)
