"""How far long work is: one line on standard error, where somebody watches."""

from __future__ import annotations

import sys
import time
from typing import Final

INTERVAL: Final = 0.1
"""Seconds between two states of the line."""


class Progress:
    """Counts pieces of work; shows nothing where standard error is no terminal."""

    def __init__(self, total: int, what: str) -> None:
        self.total = total
        self.what = what
        self._done = 0
        self._is_shown = sys.stderr.isatty()
        self._next = time.monotonic() + INTERVAL

    def advance(self) -> None:
        """Count one piece."""
        self._done += 1
        if self._is_shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + INTERVAL
            self._write(f"{self._done} of {self.total} {self.what}")

    def clear(self) -> None:
        """Take the line away."""
        if self._is_shown:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
