"""Frame ranges that the user marks by hand, because only a controller says which frames belong together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor


@dataclass(frozen=True, slots=True, order=True)
class FrameRange:
    """Some frames of a model that are played on their own.

    Parameters
    ----------
    first, last
        Whole frames, both included.
    name
        The name that the user gave it; may be empty.
    """

    first: int
    last: int
    name: str = ""

    @classmethod
    def between(cls, one: float, other: float) -> FrameRange:
        """The frames from one time to another, in either order, each rounded to the nearest frame."""
        ends = [max(0, floor(time + 0.5)) for time in (one, other)]
        return cls(min(ends), max(ends))


Ranges = tuple[FrameRange, ...]
"""The ranges of one model, ordered by their frames, each once."""


def with_range(ranges: Iterable[FrameRange], added: FrameRange) -> Ranges:
    """The ranges and one more."""
    return tuple(sorted({*ranges, added}))


def without_range(ranges: Iterable[FrameRange], removed: FrameRange) -> Ranges:
    """The ranges without one of them."""
    return tuple(other for other in ranges if other != removed)
