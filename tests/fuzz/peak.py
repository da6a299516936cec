"""The peak memory of one command, measured by the system in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
UNIT: Final = 1 if sys.platform == "darwin" else 1024
"""Bytes in the unit of the peak."""


class Finished(NamedTuple):
    """The exit status of a command, its peak memory in bytes, and what it said on standard error."""

    status: int
    peak: int
    error: str


def run(*arguments: str) -> Finished:
    """Run the program with arguments and without input; standard output is thrown away."""
    command = [sys.executable, "-m", "viewer", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        error = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Finished(process.returncode, usage.ru_maxrss * UNIT, error)
