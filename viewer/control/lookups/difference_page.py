"""The page of a comparison of two folders, which the program writes as ``diff A B -o DIR`` in a process.

It draws, which worker threads cannot, and uses all cores.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import viewer
from viewer import translation
from viewer.errors import OutputError, reason_of
from viewer.progress import Cancelled, Progress
from viewer.translation import _

INDEX: Final = "index.html"
"""The file of a page that a browser opens."""
COMPLETE: Final = (0, 1)
"""Exit statuses of a comparison: nothing differs, or something does."""
STEP: Final = 0.1
"""Seconds after which it is asked whether the work was cancelled."""
PATIENCE: Final = 10.0
"""Seconds until a process that does not end is killed."""
LONGEST: Final = 500
"""Letters of a message."""


def write_page(a: Path, b: Path, folder: Path, progress: Progress) -> None:
    """Write the page into a new folder, or over an earlier page; a cancelled one leaves nothing.

    Raises `OutputError` with what the process says.
    """
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command("diff", str(a.absolute()), str(b.absolute()), "-o", str(folder.absolute())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=_environment(),
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise OutputError(
                _("cannot be written: {error}", error=reason_of(error)), source=folder
            ) from error
        status = _wait(process, progress)
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
    if status not in COMPLETE:
        words = said.splitlines()[-1][-LONGEST:] if said else _("exit status {status}", status=status)
        raise OutputError(words, source=folder)


def command(*arguments: str) -> list[str]:
    """The command line that starts this program with some arguments."""
    is_bundle = getattr(sys, "frozen", False)
    return [sys.executable, *([] if is_bundle else ["-m", viewer.__name__]), *arguments]


def _environment() -> dict[str, str]:
    """The environment in which the program is found, and speaks the language of the window."""
    path = [str(Path(viewer.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "LANGUAGE": translation.code()}


def _wait(process: subprocess.Popen[bytes], progress: Progress) -> int:
    """The exit status of a process, which ends if the work is cancelled."""
    while True:
        try:
            progress.check()
            return process.wait(STEP)
        except subprocess.TimeoutExpired:
            continue
        except Cancelled:
            _end(process)
            raise


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process as Ctrl+C does, so that it removes what it has begun."""
    if sys.platform == "win32":
        process.terminate()
    else:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
