"""A new order of the rows of a table: rows that stay, rows that are left out, rows that are new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError
from viewer.formats.part import Part
from viewer.formats.splice import Splices, between, moved, ordered
from viewer.model.edit.draft import Draft
from viewer.translation import Sentence

REMOVED: Final = -1
"""The new index of a row that is left out."""


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
    def sources(self) -> npt.NDArray[np.int64]:
        """For each new row the old one with its content, -1 for none, (n,)."""
        like = (item if isinstance(item, int) else item.like for item in self.items)
        return np.array([REMOVED if it is None else it for it in like], np.int64)

    @property
    def new_indices(self) -> npt.NDArray[np.int64]:
        """The new index of each old row, `REMOVED` for those left out, (count,)."""
        found = np.full(self.count, REMOVED, np.int64)
        for index, item in enumerate(self.items):
            if isinstance(item, int):
                found[item] = index
        return found


Blank = Callable[[Draft, Part, NewRow], bytes]
"""Makes a row with the usual values; raises `EditError`."""
Arranger = Callable[[Draft, str, Arrangement], Splices]
"""The splices that rearrange the rows of a part with a path; raises `EditError`."""


def zeros(_: Draft, part: Part, __: NewRow) -> bytes:
    """A row of zeros."""
    return bytes(part.record.size if part.record else 0)


def row_bytes(draft: Draft, part: Part, row: int) -> bytes:
    """The bytes of a row of a table."""
    start, size = part.span(row)
    return bytes(draft.data[start : start + size])


def arranged(draft: Draft, part: Part, arrangement: Arrangement, blank: Blank) -> Splices:
    """The splices of the rows alone."""
    rows = [_content(draft, part, item, blank) for item in arrangement.items]
    return replaced(draft, part.start, part.size, b"".join(rows))


def _content(draft: Draft, part: Part, item: int | NewRow, blank: Blank) -> bytes:
    if isinstance(item, int):
        return row_bytes(draft, part, item)
    return blank(draft, part, item) if item.like is None else row_bytes(draft, part, item.like)


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
        raise EditError(Sentence("has no number of rows"), table=table)
    declared = record.field(field)
    number = int(part.rows[field]) + growth
    limit = most or int(np.iinfo(declared.dtype).max)
    if not 0 <= number <= limit:
        message = Sentence("{count} rows, at most {limit} are possible", count=number, limit=limit)
        raise EditError(message, table=table, field=field)
    start = part.start + declared.offset
    return replaced(draft, start, declared.size, np.array(number, declared.dtype).tobytes())


def renumbered(draft: Draft, table: str, field: str, arrangement: Arrangement, what: str) -> Splices:
    """The splices of a field of a table that refers to rearranged rows.

    Raises `EditError` if it refers to a row that is left out; what refers to no row stays.
    """
    part = draft.part(table)
    rows: Any = part.rows
    old = rows[field].astype(np.int64)
    is_known = (old >= 0) & (old < arrangement.count)
    if not arrangement.count or not is_known.any():
        return ()
    new = np.where(is_known, arrangement.new_indices[np.where(is_known, old, 0)], old)
    lost = np.flatnonzero(is_known & (new == REMOVED))
    if len(lost):
        row = int(lost[0])
        message = Sentence("refers to {what} {index}, which would be removed", what=what, index=int(old[row]))
        raise EditError(message, table=table, index=row, field=field)
    after = rows.copy()
    after[field] = new
    return replaced(draft, part.start, part.size, after.tobytes())


def sibling(path: str, name: str) -> str:
    """The path of a part next to another: that of ``blocks[2].header`` for ``blocks[2].keys``."""
    holder, _, _ = path.rpartition(".")
    return f"{holder}.{name}" if holder else name


def joined(*parts: Splices) -> Splices:
    """Splices of different ranges together."""
    return ordered([it for part in parts for it in part])


def plain_table(header: str = "", field: str = "", blank: Blank = zeros, most: int | None = None) -> Arranger:
    """Return how rows of equal rank are rearranged, given where their number is stored, if it is."""

    def arrange(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
        rows = arranged(draft, draft.part(path), arrangement, blank)
        if not header or not arrangement.growth:
            return rows
        return joined(counted(draft, sibling(path, header), field, arrangement.growth, most), rows)

    return arrange
