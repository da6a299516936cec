"""Places: one value for a location in a file: a table, a row, a field.

It is in this room because steps of a material's trace and differences, which are made in `model`, have
places too; the meaning of a place in the open document is in `session.places`.

The text form is ``ADDRESS: table[row].field``, or its first parts. A table inside a row of
another one is written as a path: ``blocks[2].keys``. If a table with a dot in its name has no row,
empty brackets end its name: ``Texm.header[].width``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, UsageError
from viewer.model.store.address import CURRENT, Address

BYTES: Final = "bytes"
"""The table of the bytes of a payload whose parts are not known; its rows are offsets."""
# Texts: compiling these patterns takes long, and printing places needs none of them.
_NAME: Final = r"[^\W\d]\w*"
_NAMES: Final = rf"{_NAME}(?:\.{_NAME})*"
# 18 digits fit an integer of 64 bits, 19 need not.
_ROW: Final = r"\d{1,18}"
_WITH_ROW: Final = rf"({_NAME}(?:(?:\[{_ROW}\])?\.{_NAME})*)\[((?:{_ROW})?)\](?:\.({_NAMES}))?"
_WITHOUT_ROW: Final = rf"({_NAME})(?:\.({_NAMES}))?"
_STEP: Final = rf"\[({_ROW})\]|([^.\[\]]+)"
_LAST_ROW: Final = rf"(.*)\[({_ROW})\]"
_BETWEEN: Final = ": "
"""Separator of the address and the location in it."""


class Place(Struct, frozen=True):
    """A place in a file: a table, a row of it, a field of that row.

    Parameters
    ----------
    address
        File or entry; `CURRENT` for the current file.
    table
        Name of a table or record in it, words joined by dots; of a nested one the path, which ends with
        its name. Empty for the whole file.
    row
        Row of the table, or None for the whole table.
    field
        Name of a field of the row, or of the table if that has no rows; empty for the whole row.
    """

    address: Address
    table: str = ""
    row: int | None = None
    field: str = ""

    @classmethod
    def of(cls, address: Address, found: Diagnostic | FormatError) -> Place:
        """The place of a diagnostic or an error in the file at an address."""
        return cls(address, found.table, found.index, found.field or "")

    @classmethod
    def parse(cls, text: str) -> Place:
        """The place of a text; a text without a location is an address.

        Raises `UsageError` for an empty text.
        """
        # From the right: an address may hold ": " too, a location does not.
        before, between, location = text.rpartition(_BETWEEN)
        with_row, without_row = re.fullmatch(_WITH_ROW, location), re.fullmatch(_WITHOUT_ROW, location)
        if not text:
            raise UsageError("an empty text is not a place")
        if not between or (location and not with_row and not without_row):
            return cls(Address.parse(text))
        address = Address.parse(before) if before else CURRENT
        if with_row:
            row = int(with_row[2]) if with_row[2] else None
            return cls(address, with_row[1], row, with_row[3] or "")
        return cls(address, without_row[1], None, without_row[2] or "") if without_row else cls(address)

    @property
    def in_file(self) -> str:
        """The location inside the file, ``table[row].field``; empty for the whole file."""
        is_split = self.row is None and "." in self.table
        # "a.b" is field b of table a; "a.b[]" is table b in a.
        row = "[]" if is_split else "" if self.row is None else f"[{self.row}]"
        return ".".join(part for part in (self.table + row, self.field) if part)

    def __str__(self) -> str:
        location = self.in_file
        address = str(self.address)
        # ``a: b`` alone would be read as the place `b` in `a`; written as ``a: b: `` it is the file again.
        is_alone = bool(address) and not location and _BETWEEN not in address
        return address if is_alone else f"{address}{_BETWEEN}{location}"

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The path from the file to the location: names, and indices of rows."""
        found = (int(row) if row else name for row, name in re.findall(_STEP, self.table))
        row = () if self.row is None else (self.row,)
        return (*found, *row, *(self.field.split(".") if self.field else ()))

    @property
    def outer(self) -> Place | None:
        """The enclosing place: row, table, row that contains a table, file, container; None for a file."""
        if self.field:
            return replace(self, field="")
        if self.row is not None:
            return replace(self, row=None)
        if not self.table:
            is_entry = self.address.entries and self.address != CURRENT
            return Place(self.address.parent) if is_entry else None
        around = self.table.rpartition(".")[0]
        found = re.fullmatch(_LAST_ROW, around)
        return Place(self.address, found[1], int(found[2])) if found else Place(self.address, around)

    @property
    def outers(self) -> Iterator[Place]:
        """The enclosing places, the nearest first."""
        place = self.outer
        while place is not None:
            yield place
            place = place.outer

    def __contains__(self, other: Place) -> bool:
        """Whether another place is this one or inside it."""
        if self.address != other.address:
            return not self.table and other.address in self.address
        # blocks[2].keys[1] begins with blocks[2].
        return other.steps[: len(self.steps)] == self.steps
