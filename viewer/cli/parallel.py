"""Validation in several processes, with the reports in the planned order."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
"""Total bytes from which several processes are used by default."""
PORTIONS: Final = 8
"""Portions of the work per process."""

How = tuple[Path | None, ReadingChoice]
"""The game folder and the reading of a validator."""

_validator: BatchValidator | None = None
"""The validator of a worker process."""


def job_count(tasks: Sequence[ValidationTask], requested: int | None) -> int:
    """Number of processes for the tasks, at most one per task."""
    if requested is None:
        requested = _cores() if sum(task.size for task in tasks) >= WORTH_SHARING else 1
    return max(1, min(requested, len(tasks)))


def _cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def reports(
    tasks: Sequence[ValidationTask],
    jobs: int,
    game: Path | None = None,
    requested: ReadingChoice = ReadingChoice.AUTO,
) -> Iterator[Report]:
    """The reports of all tasks in order, made by `jobs` processes; 1 means this process only.

    `game` and `requested` are passed to `BatchValidator`.
    """
    how = game, requested
    with Progress(len(tasks), "files") as progress:
        for found in _alone(tasks, how) if jobs == 1 else _shared(tasks, jobs, how):
            progress.advance()
            yield from found


def _alone(tasks: Sequence[ValidationTask], how: How) -> Iterator[list[Report]]:
    validator = BatchValidator(*how)
    return (validator.check(task) for task in tasks)


def _shared(tasks: Sequence[ValidationTask], jobs: int, how: How) -> Iterator[list[Report]]:
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415

    portion = max(1, len(tasks) // (jobs * PORTIONS))
    with ProcessPoolExecutor(jobs, _context(), _start_worker, (how,)) as pool:
        try:
            with _interruptions_held():
                pool.submit(_start)
            parts = [tasks[start : start + portion] for start in range(0, len(tasks), portion)]
            results = deque(pool.submit(_check_all, part) for part in parts)
            while results:
                yield from results.popleft().result()
        except BrokenProcessPool:
            raise MshviewError("a process that was checking files has died", source="validate") from None
        except BaseException:
            _end_workers()
            raise


def _context() -> BaseContext:
    """Fork if that is safe, which starts at once; otherwise the default of the system."""
    import multiprocessing  # noqa: PLC0415

    can_copy = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if can_copy else None)


@contextmanager
def _interruptions_held() -> Iterator[None]:
    """Hold Ctrl+C back while processes are started, which never see it: it is left to their parent."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_workers() -> None:
    """End all worker processes: what they would still find is not requested any more."""
    import multiprocessing  # noqa: PLC0415

    for worker in multiprocessing.active_children():
        worker.terminate()


def _start() -> None:
    """Do nothing: the first task makes the pool start its processes."""


def _start_worker(how: How) -> None:
    """Set up a worker process; Ctrl+C is left to the parent process."""
    global _validator  # noqa: PLW0603
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _validator = BatchValidator(*how)


def _check_all(tasks: Sequence[ValidationTask]) -> list[list[Report]]:
    return [_check(task) for task in tasks]


def _check(task: ValidationTask) -> list[Report]:
    validator = _validator or BatchValidator()
    return validator.check(task)
