"""The names of resources that a payload stores, and where it stores them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from viewer.formats.part import Part, RecordParts, child_path
from viewer.formats.record import ENTRY, Field, Record
from viewer.formats.text import until_nul


class ResourceName(NamedTuple):
    """A stored name, without blanks around it.

    Attributes
    ----------
    kind
        What is named, as `Field.names` says.
    name
        The name.
    archive
        The archive named in the field before it, for an entry; otherwise empty.
    """

    kind: str
    name: bytes
    archive: bytes = b""


@dataclass(frozen=True, slots=True)
class StoredName:
    """A name and its location: table, row and field, as in a `Place`."""

    name: ResourceName
    table: str
    row: int | None
    field: str


def name_in(record: Record, row: np.void, field: Field) -> ResourceName | None:
    """Return the name in a field of a record; None if the field names nothing or is empty."""
    archive = dict(_naming(record)).get(field.name, ())
    return _name(field, row, archive) if field.names is not None else None


def names_in(part: Part, path: str = "") -> Iterator[StoredName]:
    """Yield all names in a tree of parts, in the order of their tables."""
    if isinstance(part.children, RecordParts):
        yield from _in_groups(part.children, path)
    elif part.record is not None and isinstance(part.rows, np.ndarray):
        yield from _in_rows(part.record, part.rows, path, range(len(part.rows)))
    elif part.record is not None and isinstance(part.rows, np.void):
        yield from _in_record(part.record, part.rows, path, None)
    else:
        yield from _in_children(part, path)


def _in_children(part: Part, path: str) -> Iterator[StoredName]:
    for index, child in enumerate(part.children):
        if part.is_list and child.record is not None and isinstance(child.rows, np.void):
            yield from _in_record(child.record, child.rows, path, index)
        else:
            yield from names_in(child, child_path(part, path, index))


def _in_groups(parts: RecordParts, path: str) -> Iterator[StoredName]:
    for group in parts.groups:
        yield from _in_rows(group.record, group.rows, path, group.indices.tolist())


def _in_rows(
    record: Record, rows: np.ndarray[tuple[int], np.dtype[np.void]], path: str, indices: range | list[int]
) -> Iterator[StoredName]:
    if _naming(record):
        for index, row in zip(indices, rows, strict=True):
            yield from _in_record(record, row, path, index)


def _in_record(record: Record, row: np.void, path: str, index: int | None) -> Iterator[StoredName]:
    for name, archive in _naming(record):
        found = _name(record.field(name), row, archive)
        if found is not None:
            yield StoredName(found, path, index, name)


def _name(field: Field, row: np.void, archive: tuple[str, ...]) -> ResourceName | None:
    name = _text(row, field.name)
    held_in = _text(row, *archive) if archive else b""
    return ResourceName(field.names or "", name, held_in) if name else None


def _text(row: np.void, field: str) -> bytes:
    return until_nul(row[field].tobytes()).strip()


@lru_cache(maxsize=1024)
def _naming(record: Record) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The fields that name resources; for an entry of an archive with the field that names the archive."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for before, field in zip((None, *record.fields), record.fields, strict=False):
        if field.names is not None:
            found.append((field.name, (before.name,) if before and field.names == ENTRY else ()))
    return tuple(found)
