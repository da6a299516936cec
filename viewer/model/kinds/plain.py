"""A payload as plain data, as ``inspect`` prints it, made from its parts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from viewer.formats.archive import rsli
from viewer.formats.archive.nres import Entry
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.meaning import meaning
from viewer.formats.part import Part, RecordGroup, RecordParts
from viewer.formats.record import Record, Rows
from viewer.model.kinds.columns import Column, Columns, MixedRows, PlainRows
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.listing import listing
from viewer.model.kinds.record_rows import diagnostic_rows, record_columns, record_row, record_rows
from viewer.model.store.file_store import Container

HEADER: Final = "header"
"""The record whose fields are at the top level."""


def describe(kind: Kind, payload: memoryview, entry: Entry | None = None) -> dict[str, Any]:
    """Return a payload as data that can be written as JSON; raises `FormatError` if it cannot be read.

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
        "diagnostics": diagnostic_rows(getattr(value, "diagnostics", ())),
    }


def _with_facts(fields: dict[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Fields and what follows from them; the facts of a table are further columns."""
    for name, fact in facts.items():
        rows = fields.get(name)
        if isinstance(rows, Columns) and isinstance(fact, Mapping):
            fields[name] = rows.with_columns(**fact)
        else:
            fields[name] = fact
    return fields


def _archive(kind: Kind, archive: Container) -> dict[str, Any]:
    """An archive as its listing; its payloads have documents of their own."""
    fields: dict[str, Any] = {"size": len(archive.data)}
    if isinstance(archive, PackedLibrary):
        fields.update(record_row(rsli.HEADER, archive.header), overlay=archive.overlay)
    else:
        fields["size"] = archive.total_size
    diagnostics = diagnostic_rows(archive.diagnostics)
    return {"format": kind.id, **fields, "entries": listing(archive), "diagnostics": diagnostics}


def plain(part: Part) -> dict[str, Any]:
    """Return the children of a part by name; for bytes without a record their number."""
    found: dict[str, Any] = {}
    for child in part.children:
        if child.name == HEADER and isinstance(child.rows, np.void) and child.record is not None:
            found.update(_with_meanings(child.record, child.rows))
        else:
            found[child.name] = part_value(child)
    return found


def part_value(part: Part) -> Any:
    """Return the content of a part: rows, fields, children; the size of bytes without a record."""
    if part.is_list:
        return _listed(part.children)
    if part.record is None or part.rows is None:
        return part.size if part.is_leaf else plain(part)
    if isinstance(part.rows, np.void):
        return record_row(part.record, part.rows)
    return table_rows(part.record, part.rows)


def table_rows(record: Record, rows: Rows) -> PlainRows | Sequence[Any]:
    """Return records as rows; those of a single field as their values."""
    if len(record.fields) > 1:
        return record_rows(record, rows)
    (column,) = record_columns(record, rows).values()
    return PlainColumn(column)


def _with_meanings(record: Record, row: np.void) -> dict[str, Any]:
    """The fields of a record, each followed by its bits or by its meaning."""
    found: dict[str, Any] = {}
    for name, value in record_row(record, row).items():
        field = record.field(name)
        found[name] = value
        found.update({bits.name: bits.of(row[name]) for bits in field.bits if not bits.reading})
        if field.flags or field.values:
            found[f"{name}_meaning"] = meaning(field, row[name])
    return found


def _listed(parts: Sequence[Part]) -> PlainRows:
    """The rows of a list: offset and fields."""
    if not isinstance(parts, RecordParts):
        return ListedParts(parts)
    return MixedRows(parts.kinds, [*map(_group_rows, parts.groups)])


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


class PlainColumn(Sequence[Any]):
    """The values of one field as a list, each made on access."""

    __slots__ = ("_values",)

    def __init__(self, values: Column) -> None:
        self._values = () if values is None else values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        value = self._values[index]
        return value.tolist() if isinstance(value, np.ndarray | np.generic) else value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]  # as lists have none


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
        """One row, 0 being the first."""
        part = self._parts[index]
        where = {"index": index, "kind": part.name, "offset": part.start, "size": part.size}
        if part.record is not None and isinstance(part.rows, np.void):
            return {**where, **_with_meanings(part.record, part.rows)}
        return {**where, **plain(part)}
