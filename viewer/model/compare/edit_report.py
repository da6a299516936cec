"""Report of an edit of a file: the values that change, in words, and the diagnostics that it adds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.geometry.transforms import Indices
from viewer.json_types import JsonObject, Natural
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.row_summary import is_of_pixels, summaries
from viewer.model.compare.value_rows import row_runs, value_rows
from viewer.model.kinds.columns import PlainRows
from viewer.model.kinds.json_text import as_written
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.translation import Text

MOST_VALUES: Final = 10_000
"""Changed values that are listed one by one; further ones are counted."""


class Finding(NamedTuple):
    """A diagnostic, and the address of its payload."""

    source: Address
    diagnostic: Diagnostic


class ChangedValue(Struct, frozen=True):
    """A value that differs, or a row that only one file has.

    Attributes
    ----------
    what
        Whether it was changed, added or removed.
    address
        The payload.
    table, row, field
        The place in it; the row is that after the edit, of a removed one that before it, None if there are no
        rows. The field is empty for a whole row.
    before, after
        As ``inspect`` prints them; None for a whole row.
    name
        The name of the row; empty if it has none.
    count
        How many rows from `row` on change in the same way.
    digits
        Hexadecimal digits of a set of bits, 0 of another value.
    """

    what: ChangeKind
    address: Address
    table: str
    row: int | None
    field: str
    before: Any
    after: Any
    name: str = ""
    count: int = 1
    digits: int = 0

    @property
    def written(self) -> tuple[Any, Any]:
        """The values before and after as text writes them: sets of bits in hexadecimal."""
        return as_written(self.digits, self.before), as_written(self.digits, self.after)

    @property
    def place(self) -> Place:
        """The place after the edit, of a removed row that before it."""
        return Place(self.address, self.table, self.row, self.field)

    @property
    def in_file(self) -> str:
        """The place in its payload: ``batches[3].flags``, ``frame_map[310:382].key``."""
        # A run is written as Python's slice: rows 310 to 381 are 310:382.
        if self.row is None or self.count == 1:
            return self.place.in_file
        rows = f"{self.table}[{self.row}:{self.row + self.count}]"
        return f"{rows}.{self.field}" if self.field else rows

    def follows(self, before: ChangedValue) -> bool:
        """Whether this value is the next row of a run of rows that change in the same way."""
        if self.name or self.row is None or before.row is None or self.row != before.row + before.count:
            return False
        is_alike = self.after == before.after and self.before == before.before  # most are not: these first
        return is_alike and replace(self, row=before.row, count=before.count) == before


class Renumbered(JsonObject, frozen=True):
    """References of a field that only follow their rows."""

    address: str
    table: str
    field: str
    count: Natural


class EditReport(Struct, frozen=True, eq=False, dict=True):
    """Report of an edit of a file: the values that change, and the diagnostics that come and go.

    Attributes
    ----------
    changed
        What differs, by the address of the payload.
    added, resolved
        Diagnostics that only the edited file has, and those that only the file before has.
    """

    changed: tuple[tuple[Address, Difference], ...] = ()
    added: tuple[Finding, ...] = ()
    resolved: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The errors among the added diagnostics: the edit is refused unless it is forced."""
        return tuple(it for it in self.added if it.diagnostic.severity is Severity.ERROR)

    @property
    def payloads(self) -> tuple[Address, ...]:
        """The payloads in which anything differs, each once; entries by their own address."""
        return tuple(dict.fromkeys(address.child(*it.path) for address, it in self.changed))

    @cached_property
    def value_count(self) -> int:
        """Number of all changed values and rows, listed or not, without references that only follow."""
        return sum(it.count for _, it in self.changed if it.what is not ChangeKind.RENUMBERED)

    @cached_property
    def summary(self) -> tuple[Text, ...]:
        """The inserted, removed and renumbered rows in words, a sentence for each payload that has any."""
        return summaries(self.changed)

    @property
    def renumbered(self) -> Iterator[Renumbered]:
        """Numbers of references of each field that only follow their rows."""
        for address, it in self.changed:
            if it.what is ChangeKind.RENUMBERED:
                yield Renumbered(str(address.child(*it.path)), it.table, it.field, it.count)

    @cached_property
    def values(self) -> tuple[ChangedValue, ...]:
        """The first changed values but pixels, at most `MOST_VALUES`, to be shown; equal rows are one."""
        return values_of(self.changed)

    @property
    def shown_count(self) -> int:
        """Number of the values that may be shown one by one: all but pixels."""
        return self.value_count - sum(it.count for _, it in self.changed if is_of_pixels(it))

    def each_run(self) -> Iterator[ChangedValue]:
        """All changed values; rows that change alike are one."""
        return _runs(_each((address, it) for address, it in self.changed if not is_of_pixels(it)))

    @property
    def rows(self) -> PlainRows:
        """All changed values and rows; added or removed rows without values that follow as one."""
        return value_rows(self.changed)


