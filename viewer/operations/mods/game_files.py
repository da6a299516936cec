"""The files of a game as mods see them: by paths that ignore case, as they were before any mod.

Left out are backups, what the program keeps for itself, and links that lead out of the folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct, field

from viewer.errors import AddressError, UsageError, reason_of
from viewer.formats.text import fold
from viewer.model.store.address import Address
from viewer.model.store.disk import BACKUP_SUFFIX, is_link, real_path
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.mods.manifest import OWN
from viewer.progress import checkpoint
from viewer.translation import _

MOST_FILES: Final = 1_000_000
"""Files of a game; more are not one."""


def key_of(path: str) -> bytes:
    """A path in a game as it is found: names ignore case."""
    return fold(os.fsencode(path))


class GameFiles(Struct, frozen=True, eq=False, dict=True):
    """The files of a game folder.

    Attributes
    ----------
    folder
        The folder.
    originals
        Where the bytes are that files had before mods were applied in place, by the keys of their paths; None
        for a file that was not there.
    kept
        The paths of these files by their keys.
    library
        Reads them.
    """

    folder: Path
    originals: Mapping[bytes, Path | None] = field(default_factory=dict)
    kept: Mapping[bytes, str] = field(default_factory=dict)
    library: FileStore = field(default_factory=FileStore)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files on the disk, sorted by folder; raises `AddressError` or `UsageError`."""
        return tuple(_walked(self.folder))

    @cached_property
    def names(self) -> Mapping[bytes, str]:
        """The paths of the files on the disk by their keys; of two of one key the first, as in the game."""
        return {key_of(path): path for path in reversed(self.paths)}

    def refuse_twins(self) -> None:
        """Raise `AddressError` for two files whose names differ in case only: one of them would be lost."""
        for path in self.paths:
            if (other := self.names[key_of(path)]) != path:
                words = "differs from {other} in case only: the game takes them for one file"
                raise AddressError(_(words, other=other), source=self.folder / path)

    def spelling(self, path: str) -> str:
        """The spelling of a path on the disk; of a new file, that of the folders above it that exist."""
        key = key_of(path)
        if (known := self.names.get(key, self.kept.get(key))) is not None:
            return known
        folders = PurePosixPath(path).parts[:-1]
        for count in range(len(folders), 0, -1):
            start = PurePosixPath(*folders[:count]).as_posix()
            if (known := self._folders.get(key_of(start))) is not None:
                return (PurePosixPath(known) / PurePosixPath(path).relative_to(start)).as_posix()
        return path

    @cached_property
    def _folders(self) -> dict[bytes, str]:
        """The folders that have files by their keys."""
        parents = (parent for name in self.names.values() for parent in PurePosixPath(name).parents)
        return {key_of(it.as_posix()): it.as_posix() for it in parents}

    def place(self, path: str) -> Path:
        """The place of a file of the game on the disk; raises `AddressError` if that is outside."""
        place = self.folder / self.spelling(path)
        if not real_path(place).is_relative_to(real_path(self.folder)):
            raise AddressError(_("leads out of the game folder"), source=place)
        return place

    def original(self, path: str) -> Item | None:
        """A file as it was before any mod; None if there was none; raises `MshviewError`."""
        key = key_of(path)
        kept = self.originals[key] if key in self.originals else self._present(key)
        if kept is None:
            return None
        # Under its path in the game, by which its kind is recognised and which messages name.
        return Item(Address(Path(self.spelling(path))), self.library.file(kept))

    def _present(self, key: bytes) -> Path | None:
        known = self.names.get(key)
        return None if known is None else self.folder / known


def _walked(folder: Path) -> Iterator[str]:
    """The paths of the files below a folder, with ``/``, sorted by folder."""
    if not folder.is_dir():
        raise UsageError(_("is not a folder"), source=folder)
    count = 0
    for around, folders, names in os.walk(folder, onerror=_refuse):
        checkpoint()
        own = [it for it in folders if not it.startswith(OWN) and not is_link(Path(around, it))]
        folders[:] = sorted(own)
        for name in sorted(names):
            path = Path(around, name)
            if not name.startswith(OWN) and path.suffix != BACKUP_SUFFIX and _is_inside(path, folder):
                count += 1
                if count > MOST_FILES:
                    raise AddressError(_("more than {count} files", count=MOST_FILES), source=folder)
                yield path.relative_to(folder).as_posix()


def _refuse(error: OSError) -> None:
    """A folder that cannot be listed: what it has would be taken for removed."""
    words = _("cannot be listed: {reason}", reason=reason_of(error))
    raise AddressError(words, source=error.filename) from error


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether a path is a regular file, and a link leads inside of the folder."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
    except OSError:  # a link to nowhere
        return False
    return not is_link(path) or real_path(path).is_relative_to(real_path(folder))


def entry_within(item: Item | None, entries: Iterable[str]) -> Item | None:
    """An entry of a file, or the file without any; None if it is not there."""
    for entry in entries:
        item = None if item is None else item.find(entry)
    return item
