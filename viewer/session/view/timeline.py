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

SLOWEST: Final = 0.25
FASTEST: Final = 240.0
FRAME: Final = 1e3 / FRAME_RATE
"""Length of a frame on the clock of the materials, milliseconds."""


def advance(view: ViewState, seconds: float, last: float) -> ViewState:
    """Advance the time; at the end loop, stop or reverse as the view says.

    Parameters
    ----------
    seconds
        Time since the last frame.
    last
        The last frame of the document, at least 0.
    """
    if not view.is_playing or last <= 0:
        return view
    distance = seconds * view.speed
    if view.loop is Loop.PING_PONG:
        return _swing(view, distance, last)
    time = view.time + distance
    if view.loop is Loop.ONCE and time >= last:
        return replace(view, time=last, is_playing=False)
    laps, time = divmod(time, last)
    return replace(view, time=time, past=view.past + laps * last, is_reversed=False)


def _swing(view: ViewState, distance: float, last: float) -> ViewState:
    """Ping-pong: a straight line of length ``2 * last`` folded in the middle."""
    unfolded = (2 * last - view.time if view.is_reversed else view.time) + distance
    unfolded %= 2 * last
    is_reversed = unfolded > last
    return replace(view, time=2 * last - unfolded if is_reversed else unfolded, is_reversed=is_reversed)


def seek(view: ViewState, time: float, last: float) -> ViewState:
    """Go to a time, clamped to the range."""
    return replace(view, time=min(max(time, 0.0), last), past=0.0)


def step(view: ViewState, frames: int, last: float) -> ViewState:
    """Stop, and move by whole frames; the first step from between two frames is shorter.

    Materials continue from their current time, unless the step passes an end.
    """
    start = floor(view.time) if frames > 0 else ceil(view.time)
    time = start + frames
    stopped = replace(view, is_playing=False)
    if 0 <= time <= last:
        return replace(stopped, time=time)
    return seek(stopped, time if view.loop is Loop.ONCE else time % (floor(last) + 1), last)


def play(view: ViewState, last: float) -> ViewState:
    """Play or pause; at the end of a single run play from the start."""
    is_playing = not view.is_playing and last > 0
    is_over = view.loop is Loop.ONCE and view.time >= last
    started = seek(view, 0.0, last) if is_playing and is_over else view
    return replace(started, is_playing=is_playing)


def faster(view: ViewState, factor: float) -> ViewState:
    """Multiply the speed, within limits."""
    return replace(view, speed=min(max(view.speed * factor, SLOWEST), FASTEST))


def material_time(view: ViewState) -> float:
    """Time on the clock of the materials, milliseconds, independent of the speed, without rounding noise."""
    time = view.time if view.playback.clip is None else view.playback.seconds * FRAME_RATE
    return round((view.past + time) * FRAME, 6)
