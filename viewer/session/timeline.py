"""Playing and stepping: how the time of a view moves. Times are frames, 0 to `last`."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor
from typing import Final

from viewer.session.view_state import Loop, ViewState

SLOWEST: Final = 0.25
FASTEST: Final = 240.0


def advance(view: ViewState, seconds: float, last: float) -> ViewState:
    """Play on for a while; the end loops, stops or turns round as the view says.

    Parameters
    ----------
    seconds
        Time since the last picture.
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
    return replace(view, time=time % last, is_reversed=False)


def _swing(view: ViewState, distance: float, last: float) -> ViewState:
    """There and back again: a straight line of length ``2 * last`` folded in the middle."""
    unfolded = (2 * last - view.time if view.is_reversed else view.time) + distance
    unfolded %= 2 * last
    is_reversed = unfolded > last
    return replace(view, time=2 * last - unfolded if is_reversed else unfolded, is_reversed=is_reversed)


def seek(view: ViewState, time: float, last: float) -> ViewState:
    """Go to a time, or to the nearer end."""
    return replace(view, time=min(max(time, 0.0), last))


def step(view: ViewState, frames: int, last: float) -> ViewState:
    """Stop, and go some whole frames on or back; from in between the first one is shorter."""
    start = floor(view.time) if frames > 0 else ceil(view.time)
    time = start + frames
    if view.loop is not Loop.ONCE and not 0 <= time <= last:
        time = time % (floor(last) + 1)
    return seek(replace(view, is_playing=False), time, last)


def play(view: ViewState, last: float) -> ViewState:
    """Play, or stop playing; from the end of a single run it starts again."""
    is_over = view.loop is Loop.ONCE and view.time >= last
    is_playing = not view.is_playing and last > 0
    return replace(view, is_playing=is_playing, time=0.0 if is_playing and is_over else view.time)


def faster(view: ViewState, factor: float) -> ViewState:
    """Multiply the speed, within limits."""
    return replace(view, speed=min(max(view.speed * factor, SLOWEST), FASTEST))


def material_time(view: ViewState) -> float:
    """Milliseconds since the start on the clock that materials are animated by, which is the timeline's."""
    return view.time / view.speed * 1e3 if view.speed > 0 else 0.0
