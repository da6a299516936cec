"""A mod that is made of two game folders, as its window shows it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

NEW_MOD_LANE: Final = "new_mod"
"""The lane of its job."""


class NewModState(Struct, frozen=True, eq=False):
    """A mod that is made.

    Attributes
    ----------
    base, changed
        The game, and the copy of it in which something was changed; None before they are chosen.
    asked
        Another object each time that the window is asked for.
    is_running
        The folders are being compared.
    problem
        Why no mod was made; empty if that is not known.
    note
        The mod that was made, in words.
    remarks
        What the user should know of it.
    """

    base: Path | None = None
    changed: Path | None = None
    asked: object = None
    is_running: bool = False
    problem: str = ""
    note: str = ""
    remarks: Sequence[str] = ()
