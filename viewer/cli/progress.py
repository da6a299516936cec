"""Progress of long work: one line on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from typing import Final

INTERVAL: Final = 0.1
"""Seconds between updates of the line."""


class Progress:
    """Counts finished pieces of work; shows nothing if standard error is not a terminal."""

    def __init__(self, total: int, what: str) -> None:
        self.total = total
        self.what = what
        self._done = 0
        self._is_shown = sys.stderr.isatty()
        self._next = time.monotonic() + INTERVAL

    def advance(self) -> None:
        """Count one finished piece."""
        self._done += 1
        if self._is_shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + INTERVAL
            self._write(f"{self._done} of {self.total} {self.what}")

    def clear(self) -> None:
        """Clear the line."""
        if self._is_shown:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
