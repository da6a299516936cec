"""Work in several processes, with the results in the order of the tasks.

The processes know all tasks, so that only numbers are sent to them. They never see Ctrl+C, and end with their
parent, however that comes about.
"""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from msgspec import Struct

from viewer import translation
from viewer.cli import output
from viewer.errors import MshviewError
from viewer.resources import use_language
from viewer.translation import _

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

Task = TypeVar("Task")
Result = TypeVar("Result")
Begin = Callable[[], Callable[[Sequence[Task]], Iterable[Result]]]

WORTH_SHARING: Final = 2 << 20
"""Total bytes from which several processes are used by default: fewer are done while the first starts."""
PORTIONS: Final = 8
"""Portions of the work per process."""
COST_PER_TASK: Final = 50_000
"""Bytes whose check takes as long as opening a file."""


class _Worker:
    """The input that a worker process was started with."""

    tasks: Sequence[Any] = ()
    work: Callable[[Any], Any] | None = None
    is_busy = False


class _EndedError(BaseException):
    """A process was told to end in the middle of a task."""


def add_jobs(parser: ArgumentParser) -> None:
    """Add the number of processes."""
    parser.add_argument(
        "--jobs",
        type=count_option,
        metavar="N",
        help="processes that share the work; by default one per core if there is much to do",
    )


def count_option(text: str) -> int:
    """The value of an option that names a number of processes."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(_("{text!r} is not a number of processes", text=text))
    return int(text)


def cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def job_count(sizes: Sequence[int], requested: int | None) -> int:
    """Number of processes for tasks of some sizes in bytes, at most one per task."""
    usual = cores() if sum(sizes) >= WORTH_SHARING else 1
    return max(1, min(requested or usual, len(sizes)))


def one_by_one(
    begin: Callable[[], Callable[[Task], Result]],
) -> Callable[[Sequence[Task]], Iterable[Result]]:
    """Begin, for `SharedWork`, with what makes the function that does one task."""
    return partial(map, begin())


class SharedWork(Struct, Generic[Task, Result], frozen=True):
    """Work on many tasks: in this process, or shared by several.

    Parameters
    ----------
    verb, what
        The source of the error if a process dies, and what the tasks are called while they are counted.
    begin
        Makes the function that does some tasks and yields the result of each; called once per process.
    sizes
        The bytes of each task: one process does some of them without a pause, which take equally long. None
        if each is long enough to be sent alone.
    is_drawing
        Whether the work needs OpenGL: a copied process would wait for threads and locks of its driver.
    """

    verb: str
    what: str
    begin: Begin[Task, Result]
    sizes: Sequence[int] | None = None
    is_drawing: bool = False

    def results(self, tasks: Sequence[Task], jobs: int) -> Iterator[Result]:
        """The result of each task, in order, counted on standard error; 1 job means this process only.

        Closing it ends the processes and waits for that, as an error of a task does.
        """
        line = output.ProgressLine(len(tasks), self.what)
        with line as progress, closing(self._results(tasks, jobs)) as results:
            for result in results:
                progress.advance()
                yield result

    def _results(self, tasks: Sequence[Task], jobs: int) -> Generator[Result, None, None]:
        if jobs == 1:
            yield from self.begin()(tasks)
            return
        from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415

        sizes = [COST_PER_TASK] * len(tasks) if self.sizes is None else self.sizes
        count = len(tasks) if self.sizes is None else jobs * PORTIONS
        given = (tasks, self.begin, self.is_drawing, translation.code())
        with ProcessPoolExecutor(jobs, _context(self.is_drawing), _start_worker, given) as pool:
            try:
                with _signals_held():  # processes that are started anew begin one by one
                    pool.submit(_start)
                    waiting = deque(pool.submit(_do, part) for part in portions(sizes, count))
                while waiting:
                    yield from waiting.popleft().result()
            except BrokenProcessPool:
                raise MshviewError("a process that shared the work has died", source=self.verb) from None
            except BaseException:
                # End all worker processes: what they would still find is not requested any more.
                import multiprocessing  # noqa: PLC0415

                for worker in multiprocessing.active_children():
                    worker.terminate()
                raise


def portions(sizes: Sequence[int], count: int) -> Iterator[range]:
    """Split tasks of some sizes into about `count` stretches that take equally long."""
    costs = [size + COST_PER_TASK for size in sizes]
    most = sum(costs) / count
    start = cost = 0
    for index, more in enumerate(costs):
        if index > start and cost + more > most:
            yield range(start, index)
            start, cost = index, 0
        cost += more
    yield range(start, len(sizes))


def _context(is_drawing: bool) -> BaseContext:
    """Fork if that is safe, which starts at once; otherwise start anew."""
    import multiprocessing  # noqa: PLC0415
    import threading  # noqa: PLC0415 verbs that have --jobs and use no processes load none

    can_copy = sys.platform == "linux" and threading.active_count() == 1 and not is_drawing
    return multiprocessing.get_context("fork" if can_copy else "spawn")


@contextmanager
def _signals_held() -> Iterator[None]:
    """Ctrl+C and termination held back while processes are started, which inherit that.

    A copied process has the handlers of its parent until `_start_worker` sets its own, and these would raise
    `KeyboardInterrupt` in code of `multiprocessing`, which prints a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start() -> None:
    """Do nothing: the first task makes the pool start its processes."""


DRAWING_ALONE: Final = {"LP_NUM_THREADS": "0", "mesa_glthread": "false"}
"""Mesa draws in the thread that calls it: each core has a process already, and threads would take turns."""


def _start_worker(tasks: Sequence[Task], begin: Begin[Task, Result], is_drawing: bool, language: str) -> None:
    """Set up a worker process; Ctrl+C is left to the parent process."""
    use_language(language)
    os.environ.update(DRAWING_ALONE if is_drawing else {})
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    if hasattr(signal, "pthread_sigmask"):  # held back by `_signals_held` until the handlers are in place
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    import threading  # noqa: PLC0415

    threading.Thread(target=_end_with_parent, daemon=True).start()
    _Worker.tasks = tasks
    _Worker.work = begin()


def _end(*_ignored: object) -> None:
    """End this process, after the task has taken back what it was writing."""
    if _Worker.is_busy:
        raise _EndedError
    os._exit(1)


def _end_with_parent() -> None:
    """End this process when its parent has ended, however that came about."""
    from multiprocessing import parent_process  # noqa: PLC0415

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(part: range) -> list[Any]:
    work = _Worker.work
    try:  # around all that is done while `is_busy` is set, as the signal may come at any instruction
        try:
            _Worker.is_busy = True
            return [] if work is None else [*work(_Worker.tasks[part.start : part.stop])]
        finally:
            _Worker.is_busy = False
    except _EndedError:
        os._exit(1)
