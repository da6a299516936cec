"""The current files: those on the disk, with unsaved bytes in place of some; plain files of a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from viewer.bounded_reading import read_at_most
from viewer.errors import AddressError, reason_of
from viewer.formats.record import Bytes
from viewer.translation import _

BACKUP_SUFFIX: Final = ".bak"
"""Suffix of the file as it was before the first save, which is not a file of its own (`backups`)."""

JOURNAL: Final = ".mshview-mods"
"""The folder in a game with what mods have replaced (`operations/mods`): no listing has it, as its files are
those of the game twice."""


class Revision(NamedTuple):
    """The version of a file's bytes: another revision may have other bytes.

    Attributes
    ----------
    modified
        Modification time, ns; 0 for unsaved bytes.
    size
        Size, bytes.
    unsaved
        Serial number of the unsaved bytes, never reused; 0 for bytes on the disk.
    changed
        Time of the last change of the file or of what the system notes of it, ns: archivers and copying
        programs set the modification time back, but not this one.
    """

    modified: int
    size: int
    unsaved: int = 0
    changed: int = 0


def revision_of(found: os.stat_result) -> Revision:
    """The revision of a file on the disk."""
    return Revision(found.st_mtime_ns, found.st_size, changed=found.st_ctime_ns)


class PathStatus(NamedTuple):
    """The state of a path.

    Attributes
    ----------
    revision
        None if it is not a regular file.
    problem
        Why there is no readable file; empty if there is one.
    is_denied
        Whether the system refuses to look at it.
    """

    revision: Revision | None = None
    is_folder: bool = False
    problem: str = ""
    is_denied: bool = False


FOLDER: Final = PathStatus(is_folder=True, problem=_("cannot be read: it is a folder"))


class UnsavedFiles:
    """Unsaved bytes by their files; stores that share one object see the same bytes.

    Links in a path are resolved, so all paths of a file are equivalent.
    """

    def __init__(self) -> None:
        self._files: dict[Path, tuple[Revision, memoryview]] = {}
        self._count = count(1)

    @classmethod
    def of(cls, others: UnsavedFiles, data: Mapping[Path, Bytes]) -> UnsavedFiles:
        """The unsaved bytes of others, with some of their own; they change independently."""
        files = cls()
        files._files = dict(others._files)
        # One counter for both: their revisions stand in one cache, where a number used twice would give the
        # bytes of the other.
        files._count = others._count
        for path, own in data.items():
            files.overlay(path, own)
        return files

    def overlay(self, path: Path, data: Bytes) -> Revision:
        """Set the unsaved bytes of a file, which need not exist, and return their revision.

        Earlier ones are replaced. Bytes that cannot change are not copied.
        """
        kept = memoryview(unchanging(data))
        revision = Revision(0, len(kept), next(self._count))
        # A new dictionary each time: other threads see the state before or after, and `stamp` becomes another
        # object.
        self._files = {**self._files, real_path(path): (revision, kept)}
        return revision

    def revert(self, path: Path) -> None:
        """Drop the unsaved bytes of a file."""
        real = real_path(path)
        self._files = {other: kept for other, kept in self._files.items() if other != real}

    @property
    def stamp(self) -> object:
        """The unsaved bytes as they are now: one object until any file gets other unsaved bytes."""
        return self._files

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files with unsaved bytes, with links resolved."""
        return tuple(self._files)

    def find(self, path: Path) -> tuple[Revision, memoryview] | None:
        """The revision and the unsaved bytes of a file, or None."""
        return self._files.get(real_path(path)) if self._files else None

    def names(self, folder: Path) -> list[str]:
        """Names of the files in a folder that have unsaved bytes."""
        if not self._files:
            return []
        real = real_path(folder)
        return [path.name for path in self._files if path.parent == real]


class Disk:
    """The files on the disk and the unsaved ones; nothing is cached."""

    def __init__(self, unsaved: UnsavedFiles) -> None:
        self.unsaved = unsaved

    def status(self, path: Path) -> PathStatus:
        """The state of a path."""
        unsaved = self.unsaved.find(path)
        if unsaved is not None:
            return PathStatus(unsaved[0])
        try:
            found = path.stat()
        except (OSError, ValueError) as error:
            problem = _("cannot be read: {reason}", reason=reason_of(error))
            return PathStatus(problem=problem, is_denied=isinstance(error, PermissionError))
        if stat.S_ISDIR(found.st_mode):
            return FOLDER
        if not stat.S_ISREG(found.st_mode):
            return PathStatus(problem="is not a regular file")
        return PathStatus(revision_of(found))

    def names(self, folder: Path) -> tuple[str, ...]:
        """The names in a folder, sorted; raises `AddressError` if it cannot be listed."""
        try:
            found = os.listdir(folder)  # noqa: PTH208
        except (OSError, ValueError) as error:
            if own := self.unsaved.names(folder):  # of files that are not saved anywhere
                return tuple(sorted(own))
            raise AddressError(
                _("cannot be listed: {reason}", reason=reason_of(error)), source=folder
            ) from error
        return tuple(sorted({*found, *self.unsaved.names(folder)} - {JOURNAL}))


