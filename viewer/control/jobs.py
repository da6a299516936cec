"""Worker threads that read and decode, and hand their results to the frame loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any, Final, TypeVar

from msgspec import Struct, field

from viewer.errors import MshviewError, error_text
from viewer.progress import Cancelled, Progress, working
from viewer.session.jobs import RunningJob
from viewer.translation import _

Value = TypeVar("Value")

WORKERS: Final = 2
BACKGROUND_WORKERS: Final = 2
"""Threads for long work, such as searching and validating, so that opening a file never waits for it."""
JOB: Final = _("Work in the background")
SHOWN_AFTER: Final = 0.1
"""Seconds after which a job is shown."""


class _Job(Struct, frozen=True, eq=False):
    lane: str
    title: str
    started: float
    done: Callable[[Any], None]
    failed: Callable[[BaseException], None]
    is_background: bool
    is_writing: bool
    progress: Progress = field(default_factory=Progress)

    def hand_over(self, future: Future[Any], report: Callable[[BaseException], None]) -> None:
        """Give the value or the error of the work to the one who started it; a fault of either is reported.

        Work that was finished before it learned that it was cancelled is handed over: a file may be written.
        """
        error = future.exception()
        try:
            if error is None:
                self.done(future.result())
            else:
                self.failed(Cancelled(self.title) if isinstance(error, Cancelled) else error)
        except Exception as fault:  # noqa: BLE001 whatever it is, the frame goes on
            report(fault)
        if error is not None and is_fault(error) and self.failed != report:
            report(error)

    @property
    def shown(self) -> RunningJob:
        """The job as panels draw it."""
        at = self.progress
        return RunningJob(self.lane, self.title, at.done, at.total, at.what, at.is_cancelled)


def raised(error: BaseException) -> None:
    """Raise the error of a job that has no handler for it."""
    raise error


class Jobs:
    """Runs functions in threads; results are delivered on the thread that calls `collect`.

    Jobs of one lane replace each other: the newest cancels the older ones, whose values and errors are
    dropped. A job that the user cancels fails with `Cancelled`.

    Parameters
    ----------
    wake
        Called from a worker when a value waits to be collected.
    report
        Shows the errors of jobs that do not say what follows from one.
    clock
        The time, seconds.

    Attributes
    ----------
    wake, report
        The same, for others that have something for the next frame, or an error to show.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        report: Callable[[BaseException], None] = raised,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.wake = wake
        self.report = report
        self._clock = clock
        self._pools = {
            is_background: ThreadPoolExecutor(count, thread_name_prefix="mshview")
            for is_background, count in ((False, WORKERS), (True, BACKGROUND_WORKERS))
        }
        self._finished: SimpleQueue[tuple[_Job, Future[Any]]] = SimpleQueue()
        self._newest: dict[str, _Job] = {}

    def start(
        self,
        lane: str,
        title: str,
        work: Callable[[Progress], Value],
        done: Callable[[Value], None],
        failed: Callable[[BaseException], None] | None = None,
        *,
        is_background: bool = False,
        is_writing: bool = False,
    ) -> None:
        """Run `work` in a thread, then `done` with its value or `failed` with its error, at `collect`.

        Parameters
        ----------
        title
            What the status bar calls it; empty for work that is not shown.
        work
            Reports how far it is to the `Progress` that it gets, and so learns that it was cancelled.
        failed
            By default `report`.
        is_background
            It may take minutes: it does not hold up other jobs, nor reading for the panels.
        is_writing
            It makes a file, which is lost if the window closes before its end.
        """
        self.cancel(lane)
        job = self._newest[lane] = _Job(
            lane, title, self._clock(), done, failed or self.report, is_background, is_writing
        )

        def finish(future: Future[Any]) -> None:
            self._finished.put((job, future))
            self.wake()

        # The callback runs in the worker and only queues the value: `done` runs where `collect` is called.
        self._pools[is_background].submit(_run, job, work).add_done_callback(finish)

    def cancel(self, lane: str) -> None:
        """End the job of a lane at its next check; it is busy until then."""
        if lane in self._newest:
            self._newest[lane].progress.cancel()

    def drop(self, lane: str) -> None:
        """End the job of a lane and hand nothing over, as if another one had replaced it."""
        self.cancel(lane)
        self._newest.pop(lane, None)

    @property
    def is_busy(self) -> bool:
        """Whether anything is being worked on, or has finished and waits for `collect`."""
        return bool(self._newest)

    @property
    def title(self) -> str:
        """The title of a running job that is not in the background, empty if none has one."""
        jobs = self._newest.values()
        return next((job.title for job in jobs if job.title and not job.is_background), "")

    @property
    def writing(self) -> tuple[RunningJob, ...]:
        """The jobs that make files, oldest first, without those that were cancelled."""
        jobs = (job for job in self._newest.values() if job.is_writing)
        return tuple(job.shown for job in jobs if not job.progress.is_cancelled)

    @property
    def is_shown(self) -> bool:
        """Whether a job with a title is running, even if only since a moment ago."""
        return any(job.title for job in self._newest.values())

    @property
    def running(self) -> tuple[RunningJob, ...]:
        """The jobs with a title that have been running for longer than a moment, oldest first."""
        before = self._clock() - SHOWN_AFTER
        jobs = self._newest.values()
        return tuple(job.shown for job in jobs if job.title and job.started <= before)

    def collect(self) -> bool:
        """Hand over everything that has finished since the last call; tell whether there was anything."""
        has_any = False
        while True:
            try:
                job, future = self._finished.get_nowait()
            except Empty:
                return has_any
            has_any = True
            # The value of a job that was replaced or dropped meanwhile is lost on purpose.
            if self._newest.get(job.lane) is job:
                del self._newest[job.lane]
                job.hand_over(future, self.report)

    def close(self) -> None:
        """Cancel all jobs and hand nothing over any more."""
        for job in self._newest.values():
            job.progress.cancel()
        self._newest.clear()
        # Not waited for: a worker may be deep in a decoder, and ends at its next check.
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


def is_fault(error: BaseException) -> bool:
    """Tell whether an error is one of the program, not of what it was given or of the system."""
    return not isinstance(error, MshviewError | Cancelled | OSError)


def problem_of(error: BaseException) -> str:
    """Reason for which the work of a job did not run to its end, without a word of Python."""
    if isinstance(error, Cancelled):
        return _("cancelled")
    return _("internal error") if is_fault(error) else error_text(error)


def _run(job: _Job, work: Callable[[Progress], Value]) -> Value:
    """Do the work of a job, unless it was cancelled while it waited."""
    job.progress.check()
    with working(job.progress):
        return work(job.progress)
