"""Applying a patch: only to the file that it was made of, or where everything that it replaces is there.

Fields are found by the names of payload, table, row and field, so that they may have moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct

from viewer.errors import (
    MOST_OF_NAME,
    AddressError,
    EditError,
    FormatError,
    MshviewError,
    reason_of,
    shortened,
)
from viewer.formats import splice
from viewer.formats.archive import nres, rsli
from viewer.formats.part import BytePlace, Part, find, place_at
from viewer.formats.record import Bytes, Field
from viewer.formats.splice import Splice, Splices
from viewer.model.checks.containers import overlapping
from viewer.model.edit import values
from viewer.model.kinds.columns import field_value
from viewer.model.kinds.registry import ARCHIVE, promised_kind
from viewer.model.patch.patch import CHANGES, BytesChange, FieldChange, Patch, PatchChange, Stamp, entries_of
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.item import Item, entry_of, index_of
from viewer.model.store.place import Place
from viewer.translation import Text, _

AnyEntry = nres.Entry | rsli.PackedEntry
MAX_DEPTH: Final = 8
"""Depth of nested archives in which fields are looked for."""


class PatchChoices(Struct, frozen=True):
    """The choices with which a patch is applied.

    Attributes
    ----------
    is_reverse
        The file is the one after the patch; it becomes the one before it.
    is_forced
        Another file is taken too, if it has everything that the patch replaces.
    """

    is_reverse: bool = False
    is_forced: bool = False


DEFAULT: Final = PatchChoices()


class PatchedPayload(Struct, frozen=True, eq=False):
    """A payload and where it is.

    Attributes
    ----------
    entries
        The entries that lead to it.
    start
        Its offset in the file.
    item
        Its bytes.
    """

    entries: tuple[str, ...]
    start: int
    item: Item

    @property
    def end(self) -> int:
        """The first offset after it in the file."""
        return self.start + len(self.item.data)

    @property
    def parts(self) -> Part | None:
        """The tree of parts of the payload, made once; None if its kind is unknown or it cannot be read."""
        return self.item.once(Part, self._parts)

    def _parts(self) -> Part | None:
        kind = promised_kind(self.item)
        if not kind.is_known:
            return None
        try:
            return kind.parts_in(self.item)
        except FormatError:
            return None


class FieldPlace(Struct, frozen=True):
    """A field of a row in a file.

    Attributes
    ----------
    entries, table, row, name
        Its names.
    field
        Its declaration.
    start
        Its offset in the file.
    """

    entries: tuple[str, ...]
    table: str
    row: int | None
    field: Field
    start: int

    @property
    def names(self) -> tuple[tuple[str, ...], str, int | None, str]:
        """The key of the field: entries, table, row and its name."""
        return self.entries, self.table, self.row, self.field.name

    @property
    def end(self) -> int:
        """The first offset after it."""
        return self.start + self.field.size


class LocatedFile:
    """The bytes of a file, and what lies where in them.

    Parameters
    ----------
    entry
        The directory entry, whose type says how to read them, if they are the payload of one.
    """

    def __init__(self, name: str, data: Bytes, entry: AnyEntry | None = None) -> None:
        view = memoryview(data).toreadonly()
        self.data = view
        self._root = PatchedPayload((), 0, Item(Address(Path(name)), view, entry))

    def payload_at(self, offset: int) -> PatchedPayload:
        """The innermost payload that holds the byte at an offset."""
        payload = self._root
        while len(payload.entries) < MAX_DEPTH:
            archive = _archive(payload.item)
            index = None if archive is None else _entry_at(payload.item, archive, offset - payload.start)
            if archive is None or index is None:
                return payload
            payload = _inside(payload, archive, index)
        return payload

    def payload(self, entries: tuple[str, ...]) -> PatchedPayload:
        """A payload by the entries that lead to it; raises `AddressError` or `FormatError`."""
        payload = self._root
        for entry in entries:
            archive = _archive(payload.item)
            index = None if archive is None else index_of(archive, entry)
            if archive is None or index is None:
                raise AddressError(_("has no entry {entry!r}", entry=shortened(entry)))
            payload = _inside(payload, archive, index, entry)
        return payload

    def field_at(self, offset: int) -> FieldPlace | None:
        """The field that holds the byte at an offset; None if no record is known there."""
        payload = self.payload_at(offset)
        root = payload.parts
        if root is None:
            return None
        found = place_at(root, offset - payload.start)
        part = find(root, found.path)
        # Bytes under an XOR stream are no field values as they are stored.
        if found.field is None or part is None or part.transform is not None:
            return None
        return FieldPlace(payload.entries, found.path, found.row, found.field, offset - found.before)

    def next_boundary(self, offset: int) -> int:
        """End of the payload, or of the part without children, that holds an offset."""
        payload = self.payload_at(offset)
        root = payload.parts
        found = BytePlace("") if root is None else place_at(root, offset - payload.start)
        part = None if root is None else find(root, found.path)
        end = payload.end if part is None else payload.start + part.end
        archive = _archive(payload.item)
        entries = () if archive is None else archive.entries
        starts = (payload.start + entry.offset for entry in entries)
        # In an archive the bytes up to the next payload: a change must not reach into it.
        nearest = min((start for start in starts if start > offset), default=end)
        return max(offset + 1, min(end, nearest))

    def field(self, names: tuple[tuple[str, ...], str, int | None, str]) -> FieldPlace:
        """A field by its names; raises `EditError`, `AddressError` or `FormatError`."""
        entries, table, row, name = names
        payload = self.payload(entries)
        part = None if payload.parts is None else find(payload.parts, table)
        if part is None:
            raise EditError(_("there is no {table}", table=shortened(table)))
        inner = part.children[row] if part.is_list and row is not None and row < part.count else part
        declared = inner.record.fields if inner.record else ()
        field = next((field for field in declared if field.name == name), None)
        try:
            start, _ignored = part.span(row, name)
        except LookupError:
            field = None
        if field is None or (row is None) == part.is_table or part.transform is not None:
            raise EditError(_("there is no such field"), table=table, index=row, field=name)
        return FieldPlace(entries, table, row, field, payload.start + start)


def value_of(field: Field, raw: Bytes) -> Any:
    """The value of a field as ``inspect`` prints it, from its bytes."""
    return field_value(field, _array(field, raw)[()])


def raw_of(field: Field, value: Any, before: Bytes) -> bytes:
    """The bytes of a field after a value is set; raises `EditError` if it cannot hold the value."""
    return values.stored(field, value, _array(field, before)).tobytes()


def _array(field: Field, raw: Bytes) -> Any:
    return np.frombuffer(bytes(raw), field.dtype).reshape(field.shape)


def _archive(item: Item) -> nres.Archive | None:
    """The archive of entries that an item is; None for anything else, models included."""
    return item.archive if promised_kind(item) is ARCHIVE else None


def _inside(payload: PatchedPayload, archive: nres.Archive, index: int, name: str = "") -> PatchedPayload:
    inner = entry_of(payload.item, archive, index, name)
    entry = archive.entry(index)
    return PatchedPayload((*payload.entries, inner.address.name), payload.start + entry.offset, inner)


def _entry_at(item: Item, archive: nres.Archive, offset: int) -> int | None:
    """The entry whose payload holds an offset, unless several do."""
    shared = item.once(overlapping, lambda: overlapping(archive))
    starts = archive.rows["data_offset"].astype(np.int64)
    is_here = (starts <= offset) & (offset < starts + archive.rows["size"])
    # A byte that several payloads hold belongs to none of them alone, and is addressed in the archive.
    found = [index for index in np.flatnonzero(is_here).tolist() if not archive.entry(index).is_damaged]
    return found[0] if len(found) == 1 and found[0] not in shared else None


NAME: Final = "file"
BETWEEN: Final = ": "
"""Between an address and what is in it."""


def applied(
    patch: Patch,
    data: Bytes,
    *,
    is_reverse: bool = False,
    is_forced: bool = False,
    entry: AnyEntry | None = None,
) -> bytes:
    """The bytes of a file after a patch.

    Parameters
    ----------
    entry
        The directory entry of the bytes if they are the payload of one.
    is_reverse
        The file is the one after the patch; return the one before it.
    is_forced
        Take another file too, if it has everything that the patch replaces.

    Raises
    ------
    EditError
        If it is another file, or if one of the replaced values or bytes is another one.
    FormatError
        If the changes overlap, or if the result is not the one that the patch promises.
    """
    wanted, promised = (patch.after, patch.before) if is_reverse else (patch.before, patch.after)
    # The hash, not the name: only the file that the patch was made of gives the promised one.
    is_other = Stamp.of(data) != wanted
    if is_other and not is_forced:
        if Stamp.of(data) == promised:
            raise EditError(_("is the file before the patch") if is_reverse else _("has the patch already"))
        words = "is not the file of the patch: {size} bytes of another hash"
        raise EditError(_(words, size=memoryview(data).nbytes))
    located = LocatedFile(NAME, data, entry)
    found = splices(patch, located, is_reverse=is_reverse, is_other=is_other)
    result = splice.applied(data, found)
    if not is_other and Stamp.of(result) != promised:
        raise FormatError(_("the changes do not give the file that the patch promises"))
    return result


def splices(
    patch: Patch, located: LocatedFile, *, is_reverse: bool = False, is_other: bool = False
) -> Splices:
    """Splices of a patch in a file; raises like `applied`.

    `is_other` if it is not the file that the patch was made of, so that offsets count in payloads.
    """
    found: list[Splice] = []
    for index, change in enumerate(_turned(patch, is_reverse=is_reverse)):
        try:
            found.append(splice_of(located, change, is_other=is_other))
        except MshviewError as error:
            words = "{place}: {message}"
            message = _(words, place=place_of(change), message=Text.of(error.message))
            raise EditError(message, table=CHANGES, index=index) from None
    try:
        return splice.ordered(found)
    except ValueError as error:
        raise FormatError(reason_of(error), table=CHANGES) from None


def _turned(patch: Patch, *, is_reverse: bool) -> Iterator[PatchChange]:
    """The changes, or those that undo them; in these offsets count in the file after the patch."""
    if not is_reverse:
        yield from patch.changes
        return
    by_place = sorted((it for it in patch.changes if isinstance(it, BytesChange)), key=lambda it: it.at)
    # Going back, offsets count in the file after the patch: each is shifted by the growth of the changes
    # before it.
    grown = dict(zip(map(id, by_place), accumulate((it.growth for it in by_place), initial=0), strict=False))
    inside: dict[str, int] = {}
    for change in sorted(patch.changes, key=lambda it: it.at if isinstance(it, BytesChange) else -1):
        if isinstance(change, FieldChange):
            # Field changes have no offset and keep the size: turning their values round is enough.
            yield FieldChange(
                change.address, change.table, change.row, change.field, change.after, change.before
            )
            continue
        offset = change.offset + inside.get(change.address, 0)
        inside[change.address] = inside.get(change.address, 0) + change.growth
        yield BytesChange(change.address, offset, change.after, change.before, change.at + grown[id(change)])


def splice_of(located: LocatedFile, change: PatchChange, *, is_other: bool) -> Splice:
    """Splice of a change; raises `MshviewError` if the file does not have its bytes.

    `is_other` as for `splices`.
    """
    if isinstance(change, FieldChange):
        names = entries_of(change.address), change.table, change.row, change.field
        found = located.field(names)
        raw = bytes(located.data[found.start : found.end])
        # By its bytes, as ``1.0`` and ``1`` in JSON are one float, and a text does not say what is behind its
        # NUL.
        if raw_of(found.field, change.before, raw) != raw:
            raise EditError(_("another value is there"))
        return Splice(found.start, raw, raw_of(found.field, change.after, raw))
    start = change.at
    # In another file payloads have moved: what counts is the offset in the payload.
    if is_other and entries_of(change.address):
        start = located.payload(entries_of(change.address)).start + change.offset
    if located.data[start : start + len(change.before)] != change.before:
        raise EditError(_("other bytes are there"))
    return Splice(start, change.before, change.after)


def place_of(change: PatchChange) -> str:
    """Location of a change, as text."""
    if isinstance(change, BytesChange):
        place = hex(change.offset)
    else:
        place = Place(CURRENT, change.table, change.row, change.field).in_file
    return BETWEEN.join(shortened(it, MOST_OF_NAME) for it in (change.address, place))
