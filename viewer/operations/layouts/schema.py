"""The declared formats as members and types, without what is Python in a layout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from viewer.formats.record import Record, Status

LENGTH: Final = "length"
STORED: Final = "stored_size"
TEXT_LINE: Final = "text_line"
LEGACY: Final = 0x10000
"""Stands for the type id of the nodes of another size."""


class SchemaMember(Struct, frozen=True):
    """A member of a type: one value, a list, or bytes.

    Attributes
    ----------
    type
        The name of its type; empty for bytes.
    arguments
        Formulas of what its type takes.
    repeat
        Formula of the number of values; None for one, empty for as many as there are.
    size
        Formula of the number of bytes; empty for all that are left.
    when
        Formula of the condition under which it is there; empty for always.
    """

    name: str
    doc: str = ""
    type: str = ""
    arguments: tuple[str, ...] = ()
    repeat: str | None = None
    size: str = ""
    when: str = ""
    status: Status = Status.PROVEN


class SchemaType(Struct, frozen=True):
    """A type: a record, members in order, or one of several types by the first byte.

    Attributes
    ----------
    parameters
        What it takes: the `STORED` bytes of a record, or the `LENGTH` of its last field.
    record
        The record; None for members.
    kinds
        The types by the first byte.
    is_text
        Whether the other fields of the record are there if its first one, the length, is not 0.
    """

    name: str
    doc: str = ""
    members: tuple[SchemaMember, ...] = ()
    parameters: tuple[str, ...] = ()
    record: Record | None = None
    kinds: Mapping[int, str] = field(default_factory=dict)
    is_text: bool = False


class FormatSchema(Struct, frozen=True):
    """A format.

    Attributes
    ----------
    parameters
        What it is decoded with, from the directory entry.
    types
        The types by name, each after those that it uses.
    tables
        The types of the payloads of a container by type id, with the attributes of the entry that they take.
    is_container
        Whether it has a directory at its end, and payloads at the offsets in it.
    """

    id: str
    title: str
    doc: str
    suffixes: tuple[str, ...]
    members: tuple[SchemaMember, ...]
    types: Mapping[str, SchemaType]
    parameters: tuple[str, ...] = ()
    tables: Mapping[int, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    is_container: bool = False
