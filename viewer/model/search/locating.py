"""The place of an offset in a file: the entry that it lies in, and the table, row and field there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.errors import MshviewError
from viewer.formats.archive import nres
from viewer.formats.part import Part, spot_at
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, kind_of
from viewer.model.search.labels import has_labels, name_of_field
from viewer.model.store.file_store import Item, entry_of
from viewer.model.store.place import BYTES, Place


@dataclass(frozen=True, slots=True)
class FoundSpot:
    """A place, and the kind of the payload that it is in.

    Parameters
    ----------
    text
        Bytes of the text field there that are before and after the start of what was found; None if it is
        not in one.
    called
        What the field is called, if not by its name.
    """

    place: Place
    kind: str
    text: tuple[int, int] | None = None
    called: str = ""


class Locator:
    """Finds the places of offsets in a payload, also in the archives in it.

    Parameters
    ----------
    item
        The payload.
    """

    def __init__(self, item: Item) -> None:
        self._item = item
        self._starts: dict[str, _Starts] = {}
        self._last: tuple[str, Part | None, bool] = ("", None, False)

    def spot(self, offset: int, size: int) -> FoundSpot | None:
        """The place of some bytes; None if they are not in one payload."""
        item, kind = self._item, kind_of(self._item)
        while kind is ARCHIVE:
            archive = item.container
            if not isinstance(archive, nres.Archive):
                break
            index = self._starts_in(str(item.address), archive).find(offset, size)
            if index is None:
                break
            if index < 0:
                return None
            offset -= archive.entry(index).offset
            item = entry_of(item, archive, index)
            kind = kind_of(item)
        return self._found(item, kind, offset)

    def _starts_in(self, address: str, archive: nres.Archive) -> _Starts:
        if address not in self._starts:
            self._starts[address] = _Starts(archive)
        return self._starts[address]

    def _found(self, item: Item, kind: Kind, offset: int) -> FoundSpot:
        """The table, row and field at an offset; the byte if the payload cannot be taken apart."""
        address = str(item.address)
        if self._last[0] != address:
            self._last = address, *_taken_apart(item, kind)
        root = self._last[1]
        if root is None:
            return FoundSpot(Place(address, BYTES, offset), kind.id)
        spot = spot_at(root, offset)
        field, before = spot.field, spot.before
        place = Place(address, spot.path, spot.row, field.name if field else "")
        is_text = field is not None and field.encoding
        if field is None or not is_text:
            return FoundSpot(place, kind.id)
        called = name_of_field(spot.path, field.name, is_labeled=self._last[2])
        return FoundSpot(
            place, kind.id, (before, field.size - before), "" if called == field.name else called
        )


class _Starts:
    """The payloads of an archive by their offsets."""

    def __init__(self, archive: nres.Archive) -> None:
        starts = archive.rows["data_offset"].astype(np.int64)
        ends = starts + archive.rows["size"]
        is_inside = (starts >= nres.HEADER.size) & (ends <= archive.directory_offset) & (ends > starts)
        order = np.flatnonzero(is_inside)
        order = order[np.argsort(starts[order], kind="stable")]
        self._order: npt.NDArray[np.int64] = order
        self._starts, self._ends = starts[order], ends[order]

    def find(self, offset: int, size: int) -> int | None:
        """The entry that some bytes are in; None if they are in none, -1 if they are only in part."""
        after = int(np.searchsorted(self._starts, offset, "right"))
        if after and offset < self._ends[after - 1]:
            is_whole = offset + size <= self._ends[after - 1]
            return int(self._order[after - 1]) if is_whole else -1
        is_cut = after < len(self._starts) and self._starts[after] < offset + size
        return -1 if is_cut else None


def _taken_apart(item: Item, kind: Kind) -> tuple[Part | None, bool]:
    """The parts of a payload, None if it cannot be read, and whether it is a model with labels."""
    if not kind.is_known:
        return None, False
    with suppress(MshviewError):
        value = kind.decode(item.data, item.entry if isinstance(item.entry, nres.Entry) else None)
        return kind.parts(value), has_labels(value)
    return None, False
