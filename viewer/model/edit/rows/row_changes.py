"""Rows of a table added, removed and moved, for every table whose format allows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.part import Part
from viewer.formats.record import Field, Record, Rows
from viewer.formats.splice import Splice
from viewer.model.edit.change import Change, change, refusal, refuse_outside
from viewer.model.edit.draft import Draft
from viewer.model.edit.nodes.track_edit import TrackEdit
from viewer.model.edit.rows.arrangement import Arrangement, NewRow
from viewer.model.edit.typed_words import Typed, Word, chosen_rows, value_of, value_or_none
from viewer.model.edit.values import NodeChoice, RowChoice, node_of
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.edit.rows.row_tables import RowTable

MOST_ADDED: Final = 1 << 16
"""Rows that are added at once, at most."""


@change(
    "add-rows",
    typed=Typed(
        "add rows at the end of a table",
        (Word("TABLE", "table", names="table"), Word("COUNT", "count", value_of)),
    ),
)
class AddRows(Change, frozen=True):
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
            return _("add a row to {table}", table=self.table)
        return _("add {count} rows to {table}", count=self.count, table=self.table)

    def apply(self, draft: Draft) -> None:
        """Insert the rows; raises `EditError` if the table cannot have them."""
        part, table = _table(draft, self.table)
        before = part.count if self.before is None else self.before
        _check_row(self.table, part, before, part.count)
        if self.like is not None:
            _check_row(self.table, part, self.like, part.count - 1)
        refuse_outside(self.count, 1, MOST_ADDED, self.table)
        new = (NewRow(self.like, self.record),) * self.count
        items = (*range(before), *new, *range(before, part.count))
        _arrange(draft, self.table, table, Arrangement(part.count, items))


@change(
    "remove-rows",
    "remove {table}[{rows}]",
    typed=Typed(
        "remove rows of a table; counts and references follow",
        (Word("TABLE[ROWS]"),),
        lambda words: chosen_rows(words[0]),
    ),
)
class RemoveRows(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Remove the rows; raises `EditError` if something refers to one, or the table needs them."""
        part, table = _table(draft, self.table)
        removed = set(_with_below(draft, part, table, self.rows.rows(draft, self.table)))
        if not removed:
            return
        items = tuple(row for row in range(part.count) if row not in removed)
        _arrange(draft, self.table, table, Arrangement(part.count, items))


