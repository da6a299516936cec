"""Films: one loop of what is played, or a turn around the model, image by image."""

from __future__ import annotations

from math import tau
from typing import Final

from viewer.dataclass import dataclass, replace
from viewer.errors import UsageError
from viewer.model.clips.clip import FRAME_RATE
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.playing import axis_of
from viewer.session.selection import Selection
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


@dataclass(frozen=True, slots=True)
class FilmOptions:
    """What a film of a view shows, and how it is written.

    Attributes
    ----------
    suffix
        One of `films.FILM_SUFFIXES`.
    size
        Width and height, pixels.
    rate
        Images per second.
    seconds_around
        The length of a turn around the model as it is; None for a loop of what is played.
    is_transparent
        Without background, grid and axes.
    """

    suffix: str
    size: tuple[int, int]
    rate: int
    seconds_around: float | None = None
    is_transparent: bool = False


@dataclass(frozen=True, slots=True)
class FilmPreview:
    """The image of a film that a panel shows now.

    Attributes
    ----------
    texture, size
        Its opaque ImGui id, top row first, and its size in pixels; 0 if there is none.
    number, count
        Its place in the film, from 0.
    problem
        Why the film cannot be written; empty if it can.
    """

    texture: int = 0
    size: tuple[int, int] = (1, 1)
    number: int = 0
    count: int = 0
    problem: str = ""


class Film:
    """The views of the images of a film; raises `UsageError` if there is nothing to show."""

    def __init__(self, document: Document, view: ViewState, options: FilmOptions) -> None:
        self.document, self.options = document, options
        self._view = replace(view, flash=frozenset(), selection=Selection(), past=0.0)
        if options.seconds_around is None:
            self._times, self._cameras = loop_of(document, view, options.rate), [view.camera]
        else:
            count = min(max(2, round(options.seconds_around * options.rate)), MOST_IMAGES)
            self._times, self._cameras = [], turns(view.camera, count)

    def __len__(self) -> int:
        return max(len(self._times), len(self._cameras))

    def view(self, number: int) -> ViewState:
        """How an image of the film looks at the model."""
        if self._times:
            return posing.at(self._view, self._times[number])
        return replace(self._view, camera=self._cameras[number])
