"""A field that can be set: where it is, what it holds, and the request that sets it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from viewer.formats.record import Field
from viewer.model.edit import values
from viewer.model.edit.composites import stored_name
from viewer.model.edit.row_choice import RowChoice
from viewer.model.edit.set_field import SetField
from viewer.ui.edit_requests import Edit

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
    """

    address: str
    table: str
    rows: RowChoice
    field: Field
    value: Any

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
        """Raise `EditError` if the field cannot hold a value."""
        values.stored(self.field, value, np.asarray(self.value), element)

    def stored(self, value: Any, element: Element = ()) -> Any:
        """What an element is stored as after `value` is set; raises like `check`."""
        after = values.stored(self.field, value, np.asarray(self.value), element)
        return after[element]

    def edit(self, value: Any, element: Element = (), gesture: Hashable = None) -> Edit:
        """The request that sets the field, or an element of it."""
        name = stored_name(self.table, self.field.name) + "".join(f"[{index}]" for index in element)
        return Edit(self.address, (SetField(self.table, self.rows, name, value),), gesture)
