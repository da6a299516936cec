"""A track as a function of time, compared with a known one and fitted to its keys.

Source: spec/animation.md 2, 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.keys import SCALE
from viewer.geometry.transforms import Doubles, Floats
from viewer.model.convert.gltf.curves import with_frame_keys
from viewer.model.convert.rotations import WIDEST, is_sampled
from viewer.model.convert.scene import Indices, Rotation, Track, Vector
from viewer.model.mesh.animation import interpolate

DENSE: Final = 1.0 + 1e-4
"""Frames between the points of a sampled track, at most."""
LEAST: Final = 1e-7
"""Distance of equal positions, however small the coordinates are."""
SOON: Final = 1e-4
"""Frames between times that are the same but for rounding."""
STEPS: Final = 16
"""Points for each key at which a movement is looked at."""
MOST_FRAMES: Final = 100_000
"""Frames at which it is."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A track between its points too: linear in position, spherical in rotation, held outside."""

    TURN: ClassVar[float] = 2e-4
    """Largest difference of a component of rotations of the same curve."""

    track: Track

    def at(self, times: npt.NDArray[np.float64], *, is_mixed: bool = False) -> Track:
        """The points at some times; with their components mixed, as Blender does, rather than turned."""
        known = self.track
        right = np.clip(np.searchsorted(known.times, times, "right"), 1, max(1, len(known.times) - 1))
        left = np.minimum(right - 1, len(known.times) - 1)
        right = np.minimum(right, len(known.times) - 1)
        length = known.times[right] - known.times[left]
        part = np.divide(times - known.times[left], length, out=np.zeros(len(times)), where=length > 0)
        part = np.clip(part, 0, 1).astype(np.float32)
        start, end = known.positions[left], known.positions[right]
        turns = known.rotations[left], known.rotations[right]
        turned = _mixed(*turns, part[:, None]) if is_mixed else interpolate(*turns, part)
        return Track(times, start + (end - start) * part[:, None], turned)

    def has(self, points: Track, near: float) -> npt.NDArray[np.bool_]:
        """Which points are on it, between its own where another program interpolates alike, (k,).

        Where it jumps, a little earlier or later will do: programs keep times as single floats.
        """
        turned, mixed = (self.at(points.times, is_mixed=it) for it in (False, True))
        early, late = (self.at(points.times + it) for it in (-SOON, SOON))
        slack = np.abs(late.positions - early.positions).max(axis=1)
        away = np.minimum(apart(turned, points), apart(mixed, points))
        is_placed = np.abs(turned.positions - points.positions).max(axis=1) <= near + slack
        found: npt.NDArray[np.bool_] = is_placed & (away <= self.TURN + apart(early, late))
        return found

    @property
    def is_dense(self) -> bool:
        """Whether there is a point in every frame."""
        return len(self.track.times) > 1 and bool((np.diff(self.track.times) <= DENSE).all())

    def is_constant(self, place: float, turn: float) -> bool:
        """Whether nothing moves further than a distance, and no component of a rotation changes by more."""
        known = self.track
        is_still = (np.abs(known.positions - known.positions[0]) <= place).all()
        away = np.minimum(
            *(np.abs(known.rotations - sign * known.rotations[0]).max(axis=1) for sign in (1, -1))
        )
        return bool(is_still and (away <= turn).all())

    def passes(self, position: Vector, place: float) -> bool:
        """Whether it comes as near as a distance to a position, at its keys, in a frame, or between."""
        known = self.track.times
        times = np.linspace(known[0], known[-1], STEPS * len(known) + 1)
        frames = np.arange(np.ceil(known[0]), min(known[-1], known[0] + MOST_FRAMES) + 1)
        points = self.at(np.unique(np.concatenate([known, times, frames]))).positions
        return bool((np.abs(points - np.asarray(position)).max(axis=1) <= place).any())


def _mixed(start: Floats, end: Floats, part: Floats) -> Floats:
    """Rotations between others, each component alone."""
    sign = np.where((start * end).sum(axis=1, keepdims=True) < 0, np.float32(-1), np.float32(1))
    turned = start + (sign * end - start) * part
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    made: Floats = np.divide(turned, length, out=start.copy(), where=length > 0)
    return made


