"""Validation in several processes, with the reports in the planned order."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from viewer.cli.progress import Progress
from viewer.errors import MshviewError
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.disk import UnsavedFiles
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask
from viewer.model.validation.validate import Report

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

WORTH_SHARING: Final = 4 << 20
"""Total bytes from which several processes are used by default."""
PORTIONS: Final = 8
"""Portions of the work per process."""

COST_PER_FILE: Final = 50_000
"""Bytes whose check takes as long as opening a file."""

_Check = Callable[[ValidationTask], list[Report]]


@dataclass(frozen=True, slots=True)
class Checking:
    """How files are checked: the arguments of `BatchValidator`."""

    game: Path | None = None
    requested: ReadingChoice = ReadingChoice.AUTO
    unsaved: UnsavedFiles | None = None

    def validator(self) -> BatchValidator:
        """Make a validator."""
        return BatchValidator(self.game, self.requested, self.unsaved)


class _Worker:
    """What a worker process was started with."""

    tasks: Sequence[ValidationTask] = ()
    check: _Check | None = None


def job_count(tasks: Sequence[ValidationTask], requested: int | None) -> int:
    """Number of processes for the tasks, at most one per task."""
    if requested is None:
        requested = _cores() if sum(task.size for task in tasks) >= WORTH_SHARING else 1
    return max(1, min(requested, len(tasks)))


def _cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def reports(tasks: Sequence[ValidationTask], jobs: int, checking: Checking | None = None) -> Iterator[Report]:
    """The reports of all tasks in order, made by `jobs` processes; 1 means this process only."""
    checking = checking or Checking()
    with Progress(len(tasks), "files") as progress:
        for found in _alone(tasks, checking) if jobs == 1 else _shared(tasks, jobs, checking):
            progress.advance()
            yield from found


def _alone(tasks: Sequence[ValidationTask], checking: Checking) -> Iterator[list[Report]]:
    return map(checking.validator().check, tasks)


def _shared(tasks: Sequence[ValidationTask], jobs: int, checking: Checking) -> Iterator[list[Report]]:
    """The reports of each task; the processes know the tasks, so that only numbers are sent to them."""
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415

    with ProcessPoolExecutor(jobs, _context(), _start_worker, (tasks, checking)) as pool:
        try:
            with _interruptions_held():
                pool.submit(_start)
            results = deque(pool.submit(_check_all, part) for part in portions(tasks, jobs * PORTIONS))
            while results:
                yield from results.popleft().result()
        except BrokenProcessPool:
            raise MshviewError("a process that was checking files has died", source="validate") from None
        except BaseException:
            _end_workers()
            raise


def portions(tasks: Sequence[ValidationTask], count: int) -> Iterator[range]:
    """Split the tasks into about `count` stretches that take equally long."""
    costs = [task.size + COST_PER_FILE for task in tasks]
    most = sum(costs) / count
    start = cost = 0
    for index, more in enumerate(costs):
        if index > start and cost + more > most:
            yield range(start, index)
            start, cost = index, 0
        cost += more
    yield range(start, len(tasks))


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


def _start_worker(tasks: Sequence[ValidationTask], checking: Checking) -> None:
    """Set up a worker process; Ctrl+C is left to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _Worker.tasks = tasks
    _Worker.check = checking.validator().check


def _end_with_parent() -> None:
    """End this process when its parent has ended, however that came about."""
    from multiprocessing import parent_process  # noqa: PLC0415

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _check_all(part: range) -> list[list[Report]]:
    check = _Worker.check or Checking().validator().check
    return [check(task) for task in _Worker.tasks[part.start : part.stop]]
