"""Playback: how the time of a view changes. Times are frames, 0 to `last`.

Materials use the same clock as the nodes. When the animation loops the nodes start over and the
materials continue, because their cycles have other lengths: the range of the timeline is the node
animation, and a longer material cycle is seen whole after several loops. Ping-pong reverses both.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor
from typing import Final

from viewer.model.clips.clip import FRAME_RATE
from viewer.session.view.view_state import Loop, ViewState
from viewer.session.view.frame_range import FrameRange

SLOWEST: Final = 0.25
FASTEST: Final = 240.0
FRAME: Final = 1e3 / FRAME_RATE
"""Length of a frame on the clock of the materials, milliseconds."""


def ends(view: ViewState, last: float) -> tuple[float, float]:
    """First and last frame that are played: those of the marked range, if one is chosen, within the strip."""
    if view.frames is None:
        return 0.0, last
    return min(view.frames.first, last), min(view.frames.last, last)


def advance(view: ViewState, seconds: float, last: float) -> ViewState:
    """Advance the time; at the end loop, stop or reverse as the view says.

    From outside of a marked range the time jumps to its start.

    Parameters
    ----------
    seconds
        Time since the last frame.
    last
        The last frame of the document, at least 0.
    """
    if not view.is_playing or last <= 0:
        return view
    start, end = ends(view, last)
    distance, length = seconds * view.speed, end - start
    if not start <= view.time <= end:
        view = replace(view, time=start, is_reversed=False)
    if length <= 0:
        return replace(view, past=view.past + distance)
    if view.loop is Loop.PING_PONG:
        return _swing(view, distance, start, length)
    time = view.time + distance
    if view.loop is Loop.ONCE and time >= end:
        return replace(view, time=end, is_playing=False)
    laps, time = divmod(time - start, length)
    return replace(view, time=start + time, past=view.past + laps * length, is_reversed=False)


def _swing(view: ViewState, distance: float, start: float, length: float) -> ViewState:
    """Ping-pong: a straight line of length ``2 * length`` folded in the middle."""
    time = view.time - start
    unfolded = (2 * length - time if view.is_reversed else time) + distance
    unfolded %= 2 * length
    is_reversed = unfolded > length
    time = 2 * length - unfolded if is_reversed else unfolded
    return replace(view, time=start + time, is_reversed=is_reversed)


def seek(view: ViewState, time: float, last: float) -> ViewState:
    """Go to a time, clamped to all frames, also those outside of a marked range."""
    return replace(view, time=min(max(time, 0.0), last), past=0.0)


def step(view: ViewState, frames: int, last: float) -> ViewState:
    """Stop, and move by whole frames; the first step from between two frames is shorter.

    Materials continue from their current time, unless the step passes an end.
    """
    current = floor(view.time) if frames > 0 else ceil(view.time)
    time, stopped = current + frames, replace(view, is_playing=False)
    start, end = ends(view, last)
    if not start <= view.time <= end:
        start, end = 0.0, last
    if start <= time <= end:
        return replace(stopped, time=time)
    if view.loop is Loop.ONCE:
        return seek(stopped, min(max(time, start), end), last)
    return seek(stopped, start + (time - start) % (floor(end - start) + 1), last)


def play(view: ViewState, last: float) -> ViewState:
    """Play or pause; at the end of a single run play from the start."""
    is_playing = not view.is_playing and last > 0
    start, end = ends(view, last)
    is_over = view.loop is Loop.ONCE and view.time >= end
    started = seek(view, start, last) if is_playing and is_over else view
    return replace(started, is_playing=is_playing)


def to_end(view: ViewState, last: float, *, is_last: bool) -> ViewState:
    """Stop at the first or the last frame of what is played."""
    return seek(replace(view, is_playing=False), ends(view, last)[is_last], last)


def choose(view: ViewState, frames: FrameRange | None, last: float) -> ViewState:
    """Play a marked range from its start, or all frames from the current one."""
    chosen = replace(view, frames=frames, is_reversed=False)
    return chosen if frames is None else seek(chosen, ends(chosen, last)[0], last)


def faster(view: ViewState, factor: float) -> ViewState:
    """Multiply the speed, within limits."""
    return replace(view, speed=min(max(view.speed * factor, SLOWEST), FASTEST))


def material_time(view: ViewState) -> float:
    """Time on the clock of the materials, milliseconds, independent of the speed, without rounding noise."""
    time = view.time if view.playback.clip is None else view.playback.seconds * FRAME_RATE
    return round((view.past + time) * FRAME, 6)
