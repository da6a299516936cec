"""The bytes at an address with their fields, whatever they are, down from the file they lie in."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, NamedTuple

from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import MshviewError
from viewer.formats.archive import nres
from viewer.formats.part import Part, find, record_at
from viewer.formats.record import Field
from viewer.model.kinds.registry import ARCHIVE, MODEL, kind_of
from viewer.model.references.byte_fields import FieldMap, Span
from viewer.model.references.values import Locator
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import BYTES, Place
from viewer.typed_json import Limits


class Bookmark(NamedTuple):
    """An offset with a name, which may be empty."""

    offset: Annotated[int, Limits((1 << 40) - 1)]
    name: str = ""


Bookmarks = tuple[Bookmark, ...]
"""Bookmarks of one payload, ordered by their offsets, each once."""


class PayloadBytes(Struct, frozen=True, eq=False):
    """A payload, the map of its fields, and its offset in its file.

    Attributes
    ----------
    address
        Where it is.
    data
        Its bytes.
    base
        Its offset in the file; None if it is stored packed.
    fields
        Its fields by offset.
    parts
        What it is made of; None if nothing is known of its kind, or it cannot be read.
    locator
        Finds places inside the entries of an archive; None for anything else.
    """

    address: Address
    data: memoryview
    base: int | None
    fields: FieldMap
    parts: Part | None = None
    locator: Locator | None = None

    @property
    def file(self) -> Address:
        """The address of the file that it lies in."""
        return Address(self.address.path)

    def place(self, offset: int) -> Place:
        """The place of a byte: entry, table, row and field; the byte itself if nothing is known of it."""
        if self.locator is not None:
            found = self.locator.place(offset, 1)
            if found is not None:
                return found.place
        at = self.fields.at(offset)
        if at is None or not at.path:
            return Place(self.address, BYTES, offset)
        return Place(self.address, at.path, at.row, at.field.name if at.field else "")

    def span(self, place: Place) -> Span | None:
        """The bytes of a place in this payload; None if it is not in it."""
        if place.address != self.address:
            return None
        if place.table == BYTES:
            is_inside = place.row is not None and place.row < len(self.data)
            return (place.row or 0, 1) if is_inside else None
        return self.fields.span(place.table, place.row, place.field) if place.table else None

    def value(self, place: Place) -> tuple[Field, Any] | None:
        """The field at a place in this payload, and its value; None if there is none."""
        part = (
            find(self.parts, place.table)
            if self.parts is not None and place.address == self.address
            else None
        )
        found = None if part is None or not place.field else record_at(part, place.row)
        if found is None:
            return None
        record, row = found
        return record.field(place.field), row[place.field]

    def of_findings(self, findings: tuple[Diagnostic, ...]) -> list[Span]:
        """The bytes of the rows and fields that findings name; a finding of a whole table has none."""
        named = (it for it in findings if it.table and (it.index is not None or it.field))
        spans = (self.fields.span(it.table, it.index, it.field or "") for it in named)
        return [it for it in dict.fromkeys(spans) if it is not None]


def read_bytes(library: FileStore, address: Address) -> PayloadBytes:
    """Read the payload at an address; raises `AddressError` or `FormatError` if there is none."""
    item = library.open(address)
    kind = kind_of(item)
    parts = None
    with suppress(MshviewError):  # of what cannot be read only the bytes are shown
        if kind is MODEL:
            parts = kind.parts(item.read_model())
        elif kind.is_known:
            parts = kind.parts_in(item)
    locator = Locator(item) if kind is ARCHIVE and parts is not None else None
    return PayloadBytes(address, item.data, file_offset(item), FieldMap(parts), parts, locator)


def file_offset(item: Item) -> int | None:
    """Return the offset of a payload in its file; None if it is stored packed."""
    if item.holder is None:
        return 0
    start = file_offset(item.holder)
    return start + item.entry.offset if start is not None and isinstance(item.entry, nres.Entry) else None
