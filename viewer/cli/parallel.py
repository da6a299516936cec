"""Validation in several processes, with the reports in the planned order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from viewer.cli import processes
from viewer.cli.progress import Progress
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.disk import UnsavedFiles
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask
from viewer.model.validation.validate import Report

WORTH_SHARING: Final = 4 << 20
"""Total bytes from which several processes are used by default."""
PORTIONS: Final = 8
"""Portions of the work per process."""

COST_PER_FILE: Final = 50_000
"""Bytes whose check takes as long as opening a file."""


@dataclass(frozen=True, slots=True)
class Checking:
    """How files are checked: the arguments of `BatchValidator`."""

    game: Path | None = None
    requested: ReadingChoice = ReadingChoice.AUTO
    unsaved: UnsavedFiles | None = None

    def begin(self) -> Callable[[ValidationTask], list[Report]]:
        """Make what checks one task after the other."""
        return BatchValidator(self.game, self.requested, self.unsaved).check


def job_count(tasks: Sequence[ValidationTask], requested: int | None) -> int:
    """Number of processes for the tasks, at most one per task."""
    if requested is None:
        requested = processes.cores() if sum(task.size for task in tasks) >= WORTH_SHARING else 1
    return max(1, min(requested, len(tasks)))


def reports(tasks: Sequence[ValidationTask], jobs: int, checking: Checking | None = None) -> Iterator[Report]:
    """The reports of all tasks in order, made by `jobs` processes; 1 means this process only."""
    begin = (checking or Checking()).begin
    parts = [*portions(tasks, jobs * PORTIONS)]
    with Progress(len(tasks), "files") as progress:
        for found in processes.results(begin, tasks, jobs, parts, verb="validate"):
            progress.advance()
            yield from found


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
