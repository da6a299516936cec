"""Pictures that are drawn in portions, so that one takes as many frames as it needs and none is held up.

A file of some kilobytes can describe millions of triangles that each fill the screen. OpenGL takes a draw
call at once and works on it later, so the program waits for the graphics card between portions; how many
triangles the next one may have follows from how long the last one took. Sound models are one portion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from time import perf_counter
from typing import Final

from viewer.errors import MshviewError
from viewer.translation import Sentence

FIRST: Final = 16
"""Triangles of the first portion of a model on screen, as each of them may fill it."""
GROWTH: Final = 16
"""Most by which a portion is larger than the one before, as its triangles may be larger too."""
LONGEST: Final = 0.25
"""Seconds that a portion may take; a frame on screen that needs no more is drawn whole."""
UNKNOWN: Final = 1e18
"""Triangles a second before any were timed."""
_UNLIMITED: Final = 1 << 62


class DrawingTimeError(MshviewError):
    """A picture that is not whole at its time limit."""


class Pace:
    """The measured speed of drawing a model; owner: the renderer, lifetime: that of the model's buffers.

    Attributes
    ----------
    is_slow
        A picture takes longer than a frame on screen may.
    """

    def __init__(self, most: int = FIRST) -> None:
        self.is_slow = False
        self._speed = UNKNOWN
        self._most = most
        self._scale = 0.0

    def expect(self, scale: float) -> None:
        """Expect an area of the model to have some samples on screen: if they are more, drawing is slower."""
        if self._scale:
            self._speed /= max(1.0, scale / self._scale)
        self._scale = scale

    def learn(self, count: int, seconds: float) -> None:
        """Note how long some triangles took."""
        self._speed = count / max(seconds, 1e-6)
        self._most = GROWTH * count

    def room(self, seconds: float) -> int:
        """The number of triangles to draw in some time, at least 1."""
        return max(1, int(min(self._speed * min(seconds, LONGEST), self._most)))


class Portions:
    """How far a picture is drawn: a cursor into its triangles; owner: the picture.

    Each frame makes all calls again in the same order, and what earlier frames have drawn is passed over. So
    nothing is forgotten, and blended layers keep their order. By default all is drawn in one frame.

    Parameters
    ----------
    wait
        Waits until the graphics card has finished.

    Attributes
    ----------
    drawn, total
        Triangles, lines and points that are drawn, and those of the calls that the frame has made.
    seconds
        Time that all frames took.
    """

    def __init__(self, pace: Pace | None = None, wait: Callable[[], None] | None = None) -> None:
        self.drawn = 0
        self.seconds = 0.0
        self._pace = pace or Pace()
        self._wait = wait
        self.begin(inf)

    def begin(self, seconds: float) -> None:
        """Begin a frame that may take some time; it draws at least one portion."""
        self.total = 0
        self._drawn_before = self._measured = self.drawn
        self._started = self._since = perf_counter()
        self._deadline = self._started + seconds
        self._room = self._pace.room(seconds) if self._wait else _UNLIMITED

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the calls that the frame has made is missing."""
        return self.drawn >= self.total

    def pieces(self, first: int, count: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of a run to draw now, each its first triangle and a count."""
        passed = min(max(self.drawn - self.total, 0), count)
        self.total += count
        first, count = first + passed, count - passed
        while count and self._has_room():
            piece = min(count, self._room)
            self._take(piece)
            yield first, piece
            first, count = first + piece, count - piece

    def is_due(self, count: int = 1) -> bool:
        """Whether to make a call now that cannot be divided."""
        is_next = self.drawn == self.total
        self.total += count
        if not is_next or not self._has_room():
            return False
        self._take(count)
        return True

    def _take(self, count: int) -> None:
        self.drawn += count
        self._room = max(0, self._room - count)

    def _has_room(self) -> bool:
        """Whether the portion has room; if it has none, begin the next one if there is time."""
        if not self._room and self._since < self._deadline:
            self._measure(self._measured, self._since)
            self._room = self._pace.room(self._deadline - self._since) if self._since < self._deadline else 0
        return self._room > 0

    def _measure(self, first: int, since: float) -> None:
        """Wait until all is drawn, and learn from what came after the `first` triangles."""
        if self._wait is None:
            return
        self._wait()
        self._since = perf_counter()
        if self.drawn > first:
            self._pace.learn(self.drawn - first, self._since - since)
        self._measured = self.drawn

    def end(self) -> None:
        """End the frame: wait until it is drawn, and learn from its mean speed for the next one."""
        self._measure(self._drawn_before, self._started)
        spent = self._since - self._started
        self.seconds += spent
        if not self._drawn_before and self.drawn:
            self._pace.is_slow = spent * self.total / self.drawn > LONGEST

    def check(self, seconds: float) -> None:
        """Raise `DrawingTimeError` if the picture is not whole after some time."""
        if not self.is_whole:
            message = (
                "drawing takes longer than {seconds:g} seconds: {drawn:,} of {total:,} triangles are done"
            )
            raise DrawingTimeError(Sentence(message, seconds=seconds, drawn=self.drawn, total=self.total))
