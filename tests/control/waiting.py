"""Jobs that are done when the test says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewer.progress import Cancelled, Progress

Done = Callable[[Any], None]
Failed = Callable[[BaseException], None]


class Waiting:
    """Stands in for `Jobs`; `begun` has lane, work, done and failed of each."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, Callable[[Progress], Any], Done, Failed]] = []

    def start(
        self, lane: str, title: str, work: Callable[[Progress], Any], done: Done, failed: Failed
    ) -> None:
        """Remember the work."""
        del title
        self.begun.append((lane, work, done, failed))

    def cancel(self, lane: str) -> None:
        """Let what a lane has begun fail, if it has begun anything."""
        for job in [job for job in self.begun if job[0] == lane]:
            self.begun.remove(job)
            job[3](Cancelled())

    def finish(self) -> list[Any]:
        """Do all the work, hand it over and return it."""
        begun, self.begun = self.begun, []
        found = [(done, work(Progress())) for _, work, done, _ in begun]
        for done, value in found:
            done(value)
        return [value for _, value in found]

    def fail(self, error: BaseException) -> None:
        """Let what was begun last fail."""
        *_, failed = self.begun.pop()
        failed(error)
