"""Saving: what the program writes for the user, and what it keeps of the files that it replaces.

A file of the game that is replaced stays as ``NAME.bak``, once: whatever replaces it, an edit, an import, a
copy, an archive that is packed, a picture, in the window or in the shell. Files of other programs do not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from viewer.errors import ConflictError, OutputError
from viewer.formats.record import Bytes
from viewer.formats.text import fold
from viewer.model.kinds.registry import KINDS, recognise
from viewer.model.store.disk import SIZE_LIMIT, Revision, unchanging
from viewer.model.store.writing import NewFile, WrittenFile, digest_of, refuse_conflict, write_files
from viewer.translation import Sentence


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


class EditedBytes(NamedTuple):
    """An edited file to write: the parameters of `save`."""

    path: Path
    data: Bytes
    expected: bytes | None = None


def save(path: Path, data: Bytes, *, expected: bytes | None = None) -> SavedFile:
    """Write an edited file over itself, or to a new place.

    Parameters
    ----------
    path
        The file; of a link the file that it leads to.
    data
        The new bytes.
    expected
        `digest_of` the bytes on the disk from which the new ones were made; None replaces whatever is there.

    Raises
    ------
    ConflictError
        If the file on the disk is not the expected one, or gone. Nothing is written.
    OutputError
        If it cannot be written: it or its folder is read-only, the folder is gone, the disk is full, what
        was written is not what is read again. The old file is left as it was.
    """
    return save_all([EditedBytes(path, data, expected)])[0]


def save_all(files: Sequence[EditedBytes]) -> list[SavedFile]:
    """Write edited files, all or none; raises the same as `save`."""
    for path, _, _ in files:
        if path.exists() and not path.is_file():
            raise OutputError("is not a regular file", source=str(path))
    written = write_files(
        [_readable(NewFile(it.path, unchanging(it.data), it.expected, has_backup=True)) for it in files]
    )
    return [
        SavedFile(done.target, done.revision, digest_of(it.data), done.backup)
        for it, done in zip(files, written, strict=True)
    ]


def write(files: Sequence[NewFile]) -> list[WrittenFile]:
    """Write files, all or none; those of the game that they replace are kept. Raises `OutputError`."""
    return write_files(
        [_readable(replace(it, has_backup=it.has_backup or is_of_game(it.path))) for it in files]
    )


def _readable(file: NewFile) -> NewFile:
    """A file that is not larger than one that is read; one whose bytes come in parts raises that later."""

    def parts(data: Iterable[Bytes]) -> Iterator[Bytes]:
        size = 0
        for part in data:
            size += memoryview(part).nbytes
            if size > SIZE_LIMIT:
                words = Sentence("more than {limit} bytes, which would not be read again", limit=SIZE_LIMIT)
                raise OutputError(words, source=str(file.path))
            yield part

    if not isinstance(file.data, bytes | bytearray | memoryview):
        return replace(file, data=parts(file.data))
    for _ in parts([file.data]):
        pass
    return file


def is_of_game(path: Path) -> bool:
    """Whether there is a file in one of the game's formats, by its bytes or, for damaged ones, its name."""
    try:
        if not path.is_file():
            return False
        if fold(os.fsencode(path.suffix))[1:] in {suffix for kind in KINDS for suffix in kind.suffixes}:
            return True
        if path.stat().st_size > SIZE_LIMIT:
            return False
        return recognise(0, memoryview(path.read_bytes()), os.fsencode(path.name)).is_known
    except (OSError, ValueError):
        return False


def conflict_of(path: Path, expected: bytes) -> ConflictError | None:
    """What `save` would refuse about the file on the disk, without writing anything; None if nothing.

    Raises `OutputError` if it cannot be read.
    """
    try:
        refuse_conflict(path, expected)
    except ConflictError as conflict:
        return conflict
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise OutputError(
            Sentence("cannot be read: {reason}", reason=str(reason)), source=str(path)
        ) from error
    return None
