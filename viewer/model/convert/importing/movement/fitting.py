"""The keys of a track that was sampled at other times than its keys have.

A program that samples 24 times a second what has 15 frames cuts off the corners at keys, so keys cannot be
read off; they are those whose curve goes through the samples.

Source: spec/animation.md 4.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.geometry.transforms import Doubles, Floats
from viewer.model.convert.importing.movement.curves import Curve
from viewer.model.convert.scene import Indices, Track

MOST: Final = 128
"""Keys that are looked for at once."""
ROUNDS: Final = 8
"""How often rotations are corrected, which are not linear."""
LEAST: Final = 1e-3
"""Share of a key in a sample from which it counts."""


def fitted(before: Track, sampled: Track, near: float) -> Track | None:
    """The track with the times of a known one that goes through samples; None if none does.

    Only keys beside samples that are not on the known curve are others.
    """
    is_off = ~Curve(before).has(sampled, near)
    left, right, part = _places(before, sampled)
    touched = np.union1d(left[is_off & (part < 1 - LEAST)], right[is_off & (part > LEAST)])
    if not 0 < len(touched) <= MOST:
        return None
    asked = np.flatnonzero(np.isin(left, touched) | np.isin(right, touched))
    weights = np.zeros((len(asked), len(touched)))
    for key, share in ((left[asked], 1 - part[asked]), (right[asked], part[asked])):
        at = np.minimum(np.searchsorted(touched, key), len(touched) - 1)
        is_it = touched[at] == key
        weights[np.flatnonzero(is_it), at[is_it]] += share[is_it]
    some = Track(sampled.times[asked], sampled.positions[asked], sampled.rotations[asked])
    inverse: Doubles = np.linalg.pinv(weights).astype(np.float64)
    found = _settled(before, _solved(before, some, touched, inverse), near)
    return found if Curve(found).has(sampled, near).all() else None


def _places(before: Track, sampled: Track) -> tuple[Indices, Indices, Doubles]:
    """The keys beside each sample, and how far it is from the first to the second."""
    last = len(before.times) - 1
    left = np.clip(np.searchsorted(before.times, sampled.times, "right") - 1, 0, last)
    right = np.minimum(left + 1, last)
    length = before.times[right] - before.times[left]
    away = sampled.times - before.times[left]
    part = np.divide(away, length, out=np.zeros(len(away)), where=length > 0)
    return left, right, np.clip(part, 0, 1)


def _solved(before: Track, sampled: Track, touched: Indices, inverse: Doubles) -> Track:
    """A track whose chosen keys fit samples best."""
    positions, rotations = before.positions.copy(), before.rotations.copy()
    expected = Curve(before).at(sampled.times)
    positions[touched] += (inverse @ (sampled.positions - expected.positions)).astype(np.float32)
    for _ in range(ROUNDS):
        reached = Curve(Track(before.times, before.positions, rotations)).at(sampled.times).rotations
        step = inverse @ _vectors(_product(_conjugate(reached), sampled.rotations.astype(np.float64)))
        rotations[touched] = _product(rotations[touched].astype(np.float64), _turns(step))
    return Track(before.times, positions, rotations)


def _settled(before: Track, found: Track, near: float) -> Track:
    """A track without the differences that are only noise."""
    apart = np.minimum(*(np.abs(found.rotations - sign * before.rotations).max(axis=1) for sign in (1, -1)))
    is_moved = (np.abs(found.positions - before.positions) > near).any(axis=1)[:, None]
    is_turned = (apart > Curve.TURN)[:, None]
    return Track(
        before.times,
        np.where(is_moved, found.positions, before.positions),
        np.where(is_turned, found.rotations, before.rotations),
    )


def _conjugate(rotations: Floats) -> Doubles:
    return rotations.astype(np.float64) * (1, -1, -1, -1)


def _product(one: Doubles, other: Doubles) -> Doubles:
    """Products of rotations w, x, y, z, (n, 4)."""
    w, v, a, b = one[:, :1], one[:, 1:], other[:, :1], other[:, 1:]
    scalar = w * a - (v * b).sum(axis=1, keepdims=True)
    return np.hstack([scalar, w * b + a * v + np.cross(v, b)])


def _vectors(rotations: Doubles) -> Doubles:
    """Rotations as axes times angles, (n, 3)."""
    rotations = np.where(rotations[:, :1] < 0, -rotations, rotations)
    sine = np.linalg.norm(rotations[:, 1:], axis=1, keepdims=True)
    angle = 2 * np.arctan2(sine, rotations[:, :1])
    made: Doubles = rotations[:, 1:] * np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 1e-12)
    return made


def _turns(vectors: Doubles) -> Doubles:
    """Rotations of axes times angles, (n, 4)."""
    angle = np.linalg.norm(vectors, axis=1, keepdims=True)
    share = np.divide(np.sin(angle / 2), angle, out=np.full_like(angle, 0.5), where=angle > 1e-12)
    return np.hstack([np.cos(angle / 2), vectors * share])
