"""Timing: repeated runs of a piece of work, their median and extremes, and the processes that are timed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

from msgspec import UNSET, Struct, UnsetType

from viewer.errors import MshviewError
from viewer.json_types import Natural, Number, TableRow, described
from viewer.resources import PACKAGE

if TYPE_CHECKING:
    from viewer.cli.bench.subjects import Subjects

Made = TypeVar("Made")
MILLISECONDS = "ms"
SLOW_RUNS: Final = 7
"""Most runs of a case that takes long or starts a process."""
OWN_SETTING = "OPENBLAS_NUM_THREADS"
"""The variable that `viewer.__main__` sets."""


def nothing() -> None:
    """The step that does nothing."""


class ResultRow(TableRow, frozen=True):
    """A measurement."""

    name: str
    unit: str
    median: Number
    min: Number
    max: Number
    runs: Natural
    baselines: Annotated[Number | UnsetType, described("as a multiple of `baseline_10k`")] = UNSET
    numpy_starts: Annotated[Number | UnsetType, described("as a multiple of `start_numpy`")] = UNSET


class Result(Struct, frozen=True):
    """A measurement: one value per run."""

    name: str
    unit: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return median(self.values)

    def row(self, multiples: Mapping[str, float]) -> ResultRow:
        """The row that ``bench`` prints; `multiples` are its last members."""
        more = {"baselines": UNSET, "numpy_starts": UNSET, **multiples}
        return ResultRow.of(self, min=min(self.values), max=max(self.values), runs=len(self.values), **more)


class Work(Struct, frozen=True):
    """The timed function, and untimed functions to call before and after each run, and at the end.

    The first `warm_up` runs are not counted, and no more than `most` others are made; the time is that of one
    of the `parts` of a run.
    """

    run: Callable[[], object]
    before: Callable[[], object] = nothing
    after: Callable[[], object] = nothing
    warm_up: int = 2
    parts: int = 1
    end: Callable[[], object] = nothing
    most: int = 1000


def by_name(*made: Callable[[Subjects], Made]) -> Mapping[str, Callable[[Subjects], Made]]:
    """Cases by the names of their functions."""
    return {it.__name__: it for it in made}


def milliseconds(work: Work, runs: int) -> tuple[float, ...]:
    """Duration of each of `runs` runs, ms; garbage is collected between runs, never during one.

    As in the window (`app/platform/window.py:short_pauses`) only that of the runs: a search of all objects
    before each would leave nothing in the caches of the processor.
    """
    gc.freeze()
    try:
        times = [_once(work) for _ in range(work.warm_up + min(runs, work.most))]
    finally:
        gc.unfreeze()
        work.end()
    return tuple(times[work.warm_up :])


def _once(work: Work) -> float:
    work.before()
    gc.collect()
    gc.disable()
    try:
        started = perf_counter()
        work.run()
        spent = perf_counter() - started
    finally:
        gc.enable()
    work.after()
    return spent * 1e3 / work.parts


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start this program in a process of its own, without output."""
    return process("-m", "viewer", *arguments)


def whole(*arguments: str, warm_up: int = 1, most: int = SLOW_RUNS) -> Work:
    """A whole process of this program."""
    return Work(lambda: finish(start(*arguments)), warm_up=warm_up, most=most)


def process(*arguments: str) -> subprocess.Popen[bytes]:
    """Start Python in a process of its own, as from a shell: without output and what this program sets."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=PACKAGE.parent,
        env={name: value for name, value in os.environ.items() if name != OWN_SETTING},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process; raises `MshviewError` if it failed, as the time of a failure means nothing."""
    if status := process.wait():
        raise MshviewError(f"{process.args!r} ended with status {status}", source="bench")