@change(
    "move-rows",
    "move {table}[{rows}] before row {before}",
    typed=Typed(
        "move rows before another one, or to the end if BEFORE is none",
        (Word("TABLE[ROWS]"), Word("BEFORE")),
        lambda words: {**chosen_rows(words[0]), "before": value_or_none(words[1])},
    ),
    before="move {table}[{rows}] to the end",
)
class MoveRows(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Move the rows; raises `EditError` if the order of the table is fixed."""
        part, table = _table(draft, self.table)
        before = part.count if self.before is None else self.before
        _check_row(self.table, part, before, part.count)
        rows = _with_below(draft, part, table, self.rows.rows(draft, self.table))
        chosen = frozenset(rows)
        kept = [row for row in range(part.count) if row not in chosen]
        # Rows before the target that move away no longer count: of 0 1 2 3, rows 0 and 3 before 2 come after
        # row 1 alone.
        at = sum(row < before for row in kept)
        items = (*kept[:at], *rows, *kept[at:])
        if items != tuple(range(part.count)):
            _arrange(draft, self.table, table, Arrangement(part.count, items, chosen))


def _table(draft: Draft, path: str) -> tuple[Part, RowTable]:
    """The part of a table and what its rows allow; raises `EditError` or `UsageError`."""
    from viewer.model.edit.rows import row_tables  # noqa: PLC0415 loads the formats of most kinds

    part = draft.part(path)
    table = row_tables.of(draft.kind.id, path)
    if not part.is_table:
        raise EditError(_("has no rows"), table=path)
    if isinstance(table, str):
        raise EditError(table, table=path)
    return part, table


def _check_row(table: str, part: Part, row: int, last: int) -> None:
    if not 0 <= row <= last:
        raise EditError(_("there are {count} rows", count=part.count), table=table, index=row)


def _with_below(draft: Draft, part: Part, table: RowTable, rows: Sequence[int]) -> list[int]:
    """Rows and those that belong to them."""
    return sorted({it for row in rows for it in table.extent(draft, part, row)})


def _arrange(draft: Draft, path: str, table: RowTable, arrangement: Arrangement) -> None:
    # Rows that only move are allowed: a palette has 256 colors in any order.
    if arrangement.growth and not table.can_grow:
        raise EditError(_("the number of its rows is fixed"), table=path)
    try:
        splices = table.splices(draft, path, arrangement)
    except EditError as error:
        raise error if error.table else EditError(error.message, table=path, index=error.index) from None
    draft.splice_readable(splices)
    # For the payloads next to it that number these rows: batches know rows of wear tables.
    draft.moves.note_rows(path, arrangement.count, arrangement.order)


MOST_NUMBERS: Final = 4
"""Rows that are named by their numbers."""


@change("replace-rows")
class ReplaceRows(Change, frozen=True):
    """Set a field of rows to values of their own; ``set`` gives all rows the same.

    Parameters
    ----------
    table
        Path of a table of records of equal size: ``positions``.
    rows
        The rows.
    field
        Name of a stored field.
    data
        The stored values, one after the other in ascending order of the rows.
    """

    table: str
    rows: RowChoice
    field: str
    data: bytes

    @property
    def words(self) -> str:
        """The place of the values; of many rows their number."""
        # Rows in words are numbers with commas here; a range or a condition counts as one.
        count = self.rows.text.count(",") + 1
        if count > MOST_NUMBERS:
            words = "replace {field} of {count} rows of {table}"
            return _(words, field=self.field, count=count, table=self.table)
        return _("replace {place}", place=f"{self.table}[{self.rows}].{self.field}")

    def apply(self, draft: Draft) -> None:
        """Write the values into the fields of the rows.

        Raises `EditError` for rows and fields that do not exist, if there are not as many bytes as the
        rows hold, or if nothing could be read after it.
        """
        self.apply_joined(draft, [self])

    @property
    def is_joined(self) -> bool:
        """Whether its rows are numbers, which no change before it makes others."""
        # Of how many rows does not matter: only a condition has no numbers, and sees what changes before it
        # made.
        return self.rows.numbers(0) is not None

    @classmethod
    def apply_joined(cls, draft: Draft, changes: Sequence[Change]) -> None:
        """Write the values at once: each alone would read the whole model again."""
        written: dict[str, Rows] = {}
        for it in changes:
            if not isinstance(it, cls):
                raise TypeError(it)
            part = draft.part(it.table)
            chosen = it.rows.rows(draft, it.table)
            record, field = _declared(part, it.field)
            size = len(it.data)
            if size != len(chosen) * field.size:
                words, first = "{size} bytes for {count} rows of {each}", next(iter(chosen), None)
                raise refusal(words, it.table, first, it.field, size=size, count=len(chosen), each=field.size)
            if it.table not in written:
                written[it.table] = np.frombuffer(bytes(part.stored), record.dtype).copy()
            values = np.frombuffer(it.data, np.dtype((field.dtype, field.shape)), len(chosen))
            written[it.table][field.name][chosen] = values
        found: list[Splice] = []
        for table, rows in written.items():
            part = draft.part(table)
            found += splice.moved(splice.between(part.stored, rows.tobytes()), part.start)
        draft.splice_readable(splice.ordered(found))


def _declared(part: Part, name: str) -> tuple[Record, Field]:
    """The record of a table and one of its fields; raises `EditError`."""
    record = part.record
    # A record that is stored shorter, or under an XOR stream, is not a view of its bytes.
    if record is None or part.is_list or part.transform is not None or part.size != part.count * record.size:
        raise EditError(_("is not a table of records of equal size"), table=part.name)
    for field in record.fields:
        if field.name == name:
            return record, field
    names = ", ".join(field.name for field in record.fields)
    raise EditError(_("has no field {name}; it has {names}", name=name, names=names), table=part.name)


@change("replace-track")
class ReplaceTrack(Change, frozen=True):
    """Give a node other keys; with two keys or more it is animated.

    Parameters
    ----------
    node
        Index or name.
    keys
        The keys as they are stored, each 24 bytes; at whole frames, the first at 0.
    """

    node: NodeChoice
    keys: bytes

    @property
    def words(self) -> str:
        """The node and the number of keys."""
        return _("give node {node} {count} keys", node=self.node, count=len(self.keys) // KEY.size)

    def apply(self, draft: Draft) -> None:
        """Write the keys and the frame map; raises `EditError` for bytes that are no keys or no track."""
        node = node_of(draft, self.node)
        count, rest = divmod(len(self.keys), KEY.size)
        if rest or not count:
            words = "{size} bytes are no keys of {each}"
            raise refusal(words, NODE.name, node, size=len(self.keys), each=KEY.size)
        edit = TrackEdit(draft)
        edit.put(node, KEY.view(self.keys).copy(), is_animated=count > 1)
        edit.write()
