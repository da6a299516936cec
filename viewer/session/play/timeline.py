"""Playback: how the time of a view changes. Times are frames; those of a clip are frames at our rate.

Materials use the same clock as the nodes. When the animation loops the nodes start over and the
materials continue, because their cycles have other lengths: the range of the timeline is the node
animation, and a longer material cycle is seen whole after several loops. Ping-pong reverses both.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from math import ceil, floor
from typing import Any, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from viewer.model.clips.clip import FRAME_RATE
from viewer.options import option_at
from viewer.session.play.playback import FASTEST, SLOWEST
from viewer.session.view.view_state import Loop, ViewState

SAME_TIME: Final = 1e-4
"""Times closer than this are the same to the step keys."""
FRAME: Final = 1e3 / FRAME_RATE
"""Length of a frame on the clock of the materials, milliseconds."""


_UNITS: Final = {"ms": "ms", "мс": "ms", "s": "s", "с": "s", "f": "f", "к": "f", "": ""}  # noqa: RUF001 Russian
"""Units of time that can be typed, in both languages of the program."""
_TYPED: Final = re.compile(rf"\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*({'|'.join(_UNITS)})\s*", re.IGNORECASE)


class TypedTime(NamedTuple):
    """A time as it was typed.

    Attributes
    ----------
    value
        In frames of the model if `is_frame`, else in frames at our rate.
    """

    value: float
    is_frame: bool

    @classmethod
    def of(cls, words: str, unit: str) -> TypedTime | None:
        """The time of a text such as ``12``, ``12 f``, ``0.5 s`` or ``500 ms``; None for another text.

        Parameters
        ----------
        unit
            ``f`` or ``s``: that of a number alone.
        """
        found = _TYPED.fullmatch(words.replace(",", "."))
        if found is None:
            return None
        value, typed = float(found[1]), _UNITS[found[2].lower()] or unit
        scale = {"f": 1.0, "s": FRAME_RATE, "ms": FRAME_RATE / 1e3}[typed]
        return cls(value * scale, typed == "f")


class TimeAxis(Struct, frozen=True):
    """The times that a view can show.

    Parameters
    ----------
    end
        The last time, at least 0; the first one is 0.
    first, last
        The part that is played: where a loop starts over and where a single run ends.
    stops
        Gives the times that steps lead to, ascending; None for whole frames.
    """

    end: float
    first: float
    last: float
    stops: Callable[[], Sequence[float]] | None = None

    @classmethod
    def whole(cls, end: float, stops: Callable[[], Sequence[float]] | None = None) -> TimeAxis:
        """An axis that is played from end to end."""
        return cls(end, 0.0, end, stops)

    @property
    def moves(self) -> bool:
        """Whether there is more than one time."""
        return self.end > 0

    def plays(self, time: float) -> bool:
        """Whether a time is in the part that is played."""
        return self.first <= time <= self.last


def now(view: ViewState) -> float:
    """The time of a view: that of its clip, or of all frames."""
    return view.time if view.playback.clip is None else view.playback.seconds * FRAME_RATE


def at(view: ViewState, time: float, **fields: Any) -> ViewState:
    """The view at another time, and with other fields changed."""
    if view.playback.clip is None:
        return replace(view, time=time, **fields)
    return replace(view, playback=replace(view.playback, seconds=time / FRAME_RATE), **fields)


def advance(view: ViewState, seconds: float, axis: TimeAxis) -> ViewState:
    """Advance the time; at the end of what is played loop, stop or reverse as the view says.

    Outside of what is played the time jumps to its start first.

    Parameters
    ----------
    seconds
        Time since the last frame.
    """
    if not view.is_playing or not axis.moves:
        return view
    distance, length = seconds * view.speed, axis.last - axis.first
    if not axis.plays(now(view)):
        view = at(view, axis.last if view.is_reversed else axis.first)
    if length <= 0:
        return replace(view, past=view.past + distance)
    if view.loop is Loop.PING_PONG:
        return _swing(view, distance, axis)
    time = now(view) + (-distance if view.is_reversed else distance)
    end = axis.first if view.is_reversed else axis.last
    if view.loop is Loop.ONCE and (time <= end if view.is_reversed else time >= end):
        return at(view, end, is_playing=False)
    laps, time = divmod(time - axis.first, length)
    # Backwards the materials begin anew with each loop, as they have no time before their first.
    return at(view, axis.first + time, past=view.past + max(laps, 0.0) * length)


def _swing(view: ViewState, distance: float, axis: TimeAxis) -> ViewState:
    """Ping-pong: a straight line of twice the length folded in the middle."""
    time, length = now(view) - axis.first, axis.last - axis.first
    unfolded = (2 * length - time if view.is_reversed else time) + distance
    unfolded %= 2 * length
    is_reversed = unfolded > length
    time = 2 * length - unfolded if is_reversed else unfolded
    return at(view, axis.first + time, is_reversed=is_reversed)


def seek(view: ViewState, time: float, axis: TimeAxis) -> ViewState:
    """Go to a time, clamped to the axis."""
    return at(view, min(max(time, 0.0), axis.end), past=0.0)


def seek_end(view: ViewState, axis: TimeAxis, *, is_last: bool) -> ViewState:
    """Stop at the first or the last time of what is played."""
    return seek(replace(view, is_playing=False), axis.last if is_last else axis.first, axis)


def step(view: ViewState, frames: int, axis: TimeAxis) -> ViewState:
    """Stop, and move by whole frames; the first step from between two frames is shorter.

    Materials continue from their current time, unless the step passes an end.
    """
    time, stopped = now(view), replace(view, is_playing=False)
    if axis.stops is not None:
        stops = axis.stops()
        if axis.plays(time):
            stops = [it for it in stops if axis.first - SAME_TIME <= it <= axis.last + SAME_TIME] or stops
        return _step_to(stopped, frames, stops)
    first, last = (axis.first, axis.last) if axis.plays(time) else (0.0, axis.end)
    time = (floor(time) if frames > 0 else ceil(time)) + frames
    if first <= time <= last:
        return at(stopped, time)
    if view.loop is Loop.ONCE:
        return seek(stopped, min(max(time, first), last), axis)
    # Frames 0 to 9 are 10 steps, so 10 becomes 0: unlike time, which plays from 9 back to 0 at once.
    return seek(stopped, first + (time - first) % (floor(last - first) + 1), axis)


def _step_to(view: ViewState, steps: int, stops: Sequence[float]) -> ViewState:
    """Move by some of the stops, cyclically unless the view plays once."""
    time = now(view)
    # Forwards from the last stop that is not after the time, backwards from the first that is not before
    # it.
    nearest = bisect_right(stops, time + SAME_TIME) - 1 if steps > 0 else bisect_left(stops, time - SAME_TIME)
    index = nearest + steps
    if 0 <= index < len(stops):
        return at(view, stops[index])
    index = min(max(index, 0), len(stops) - 1) if view.loop is Loop.ONCE else index % len(stops)
    return at(view, stops[index], past=0.0)


def play(view: ViewState, axis: TimeAxis) -> ViewState:
    """Play or pause; at the end of a single run play from the start."""
    is_playing = not view.is_playing and axis.moves
    end, start = (axis.first, axis.last) if view.is_reversed else (axis.last, axis.first)
    is_over = view.loop is Loop.ONCE and abs(now(view) - end) <= SAME_TIME
    started = seek(view, start, axis) if is_playing and is_over else view
    return replace(started, is_playing=is_playing)


def play_backwards(view: ViewState, axis: TimeAxis) -> ViewState:
    """Play backwards, or forwards again if it does."""
    return play(replace(view, is_reversed=not view.is_reversed, is_playing=False), axis)


def with_loop(view: ViewState, loop: Loop) -> ViewState:
    """The view with a behavior at the last frame; after a ping-pong it plays forwards."""
    return option_at(ViewState, "loop").chosen(view, loop)


def faster(view: ViewState, factor: float) -> ViewState:
    """Multiply the speed, within limits."""
    return replace(view, speed=min(max(view.speed * factor, SLOWEST), FASTEST))


def material_time(view: ViewState) -> float:
    """Time on the clock of the materials, milliseconds, independent of the speed, without rounding noise."""
    return round((view.past + now(view)) * FRAME, 6)
