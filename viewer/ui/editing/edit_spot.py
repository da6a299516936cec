"""A field that can be set: where it is, what it holds, and the change that sets it."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from viewer.formats.record import Field
from viewer.model.edit import values
from viewer.model.edit.change import Change
from viewer.model.edit.choices import RowChoice
from viewer.model.edit.set_field import SetField, stored_name

LONGEST: Final = 1 << 16
"""Bytes of the longest text that is typed."""
_LAST_ROW: Final = re.compile(r"(.*)\[(\d{1,18})\]")

Element = tuple[int, ...]
"""Indices of an element of a field; empty for a field without a shape."""


@dataclass(frozen=True, slots=True, eq=False)
class EditSpot:
    """A field of a row, or of several rows that are set together.

    Parameters
    ----------
    address
        Address of the payload.
    table
        Path of its table or record.
    rows
        The rows that are set; those of an empty text for a single record.
    field
        The declared field.
    value
        The value that is stored and shown.
    count
        Number of rows that are set.
    is_printed
        Whether the value is as ``inspect`` prints it, not as it is stored.
    make
        Makes the change from the whole value, if it is not just a field that is set.
    substitute_for
        The missing material in whose place the payload is shown; empty for none.
    """

    address: str
    table: str
    rows: RowChoice
    field: Field
    value: Any
    count: int = 1
    is_printed: bool = False
    make: Callable[[Any], Change] | None = None
    substitute_for: str = ""

    @property
    def key(self) -> Hashable:
        """What tells it from other spots."""
        return self.address, self.table, self.rows.text, self.field.name

    @property
    def elements(self) -> Iterator[Element]:
        """The elements of the value, each a number; one for a number, a text or bytes."""
        return iter(np.ndindex(self.field.shape))

    def element(self, element: Element) -> Any:
        """The stored value of an element."""
        return np.asarray(self.value)[element] if element else self.value

    def check(self, value: Any, element: Element = ()) -> None:
        """Raise `EditError` if the field cannot hold a value.

        Of a text only its letters are checked: how long it may be is known when it is set.
        """
        if not self.field.is_text:
            values.stored(self.field, value, np.asarray(self.value), element)
        elif isinstance(value, str):
            values.encoded(value, LONGEST)

    def stored(self, value: Any, element: Element = ()) -> Any:
        """What an element is stored as after `value` is set; raises `EditError`."""
        after = values.stored(self.field, value, np.asarray(self.value), element)
        return after[element]

    def change(self, value: Any, element: Element = ()) -> Change:
        """The change that sets the field, or an element of it."""
        if self.make:
            return self.make(self._whole(value, element))
        name = self.field.name if self.is_printed else stored_name(self.table, self.field.name)
        path = name + "".join(f"[{index}]" for index in element)
        return SetField(self.table, self.rows, path, value)

    def _whole(self, value: Any, element: Element) -> Any:
        """The value with an element set to another one, or the other one itself if no element is named."""
        if not element:
            return value
        whole = np.array(self.value)
        whole[element] = value
        return whole.tolist()


def spot_of(address: str, table: str, row: int | None, field: Field, value: Any) -> EditSpot:
    """Return the spot of a field of a row, or of a single record; `table` is the path of its part.

    The record of a row of a list is a part of its own: it is set as a row of the list.
    """
    found = _LAST_ROW.fullmatch(table) if row is None else None
    if found is not None:
        return EditSpot(address, found[1], RowChoice(found[2]), field, value)
    return EditSpot(address, table, RowChoice() if row is None else RowChoice.of(row), field, value)
