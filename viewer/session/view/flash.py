"""Batches that flash so that they are found: which, for how long already, and how brightly."""

from __future__ import annotations

from dataclasses import replace
from math import cos, tau
from typing import Final

from viewer.session.view.view_state import ViewState

PERIOD: Final = 0.9
"""Seconds from one bright moment to the next."""
LASTING: Final = 12 * PERIOD
"""How long they flash; from then on they stay bright, so that a window left alone comes to rest, seconds."""
FAINTEST: Final = 0.35


def with_flash(view: ViewState, batches: frozenset[int]) -> ViewState:
    """Let other batches flash, beginning with a bright moment; the same ones go on as they are."""
    return view if batches == view.flash else replace(view, flash=batches, flash_time=0.0)


def is_flashing(view: ViewState) -> bool:
    """Tell whether the next moment looks different from this one."""
    return bool(view.flash) and view.flash_time < LASTING


def advance(view: ViewState, seconds: float) -> ViewState:
    """Flash on for a while."""
    if not is_flashing(view):
        return view
    return replace(view, flash_time=min(view.flash_time + seconds, LASTING))


def brightness(view: ViewState) -> float:
    """How much of the flash is seen at this moment, `FAINTEST` to 1."""
    return FAINTEST + (1 - FAINTEST) * (0.5 + 0.5 * cos(tau * view.flash_time / PERIOD))
