"""Strict reading: the first error ends it."""

from __future__ import annotations

from collections.abc import Iterable

from viewer.errors import Diagnostic, FormatError, Severity


def refuse_errors(source: str, diagnostics: Iterable[Diagnostic]) -> None:
    """Raise `FormatError` for the first error among findings."""
    error = next((finding for finding in diagnostics if finding.severity is Severity.ERROR), None)
    if error is not None:
        raise FormatError(
            error.message, table=error.table, index=error.index, field=error.field, source=source
        )
