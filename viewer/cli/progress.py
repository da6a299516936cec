"""Progress of long work: a line on standard error that is rewritten, or lines if all output is requested."""

from __future__ import annotations

import time
from typing import Final, Self

from viewer.cli import output

INTERVAL: Final = 0.1
"""Seconds between updates of the line of a terminal."""
LINE_INTERVAL: Final = 2.0
"""Seconds between lines where they stay."""


class Progress:
    """Counts finished pieces of work; shows nothing unless a terminal shows it or everything is printed."""

    def __init__(self, total: int, what: str) -> None:
        self.total = total
        self.what = what
        self._done = 0
        self._is_line = output.has_status_line()
        self._is_shown = self._is_line or output.is_verbose()
        self._interval = INTERVAL if self._is_line else LINE_INTERVAL
        self._next = time.monotonic() + self._interval

    def advance(self) -> None:
        """Count one finished piece."""
        self._done += 1
        is_last = self._done == self.total and not self._is_line
        if self._is_shown and (is_last or time.monotonic() >= self._next):
            self._next = time.monotonic() + self._interval
            self._show(f"{self._done} of {self.total} {self.what}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Clear the line."""
        output.clear_status()

    def _show(self, text: str) -> None:
        if self._is_line:
            output.show_status(text)
        else:
            output.write_status(text)
