"""The title of the window: what the active tab shows, and whether its file is saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from moderngl_window.context.base import BaseWindow

from viewer.model.store.address import Address
from viewer.ui.widgets.widgets import readable

PROGRAM: Final = "mshview"
UNSAVED_MARK: Final = "* "
"""In front of the title of a window whose file differs from the disk."""


class WindowTitle:
    """Keeps the title of a window; owner: the application.

    Parameters
    ----------
    is_unsaved
        Tells whether the file at an address differs from the disk.
    """

    def __init__(self, window: BaseWindow, is_unsaved: Callable[[str], bool]) -> None:
        self._window = window
        self._is_unsaved = is_unsaved
        self._shown = ""

    def show(self, text: str) -> None:
        """Name what is at an address; the program alone for an empty one."""
        title = PROGRAM
        if text:
            address = Address.parse(text)
            mark = UNSAVED_MARK if self._is_unsaved(str(address.path)) else ""
            title = readable(f"{mark}{address.name} - {PROGRAM}")
        if title != self._shown:
            self._window.title = self._shown = title