def apart(one: Track, other: Track) -> Floats:
    """The largest difference of a component of rotations, whichever sign they have, (k,)."""
    found: Floats = np.minimum(
        *(np.abs(one.rotations - sign * other.rotations).max(axis=1) for sign in (1, -1))
    )
    return found


MOST: Final = 128
"""Keys that are looked for at once."""
ROUNDS: Final = 8
"""How often rotations are corrected, which are not linear."""
FEWEST: Final = 1e-3
"""Share of a key in a sample from which it counts."""


def fitted(before: Track, sampled: Track, near: float) -> Track | None:
    """The track with the times of a known one that goes through samples; None if none does.

    Only keys beside samples that are not on the known curve are others.
    """
    is_off = ~Curve(before).has(sampled, near)
    left, right, part = _places(before, sampled)
    touched = np.union1d(left[is_off & (part < 1 - FEWEST)], right[is_off & (part > FEWEST)])
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


SAME_TIME: Final = 1e-4
"""Frames between equal times."""
HALF_STEP: Final = 0.55 / SCALE
"""Largest difference of a component of equal rotations: half a step of a stored key, and rounding."""


def has_times(one: Track, other: Track) -> bool:
    """Whether two tracks have points at the same times."""
    return len(one.times) == len(other.times) and bool((np.abs(one.times - other.times) <= SAME_TIME).all())


def changed_points(before: Track, after: Track, near: float) -> list[int]:
    """The points of a track that differ."""
    is_moved = (np.abs(after.positions - before.positions) > near).any(axis=1)
    return np.flatnonzero(is_moved | (apart(before, after) > HALF_STEP)).tolist()


def with_known_times(
    before: Track, after: Track, on: float, *, is_keyed: bool, widest: float = WIDEST
) -> Track | None:
    """The movement in a file with the times of the known one; None if it cannot be told with these.

    It is the known one itself if that was not edited.
    """
    is_even = is_sampled(after.times, widest)
    read = before if is_even else _read_off(after, before)
    is_on = Curve(before).has(after, on)
    if is_even and not is_on.all():
        is_on |= Curve(_with_frame_keys(before)).has(after, on)
    if is_on.all() and not changed_points(before, read, on):
        return before
    if is_even and is_keyed:
        return fitted(before, after, on) or _fitted_beside_frame_keys(before, after, on)
    is_told = is_keyed and Curve(after).is_dense and Curve(read).has(after, on).all()
    return read if is_told and not is_even else None


def _with_frame_keys(track: Track) -> Track:
    """A track as other programs have it."""
    turning = with_frame_keys(track)
    return Track(turning.times, Curve(track).at(turning.times).positions, turning.rotations)


def _fitted_beside_frame_keys(before: Track, after: Track, on: float) -> Track | None:
    """The track of which one key was edited in another program, which has keys at whole frames beside it."""
    full = _with_frame_keys(before)
    found = fitted(full, after, on)
    if found is None:
        return None
    own = np.isin(full.times, before.times)
    is_kept = (found.rotations == full.rotations).all(axis=1) & (found.positions == full.positions).all(
        axis=1
    )
    if not is_kept[~own].all():
        return None
    return Track(before.times, found.positions[own], found.rotations[own])


def _read_off(sampled: Track, known: Track) -> Track:
    """The points of a sampled track at the times of a known one, whose last frame may be left out."""
    read = Curve(sampled).at(known.times)
    is_out = (known.times > sampled.times[-1] + SAME_TIME) & (known.times <= sampled.times[-1] + DENSE)
    is_out &= Curve(sampled).is_dense
    positions = np.where(is_out[:, None], known.positions, read.positions)
    return Track(read.times, positions, np.where(is_out[:, None], known.rotations, read.rotations))


def as_track(position: Vector, rotation: Rotation) -> Track:
    """A place as a track of one point."""
    return Track(np.zeros(1), np.array([position], np.float32), np.array([rotation], np.float32))
