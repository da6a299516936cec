"""Setting a field of rows of a table, of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from viewer.errors import EditError, FormatError
from viewer.formats.part import Part
from viewer.formats.record import Field, Record
from viewer.formats.splice import Splice, ordered
from viewer.model.edit import composites, values
from viewer.model.edit.draft import Draft
from viewer.model.edit.row_choice import RowChoice
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class SetField:
    """Set a field, or an element of it, in all chosen rows.

    Parameters
    ----------
    table
        Path of a table or of a single record: ``batches``, ``blocks[2].keys``, ``header``.
    rows
        The rows; those of `RowChoice` without a text for a single record.
    field
        Name of a stored field, or an element of it: ``flags``, ``aabb_min[1]``, ``slots[0][2]``.
    value
        As ``inspect`` prints it: number, text, None, nested tuples.
    """

    table: str
    rows: RowChoice
    field: str
    value: Any

    @property
    def words(self) -> str:
        """The place and the value."""
        rows = f"[{self.rows.text}]" if self.rows.text else ""
        return Sentence(
            "set {place} to {value}", place=f"{self.table}{rows}.{self.field}", value=_short(self.value)
        )

    @property
    def target(self) -> tuple[str, RowChoice, str]:
        """Table, rows and field."""
        return self.table, self.rows, self.field

    def apply(self, draft: Draft) -> None:
        """Write the value into every row; raises `EditError` if the field cannot hold it."""
        name, element = values.field_path(self.field)
        composite = composites.find(draft, self.table, name)
        if composite is not None:
            composite(draft, self.rows.rows(draft, self.table), self.value, element)
            return
        part = draft.part(self.table)
        rows: list[int | None] = [*self.rows.rows(draft, self.table)]
        rows = rows if part.is_table else [None]
        draft.splice(ordered(self._splices(part, rows, draft)))

    def _splices(self, part: Part, rows: list[int | None], draft: Draft) -> Iterator[Splice]:
        name, element = values.field_path(self.field)
        name = composites.STORED.get((self.table, name), name)
        for row in rows:
            target = part.children[row] if part.is_list and row is not None else part
            inside = None if part.is_list else row
            try:
                yield self._splice(target, inside, name, element, draft)
            except FormatError as error:
                raise EditError(error.message, table=self.table, index=row, field=self.field) from None

    def _splice(
        self, part: Part, row: int | None, name: str, element: tuple[int, ...], draft: Draft
    ) -> Splice:
        record, field = _declared(part, name)
        start, size = part.span(row)
        before = bytes(draft.data[start : start + size])
        plain = before if part.transform is None else part.transform(before)
        old = np.frombuffer(plain, record.dtype)[0][name]
        new = values.stored(field, self.value, np.asarray(old), element).tobytes()
        after = plain[: field.offset] + new + plain[field.offset + field.size :]
        return _field_splice(start, before, after if part.transform is None else part.transform(after), field)


def _declared(part: Part, name: str) -> tuple[Record, Field]:
    """The record of a part and one of its fields; raises `EditError` if it has none of that name."""
    if part.record is None:
        raise EditError(Sentence("has no fields: nothing is known of its bytes"))
    found = next((field for field in part.record.fields if field.name == name), None)
    if found is None:
        names = ", ".join(field.name for field in part.record.fields)
        raise EditError(Sentence("has no field {name}; it has {names}", name=name, names=names))
    return part.record, found


def _field_splice(start: int, before: bytes, after: bytes, field: Field) -> Splice:
    """The splice of one field of a record that begins at `start`."""
    first, last = field.offset, field.offset + field.size
    return Splice(start + first, before[first:last], after[first:last])


def _short(value: Any) -> str:
    text = str(list(value)) if isinstance(value, tuple) else "none" if value is None else str(value)
    return text if len(text) <= 40 else text[:37] + "..."
