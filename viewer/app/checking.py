"""Checking files in several processes, in the order in which they were planned."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Final

from viewer.app.progress import Progress
from viewer.errors import MshviewError
from viewer.model.reading import Wanted
from viewer.model.survey import Surveyor, Task
from viewer.model.validate import Report

WORTH_SHARING: Final = 4 << 20
"""Bytes from which on several processes start unless somebody says how many."""
PORTIONS: Final = 8
"""Portions of the work that each process takes, one after the other."""

How = tuple[Path | None, Wanted]
"""The game folder and the reading of a surveyor."""

_surveyor: Surveyor | None = None
"""The surveyor of a worker process."""


def job_count(tasks: Sequence[Task], wanted: int | None) -> int:
    """How many processes share the tasks; no more than there are tasks."""
    if wanted is None:
        wanted = _cores() if sum(task.size for task in tasks) >= WORTH_SHARING else 1
    return max(1, min(wanted, len(tasks)))


def _cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def reports(
    tasks: Sequence[Task], jobs: int, game: Path | None = None, wanted: Wanted = Wanted.AUTO
) -> Iterator[Report]:
    """The reports of all tasks in their order, made by `jobs` processes; this one alone if it is 1.

    `game` and `wanted` are those of the `Surveyor`.
    """
    progress = Progress(len(tasks), "files")
    how = game, wanted
    try:
        for found in _alone(tasks, how) if jobs == 1 else _shared(tasks, jobs, how):
            progress.advance()
            yield from found
    finally:
        progress.clear()


def _alone(tasks: Sequence[Task], how: How) -> Iterator[list[Report]]:
    surveyor = Surveyor(*how)
    return (surveyor.check(task) for task in tasks)


def _shared(tasks: Sequence[Task], jobs: int, how: How) -> Iterator[list[Report]]:
    portion = max(1, len(tasks) // (jobs * PORTIONS))
    with ProcessPoolExecutor(jobs, _context(), _start_worker, (how,)) as pool:
        try:
            yield from pool.map(_check, tasks, chunksize=portion)
        except BrokenProcessPool:
            raise MshviewError("a process that was checking files has died", source="validate") from None


def _context() -> BaseContext:
    """Copies of this process where that is safe, which start at once; else what the system prefers."""
    can_copy = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if can_copy else None)


def _start_worker(how: How) -> None:
    """Set up a worker; the interrupt key is for the process that it works for."""
    global _surveyor  # noqa: PLW0603
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _surveyor = Surveyor(*how)


def _check(task: Task) -> list[Report]:
    surveyor = _surveyor or Surveyor()
    return surveyor.check(task)
