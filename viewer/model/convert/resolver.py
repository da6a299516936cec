"""The files next to a file, which it names: never above its folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from viewer.errors import AddressError, FormatError, OutputError
from viewer.model.store import backups
from viewer.model.store.disk import PlainFolder
from viewer.translation import _

Resolver = Callable[[str], bytes]
"""The bytes of a file by its path below the folder, with slashes; raises `MshviewError` without it."""


def nothing(name: str) -> bytes:
    """A folder without files."""
    raise AddressError("is not in the same folder", source=name)


class Folder:
    """The files of a folder; links that lead out of it lead nowhere."""

    def __init__(self, path: Path) -> None:
        self._root = path.resolve()

    def __call__(self, name: str) -> bytes:
        """The bytes of a file; raises `MshviewError` without it."""
        try:
            # A link inside the folder may lead out of it, so where it ends is what counts.
            found = (self._root / name).resolve()
        except (OSError, ValueError, RuntimeError):
            return nothing(name)
        if not found.is_relative_to(self._root):
            return nothing(name)
        return PlainFolder(found.parent).read(found.name)

    def set_aside(self, name: str) -> str:
        """Rename a damaged file of this program; its new name, empty if the system refuses that."""
        with suppress(OSError, OutputError):
            return backups.set_aside(self._root / name).name
        return ""


def relative(uri: str) -> str:
    """A reference as a path below the folder; raises `FormatError` if it may lead out of it."""
    name = unquote(uri).replace("\\", "/")
    # A colon is a drive ("C:x") or a stream of Windows; "%2e%2e" is ".." after unquoting.
    is_inside = not name.startswith("/") and ".." not in name.split("/")
    if not name or not is_inside or ":" in name or not name.isprintable():
        raise FormatError(_("{uri} is not a file in the same folder", uri=repr(uri[:80])))
    return name
