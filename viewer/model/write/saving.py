"""Saving an edited file over itself: the old one or the new one is there, at every moment.

In this order: the file on the disk is compared with the one that was edited; the new bytes go to a
temporary file in the same folder, are flushed, read again and compared; the old file gets ``NAME.bak`` as a
second name, unless there is such a file already, so that it stays the original; the temporary file takes
the name. What fails before the last step leaves the old file.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from viewer.errors import ConflictError, OutputError
from viewer.formats.record import Bytes
from viewer.model.store.disk import Revision, unchanging
from viewer.model.store.files import Replacement, replacing, write_atomically
from viewer.translation import Sentence

BACKUP_SUFFIX: Final = ".bak"
_WRITABLE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file that was saved.

    Attributes
    ----------
    path
        The written file, links resolved.
    revision
        That of the bytes that were written.
    digest
        SHA-256 of them, which the next save expects.
    backup
        The copy of the original, if this save has made it.
    """

    path: Path
    revision: Revision
    digest: bytes
    backup: Path | None


def digest_of(data: Bytes) -> bytes:
    """SHA-256 of the bytes of a file, by which a save recognises it."""
    return sha256(data).digest()


def save(path: Path, data: Bytes, *, expected: bytes | None = None, has_backup: bool = True) -> SavedFile:
    """Write a file over itself, or to a new place.

    Parameters
    ----------
    path
        The file; of a link the file that it leads to.
    data
        The new bytes.
    expected
        `digest_of` the bytes on the disk from which the new ones were made; None replaces whatever is there.
    has_backup
        Whether what is replaced is kept as ``NAME.bak`` if there is none yet.

    Raises
    ------
    ConflictError
        If the file on the disk is not the expected one, or gone. Nothing is written.
    OutputError
        If it cannot be written: it or its folder is read-only, the folder is gone, the disk is full, what
        was written is not what is read again. The old file is left as it was.
    """
    data = unchanging(data)
    with replacing(path) as place:
        _refuse_other_kinds(path, place.target)
        before = _checked(path, place.target, expected)
        place.write((data,))
        _verify(place, data)
        backup = _backed_up(place.target, before) if has_backup and before is not None else None
        try:
            _refuse_changed(path, place.target, before)
            revision = place.take_name()
        except BaseException:
            _take_back(backup)
            raise
    return SavedFile(place.target, revision, digest_of(data), backup)


def _refuse_other_kinds(path: Path, target: Path) -> None:
    """Raise for what is not a file, and for a file that may not be written."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise OutputError("is not a regular file", source=str(path))
    if not found.st_mode & _WRITABLE or not os.access(target, os.W_OK):
        raise OutputError("cannot be written: it is read-only", source=str(path))


def _checked(path: Path, target: Path, expected: bytes | None) -> os.stat_result | None:
    """The state of the file that is replaced, None for a new one; raises `ConflictError`."""
    try:
        found = target.stat()
        if expected is not None and digest_of(target.read_bytes()) != expected:
            raise ConflictError("was changed by another program since it was read", source=str(path))
    except FileNotFoundError:
        if expected is not None:
            raise ConflictError("was removed by another program", source=str(path)) from None
        return None
    return found


def _refuse_changed(path: Path, target: Path, before: os.stat_result | None) -> None:
    """Raise `ConflictError` if the file was changed while the new one was written."""
    try:
        found = target.stat()
    except FileNotFoundError:
        found = None
    if _state(found) != _state(before):
        raise ConflictError("was changed by another program while it was saved", source=str(path))


def _state(found: os.stat_result | None) -> tuple[int, ...] | None:
    return None if found is None else (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)


def _verify(place: Replacement, data: bytes) -> None:
    """Raise unless the written bytes are read again as they are."""
    if place.temporary.read_bytes() != data:
        message = "was not written: the bytes that were read again differ"
        raise OutputError(message, source=str(place.target))


def _backed_up(target: Path, before: os.stat_result) -> Path | None:
    """Give the old file a second name; None if there was a file of that name."""
    backup = target.with_name(target.name + BACKUP_SUFFIX)
    if os.path.lexists(backup):
        return None
    try:
        backup.hardlink_to(target)
    except FileExistsError:
        return None
    except OSError:
        if os.path.lexists(backup):
            return None
        write_atomically(backup, target.read_bytes(), can_replace=False)
        os.utime(backup, ns=(before.st_atime_ns, before.st_mtime_ns))
    return backup


def _take_back(backup: Path | None) -> None:
    """Remove a backup that was made for nothing: it would be a second name of a file that goes on living."""
    if backup is not None:
        backup.unlink(missing_ok=True)


def conflict_of(path: Path, expected: bytes) -> ConflictError | None:
    """What `save` would refuse about the file on the disk, without writing anything; None if nothing.

    Raises `OutputError` if it cannot be read.
    """
    try:
        _checked(path, Path(os.path.realpath(path)), expected)
    except ConflictError as conflict:
        return conflict
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise OutputError(
            Sentence("cannot be read: {reason}", reason=str(reason)), source=str(path)
        ) from error
    return None
