"""Locks that the system releases when their process ends, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from viewer.errors import OutputError
from viewer.translation import _

PATIENCE: Final = 10.0
"""Seconds after which a folder that another process keeps locked is an error; milliseconds are usual."""
_PAUSE: Final = 0.005
"""Seconds between two attempts."""
_TAKEN: Final = frozenset({errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK})
"""Errors of a lock that another open file has."""
_FAR: Final = 0x7FFFFFFE
"""The byte that is locked on Windows: locked bytes cannot be read by others, so one behind all content."""


def lock(descriptor: int) -> bool | None:
    """Lock an open file or folder until it is closed.

    Returns True if it is locked now, False if another open file has it locked, and None if the system cannot
    lock it.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 Windows only

            os.lseek(descriptor, _FAR, os.SEEK_SET)
            try:  # not LK_LOCK, which waits ten seconds by itself
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            import fcntl  # noqa: PLC0415 not on Windows

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in _TAKEN else None
    return True


@contextmanager
def locked(folders: Iterable[Path]) -> Iterator[bool]:
    """Exclude all other writers of this program, in any process or thread, from some folders.

    The folders themselves are locked, so that nothing is left in them. Yields whether the system can lock
    all of them. Raises `OutputError` for one that stays locked.
    """
    with ExitStack() as stack:
        ordered = sorted({*folders})  # in one order, so that two processes never wait for each other
        states = [stack.enter_context(_locked(folder)) for folder in ordered]
        yield all(states)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    descriptor = _locked_descriptor(folder)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _locked_descriptor(folder: Path) -> int | None:
    """The locked folder, or a file that stands for it if folders cannot be locked; None without locks."""
    for opened in (_folder_itself, _lock_file):
        with suppress(OSError):
            descriptor = opened(folder)
            # If the system locks no folders, the file that stands for it is tried next.
            if _has_locked(descriptor, folder):
                return descriptor
            os.close(descriptor)
    return None


def _folder_itself(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY)


def _lock_file(folder: Path) -> int:
    """A file in the folder of temporary files: Windows opens no folders, NFS locks none."""
    import tempfile  # noqa: PLC0415 rarely needed
    from hashlib import sha256  # noqa: PLC0415

    name = f"mshview-{sha256(os.fsencode(folder)).hexdigest()[:16]}.lock"
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return os.open(Path(tempfile.gettempdir(), name), flags, 0o600)


def _has_locked(descriptor: int, folder: Path) -> bool:
    """Wait for a lock; False if the system cannot lock this, `OutputError` if another process keeps it."""
    end = monotonic() + PATIENCE
    while (state := lock(descriptor)) is False:
        if monotonic() > end:
            os.close(descriptor)
            words = _("another program has been writing here for {seconds} seconds", seconds=PATIENCE)
            raise OutputError(words, source=folder)
        sleep(_PAUSE)
    return state is True
