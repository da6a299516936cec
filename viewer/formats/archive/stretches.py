"""What the data area of an archive consists of: payloads, padding, and bytes that no entry owns.

Source: spec/nres.md 1, 4; spec/rsli.md 1.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, overload

import numpy as np
import numpy.typing as npt

from viewer.formats.part import Part, raw
from viewer.formats.record import Status

_PADDING, _UNINDEXED = -1, -2
_NAMES: Final = {_PADDING: "padding", _UNINDEXED: "unindexed"}
_DOCS: Final = {
    _PADDING: "Bytes up to where the next payload may start.",
    _UNINDEXED: "Bytes that belong to no entry.",
}

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stretches:
    """Stretches that tile a data area, in the order of their offsets; there are k of them.

    Where payloads overlap, a byte belongs to the one that starts first; one that lies in others is empty.

    Attributes
    ----------
    bounds
        Where each stretch starts, and where the last one ends, (k + 1,) int64.
    owners
        The entry whose payload it is, -1 for padding, -2 for bytes that no entry owns, (k,) int64.
    """

    bounds: Offsets
    owners: Offsets

    def __len__(self) -> int:
        return len(self.owners)

    def owner(self, place: int) -> int | None:
        """The entry that a stretch is the payload of, None for bytes between payloads."""
        owner = int(self.owners[place])
        return None if owner < 0 else owner

    def span(self, place: int) -> tuple[int, int]:
        """Where a stretch starts and ends."""
        start, end = self.bounds[place : place + 2].tolist()
        return start, end

    def part(self, data: memoryview, place: int) -> Part:
        """Return a stretch of `data` as bytes; ``resource_3`` is the payload of entry 3."""
        start, end = self.span(place)
        owner = int(self.owners[place])
        name = _NAMES.get(owner, f"resource_{owner}")
        doc = _DOCS.get(owner, f"Payload of entry {owner}.")
        return raw(name, data[start:end], start, doc, Status.OPEN if owner == _UNINDEXED else Status.PROVEN)


def divide(
    offsets: Offsets, ends: Offsets, entries: npt.NDArray[np.intp], area: tuple[int, int], alignment: int = 1
) -> Stretches:
    """Return what an area consists of.

    Parameters
    ----------
    offsets, ends
        Where the payload of each entry starts and ends, (n,).
    entries
        Those to look at: their payloads end inside the area, (m,).
    area
        Where the area starts and ends.
    alignment
        Payloads start at multiples of it; a gap that just reaches one is padding.
    """
    order = entries[np.lexsort((ends[entries], offsets[entries]))]
    start, end = area
    reached = np.maximum.accumulate(np.append(start, ends[order]))
    starts = np.maximum(offsets[order], reached[:-1])
    gap_ends = np.append(starts, end)
    is_padding = gap_ends - reached == -reached % alignment
    bounds = np.empty(2 * len(order) + 2, np.int64)
    owners = np.empty(2 * len(order) + 1, np.int64)
    bounds[:-1:2], bounds[1:-1:2], bounds[-1] = reached, starts, end
    owners[::2], owners[1::2] = np.where(is_padding, _PADDING, _UNINDEXED), order
    is_kept = (np.diff(bounds) > 0) | (owners >= 0)
    return Stretches(np.append(bounds[:-1][is_kept], end), owners[is_kept])


class StretchParts(Sequence[Part]):
    """The stretches of a payload as parts, each made when it is looked at."""

    __slots__ = ("_data", "_stretches")

    def __init__(self, data: memoryview, stretches: Stretches) -> None:
        self._data = data
        self._stretches = stretches

    def __len__(self) -> int:
        return len(self._stretches)

    @overload
    def __getitem__(self, place: int) -> Part: ...
    @overload
    def __getitem__(self, place: slice) -> list[Part]: ...
    def __getitem__(self, place: int | slice) -> Part | list[Part]:
        places = range(len(self))[place]
        if isinstance(places, int):
            return self._stretches.part(self._data, places)
        return [self._stretches.part(self._data, it) for it in places]
