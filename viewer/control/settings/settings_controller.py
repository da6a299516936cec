"""Changes of the settings that need nothing but the state, or the window, to take effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from viewer.control.settings.settings import Settings
from viewer.control.state import State
from viewer.model.store.address import Address
from viewer.options import Declared
from viewer.session.keymap import KeyMap
from viewer.session.opened.payload_bytes import Bookmarks
from viewer.session.play.playback import Ranges
from viewer.session.view.state_link import SavedViews


class SettingsController:
    """Changes the settings; owner: the application, main thread only.

    Parameters
    ----------
    follow
        Makes the window as the settings say; what it gets are those before.
    """

    def __init__(self, state: State, follow: Callable[[Settings], None]) -> None:
        self._state, self._follow = state, follow

    def keep_ranges(self, address: Address, ranges: Ranges) -> None:
        """Remember the marked frame ranges of the model at an address."""
        self._state.settings = self._state.settings.with_ranges(address, ranges)

    def keep_rate(self, *, is_own: bool) -> None:
        """Give the open archive a playback speed of its own, or that of all others."""
        self._state.keep_rate(is_own=is_own)

    def keep_bookmarks(self, address: Address, bookmarks: Bookmarks) -> None:
        """Remember the bookmarks in the bytes at an address."""
        self._state.settings = self._state.settings.with_bookmarks(address, bookmarks)

    def keep_views(self, file: str, views: SavedViews) -> None:
        """Remember the saved views of a file."""
        self._state.settings = self._state.settings.with_views(file, views)

    def turn(self, option: Declared) -> None:
        """Turn a switch of the settings."""
        self._state.settings = option.switched(self._state.settings)

    def choose(self, option: Declared, value: Any) -> None:
        """Choose a value of an option of the settings, which the window follows at once."""
        before = self._state.settings
        self._state.settings = option.picked(before, value)
        self._follow(before)

    def set(self, **fields: Any) -> None:
        """Change fields of the settings, which the window follows at once."""
        before = self._state.settings
        self._state.set(**fields)
        self._follow(before)

    def use_overlay(self, path: Path | None) -> None:
        """Show the user's own fields of a file; None for none."""
        self.set(overlay="" if path is None else str(path))

    def clear_recent(self) -> None:
        """Clear the recent files."""
        self._state.set(recent=())

    def dismiss_hint(self) -> None:
        """Never show the first-run hint again."""
        self._state.set(has_seen_hint=True)

    def set_keys(self, keymap: KeyMap) -> None:
        """Use these keys from now on, and remember them."""
        self._state.set(keymap=keymap)
