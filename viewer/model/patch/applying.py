"""Applying a patch: only to the file that it was made of, or where everything that it replaces is there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from viewer.errors import EditError, FormatError, MshviewError
from viewer.formats import splice
from viewer.formats.record import Bytes
from viewer.formats.splice import Splice, Splices
from viewer.model.patch.located import LocatedFile, raw_of
from viewer.model.patch.patch import CHANGES, BytesChange, FieldChange, Patch, PatchChange, Stamp, entries_of
from viewer.model.store.place import Place
from viewer.translation import Sentence

NAME: Final = "file"
BETWEEN: Final = ": "
"""Between an address and what is in it."""


def applied(patch: Patch, data: Bytes, *, is_reverse: bool = False, is_forced: bool = False) -> bytes:
    """Return the bytes of a file after a patch.

    Parameters
    ----------
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
    is_other = Stamp.of(data) != wanted
    if is_other and not is_forced:
        raise EditError(_other(patch, data, is_reverse=is_reverse))
    result = splice.applied(data, splices(patch, data, is_reverse=is_reverse, is_other=is_other))
    if not is_other and Stamp.of(result) != promised:
        raise FormatError(Sentence("the changes do not give the file that the patch promises"))
    return result


def _other(patch: Patch, data: Bytes, *, is_reverse: bool) -> str:
    if Stamp.of(data) == (patch.before if is_reverse else patch.after):
        return Sentence("is the file before the patch") if is_reverse else Sentence("has the patch already")
    return Sentence(
        "is not the file of the patch: {size} bytes of another hash", size=memoryview(data).nbytes
    )


def splices(patch: Patch, data: Bytes, *, is_reverse: bool = False, is_other: bool = False) -> Splices:
    """Return what a patch replaces in a file; raises like `applied`.

    `is_other` if it is not the file that the patch was made of, so that offsets count in payloads.
    """
    located = LocatedFile(NAME, data)
    found: list[Splice] = []
    for index, change in enumerate(_turned(patch, is_reverse=is_reverse)):
        try:
            found.append(_splice(located, change, is_other=is_other))
        except MshviewError as error:
            message = Sentence(
                "{place}: {message}", place=place_of(change), message=Sentence.of(error.message)
            )
            raise EditError(message, table=CHANGES, index=index) from None
    try:
        return splice.ordered(found)
    except ValueError as error:
        raise FormatError(Sentence.of(str(error)), table=CHANGES) from None


def _turned(patch: Patch, *, is_reverse: bool) -> Iterator[PatchChange]:
    """Yield the changes, or those that undo them; in these offsets count in the file after the patch."""
    if not is_reverse:
        yield from patch.changes
        return
    by_place = sorted((it for it in patch.changes if isinstance(it, BytesChange)), key=lambda it: it.at)
    grown = dict(zip(map(id, by_place), accumulate((it.growth for it in by_place), initial=0), strict=False))
    inside: dict[str, int] = {}
    for change in sorted(patch.changes, key=lambda it: it.at if isinstance(it, BytesChange) else -1):
        if isinstance(change, FieldChange):
            yield FieldChange(
                change.address, change.table, change.row, change.field, change.after, change.before
            )
            continue
        offset = change.offset + inside.get(change.address, 0)
        inside[change.address] = inside.get(change.address, 0) + change.growth
        yield BytesChange(change.address, offset, change.after, change.before, change.at + grown[id(change)])


def _splice(located: LocatedFile, change: PatchChange, *, is_other: bool) -> Splice:
    """What a change replaces; raises `MshviewError` if the file does not have it."""
    if isinstance(change, FieldChange):
        names = entries_of(change.address), change.table, change.row, change.field
        spot = located.field(names)
        raw = bytes(located.data[spot.start : spot.end])
        if raw_of(spot.field, change.before, raw) != raw:
            raise EditError(Sentence("another value is there"))
        return Splice(spot.start, raw, raw_of(spot.field, change.after, raw))
    start = change.at
    if is_other and entries_of(change.address):
        start = located.payload(entries_of(change.address)).start + change.offset
    if located.data[start : start + len(change.before)] != change.before:
        raise EditError(Sentence("other bytes are there"))
    return Splice(start, change.before, change.after)


def place_of(change: PatchChange) -> str:
    """Where a change is, as text."""
    if isinstance(change, BytesChange):
        return BETWEEN.join((change.address, hex(change.offset)))
    return str(Place(change.address, change.table, change.row, change.field))
