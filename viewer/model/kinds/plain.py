"""Payloads, archives and single locations as plain data, as ``inspect`` and ``ls`` print them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from viewer.errors import MshviewError, UsageError
from viewer.formats.archive import nres, rsli
from viewer.formats.archive.nres import Entry
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.meaning import meaning
from viewer.formats.part import Part, RecordGroup, RecordParts, find, place_at, record_at
from viewer.formats.record import Record, Status
from viewer.formats.record import Rows as Records
from viewer.json_types import U32, Hex, Natural, Rows, TableRow, described, members, names_of
from viewer.model.kinds.columns import (
    Column,
    Columns,
    DiagnosticRow,
    MadeColumn,
    MixedRows,
    PlainArray,
    PlainRows,
    diagnostic_rows,
    record_columns,
    record_row,
    record_rows,
)
from viewer.model.kinds.entry_kinds import entry_kinds
from viewer.model.kinds.explained import own_field
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, PACKED, kind_of, recognise
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container
from viewer.model.store.place import Place
from viewer.translation import _, translated

if TYPE_CHECKING:
    from viewer.model.kinds.own_field import OwnField

FOLDER: Final = "folder"
HEAD: Final = 64
"""Bytes at the start of a file that decide how much of it is read."""
LARGEST_READ: Final = 16 << 20
"""Size up to which a file that is no archive is read to find its kind; of a larger one only the start."""
Letters = Annotated[str, described("what the payload is")]
Called = Annotated[str | UnsetType | None, described("what the game calls the part")]


class ArchiveRow(TableRow, frozen=True):
    """An entry of an archive."""

    index: Natural
    name: str
    type: U32
    type_name: Letters
    size: Natural
    offset: Natural
    attr1: U32
    attr2: U32
    attr3: U32
    sort_index: int
    packed_size: None
    method: None
    called: Called = UNSET


class LibraryRow(TableRow, frozen=True):
    """An entry of a packed library, which has neither a type nor attributes."""

    index: Natural
    name: str
    type: Literal[0]
    type_name: Letters
    size: Annotated[Natural, described("of the payload, unpacked")]
    offset: Natural
    attr1: None
    attr2: None
    attr3: None
    sort_index: int
    packed_size: Natural
    method: str
    called: Called = UNSET


class FileRow(TableRow, frozen=True):
    """A file or a folder in a folder."""

    index: Natural
    name: str
    type: None
    type_name: Annotated[str | None, described("what it is; null if that is not known")]
    size: Natural | None
    offset: None
    attr1: None
    attr2: None
    attr3: None
    sort_index: None
    packed_size: None
    method: None


def listing(container: nres.Archive | rsli.PackedLibrary) -> Columns:
    """The entries of an archive; the kind of each is determined on access."""
    if isinstance(container, rsli.PackedLibrary):
        return _packed_rows(container)
    rows, kinds = container.rows, entry_kinds(container)
    columns = record_columns(nres.ENTRY, rows)
    return Columns.of(
        ArchiveRow,
        len(rows),
        index=np.arange(len(rows)),
        name=columns["name"],
        type=columns["type_id"],
        type_name=MadeColumn(kinds.codes, kinds.ids.__getitem__),
        size=columns["size"],
        offset=columns["data_offset"],
        attr1=columns["attr1"],
        attr2=columns["attr2"],
        attr3=columns["attr3"],
        sort_index=columns["sort_index"],
        packed_size=None,
        method=None,
    )


def _packed_rows(archive: rsli.PackedLibrary) -> Columns:
    entries = archive.entries
    count = len(entries)
    return Columns.of(
        LibraryRow,
        count,
        index=np.arange(count),
        name=[entry.text for entry in entries],
        type=np.zeros(count, int),
        type_name=MadeColumn(entries, partial(_packed_type, archive)),
        size=np.array([entry.unpacked_size for entry in entries], int),
        offset=np.array([entry.offset for entry in entries], int),
        attr1=None,
        attr2=None,
        attr3=None,
        sort_index=np.array([entry.sort_index for entry in entries], int),
        packed_size=np.array([entry.packed_size for entry in entries], int),
        method=[entry.method_name for entry in entries],
    )


def _packed_type(archive: rsli.PackedLibrary, entry: rsli.PackedEntry) -> str:
    return recognise(0, memoryview(archive.head(entry.index)), entry.name).id


def folder_listing(store: FileStore, folder: Path) -> Columns:
    """The files and folders in a folder, by name; the kind of each is determined on access.

    Raises `AddressError` if the folder cannot be listed.
    """
    paths = [folder / name for name in store.names(folder)]
    revisions = [store.revision(path) for path in paths]
    columns: dict[str, Column] = dict.fromkeys(names_of(FileRow))
    columns |= {
        "index": np.arange(len(paths)),
        "name": [path.name for path in paths],
        "type_name": MadeColumn(paths, partial(_file_type, store)),
        "size": [revision and revision.size for revision in revisions],
    }
    return Columns(len(paths), columns)


def _file_type(store: FileStore, path: Path) -> str | None:
    """The kind of a file; ``folder``, or None for what is unknown or cannot be read."""
    if store.is_folder(path):
        return FOLDER
    try:
        head = store.head(path, HEAD)
        revision = store.revision(path)
        # An archive is opened whatever its size, as only what is inside tells a model from an archive; of
        # other large files the first bytes and the name must do.
        is_archive = head[:4] in {ARCHIVE.magic, PACKED.magic}
        if is_archive or (revision and revision.size <= LARGEST_READ):
            kind = kind_of(store.open(Address(path)))
        else:
            kind = recognise(0, head, os.fsencode(path.name))
    except MshviewError:
        return None
    finally:
        # A folder may hold gigabytes: what was read for its kind does not stay in memory.
        store.forget(path)
    return kind.id if kind.is_known else None


class ArchiveDescription(Struct, frozen=True):
    """An archive as its listing; its payloads have documents of their own."""

    format: Literal["nres"]
    size: Natural
    entries: Rows[ArchiveRow]
    diagnostics: Sequence[DiagnosticRow]


class PlaceDescription(TableRow, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """The content at a place of a payload; what follows the value is said of a single field."""

    place: str
    offset: Natural
    size: Natural
    type: str | UnsetType = UNSET
    value: Any
    bytes: Hex | UnsetType = UNSET
    meaning: str | UnsetType | None = UNSET
    doc: str | UnsetType = UNSET
    status: Annotated[Status | UnsetType, described("how certain the meaning is")] = UNSET
    own_name: Annotated[str | UnsetType, described("the user's name for it, of --overlay")] = UNSET
    own_type: str | UnsetType | None = UNSET
    own_value: Any = UNSET
    own_meaning: str | UnsetType = UNSET
    own_note: str | UnsetType = UNSET


HEADER: Final = "header"
"""The record whose fields are at the top level."""


def describe(kind: Kind, payload: memoryview, entry: Entry | None = None) -> dict[str, Any]:
    """A payload as data that can be written as JSON; raises `FormatError` if it cannot be read.

    `entry` is its directory entry. An unknown kind has its size only.
    """
    if not kind.is_known:
        return {"format": kind.id, "size": len(payload)}
    value = kind.decode(payload, entry)
    if kind.is_archive:
        return _archive(kind, value)
    return {
        "format": kind.id,
        **_with_facts(plain(kind.parts(value)), kind.facts(value, entry)),
        "diagnostics": diagnostic_rows(kind.findings(value)),
    }


def _with_facts(fields: dict[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Fields and what follows from them; the facts of a table are further columns."""
    for name, fact in facts.items():
        rows = fields.get(name)
        if isinstance(rows, Columns) and isinstance(fact, Struct):
            fields[name] = rows.with_columns(**members(fact))
        else:
            fields[name] = fact
    return fields


