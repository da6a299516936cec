"""The parts of a payload as the rows of a tree: parts, rows of tables, fields."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import numpy as np
from msgspec import Struct

from viewer.formats.part import Part, child_path
from viewer.formats.record import Field, Status
from viewer.model.kinds.columns import Order, order_of_one, order_of_parts, order_of_rows
from viewer.model.kinds.explained import explained
from viewer.session.field_text import cell_text, counted, size_text
from viewer.translation import _, count_text, translated

MOST_ROWS: Final = 2000
"""Rows of a table that are listed."""
SUMMARY_FIELDS: Final = 4
"""Fields of a row that its own line shows."""
OPEN_ROWS: Final = 40
"""Most rows of a table that is open at first."""
PREVIEW: Final = 16
"""Bytes that the line of a part without fields shows."""


class PartRow(Struct, frozen=True):
    """A line of the tree: a part, a row of a table, or a field; equal lines have the same path.

    Parameters
    ----------
    path
        Path of the part, with the row and the field: unique in the tree.
    name
        What the line is called.
    part
        The part that it is, or lies in.
    row
        The row of a table; None for a part and for the fields of a single record.
    field
        The field; None for a part or a row.
    order
        The fields that its summary shows, the first ones first.
    """

    path: str
    name: str
    part: Part
    row: int | None = None
    field: Field | None = None
    order: Order = ()

    def __hash__(self) -> int:
        return hash(self.path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartRow) and self.path == other.path

    @property
    def span(self) -> tuple[int, int]:
        """Offset and length in the payload, bytes."""
        return self.part.span(self.row, self.field.name if self.field else None)

    @property
    def record(self) -> Any:
        """The row, the single record, or the table if it is one."""
        rows = self.part.rows
        return rows[self.row] if self.row is not None and rows is not None else rows

    @property
    def value(self) -> Any:
        """The stored value of a field."""
        return None if self.field is None else self.record[self.field.name]

    @property
    def table(self) -> str:
        """Path of the part that it is, or lies in, without row and field."""
        path = self.path.removesuffix(f".{self.field.name}") if self.field else self.path
        return path if self.row is None else path.removesuffix(f"[{self.row}]")

    @property
    def type_name(self) -> str:
        """The type of a field; empty for a part or a row."""
        return self.field.type_name if self.field else ""

    @property
    def doc(self) -> str:
        """The meaning of the part in one sentence."""
        return explained(self.field) if self.field else translated(self.part.doc)

    @property
    def status(self) -> Status:
        """Certainty of the meaning."""
        return self.field.status if self.field else self.part.status

    @property
    def text(self) -> str:
        """The line's value: a stored value, a summary of a row, the size of a part."""
        if self.field is not None:
            return cell_text(self.field, self.value)
        if self.part.record is not None and (self.row is not None or not self.part.is_table):
            return summary(self.order or order_of_one(self.part.record), self.record)
        if self.part.is_table:
            return counted(self.part.count, "{count} row", "{count} rows")
        if self.part.is_leaf and self.part.size:
            return _preview(self.part)
        return size_text(self.part.size)


def roots_of(root: Part) -> list[PartRow]:
    """Return the outermost lines of a payload."""
    return [*_parts_below(root, "")]


def children_of(line: PartRow) -> list[PartRow]:
    """Return the lines inside a line; of a long table the first rows."""
    part = line.part
    if line.field is not None:
        return []
    if line.row is not None or isinstance(part.rows, np.void):
        return [*_fields(line)]
    if part.is_table and not part.is_list:
        rows = range(min(part.count, MOST_ROWS))
        order = order_of_rows(part.record, part.rows) if part.record and part.rows is not None else ()
        return [PartRow(f"{line.path}[{row}]", str(row), part, row, order=order) for row in rows]
    return [*_parts_below(part, line.path)]


def field_of(line: PartRow, name: str) -> PartRow:
    """Return the line of a field inside a line; raises `KeyError` if there is none."""
    found = next((below for below in children_of(line) if below.field and below.field.name == name), None)
    if found is None:
        raise KeyError(name)
    return found


def left_out(line: PartRow) -> int:
    """Return how many rows of a table are not listed."""
    return max(0, line.part.count - MOST_ROWS) if line.row is None and line.field is None else 0


def _parts_below(part: Part, path: str) -> Iterator[PartRow]:
    count = len(part.children)
    orders = order_of_parts(part.children) if part.is_list else {}
    for index in range(min(count, MOST_ROWS) if part.is_list else count):
        child = part.children[index]
        name = f"{index}  {child.name}" if part.is_list else child.name
        yield PartRow(child_path(part, path, index), name, child, order=orders.get(child.name, ()))


def _fields(line: PartRow) -> Iterator[PartRow]:
    fields = line.part.record.fields if line.part.record else ()
    for field in fields:
        yield PartRow(f"{line.path}.{field.name}", field.name, line.part, line.row, field)


def summary(order: Order, row: Any) -> str:
    """Return the first fields of an order that the row has, without blank texts."""
    here = (it for it in order if it.name in row.dtype.names)
    shown = (it for it in here if not it.is_text or bytes(row[it.name]).strip(b"\0\t\r\n "))
    return "  ".join(f"{it.name} {cell_text(it, row[it.name])}" for it in islice(shown, SUMMARY_FIELDS))


def _preview(part: Part) -> str:
    """The size of some bytes and the first of them."""
    first = bytes(memoryview(part.data)[:PREVIEW]).hex(" ")
    more = " …" if part.size > PREVIEW else ""
    return f"{size_text(part.size)}  {first}{more}"


def opened_at_first(root: Part) -> Iterator[str]:
    """Yield the paths of lines that are open at first: single records, short tables, lists of one."""
    for line in roots_of(root):
        below = children_of(line)
        if 0 < len(below) <= OPEN_ROWS:
            yield line.path
        if len(below) == 1:
            yield below[0].path


def more_text(count: int) -> str:
    """Return how many rows are not listed."""
    return _("{count} more rows (use `mshview inspect`)", count=count_text(count))
