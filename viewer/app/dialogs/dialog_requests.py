"""Requests that the user completes with a path from the file dialog."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from viewer.app import screenshots
from viewer.app.dialogs.file_dialog import FileDialog
from viewer.app.state import State
from viewer.model.store.address import SEPARATOR
from viewer.ui import requests
from viewer.ui.requests import Request


class DialogRequests:
    """Asks for a path, and makes the request that it was for; owner: the application, main thread only."""

    def __init__(self, state: State, dialog: FileDialog) -> None:
        self._state = state
        self._dialog = dialog
        self._requested: Callable[[str], Request] = requests.Open

    def draw(self) -> Request | None:
        """Draw the dialog; return the request that it completed in this frame."""
        answer = self._dialog.draw()
        return None if answer is None else self._requested(answer)

    def ask(self, request: requests.OpenDialog) -> None:
        """Ask for a file, a folder or an entry, in the folder of the last file opened."""
        recent = self._state.settings.recent
        folder = Path(recent[0].partition(SEPARATOR)[0]).parent if recent else Path.home()
        if not self._dialog.is_open:
            self._requested = request.requested
        start = folder if folder.is_dir() else Path.home()
        self._dialog.ask(start, for_folder=request.is_folder, for_entry=request.is_entry)

    def ask_new(self, request: requests.SaveDialog) -> None:
        """Ask where to save, in the folder of the last file saved."""
        if not self._dialog.is_open:
            self._requested = lambda path: self._saving(request, Path(path))
        kept = Path(self._state.settings.save_folder or screenshots.default_folder())
        self._dialog.ask_new(kept if kept.is_dir() else Path.home(), str(request.title), request.name)

    def _saving(self, request: requests.SaveDialog, path: Path) -> Request:
        """The request for a chosen path, whose folder the next dialog starts in."""
        self._state.settings = replace(self._state.settings, save_folder=str(path.parent))
        return request.requested(path)
