"""Files as they are now: those on the disk, with unsaved bytes laid over some of them."""

from __future__ import annotations

import os
import stat
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from viewer.errors import AddressError
from viewer.formats.record import Bytes


class Revision(NamedTuple):
    """Which bytes a file has: under another revision they may be others.

    Attributes
    ----------
    modified
        When it was written last, in ns; 0 for unsaved bytes.
    size
        In bytes.
    unsaved
        Number of the unsaved bytes, never used twice; 0 for what is on the disk.
    """

    modified: int
    size: int
    unsaved: int = 0


class PathStatus(NamedTuple):
    """What is at a path.

    Attributes
    ----------
    revision
        None unless a regular file is there.
    problem
        Why there is no file to read; empty if there is one.
    """

    revision: Revision | None = None
    is_folder: bool = False
    problem: str = ""


FOLDER: Final = PathStatus(is_folder=True, problem="cannot be read: it is a folder")


class UnsavedFiles:
    """Unsaved bytes by the files that they are to be written to; stores that share one see the same bytes.

    Links in a path are followed, so it does not matter how a file is spelled.
    """

    def __init__(self) -> None:
        self._files: dict[Path, tuple[Revision, memoryview]] = {}
        self._count = count(1)

    def lay(self, path: Path, data: Bytes) -> None:
        """Lay bytes over a file, which need not be there yet, in place of those laid over it before."""
        copy = memoryview(bytes(data))
        self._files = {**self._files, _real(path): (Revision(0, len(copy), next(self._count)), copy)}

    def revert(self, path: Path) -> None:
        """Show again what is on the disk."""
        real = _real(path)
        self._files = {other: kept for other, kept in self._files.items() if other != real}

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files with unsaved bytes, links followed."""
        return tuple(self._files)

    def find(self, path: Path) -> tuple[Revision, memoryview] | None:
        """The revision and the bytes laid over a file, None if there are none."""
        return self._files.get(_real(path)) if self._files else None

    def names(self, folder: Path) -> list[str]:
        """Names of the files in a folder that have unsaved bytes."""
        if not self._files:
            return []
        real = _real(folder)
        return [path.name for path in self._files if path.parent == real]


class Disk:
    """The files of the disk and the unsaved ones; every question is answered anew."""

    def __init__(self, unsaved: UnsavedFiles) -> None:
        self.unsaved = unsaved

    def status(self, path: Path) -> PathStatus:
        """What is at a path."""
        laid = self.unsaved.find(path)
        if laid is not None:
            return PathStatus(laid[0])
        try:
            found = path.stat()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            return PathStatus(problem=f"cannot be read: {reason}")
        if stat.S_ISDIR(found.st_mode):
            return FOLDER
        if not stat.S_ISREG(found.st_mode):
            return PathStatus(problem="is not a regular file")
        return PathStatus(Revision(found.st_mtime_ns, found.st_size))

    def names(self, folder: Path) -> tuple[str, ...]:
        """The names in a folder, sorted; raises `AddressError` if it cannot be listed."""
        try:
            found = os.listdir(folder)  # noqa: PTH208
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise AddressError(f"cannot be listed: {reason}", source=str(folder)) from error
        return tuple(sorted({*found, *self.unsaved.names(folder)}))


class SnapshotDisk(Disk):
    """The same, but each path and folder is looked at once, so that one reading sees one state.

    Attributes
    ----------
    seen
        What was looked at so far.
    """

    def __init__(self, unsaved: UnsavedFiles) -> None:
        super().__init__(unsaved)
        self.seen: dict[Path, PathStatus] = {}
        self._listed: dict[Path, tuple[str, ...] | AddressError] = {}

    def status(self, path: Path) -> PathStatus:
        """What was at a path when it was looked at first."""
        if path not in self.seen:
            self.seen[path] = super().status(path)
        return self.seen[path]

    def names(self, folder: Path) -> tuple[str, ...]:
        """What was in a folder when it was listed first."""
        found = self._listed.get(folder)
        if found is None:
            try:
                found = super().names(folder)
            except AddressError as error:
                found = error
            self._listed[folder] = found
        if isinstance(found, AddressError):
            raise found
        return found


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
