"""Pictures that are drawn in portions, so that one takes as many frames as it needs and none is held up.

A file of some kilobytes can describe millions of triangles that each fill the screen. OpenGL takes a draw
call at once and works on it later, so the program waits for the graphics card between portions; how many
triangles the next one may have follows from how long the last one took. Sound models are one portion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from viewer.errors import MshviewError
from viewer.model.mesh.pose.animation import Pose
from viewer.render.targets import RenderTarget
from viewer.session.program import FrameStatistics
from viewer.session.view.camera import Size
from viewer.session.view.view_state import ViewState
from viewer.translation import _, count_text

if TYPE_CHECKING:
    from viewer.session.opened.surroundings import Marks
    from viewer.session.play.ghosts import Ghost
    from viewer.session.play.model_effects import PlayedEffect

# A draw call cannot be stopped: 16 triangles over the whole of a 4K screen are 133 million pixels already.
FIRST: Final = 16
"""Triangles of the first portion of a model on screen, as each of them may fill it."""
GROWTH: Final = 16
"""Most by which a portion is larger than the one before, as its triangles may be larger too."""
LONGEST: Final = 0.4
"""Seconds that a portion may take; a frame on screen that needs no more is drawn whole."""
HELD_SECONDS: Final = 0.5
"""Time of drawing for which the whole picture before stays on screen, so that no frame shows half a model."""
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
        self._last = 0.0

    def expect(self, scale: float) -> None:
        """Expect an area of the model to have some samples on screen: if they are more, drawing is slower."""
        if self._scale:
            # Only ever slower: zooming in by two has four times the samples, so a quarter of the speed is
            # expected. Zooming out may still show the slow triangles, so speed is regained by measuring
            # alone.
            self._speed /= max(1.0, scale / self._scale)
        self._scale = scale

    def learn(self, count: int, seconds: float) -> None:
        """Note how long a portion took."""
        self._speed = count / max(seconds, 1e-6)
        # From 16 triangles on the largest portions are 16, 256, 4,096, 65,536: a model of 50,000 triangles is
        # whole in its fourth portion, and the step by which a guess can be wrong is bounded.
        self._last, self._most = seconds, GROWTH * count

    def room(self, seconds: float) -> int:
        """The number of triangles to draw in some time, at least 1."""
        return max(1, int(min(self._speed * min(seconds, LONGEST), self._most)))

    def further_room(self, seconds: float) -> int:
        """The room of another portion in the rest of a frame; 0 if it is hardly worth waiting for it."""
        # In less than a 16th of the time of the last portion not even a 16th of its triangles would be drawn,
        # for which it is not worth waiting for the card once more.
        return self.room(seconds) if seconds > self._last / 16 else 0


class Portions:
    """Progress of the drawing of a picture: a cursor into its triangles; owner: the picture.

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
        self._measured = self.drawn
        if self._wait and self._pace.is_slow:
            self._wait()  # what was called before is no part of the first portion
        self._started = self._since = perf_counter()
        self._deadline = self._started + seconds
        self._room = self._pace.room(seconds) if self._wait else _UNLIMITED
        self._is_over = False

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the calls that the frame has made is missing."""
        return self.drawn >= self.total

    def pieces(self, first: int, count: int) -> Iterator[tuple[int, int]]:
        """The parts of a run to draw now, each its first triangle and a count."""
        # With 100 triangles drawn by earlier frames and 60 called for in this one, a run of 70 is 40 that are
        # there and 30 to draw. Once the frame has reached `drawn`, both numbers move together.
        passed = min(max(self.drawn - self.total, 0), count)
        self.total += count
        first, count = first + passed, count - passed
        while count and self._has_room():
            piece = min(count, self._room)
            self._take(piece)
            yield first, piece
            first, count = first + piece, count - piece

    def fits(self, count: int) -> bool:
        """Whether to make all of some calls now, which have some triangles together; if not, in `pieces`."""
        # Unequal while the frame still repeats what earlier ones have drawn.
        if self.drawn != self.total or self._room < count:
            return False
        self.total += count
        self._take(count)
        return True

    def is_due(self, count: int = 1) -> bool:
        """Whether to make a call now that cannot be divided."""
        is_next = self.drawn == self.total
        self.total += count
        if not is_next or not self._has_room():
            return False
        self._take(count)
        return True

    def _take(self, count: int) -> None:
        if self.drawn == self._measured:  # a portion begins: making the calls before took time as well
            self._since = perf_counter()
        self.drawn += count
        self._room = max(0, self._room - count)

    def _has_room(self) -> bool:
        """Whether the portion has room; if it has none, begin the next one if there is time."""
        if not self._room and not self._is_over:
            self._measure()
            self._room = self._pace.further_room(self._deadline - self._since)
            self._is_over = not self._room
        return self._room > 0

    def _measure(self) -> None:
        """Wait until the portion is drawn, and learn from it."""
        if self._wait is None:
            return
        self._wait()
        now, count = perf_counter(), self.drawn - self._measured
        if count:
            self._pace.learn(count, now - self._since)
        self._since, self._measured = now, self.drawn

    def end(self) -> None:
        """End the frame: wait until it is drawn, and learn from it for the next one."""
        self._measure()
        self.seconds += self._since - self._started
        self._pace.is_slow = not self.is_whole or self.seconds > LONGEST

    def check(self, seconds: float) -> None:
        """Raise `DrawingTimeError` if the picture is not whole after some time."""
        if self.is_whole:
            return
        message = "drawing takes longer than {seconds:g} seconds: {drawn} of {total} triangles are done"
        drawn, total = count_text(self.drawn), count_text(self.total)
        raise DrawingTimeError(_(message, seconds=seconds, drawn=drawn, total=total))


class Frame(Struct, frozen=True):
    """The content of a picture: a view of the model that is loaded, and what is shown with it.

    Attributes
    ----------
    pose
        None leaves the model in the pose of the frame before.
    size
        Pixels, width and height.
    ghosts
        The model at other times.
    effects
        What plays on it.
    around
        Marks of what is around it; the window paints them itself, over its picture and with their names.
    is_last
        No model is drawn over it: the sprites of effects are, after all that may cover them.
    """

    view: ViewState
    pose: Pose | None
    size: Size
    ghosts: tuple[Ghost, ...] = ()
    effects: tuple[PlayedEffect, ...] = ()
    around: tuple[Marks, ...] = ()
    is_last: bool = True


class DrawnFrame(Struct, frozen=True):
    """A drawn frame.

    Attributes
    ----------
    texture
        The GL name of its texture, bottom row first.
    is_final
        It is whole and has all samples: `draw_further` would change nothing.
    """

    texture: int
    statistics: FrameStatistics
    is_final: bool


class Drawing(Struct, frozen=True):
    """The drawing of a frame into a target, and its progress; only one at a time uses target and model.

    Attributes
    ----------
    is_coarse
        It has one sample per pixel instead of those of the view.
    is_refined
        It replaces a picture that is whole already, so it is only shown once it is whole itself.
    follows_whole
        The picture before was whole, and stays on screen until this one is whole or takes too long.
    sheet
        The size of a target of which it fills a part, which is resolved when all are drawn; None for all.
    corner
        The lower left pixel of that part.
    is_over
        It is drawn over what the target has, colors and depths.
    """

    target: RenderTarget
    frame: Frame
    portions: Portions
    is_image: bool = False
    line_scale: float = 1.0
    is_coarse: bool = False
    is_refined: bool = False
    follows_whole: bool = False
    sheet: Size | None = None
    corner: tuple[int, int] = (0, 0)
    is_over: bool = False

    @property
    def samples(self) -> int:
        """Samples per pixel."""
        return 1 if self.is_coarse else self.frame.view.samples

    @property
    def is_held(self) -> bool:
        """Whether the picture before is on screen instead, for some more time."""
        return self.follows_whole and not self.portions.is_whole and self.portions.seconds < HELD_SECONDS

    @property
    def is_shown(self) -> bool:
        """Whether the drawing is on screen."""
        return self.sheet is None and (self.portions.is_whole or not (self.is_refined or self.is_held))
