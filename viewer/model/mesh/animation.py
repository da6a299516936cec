"""Sampling the animation: frame index, key choice, interpolation, blending, poses.

Follows the engine, also in its single precision; all nodes are sampled at once.

Source: spec/animation.md 3, 4, 5.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass
from viewer.errors import Diagnostic, Severity, UsageError
from viewer.formats.findings import findings
from viewer.formats.msh.keys import KEY, QuaternionOrder, decode_quaternion
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.geometry.transforms import Floats
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.skeleton import ROOT, Skeleton
from viewer.translation import _


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in frames, or a blend of two, and what does not follow it.

    Attributes
    ----------
    time, time_b, weight_b
        In frames; with `time_b` the poses of both times are blended by the weight of the second.
    driven
        Nodes that are sampled at a time of their own: pairs of node and time, in the order of the nodes.
    is_root_still
        The translation of the first node is left out if it has no parent, as in the game.

    Source: spec/animation.md 4.1, spec/ctl.md, spec/field-notes.md 3.
    """

    time: float = 0.0
    time_b: float | None = None
    weight_b: float = 0.0
    driven: tuple[tuple[int, float], ...] = ()
    is_root_still: bool = False


Indices = npt.NDArray[np.int64]
Real = TypeVar("Real", np.float32, np.float64)

NO_KEY = -1
NO_FRAME = 0xFFFFFFFF
LINEAR_BELOW = np.float32(9.9999997e-6)
"""Quaternions closer than this (1 - dot) are interpolated linearly."""


@dataclass(frozen=True, slots=True)
class Sample:
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


@dataclass(frozen=True, slots=True)
class Pose:
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


def frame_at(time: float) -> int:
    """The frame of a time: ``time - 0.5`` in single precision, rounded half to even, as unsigned 32-bit.

    Raises `UsageError` for a time that is not finite in single precision.
    """
    with np.errstate(over="ignore"):
        single = np.float32(time)
    if not np.isfinite(single):
        raise UsageError(_("time {time} is not finite", time=time))
    frame = float(np.rint(single - np.float32(0.5)))
    return int(frame) & NO_FRAME if abs(frame) < 2.0**63 else 0


def signed_frame_at(time: float) -> int:
    """The frame of a time as it is shown: negative before the first one, where nodes have fallback keys.

    Raises `UsageError` as `frame_at` does.
    """
    frame = frame_at(time)
    return frame - (1 << 32) if frame >> 31 else frame


def _frames_at(times: Floats) -> Indices:
    """The frames of finite times, (n,) int64; `NO_FRAME`, which is beyond any end, outside signed 32-bit.

    There the engine's low word is a frame that the time has nothing to do with.
    """
    frames = np.rint(times - np.float32(0.5)).astype(np.float64)
    wanted: Indices = np.where(np.abs(frames) < 2.0**31, frames, -1.0).astype(np.int64)
    return wanted & NO_FRAME


