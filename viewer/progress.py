"""Progress of long work and its cancellation: written by the loop that works, read by the window.

Work that counts what it does gets its `Progress` as an argument. Loops far below, such as those of an
unpacker, call `checkpoint`, which ends the work of their thread if it was cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

Piece = TypeVar("Piece")


class Cancelled(Exception):  # noqa: N818 it is no error: code that skips what cannot be read must not skip it
    """Raised in work that was cancelled, at its next check."""


class Progress:
    """Progress of one piece of work, and whether it was cancelled; may be read and cancelled by any thread.

    Attributes
    ----------
    done, total
        Finished parts, and all of them; `total` is 0 while it is not known.
    what
        The part being worked on, such as a file name; empty if it has no name.
    is_cancelled
        The next check ends the work.
    """

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self.what = ""
        self.is_cancelled = False

    def cancel(self) -> None:
        """Let the work end at its next check."""
        self.is_cancelled = True

    def check(self) -> None:
        """Raise `Cancelled` if the work was cancelled; called in every loop that may take long."""
        if self.is_cancelled:
            raise Cancelled

    def begin(self, total: int) -> None:
        """Count `total` parts from now on."""
        self.done, self.total, self.what = 0, total, ""
        self.check()

    def advance(self, count: int = 1) -> None:
        """Count finished parts."""
        self.done += count
        self.check()

    def over(self, pieces: Sequence[Piece], name: Callable[[Piece], str] = lambda _: "") -> Iterator[Piece]:
        """Yield the parts of the work and count each one that is finished."""
        self.begin(len(pieces))
        for piece in pieces:
            self.what = name(piece)
            yield piece
            self.advance()


_CURRENT: Final[ContextVar[Progress | None]] = ContextVar("progress", default=None)


@contextmanager
def working(progress: Progress) -> Iterator[None]:
    """Let `current` and `checkpoint` find the progress of the work that this thread does inside."""
    before = _CURRENT.set(progress)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def current() -> Progress:
    """The progress of the work of this thread; a new one if nobody watches it."""
    return _CURRENT.get() or Progress()


def checkpoint() -> None:
    """Raise `Cancelled` if the work of this thread was cancelled; for every loop that may take long."""
    progress = _CURRENT.get()
    if progress is not None:
        progress.check()