def _archive(kind: Kind, archive: Container) -> dict[str, Any]:
    """An archive as its listing; its payloads have documents of their own."""
    diagnostics = diagnostic_rows(archive.diagnostics)
    if not isinstance(archive, PackedLibrary):
        return members(ArchiveDescription("nres", archive.total_size, listing(archive), diagnostics))
    fields = {
        "size": len(archive.data),
        **record_row(rsli.HEADER, archive.header),
        "overlay": archive.overlay,
    }
    return {"format": kind.id, **fields, "entries": listing(archive), "diagnostics": diagnostics}


def plain(part: Part) -> dict[str, Any]:
    """The children of a part by name; for bytes without a record their number."""
    found: dict[str, Any] = {}
    for child in part.children:
        # The fields of a header stand beside the tables: `phase_count`, not `header.phase_count`.
        if child.name == HEADER and isinstance(child.rows, np.void) and child.record is not None:
            found.update(_with_meanings(child.record, child.rows))
        else:
            found[child.name] = part_value(child)
    return found


def part_value(part: Part) -> Any:
    """The content of a part: rows, fields, children; the size of bytes without a record."""
    if part.is_list:
        if not isinstance(part.children, RecordParts):
            return ListedParts(part.children)
        return MixedRows(part.children.kinds, [*map(_group_rows, part.children.groups)])
    if part.record is None or part.rows is None:
        return part.size if part.is_leaf else plain(part)
    if isinstance(part.rows, np.void):
        return record_row(part.record, part.rows)
    return table_rows(part.record, part.rows)


