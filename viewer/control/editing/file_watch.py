"""Open files that other programs change: read again, or asked about if they are edited here."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Final

from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.journal import Bases
from viewer.control.editing.renewal import may_depend
from viewer.control.editing.save_controller import SaveController
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State
from viewer.errors import AddressError
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
    edits, bases
        The undo steps, and the saved bytes that they begin with.
    saving
        Asks about edited files.
    follow
        Shows the new bytes of a file where it is not open in a tab.
    wake
        Ends the sleep of the frame loop; called from the thread.
    """

    def __init__(
        self,
        state: State,
        opener: OpenController,
        edits: EditController,
        bases: Bases,
        saving: SaveController,
        follow: Callable[[Path], None],
        wake: Callable[[], None],
    ) -> None:
        self._state = state
        self._opener = opener
        self._library = opener.library
        self._edits = edits
        self._bases = bases
        self._saving = saving
        self._follow = follow
        self._wake = wake
        self._disk = Disk(UnsavedFiles())
        self._known: Revisions = {}
        self._seen: Revisions = {}
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
        # A file that is read again replaces its revision in the cache, so the one known before is kept here.
        cached, state = self._library.cached, self._state
        shown = {it.path for it in (*state.tabs.addresses, *state.browser.children)} | state.named_files
        now = {it: self._disk.status(it).revision for it in {*cached, *shown, *self._library.unsaved.paths}}
        known = {path: self._known.get(path, cached.get(path, now[path])) for path in now}
        for path, revision in now.items():
            base = self._bases.find(real_path(path))
            if base is not None and (path not in self._known or base.revision == revision):
                known[path] = base.revision  # of an edited file, or one that was saved here
        new = {path: revision for path, revision in now.items() if revision != known[path]}
        settled = {path: it for path, it in new.items() if path in self._seen and self._seen[path] == it}
        self._known, self._seen = known | settled, new
        found = {path: it for path, it in settled.items() if self._has_other_bytes(path, it)}
        for change in found.items():
            self._changes.put(change)
        return bool(found)

    def _has_other_bytes(self, path: Path, now: Revision | None) -> bool:
        """Whether a file that was written was changed by that; one that is edited is looked at later."""
        read = self._library.cached.get(path)
        if read is None or read == now:  # something else has read it again, so what was before is not known
            return True
        with suppress(AddressError):
            return self._library.is_outdated(path)
        return True

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
        self._state.note_change(path)
        # Its bytes on screen are no longer those of the disk: reading again would lose the edit.
        if file.is_changed:
            self._saving.ask_if_changed(file)
            return
        tabs = [tab for tab in self._state.tabs.opened if may_depend(tab, path)]
        if tabs:
            # Whether it can be read again is said by the tabs, once that is known.
            words = _("{name} was changed by another program", name=path.name)
            if is_gone:
                words = _("{name} is gone from the disk; what is open of it stays", name=path.name)
            self._state.announce(words, is_warning=is_gone)
        self._edits.follow_disk(path)
        self._follow(path)
        self._opener.reload_tabs(*tabs, is_quiet=True)
