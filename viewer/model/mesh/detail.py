"""The group of the slot matrix that the size of a model in the image chooses, in the field reading.

Groups 0 to 3 are levels of detail, the finest first: along them the triangle counts fall on 1157 of 1161
chains of the retail models, which is the strongest evidence there is. The game chooses one group for a whole
model, its "current" one. No source states at which size it changes; the thresholds here are ours: the finest
group down to a quarter of the height of the image, then a coarser one at each half of that.

Source: spec/field-notes.md 1, 3; spec/msh.md 2 (lod == -1).
Status: inferred (axis), ours (thresholds).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

THRESHOLDS: Final = (1 / 16, 1 / 8, 1 / 4)
"""Sizes below which a coarser group is drawn: diameter of the model over height of the image."""
COARSEST: Final = len(THRESHOLDS)
"""The group of the coarsest level of detail."""


def group_at(size: float) -> int:
    """The group drawn at a size, the diameter of the model over the height of the image."""
    return COARSEST - bisect_right(THRESHOLDS, size)
