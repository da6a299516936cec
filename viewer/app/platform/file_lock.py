"""Locks on open files, which the system releases when their process ends, however it ends."""

from __future__ import annotations

import contextlib
import sys
from typing import IO


def lock(file: IO[bytes]) -> bool:
    """Lock an open file for this process; tell whether no other open file has it locked.

    The lock ends when the file is closed.
    """
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 Windows only

        file.seek(0)
        with contextlib.suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1 << 30)
            return True
        return False
    import fcntl  # noqa: PLC0415 not on Windows

    with contextlib.suppress(OSError):
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
