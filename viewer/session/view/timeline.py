"""Playing and stepping: how the time of a view moves. Times are frames, 0 to `last`.

Materials go by the same clock as the nodes, but for the end of a lap: there the nodes start over and
the materials go on, because their cycles have other lengths. So a material that takes longer than the
nodes is seen whole after some laps; the axis ends with the nodes all the same, as they would have to wait
for it otherwise. Ping-pong turns both round, as a film that runs backwards.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor
from typing import Final

from viewer.session.view.view_state import FRAME_RATE, Loop, ViewState

SLOWEST: Final = 0.25
FASTEST: Final = 240.0
FRAME: Final = 1e3 / FRAME_RATE
"""Length of a frame on the clock of the materials, in milliseconds."""


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
    laps, time = divmod(time, last)
    return replace(view, time=time, past=view.past + laps * last, is_reversed=False)


def _swing(view: ViewState, distance: float, last: float) -> ViewState:
    """There and back again: a straight line of length ``2 * last`` folded in the middle."""
    unfolded = (2 * last - view.time if view.is_reversed else view.time) + distance
    unfolded %= 2 * last
    is_reversed = unfolded > last
    return replace(view, time=2 * last - unfolded if is_reversed else unfolded, is_reversed=is_reversed)


def seek(view: ViewState, time: float, last: float) -> ViewState:
    """Go to a time, or to the nearer end."""
    return replace(view, time=min(max(time, 0.0), last), past=0.0)


def step(view: ViewState, frames: int, last: float) -> ViewState:
    """Stop, and go some whole frames on or back; from in between the first one is shorter.

    Materials go on from where they are seen, unless it leads beyond an end.
    """
    start = floor(view.time) if frames > 0 else ceil(view.time)
    time = start + frames
    stopped = replace(view, is_playing=False)
    if 0 <= time <= last:
        return replace(stopped, time=time)
    return seek(stopped, time if view.loop is Loop.ONCE else time % (floor(last) + 1), last)


def play(view: ViewState, last: float) -> ViewState:
    """Play, or stop playing; from the end of a single run it starts again."""
    is_playing = not view.is_playing and last > 0
    is_over = view.loop is Loop.ONCE and view.time >= last
    started = seek(view, 0.0, last) if is_playing and is_over else view
    return replace(started, is_playing=is_playing)


def faster(view: ViewState, factor: float) -> ViewState:
    """Multiply the speed, within limits."""
    return replace(view, speed=min(max(view.speed * factor, SLOWEST), FASTEST))


def material_time(view: ViewState) -> float:
    """Milliseconds on the clock of the materials, whatever the speed, without the noise of fractions."""
    return round((view.past + view.time) * FRAME, 6)
