"""The times that a view of what is open can show."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import Final

from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE, Clip
from viewer.model.clips.controller import Controller
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play.material_play import longest_period
from viewer.session.play.timeline import FRAME, TimeAxis
from viewer.session.view.view_state import ViewState

MOST_FRAMES: Final = 0xFFFF
"""Frames that a model can have."""
MOST_STOPS: Final = 100_000
"""Frames of a clip that step keys lead to."""


def axis_of(shown: Document | OpenedResource | None, view: ViewState) -> TimeAxis:
    """The axis of what is shown: a clip, or all frames, of which a marked range may be played."""
    end = shown.last_frame if shown else 0.0
    clip = shown.controller.clip(view.playback.clip) if isinstance(shown, Document) else None
    if isinstance(shown, Document) and clip is not None:
        return _axis_of_clip(shown, clip)
    if view.frames is None:
        return TimeAxis.whole(end)
    return TimeAxis(end, min(view.frames.first, end), min(view.frames.last, end))


def _axis_of_clip(document: Document, clip: Clip) -> TimeAxis:
    """The axis of a clip; one without a length is as long as the longest cycle of the materials.

    If neither nodes nor materials move in it, it has no time.
    """
    end = playing.duration(document.controller, clip) * FRAME_RATE
    cycle = max(map(longest_period, document.materials.rows), default=0) / FRAME
    moves = cycle > 0 or any(document.controller.clips[index].moves for index in clip.chain)
    if moves and isfinite(end) and end > 0:
        return TimeAxis.whole(end, partial(stops, document.controller, clip))
    return TimeAxis.whole(cycle)


def stops(controller: Controller, clip: Clip) -> list[float]:
    """The times at which a clip shows a frame of its first pair, ascending; its last time is the end."""
    times: list[float] = []
    start = 0.0
    for index in clip.chain:
        part = controller.clips[index]
        count = min(frame_count(part), MOST_STOPS - len(times))
        times += [start + part.length * FRAME_RATE * frame / count for frame in range(count)]
        start += part.length * FRAME_RATE
    return [*times, start]


def frame_count(clip: Clip) -> int:
    """The frames that a clip passes: those of its first pair, or of the second if the first stands still."""
    pairs = [
        pair for pair in (clip.frames_a, clip.frames_b) if pair and isfinite(sum(pair)) and min(pair) >= 0
    ]
    counts = (round(min(abs(last - first), MOST_FRAMES)) for first, last in pairs)
    return next(filter(None, counts), 1)
