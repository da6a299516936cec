"""Folders as in the game: file names are case-insensitive.

An archive that is absent is replaced by its first edition: ``NAME.lib0`` for ``NAME.lib``.

Source: spec/nres.md 2 (ASCII case folding), spec/objects.md 1, spec/field-notes.md 8.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from viewer.errors import MshviewError
from viewer.formats.text import fold
from viewer.model.store.disk import BACKUP_SUFFIX, Revision, is_link
from viewer.model.store.file_store import FileStore
from viewer.progress import checkpoint

LIBRARY_SUFFIX = b".lib"
FIRST_EDITION = b"0"
"""Letter after the suffix of a library of the first edition."""


def files_below(store: FileStore, paths: Iterable[Path], most: int) -> Iterator[Path]:
    """Files, and for folders the files below them, at most so many; links to folders are not followed.

    Left out are backups of saved files and folders that cannot be read.
    """
    waiting, left = [*paths][::-1], most
    while waiting and left > 0:
        checkpoint()
        path = waiting.pop()
        if not store.is_folder(path):
            left -= 1
            yield path
            continue
        try:
            below = [path / name for name in store.names(path)]
        except MshviewError:
            continue
        # The next one is taken from the end: the last of the names goes in first.
        waiting += (
            it
            for it in reversed(below)
            if not (is_link(it) if store.is_folder(it) else it.suffix == BACKUP_SUFFIX)
        )


class CaselessFolder:
    """The files of one folder, listed once; subfolders are listed on first use."""

    def __init__(self, path: Path, library: FileStore) -> None:
        self.path = path
        self.library = library
        self._children: dict[bytes, CaselessFolder] = {}

    @cached_property
    def _names(self) -> dict[bytes, str]:
        """Names by their case-folded form; of two that differ in case only, the first in order."""
        try:
            names = self.library.names(self.path)
        except MshviewError:
            return {}
        # All are folded at once, as a folder may have thousands: no name is empty or holds a NUL.
        folded = filter(None, fold(os.fsencode("\0".join(reversed(names)))).split(b"\0"))
        return dict(zip(folded, reversed(names), strict=True))

    def file(self, name: bytes) -> Path | None:
        """The file for a name of the game; a name may have subfolders but cannot leave the folder."""
        # ``..`` and empty parts are in no listing, so that no name leads out of the folder.
        *folders, last = fold(name).replace(b"\\", b"/").split(b"/")
        folder: CaselessFolder | None = self
        for part in folders:
            folder = folder.child(part) if folder else None
        known = folder._named(last) if folder else None  # noqa: SLF001
        return folder.path / known if folder and known else None

    def _named(self, name: bytes) -> str | None:
        """The file of a folded name; of an absent library its first edition."""
        known = self._names.get(name)
        if known is None and name.endswith(LIBRARY_SUFFIX):
            return self._names.get(name + FIRST_EDITION)
        return known

    def child(self, name: bytes) -> CaselessFolder | None:
        """The subfolder of a name, ignoring case; None without one."""
        known = self._names.get(fold(name))
        if known is None:
            return None
        return self._children.setdefault(fold(name), CaselessFolder(self.path / known, self.library))

    def revisions(self, names: Iterable[bytes]) -> dict[Path, Revision | None]:
        """The existing files among some names, with their revisions."""
        files = map(self.file, names)
        return {path: self.library.revision(path) for path in files if path is not None}

    def read(self, name: bytes) -> memoryview | None:
        """The bytes of a file; None if it is absent or cannot be read."""
        path = self.file(name)
        if path is None:
            return None
        try:
            return self.library.file(path)
        except MshviewError:
            return None
