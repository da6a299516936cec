"""Saving: what the program writes for the user, under which names, and what it keeps of replaced files.

A file of the game that is replaced stays as ``NAME.bak``, once: whatever replaces it, an edit, an import, a
copy, an archive that is packed, a picture, in the window or in the shell. Files of other programs do not.
Names of files for entries are valid on every system and differ from each other whatever the case.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from viewer.errors import ConflictError, OutputError, reason_of
from viewer.formats.record import Bytes
from viewer.formats.text import fold
from viewer.model.kinds.registry import KINDS, recognise
from viewer.model.store.disk import SIZE_LIMIT, unchanging
from viewer.model.store.writing import NewFile, WrittenFile, refuse_conflict, write_files
from viewer.translation import _


def write(files: Sequence[NewFile]) -> list[WrittenFile]:
    """Write files, all or none; those of the game that they replace are kept.

    Raises
    ------
    ConflictError
        If a file on the disk is not the expected one, or gone. Nothing is written.
    OutputError
        If one cannot be written: it or its folder is read-only, the folder is gone, the disk is full, what
        was written is not what is read again. The old files are left as they were.
    """
    return write_files(
        [_readable(replace(it, has_backup=it.has_backup or is_of_game(it.path))) for it in files]
    )


def _readable(file: NewFile) -> NewFile:
    """A file that is not larger than one that is read; one whose bytes come in parts raises that later."""
    if isinstance(file.data, bytearray | memoryview):
        file = replace(file, data=unchanging(file.data))

    def parts(data: Iterable[Bytes]) -> Iterator[Bytes]:
        size = 0
        for part in data:
            size += memoryview(part).nbytes
            if size > SIZE_LIMIT:
                words = _("more than {limit} bytes, which would not be read again", limit=SIZE_LIMIT)
                raise OutputError(words, source=file.path)
            yield part

    if not isinstance(file.data, bytes | bytearray | memoryview):
        return replace(file, data=parts(file.data))
    for _ignored in parts([file.data]):
        pass
    return file


def is_of_game(path: Path) -> bool:
    """Whether there is a file in one of the game's formats, by its bytes or, for damaged ones, its name."""
    try:
        if not path.is_file():
            return False
        # The name first: damaged bytes are not recognised, and still are the only copy of the user's file.
        if fold(os.fsencode(path.suffix))[1:] in {suffix for kind in KINDS for suffix in kind.suffixes}:
            return True
        if path.stat().st_size > SIZE_LIMIT:
            return False
        return recognise(0, memoryview(path.read_bytes()), os.fsencode(path.name)).is_known
    except (OSError, ValueError):
        return False


def conflict_of(path: Path, expected: bytes) -> ConflictError | None:
    """Conflict for which `write` would refuse the file on the disk, without writing anything; None if none.

    Raises `OutputError` if it cannot be read.
    """
    try:
        refuse_conflict(path, expected)
    except ConflictError as conflict:
        return conflict
    except (OSError, ValueError) as error:
        raise OutputError(_("cannot be read: {reason}", reason=reason_of(error)), source=path) from error
    return None


_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)")
"""Names that are devices on Windows, with any suffix."""
# With %, by which the others are written: a name of an entry never looks like an escaped one.
_UNSAFE: Final = re.compile(r'[<>:"/\\|?*%]')
_LEAVES: Final = re.compile(r"^[/\\]|^[A-Za-z]:[/\\]|(^|[/\\:])\.\.([/\\]|$)")
"""Names that, as paths, leave a folder."""


def leaves_folder(name: str) -> bool:
    """Whether a name, as a path, leaves the folder."""
    return _LEAVES.search(name) is not None


class FileNames:
    """The file names of one folder.

    Parameters
    ----------
    taken
        Names that no entry gets.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._used = {*map(folded_name, taken)}

    def add(self, name: str, index: int) -> str:
        """Take a new file name for the entry `name`, whose directory index is `index`.

        Characters that a system refuses are written as ``%`` and two digits, a repeated name gets the index.
        """
        safe = "".join(letter if _is_safe(letter) else _escaped(letter) for letter in name) or f"#{index}"
        # Windows drops dots and blanks at the end of a name: two entries would become one file.
        if safe[-1] in ". ":
            safe = safe[:-1] + _escaped(safe[-1])
        if _RESERVED.match(safe):
            safe = _escaped(safe[0]) + safe[1:]
        # The index goes before the suffix, by which programs know a file: ``wall~7.tex``.
        stem, dot, suffix = safe.rpartition(".")
        numbered = f"{stem}~{index}{dot}{suffix}" if stem else f"{safe}~{index}"
        while folded_name(safe) in self._used:
            safe, numbered = numbered, f"{numbered}~"
        self._used.add(folded_name(safe))
        return safe


def _is_safe(letter: str) -> bool:
    return letter.isprintable() and not _UNSAFE.match(letter)


def _escaped(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode(errors="surrogateescape"))


def folded_name(name: str) -> str:
    """A name as compared by the least strict file system."""
    # Casefolding can leave a text that is not normalised, so it is normalised again.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
