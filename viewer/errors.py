"""What can go wrong: errors that end an operation, and diagnostics that it survives.

An error is raised where the values are known and caught once, in ``app``. A diagnostic is
collected: the damaged range is left out and the rest goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from viewer.translation import Sentence


class MshviewError(Exception):
    """An operation that cannot go on; the text names the source, the place and what is wrong."""

    def __init__(self, message: str, *, source: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.source = source

    @property
    def where(self) -> str:
        """The place inside the source, empty where the whole source is meant."""
        return ""

    def __str__(self) -> str:
        return ": ".join(part for part in (self.source, self.where, self.message) if part)


class FormatError(MshviewError):
    """Bytes that cannot be read as what they should be.

    Parameters
    ----------
    message
        What is wrong, with the values.
    table, index, field
        The place; ``index`` counts records of ``table``.
    rule
        Number of the rule that is broken, empty where the specification has none for it.
    source
        File or ``FILE::ENTRY`` address; the decoder leaves it empty, whoever opened the file fills it in.
    """

    def __init__(
        self,
        message: str,
        *,
        table: str = "",
        index: int | None = None,
        field: str | None = None,
        rule: str = "",
        source: str = "",
    ) -> None:
        super().__init__(message, source=source)
        self.table = table
        self.index = index
        self.field = field
        self.rule = rule

    @property
    def where(self) -> str:
        """``table[index].field``, as far as known."""
        return place(self.table, self.index, self.field)

    @property
    def finding(self) -> Diagnostic:
        """The same as one of the findings in a file."""
        return Diagnostic(self.rule, Severity.ERROR, self.message, self.table, self.index, self.field)


class AddressError(MshviewError):
    """An address that leads nowhere: no such file, no such entry, or an entry of the wrong kind."""


class OutputError(MshviewError):
    """Output that could not be written."""


class UsageError(MshviewError):
    """A request that makes no sense, whatever the file holds."""


class Severity(StrEnum):
    """How bad a finding is (spec/README.md 3)."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding in one file: which rule, how bad, where, and what the values are."""

    rule: str
    severity: Severity
    message: str
    table: str = ""
    index: int | None = None
    field: str | None = None

    @property
    def where(self) -> str:
        """``table[index].field``, as far as known."""
        return place(self.table, self.index, self.field)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.message) if part)


NAMED_ROWS = 100
"""Rows that one rule names one by one; the others are counted."""


def row_findings(
    rule: str,
    severity: Severity,
    table: str,
    rows: Sequence[int],
    describe: Callable[[int], str],
    field: str | None = None,
    count: int | None = None,
) -> list[Diagnostic]:
    """One diagnostic per wrong row of a table, with the message that `describe` gives for the row.

    Past `NAMED_ROWS` a last one says how many more there are, so a damaged table cannot flood memory.
    `count` is the number of wrong rows where `rows` holds only the first of them, one more than are named.
    """
    found = [Diagnostic(rule, severity, describe(row), table, row, field) for row in rows[:NAMED_ROWS]]
    others = (len(rows) if count is None else count) - NAMED_ROWS
    if others > 0:
        more = Sentence("and {count} more rows like these", count=others)
        found.append(Diagnostic(rule, severity, more, table, rows[NAMED_ROWS], field))
    return found


def refuse_errors(source: str, diagnostics: Iterable[Diagnostic]) -> None:
    """Raise `FormatError` for the first error among findings: what strict reading ends with."""
    error = next((finding for finding in diagnostics if finding.severity is Severity.ERROR), None)
    if error is not None:
        raise FormatError(
            error.message, table=error.table, index=error.index, field=error.field, source=source
        )


def place(table: str, index: int | None = None, field: str | None = None) -> str:
    """Spell a place inside a file, for example ``batches[12].index_start``."""
    row = "" if index is None else f"[{index}]"
    return ".".join(part for part in (f"{table}{row}", field) if part)


@contextmanager
def reading_from(source: str) -> Iterator[None]:
    """Name the source in errors that do not know it yet."""
    try:
        yield
    except MshviewError as error:
        error.source = error.source or source
        raise
