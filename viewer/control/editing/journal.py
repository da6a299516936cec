"""The journal: unsaved changes on the disk, so that a crash loses none, and the saved bytes they begin with.

One file for each edited file, in a folder next to the settings, appended and flushed at every step. It is
locked as long as the program runs, so that another window leaves it alone, and removed with the changes.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import IO, Final

from msgspec import Struct

from viewer.control.jobs import Jobs
from viewer.errors import AddressError, FormatError
from viewer.formats.record import Bytes
from viewer.model.store.backups import set_aside
from viewer.model.store.disk import Revision
from viewer.model.store.file_store import FileStore
from viewer.model.store.temporary import is_abandoned, lock
from viewer.model.store.writing import digest_of
from viewer.session.edits import journal_lines
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.journal_lines import JournalBase
from viewer.session.edits.questions import DiskState

SUFFIX: Final = ".journal"
LAST_TIME: Final = 1 << 32
"""The latest time of a journal in seconds since 1970, in 2106; a file may state any."""
LARGEST: Final = 256 << 20
"""Bytes of a journal that is read."""


class FileBase:
    """The saved bytes of a file that is being edited; for several threads.

    The bytes are kept only until their digest is known.

    Parameters
    ----------
    data
        The bytes.
    revision
        That of the file on the disk with these bytes; None if it is not known.
    """

    def __init__(self, data: Bytes, revision: Revision | None = None) -> None:
        self.size = memoryview(data).nbytes
        self.revision = revision
        self._data: Bytes | None = data
        self._digest = b""
        self._lock = Lock()

    @property
    def digest(self) -> bytes:
        """SHA-256 of the bytes; computed by the first caller, for a large file in a worker thread."""
        with self._lock:
            if self._data is not None:
                self._digest, self._data = digest_of(self._data), None
            return self._digest

    def state_of(self, path: Path) -> DiskState:
        """The state of a file on the disk compared with some bytes; read only if newer."""
        store = FileStore()
        now = store.revision(path)
        if now is None:
            return DiskState.GONE
        if now != self.revision:
            try:
                if now.size != self.size or digest_of(store.file(path)) != self.digest:
                    return DiskState.CHANGED
            except AddressError:
                return DiskState.GONE
            self.revision = now
        return DiskState.SAME


class Bases:
    """The bases of the edited files by their paths.

    Owner: the editing; changed by the main thread only, looked at by that which watches the files too.
    """

    def __init__(self) -> None:
        self._bases: dict[Path, FileBase] = {}

    def note(self, path: Path, library: FileStore) -> None:
        """Remember the saved bytes of a file that is about to be edited, unless they are known."""
        if path not in self._bases:
            revision = library.revision(path)  # first: if it is written meanwhile, it is compared again
            self._bases[path] = FileBase(library.file(path), revision)

    def set(self, path: Path, base: FileBase) -> None:
        """Remember the bytes that are on the disk now."""
        self._bases[path] = base

    def of(self, path: Path) -> FileBase:
        """The base of an edited file; raises `KeyError` for another one."""
        return self._bases[path]

    def find(self, path: Path) -> FileBase | None:
        """The base of an edited file; None for another one."""
        return self._bases.get(path)

    def forget(self, path: Path) -> None:
        """Forget a file without changes."""
        self._bases.pop(path, None)


class FoundJournal(Struct, frozen=True):
    """A journal that an earlier run has left; it is locked until it is taken over, discarded or released.

    Parameters
    ----------
    file
        The edited file at the end of it.
    base
        The saved bytes that it begins with.
    modified
        When its last line was written, in local time.
    path
        The journal itself.
    handle
        The same, open.
    """

    file: EditedFile
    base: JournalBase
    modified: datetime
    path: Path
    handle: IO[bytes]


class Journal:
    """Writes and finds journals; owner: the editing, main thread only.

    Parameters
    ----------
    folder
        Where journals are; None writes none.
    jobs
        Where digests are found.
    refuse
        Takes the error of a journal that cannot be written; editing continues without it.
    warn
        Takes the new name of a journal that cannot be read and was set aside, and the reason.
    """

    def __init__(
        self,
        folder: Path | None,
        jobs: Jobs,
        refuse: Callable[[OSError], None],
        warn: Callable[[Path, FormatError], None] = lambda _path, _error: None,
    ) -> None:
        self._warn = warn
        self._folder = folder
        self._jobs = jobs
        self._refuse = refuse
        self._open: dict[Path, tuple[Path, IO[bytes]]] = {}

    def begin(self, file: EditedFile, base: FileBase) -> None:
        """Begin the journal of a file that is as it was saved, unless it has one."""
        if self._folder is None or file.path in self._open:
            return
        path = self._folder / f"{os.urandom(8).hex()}{SUFFIX}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._open[file.path] = path, _created(path)
        except OSError as error:
            self._refuse(error)
            self._folder = None  # said once: editing continues without journals
            return
        self.append(file.path, journal_lines.first_line(file, base.size))
        self._append_digest(file.path, base)

    def _append_digest(self, path: Path, base: FileBase) -> None:
        """Append the digest of the saved bytes once it has been found; until then their size has to do."""
        opened = self._open.get(path)

        def found(digest: bytes) -> None:
            # The journal may have been dropped, or begun anew for other bytes, meanwhile.
            if self._open.get(path) is opened:
                self.append(path, journal_lines.digest_line(digest))

        self._jobs.start(f"digest {path}", "", lambda _: base.digest, found, lambda _: None)

    def append(self, path: Path, line: bytes) -> None:
        """Append a line to the journal of a file, if it has one."""
        if path not in self._open:
            return
        _, handle = self._open[path]
        try:
            handle.write(line)
            handle.flush()
        except OSError as error:
            self._refuse(error)
            self._close(path)

    def drop(self, path: Path) -> None:
        """Remove the journal of a file without unsaved changes."""
        if path in self._open:
            journal, _ = self._open[path]
            self._close(path)
            _removed(journal)

    def close(self) -> None:
        """Leave the journals of files with unsaved changes for the next start."""
        for path in [*self._open]:
            self._close(path)

    def _close(self, path: Path) -> None:
        _, handle = self._open.pop(path)
        with contextlib.suppress(OSError):
            handle.close()

    def found(self) -> Iterator[FoundJournal]:
        """Yield the journals that earlier runs have left, locked; those without changes are removed."""
        if self._folder is None or not self._folder.is_dir():
            return
        own = {journal for journal, _ in self._open.values()}
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            if path not in own and (journal := self._taken(path)) is not None:
                yield journal

    def _taken(self, path: Path) -> FoundJournal | None:
        """A journal of a program that has ended; None if it is in use, or has nothing to recover.

        One that cannot be read is set aside, so that it is said once and not lost.
        """
        with contextlib.suppress(OSError):
            handle = path.open("r+b")
            try:
                descriptor = handle.fileno()
                is_free = is_abandoned(os.fstat(descriptor), is_locked=lock(descriptor))
                found = _read(path, handle) if is_free else None
            except FormatError as error:
                found = None
                # A journal of a newer program is left alone: that can still read it.
                if error.field != "version":
                    handle.close()  # Windows renames no open file
                    self._warn(set_aside(path), error)
            if found is None:
                handle.close()
            return found
        return None

    def take_over(self, journal: FoundJournal) -> None:
        """Go on with a journal whose changes have been made again."""
        self._open[journal.file.path] = journal.path, journal.handle

    def discard(self, journal: FoundJournal) -> None:
        """Remove a journal."""
        journal.handle.close()
        _removed(journal.path)

    def release(self, journal: FoundJournal) -> None:
        """Leave a journal for the next start."""
        journal.handle.close()


def _created(path: Path) -> IO[bytes]:
    """A new journal that only this user can read, locked."""
    # O_EXCL: never a file that is there already. 0o600, as changes may be as private as the file itself.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    handle = os.fdopen(descriptor, "r+b")
    lock(descriptor)
    return handle


def _read(path: Path, handle: IO[bytes]) -> FoundJournal | None:
    """The edits to recover from a locked journal; an empty one is removed. Raises `FormatError`."""
    status = os.fstat(handle.fileno())
    # Without links: another window removed it between the listing and the lock.
    if not status.st_nlink or status.st_size > LARGEST:
        return None
    data = handle.read()
    end = data.rfind(b"\n") + 1  # a crash may have cut the last line
    file, base = journal_lines.read(data) if end else (EditedFile(path), JournalBase(0, b""))
    if not file.is_changed:
        handle.close()  # Windows removes no open file
        _removed(path)
        return None
    handle.truncate(end)
    handle.seek(end)
    # By way of UTC: Windows has no local offset for times of the first day of 1970.
    modified = datetime.fromtimestamp(min(max(status.st_mtime, 0), LAST_TIME), UTC).astimezone()
    return FoundJournal(file, base, modified, path, handle)


def _removed(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
