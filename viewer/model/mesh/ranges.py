"""Vectorised half-open ranges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


def expand(starts: Indices, counts: Indices) -> Indices:
    """``starts[i] .. starts[i] + counts[i] - 1`` for every i, one range after the other, int64."""
    total = int(counts.sum())
    result = np.repeat(starts - (np.cumsum(counts) - counts), counts)
    result += np.arange(total)
    return result
