"""Timing: repeated runs of a piece of work, their median and extremes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

MILLISECONDS = "ms"


def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Result:
    """A measurement: one value per run."""

    name: str
    unit: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return median(self.values)

    def row(self) -> dict[str, Any]:
        """The row that ``bench`` prints."""
        return {
            "name": self.name,
            "unit": self.unit,
            "median": self.median,
            "min": min(self.values),
            "max": max(self.values),
            "runs": len(self.values),
        }


@dataclass(frozen=True, slots=True)
class Work:
    """The timed function, and untimed functions to call before and after each run.

    The first `warm_up` runs are not counted.
    """

    run: Callable[[], object]
    before: Callable[[], object] = nothing
    after: Callable[[], object] = nothing
    warm_up: int = 2


def milliseconds(work: Work, runs: int) -> tuple[float, ...]:
    """Duration of each of `runs` runs, ms; garbage is collected between runs, never during one."""
    times = [_once(work) for _ in range(work.warm_up + runs)]
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
    return spent * 1e3
