"""Addresses after an edit of their file: entries may have another name, or another row."""

from __future__ import annotations

from collections.abc import Sequence

from viewer.errors import FormatError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.model.store.carrying import Entry, Place, place_after, stored_size
from viewer.model.store.file_store import Container, container_of, index_of, spelling

Entries = tuple[str, ...]
"""The entries of an address."""


def entries_after(before: Bytes, after: Bytes, splices: Splices, entries: Entries) -> Entries | None:
    """Return the entries of an address after an edit of its file; None for an entry that was removed.

    An address that led nowhere before stays as it is.

    Parameters
    ----------
    before, after
        The bytes of the file.
    splices
        The edit; offsets count in the bytes before.
    """
    old, new = (_container(data) for data in (before, after))
    index = index_of(old, entries[0]) if old is not None and entries else None
    if old is None or new is None or index is None:
        return entries
    row = row_after(old.entry(index), new, splices)
    if row is None:
        return None
    rest = _inside(old, index, new, row, splices, entries[1:]) if len(entries) > 1 else ()
    name = entries[0] if index_of(new, entries[0]) == row else spelling(new, row)
    return None if rest is None else (name, *rest)


def _inside(
    old: Container, index: int, new: Container, row: int, splices: Splices, entries: Entries
) -> Entries | None:
    """The same inside an entry that is an archive."""
    entry = old.entry(index)
    inner: Sequence[splice.Splice] = ()
    if isinstance(entry, nres.Entry):
        inner = [it for it in splices if entry.offset <= it.offset and it.end <= entry.end]
    try:
        payloads = old.payload(index), new.payload(row)
    except FormatError:
        return entries
    return entries_after(*payloads, splice.moved(tuple(inner), -entry.offset), entries)


def _container(data: Bytes) -> Container | None:
    try:
        return container_of(memoryview(data))
    except FormatError:
        return None


def row_after(entry: Entry, new: Container, splices: Splices) -> int | None:
    """The row of an entry after an edit: that of its bytes, else that of its name."""
    place = place_after(entry, splices)
    if entry.index < len(new.entries) and _is_same(new.entry(entry.index), entry, place):
        return entry.index
    found = [other for other in new.entries if (other.offset, stored_size(other)) == place]
    by_name = next((other for other in found if _is_same(other, entry, place)), None)
    if by_name is None and found and place[1]:
        return found[0].index
    return new.find(entry.name) if by_name is None else by_name.index


def _is_same(other: Entry, entry: Entry, place: Place) -> bool:
    return (other.offset, stored_size(other)) == place and other.name_raw == entry.name_raw
