"""Numbers that are changed by dragging sideways."""

from __future__ import annotations

from math import floor, isfinite, log10
from typing import Any, Final

import numpy as np

from viewer.formats.record import Field

FINE: Final = 0.1
COARSE: Final = 10.0
"""Factors of the step while Alt or Shift is down."""
LEAST_INTEGER_STEP: Final = 0.2
"""Least change of an integer per pixel."""
INTEGER_SHARE: Final = 0.004
"""Share of an integer that a pixel changes it by, if that is more."""
LEAST_FLOAT: Final = 0.1
"""A float nearer to zero changes as this one does."""
PLACES: Final = 2
"""Decimal places below the leading one of a float that a pixel changes."""


def can_scrub(field: Field, value: Any) -> bool:
    """Tell whether an element is a quantity that dragging changes."""
    if np.dtype(field.dtype).kind not in "iuf" or field.refers_to or field.values or field.is_bits:
        return False
    return isfinite(value) and not (field.none is not None and value == field.none)


def step_of(field: Field, start: float) -> float:
    """Return the change per pixel of a number that is `start` when dragging begins."""
    if not field.is_float:
        return max(LEAST_INTEGER_STEP, abs(start) * INTEGER_SHARE)
    return float(10.0 ** (floor(log10(max(abs(start), LEAST_FLOAT))) - PLACES))


def scrubbed(field: Field, start: float, pixels: float) -> int | float:
    """Return a number after dragging by some pixels, those of fine or coarse steps weighted.

    It stays within the limits of the field's type; floats are rounded to a tenth of the step.
    """
    moved = start + pixels * step_of(field, start)
    dtype = np.dtype(field.dtype)
    if field.is_float:
        limit = float(np.finfo(dtype).max)
        places = 1 - floor(log10(step_of(field, start)))
        return min(max(round(moved, places), -limit), limit)
    info = np.iinfo(dtype)
    return min(max(round(moved), int(info.min)), int(info.max))
