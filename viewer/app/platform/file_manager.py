"""Folders in the program of the system that shows them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from viewer.errors import OutputError, reason_of
from viewer.translation import _

PROGRAMS: Final = {"darwin": "open"}
"""The program of a platform other than Windows that shows a folder."""
USUAL: Final = "xdg-open"
PATIENCE: Final = 2.0
"""Seconds in which a program says that it cannot; some run as long as their window is open."""


def show(folder: Path) -> None:
    """Show a folder; raises `OutputError` if the system has no program for that."""
    program = PROGRAMS.get(sys.platform, USUAL)
    try:
        if sys.platform == "win32":
            os.startfile(folder)
            return
        running = subprocess.Popen(
            [program, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        status = running.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return
    except OSError as error:
        words = _("{program} cannot show it: {reason}", program=program, reason=reason_of(error))
        raise OutputError(words, source=folder) from error
    if status:
        words = _("{program} cannot show it: exit status {status}", program=program, status=status)
        raise OutputError(words, source=folder)
