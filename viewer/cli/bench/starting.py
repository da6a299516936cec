"""Processes of this program, or of Python alone, that the bench waits for."""

from __future__ import annotations

import subprocess
import sys

from viewer.errors import MshviewError
from viewer.resources import PACKAGE


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start this program in a process of its own, without output."""
    return process("-m", "viewer", *arguments)


def process(*arguments: str) -> subprocess.Popen[bytes]:
    """Start Python in a process of its own, without output."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=PACKAGE.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process; raises `MshviewError` if it failed, as the time of a failure means nothing."""
    if status := process.wait():
        raise MshviewError(f"{process.args!r} ended with status {status}", source="bench")
