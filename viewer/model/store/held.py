"""Files that another program has open, or that are read-only: Windows replaces and removes neither.

A virus scanner opens each new file for a moment, and a running game keeps its archives open. Other systems
replace open files, so that nothing waits there.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from viewer.errors import InUseError, OutputError, ReadOnlyError, reason_of
from viewer.model.store.disk import is_link
from viewer.translation import _

IS_WINDOWS: Final = os.name == "nt"
PATIENCE: Final = 1.0
"""Seconds for which a call is repeated while another program has the file open."""
_PAUSE: Final = 0.05
"""Seconds between two attempts."""
_SHARING: Final = frozenset({32, 33})
"""``ERROR_SHARING_VIOLATION`` and ``ERROR_LOCK_VIOLATION``: another program has the file open."""
_DENIED: Final = 5
"""``ERROR_ACCESS_DENIED``: so says a rename to an open file, and also what needs other rights."""
_WRITABLE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_Value = TypeVar("_Value")


class HeldError(PermissionError):
    """A file that another program still has open after some patience.

    Attributes
    ----------
    is_certain
        Whether the system says so; else it says only that access is denied.
    """

    def __init__(self, cause: OSError) -> None:
        super().__init__(cause.errno, cause.strerror, cause.filename)
        self.is_certain = getattr(cause, "winerror", None) in _SHARING


def patiently(call: Callable[[], _Value]) -> _Value:
    """The value of a call, which is repeated while another program has a file open.

    Raises `HeldError` after `PATIENCE`, and any other error at once.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return call()
        except PermissionError as error:
            if not _may_be_held(error):
                raise
            if time.monotonic() > end:
                raise HeldError(error) from error
        time.sleep(_PAUSE)


def _may_be_held(error: PermissionError) -> bool:
    """Whether an error may be that of a file which another program has open.

    Where Python opens a file by the C library the number of Windows is lost: access is denied.
    """
    number = getattr(error, "winerror", None)
    is_denied = error.errno == errno.EACCES and IS_WINDOWS if number is None else number == _DENIED
    return is_denied or number in _SHARING


def held_words(error: HeldError) -> str:
    """The message about a file that is open elsewhere: what is wrong, and what can be done."""
    if error.is_certain:
        return _(
            "cannot be written: another program has it open, such as the game or a virus scanner;"
            " close that and try again"
        )
    return _(
        "cannot be written: access is denied; another program may have it open, such as the game or a virus"
        " scanner, or this user may not change it"
    )


def refuse_read_only(path: Path, target: Path, *, is_precious: bool) -> None:
    """Refuse to replace a file that its attributes or permissions protect.

    Windows replaces no such file; other systems do, and there only a precious one is refused.

    Raises `ReadOnlyError`, with the command that clears the attribute; `OutputError` if that is not why this
    user may not write; and `OSError`.
    """
    if not (is_precious or IS_WINDOWS) or not target.exists():
        return
    found = target.stat()
    if not stat.S_ISREG(found.st_mode) or (found.st_mode & _WRITABLE and os.access(target, os.W_OK)):
        return
    # The owner may write: the file is not this user's, and no attribute would help.
    if found.st_mode & stat.S_IWUSR:
        raise OutputError("cannot be written: this user may not change it", source=path)
    command = f'attrib -r "{path}"' if IS_WINDOWS else f'chmod u+w "{path}"'
    words = _("cannot be written: it is read-only; {command} makes it writable", command=command)
    raise ReadOnlyError(words, source=path)


def make_writable(path: Path) -> None:
    """Clear the attribute of a read-only file; raises `OutputError`."""
    try:
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
    except OSError as error:
        words = _("cannot be made writable: {reason}", reason=reason_of(error))
        raise OutputError(words, source=path) from error


def refuse_open_files(path: Path, folder: Path) -> None:
    """Raise `InUseError` for a file of a folder that is open elsewhere, where that holds the folder too.

    The system would say only that the folder cannot be renamed.

    Parameters
    ----------
    path
        The folder as it was given.
    """
    if not IS_WINDOWS:
        return
    for file in (it for it in _inside(folder) if it.is_file()):
        try:
            patiently(partial(file.rename, file))  # to its own name: that is refused for an open file
        except HeldError as error:
            raise InUseError(held_words(error), source=path / file.relative_to(folder)) from error


def _inside(folder: Path) -> Iterator[Path]:
    """Paths of all files and folders in a folder; links to other folders are not followed."""
    for around, folders, names in os.walk(folder):
        yield from (Path(around, name) for name in (*folders, *names))
        folders[:] = [name for name in folders if not is_link(Path(around, name))]


def _unprotect(path: Path) -> None:
    """Clear the read-only attribute of what is to be removed, of all in a folder, where that prevents it."""
    if not IS_WINDOWS or is_link(path):
        return
    for it in (path, *(_inside(path) if path.is_dir() else ())):
        with suppress(OSError):
            it.chmod(stat.S_IREAD | stat.S_IWRITE)


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, if it is there, also if it is read-only."""
    _unprotect(path)
    if path.is_dir() and not is_link(path):
        import shutil  # noqa: PLC0415 brings compressors along

        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        patiently(path.unlink)
