"""Sampling the animation: frame index, key choice, interpolation, blending, poses.

Follows the engine, also in its single precision; all nodes are sampled at once.

Source: spec/animation.md 3, 4, 5.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import UsageError
from viewer.formats.msh.keys import QuaternionOrder, decode_quaternion
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.geometry.transforms import Floats, Indices, Mask
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.pose.frame_index import frame_at, frames_at, signed_frame_at
from viewer.model.mesh.pose.interpolation import SHORTEST, Arcs, Segments, interpolate, matrices
from viewer.model.mesh.pose.skeleton import ROOT, Skeleton
from viewer.translation import _


class Moment(Struct, frozen=True):
    """A time in frames, or a blend of two, and what does not follow it.

    Attributes
    ----------
    time, time_b, weight_b
        In frames; with `time_b` the poses of both times are blended by the weight of the second.
    driven
        Nodes that are sampled at a time of their own: pairs of node and time, in the order of the nodes.
    is_root_still
        The translation of the first node is left out if it has no parent, as in the game.
    other, share
        The times of another moment, whose blend is blended with this one in the same way, by a weight.

    Source: spec/animation.md 4.1, spec/ctl.md, spec/field-notes.md 3.
    """

    time: float = 0.0
    time_b: float | None = None
    weight_b: float = 0.0
    driven: tuple[tuple[int, float], ...] = ()
    is_root_still: bool = False
    other: Moment | None = None
    share: float = 0.0


NO_KEY = -1
KEPT = 100_000
"""Segments that are kept, of all nodes in some frames, 9 MB: clips are repeated."""


class Sample(Struct, frozen=True, eq=False):
    """All nodes at one time, before the hierarchy.

    Attributes
    ----------
    key
        Left or exact key of each node, (n,) int64, -1 if it has none.
    is_interpolated
        Whether the node lies between two keys, (n,) bool.
    quaternion
        w, x, y, z as in the engine, (n, 4) float32, not normalised.
    position
        Translation in the parent's space, (n, 3) float32.
    """

    key: Indices
    is_interpolated: npt.NDArray[np.bool_]
    quaternion: Floats
    position: Floats

    def replaced(self, nodes: Indices, other: Sample) -> Sample:
        """The sample with some nodes taken from a sample of these nodes alone."""
        columns = [(it.copy(), new) for it, new in zip(self._columns, other._columns, strict=True)]
        for column, new in columns:
            column[nodes] = new
        return Sample(*(column for column, _ignored in columns))

    @property
    def _columns(self) -> tuple[Any, ...]:
        return self.key, self.is_interpolated, self.quaternion, self.position


class Pose(Struct, frozen=True, eq=False):
    """A model at one moment.

    `sample` is the sample of the keys (of the first time if two are blended), `time` its time; `quaternion`
    (n, 4) and `position` (n, 3) are the drawn ones; `local` and `world` are matrices (n, 4, 4) float32,
    ``parent_from_node`` and ``world_from_node``. `frame` is negative before the first frame.
    """

    moment: Moment
    time: float
    frame: int
    sample: Sample
    quaternion: Floats
    position: Floats
    local: Floats
    world: Floats


class Animation:
    """The tracks of a model in one reading, ready to be sampled.

    Attributes
    ----------
    frame_count
        Frames of the model, at least 1.
    is_animated
        Whether any node moves.
    """

    def __init__(self, model: Model, skeleton: Skeleton, order: QuaternionOrder) -> None:
        self.skeleton = skeleton
        self.frame_count = model.frame_count
        self.nodes = model.nodes
        self.keys = model.keys
        self._positions = _finite(model.keys["position"])
        self._times = _finite(model.keys["time"])
        self._quaternions = decode_quaternion(model.keys["quaternion"], order)
        self._map = model.frame_map
        self._known: dict[object, tuple[Indices, Segments]] = {}
        self._last_driven: tuple[object, tuple[Indices, Sample]] | None = None
        count = model.node_count
        self._fallback = np.full(count, NO_KEY, np.int64)
        self._map_start = np.full(count, NONE, np.int64)
        if model.variant is Variant.MODEL and model.has(KEYS) and model.has(FRAME_MAP):
            self._fallback[:] = model.nodes["fallback_key"]
            self._map_start[:] = model.nodes["map_start"]
            # Nodes are static or keep the identity where the engine would read out of bounds.
            has_no_key, has_no_words = broken_tracks(
                self._fallback, self._map_start, len(self.keys), self.frame_count, len(self._map)
            )
            self._fallback[has_no_key] = NO_KEY
            self._map_start[has_no_key | has_no_words] = NONE
        self.is_animated = bool((self._map_start != NONE).any())

    def track(self, node: int) -> range:
        """The keys of a node, after the previous node's fallback key up to its own (spec/animation.md 6)."""
        last = int(self._fallback[node])
        if last == NO_KEY:
            return range(0)
        if self._map_start[node] == NONE:
            return range(last, last + 1)
        before = int(self._fallback[node - 1]) if node else NO_KEY
        # In a damaged pool the key before may be behind: then the node has its own last key alone.
        return range(before + 1 if before < last else last, last + 1)

    @cached_property
    def key_owners(self) -> Indices:
        """The node whose track each key is in, the first of several, (k,) int64; -1 if no node uses it."""
        owners: Indices = np.full(len(self.keys), -1, np.int64)
        # Backwards, so that the first of several nodes is the last to write.
        for node in reversed(range(len(self._fallback))):
            keys = self.track(node)
            owners[keys.start : keys.stop] = node
        return owners

    @property
    def times(self) -> Floats:
        """Times of all keys in frames, finite, (k,) float32."""
        return self._times

    @property
    def word_count(self) -> int:
        """Words of the frame map."""
        return len(self._map)

    def map_start(self, node: int) -> int | None:
        """The row of the frame map at which a node's words begin; None for a node without any."""
        start = int(self._map_start[node])
        return None if start == NONE else start

    def fallback(self, node: int) -> int | None:
        """The row of a node's fallback key; None for a node without a key."""
        key = int(self._fallback[node])
        return None if key == NO_KEY else key

    def word(self, row: int) -> int:
        """The word in a row of the frame map."""
        return int(self._map[row])

    def key_pose(self, key: int) -> tuple[Floats, Floats]:
        """The position (3,) and the quaternion (4,) of a key."""
        return self._positions[key], self._quaternions[key]

    def words(self, node: int) -> tuple[Indices, int]:
        """The left key of a node in every frame, (f,), and its fallback key, which also stands for more.

        (0,) for a node without a frame map.
        """
        start, fallback = int(self._map_start[node]), int(self._fallback[node])
        if start == NONE:
            return np.zeros(0, np.int64), fallback
        words = self._map[start : start + self.frame_count].astype(np.int64)
        return np.minimum(words, fallback), fallback

    def key_times(self, node: int) -> Floats:
        """Times of a node's keys in frames, (k,) float32."""
        keys = self.track(node)
        return self._times[keys.start : keys.stop]

    def sample(self, time: float) -> Sample:
        """All nodes at one time in frames; raises `UsageError` for a time that is not finite."""
        frame_at(time)
        single = np.float32(time)
        frame = int(frames_at(np.asarray(single)))
        return self._sample(self._fallback, *self._kept((), np.asarray(frame)), single)

    def sample_nodes(self, nodes: Indices, times: Floats) -> Sample:
        """Samples of nodes, each at its own finite time in frames, (n,) both."""
        rows, segments = self._segments(nodes, frames_at(times))
        return self._sample(self._fallback[nodes], rows, segments, times[rows])

    def _kept(self, numbers: tuple[int, ...], frames: Indices) -> tuple[Indices, Segments]:
        """The segments of some nodes, by default all, in their frames; those asked for last are kept."""
        # By nodes and frames, not by times: all times of a frame are in one segment. Dropped all together
        # when there are too many.
        key = numbers, frames.tobytes()
        known = self._known.get(key)
        if known is None:
            nodes = np.array(numbers) if numbers else np.arange(len(self._fallback))
            known = self._segments(nodes, np.broadcast_to(frames, nodes.shape))
            if len(self._known) * len(self._fallback) > KEPT:
                self._known.clear()
            self._known[key] = known
        return known

    @np.errstate(over="ignore", invalid="ignore")
    def between(self, key: Indices, alpha: Floats) -> tuple[Floats, Floats]:
        """Positions (n, 3) and quaternions (n, 4) at fractions (n,) of the way from keys (n,) to the next.

        With 0 they are those of the key, which may be the last one.
        """
        moving = np.flatnonzero(alpha)
        if not len(moving):
            return self._at(key)
        return self._mixed(key, moving, self._segments_from(key[moving]), alpha[moving])

    def _segments(self, nodes: Indices, frames: Indices) -> tuple[Indices, Segments]:
        """Nodes that lie between two keys in their frames, and these keys."""
        start = self._map_start[nodes]
        rows = np.flatnonzero((start != NONE) & (frames < self.frame_count))
        words = self._map[start[rows] + frames[rows]].astype(np.int64)
        # A word that is not below the fallback key stands for that key (spec/animation.md 4).
        is_active = words < self._fallback[nodes[rows]]
        return rows[is_active], self._segments_from(words[is_active])

    @np.errstate(divide="ignore", over="ignore", invalid="ignore")
    def _segments_from(self, left: Indices) -> Segments:
        """The segments from some keys (k,) to the next ones."""
        right = left + 1
        before, after = self._times[left], self._times[right]
        length, start = after - before, self._positions[left]
        # No time is inside a segment without length: the fraction of infinity is 0, the first key.
        return Segments(
            left,
            before,
            after,
            np.where(np.abs(length) < SHORTEST, np.float32(np.inf), length),
            np.ascontiguousarray(start.T),
            np.ascontiguousarray((self._positions[right] - start).T),
            Arcs.between(self._quaternions[left], self._quaternions[right]),
        )

    @np.errstate(divide="ignore", over="ignore", invalid="ignore")
    def _sample(self, fallback: Indices, rows: Indices, segments: Segments, times: Any) -> Sample:
        """Nodes with some fallback keys (n,), of which some `rows` lie in segments, at times or one time."""
        alpha = (times - segments.before) / segments.length
        key = fallback.copy()
        key[rows] = segments.left
        # Equal, not close: at the time of a key the game shows the stored key, bit by bit
        # (spec/animation.md 4). Of two keys at one time the left one stays.
        is_end = times == segments.after
        if is_end.any():
            is_end &= times != segments.before
            key[rows] += is_end
            alpha[is_end] = 0
        is_between = np.zeros(len(key), np.bool_)
        is_between[rows] = alpha != 0
        position, quaternion = self._mixed(key, rows, segments, alpha)
        return Sample(key, is_between, quaternion, position)

    def _mixed(self, key: Indices, rows: Indices, segments: Segments, alpha: Floats) -> tuple[Floats, Floats]:
        """Positions and quaternions of keys (n,); of some `rows` at fractions of their segments, unless 0."""
        # Fraction 0 is a stored key, which arithmetic must not touch.
        moving = np.flatnonzero(alpha)
        if len(moving) == len(key):
            position, quaternion = segments.at(alpha)
            return position.T, quaternion.T
        position, quaternion = self._at(key)
        if len(moving):
            columns = slice(None) if len(moving) == len(rows) else moving
            moved = segments.at(alpha)
            position[rows[moving]] = moved[0].T[columns]
            quaternion[rows[moving]] = moved[1].T[columns]
        return position, quaternion

    def _at(self, key: Indices) -> tuple[Floats, Floats]:
        """Positions and quaternions of keys; the identity if there is none."""
        if not len(self.keys):
            identity = np.array([1, 0, 0, 0], np.float32)
            return np.zeros((len(key), 3), np.float32), np.tile(identity, (len(key), 1))
        position, quaternion = self._positions[key], self._quaternions[key]
        has_key = key != NO_KEY
        if not has_key.all():
            position[~has_key] = 0
            quaternion[~has_key] = (1, 0, 0, 0)
        return position, quaternion

    def pose(self, time: float, time_b: float | None = None, blend: float = 0.0) -> Pose:
        """The stored pose at `time`, or between `time` and `time_b` by `blend`, as `pose_at` gives it."""
        return self.pose_at(Moment(time, time_b, blend))

    @np.errstate(over="ignore", invalid="ignore")
    def pose_at(self, moment: Moment) -> Pose:
        """The model at a moment.

        Blending follows the engine: a negative time or a weight of 0 or 1 leaves the other sample
        alone. Raises `UsageError` if neither is used or a number is not finite.
        """
        time, sample, quaternion, position = self._body(moment)
        if moment.driven:
            nodes, own = self._driven(moment.driven)
            sample = sample.replaced(nodes, own)
            quaternion, position = quaternion.copy(), position.copy()
            quaternion[nodes], position[nodes] = own.quaternion, own.position
        if moment.is_root_still and len(position) and self.skeleton.parents[0] == ROOT:
            position = position.copy()
            # The pose walk of the game does this at the first node: the controller moves the body instead
            # (spec/field-notes.md 3).
            position[0] = 0
        local = matrices(quaternion, position)
        world = self.skeleton.world_from_node(local)
        return Pose(moment, time, signed_frame_at(time), sample, quaternion, position, local, world)

    def _driven(self, driven: tuple[tuple[int, float], ...]) -> tuple[Indices, Sample]:
        """Nodes driven by channels, sampled at times of their own; kept, as most channels stand still."""
        last = self._last_driven
        # Only the last times are kept, as channels that stand still ask for the same ones in each frame.
        if last is None or last[0] != driven:
            numbers, given = zip(*driven, strict=True)
            nodes, times = np.array(numbers), np.array(given, np.float32)
            rows, segments = self._kept(numbers, frames_at(times))
            own = self._sample(self._fallback[nodes], rows, segments, times[rows])
            self._last_driven = last = driven, (nodes, own)
        return last[1]

    def _body(self, moment: Moment) -> tuple[float, Sample, Floats, Floats]:
        """All nodes at the time or times of a moment: the time of the sample, the sample, and the blend."""
        if moment.other is not None and moment.share > 0:
            if moment.share >= 1:
                return self._body(moment.other)
            time, first, *pair = self._body(replace(moment, other=None))
            other = self._body(moment.other)
            both = (Sample(first.key, first.is_interpolated, *it) for it in (pair, other[2:]))
            return time, first, *mix(next(both), next(both), moment.share)
        time, time_b, weight = moment.time, moment.time_b, moment.weight_b
        if time_b is None:
            first = self.sample(time)
            return time, first, first.quaternion, first.position
        if not np.isfinite((time, time_b, weight)).all():
            words = "times {first} and {second}, weight {weight} are not all finite"
            raise UsageError(_(words, first=time, second=time_b, weight=weight))
        # A = b < 1 and tA >= 0, B = b > 0 and tB >= 0 (spec/animation.md 4.1).
        uses_a, uses_b = weight < 1 and time >= 0, weight > 0 and time_b >= 0
        if not (uses_a or uses_b):
            words = "nothing to blend: times {first} and {second}, weight {weight}"
            raise UsageError(_(words, first=time, second=time_b, weight=weight))
        first = self.sample(time if uses_a else time_b)
        if not (uses_a and uses_b):
            return time if uses_a else time_b, first, first.quaternion, first.position
        return time, first, *mix(first, self.sample(time_b), weight)


def mix(first: Sample, second: Sample, blend: float) -> tuple[Floats, Floats]:
    """Quaternions (n, 4) and positions (n, 3) between two samples (spec/animation.md 4.1)."""
    weight = np.float32(blend)
    other = second.quaternion
    # q and -q are one rotation: the nearer of the two gives the shorter way.
    is_far = _squared(first.quaternion + other) < _squared(first.quaternion - other)
    other = np.where(is_far[:, None], -other, other)
    quaternion = interpolate(first.quaternion, other, np.full(len(other), weight))
    position = (np.float32(1) - weight) * first.position + weight * second.position
    return quaternion, position


def broken_tracks(
    fallback: Indices,
    map_start: Indices,
    keys: int | Indices,
    frames: int | Indices,
    words: int | Indices,
) -> tuple[Mask, Mask]:
    """The nodes (n,) with a fallback key (A02), and with words of the frame map (A03), that do not exist.

    Keys, frames and words are those that the model of each node has, int64.
    """
    return fallback >= keys, (map_start != NONE) & (map_start + frames > words)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.float32(0))


def _squared(values: Floats) -> Floats:
    result: Floats = np.einsum("ij,ij->i", values, values)
    return result
