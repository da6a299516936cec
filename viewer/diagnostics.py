"""Diagnostics: what is wrong in a file, or what is to be said of it, without ending an operation.

A diagnostic is collected: the damaged range is left out and reading continues with the rest. They
are apart from `viewer.errors`, which every start loads: ``--version`` does without the classes of msgspec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from viewer.errors import FormatError, Severity, located, location
from viewer.translation import Text, _, translated


class Diagnostic(Struct, frozen=True):
    """A problem in a file: its rule, severity, location, and the values."""

    rule: str
    severity: Severity
    message: str
    table: str = ""
    index: int | None = None
    field: str | None = None

    @classmethod
    def of(cls, error: FormatError) -> Diagnostic:
        """The diagnostic of an error that ends nothing."""
        return cls(error.rule, Severity.ERROR, error.message, error.table, error.index, error.field)

    @property
    def where(self) -> str:
        """The known parts of ``table[index].field``."""
        return location(self.table, self.index, self.field)

    @property
    def text(self) -> str:
        """The text of `str`, with a message that can still be translated."""
        return located((self.where,), self.message)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, translated(self.message)) if part)


FEW: Final = 4
"""Sentences of one kind that are said one by one; of more the first is, with the number of the others."""


class Remark(Struct, frozen=True):
    """A sentence, and the sentences or names that it stands for; none if it stands for itself."""

    words: str
    details: tuple[str, ...] = ()


def remarks_of(sentences: Iterable[str]) -> Iterator[Remark]:
    """Yield a remark for each sentence; many that say the same of other things are one.

    A number of things in a sentence is a message with their ``names`` among its values.
    """
    kinds: dict[object, list[str]] = {}
    for it in sentences:
        kinds.setdefault(_kind(Text.of(it)), []).append(it)
    for found in kinds.values():
        if len(found) <= FEW:
            yield from (Remark(it, _names(Text.of(it))) for it in found)
        else:
            words = _("{first}, and {count} more like it", first=Text.of(found[0]), count=len(found) - 1)
            yield Remark(words, tuple(found))


def _kind(text: Text) -> object:
    """Kind of a sentence: its template, and those of the messages in it."""
    return text.template, *(_kind(it) for it in text.values.values() if isinstance(it, Text))


def _names(text: Text) -> tuple[str, ...]:
    inside = (it for it in text.values.values() if isinstance(it, Text))
    own: Any = text.values.get("names", ())
    return (*(own if isinstance(own, tuple) else ()), *(name for it in inside for name in _names(it)))


NAMED_ROWS = 100
"""Rows that one rule names individually; further rows are counted."""


def row_findings(
    rule: str,
    severity: Severity,
    table: str,
    rows: Sequence[int],
    describe: Callable[[int], str],
    field: str | None = None,
    count: int | None = None,
) -> list[Diagnostic]:
    """Diagnostics by broken row of a table, with the message `describe(row)`.

    After `NAMED_ROWS` of them a last one counts the others, so a damaged table cannot fill memory.
    `count` is the number of broken rows if `rows` holds only the first `NAMED_ROWS` + 1 of them.
    """
    found = [Diagnostic(rule, severity, describe(row), table, row, field) for row in rows[:NAMED_ROWS]]
    others = (len(rows) if count is None else count) - NAMED_ROWS
    if others > 0:
        more = _("and {count} more rows like these", count=others)
        found.append(Diagnostic(rule, severity, more, table, rows[NAMED_ROWS], field))
    return found


def refuse_errors(source: object, diagnostics: Iterable[Diagnostic]) -> None:
    """Raise `FormatError` for the first error among the diagnostics, as strict reading requires."""
    error = next((finding for finding in diagnostics if finding.severity is Severity.ERROR), None)
    if error is not None:
        raise FormatError(
            error.message, table=error.table, index=error.index, field=error.field, source=source
        )
