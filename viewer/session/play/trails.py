"""The ways of nodes through the world over what a view plays."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass, replace
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.playing import axis_of, clip_times
from viewer.session.play.timeline import at, now
from viewer.session.view.view_state import ViewState

Points = npt.NDArray[np.float64]
MOST_TIMES: Final = 240
"""Times at which a way is worked out."""
MOST_WORK: Final = 400_000
"""Nodes at all times together; models of more nodes get fewer times."""
LEAST_TIMES: Final = 16


@dataclass(frozen=True, slots=True)
class Trails:
    """The ways of some nodes.

    Attributes
    ----------
    nodes
        Their indices.
    points
        Their origins in world space from the first to the last time, (n, t, 3).
    frames
        Numbers of the points at whole frames, for ticks.
    keys
        For each node the numbers of the points that are nearest to its keys.
    """

    nodes: tuple[int, ...]
    points: Points
    frames: npt.NDArray[np.int64]
    keys: tuple[npt.NDArray[np.int64], ...]


def moment_key(view: ViewState) -> tuple[object, ...]:
    """What the ways depend on besides the document and the nodes: not on the current time."""
    playback = view.playback
    return (
        playback.clip,
        playback.part,
        playback.fade,
        view.frames,
        playback.channels,
        playback.root,
        playback.blend,
        playback.own,
        view.held,
    )


def trails_of(document: Document, view: ViewState, nodes: tuple[int, ...]) -> Trails:
    """The ways of nodes from end to end of what plays: a clip, a marked range, or all frames."""
    axis = axis_of(document, view)
    most = max(LEAST_TIMES, min(MOST_TIMES, MOST_WORK // max(document.model.node_count, 1)))
    count = int(min(most, 4 * (axis.last - axis.first) + 1)) if axis.moves else 1
    times = np.linspace(axis.first, axis.last, max(count, 1))
    rows = list(nodes)
    still = replace(view, past=0.0)
    poses = (posing.pose(document, at(still, time)) for time in times.tolist())
    points = np.stack([pose.world[rows, :3, 3].astype(np.float64) for pose in poses], axis=1)
    keys = tuple(
        _nearest(times, _on_axis(document, view, document.animation.key_times(it).tolist())) for it in nodes
    )
    whole = np.arange(np.ceil(axis.first), np.floor(axis.last) + 1)
    return Trails(nodes, points, _nearest(times, whole.tolist()), keys)


def number_of(trails: Trails, document: Document, view: ViewState) -> int:
    """The number of the point that is nearest to the current time."""
    axis = axis_of(document, view)
    count: int = trails.points.shape[1]
    share = (now(view) - axis.first) / max(axis.last - axis.first, 1e-9)
    return round(min(max(share, 0.0), 1.0) * (count - 1))


def _on_axis(document: Document, view: ViewState, frames: list[float]) -> list[float]:
    """Frames as times of what plays."""
    clip = document.controller.clip(view.playback.clip)
    return frames if clip is None else clip_times(document, clip, frames)


def _nearest(times: Points, wanted: list[float]) -> npt.NDArray[np.int64]:
    """The numbers of the times nearest to others; those outside are left out."""
    inside = [it for it in wanted if times[0] <= it <= times[-1]]
    step = (times[-1] - times[0]) / max(len(times) - 1, 1)
    found = np.rint((np.array(inside) - times[0]) / max(step, 1e-9)).astype(np.int64)
    return np.unique(np.minimum(found, len(times) - 1))
