"""Making a patch of two files: values of fields where both have them at the same place, else bytes."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from typing import Any, Final

from viewer.errors import EditError, MshviewError
from viewer.formats.record import Bytes
from viewer.formats.splice import Splice, Splices
from viewer.model.kinds import json_text
from viewer.model.patch.applying import applied
from viewer.model.patch.located import FieldSpot, LocatedFile, raw_of, value_of
from viewer.model.patch.patch import BytesChange, FieldChange, Patch, PatchChange, Stamp
from viewer.model.patch.structure import spliced
from viewer.model.store.address import SEPARATOR

MOST_FIELDS: Final = 50_000
"""Values that are written as such; what differs beyond them is written as bytes."""


def made(before: Bytes, after: Bytes, name: str = "file") -> Patch:
    """Return the patch from one file to another; `name` is that of the file in addresses."""
    name = name.replace(SEPARATOR, "_") or "file"
    stamps = Stamp.of(before), Stamp.of(after)
    splices = spliced(before, after)
    patch = Patch(*stamps, tuple(_Maker(name, before, after, splices).changes()))
    if _is_exact(patch, before, after):
        return patch
    return Patch(
        *stamps, tuple(BytesChange(name, it.offset, it.before, it.after, it.offset) for it in splices)
    )


def _is_exact(patch: Patch, before: Bytes, after: Bytes) -> bool:
    """Whether a patch gives the other file in both directions, also when its JSON is read again."""
    again = Patch.parse(patch.encode())
    try:
        there, back = applied(again, before), applied(again, after, is_reverse=True)
    except MshviewError:
        return False
    return there == memoryview(after) and back == memoryview(before)


class _Maker:
    """The changes of one patch."""

    def __init__(self, name: str, before: Bytes, after: Bytes, splices: Splices) -> None:
        self._name = name
        self._old = LocatedFile(name, before)
        self._new = LocatedFile(name, after)
        self._splices = splices
        self._room = MOST_FIELDS

    def changes(self) -> Iterator[PatchChange]:
        """Yield them in the order of their offsets."""
        shift = done = 0
        walls = iter([it.offset for it in self._splices if it.growth])
        wall = next(walls, len(self._old.data))
        for splice in self._splices:
            if splice.growth:
                yield self._bytes(splice)
                shift, done = shift + splice.growth, splice.end
                wall = next(walls, len(self._old.data))
            else:
                done = yield from self._in_place(max(done, splice.offset), splice.end, shift, (done, wall))

    def _in_place(
        self, offset: int, end: int, shift: int, around: tuple[int, int]
    ) -> Generator[PatchChange, None, int]:
        """Yield the changes of bytes that keep their number, and return where the last one ends."""
        while offset < end:
            found = self._field(offset, shift, around) if self._room else None
            if found is not None:
                spot, change = found
                self._room -= 1
                offset = spot.end
                yield change
                continue
            stop = min(end, self._old.next_boundary(offset)) if self._room else end
            yield from self._stretch(offset, stop, shift)
            offset = stop
        return offset

    def _field(
        self, offset: int, shift: int, around: tuple[int, int]
    ) -> tuple[FieldSpot, FieldChange] | None:
        """The field at an offset, if both files have it and its values say everything about its bytes."""
        spot, other = self._old.field_at(offset), self._new.field_at(offset + shift)
        if (
            spot is None
            or other is None
            or spot.names != other.names
            or spot.field != other.field
            or spot.start + shift != other.start
        ):
            return None
        if spot.start < around[0] or spot.end > around[1]:
            return None
        old, new = self._old.data[spot.start : spot.end], self._new.data[other.start : other.end]
        try:
            before, after = (_exact(spot, *pair) for pair in ((old, new), (new, old)))
        except EditError:
            return None
        address = SEPARATOR.join((self._name, *spot.entries))
        return spot, FieldChange(address, spot.table, spot.row, spot.field.name, before, after)

    def _stretch(self, offset: int, stop: int, shift: int) -> Iterator[BytesChange]:
        old, new = (
            bytes(it) for it in (self._old.data[offset:stop], self._new.data[offset + shift : stop + shift])
        )
        if old != new:
            yield self._bytes(Splice(offset, old, new))

    def _bytes(self, splice: Splice) -> BytesChange:
        payload = self._old.payload_at(splice.offset)
        if splice.end > payload.end or splice.growth:
            payload = self._old.payload(())
        address = SEPARATOR.join((self._name, *payload.entries))
        return BytesChange(address, splice.offset - payload.start, splice.before, splice.after, splice.offset)


def _exact(spot: FieldSpot, raw: Bytes, other: Bytes) -> Any:
    """The value of a field that gives its bytes again, also over those of the other file.

    Raises `EditError` if it does not.
    """
    value = json.loads(json_text.encode(value_of(spot.field, raw)))
    if raw_of(spot.field, value, other) != bytes(raw) or raw_of(spot.field, value, raw) != bytes(raw):
        raise EditError("")
    return value
