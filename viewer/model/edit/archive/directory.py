"""The directory of the archive that is edited, and what it can hold."""

from __future__ import annotations

from typing import Final

from viewer.errors import EditError, FormatError, UsageError
from viewer.formats.archive import nres, rsli, rsli_edit
from viewer.formats.text import encode, fold
from viewer.model.edit.draft import Draft
from viewer.model.kinds.registry import MODEL
from viewer.model.store.file_store import Container, container_of, index_of, missing_entry
from viewer.translation import Sentence

DIRECTORY: Final = nres.ENTRY.name
"""The table of entries, of archives and of packed libraries."""
LARGEST: Final = 0xFFFFFFFF
"""Largest attribute."""


def container(draft: Draft) -> Container:
    """The archive, packed library or model of a draft; raises `UsageError` for anything else."""
    found = container_of(draft.data)
    if found is None:
        raise UsageError(Sentence("is not an archive: {kind}", kind=draft.kind.id))
    return found


def archive(draft: Draft) -> nres.Archive:
    """The archive of a draft; refuses a packed library, of which only members are replaced and renamed."""
    found = container(draft)
    if isinstance(found, rsli.PackedLibrary):
        raise EditError(
            "entries of a packed library can only be replaced and renamed: how it is written is not proven",
            table=DIRECTORY,
        )
    return found


def archive_in(data: memoryview) -> nres.Archive | None:
    """The archive in some bytes; None for anything else and for a broken one."""
    if data[:4] != nres.MAGIC:
        return None
    try:
        found = container_of(data)
    except FormatError:
        return None
    return found if isinstance(found, nres.Archive) else None


def row_of(holder: Container, entry: str) -> int:
    """The row of an entry, given as in an address: a name, or ``#`` and a row; raises `EditError`."""
    row = index_of(holder, entry)
    if row is None:
        raise EditError(missing_entry(holder, entry), table=DIRECTORY)
    return row


def new_name(draft: Draft, holder: Container, name: str, row: int | None = None) -> bytes:
    """The bytes of the name of a new entry, or of `row`; raises `EditError` if the directory cannot hold it.

    A name that another entry has is refused, because only the first of them is found; tables of a model,
    which are found by their types, may share one.
    """
    is_packed = isinstance(holder, rsli.PackedLibrary)
    most = rsli_edit.NAME_SIZE if is_packed else nres.NAME_SIZE - 1
    try:
        raw = encode(name.upper() if is_packed else name)
    except ValueError as error:
        raise EditError(str(error), table=DIRECTORY, index=row, field="name") from None
    if not 0 < len(raw) <= most or b"\0" in raw:
        message = Sentence(
            "{name!r} has {size} bytes; a name has 1 to {limit}, none of them NUL",
            name=name,
            size=len(raw),
            limit=most,
        )
        raise EditError(message, table=DIRECTORY, index=row, field="name")
    if draft.kind is not MODEL:
        _refuse_second(holder, raw, row)
    return raw


def _refuse_second(holder: Container, raw: bytes, row: int | None) -> None:
    """Raise if another entry has the name."""
    wanted = fold(raw)
    for entry in holder.entries:
        if entry.index != row and fold(entry.name) == wanted:
            message = Sentence("entry {other} has the name {name!r}", other=entry.index, name=entry.text)
            raise EditError(message, table=DIRECTORY, index=row, field="name")


def checked_number(value: int, field: str, row: int | None = None) -> int:
    """A number of a directory entry; raises `EditError` if its field cannot hold it."""
    if not 0 <= value <= LARGEST:
        message = Sentence("{value} exceeds {low}..{high}", value=value, low=0, high=LARGEST)
        raise EditError(message, table=DIRECTORY, index=row, field=field)
    return value


def payload(holder: Container, row: int) -> memoryview | None:
    """The bytes of an entry, or None if they are damaged."""
    try:
        return memoryview(holder.payload(row))
    except FormatError:
        return None
