"""Worker threads that read and decode, and hand their results to the frame loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

Value = TypeVar("Value")

WORKERS: Final = 2


@dataclass(frozen=True, slots=True)
class _Job:
    lane: str
    number: int
    title: str
    done: Callable[[Any], None]
    failed: Callable[[BaseException], None]


class Jobs:
    """Runs functions in threads; results are delivered on the thread that calls `collect`.

    Jobs of one lane replace each other: only the newest is handed over, older ones are not begun any
    more, or their values and errors are dropped.

    Parameters
    ----------
    wake
        Called from a worker when a value waits to be collected.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="mshview")
        self._finished: SimpleQueue[tuple[_Job, Future[Any]]] = SimpleQueue()
        self._newest: dict[str, _Job] = {}
        self._count = 0

    def start(
        self,
        lane: str,
        title: str,
        work: Callable[[], Value],
        done: Callable[[Value], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """Run `work` in a thread, then `done` with its value or `failed` with its error, at `collect`."""
        self._count += 1
        job = _Job(lane, self._count, title, done, failed)
        self._newest[lane] = job
        future = self._pool.submit(lambda: work() if self._is_newest(job) else None)
        future.add_done_callback(lambda finished: self._finish(job, finished))

    def _is_newest(self, job: _Job) -> bool:
        return self._newest.get(job.lane) is job

    def _finish(self, job: _Job, future: Future[Any]) -> None:
        self._finished.put((job, future))
        self._wake()

    @property
    def is_busy(self) -> bool:
        """Whether anything is being worked on, or has finished and waits for `collect`."""
        return bool(self._newest)

    @property
    def title(self) -> str:
        """The title of a running job, empty if no running job has one."""
        return next((job.title for job in self._newest.values() if job.title), "")

    def collect(self) -> None:
        """Hand over everything that has finished since the last call."""
        while True:
            try:
                job, future = self._finished.get_nowait()
            except Empty:
                return
            if self._is_newest(job):
                del self._newest[job.lane]
                _hand_over(job, future)

    def close(self) -> None:
        """Drop the waiting jobs; running jobs finish on their own."""
        self._newest.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _hand_over(job: _Job, future: Future[Any]) -> None:
    if future.cancelled():
        return
    error = future.exception()
    if error is None:
        job.done(future.result())
    else:
        job.failed(error)
