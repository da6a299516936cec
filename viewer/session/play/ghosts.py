"""Ghosts: a model some frames before and after the current time, or other cells of it now."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Mask
from viewer.model.mesh.pose.animation import Moment, Pose
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.playback import Rgb
from viewer.session.play.playing import axis_of
from viewer.session.play.timeline import SAME_TIME, TimeAxis, at, now
from viewer.session.view import coloring
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import GROUP_COUNT, Loop, ViewState, with_cell


class Ghost(Struct, frozen=True, eq=False):
    """The model in a pose at another time, or other parts of it.

    Attributes
    ----------
    color
        Red, green and blue.
    strength
        1 for the time next to the current one, less for those farther away.
    draws
        What is drawn of it, (d,) bool; None for what the view shows.
    """

    pose: Pose
    color: Rgb
    strength: float
    draws: Mask | None = None


def laid_over(document: Document, view: ViewState, pose: Pose) -> tuple[Ghost, ...]:
    """The cells that a view lays over its own, each in the color that it has in the shading by cell."""
    found = []
    for lod, group in sorted(view.laid_over):
        shown = document.shown(with_cell(view, lod, group))
        found.append(Ghost(pose, coloring.color(lod * GROUP_COUNT + group), 1.0, shown.draws))
    return tuple(found)


class GhostPoses:
    """The ghosts of a view; those that the view before had are not posed again."""

    def __init__(self) -> None:
        self._document: Document | None = None
        self._known: dict[Moment, Pose] = {}

    def of(self, document: Document, view: ViewState) -> tuple[Ghost, ...]:
        """The ghosts of a view, the nearest in time first; none if it shows none."""
        if Overlay.GHOSTS not in view.overlays or not document.animation.is_animated:
            return ()
        before = self._known if document is self._document else {}
        self._document, self._known = document, {}
        found = []
        for moment, color, strength in _moments(document, view):
            pose = before.get(moment) or document.animation.pose_at(moment)
            self._known[moment] = pose
            found.append(Ghost(pose, color, strength))
        return tuple(found)


def _moments(document: Document, view: ViewState) -> Iterator[tuple[Moment, Rgb, float]]:
    """Yield what is sampled for each ghost, each moment once and never the current one."""
    axis, ghosts = axis_of(document, view), view.ghosts
    seen = {posing.moment(document, view)}
    sides = (-1, ghosts.before, ghosts.color_before), (1, ghosts.after, ghosts.color_after)
    for number in range(1, max(ghosts.before, ghosts.after) + 1):
        for direction, count, color in sides:
            time = _time(view, axis, direction * number * ghosts.step)
            if number > count or time is None:
                continue
            moment = posing.moment(document, at(replace(view, past=0.0), time))
            if moment not in seen:
                seen.add(moment)
                yield moment, color, 1 - (number - 1) / count


def _time(view: ViewState, axis: TimeAxis, frames: float) -> float | None:
    """The time some frames away in what is played; a loop starts over, else there is none beyond its ends."""
    time, length = now(view) + frames, axis.last - axis.first
    if axis.first - SAME_TIME <= time <= axis.last + SAME_TIME:
        return min(max(time, axis.first), axis.last)
    if view.loop is Loop.LOOP and axis.plays(now(view)) and abs(frames) < length:
        # The end of a loop is its start: from 0 to 10, frame 11 is frame 1, and -1 is 9.
        return axis.first + (time - axis.first) % length
    return None
