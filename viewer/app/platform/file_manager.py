"""Folders in the program of the system that shows them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
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
        status = _status([program, str(folder)])
    except FileNotFoundError as error:
        words = _("cannot be shown: {program} is not installed", program=program)
        raise OutputError(words, source=folder) from error
    except OSError as error:
        raise OutputError(_("cannot be shown: {reason}", reason=reason_of(error)), source=folder) from error
    if status:
        words = _("cannot be shown: {program} ends with {status}", program=program, status=status)
        raise OutputError(words, source=folder)


def _status(command: Sequence[str]) -> int:
    """The exit status of a program; 0 if it is still running, and goes on when this one ends."""
    nowhere = subprocess.DEVNULL
    running = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
    try:
        return running.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return 0
