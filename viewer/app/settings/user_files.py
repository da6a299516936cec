"""Files that the program makes for itself in the user's folders."""

from __future__ import annotations

from pathlib import Path

from viewer.errors import OutputError
from viewer.formats.record import Bytes
from viewer.model.store.files import write_atomically
from viewer.translation import _


def write(path: Path, data: Bytes) -> None:
    """Write a file whole or not at all, and create its folder; raises `OutputError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = _("cannot be created: {error}").format(error=error.strerror)
        raise OutputError(message, source=str(path.parent)) from error
    write_atomically(path, data)
