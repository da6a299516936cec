"""The ranges of a payload that differ from the saved file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final


class ChangedRanges:
    """Ranges of offsets, of which single fields and rows are looked up in every frame.

    Parameters
    ----------
    ranges
        Start and end of each, half open; they do not overlap.
    """

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        ordered = sorted(it for it in ranges if it[0] < it[1])
        self._starts = [start for start, _ in ordered]
        self._ends = [end for _, end in ordered]

    def __bool__(self) -> bool:
        return bool(self._starts)

    def touches(self, start: int, size: int) -> bool:
        """Tell whether any of `size` bytes from an offset on has changed."""
        index = bisect_right(self._ends, start)
        return size > 0 and index < len(self._starts) and self._starts[index] < start + size


NO_RANGES: Final = ChangedRanges()
"""Nothing differs."""
