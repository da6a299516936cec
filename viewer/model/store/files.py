"""Plain files, read by name inside one folder."""

from __future__ import annotations

import stat
from pathlib import Path

from viewer.errors import AddressError
from viewer.translation import Sentence

SIZE_LIMIT = 256 << 20
"""Largest size of a file, bytes; larger ones are refused."""
FOLDER_LIMIT = 4 * SIZE_LIMIT
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
            if path.resolve().parent != self.path.resolve():
                raise AddressError("leads out of the folder", source=str(path))
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                raise AddressError("is not a regular file", source=str(path))
            if found.st_size > self._room:
                raise self._too_much()
            with path.open("rb") as file:
                data = file.read(self._room + 1)
        except (OSError, ValueError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise AddressError(
                Sentence("cannot be read: {reason}", reason=str(reason)), source=str(path)
            ) from error
        self._room -= len(data)
        if self._room < 0:
            raise self._too_much()
        return data

    def _too_much(self) -> AddressError:
        words = Sentence("more than {limit} bytes together", limit=FOLDER_LIMIT)
        return AddressError(words, source=str(self.path))
