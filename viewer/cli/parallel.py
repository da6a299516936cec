"""Checking files in several processes, in the order in which they were planned."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from viewer.cli.progress import Progress
from viewer.errors import MshviewError
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask
from viewer.model.validation.validate import Report

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

WORTH_SHARING: Final = 4 << 20
"""Bytes from which on several processes start unless somebody says how many."""
PORTIONS: Final = 8
"""Portions of the work that each process takes, one after the other."""

How = tuple[Path | None, ReadingChoice]
"""The game folder and the reading of a surveyor."""

_surveyor: BatchValidator | None = None
"""The surveyor of a worker process."""


def job_count(tasks: Sequence[ValidationTask], wanted: int | None) -> int:
    """How many processes share the tasks; no more than there are tasks."""
    if wanted is None:
        wanted = _cores() if sum(task.size for task in tasks) >= WORTH_SHARING else 1
    return max(1, min(wanted, len(tasks)))


def _cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def reports(
    tasks: Sequence[ValidationTask],
    jobs: int,
    game: Path | None = None,
    wanted: ReadingChoice = ReadingChoice.AUTO,
) -> Iterator[Report]:
    """The reports of all tasks in their order, made by `jobs` processes; this one alone if it is 1.

    `game` and `wanted` are those of the `BatchValidator`.
    """
    progress = Progress(len(tasks), "files")
    how = game, wanted
    try:
        for found in _alone(tasks, how) if jobs == 1 else _shared(tasks, jobs, how):
            progress.advance()
            yield from found
    finally:
        progress.clear()


def _alone(tasks: Sequence[ValidationTask], how: How) -> Iterator[list[Report]]:
    validator = BatchValidator(*how)
    return (validator.check(task) for task in tasks)


def _shared(tasks: Sequence[ValidationTask], jobs: int, how: How) -> Iterator[list[Report]]:
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415

    portion = max(1, len(tasks) // (jobs * PORTIONS))
    with ProcessPoolExecutor(jobs, _context(), _start_worker, (how,)) as pool:
        try:
            yield from pool.map(_check, tasks, chunksize=portion)
        except BrokenProcessPool:
            raise MshviewError("a process that was checking files has died", source="validate") from None


def _context() -> BaseContext:
    """Copies of this process where that is safe, which start at once; else what the system prefers."""
    import multiprocessing  # noqa: PLC0415

    can_copy = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if can_copy else None)


def _start_worker(how: How) -> None:
    """Set up a worker; the interrupt key is for the process that it works for."""
    global _surveyor  # noqa: PLW0603
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _surveyor = BatchValidator(*how)


def _check(task: ValidationTask) -> list[Report]:
    validator = _surveyor or BatchValidator()
    return validator.check(task)