def _each(changed: Iterable[tuple[Address, Difference]]) -> Iterator[ChangedValue]:
    """All values of differences, without references that only follow."""
    for address, it in changed:
        if it.what is not ChangeKind.RENUMBERED:
            where = address.child(*it.path)
            # A removed row has a number before the edit only.
            rows = it.rows_a if it.what is ChangeKind.REMOVED else it.rows_b
            if rows is not None and not (len(it.a) or len(it.b) or len(it.names)):
                yield from _row_runs(it, where, rows)
                continue
            numbers: list[int | None] = [None] * it.count if rows is None else rows.tolist()
            before, after = (
                values.tolist() if isinstance(values, np.ndarray) else values for values in (it.a, it.b)
            )
            for index, row in enumerate(numbers):
                yield ChangedValue(
                    it.what,
                    where,
                    it.table,
                    row,
                    it.field,
                    before[index] if index < len(before) else None,
                    after[index] if index < len(after) else None,
                    it.names[index] if index < len(it.names) else "",
                    digits=it.digits,
                )


def _row_runs(difference: Difference, where: Address, rows: Indices) -> Iterator[ChangedValue]:
    """Rows without values, those that follow each other as one: there may be a million of them."""
    first, counts = row_runs(rows)
    for row, count in zip(first.tolist(), counts.tolist(), strict=True):
        yield ChangedValue(
            difference.what, where, difference.table, row, difference.field, None, None, count=count
        )


def _runs(values: Iterable[ChangedValue]) -> Iterator[ChangedValue]:
    """Values with those of following rows that change in the same way as one."""
    run: ChangedValue | None = None
    for value in values:
        if run is not None and value.follows(run):
            run = replace(run, count=run.count + value.count)
        else:
            if run is not None:
                yield run
            run = value
    if run is not None:
        yield run


def values_of(changed: Iterable[tuple[Address, Difference]]) -> tuple[ChangedValue, ...]:
    """The first values of differences but pixels, at most `MOST_VALUES`; rows that change alike are one."""
    shown = ((address, it) for address, it in changed if not is_of_pixels(it))
    # Cut before runs are joined: what is left out is not even looked at.
    return tuple(_runs(islice(_each(shown), MOST_VALUES)))


def by_kind(found: Iterable[Finding]) -> list[tuple[Finding, ...]]:
    """The diagnostics of one rule in one field of one payload together, each kind where its first one is."""
    kinds: dict[Hashable, list[Finding]] = {}
    for it in found:
        own = it.diagnostic
        # Without a rule and a place only the same words are the same problem.
        words = "" if own.rule or own.table else own.message
        kinds.setdefault((it.source, own.severity, own.rule, own.table, own.field, words), []).append(it)
    return [*map(tuple, kinds.values())]


class FoundDiagnostic(JsonObject, frozen=True):
    """A finding of a rule, with the address of its payload: a `DiagnosticRow` with its source."""

    source: str
    rule: str
    severity: Severity
    table: str
    index: int | None
    field: str | None
    message: str

    @classmethod
    def found(cls, it: Finding) -> FoundDiagnostic:
        """The object of a finding."""
        return cls.of(it.diagnostic, source=str(it.source))
