"""Films: one loop of what is played, or a turn around the model, image by image."""

from __future__ import annotations

from math import ceil, tau
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import UsageError
from viewer.model.clips.clip import FRAME_RATE
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play import posing
from viewer.session.play.playing import axis_of_nodes
from viewer.session.play.stage import own_round, restarted, round_by_hand, stage_of
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import Loop, ViewState
from viewer.translation import _

MOST_IMAGES: Final = 10_000


def loop_of(shown: Document | OpenedResource, view: ViewState, rate: float) -> list[float]:
    """The times of one loop of what a view plays: its clip, its marked range, all frames, or effects.

    Returns
    -------
    Evenly spaced times for `posing.at`, as near to `rate` images per second as fits: the image after the
    last one is the first one, so that the film has no seam. A view that swings to and fro returns the same
    way. Raises `UsageError` if nothing moves or there are too many images.
    """
    first, length = _played(shown, view)
    if length <= 0:
        raise UsageError(_("nothing moves in what is played"), source=shown.address)
    count = _checked(max(2, round(length / FRAME_RATE * rate)), shown)
    unit = 1.0 if view.playback.clip is None else 1 / FRAME_RATE
    times = [(first + length * number / count) * unit for number in range(count)]
    return times if view.loop is not Loop.PING_PONG else [*times, (first + length) * unit, *times[:0:-1]]


def _played(shown: Document | OpenedResource, view: ViewState) -> tuple[float, float]:
    """Start and length of what plays, in frames on the axis of a view.

    Effects and channels that play without a clip are seen for one round.
    """
    axis = axis_of_nodes(shown, view)
    if axis.moves:
        return axis.first, axis.last - axis.first
    stage = stage_of(shown)
    return 0.0, 0.0 if stage is None else own_round(stage, view)


def _laps(shown: Document | OpenedResource, view: ViewState) -> list[float]:
    """The frames that have passed before each loop of a film: effects started by hand are seen whole."""
    stage, (_first, length) = stage_of(shown), _played(shown, view)
    if stage is None or length <= 0 or view.loop is Loop.PING_PONG:
        return [0.0]
    return [lap * length for lap in range(max(1, ceil(round_by_hand(stage, view) / length)))]


def _checked(count: int, shown: Document | OpenedResource) -> int:
    """The number of images; raises `UsageError` if they are too many."""
    if count > MOST_IMAGES:
        words = "{count} images are more than {limit}"
        raise UsageError(_(words, count=count, limit=MOST_IMAGES), source=shown.address)
    return count


def turns(camera: Camera, count: int) -> list[Camera]:
    """Cameras all around, in equal steps."""
    return [replace(camera, yaw=camera.yaw + tau * turn / count) for turn in range(count)]


class FilmOptions(Struct, frozen=True):
    """The options of a film of a view.

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


class FilmPreview(Struct, frozen=True):
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
    """The views of the images of a film; raises `UsageError` if there is nothing to show.

    Effects that were started by hand begin with it, and it has as many loops as they need.
    """

    def __init__(self, shown: Document | OpenedResource, view: ViewState, options: FilmOptions) -> None:
        self.shown, self.options = shown, options
        self._view = replace(view, flash=frozenset(), selection=Selection(), past=0.0)
        self._moments: list[tuple[float, float]] = []
        self._cameras = [view.camera]
        if options.seconds_around is None:
            times, laps = loop_of(shown, view, options.rate), _laps(shown, view)
            _checked(len(times) * len(laps), shown)
            self._moments = [(time, past) for past in laps for time in times]
            self._view = restarted(posing.at(self._view, times[0]))
        else:
            count = min(max(2, round(options.seconds_around * options.rate)), MOST_IMAGES)
            self._cameras = turns(view.camera, count)

    def __len__(self) -> int:
        return max(len(self._moments), len(self._cameras))

    def view(self, number: int) -> ViewState:
        """View of an image of the film."""
        if not self._moments:
            return replace(self._view, camera=self._cameras[number])
        time, past = self._moments[number]
        view, stage = replace(posing.at(self._view, time), past=past), stage_of(self.shown)
        return view if stage is None else stage.advanced(view, number / self.options.rate)
