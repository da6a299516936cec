"""Curves of nodes over the frames: what the engine samples, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry import quaternions
from viewer.geometry.transforms import Doubles, angles, rotation
from viewer.model.mesh.pose.animation import Animation, Sample
from viewer.model.mesh.pose.interpolation import LINEAR_BELOW, rotations
from viewer.session.opened.document import Document

MOST_POINTS: Final = 2000
"""Points of a curve; there are at least two for each frame where they are enough."""
STEPS: Final = 8
"""Points for each frame, if the animation is short."""


class CurveKind(StrEnum):
    """The quantity that the curves of a node show."""

    POSITION = "position"
    QUATERNION = "quaternion"
    DEGREES = "degrees"
    SPEED = "speed"
    TURNING = "turning"
    ERROR = "error"


AXES: Final[Mapping[CurveKind, tuple[str, ...]]] = {
    CurveKind.POSITION: ("x", "y", "z"),
    CurveKind.QUATERNION: ("w", "x", "y", "z"),
    CurveKind.DEGREES: ("x", "y", "z"),
    CurveKind.SPEED: ("",),
    CurveKind.TURNING: ("",),
    CurveKind.ERROR: ("",),
}
"""The names of the curves of each kind."""
OF_KEYS: Final = (CurveKind.POSITION, CurveKind.QUATERNION, CurveKind.DEGREES)
"""The kinds that keys say, and that can be changed in them."""


def moving_kind(document: Document, node: int) -> CurveKind:
    """Return what of a node moves: its rotation if its keys differ in it, else its position."""
    return CurveKind.DEGREES if _count(document, node, "quaternion") > 1 else CurveKind.POSITION


def most_moving(document: Document) -> list[int]:
    """Return the node whose keys say the most different rotations, else places; none without keys."""
    nodes = range(document.model.node_count)
    turns = ((_count(document, it, "quaternion"), _count(document, it, "position")) for it in nodes)
    return [it for _counts, it in sorted(zip(turns, nodes, strict=True), key=lambda it: it[0])[-1:]]


def _count(document: Document, node: int, field: str) -> int:
    """Number of different values in the keys of a node."""
    track = document.animation.track(node)
    values = document.animation.keys[field][track.start : track.stop]
    return len(np.unique(values, axis=0)) if len(values) else 0


class Curves(Struct, frozen=True, eq=False):
    """The curves of one node.

    Attributes
    ----------
    times
        In frames, ascending, (t,).
    values
        One row for each name in `AXES`, (c, t): units of length, components, degrees, length or degrees a
        frame, or for `ERROR` the farthest that a component of the rotation is from double precision.
    key_times, key_values
        The same at the keys, (k,) and (c, k); none for kinds that no key says.
    """

    times: Doubles
    values: Doubles
    key_times: Doubles
    key_values: Doubles


class MovedKey(NamedTuple):
    """The new value of a dragged key: position or quaternion w, x, y, z."""

    position: tuple[float, ...] | None = None
    quaternion: tuple[float, ...] | None = None


def times_of(animation: Animation) -> npt.NDArray[np.float32]:
    """The times at which curves are sampled, in frames, (t,)."""
    last = max(animation.frame_count - 1, 0)
    count = min(MOST_POINTS, STEPS * last + 1)
    return np.linspace(0, last, max(count, 2)).astype(np.float32)


class NodeMotion:
    """A node from its first frame to its last one, sampled once for all kinds of curves."""

    def __init__(self, document: Document, node: int) -> None:
        animation = self._animation = document.animation
        self._node = node
        self._times = times_of(animation)
        self._sample = animation.sample_nodes(np.full(len(self._times), node), self._times)
        self._position = self._sample.position.astype(np.float64)
        self._quaternion = self._sample.quaternion.astype(np.float64)
        self._known: dict[CurveKind, Curves] = {}

    def curves(self, kind: CurveKind) -> Curves:
        """The curves of a kind."""
        if kind not in self._known:
            keys = np.array(self._animation.track(self._node), np.int64)
            if kind not in OF_KEYS:
                keys = keys[:0]
            at_keys = (
                it.astype(np.float64) for it in self._animation.between(keys, np.zeros(len(keys), np.float32))
            )
            times, key_times = (it.astype(np.float64) for it in (self._times, self._animation.times[keys]))
            self._known[kind] = Curves(times, self._values(kind), key_times, _shown(kind, *at_keys))
        return self._known[kind]

    def with_value(self, kind: CurveKind, key: int, axis: int, value: float) -> MovedKey:
        """The key with another value in one place; a rotation stays one.

        Of a quaternion the other components keep their ratios, of angles the other angles stay.

        Parameters
        ----------
        kind
            `POSITION`, `QUATERNION` or `DEGREES`.
        key, axis
            The key in the track of the node, and the curve in `AXES`.
        value
            In the unit of the curve.
        """
        values = self.curves(kind).key_values[:, key].copy()
        if kind is CurveKind.QUATERNION:
            value = min(max(value, -1.0), 1.0)
            values[axis] = 0.0
            if not values.any():
                values[axis - 1] = 1.0
            values *= sqrt(1 - value * value) / np.linalg.norm(values)
        values[axis] = value
        if kind is CurveKind.POSITION:
            return MovedKey(position=tuple(values.tolist()))
        if kind is CurveKind.DEGREES:
            values = quaternions.of_matrix(rotation(tuple(values.tolist()))[:3, :3])
            before = self.curves(CurveKind.QUATERNION).key_values[:, key]
            values = np.clip(-values if values @ before < 0 else values, -1, 1)
        return MovedKey(quaternion=tuple(values.tolist()))

    def _values(self, kind: CurveKind) -> Doubles:
        if kind is CurveKind.SPEED:
            return self._per_frame(np.linalg.norm(np.diff(self._position, axis=0), axis=1))
        if kind is CurveKind.TURNING:
            lengths = np.sqrt(np.einsum("ij,ij->i", self._quaternion, self._quaternion))
            unit = self._quaternion / np.maximum(lengths, 1e-30)[:, None]
            # By the chord, as the angle of a small turn is lost in a dot product near to 1.
            ways = (unit[1:] - unit[:-1], unit[1:] + unit[:-1])
            chord = np.sqrt(np.minimum(*(np.einsum("ij,ij->i", it, it) for it in ways)))
            return self._per_frame(np.degrees(4 * np.arcsin(np.minimum(chord / 2, 1))))
        if kind is CurveKind.ERROR:
            exact = _exact(self._animation, self._sample, self._times)
            error: Doubles = np.abs(self._quaternion - exact).max(axis=1)[None]
            return error
        return _shown(kind, self._position, self._quaternion)

    def _per_frame(self, ways: Doubles) -> Doubles:
        """The curve (1, t) of the distance per frame, of distances from one time to the next (t - 1,)."""
        spans = np.diff(self._times.astype(np.float64))
        # Nothing is gone in the no time of a single frame.
        speed = np.divide(ways, spans, out=np.zeros_like(ways), where=spans > 0)
        return np.concatenate([speed[:1], speed])[None]


def _exact(animation: Animation, sample: Sample, times: npt.NDArray[np.float32]) -> Doubles:
    """Rotations (t, 4) by the same formulas in double precision (spec/animation.md 4)."""
    zero = np.zeros(len(times), np.float32)
    exact = sample.quaternion.astype(np.float64)
    moving = np.flatnonzero(sample.is_interpolated)
    left = sample.key[moving]
    ends = (animation.between(keys, zero[moving])[1].astype(np.float64) for keys in (left, left + 1))
    before, after = (animation.times[keys].astype(np.float64) for keys in (left, left + 1))
    first, second = ends
    share = ((times[moving] - before) / (after - before))[:, None]
    dot = np.einsum("ij,ij->i", first, second)[:, None]
    second = np.where(dot < 0, -second, second)
    dot = np.abs(dot)
    is_linear = 1 - dot <= LINEAR_BELOW
    angle = np.arccos(np.where(is_linear, 0.0, dot))
    weight = np.where(is_linear, share, np.sin(share * angle) / np.sin(angle))
    rest = np.where(is_linear, 1 - share, np.cos(share * angle) - weight * dot)
    exact[moving] = rest * first + weight * second
    return exact


def _shown(kind: CurveKind, position: Doubles, quaternion: Doubles) -> Doubles:
    if kind is CurveKind.POSITION:
        return np.ascontiguousarray(position.T)
    if kind is CurveKind.QUATERNION:
        return np.ascontiguousarray(quaternion.T)
    if kind is CurveKind.DEGREES:
        turned: Doubles = rotations(quaternion)
        return np.ascontiguousarray(angles(turned).T)
    return np.zeros((1, len(position)))
