"""The data area of an archive as ranges: payloads, padding, and bytes without an entry.

Source: spec/nres.md 1, 4; spec/rsli.md 1.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, overload

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.part import Part, raw
from viewer.formats.record import Status
from viewer.translation import _

# Below all entries, so that an array of owners tells the three apart.
_PADDING, _UNINDEXED = -1, -2
_NAMES: Final = {_PADDING: "padding", _UNINDEXED: "unindexed"}
_DOCS: Final = {
    _PADDING: "Padding up to the next aligned offset.",
    _UNINDEXED: "Bytes without an entry.",
}

Offsets = npt.NDArray[np.int64]


class Stretches(Struct, frozen=True, eq=False):
    """The k ranges that tile a data area, in the order of their offsets.

    If payloads overlap, a byte belongs to the one that starts first; one inside others is empty.

    Attributes
    ----------
    bounds
        Start of each range and the end of the last, (k + 1,) int64.
    owners
        The entry of its payload, -1 for padding, -2 for bytes without an entry, (k,) int64.
    """

    bounds: Offsets
    owners: Offsets

    def __len__(self) -> int:
        return len(self.owners)

    def owner(self, index: int) -> int | None:
        """The entry of a range, or None for bytes between payloads."""
        owner = int(self.owners[index])
        return None if owner < 0 else owner

    def span(self, index: int) -> tuple[int, int]:
        """Start and end of a range."""
        start, end = self.bounds[index : index + 2].tolist()
        return start, end

    def part(self, data: memoryview, index: int) -> Part:
        """A range of `data` as bytes; ``resource_3`` is the payload of entry 3."""
        start, end = self.span(index)
        owner = int(self.owners[index])
        name = _NAMES.get(owner, f"resource_{owner}")
        doc = _DOCS.get(owner) or _("Payload of entry {owner}.", owner=owner)
        return raw(name, data[start:end], start, doc, Status.OPEN if owner == _UNINDEXED else Status.PROVEN)


def divide(
    offsets: Offsets, ends: Offsets, entries: npt.NDArray[np.intp], area: tuple[int, int], alignment: int = 1
) -> Stretches:
    """The ranges of an area.

    Parameters
    ----------
    offsets, ends
        Start and end of the payload of each entry, (n,).
    entries
        Entries whose payloads end inside the area, (m,).
    area
        Start and end of the area.
    alignment
        Alignment of payloads, bytes; a gap that ends at the next multiple is padding.
    """
    # The last key counts first: by offset, of equal offsets the shorter payload before the longer one.
    order = entries[np.lexsort((ends[entries], offsets[entries]))]
    start, end = area
    # How far the payloads before each one reach: a payload starts there if another one overlaps it.
    reached = np.maximum.accumulate(np.append(start, ends[order]))
    starts = np.maximum(offsets[order], reached[:-1])
    gap_ends = np.append(starts, end)
    # A gap is padding if it ends at the next multiple: with 8, from 13 to 16, where -13 % 8 is 3.
    is_padding = gap_ends - reached == -reached % alignment
    bounds = np.empty(2 * len(order) + 2, np.int64)
    owners = np.empty(2 * len(order) + 1, np.int64)
    # Gaps and payloads take turns: gap, payload, gap, ..., gap; empty gaps are dropped at the end.
    bounds[:-1:2], bounds[1:-1:2], bounds[-1] = reached, starts, end
    owners[::2], owners[1::2] = np.where(is_padding, _PADDING, _UNINDEXED), order
    is_kept = (np.diff(bounds) > 0) | (owners >= 0)
    return Stretches(np.append(bounds[:-1][is_kept], end), owners[is_kept])


class StretchParts(Sequence[Part]):
    """The ranges of a payload as parts, each made on access."""

    __slots__ = ("_data", "_stretches")

    def __init__(self, data: memoryview, stretches: Stretches) -> None:
        self._data = data
        self._stretches = stretches

    def __len__(self) -> int:
        return len(self._stretches)

    @overload
    def __getitem__(self, index: int) -> Part: ...
    @overload
    def __getitem__(self, index: slice) -> list[Part]: ...
    def __getitem__(self, index: int | slice) -> Part | list[Part]:
        indices = range(len(self))[index]
        if isinstance(indices, int):
            return self._stretches.part(self._data, indices)
        return [self._stretches.part(self._data, it) for it in indices]
