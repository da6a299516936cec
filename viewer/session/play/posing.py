"""The pose of a document in a view, the only place where one is worked out from the other; and its camera."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.geometry.bounds import Bounds, JoinedShapes
from viewer.model.clips import playing
from viewer.model.clips.controller import Controller
from viewer.model.mesh.pose.animation import Moment, Pose
from viewer.session.opened.document import Document
from viewer.session.play import machinery
from viewer.session.play.playback import Fade, Playback, Root
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import ViewState


def pose(document: Document, view: ViewState) -> Pose:
    """The nodes of a document as a view shows them."""
    return document.animation.pose_at(moment(document, view))


def moment(document: Document, view: ViewState) -> Moment:
    """The moment that a view samples; two views with equal moments have the same pose."""
    if not document.animation.is_animated:
        return Moment(is_root_still=view.playback.root is Root.STILL)
    strip = Moment(view.time, *(view.playback.blend or ()))
    return sampled(document, view.playback, strip, machinery.channel_values(document, view))


def sampled(
    document: Document, playback: Playback, strip: Moment, channels: Mapping[int, float] | None = None
) -> Moment:
    """The sampled moment while a clip is played, the strip being at a moment of its own.

    Parameters
    ----------
    channels
        The values of channels that have one; by default those that were set.
    """
    controller, fade, body = document.controller, playback.fade, strip
    clip = controller.clip(playback.clip)
    if clip is not None:
        body = playing.moment(controller, clip, playback.seconds)
        other = None if fade is None else controller.clip(fade.clip)
        if fade is not None and other is not None:
            moment = playing.moment(controller, other, fade_seconds(controller, playback, fade))
            body = replace(body, other=moment, share=fade.weight)
    body = playing.with_channels(
        body,
        controller,
        playback.channels if channels is None else channels,
        document.model.node_count,
        is_playing=clip is not None,
    )
    own = ((node, it.at(body.time)) for node, it in playback.own.items() if node < document.model.node_count)
    driven = tuple(sorted({**dict(body.driven), **dict(own)}.items()))
    return replace(body, driven=driven, is_root_still=playback.root is Root.STILL)


def fade_seconds(controller: Controller, playback: Playback, fade: Fade) -> float:
    """The time of the clip that the one that plays fades to, seconds from its start."""
    clip, other = controller.clip(playback.clip), controller.clip(fade.clip)
    if not fade.is_in_step or clip is None or other is None:
        return fade.seconds
    length, end = playing.duration(controller, clip), playing.duration(controller, other)
    if not (0 < length < inf and 0 < end < inf):
        return fade.seconds
    seconds = playback.seconds / length * end + fade.seconds
    return seconds if 0 <= seconds <= end else seconds % end


def at(view: ViewState, time: float) -> ViewState:
    """A view at another time: seconds into its clip, or frames without one."""
    if view.playback.clip is None:
        return replace(view, time=time)
    return replace(view, playback=replace(view.playback, seconds=time))


def end(document: Document, view: ViewState) -> float:
    """The time at which what is played starts again: seconds of its clip, or the last frame without one."""
    clip = document.controller.clip(view.playback.clip)
    return document.last_frame if clip is None else playing.duration(document.controller, clip)


NOTHING: Final = Bounds(np.full(3, -1.0), np.full(3, 1.0))
"""The framed box of a model without geometry."""


def framed(
    document: Document, camera: Camera, view: ViewState, aspect: float, moments: Sequence[float] = (0.0,)
) -> Camera:
    """The camera moved to show all that a view shows at some times, with its direction unchanged.

    In the own view the eye is put where the cockpit is at the first of them.

    Parameters
    ----------
    moments
        Seconds into the clip of the view, or frames without one.
    """
    poses = [pose(document, at(view, time)) for time in moments]
    first = document.posed(poses[0], view)
    bounds = first.bounds
    if bounds is None:
        return replace(camera, reach=NOTHING.diagonal).frame(NOTHING, aspect)
    camera = replace(camera, reach=bounds.diagonal)
    if view.drawn.is_own_view:
        return camera.seated(_seat(document, poses[0], view, bounds))
    return camera.frame(JoinedShapes((first, *(first.moved(pose.world) for pose in poses[1:]))), aspect)


def _seat(document: Document, pose: Pose, view: ViewState, bounds: Bounds) -> npt.NDArray[np.float64]:
    """Eye of the own view, (3,); no source states it.

    At the origin of the first cockpit, if its geometry is around that; else in the middle of it, or of
    whatever is shown.
    """
    for node in sorted(document.chooser.cockpits):
        around, origin = document.bounds(pose, view, [node]), pose.world[node, :3, 3].astype(np.float64)
        if around is not None:
            return origin if around.holds(origin) else around.center
    return bounds.center
