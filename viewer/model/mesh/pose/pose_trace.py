"""Trace of a pose: the steps of the engine for one node at one time, one number after the other.

Written from spec/animation.md 3 and 4 for single numbers, apart from `animation` and `interpolation`, which
do the same for all nodes at once: each is held against the other in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from math import acos, cos, sin

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.mesh.pose.animation import NO_KEY, Animation, Moment
from viewer.model.mesh.pose.frame_index import frame_at, signed_frame_at
from viewer.model.mesh.pose.interpolation import LINEAR_BELOW, SHORTEST

Numbers = tuple[float, ...]
_NO_KEY_AT_ALL = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


class PoseSource(StrEnum):
    """The rule that decides the pose of a node."""

    NO_KEY = "no key"
    NO_MAP = "no frame map"
    OUTSIDE = "frame outside of the map"
    FALLBACK = "word not below the fallback key"
    AT_KEY = "at a key"
    LINEAR = "between two keys, linear"
    ARC = "between two keys, along the arc"


class PoseTrace(Struct, frozen=True):
    """The steps from a time to the pose of a node.

    Attributes
    ----------
    time
        In frames.
    shifted
        ``f32(time - 0.5)``.
    frame
        It rounded, half to even; negative before the first frame.
    word_row, word
        Row of the frame map, and what it says; None if none is read.
    fallback
        Row of the fallback key; None for a node without a key.
    key, following
        Row of the key in effect, and of the next one if the pose is between them.
    alpha
        The share of the way between them, single precision; 0 at a key.
    dot, is_turned
        Dot product of their rotations, as it is; and whether the second is negated, for the shorter way.
    quaternion, position
        The pose: w, x, y, z, and the translation in the space of the parent, single precision.
    exact_quaternion, exact_position
        The same formulas in double precision.
    """

    time: float
    shifted: float
    frame: int
    source: PoseSource
    word_row: int | None = None
    word: int | None = None
    fallback: int | None = None
    key: int | None = None
    following: int | None = None
    alpha: float = 0.0
    dot: float | None = None
    is_turned: bool = False
    quaternion: Numbers = _NO_KEY_AT_ALL[1]
    position: Numbers = _NO_KEY_AT_ALL[0]
    exact_quaternion: Numbers = _NO_KEY_AT_ALL[1]
    exact_position: Numbers = _NO_KEY_AT_ALL[0]

    @property
    def error(self) -> float:
        """The farthest that a component of the rotation is from double precision."""
        pairs = zip(self.quaternion, self.exact_quaternion, strict=True)
        return max(abs(single - double) for single, double in pairs)


def traces(animation: Animation, node: int, moment: Moment) -> Iterator[tuple[PoseTrace, float]]:
    """The traces of the times that a moment uses of a node, with their weights.

    A node that a channel drives has a time of its own.
    """
    own = dict(moment.driven).get(node)
    if own is not None:
        yield trace(animation, node, own), 1.0
        return
    share = min(max(moment.share, 0.0), 1.0) if moment.other is not None else 0.0
    for part, weight in ((moment, 1.0 - share), (moment.other, share)):
        if part is not None and weight > 0:
            yield from ((found, own * weight) for found, own in _body_traces(animation, node, part))


def _body_traces(animation: Animation, node: int, moment: Moment) -> Iterator[tuple[PoseTrace, float]]:
    """The traces of the one or two times of a moment, with their weights."""
    second, weight = moment.time_b, moment.weight_b
    uses_second = second is not None and weight > 0 and second >= 0
    uses_first = second is None or (weight < 1 and moment.time >= 0)
    if uses_first:
        yield trace(animation, node, moment.time), 1.0 - weight if uses_second else 1.0
    if uses_second and second is not None:
        yield trace(animation, node, second), weight if uses_first else 1.0


def trace(animation: Animation, node: int, time: float) -> PoseTrace:
    """The steps for a node at a time in frames; raises `UsageError` for a time that is not finite."""
    single = np.float32(time)
    shifted, frame = float(single - np.float32(0.5)), signed_frame_at(time)
    start, fallback = animation.map_start(node), animation.fallback(node)
    if fallback is None:
        return PoseTrace(time, shifted, frame, PoseSource.NO_KEY)
    # As unsigned, a frame before the first one is beyond the last as well.
    row = None if start is None or frame_at(time) >= animation.frame_count else start + frame
    word = None if row is None else animation.word(row)
    if word is None or word >= fallback:
        source = (
            PoseSource.NO_MAP if start is None else PoseSource.OUTSIDE if row is None else PoseSource.FALLBACK
        )
        return _at_key(animation, PoseTrace(time, shifted, frame, source, row, word, fallback, fallback))
    before, after = (np.float32(animation.times[key]) for key in (word, word + 1))
    # Equal, without a tolerance, as in the game (spec/animation.md 4).
    if single in (before, after):
        key = word if single == before else word + 1
        return _at_key(
            animation, PoseTrace(time, shifted, frame, PoseSource.AT_KEY, row, word, fallback, key)
        )
    length = after - before
    alpha = np.float32(0) if abs(length) < SHORTEST else (single - before) / length
    if alpha == 0:
        return _at_key(
            animation, PoseTrace(time, shifted, frame, PoseSource.AT_KEY, row, word, fallback, word)
        )
    (p0, q0), (p1, q1) = (animation.key_pose(key) for key in (word, word + 1))
    dot = np.float32(np.einsum("i,i->", q0, q1))
    is_linear = bool(np.float32(1) - abs(dot) <= LINEAR_BELOW)
    # In double, to show how far single precision is off.
    exact = (float(single) - float(before)) / float(length)
    return PoseTrace(
        time,
        shifted,
        frame,
        PoseSource.LINEAR if is_linear else PoseSource.ARC,
        row,
        word,
        fallback,
        word,
        word + 1,
        float(alpha),
        float(dot),
        bool(dot < 0),
        _between(q0, q1, float(alpha), np.float32),
        tuple((p0 + (p1 - p0) * alpha).tolist()),
        _between(q0, q1, exact, np.float64),
        tuple((p0.astype(np.float64) + (p1.astype(np.float64) - p0) * exact).tolist()),
    )


def _at_key(animation: Animation, found: PoseTrace) -> PoseTrace:
    """The trace of a node that is exactly at a key."""
    if found.key in (None, NO_KEY):
        return found
    position, quaternion = (tuple(it.tolist()) for it in animation.key_pose(found.key or 0))
    return replace(
        found,
        quaternion=quaternion,
        position=position,
        exact_quaternion=quaternion,
        exact_position=position,
    )


def _between(q0: np.ndarray, q1: np.ndarray, alpha: float, precision: type[np.floating]) -> Numbers:
    """The rotation between two others; the functions of the arc in double, rounded to the precision."""
    q0, q1, one = q0.astype(precision), q1.astype(precision), precision(1)
    a, dot = precision(alpha), precision(np.einsum("i,i->", q0, q1))
    sign = precision(-1 if dot < 0 else 1)
    dot = abs(dot)
    if one - dot <= LINEAR_BELOW:
        w0, w1 = one - a, a
    else:
        angle = precision(acos(dot))
        # The arc functions in double, their results rounded once: so the seeds tell to compare
        # (spec/animation.md 4).
        w1 = precision(sin(a * angle)) / precision(sin(angle))
        w0 = precision(cos(a * angle)) - w1 * dot
    return tuple((w0 * q0 + w1 * (sign * q1)).tolist())