class Animation:
    """The tracks of a model in one reading, ready to be sampled.

    Attributes
    ----------
    frame_count
        Frames of the model, at least 1.
    is_animated
        Whether any node moves.
    diagnostics
        Diagnostics of nodes whose track or map cannot be used.
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
        count = model.node_count
        self._fallback = np.full(count, NO_KEY, np.int64)
        self._map_start = np.full(count, NONE, np.int64)
        found: list[Diagnostic] = []
        if model.variant is Variant.MODEL and model.has(KEYS) and model.has(FRAME_MAP):
            self._fallback[:] = model.nodes["fallback_key"]
            self._map_start[:] = model.nodes["map_start"]
            found += self._drop_broken_tracks()
        self.diagnostics = (*found, *_key_findings(model))
        self.is_animated = bool((self._map_start != NONE).any())

    def _drop_broken_tracks(self) -> list[Diagnostic]:
        """Make nodes static or identity if the engine would read out of bounds (A02, A03)."""
        is_keyless = self._fallback >= len(self.keys)
        is_mapped = self._map_start != NONE
        is_unmapped = is_mapped & (self._map_start + self.frame_count > len(self._map))
        self._fallback[is_keyless] = NO_KEY
        self._map_start[is_keyless | is_unmapped] = NONE
        return [
            *findings("A02", Severity.ERROR, NODE.name, is_keyless, self._keyless, "fallback_key"),
            *findings("A03", Severity.ERROR, NODE.name, is_unmapped, self._unmapped, "map_start"),
        ]

    def _keyless(self, node: int) -> str:
        return _(
            "{key} of {count} keys; identity", key=self.nodes["fallback_key"][node], count=len(self.keys)
        )

    def _unmapped(self, node: int) -> str:
        start, words = self.nodes["map_start"][node], len(self._map)
        return _(
            "{start} + {frames} frames exceeds {words} words; static",
            start=start,
            frames=self.frame_count,
            words=words,
        )

    def track(self, node: int) -> range:
        """The keys of a node, after the previous node's fallback key up to its own (spec/animation.md 6)."""
        last = int(self._fallback[node])
        if last == NO_KEY:
            return range(0)
        if self._map_start[node] == NONE:
            return range(last, last + 1)
        before = int(self._fallback[node - 1]) if node else NO_KEY
        return range(before + 1 if before < last else last, last + 1)

    @cached_property
    def key_owners(self) -> Indices:
        """The node whose track each key is in, the first of several, (k,) int64; -1 if no node uses it."""
        owners: Indices = np.full(len(self.keys), -1, np.int64)
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
        count = len(self._fallback)
        return self.sample_nodes(np.arange(count), np.full(count, time, np.float32))

    @np.errstate(divide="ignore", over="ignore", invalid="ignore")
    def sample_nodes(self, nodes: Indices, times: Floats) -> Sample:
        """Some nodes, each at its own finite time in frames, (n,) both."""
        key = self._fallback[nodes]
        alpha = np.zeros(len(nodes), np.float32)
        self._choose_segments(nodes, times, key, alpha)
        position, quaternion = self.between(key, alpha)
        return Sample(key, alpha != 0, quaternion, position)

    @np.errstate(over="ignore", invalid="ignore")
    def between(self, key: Indices, alpha: Floats) -> tuple[Floats, Floats]:
        """Positions (n, 3) and quaternions (n, 4) at fractions (n,) of the way from keys (n,) to the next.

        With 0 they are those of the key, which may be the last one.
        """
        position, quaternion = self._at(key)
        moving = np.flatnonzero(alpha)
        if len(moving):
            left, a = key[moving], alpha[moving]
            start, end = self._positions[left], self._positions[left + 1]
            position[moving] = start + (end - start) * a[:, None]
            quaternion[moving] = interpolate(self._quaternions[left], self._quaternions[left + 1], a)
        return position, quaternion

    def _choose_segments(self, nodes: Indices, times: Floats, key: Indices, alpha: Floats) -> None:
        """Write the key of every mapped node, and the fraction of the way to the next one."""
        start, frames = self._map_start[nodes], _frames_at(times)
        rows = np.flatnonzero((start != NONE) & (frames < self.frame_count))
        words = self._map[start[rows] + frames[rows]].astype(np.int64)
        is_active = words < self._fallback[nodes[rows]]
        rows, left = rows[is_active], words[is_active]
        time, before, after = times[rows], self._times[left], self._times[left + 1]
        length = after - before
        is_between = (time != before) & (time != after) & (length != 0)
        key[rows] = np.where((time == after) & (time != before), left + 1, left)
        alpha[rows] = np.where(is_between, (time - before) / length, np.float32(0))

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
            nodes, times = (np.array(column) for column in zip(*moment.driven, strict=True))
            own = self.sample_nodes(nodes, times.astype(np.float32))
            sample = sample.replaced(nodes, own)
            quaternion[nodes], position[nodes] = own.quaternion, own.position
        if moment.is_root_still and len(position) and self.skeleton.parents[0] == ROOT:
            position[0] = 0
        local = matrices(quaternion, position)
        world = self.skeleton.world_from_node(local)
        return Pose(moment, time, signed_frame_at(time), sample, quaternion, position, local, world)

    def _body(self, moment: Moment) -> tuple[float, Sample, Floats, Floats]:
        """All nodes at the time or times of a moment: the time of the sample, the sample, and the blend."""
        time, time_b, weight = moment.time, moment.time_b, moment.weight_b
        if time_b is None:
            first = self.sample(time)
            return time, first, first.quaternion.copy(), first.position.copy()
        if not np.isfinite((time, time_b, weight)).all():
            raise UsageError(
                _(
                    "times {first} and {second}, weight {weight} are not all finite",
                    first=time,
                    second=time_b,
                    weight=weight,
                )
            )
        uses_a, uses_b = weight < 1 and time >= 0, weight > 0 and time_b >= 0
        if not (uses_a or uses_b):
            raise UsageError(
                _(
                    "nothing to blend: times {first} and {second}, weight {weight}",
                    first=time,
                    second=time_b,
                    weight=weight,
                )
            )
        first = self.sample(time if uses_a else time_b)
        if not (uses_a and uses_b):
            return time if uses_a else time_b, first, first.quaternion.copy(), first.position.copy()
        return time, first, *mix(first, self.sample(time_b), weight)


