"""Batches that flash: which do, and how bright they are.

They flash for some time from when the pointer is put on their row or link, and are then steady.
"""

from __future__ import annotations

from math import cos, tau
from typing import Final

from msgspec.structs import replace

from viewer.session.view.view_state import ViewState

PERIOD: Final = 0.9
"""Period of the flash, seconds."""
LASTING: Final = 12 * PERIOD
"""Seconds before the flash becomes steady, so that an idle window stops redrawing."""
FAINTEST: Final = 0.35


def with_flash(view: ViewState, batches: frozenset[int]) -> ViewState:
    """Flash other batches, starting bright; the same batches continue unchanged."""
    return view if batches == view.flash else replace(view, flash=batches, flash_time=0.0)


def is_flashing(view: ViewState) -> bool:
    """Whether the brightness still changes."""
    return bool(view.flash) and view.flash_time < LASTING


def advance_flash(view: ViewState, seconds: float) -> ViewState:
    """Advance the flash by a time step."""
    if not is_flashing(view):
        return view
    return replace(view, flash_time=min(view.flash_time + seconds, LASTING))


def flash_brightness(view: ViewState) -> float:
    """Current brightness of the flash, `FAINTEST` to 1."""
    return FAINTEST + (1 - FAINTEST) * (0.5 + 0.5 * cos(tau * view.flash_time / PERIOD))
