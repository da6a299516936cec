"""Trails of nodes through the world over what a view plays, and the keys on them, which can be moved."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.mesh.pose.animation import Pose
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.playback import Root
from viewer.session.play.playing import axis_of, clip_times
from viewer.session.play.timeline import at, now
from viewer.session.view.view_state import ViewState

Points = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
MOST_TIMES: Final = 240
"""Times at which a trail is worked out, besides those of keys."""
MOST_KEYS: Final = 240
"""Keys of all nodes together at which trails are worked out; the marks of others are at the nearest time."""
MOST_WORK: Final = 400_000
"""Nodes at all times together; models of more nodes get fewer times."""
LEAST_TIMES: Final = 16
LEAST_TRAVEL: Final = 1e-3
"""A root that moves less than this over what plays does not travel, units of the model."""


class TrailKeys(Struct, frozen=True, eq=False):
    """The keys that a trail passes, in the order of time.

    Attributes
    ----------
    numbers
        Their points of the trail, (k,).
    keys
        Their places in the track of the node, (k,); a key that is passed twice is there twice.
    """

    numbers: Numbers
    keys: Numbers


class Trails(Struct, frozen=True, eq=False):
    """The trails of some nodes.

    Attributes
    ----------
    nodes
        Their indices.
    times
        The times of the points, on the axis of what plays, (t,).
    moments
        The times at which the strip is sampled there, in frames, (t,).
    points
        Their origins in world space from the first to the last time, (n, t, 3).
    turns
        The rotations of the parents to world space, (n, t, 3, 3).
    frames
        Numbers of the points at whole frames, for ticks.
    keys
        The keys of each node.
    """

    nodes: tuple[int, ...]
    times: Points
    moments: Points
    points: Points
    turns: Points
    frames: Numbers
    keys: tuple[TrailKeys, ...]


def moment_key(view: ViewState) -> tuple[object, ...]:
    """The inputs of the trails besides the document and the nodes: all but the current time."""
    return replace(view.playback, seconds=0.0), view.frames


def trails_of(document: Document, view: ViewState, nodes: tuple[int, ...]) -> Trails:
    """The trails of nodes from end to end of what plays: a clip, a marked range, or all frames."""
    axis = axis_of(document, view)
    most = max(LEAST_TIMES, min(MOST_TIMES, MOST_WORK // max(document.model.node_count, 1)))
    count = int(min(most, 4 * (axis.last - axis.first) + 1)) if axis.moves else 1
    passed = [_passed(document, view, node) for node in nodes]
    at_keys = np.unique(np.concatenate([times for times, _keys in passed] or [np.zeros(0)]))
    at_keys = at_keys[(at_keys >= axis.first) & (at_keys <= axis.last)]
    times = np.linspace(axis.first, axis.last, max(count, 1))
    if len(at_keys) <= MOST_KEYS:
        # Even steps may miss keys, at which a trail has corners.
        times = np.unique(np.concatenate([times, at_keys]))
    still = replace(view, past=0.0)
    poses = [posing.pose(document, at(still, time)) for time in times.tolist()]
    rows = list(nodes)
    points = np.stack([pose.world[rows, :3, 3].astype(np.float64) for pose in poses], axis=1)
    turns = np.stack([[_above(document, pose, it)[:3, :3] for it in nodes] for pose in poses], axis=1)
    keys = tuple(TrailKeys(*_nearest(times, *it)) for it in passed)
    whole = np.arange(np.ceil(axis.first), np.floor(axis.last) + 1)
    frames = np.unique(_nearest(times, whole, whole)[0])
    moments = np.array([pose.moment.time for pose in poses])
    return Trails(nodes, times, moments, points, turns, frames, keys)


def number_of(trails: Trails, view: ViewState) -> int:
    """The number of the point that is nearest to the current time."""
    return int(np.abs(trails.times - now(view)).argmin())


class KeyHandle(Struct, frozen=True, eq=False):
    """A key on the trail of a node, whose position can be dragged.

    Attributes
    ----------
    node, key
        The key, by its place in the track of the node.
    time
        When what plays passes it, on its axis.
    pose
        All nodes at that time.
    above
        ``world_from_parent`` of the node then, (4, 4).
    frames
        The times of its track, in frames, (k,).
    """

    node: int
    key: int
    time: float
    pose: Pose
    above: Points
    frames: Points

    @property
    def point(self) -> Points:
        """The point in world space, (3,)."""
        return self.pose.world[self.node, :3, 3].astype(np.float64)

    def position(self, point: Points) -> Points:
        """The translation of the key for a point of world space, (3,)."""
        found: Points = np.linalg.solve(self.above, [*point, 1.0])[:3]
        return found

    def local(self, point: Points) -> Points:
        """``parent_from_node`` at its time, (4, 4), if it is at a point of world space."""
        local: Points = self.pose.local[self.node].astype(np.float64)
        local[:3, 3] = self.position(point)
        return local

    def moved_trail(self, trails: Trails, point: Points) -> tuple[Numbers, Points]:
        """The part of the trail that changes if the key is at another point: its numbers and points (m, 3).

        Between keys positions are interpolated by time, so the nearer to the key the more a point moves.
        """
        place, frames = trails.nodes.index(self.node), self.frames
        marks = frames[max(self.key - 1, 0) : self.key + 2]
        share = np.interp(trails.moments, marks, (marks == frames[self.key]).astype(np.float64))
        numbers = np.flatnonzero(share > 0)
        # One more on each side, so that the line begins and ends on the trail.
        numbers = np.unique(np.clip([*numbers - 1, *numbers, *numbers + 1], 0, len(share) - 1))
        offset = self.position(point) - self.position(self.point)
        moved: Points = trails.turns[place][numbers] @ offset * share[numbers, None]
        return numbers, trails.points[place][numbers] + moved


def handle_of(
    document: Document, view: ViewState, trails: Trails, node: int, number: int
) -> KeyHandle | None:
    """A key of the trail of a node; None if the node is not where the key says when it is passed.

    It is elsewhere while two times are blended, with a time of its own, and as a root that does not travel.

    Parameters
    ----------
    number
        Of the key among those of the trail.
    """
    found = trails.keys[trails.nodes.index(node)]
    key, animation = int(found.keys[number]), document.animation
    track = animation.track(node)
    wanted = float(animation.times[track[key]])
    times = [time for time, it in zip(*_passed(document, view, node), strict=True) if it == key]
    nearest = float(trails.times[found.numbers[number]])
    time = min(times, key=lambda it: abs(it - nearest))
    pose = posing.pose(document, at(replace(view, past=0.0), time))
    stored = animation.keys["position"][track[key]]
    if abs(pose.moment.time - wanted) > 1e-3 or not np.allclose(pose.position[node], stored, 1e-4, 1e-5):
        return None
    frames = animation.times[track.start : track.stop].astype(np.float64)
    return KeyHandle(node, key, time, pose, _above(document, pose, node), frames)


def travel_of(document: Document, view: ViewState) -> Points | None:
    """The path of the root over what plays, if it travels, world space, (t, 3)."""
    is_root = document.model.node_count > 0 and document.skeleton.parents[0] < 0
    if view.playback.root is not Root.TRAVEL or not is_root or not document.animation.is_animated:
        return None
    path: Points = trails_of(document, view, (0,)).points[0]
    is_travelling: bool = np.ptp(path, axis=0).max() > LEAST_TRAVEL
    return path if is_travelling else None


def _above(document: Document, pose: Pose, node: int) -> Points:
    """``world_from_parent`` of a node, (4, 4)."""
    parent = int(document.skeleton.parents[node])
    return np.eye(4) if parent < 0 else pose.world[parent].astype(np.float64)


def _passed(document: Document, view: ViewState, node: int) -> tuple[Points, Numbers]:
    """The times at which what plays passes the keys of a node, on its axis, and their places in its track."""
    frames = document.animation.key_times(node).astype(np.float64)
    clip = document.controller.clip(view.playback.clip)
    if clip is None:
        return frames, np.arange(len(frames))
    pairs = [
        (time, key)
        for key, frame in enumerate(frames.tolist())
        for time in clip_times(document, clip, [frame])
    ]
    times, keys = zip(*sorted(pairs), strict=True) if pairs else ((), ())
    return np.array(times, np.float64), np.array(keys, np.int64)


def _nearest(times: Points, wanted: Points, keys: npt.NDArray[np.generic]) -> tuple[Numbers, Numbers]:
    """The numbers of the times nearest to others, with their keys; those outside are left out."""
    is_inside = (wanted >= times[0]) & (wanted <= times[-1])
    inside = wanted[is_inside]
    after = np.searchsorted(times, inside).clip(1, max(len(times) - 1, 1)) if len(times) > 1 else inside * 0
    after = after.astype(np.int64)
    before = np.maximum(after - 1, 0)
    is_before = np.abs(times[before] - inside) <= np.abs(times[after] - inside)
    return np.where(is_before, before, after), keys[is_inside].astype(np.int64)
