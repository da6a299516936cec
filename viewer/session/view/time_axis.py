"""The times that a view of what is open can show, and what is played of a model."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Final

from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE, Clip
from viewer.model.clips.controller import Controller
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.view import timeline
from viewer.session.view.frame_range import FrameRange
from viewer.session.view.material_play import longest_period
from viewer.session.view.timeline import FRAME, TimeAxis
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
    """The axis of a clip; one that stands still is as long as the longest cycle of the materials."""
    end = playing.duration(document.controller, clip) * FRAME_RATE
    if isfinite(end) and end > 0:
        return TimeAxis.whole(end, partial(stops, document.controller, clip))
    return TimeAxis.whole(max(map(longest_period, document.materials.rows), default=0) / FRAME)


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


def play_frames(view: ViewState, document: Document, frames: FrameRange | None) -> ViewState:
    """Play a marked range from its start, or all frames from the current one, instead of a clip."""
    playback = replace(view.playback, clip=None, seconds=0.0)
    view = replace(view, frames=frames, playback=playback, is_reversed=False)
    return view if frames is None else timeline.seek(view, frames.first, axis_of(document, view))


def show_frame(view: ViewState, document: Document, time: float) -> ViewState:
    """Stop at a time of all frames, also if a clip was played."""
    stopped = replace(play_frames(view, document, None), is_playing=False)
    return timeline.seek(stopped, time, axis_of(document, stopped))


def play_clip(view: ViewState, clip: int) -> ViewState:
    """Play a clip from its start."""
    playback = replace(view.playback, clip=clip, seconds=0.0)
    return replace(view, frames=None, playback=playback, past=0.0, is_reversed=False)
