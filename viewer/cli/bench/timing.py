"""Taking times: a piece of work, repeated, its median and extremes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

MILLISECONDS = "ms"


def nothing() -> None:
    """Leave everything as it is."""


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured: one value per run."""

    name: str
    unit: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle value."""
        return median(self.values)

    def row(self) -> dict[str, Any]:
        """As ``bench`` prints it."""
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
    """What is timed, and what has to be done before and after each run without being timed.

    `warm_up` runs come first and are forgotten.
    """

    run: Callable[[], object]
    before: Callable[[], object] = nothing
    after: Callable[[], object] = nothing
    warm_up: int = 2


def milliseconds(work: Work, runs: int) -> tuple[float, ...]:
    """How long each of `runs` runs took; garbage is collected between them, never during one."""
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
