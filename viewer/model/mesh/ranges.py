"""Vectorised half-open ranges."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]
Rows32 = npt.NDArray[np.int32]
"""Rows of a table, where there may be millions of them."""


def expand(starts: Indices, counts: Indices) -> Indices:
    """``starts[i] .. starts[i] + counts[i] - 1`` for every i, one range after the other, int64."""
    total = int(counts.sum())
    result = np.repeat(starts - (np.cumsum(counts) - counts), counts)
    result += np.arange(total)
    return result


def chunks(counts: Indices, most: int) -> Iterator[slice]:
    """Slices of consecutive ranges that hold at most `most` items together, or one range each, in order."""
    end = np.cumsum(counts)
    first = 0
    while first < len(counts):
        reached = end[first - 1] if first else 0
        after = max(first + 1, int(np.searchsorted(end, reached + most, side="right")))
        yield slice(first, after)
        first = after