class SnapshotDisk(Disk):
    """A disk of which each path and folder is queried once, so that one reading sees one state.

    Attributes
    ----------
    seen
        The queried paths.
    """

    def __init__(self, unsaved: UnsavedFiles) -> None:
        super().__init__(unsaved)
        self.seen: dict[Path, PathStatus] = {}
        self._listed: dict[Path, tuple[str, ...] | AddressError] = {}

    def status(self, path: Path) -> PathStatus:
        """The state of a path at its first query."""
        if path not in self.seen:
            self.seen[path] = super().status(path)
        return self.seen[path]

    def names(self, folder: Path) -> tuple[str, ...]:
        """The names in a folder at its first listing."""
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


class PinnedDisk(SnapshotDisk):
    """A disk whose files are queried once; unsaved bytes that overlay them later are seen."""

    def status(self, path: Path) -> PathStatus:
        """The state of a path: of its unsaved bytes now, else at its first query."""
        unsaved = self.unsaved.find(path)
        return PathStatus(unsaved[0]) if unsaved is not None else super().status(path)


def unchanging(data: Bytes) -> bytes:
    """The bytes themselves if they cannot change, or those that a view shows whole; else a copy."""
    whole = data.obj if isinstance(data, memoryview) and data.c_contiguous else data
    return whole if isinstance(whole, bytes) and len(whole) == len(data) else bytes(data)


def real_path(path: Path) -> Path:
    """The absolute path with links resolved."""
    try:
        return Path(os.path.realpath(path))
    except OSError:  # Windows cannot say where it leads: what has no names of its own, such as a RAM disk
        return Path(os.path.abspath(path))  # noqa: PTH100 without ".."
    except ValueError:  # a path that no file can have
        return path


def with_target(path: Path) -> str:
    """The path of what was written for a message; one with a link in it says where that leads too."""
    try:
        # Not where a link leads, but Windows resolves it: the letter of a network drive.
        start = os.path.realpath(path.anchor or os.curdir)
        plain = os.path.normpath(Path(start, path.relative_to(path.anchor)))
        real = os.path.realpath(path)
    except (OSError, ValueError):  # as in `real_path`
        return str(path)
    return str(path) if real == plain else _("{path}, which leads to {target}", path=path, target=real)


_JUNCTION: Final = 0xA0000003
"""``IO_REPARSE_TAG_MOUNT_POINT``, a link to a folder that ``Path.is_symlink`` does not know."""


def is_link(path: Path) -> bool:
    """Whether a path is a link, or a junction of Windows, which may lead around in a circle."""
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == _JUNCTION


SIZE_LIMIT: Final = 1 << 30
"""Largest size of a file, bytes; larger ones are neither read nor written, as no imported library is."""
FOLDER_LIMIT: Final = SIZE_LIMIT
"""Largest total size of the files of one folder, bytes."""


class PlainFolder:
    """The regular files of one folder, read by names that come from a file; nothing outside it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._room = FOLDER_LIMIT

    def names(self) -> list[str]:
        """The names in the folder, sorted; empty if it cannot be listed."""
        try:
            return sorted(path.name for path in self.path.iterdir())
        except OSError:
            return []

    def read(self, name: str) -> bytes:
        """The bytes of a file; raises `AddressError` if it is not a regular file or outside the folder."""
        path = self.path / name
        try:
            # A name with ``..``, or that of a link to elsewhere.
            if real_path(path).parent != real_path(self.path):
                raise AddressError("leads out of the folder", source=path)
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                raise AddressError("is not a regular file", source=path)
            if found.st_size > self._room:
                raise self._too_much()
            with path.open("rb") as file:
                # A byte more than there is room for tells a file that has grown since it was measured.
                data = read_at_most(file, self._room + 1)
        except (OSError, ValueError, RuntimeError) as error:
            raise AddressError(_("cannot be read: {reason}", reason=reason_of(error)), source=path) from error
        self._room -= len(data)
        if self._room < 0:
            raise self._too_much()
        return data

    def _too_much(self) -> AddressError:
        words = _("more than {limit} bytes together", limit=FOLDER_LIMIT)
        return AddressError(words, source=self.path)
