"""File names for entries: valid on every system, each different from the others whatever the case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)")
"""Names that are devices on Windows, with any suffix."""
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
        self._used = {*map(_folded, taken)}

    def add(self, name: str, index: int) -> str:
        """Take a new file name for the entry `name`, whose directory index is `index`.

        Characters that a system refuses are written as ``%`` and two digits, a repeated name gets the index.
        """
        safe = _safe(name, index)
        stem, dot, suffix = safe.rpartition(".")
        numbered = f"{stem}~{index}{dot}{suffix}" if stem else f"{safe}~{index}"
        while _folded(safe) in self._used:
            safe, numbered = numbered, f"{numbered}~"
        self._used.add(_folded(safe))
        return safe


def _safe(name: str, index: int) -> str:
    safe = "".join(letter if _is_safe(letter) else _escaped(letter) for letter in name) or f"#{index}"
    if safe[-1] in ". ":
        safe = safe[:-1] + _escaped(safe[-1])
    if _RESERVED.match(safe):
        safe = _escaped(safe[0]) + safe[1:]
    return safe


def _is_safe(letter: str) -> bool:
    return letter.isprintable() and not _UNSAFE.match(letter)


def _escaped(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode(errors="surrogateescape"))


def _folded(name: str) -> str:
    """A name as compared by the least strict file system."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
