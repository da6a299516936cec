"""The views of a film: one loop of what is played, or a turn around the model."""

from __future__ import annotations

from math import tau
from typing import Final

from viewer.dataclass import replace
from viewer.errors import UsageError
from viewer.model.clips.clip import FRAME_RATE
from viewer.session.opened.document import Document
from viewer.session.play.playing import axis_of
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import Loop, ViewState
from viewer.translation import _

MOST_IMAGES: Final = 10_000


def loop_of(document: Document, view: ViewState, rate: float) -> list[float]:
    """The times of one loop of what a view plays: its clip, its marked range, or all frames.

    Returns
    -------
    Evenly spaced times for `posing.at`, as near to `rate` images per second as fits: the image after the
    last one is the first one, so that the film has no seam. A view that swings to and fro returns the same
    way. Raises `UsageError` if nothing moves or there are too many images.
    """
    axis = axis_of(document, view)
    length = axis.last - axis.first
    if not axis.moves or length <= 0:
        raise UsageError(_("nothing moves in what is played"), source=document.address)
    count = max(2, round(length / FRAME_RATE * rate))
    if count > MOST_IMAGES:
        words = "{count} images are more than {limit}"
        raise UsageError(_(words, count=count, limit=MOST_IMAGES), source=document.address)
    unit = 1.0 if view.playback.clip is None else 1 / FRAME_RATE
    times = [(axis.first + length * number / count) * unit for number in range(count)]
    return times if view.loop is not Loop.PING_PONG else [*times, axis.last * unit, *times[:0:-1]]


def turns(camera: Camera, count: int) -> list[Camera]:
    """Cameras all around, in equal steps."""
    return [replace(camera, yaw=camera.yaw + tau * turn / count) for turn in range(count)]
