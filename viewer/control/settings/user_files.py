"""Files that the program makes for itself in the user's folders."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from platformdirs import user_pictures_path

from viewer.bounded_reading import read_at_most
from viewer.errors import OutputError, reason_of
from viewer.formats.record import Bytes
from viewer.model.compare.file_plan import FilePlan
from viewer.operations import saving
from viewer.translation import _


def default_folder() -> Path:
    """The program's folder among the user's pictures."""
    return user_pictures_path() / "mshview"


def read(path: Path, limit: int) -> bytes:
    """The bytes of a file; raises `OSError`, also if there are more than `limit` or it is not a regular file.

    A pipe is opened without waiting for a writer.
    """
    # O_NONBLOCK: opening a pipe without a writer would wait. O_BINARY: on Windows ^Z would end the text.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        data = read_at_most(file, limit + 1)  # one more than allowed, to notice a larger file
    if len(data) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data


def write(path: Path, data: Bytes) -> None:
    """Write a file like `write_plan`."""
    write_plan(FilePlan(path, data=data))


def write_plan(plan: FilePlan) -> None:
    """Write a new file whole or not at all, and create its folder; raises `OutputError`.

    What is not a regular file, such as a pipe without a reader, is refused.
    """
    path = plan.path
    try:
        if path.exists() and not path.is_file():
            raise OutputError(_("is not a regular file"), source=path)
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = _("cannot be created: {error}", error=reason_of(error))
        raise OutputError(message, source=path.parent) from error
    saving.write([plan])