def table_rows(record: Record, rows: Records) -> PlainRows | Sequence[Any]:
    """Records as rows; those of a single field as their values."""
    if len(record.fields) > 1:
        return record_rows(record, rows)
    (column,) = record_columns(record, rows).values()
    if isinstance(column, np.ndarray):
        return PlainArray(column)
    return () if column is None else column


def _with_meanings(record: Record, row: np.void) -> dict[str, Any]:
    """The fields of a record, each followed by its bits or by its meaning."""
    found: dict[str, Any] = {}
    for name, value in record_row(record, row).items():
        field = record.field(name)
        found[name] = value
        # Bits of one reading are left out, as no reading is chosen for a payload on its own.
        found.update({bits.name: bits.of(row[name]) for bits in field.bits if not bits.reading})
        if field.flags or field.values:
            found[f"{name}_meaning"] = meaning(field, row[name])
    return found


def _group_rows(group: RecordGroup) -> Columns:
    """Records of one kind, column by column."""
    count = len(group.rows)
    columns: dict[str, Column] = {
        "index": group.indices,
        "kind": np.full(count, group.record.name),
        "offset": group.starts,
        "size": np.full(count, group.record.size),
    }
    for name, column in record_columns(group.record, group.rows).items():
        columns[name] = column
        for bits in group.record.field(name).bits:
            columns[bits.name] = bits.of_rows(group.rows[name])
    return Columns(count, columns)


class ListedParts(PlainRows):
    """The parts of a list as rows: index, kind, offset, size, and its fields."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def names(self) -> Sequence[str]:
        """The fields of the first row; other rows may have more."""
        return [*self.row(0)] if len(self) else []

    def part(self, start: int, stop: int) -> ListedParts:
        """The rows from `start` to before `stop`."""
        return ListedParts(self._parts[start:stop])

    def row(self, index: int) -> dict[str, Any]:
        """The row at an index, 0 being the first."""
        part = self._parts[index]
        where = {"index": index, "kind": part.name, "offset": part.start, "size": part.size}
        if part.record is not None and isinstance(part.rows, np.void):
            return {**where, **_with_meanings(part.record, part.rows)}
        return {**where, **plain(part)}


def at_offset(root: Part, offset: int) -> Place:
    """The place at an offset of a payload; raises `UsageError` if it is outside."""
    if not 0 <= offset < root.size:
        words = "offset {offset} is outside of the payload of {size} bytes"
        raise UsageError(_(words, offset=offset, size=root.size), source="inspect")
    found = place_at(root, offset)
    return Place(CURRENT, found.path, found.row, found.field.name if found.field else "")


def describe_place(root: Part, place: Place) -> PlaceDescription:
    """The content at a place of a payload; raises `UsageError` if there is no such place.

    For a field that is type, stored value, meaning and certainty; for a larger part its children.
    """
    part = find(root, place.table)
    try:
        if part is None:
            raise KeyError(place.table)
        start, size = part.span(place.row, place.field or None)
    except LookupError:
        raise UsageError(_("there is no {place}", place=place.in_file), source="inspect") from None
    found = record_at(part, place.row)
    if found is None:
        value = part_value(part if place.row is None else part.children[place.row])
        return PlaceDescription(place=place.in_file, offset=start, size=size, value=value)
    record, row = found
    if not place.field:
        return PlaceDescription(place=place.in_file, offset=start, size=size, value=record_row(record, row))
    field = record.field(place.field)
    own = own_field(field)
    found_own = {} if own is None else _own(own, row[field.name])
    return PlaceDescription(
        place=place.in_file,
        offset=start,
        size=size,
        type=field.type_name,
        value=record_row(record, row)[field.name],
        bytes=row[field.name].tobytes().hex(),
        meaning=meaning(field, row[field.name]) or None,
        doc=translated(field.doc),
        status=field.status,
        **found_own,
    )


def _own(own: OwnField, value: Any) -> dict[str, Any]:
    """The members that an overlay adds to a described value."""
    (read,) = own.read(np.asarray([value])).tolist()
    meaning_of = own.values.get(str(read)) if not isinstance(read, list) else None
    return {
        "own_name": own.name,
        "own_type": own.type,
        "own_value": read if meaning_of is None else " ".join((str(read), f"({meaning_of})")),
        "own_meaning": own.meaning,
        "own_note": own.note,
    }
