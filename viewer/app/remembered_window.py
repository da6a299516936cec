"""The settings with what the window adds to them, layout, size and panels, written when they change."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from viewer.app.platform.gui import Gui
from viewer.control.jobs import Jobs
from viewer.control.settings.settings import Settings, is_window_size
from viewer.control.settings.settings_writer import SettingsWriter
from viewer.control.state import State
from viewer.errors import error_text
from viewer.model.store.address import Address
from viewer.translation import _
from viewer.ui.frame.shell import Shell
from viewer.ui.widgets.cached import Cached


class RememberedWindow:
    """Keeps the settings file in step with state and window; owner: the application, main thread only.

    Parameters
    ----------
    gui, shell
        The window, and its panels.
    remembered
        What the file held at the start.
    path
        The file; nothing is written for None.
    """

    def __init__(
        self, state: State, jobs: Jobs, gui: Gui, shell: Shell, remembered: Settings, path: Path | None
    ) -> None:
        self._state, self._gui, self._shell = state, gui, shell
        self._layout, self._size = remembered.layout, remembered.window_size
        self._settings = Cached(Settings.with_window)
        self._writer = SettingsWriter(
            path,
            remembered,
            jobs,
            self._learn,
            lambda error: state.note(_("settings are not saved: {error}", error=error_text(error))),
            lambda damage: state.complain(damage.message),
        )

    @property
    def is_waiting(self) -> bool:
        """Whether something has changed and is not written yet."""
        return self._writer.is_waiting

    @property
    def settings(self) -> Settings:
        """The settings to be written."""
        if self._gui.has_new_layout:
            self._layout = self._gui.layout
        # Of a full screen the size to return to is the one before.
        if not self._gui.is_full_screen and is_window_size(self._gui.window_size):
            self._size = self._gui.window_size
        shell = self._shell
        of_window = self._layout, shell.closed_panels, shell.panel_order, self._size
        made_of = (self._state.remembered, *of_window)
        return self._settings.of(made_of, *made_of)

    def update(self, now: float) -> None:
        """Write what has changed once it rests, at a time, seconds."""
        self._writer.update(self.settings, now)

    def save(self) -> None:
        """Write now, with the open tabs; a failure is only logged."""
        self._layout = self._gui.layout
        self._writer.finish(self.settings.with_session(self._state.tabs))

    def _learn(self, addresses: Iterable[Address]) -> None:
        """Add the recent files of another window."""
        self._state.settings = self._state.settings.with_recent(addresses)