def mix(first: Sample, second: Sample, blend: float) -> tuple[Floats, Floats]:
    """Quaternions (n, 4) and positions (n, 3) between two samples (spec/animation.md 4.1)."""
    weight = np.float32(blend)
    other = second.quaternion
    is_far = _squared(first.quaternion + other) < _squared(first.quaternion - other)
    other = np.where(is_far[:, None], -other, other)
    quaternion = interpolate(first.quaternion, other, np.full(len(other), weight))
    position = (np.float32(1) - weight) * first.position + weight * second.position
    return quaternion, position


def interpolate(q0: Floats, q1: Floats, a: Floats) -> Floats:
    """The engine's slerp of quaternions (n, 4) by weights (n,): shorter way, not normalised.

    The arc functions are evaluated in double precision and rounded; all else is single.
    """
    dot = np.einsum("ij,ij->i", q0, q1)
    sign = np.where(dot < 0, np.float32(-1), np.float32(1))
    dot = np.abs(dot)
    is_linear = np.float32(1) - dot <= LINEAR_BELOW
    angle = _single(np.arccos, np.where(is_linear, np.float32(0), dot))
    turned = a * angle
    w1 = _single(np.sin, turned) / _single(np.sin, angle)
    w0 = _single(np.cos, turned) - w1 * dot
    w0 = np.where(is_linear, np.float32(1) - a, w0)
    w1 = np.where(is_linear, a, w1) * sign
    return w0[:, None] * q0 + w1[:, None] * q1


def matrices(quaternion: Floats, position: Floats) -> Floats:
    """``parent_from_node`` (n, 4, 4) float32 of w, x, y, z (n, 4) and translations (n, 3).

    The rotation is by the conjugate, as in the engine: the 3x3 part is R(q) transposed.
    """
    result = np.zeros((len(quaternion), 4, 4), np.float32)
    result[:, :3, :3] = rotations(quaternion)
    result[:, :3, 3] = position
    result[:, 3, 3] = 1
    return result


def rotations(quaternion: npt.NDArray[Real]) -> npt.NDArray[Real]:
    """The 3x3 parts of ``parent_from_node`` (n, 3, 3) of w, x, y, z (n, 4), in the same precision."""
    w, x, y, z = quaternion.T
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    result = np.empty((len(quaternion), 3, 3), quaternion.dtype)
    result[:, 0, 0], result[:, 0, 1], result[:, 0, 2] = 1 - (yy + zz), xy + wz, xz - wy
    result[:, 1, 0], result[:, 1, 1], result[:, 1, 2] = xy - wz, 1 - (xx + zz), yz + wx
    result[:, 2, 0], result[:, 2, 1], result[:, 2, 2] = xz + wy, yz - wx, 1 - (xx + yy)
    return result


def _key_findings(model: Model) -> list[Diagnostic]:
    """Keys whose numbers are not finite; 0 is used instead (A12)."""
    is_lost = {
        "position": ~np.isfinite(model.keys["position"]).all(axis=1),
        "time": ~np.isfinite(model.keys["time"]),
    }
    return [
        finding
        for field, rows in is_lost.items()
        for finding in findings(
            "A12", Severity.ERROR, KEY.name, rows, lambda _ignored: "not finite; 0 is used", field
        )
    ]


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.float32(0))


def _squared(values: Floats) -> Floats:
    result: Floats = np.einsum("ij,ij->i", values, values)
    return result


def _single(function: np.ufunc, values: Floats) -> Floats:
    # Worked out in double and rounded once.
    result: Floats = function(values.astype(np.float64)).astype(np.float32)
    return result
