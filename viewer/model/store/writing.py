"""Writing files: all of them appear whole or none does, and what they replace is kept.

Everything that the program writes goes this way, in the window and in the shell:

1. The new bytes go to a temporary file in the same folder, which has the permissions and the owner of the
   file that it replaces before its first byte. They are flushed, and read again if they are given whole.
2. The folder is locked: no other process or thread of this program writes in it until the end.
3. The file on the disk is compared with the one from which the new bytes were made.
4. It gets the name of its backup, if it shall have one and there is none yet.
5. The temporary file takes its name. Several files do so under an undo record (`recovery`).
6. The lock is released.

What fails or is interrupted before the last file has its name leaves the old files. A killed process leaves
temporary files, which the next one that writes in the folder removes, and perhaps a record, which it undoes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.errors import ConflictError, OutputError
from viewer.formats.record import Bytes
from viewer.model.store import backups, recovery
from viewer.model.store.backups import Backup, backup_of
from viewer.model.store.disk import Revision, revision_of
from viewer.model.store.held import patiently, refuse_read_only
from viewer.model.store.recovery import Exchange, Stamp, stamp_of
from viewer.model.store.temporary import (
    EXISTS,
    Temporary,
    in_parts,
    locked,
    make_folder_of,
    name_next_to,
    sync_folder,
    take_free_name,
    temporary_file,
    writing,
)

PIECE: Final = 4 << 20
"""Bytes of a written file that are read again at once."""
_REMOVED: Final = "was removed by another program"


class NewFile(Struct, frozen=True):
    """A file to write.

    Attributes
    ----------
    path
        Where; of a link the file that it leads to.
    data
        Its bytes, which may come in parts.
    expected
        `digest_of` the bytes on the disk from which the new ones were made; None replaces whatever is there.
    can_replace
        Whether a file may be there already.
    has_backup
        Whether that file is kept as ``NAME.bak``, if there is no backup of it yet.
    is_foreign
        Whether that file is what another program has made of it, which is kept whatever is kept already.
    """

    path: Path
    data: Bytes | Iterable[Bytes]
    expected: bytes | None = None
    can_replace: bool = True
    has_backup: bool = False
    is_foreign: bool = False


class WrittenFile(Struct, frozen=True):
    """A file that was written.

    Attributes
    ----------
    path
        As it was given.
    target
        The same, links resolved.
    revision
        That of the bytes that were written.
    backup
        The backup of the file before, if it was made now.
    """

    path: Path
    target: Path
    revision: Revision
    backup: Path | None = None


def digest_of(data: Bytes) -> bytes:
    """SHA-256 of the bytes of a file, by which it is known again."""
    return sha256(data).digest()


def write_file(path: Path, data: Bytes | Iterable[Bytes], *, can_replace: bool = True) -> None:
    """Write a file without a backup, or to a device or a pipe; raises `OutputError`."""
    write_files([NewFile(path, data, can_replace=can_replace)])


def write_files(files: Sequence[NewFile]) -> list[WrittenFile]:
    """Write files of one folder or several, in this order: one that names others comes after them.

    Folders that are missing are made.

    A single one may be a device or a pipe, which is only written to.

    Raises
    ------
    ConflictError
        If a file on the disk is not the expected one, or gone.
    OutputError
        If one cannot be written: it or its folder is read-only, the disk is full, it exists and may not be
        replaced, another process keeps the folder locked. All files are what they were.
    """
    # A pipe or /dev/null cannot be replaced by a file of its name.
    if len(files) == 1 and is_device(files[0].path) and not files[0].has_backup:
        return [_written_to(files[0])]
    # What can be refused is refused before the first byte is written.
    with ExitStack() as stack:
        found = []
        for file in files:
            with writing(file.path) as target:
                if file.expected is not None and not target.exists():
                    raise ConflictError(_REMOVED, source=file.path)
                if file.can_replace:
                    refuse_read_only(file.path, target, is_precious=file.has_backup)
                make_folder_of(target)
                recovery.sweep(target.parent)
                found.append(_Replacement(file, target, stack.enter_context(temporary_file(target))))
        for it in found:
            with writing(it.file.path):
                it.fill()
        # After all bytes are on the disk: others wait for the comparison and the renames alone.
        stack.enter_context(locked(it.target.parent for it in found))
        for it in found:
            with writing(it.file.path):
                it.check()
        _replace(found)
        return [it.written for it in found]


def _written_to(file: NewFile) -> WrittenFile:
    with writing(file.path) as target:
        with target.open("wb") as device:
            for part in in_parts(file.data):
                device.write(part)
        return WrittenFile(file.path, target, Revision(0, 0))


class _Replacement:
    """A file on its way to its name."""

    def __init__(self, file: NewFile, target: Path, temporary: Temporary) -> None:
        self.file = file
        self.target = target
        self.temporary = temporary
        self.backup: Backup | None = None
        self.stamp: Stamp = (0, 0, 0)

    def fill(self) -> None:
        """Write the bytes and flush them to the disk."""
        self.temporary.write(self.file.data)
        data = self.file.data
        # Read again before the old file goes: a full or broken disk may report no error while writing.
        if isinstance(data, bytes | bytearray | memoryview) and not _is_written(self.temporary.path, data):
            message = "was not written: the bytes that were read again differ"
            raise OutputError(message, source=self.target)
        # Stated by the open file: a name may lead to another one by now.
        found = os.fstat(self.temporary.descriptor)
        self.stamp = found.st_ino, found.st_size, found.st_mtime_ns

    def check(self) -> None:
        """Refuse to replace a file that is not the expected one, or may not be replaced."""
        source = str(self.file.path)
        if self.file.expected is not None:
            patiently(partial(refuse_conflict, self.file.path, self.file.expected))
        if not self.target.exists():
            return
        found = self.target.stat()
        if not self.file.can_replace:
            raise OutputError(EXISTS, source=source)
        if not stat.S_ISREG(found.st_mode):
            raise OutputError("cannot be written: it is not a regular file", source=source)
        if self.file.has_backup:
            self.backup = backup_of(self.target, is_exact=self.file.is_foreign)

    @property
    def exchange(self) -> Exchange:
        """The file in an undo record."""
        aside = name_next_to(self.target).name if self.target.exists() else ""
        return Exchange(self.target.name, self.temporary.path.name, aside, self.stamp)

    def take_name(self) -> None:
        """Keep the file before, and give the temporary one its name."""
        if self.backup is not None and not self.backup.is_made:
            patiently(partial(backups.copy_to, self.target, self.backup.path))
        self.temporary.close()  # Windows renames no open file; the folder is locked
        patiently(self._rename)

    def _rename(self) -> None:
        if self.file.can_replace:
            self.temporary.path.replace(self.target)
        else:
            take_free_name(self.temporary.path, self.target)

    def take_back_backup(self) -> None:
        """Remove the backup that this one has made, unless the old file is nowhere else."""
        if self.backup is not None and not self.backup.is_made and stamp_of(self.target) != self.stamp:
            backups.take_back(self.target, self.backup.path)

    @property
    def written(self) -> WrittenFile:
        """The file that was written."""
        backup = None if self.backup is None or self.backup.is_made else self.backup.path
        revision = Revision(self.stamp[2], self.stamp[1])
        # Its new name is a change of the file too, unless another program has replaced it since.
        if stamp_of(self.target) == self.stamp:
            revision = revision_of(self.target.stat())
        return WrittenFile(self.file.path, self.target, revision, backup)


def _is_written(path: Path, data: Bytes) -> bool:
    """Whether a file has these bytes."""
    view = memoryview(data).cast("B")
    pieces = (view[at : at + PIECE] for at in range(0, len(view), PIECE))
    with path.open("rb") as file:
        # Neither shorter nor longer.
        same = all(file.read(len(piece)) == bytes(piece) for piece in pieces)
        return same and not file.read(1)


def refuse_conflict(path: Path, expected: bytes) -> None:
    """Raise `ConflictError` unless the file on the disk has the expected digest; also raises `OSError`."""
    try:
        with path.open("rb") as file:
            found = file_digest(file, "sha256").digest()
    except FileNotFoundError:
        raise ConflictError(_REMOVED, source=path) from None
    if found != expected:
        raise ConflictError("was changed by another program since it was read", source=path)


def _replace(found: Sequence[_Replacement]) -> None:
    """Give all files their names, or none; the folders are locked."""
    sets: dict[Path, list[Exchange]] = {}
    # One file needs no record: its rename is all or nothing by itself.
    for it in found if len(found) > 1 else ():
        sets.setdefault(it.target.parent, []).append(it.exchange)
    try:
        with recovery.undoable(sets):
            for it in found:
                with writing(it.file.path):
                    it.take_name()
            for folder in {it.target.parent for it in found}:
                sync_folder(folder)
    except BaseException:
        for it in found:
            it.take_back_backup()
        raise


def refuse_existing(path: Path) -> None:
    """Raise `OutputError` if a path is taken, unless by a device or a pipe, which is only written to."""
    with writing(path):
        if path.exists() and not is_device(path):
            raise OutputError(EXISTS, source=path)


def is_device(path: Path) -> bool:
    """Whether a path is neither a file nor a folder; raises `OutputError` if the system refuses to look."""
    with writing(path):
        return path.exists() and not (path.is_file() or path.is_dir())
