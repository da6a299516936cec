"""Dialogs that panels request: what they ask for, where they start, and what becomes of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa

from viewer.app import loading, screenshots
from viewer.app.dialogs.file_dialog import FileDialog
from viewer.app.dialogs.path_dialog import Shortcut
from viewer.app.state import State
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.translation import Message, _
from viewer.ui import requests
from viewer.ui.requests import Request

MOST_RECENT: Final = 5
"""Recent folders among the shortcuts."""
_TITLES: Final[dict[tuple[object, bool], Message]] = {
    (requests.Open, False): Message("Open a model or an archive"),
    (requests.Open, True): Message("Open a game folder"),
    (requests.UseWear, False): Message("Choose a wear table"),
    (requests.UseGame, True): Message("Choose the game folder"),
}


class DialogRequests:
    """At most one open dialog; owner: the application.

    Parameters
    ----------
    library
        Lists folders and archives if there is no native dialog.
    request
        Takes the request that an answer becomes.
    """

    def __init__(self, state: State, library: FileStore, request: Callable[[Request], None]) -> None:
        self._state = state
        self._dialog = FileDialog(library)
        self._request = request
        self._requested: Callable[[str], Request] = requests.Open

    @property
    def is_open(self) -> bool:
        """Whether a dialog is open."""
        return self._dialog.is_open

    @property
    def is_waiting(self) -> bool:
        """Whether an answer may arrive without an event of the window."""
        return self._dialog.is_waiting

    def ask(self, request: requests.OpenDialog) -> None:
        """Ask for a file, a folder or an entry."""
        if self.is_open:
            return
        self._requested = request.requested
        folder = next(self._recent_folders(), Path.home())
        known = _TITLES.get((request.requested, request.is_folder), Message("Open"))
        title = str(request.title or known)
        shortcuts = tuple(self._shortcuts())
        self._dialog.ask(
            folder,
            title,
            shortcuts,
            for_folder=request.is_folder,
            for_entry=request.is_entry,
            suffixes=request.suffixes,
        )

    def ask_new(self, request: requests.SaveDialog) -> None:
        """Ask for the path of a new file."""
        if self.is_open:
            return
        self._requested = lambda path: self._saving(request, Path(path))
        kept = Path(self._state.settings.save_folder or screenshots.default_folder())
        folder = kept if kept.is_dir() else Path.home()
        self._dialog.ask_new(folder, str(request.title), request.name, tuple(self._shortcuts()))

    def draw(self) -> None:
        """Draw our own dialog if it is open, and request what was chosen."""
        answer = self._dialog.draw()
        if answer is not None:
            self._request(self._requested(answer))

    def _saving(self, request: requests.SaveDialog, path: Path) -> Request:
        """The request for a chosen path, whose folder the next dialog starts in."""
        self._state.set(save_folder=str(path.parent))
        return request.requested(path)

    def _recent_folders(self) -> Iterator[Path]:
        """The existing folders of the recent files, newest first."""
        files = (Address.parse(address).path for address in self._state.settings.recent)
        folders = dict.fromkeys(path if path.is_dir() else path.parent for path in files)
        return (folder for folder in folders if folder.is_dir())

    def _shortcuts(self) -> Iterator[Shortcut]:
        """Home, the game folder, the sample and recent folders."""
        yield Shortcut("home", fa.ICON_FA_HOUSE, _("Home"), Path.home())
        if self._state.settings.game:
            yield Shortcut("game", fa.ICON_FA_GAMEPAD, _("Game folder"), Path(self._state.settings.game))
        with suppress(FileNotFoundError):
            sample = Address.parse(loading.sample_address()).path.parent
            yield Shortcut("sample", fa.ICON_FA_CUBE, _("Sample"), sample)
        for number, folder in enumerate(self._recent_folders()):
            if number < MOST_RECENT:
                yield Shortcut(f"recent{number}", fa.ICON_FA_CLOCK_ROTATE_LEFT, folder.name or "/", folder)
