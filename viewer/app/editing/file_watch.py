"""Open files that other programs change: read again, or asked about if they are edited here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Final

from viewer.app.editing.renewal import may_depend
from viewer.app.editing.save_controller import SaveController
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.model.store.disk import Disk, Revision, UnsavedFiles, real_path
from viewer.translation import _

INTERVAL: Final = 1.0
"""Seconds between two looks at the disk."""
Revisions = dict[Path, Revision | None]


class FileWatch:
    """Looks at the files in a thread; owner: the editing, main thread only apart from `look`.

    Parameters
    ----------
    opener
        Has the files, and reads tabs again.
    saving
        Asks about edited files.
    wake
        Ends the sleep of the frame loop; called from the thread.
    """

    def __init__(
        self, state: State, opener: OpenController, saving: SaveController, wake: Callable[[], None]
    ) -> None:
        self._state = state
        self._opener = opener
        self._library = opener.library
        self._saving = saving
        self._wake = wake
        self._disk = Disk(UnsavedFiles())
        self._seen: Revisions = {}
        self._told: Revisions = {}
        self._edited: Revisions = {}
        self._changes: SimpleQueue[tuple[Path, Revision | None]] = SimpleQueue()
        self._ended = Event()

    def start(self) -> None:
        """Begin to look at the disk."""
        Thread(target=self._run, name="mshview-files", daemon=True).start()

    def close(self) -> None:
        """End the thread at its next look."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(INTERVAL):
            if self.look():
                self._wake()

    def look(self) -> bool:
        """Look at the disk once; tell whether `update` has something to do. For one thread.

        A change counts if two looks see the same: a file may be in the middle of being written.
        """
        # An edited file is compared with what it was at the first look after its edit.
        now = {path: self._disk.status(path).revision for path in self._library.unsaved.paths}
        self._edited = {path: self._edited.get(path, revision) for path, revision in now.items()}
        edited = {path: revision for path, revision in now.items() if revision != self._edited[path]}
        found = {**self._library.outdated, **edited}
        self._told = {path: told for path, told in self._told.items() if path in found}
        new = {path: it for path, it in found.items() if path not in self._told or self._told[path] != it}
        settled = {path: it for path, it in new.items() if path in self._seen and self._seen[path] == it}
        self._seen, self._told = new, self._told | settled
        for change in settled.items():
            self._changes.put(change)
        return bool(settled)

    def update(self) -> None:
        """Do what follows from the changes that were seen."""
        while True:
            try:
                path, revision = self._changes.get_nowait()
            except Empty:
                return
            self._answer(real_path(path), is_gone=revision is None)

    def _answer(self, path: Path, *, is_gone: bool) -> None:
        """Read what shows a file again; ask if it is edited, and say if it is gone."""
        file = self._state.edits.of(path)
        # Its bytes on screen are no longer those of the disk: reading again would lose the edit.
        if file.is_changed:
            self._saving.ask_if_changed(file)
            return
        tabs = [tab for tab in self._state.tabs.opened if may_depend(tab, path)]
        if not tabs:
            return
        words = _("{name} was changed by another program, and is read again", name=path.name)
        if is_gone:
            words = _("{name} is gone from the disk; what is open of it stays", name=path.name)
        else:
            self._opener.reload_tabs(*tabs, is_quiet=True)
        self._state.announce(words, is_warning=is_gone)
