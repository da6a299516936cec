"""Closing tabs and the window: unsaved changes are asked about first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewer.app.editing.edit_controller import EditController
from viewer.app.editing.save_controller import SaveController
from viewer.app.state import State
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import EditedFile, real
from viewer.session.edits.questions import CloseChoice, CloseQuestion


class CloseController:
    """Closes tabs and the window; owner: the application, main thread only.

    Parameters
    ----------
    close
        Closes a tab.
    leave
        Closes the window.
    """

    def __init__(
        self,
        state: State,
        edits: EditController,
        saving: SaveController,
        close: Callable[[int], None],
        leave: Callable[[], None],
    ) -> None:
        self._state = state
        self._edits = edits
        self._saving = saving
        self._close = close
        self._leave = leave

    def close_tab(self, identity: int | None = None) -> None:
        """Close a tab, by default the active one; ask first if it is the last one of a changed file."""
        tabs = self._state.tabs
        tab = tabs.active if identity is None else tabs.find(identity)
        if tab is None:
            return
        file = self._state.edits.at(tab.address)
        others = (real(Address.parse(it.address)).path for it in tabs.opened if it is not tab)
        if file.is_changed and file.path not in others:
            self._state.question = CloseQuestion((file,), tab.identity)
        else:
            self._close(tab.identity)

    def quit(self) -> None:
        """Close the window; ask first if a file is not saved."""
        files = self._state.edits.changed
        if files:
            self._state.question = CloseQuestion(files)
        else:
            self._leave()

    def answer(self, choice: CloseChoice) -> None:
        """Save all files that were asked about and close, close at once, or close nothing."""
        asked = self._state.question
        if not isinstance(asked, CloseQuestion):
            return
        self._state.question = None
        if choice is CloseChoice.DISCARD:
            for file in asked.files:
                self._edits.drop(file.path)
            self._finish(asked)
        elif choice is CloseChoice.SAVE:
            self._save(asked, asked.files)

    def _save(self, asked: CloseQuestion, files: Sequence[EditedFile]) -> None:
        """Show the sheet of one file after the other and save it, then close; a failure ends it."""
        left = [it for it in files if self._state.edits.of(it.path).is_changed]  # others were saved with them
        if not left:
            self._finish(asked)
            return
        first, *rest = left
        self._saving.ask_then(first, lambda: self._save(asked, rest))

    def _finish(self, asked: CloseQuestion) -> None:
        if asked.tab is None:
            self._leave()
        else:
            self._close(asked.tab)
