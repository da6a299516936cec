"""A new order of the rows of a table: rows that stay, rows that are left out, rows that are new."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from viewer.dataclass import dataclass
from viewer.errors import EditError
from viewer.formats.archive import nres_edit
from viewer.formats.part import Part
from viewer.formats.splice import Splices, applied, between, moved, ordered
from viewer.model.edit.change import refusal
from viewer.model.edit.draft import REMOVED, Draft, refused, renumbered, targets_of
from viewer.model.mesh.draws import Indices
from viewer.translation import _


@dataclass(frozen=True, slots=True)
class NewRow:
    """A row that is added.

    Parameters
    ----------
    like
        The row that it is a copy of, by its old index; None for one with the usual values.
    record
        Name of its record, for tables whose rows have several.
    """

    like: int | None = None
    record: str = ""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The rows of a table after a change.

    Parameters
    ----------
    count
        Number of rows before.
    items
        The rows in their new order: old indices and new rows.
    moved
        Old indices of the rows that were moved, not just shifted by others.
    """

    count: int
    items: tuple[int | NewRow, ...]
    moved: frozenset[int] = frozenset()

    @property
    def growth(self) -> int:
        """How many rows more there are."""
        return len(self.items) - self.count

    @property
    def sources(self) -> Indices:
        """For each new row the old one with its content, -1 for none, (n,)."""
        like = (item if isinstance(item, int) else item.like for item in self.items)
        return np.array([REMOVED if it is None else it for it in like], np.int64)

    @property
    def order(self) -> tuple[int | None, ...]:
        """The rows by the indices that they had, None for a new one."""
        return tuple(item if isinstance(item, int) else None for item in self.items)

    @property
    def new_indices(self) -> Indices:
        """The new index of each old row, `REMOVED` for those left out, (count,)."""
        return targets_of(self.count, self.order)

    def renumbered(self, draft: Draft, table: str, field: str, word: str) -> Splices:
        """The splices of a field of a table that refers to the rows, which are called by a word.

        Raises `EditError` if it refers to a row that is left out; what refers to no row stays.
        """
        part = draft.part(table)
        rows: Any = part.rows
        old = rows[field].astype(np.int64)
        new = renumbered(old, self.new_indices)
        # REMOVED is -1, which also stands for "refers to no row": only what did refer to one is lost.
        lost = np.flatnonzero((new == REMOVED) & (old != REMOVED))
        if len(lost):
            row = int(lost[0])
            words = "refers to {what} {index}, which would be removed"
            raise refusal(words, table, row, field, what=word, index=int(old[row]))
        after = rows.copy()
        after[field] = new
        return replaced(draft, part.start, part.size, after.tobytes())


Blank = Callable[[Draft, Part, NewRow], bytes]
"""Makes a row with the usual values; raises `EditError`."""


def zeros(_ignored: Draft, part: Part, __: NewRow) -> bytes:
    """A row of zeros."""
    return bytes(part.record.size if part.record else 0)


def row_bytes(draft: Draft, part: Part, row: int) -> bytes:
    """The bytes of a row of a table."""
    start, size = part.span(row)
    return bytes(draft.data[start : start + size])


def arranged(draft: Draft, part: Part, arrangement: Arrangement, blank: Blank) -> Splices:
    """The splices of the rows alone."""
    rows = bytearray()
    blanks: dict[NewRow, bytes] = {}
    for item in arrangement.items:
        source = item.like if isinstance(item, NewRow) else item
        if source is not None:
            rows += row_bytes(draft, part, source)
        elif isinstance(item, NewRow):
            if item not in blanks:
                blanks[item] = blank(draft, part, item)
            rows += blanks[item]
    return replaced(draft, part.start, part.size, bytes(rows))


def replaced(draft: Draft, start: int, size: int, after: bytes) -> Splices:
    """The splices that put bytes in place of a range."""
    before = draft.data[start : start + size]
    return ordered(moved(between(before, after), start))


def counted(draft: Draft, table: str, field: str, growth: int, most: int | None = None) -> Splices:
    """The splice of a stored number of rows; raises `EditError` if the field cannot hold it.

    Parameters
    ----------
    table, field
        The record with the number.
    growth
        How many more there are.
    most
        The limit, if that is less than what fits the field.
    """
    part = draft.part(table)
    record = part.record
    if record is None or not isinstance(part.rows, np.void):
        raise EditError(_("has no number of rows"), table=table)
    declared = record.field(field)
    number = int(part.rows[field]) + growth
    # A <u2 holds 65,535 at most.
    limit = most or int(np.iinfo(declared.dtype).max)
    if not 0 <= number <= limit:
        message = _("{count} rows, at most {limit} are possible", count=number, limit=limit)
        raise EditError(message, table=table, field=field)
    start = part.start + declared.offset
    return replaced(draft, start, declared.size, np.array(number, declared.dtype).tobytes())


def sibling(path: str, name: str) -> str:
    """The path of a part next to another: that of ``blocks[2].header`` for ``blocks[2].keys``."""
    holder, _ignored, _ignored = path.rpartition(".")
    return f"{holder}.{name}" if holder else name


def joined(*parts: Splices) -> Splices:
    """Splices of different ranges together."""
    return ordered([it for part in parts for it in part])


def in_container(draft: Draft, type_id: int, splices: Splices, growth: tuple[int, int] = (0, 0)) -> Splices:
    """The splices of a model, from those of a table in it and how much more its attributes count.

    Raises `EditError` if the table shares its bytes, or if the container cannot move its payloads.
    """
    archive = draft.model.archive
    index = archive.find_type(type_id)
    entry = None if index is None else archive.entry(index)
    if entry is None or any(not entry.offset <= it.offset <= it.end <= entry.end for it in splices):
        raise EditError(_("shares its bytes with another table"))
    if not splices:
        return ()
    inside = moved(splices, -entry.offset)
    edit = nres_edit.Edit(archive)
    with refused():
        edit.replace(entry.index, applied(archive.payload(entry.index), inside), inside)
        if any(growth):
            attr1, attr2 = (
                # At least 0: the attributes of a damaged table may count fewer rows than it has.
                max(0, it + more)
                for it, more in zip((entry.attr1, entry.attr2), growth, strict=True)
            )
            edit.describe(entry.index, attr1, attr2, entry.attr3)
        return edit.splices()
