"""What is played of a model: all its frames, a marked range of them, or a clip."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from viewer.model.clips.clip import Gait
from viewer.session.opened.document import Document
from viewer.session.play import timeline
from viewer.session.play.frame_range import FrameRange, Ranges
from viewer.session.play.time_axis import axis_of
from viewer.session.view.view_state import ViewState


def play_frames(view: ViewState, document: Document, frames: FrameRange | None) -> ViewState:
    """Play a marked range from its start, or all frames from the current one, instead of a clip."""
    playback = replace(view.playback, clip=None, seconds=0.0)
    view = replace(view, frames=frames, playback=playback, is_reversed=False)
    return view if frames is None else timeline.seek(view, frames.first, axis_of(document, view))


def play_clip(view: ViewState, clip: int) -> ViewState:
    """Play a clip from its start."""
    playback = replace(view.playback, clip=clip, seconds=0.0)
    return replace(view, frames=None, playback=playback, past=0.0, is_reversed=False)


def play_first(view: ViewState, document: Document) -> ViewState:
    """Play what shows a model best: its walk, else its first clip that moves, else the first that does not.

    All frames in one go, which the game never plays, only without clips.
    """
    clips = document.controller.clips
    walks = (clip for clip in clips if clip.gait is Gait.WALK)
    moving = (clip for clip in clips if clip.moves)
    clip = next(chain(walks, moving, clips), None)
    return replace(play_clip(view, clip.index) if clip else view, is_playing=document.last_frame > 0)


def show_frame(view: ViewState, document: Document, time: float) -> ViewState:
    """Stop at a time of all frames, also if a clip was played."""
    stopped = replace(play_frames(view, document, None), is_playing=False)
    return timeline.seek(stopped, time, axis_of(document, stopped))


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
