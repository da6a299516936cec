"""The peak memory of one command, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
STATUS: Final = Path("/proc/self/status")
IS_KNOWN: Final = STATUS.exists()
"""Whether the system tells the peak of a process alone: the usage of a child counts its parent's memory."""
MARK: Final = "peak memory:"
_COMMAND: Final = """
from viewer.cli.main import main

status = main(sys.argv[1:])
"""
_PEAK: Final = f"""
with open({str(STATUS)!r}) as lines:
    peak = next(line for line in lines if line.startswith("VmHWM:"))
print({MARK!r}, int(peak.split()[1]) * 1024, file=sys.stderr)
sys.exit(status)
"""


class Finished(NamedTuple):
    """The exit status of a command, its peak memory in bytes, and what it said on standard error."""

    status: int
    peak: int
    error: str


def run(*arguments: str) -> Finished:
    """Run the program with arguments and without input; standard output is thrown away."""
    return run_code(_COMMAND, *arguments)


def run_code(code: str, *arguments: str) -> Finished:
    """Run Python that sets ``status`` in the same way."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}{_PEAK}", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    error, _, peak = done.stderr.rpartition(MARK)
    return Finished(done.returncode, int(peak), error)
