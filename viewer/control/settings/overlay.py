"""The overlay that the settings name: the user's own names, types and meanings of fields."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viewer.control.settings import user_files
from viewer.control.state import State
from viewer.errors import MshviewError, OutputError, reading_from, reason_of
from viewer.model.kinds.explained import set_own

LARGEST: Final = 1 << 24
"""Bytes of an overlay file."""


def use_overlay(state: State, before: str = "") -> None:
    """Show the fields of the overlay; if it cannot be read that is said, and the one before stays."""
    path = state.settings.overlay
    if not path:
        set_own(())
        return
    from viewer.model.kinds.own_fields import OwnFields, use  # noqa: PLC0415 few users have one

    try:
        with reading_from(path):
            use(OwnFields.parse(_bytes(Path(path))))
    except MshviewError as error:
        state.complain(error.text)
        state.set(overlay=before)


def _bytes(path: Path) -> bytes:
    try:
        return user_files.read(path, LARGEST)
    except (OSError, ValueError) as error:
        raise OutputError(reason_of(error), source=path) from error
