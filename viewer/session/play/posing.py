"""The pose of a document in a view: the only place where one is worked out from the other."""

from __future__ import annotations

from dataclasses import replace

from viewer.model.clips import playing
from viewer.model.mesh.animation import Moment, Pose
from viewer.session.opened.document import Document
from viewer.session.play.playback import Playback, Root
from viewer.session.view.view_state import ViewState


def pose(document: Document, view: ViewState) -> Pose:
    """The nodes of a document as a view shows them."""
    return document.animation.pose_at(moment(document, view))


def moment(document: Document, view: ViewState) -> Moment:
    """What is sampled for a view; two views with equal moments have the same pose."""
    if not document.animation.is_animated:
        return Moment(is_root_still=view.playback.root is Root.STILL)
    return sampled(document, view.playback, Moment(view.time, *(view.playback.blend or ())))


def sampled(document: Document, playback: Playback, strip: Moment) -> Moment:
    """What is sampled while something is played, the strip being at a moment of its own."""
    controller = document.controller
    clip = controller.clip(playback.clip)
    body = strip if clip is None else playing.moment(controller, clip, playback.seconds)
    body = playing.with_channels(
        body, controller, playback.channels, document.model.node_count, is_playing=clip is not None
    )
    own = ((node, it.at(body.time)) for node, it in playback.own.items() if node < document.model.node_count)
    driven = tuple(sorted({**dict(body.driven), **dict(own)}.items()))
    return replace(body, driven=driven, is_root_still=playback.root is Root.STILL)


def at(view: ViewState, time: float) -> ViewState:
    """A view at another time: seconds into its clip, or frames without one."""
    if view.playback.clip is None:
        return replace(view, time=time)
    return replace(view, playback=replace(view.playback, seconds=time))


def end(document: Document, view: ViewState) -> float:
    """The time at which what is played starts again: seconds of its clip, or the last frame without one."""
    clip = document.controller.clip(view.playback.clip)
    return document.last_frame if clip is None else playing.duration(document.controller, clip)
