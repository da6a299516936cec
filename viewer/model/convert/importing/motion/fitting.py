"""The movement of a file with the keys of a known track, and those more that it needs.

A file that was not edited gives the known track itself. One that was sampled at other times says nothing of
the known keys, which are found as those of which its samples are made; beside samples that lie on the known
track nothing is changed.

Source: spec/animation.md 4.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.geometry.quaternions import conjugate, product
from viewer.geometry.transforms import Doubles, Indices, Mask
from viewer.model.convert.gltf.curves import with_frame_keys
from viewer.model.convert.motion.curve import (
    DENSE,
    SAME_TIME,
    Curve,
    frames_around,
    is_changed,
    needed,
)  # fmt: skip
from viewer.model.convert.motion.rotations import WIDEST, apart, is_sampled, places
from viewer.model.convert.scene import Track

MOST: Final = 128
"""Keys that are looked for at once."""
ROUNDS: Final = 8
"""Number of corrections of rotations, which are not linear."""
FEWEST: Final = 1e-3
"""Share of a key in a sample from which it counts."""
ROUNDED: Final = 2.0**-21
"""Relative tolerance of times: programs round seconds to single floats, and frames again."""
CERTAIN: Final = 0.2
"""Least singular value of the shares of keys in samples: below it other keys fit them nearly as well."""


def has_times(one: Track, other: Track) -> bool:
    """Whether two tracks have points at the same times."""
    return len(one.times) == len(other.times) and bool((np.abs(one.times - other.times) <= SAME_TIME).all())


def changed_points(before: Track, after: Track, near: float) -> list[int]:
    """The points of a track that differ."""
    return np.flatnonzero(is_changed(before, after, near)).tolist()


def with_known_times(
    before: Track, after: Track, near: float, *, is_keyed: bool, widest: float = WIDEST
) -> Track | None:
    """The movement in a file with the times of the known one; None if it cannot be told with these.

    It is the known one itself if that was not edited.
    """
    if has_times(before, after):
        return after if is_keyed or not changed_points(before, after, near) else None
    after, on = _at_known_times(before, after), _tolerance(before, near)
    is_even = is_sampled(after.times, widest)
    read = before if is_even else _read_off(after, before)
    if _is_on(before, after, on, is_even=is_even).all() and not changed_points(before, read, on):
        return before
    return fitted(before, after, on) if is_even and is_keyed else None


def _at_known_times(before: Track, after: Track) -> Track:
    """The movement in a file, its times those of the known one where they only were rounded.

    A cut may turn by 134 degrees in 1/64 of a frame: at a time that is off in its last bit it is elsewhere.
    """
    # The number of middles below a time is the index of the known time that is nearest to it.
    middles = (before.times[1:] + before.times[:-1]) / 2
    nearest = before.times[np.searchsorted(middles, after.times)]
    times = np.where(np.abs(nearest - after.times) <= ROUNDED * after.times, nearest, after.times)
    return Track(times, after.positions, after.rotations) if (np.diff(times) > 0).all() else after


def with_whole_frames(before: Track, after: Track, near: float) -> Track:
    """The movement in a file at whole frames: the known points that are on its way, and those that it needs.

    Parameters
    ----------
    before
        The known track. Beside samples that lie on it the movement is the known one.
    near
        Distance of equal positions.
    """
    on = _tolerance(before, near)
    is_even = is_sampled(after.times)
    full = with_helpers(before)
    found = fitted(full, after, on) if is_even else None
    if found is None:
        known = before.times[before.times == np.rint(before.times)]
        is_there = ~is_changed(Curve(before).at(known), Curve(after).at(known), near)
        found = sampled_at(np.union1d(frames_around(after.times), known[is_there]), before, after, near)
    is_fixed = np.isin(found.times, before.times)
    return found.some(needed(found, is_fixed, near))


def sampled_at(times: Doubles, before: Track, after: Track, near: float, *, widest: float = WIDEST) -> Track:
    """The points of a file at some times; between samples that lie on a known track those of that."""
    found = Curve(after).at(times)
    if not is_sampled(after.times, widest):
        return found
    is_on = _is_on(before, after, _tolerance(before, near), is_even=True)
    left, right, share = places(after.times, times)
    # A sampled track may end a frame early: behind its last sample the known one goes on.
    is_near = (times >= after.times[0] - SAME_TIME) & (times <= after.times[-1] + DENSE)
    is_own = is_near & is_on[left] & (is_on[right] | (share == 0))
    return found.with_points(Curve(before).at(times), is_own)


def _tolerance(before: Track, near: float) -> float:
    """Tolerance of the samples of a track."""
    return max(near, Curve.TURN * float(np.abs(before.positions).max(initial=0)))


def _is_on(before: Track, after: Track, on: float, *, is_even: bool) -> Mask:
    """The points of a file that lie on a known track, bool; samples also with the keys that export adds."""
    is_on = Curve(before).has(after, on)
    if is_even and not is_on.all():
        is_on |= Curve(with_helpers(before)).has(after, on)
    return is_on


def with_helpers(track: Track) -> Track:
    """A track as other programs have it."""
    turning = with_frame_keys(track)
    return Track(turning.times, Curve(track).at(turning.times).positions, turning.rotations)


def _read_off(sampled: Track, known: Track) -> Track:
    """The points of a sampled track at the times of a known one, whose last frame may be left out."""
    read = Curve(sampled).at(known.times)
    # A sampled track may end a frame early: there the known key is taken, not the held end.
    is_out = (known.times > sampled.times[-1] + SAME_TIME) & (known.times <= sampled.times[-1] + DENSE)
    is_out &= Curve(sampled).is_dense
    return read.with_points(known, is_out)


def fitted(before: Track, sampled: Track, near: float) -> Track | None:
    """The track with the times of a known one that goes through samples; None if none does.

    Only keys beside samples that are not on the known curve are others.
    """
    is_off = ~Curve(before).has(sampled, near)
    left, right, part = places(before.times, sampled.times)
    # A sample between two keys can be moved by either of them, but for one that is (nearly) at a key.
    touched = np.union1d(left[is_off & (part < 1 - FEWEST)], right[is_off & (part > FEWEST)])
    if not 0 < len(touched) <= MOST:
        return None
    asked = np.flatnonzero(np.isin(left, touched) | np.isin(right, touched))
    weights = np.zeros((len(asked), len(touched)))
    for key, share in ((left[asked], 1 - part[asked]), (right[asked], part[asked])):
        # A key behind the last touched one is found at the end, beyond the array: compared with the last,
        # it differs.
        at = np.minimum(np.searchsorted(touched, key), len(touched) - 1)
        is_it = touched[at] == key
        weights[np.flatnonzero(is_it), at[is_it]] += share[is_it]
    some = sampled.some(asked)
    # Between frames of its own a sampled track says nothing of keys that are as close: any others would do.
    if np.linalg.svd(weights, compute_uv=False)[-1] < CERTAIN:
        return None
    # Each sample is a mix of two keys; the keys that fit all samples best solve weights @ keys = samples.
    inverse: Doubles = np.linalg.pinv(weights).astype(np.float64)
    solved = _exact(_solved(before, some, touched, inverse), sampled, touched)
    found = _settled(before, solved, near)
    return found if Curve(found).has(sampled, near).all() else None


def _solved(before: Track, sampled: Track, touched: Indices, inverse: Doubles) -> Track:
    """A track whose chosen keys fit samples best."""
    positions, rotations = before.positions.copy(), before.rotations.copy()
    expected = Curve(before).at(sampled.times)
    positions[touched] += (inverse @ (sampled.positions - expected.positions)).astype(np.float32)
    # Newton's steps in the tangent space of rotations: turns between samples and curve, as axis times angle,
    # are spread over the keys and applied.
    for _ in range(ROUNDS):
        reached = Curve(Track(before.times, before.positions, rotations)).at(sampled.times).rotations
        step = inverse @ _vectors(product(conjugate(reached), sampled.rotations))
        rotations[touched] = product(rotations[touched], _turns(step))
    return Track(before.times, positions, rotations)


def _exact(found: Track, sampled: Track, touched: Indices) -> Track:
    """A track whose chosen keys are samples, where there are some at their times."""
    at = np.minimum(np.searchsorted(sampled.times, found.times[touched] - SAME_TIME), len(sampled.times) - 1)
    is_there = np.abs(sampled.times[at] - found.times[touched]) <= SAME_TIME
    positions, rotations = found.positions.copy(), found.rotations.copy()
    positions[touched[is_there]] = sampled.positions[at[is_there]]
    rotations[touched[is_there]] = sampled.rotations[at[is_there]]
    return Track(found.times, positions, rotations)


def _settled(before: Track, found: Track, near: float) -> Track:
    """A track without the differences that are only noise."""
    is_moved = (np.abs(found.positions - before.positions) > near).any(axis=1)[:, None]
    is_turned = (apart(found.rotations, before.rotations) > Curve.TURN)[:, None]
    return Track(
        before.times,
        np.where(is_moved, found.positions, before.positions),
        np.where(is_turned, found.rotations, before.rotations),
    )


def _vectors(rotations: Doubles) -> Doubles:
    """Rotations as axes times angles, (n, 3)."""
    # q and -q turn alike; with w from 0 the angle is at most 180 degrees.
    rotations = np.where(rotations[:, :1] < 0, -rotations, rotations)
    sine = np.linalg.norm(rotations[:, 1:], axis=1, keepdims=True)
    angle = 2 * np.arctan2(sine, rotations[:, :1])
    # The sine of half a tiny angle is half of that angle, hence the factor 2.
    made: Doubles = rotations[:, 1:] * np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 1e-12)
    return made


def _turns(vectors: Doubles) -> Doubles:
    """Rotations of axes times angles, (n, 4)."""
    angle = np.linalg.norm(vectors, axis=1, keepdims=True)
    # sin(a / 2) / a tends to 1 / 2.
    share = np.divide(np.sin(angle / 2), angle, out=np.full_like(angle, 0.5), where=angle > 1e-12)
    return np.hstack([np.cos(angle / 2), vectors * share])
