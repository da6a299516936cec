"""The peak memory of one command, in a process of its own."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, NamedTuple

from viewer.__main__ import GARBAGE_THRESHOLD

STATUS: Final = Path("/proc/self/status")
IS_KNOWN: Final = STATUS.exists()
"""Whether the system tells the peak of a process alone: the usage of a child counts its parent's memory."""
MARK: Final = "peak memory:"
_LOADED: Final = ("numpy", "viewer.cli.main", "viewer.model.kinds.registry")
"""What every command loads."""
_COMMAND: Final = """
from viewer.cli.main import main

status = main(sys.argv[1:])
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
    status, text = _process().submit(_run_copy, code, arguments).result()
    error, _, peak = text.rpartition(MARK)
    return Finished(status, int(peak), error)


@cache
def _process() -> ProcessPoolExecutor:
    """A process that has loaded what every command needs: its copies begin with its memory, not its peak."""
    return ProcessPoolExecutor(1, get_context("spawn"), initializer=_prepare)


def _prepare() -> None:
    """Load that, and do what the program does when it starts; nothing waits for the disk."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(GARBAGE_THRESHOLD)
    os.fsync = lambda fd: None
    for name in _LOADED:
        import_module(name)


def _run_copy(code: str, arguments: Sequence[str]) -> tuple[int, str]:
    """Run code in a copy of this process; its exit status and what it said."""
    with TemporaryFile() as error:
        process = os.fork()
        if not process:
            _run_here(code, arguments, error.fileno())
        _, state = os.waitpid(process, 0)
        error.seek(0)
        return os.waitstatus_to_exitcode(state), error.read().decode(errors="replace")


def _run_here(code: str, arguments: Sequence[str], error: int) -> None:
    """Run code in this process, and end it."""
    names: dict[str, Any] = {"sys": sys, "status": 99}
    null = os.open(os.devnull, os.O_RDWR)
    for number, descriptor in enumerate((null, null, error)):
        os.dup2(descriptor, number)
    try:
        sys.stdin, sys.stdout, sys.stderr = (open(it, mode, closefd=False) for it, mode in enumerate("rww"))  # noqa: SIM115
        sys.argv = ["mshview", *arguments]
        exec(code, names)
    except BaseException:  # noqa: BLE001 it has no other place to go
        traceback.print_exc()
    finally:
        with STATUS.open() as lines:
            peak = next(line for line in lines if line.startswith("VmHWM:"))
        sys.stderr.write(f"{MARK} {int(peak.split()[1]) * 1024}\n")
        sys.stderr.flush()
        os._exit(names["status"])
