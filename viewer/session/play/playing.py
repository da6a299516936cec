"""Playing a clip, a range of frames or single channels of a model, and the times that it can show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE, Channel, Clip, Gait
from viewer.model.clips.controller import Controller
from viewer.session.opened.document import Document
from viewer.session.play import machinery, timeline
from viewer.session.play.material_play import longest_period
from viewer.session.play.playback import FrameRange, Playback, Ranges, with_value
from viewer.session.play.timeline import FRAME, TimeAxis
from viewer.session.view.view_state import ViewState

if TYPE_CHECKING:
    from viewer.session.opened.opened_resource import OpenedResource


def shown_value(playback: Playback, channel: Channel) -> float:
    """The value of a channel, 0 to 1: the one that was set, else the initial one."""
    value = playback.channels.get(channel.index, channel.initial)
    return min(max(value, 0.0), 1.0) if isfinite(value) else 0.0


def is_turning(playback: Playback, channel: Channel) -> bool:
    """Whether a channel moves by itself."""
    return channel.index in playback.turning


def toggle_turning(view: ViewState, controller: Controller, index: int) -> ViewState:
    """Let a channel move by itself from its value, or stop it there."""
    turning = dict(view.playback.turning)
    if turning.pop(index, None) is None:
        turning[index] = 1
    return _with_turning(view, turning)


def advance_channels(view: ViewState, controller: Controller, seconds: float) -> ViewState:
    """Move the channels that move by themselves: round if they wrap, else to and fro."""
    for index, direction in view.playback.turning.items():
        channel = controller.channels[index]
        distance = direction * channel.rate * seconds if isfinite(channel.rate) else 0.0
        value = shown_value(view.playback, channel) + distance
        if channel.wraps:
            value %= 1.0
        else:
            value %= 2.0
            is_back = value > 1.0
            value = 2.0 - value if is_back else value
            if is_back:
                view = _with_turning(view, {**view.playback.turning, index: -direction})
        view = replace(view, playback=view.playback.with_channel(index, value))
    return view


def reset_channel(view: ViewState, index: int) -> ViewState:
    """Stop a channel, and let it have its initial value in a clip; in all frames its node follows them."""
    turning = with_value(view.playback.turning, index, None)
    return replace(view, playback=replace(view.playback.with_channel(index, None), turning=turning))


def reset_channels(view: ViewState) -> ViewState:
    """Stop and reset all channels, also those of the parts of a unit."""

    def still(playback: Playback) -> Playback:
        return replace(playback, channels=MappingProxyType({}), turning=MappingProxyType({}))

    parts = {component: still(it) for component, it in view.unit.playbacks.items()}
    unit = replace(view.unit, playbacks=MappingProxyType(parts))
    return replace(view, playback=still(view.playback), unit=unit)


def _with_turning(view: ViewState, turning: dict[int, int]) -> ViewState:
    return replace(view, playback=replace(view.playback, turning=MappingProxyType(turning)))


MOST_FRAMES: Final = 0xFFFF
"""Frames that a model can have."""
EFFECT_FRAMES: Final = 60 * FRAME_RATE
"""Frames of a round of a model in which only effects or its machinery move."""
MOST_STOPS: Final = 100_000
"""Frames of a clip that step keys lead to."""


def axis_of(shown: Document | OpenedResource | None, view: ViewState) -> TimeAxis:
    """The axis of what is shown; if nothing else moves, effects and machinery have one of their own."""
    axis = axis_of_nodes(shown, view)
    return TimeAxis.whole(EFFECT_FRAMES) if not axis.moves and _has_own_time(shown, view) else axis


def _has_own_time(shown: Document | OpenedResource | None, view: ViewState) -> bool:
    """Whether effects play on a model or on parts of a unit, or their machinery moves."""
    if isinstance(shown, Document):
        return view.playback.effects.is_playing or machinery.moves(shown, view.playback)
    if shown is None or shown.unit is None:
        return False
    playing = (view.playback, *view.unit.playbacks.values())
    moved = (
        machinery.moves(it, view.unit.playbacks.get(part, view.playback))
        for part, it in shown.unit.documents.items()
    )
    return any(it.effects.is_playing for it in playing) or any(moved)


def axis_of_nodes(shown: Document | OpenedResource | None, view: ViewState) -> TimeAxis:
    """The axis of a clip, or of all frames or a marked range of them; of a unit that of its chassis."""
    if shown is not None and not isinstance(shown, Document) and shown.unit is not None:
        shown = shown.unit.chassis
    end = shown.last_frame if shown else 0.0
    if shown is not None and not isinstance(shown, Document):
        end = shown.end(view.playback.stage.mode)
    clip = shown.controller.clip(view.playback.clip) if isinstance(shown, Document) else None
    if isinstance(shown, Document) and clip is not None:
        return _axis_of_clip(shown, clip, view.playback)
    if view.frames is None:
        return TimeAxis.whole(end)
    return TimeAxis(end, min(view.frames.first, end), min(view.frames.last, end))


def _axis_of_clip(document: Document, clip: Clip, playback: Playback) -> TimeAxis:
    """The axis of a clip; one without a length is as long as the longest cycle of the materials.

    If neither nodes nor materials move in it, or its machinery moves and goes on after that, it has no time.
    """
    end = playing.duration(document.controller, clip) * FRAME_RATE
    cycle = max(map(longest_period, document.materials.rows), default=0) / FRAME
    moves = cycle > 0 or any(document.controller.clips[index].moves for index in clip.chain)
    if moves and isfinite(end) and end > 0:
        first, last = (min(second * FRAME_RATE, end) for second in playback.part or (0.0, end))
        return TimeAxis(end, first, last, partial(stops, document.controller, clip))
    return TimeAxis.whole(0.0 if machinery.moves(document, playback) else cycle)


def stops(controller: Controller, clip: Clip) -> list[float]:
    """The times at which a clip shows a frame of its first pair, ascending; its last time is the end."""
    times: list[float] = []
    start = 0.0
    for index in clip.chain:
        part = controller.clips[index]
        count, length = min(frame_count(part), MOST_STOPS - len(times)), part.length * FRAME_RATE
        times += [start + length * frame / count for frame in range(count)]
        start += length
    return [*times, start]


def frame_count(clip: Clip) -> int:
    """The frames that a clip passes: those of its first pair, or of the second if the first stands still."""
    pairs = [it for it in (clip.frames_a, clip.frames_b) if it and isfinite(sum(it)) and min(it) >= 0]
    counts = (round(min(abs(last - first), MOST_FRAMES)) for first, last in pairs)
    return next(filter(None, counts), 1)


def play_frames(view: ViewState, document: Document, frames: FrameRange | None) -> ViewState:
    """Play a marked range from its start, or all frames from the current one, instead of a clip."""
    playback = replace(view.playback, clip=None, seconds=0.0, part=None)
    view = replace(view, frames=frames, playback=playback, is_reversed=False)
    return view if frames is None else timeline.seek(view, frames.first, axis_of(document, view))


def play_clip(view: ViewState, clip: int) -> ViewState:
    """The view that plays a clip from the start."""
    playback = replace(view.playback, clip=clip, seconds=0.0, part=None)
    return replace(view, frames=None, playback=playback, past=0.0, is_reversed=False)


def play_first(view: ViewState, document: Document) -> ViewState:
    """Play what shows a model best: its walk, else its first clip that moves, else the first that does not.

    All frames in one go, which the game never plays, only without clips.
    """
    clips = document.controller.clips
    walks = (clip for clip in clips if clip.gait is Gait.WALK)
    moving = (clip for clip in clips if clip.moves)
    clip = next(chain(walks, moving, clips), None)
    is_playing = document.last_frame > 0 or machinery.moves(document, view.playback)
    return replace(play_clip(view, clip.index) if clip else view, is_playing=is_playing)


def play_resource(view: ViewState, shown: OpenedResource) -> ViewState:
    """Play what is not a model, if it moves; of a unit what shows its chassis best."""
    chassis = None if shown.unit is None else shown.unit.chassis
    if chassis is not None:
        first = play_first(view, chassis)
        return replace(first, is_playing=first.is_playing or _has_own_time(shown, first))
    return replace(view, is_playing=shown.last_frame > 0)


def show_frame(view: ViewState, document: Document, time: float) -> ViewState:
    """Stop at a time of all frames, also if a clip was played."""
    stopped = replace(play_frames(view, document, None), is_playing=False)
    return timeline.seek(stopped, time, axis_of(document, stopped))


def at_frame(view: ViewState, document: Document, frame: float) -> ViewState:
    """The view at a frame of the model; of a clip at the nearest frame that it passes, if it moves."""
    clip = document.controller.clip(view.playback.clip)
    axis = axis_of(document, view)
    if clip is None:
        return timeline.seek(view, frame, axis)
    ends = [sorted(it.frames_a) for it in _parts(document, clip) if isfinite(sum(it.frames_a))]
    near = [min(max(frame, low), high) for low, high in ends if low < high]
    passed = clip_times(document, clip, [min(near, key=lambda it: abs(it - frame))]) if near else []
    return timeline.seek(view, passed[0], axis) if passed else view


def reach_frame(view: ViewState, document: Document, frame: float) -> ViewState:
    """The view at a frame of the model: in its clip, or in all frames if that does not pass it."""
    clip = document.controller.clip(view.playback.clip)
    if clip is None or clip_times(document, clip, [frame]):
        return at_frame(view, document, frame)
    return show_frame(view, document, frame)


def _parts(document: Document, clip: Clip) -> list[Clip]:
    """A clip and those that follow it."""
    return [document.controller.clips[index] for index in clip.chain]


def clip_times(document: Document, clip: Clip, frames: Sequence[float]) -> list[float]:
    """The times of a clip, on its axis, at which its first pair passes some frames; ascending, each once."""
    found: set[float] = set()
    start = 0.0
    for part in _parts(document, clip):
        first, last = part.frames_a
        if first != last:
            inside = (it for it in frames if min(first, last) <= it <= max(first, last))
            shares = ((it - first) / (last - first) for it in inside)
            found.update((start + share * part.length) * FRAME_RATE for share in shares)
        start += part.length
    return sorted(found)


def place_of(view: ViewState, document: Document, ranges: Ranges) -> int:
    """The place of what is played among all frames, the clips and the marked ranges."""
    if view.playback.clip is not None:
        return 1 + view.playback.clip
    clips = len(document.controller.clips)
    return 1 + clips + ranges.index(view.frames) if view.frames in ranges else 0


def step_playable(view: ViewState, document: Document, ranges: Ranges, step: int) -> ViewState:
    """Play what is `step` places further: all frames, the clips, the marked ranges, cyclically."""
    clips = len(document.controller.clips)
    place = (place_of(view, document, ranges) + step) % (1 + clips + len(ranges))
    if 0 < place <= clips:
        return play_clip(view, place - 1)
    return play_frames(view, document, ranges[place - 1 - clips] if place else None)


def restart_clip(view: ViewState, document: Document) -> ViewState:
    """Play the clip from its start; without one, the first clip of the model."""
    if not document.controller.clips:
        return view
    clip = document.controller.clip(view.playback.clip) or document.controller.clips[0]
    return replace(play_clip(view, clip.index), is_playing=True)


def mark_part(view: ViewState, axis: TimeAxis, *, is_last: bool) -> ViewState:
    """Begin or end the part of a clip that is played at the current time; all of the clip plays no part."""
    time = timeline.now(view)
    first, last = (min(axis.first, time), time) if is_last else (time, max(axis.last, time))
    return with_part(view, axis, first, last if last > first else axis.end)


def with_part(view: ViewState, axis: TimeAxis, first: float, last: float) -> ViewState:
    """Play a part of a clip between two times of its axis."""
    is_whole = last <= first or (first <= 0 and last >= axis.end)
    part = None if is_whole else (first / FRAME_RATE, last / FRAME_RATE)
    return replace(view, playback=replace(view.playback, part=part))
