"""Rows of a table added, removed and moved, for every table whose format allows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viewer.errors import EditError
from viewer.formats.part import Part
from viewer.model.edit.choices import RowChoice
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows import row_tables
from viewer.model.edit.rows.arrangement import Arrangement, NewRow
from viewer.model.edit.rows.row_tables import RowTable
from viewer.translation import Sentence

MOST_ADDED = 1 << 16
"""Rows that are added at once, at most."""


@dataclass(frozen=True, slots=True)
class AddRows:
    """Insert rows; numbers of rows that are stored, and references to rows, follow.

    Parameters
    ----------
    table
        Path of the table: ``phases``, ``blocks[2].keys``.
    before
        The row that they are inserted before; None: after the last.
    count
        Number of rows.
    like
        The row that they are copies of; None: the usual values of a new row.
    record
        Name of the record of the rows, where a table has several: ``particle``.
    """

    table: str
    before: int | None = None
    count: int = 1
    like: int | None = None
    record: str = ""

    @property
    def words(self) -> str:
        """The table and the number of rows."""
        if self.count == 1:
            return Sentence("add a row to {table}", table=self.table)
        return Sentence("add {count} rows to {table}", count=self.count, table=self.table)

    def apply(self, draft: Draft) -> None:
        """Insert the rows; raises `EditError` if the table cannot have them."""
        part, table = _table(draft, self.table)
        before = part.count if self.before is None else self.before
        _check_row(self.table, part, before, part.count)
        if self.like is not None:
            _check_row(self.table, part, self.like, part.count - 1)
        if not 1 <= self.count <= MOST_ADDED:
            message = Sentence("{value} exceeds {low}..{high}", value=self.count, low=1, high=MOST_ADDED)
            raise EditError(message, table=self.table)
        new = (NewRow(self.like, self.record),) * self.count
        items = (*range(before), *new, *range(before, part.count))
        _arrange(draft, self.table, table, Arrangement(part.count, items))


@dataclass(frozen=True, slots=True)
class RemoveRows:
    """Remove rows; numbers of rows that are stored, and references to rows, follow.

    Parameters
    ----------
    table
        Path of the table.
    rows
        The rows; of a tree of rows those below them are removed too.
    """

    table: str
    rows: RowChoice

    @property
    def words(self) -> str:
        """The place of the rows."""
        return Sentence("remove {place}", place=f"{self.table}[{self.rows.shown}]")

    def apply(self, draft: Draft) -> None:
        """Remove the rows; raises `EditError` if something refers to one, or the table needs them."""
        part, table = _table(draft, self.table)
        removed = set(_with_below(draft, part, table, self.rows.rows(draft, self.table)))
        if not removed:
            return
        items = tuple(row for row in range(part.count) if row not in removed)
        _arrange(draft, self.table, table, Arrangement(part.count, items))


@dataclass(frozen=True, slots=True)
class MoveRows:
    """Move rows before another row, in the order in which they are; references to rows follow.

    Parameters
    ----------
    table
        Path of the table.
    rows
        The rows; of a tree of rows those below them are moved too.
    before
        The row that they are moved before; None: to the end.
    """

    table: str
    rows: RowChoice
    before: int | None = None

    @property
    def words(self) -> str:
        """The place of the rows and where they go."""
        place = f"{self.table}[{self.rows.shown}]"
        if self.before is None:
            return Sentence("move {place} to the end", place=place)
        return Sentence("move {place} before row {row}", place=place, row=self.before)

    def apply(self, draft: Draft) -> None:
        """Move the rows; raises `EditError` if the order of the table is fixed."""
        part, table = _table(draft, self.table)
        before = part.count if self.before is None else self.before
        _check_row(self.table, part, before, part.count)
        rows = _with_below(draft, part, table, self.rows.rows(draft, self.table))
        chosen = frozenset(rows)
        kept = [row for row in range(part.count) if row not in chosen]
        at = sum(row < before for row in kept)
        items = (*kept[:at], *rows, *kept[at:])
        if items != tuple(range(part.count)):
            _arrange(draft, self.table, table, Arrangement(part.count, items, chosen))


RowChange = AddRows | RemoveRows | MoveRows


def _table(draft: Draft, path: str) -> tuple[Part, RowTable]:
    """The part of a table and what its rows allow; raises `EditError` or `UsageError`."""
    part = draft.part(path)
    table = row_tables.of(draft.kind.id, path)
    if not part.is_table:
        raise EditError(Sentence("has no rows"), table=path)
    if isinstance(table, str):
        raise EditError(table, table=path)
    return part, table


def _check_row(table: str, part: Part, row: int, last: int) -> None:
    if not 0 <= row <= last:
        raise EditError(Sentence("there are {count} rows", count=part.count), table=table, index=row)


def _with_below(draft: Draft, part: Part, table: RowTable, rows: Sequence[int]) -> list[int]:
    """Rows and those that belong to them."""
    return sorted({it for row in rows for it in table.extent(draft, part, row)})


def _arrange(draft: Draft, path: str, table: RowTable, arrangement: Arrangement) -> None:
    if arrangement.growth and not table.can_grow:
        raise EditError(Sentence("the number of its rows is fixed"), table=path)
    try:
        splices = table.arrange(draft, path, arrangement)
    except EditError as error:
        raise error if error.table else EditError(error.message, table=path, index=error.index) from None
    draft.splice_readable(splices)
    items = [item if isinstance(item, int) else None for item in arrangement.items]
    draft.note_rows(path, arrangement.count, items)
