"""Tracks as functions of time: between their points, at whole frames, and how far two of them are apart.

A model has keys at whole frames. A movement whose points lie between them is straight from frame to frame
there: at whole frames it is as it was, and what is lost between them has a size.

Source: spec/animation.md 2, 4.
"""

from __future__ import annotations

from typing import ClassVar, Final, NamedTuple

import numpy as np
from msgspec import Struct

from viewer.formats.msh.keys import SCALE
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.geometry.transforms import Doubles, Mask
from viewer.model.convert.motion.rotations import apart, difference, mixed, places
from viewer.model.convert.scene import Node, Track, Vector
from viewer.model.mesh.pose.interpolation import interpolate

DENSE: Final = 1.0 + 1e-4
"""Frames between the points of a sampled track, at most."""
SOON: Final = 1e-4
"""Frames between times that are the same but for rounding."""
STEPS: Final = 16
"""Points for each key at which a movement is looked at."""
MOST_FRAMES: Final = 100_000
"""Frames at which it is."""
SAME_TIME: Final = 1e-4
"""Frames between equal times."""
HALF_STEP: Final = 0.55 / SCALE
"""Largest difference of a component of equal rotations: half a step of a stored key, and rounding."""
HALF_TURN: Final = 0.01
"""Below this product of two quaternions programs could turn either way round."""
NOTED: Final = 1e-4
"""Deviations that are named, in units of the model and in radians."""


def at_rest(node: Node) -> Track:
    """The place of a node as a track of one point."""
    return Track(np.zeros(1), np.array([node.position], np.float32), np.array([node.rotation], np.float32))


class Curve(Struct, frozen=True):
    """A track between its points too: linear in position, spherical in rotation, held outside."""

    TURN: ClassVar[float] = 2e-4
    """Largest difference of a component of rotations of the same curve."""

    track: Track

    def at(self, times: Doubles, *, is_mixed: bool = False) -> Track:
        """The points at some times; with their components mixed, as Blender does, rather than turned."""
        known = self.track
        left, right, share = places(known.times, times)
        part = share.astype(np.float32)
        start, end = known.positions[left], known.positions[right]
        turns = known.rotations[left], known.rotations[right]
        turned = mixed(*turns, part).astype(np.float32) if is_mixed else interpolate(*turns, part)
        return Track(times, start + (end - start) * part[:, None], turned)

    def has(self, points: Track, near: float) -> Mask:
        """The points on the curve, between its own where another program interpolates alike, (k,) bool.

        Where it jumps, a little earlier or later will do: programs keep times as single floats.
        """
        ways = [self.at(points.times, is_mixed=it) for it in (False, True)]
        early, late = (self.at(points.times + it) for it in (-SOON, SOON))
        # How far the curve moves within the rounding of a time: nothing but where it jumps.
        slack = np.abs(late.positions - early.positions).max(axis=1)
        away = np.minimum(*(apart(it.rotations, points.rotations) for it in ways))
        is_placed = np.abs(ways[0].positions - points.positions).max(axis=1) <= near + slack
        found: Mask = is_placed & (away <= self.TURN + apart(early.rotations, late.rotations))
        return found

    @property
    def is_dense(self) -> bool:
        """Whether there is a point in every frame."""
        return len(self.track.times) > 1 and bool((np.diff(self.track.times) <= DENSE).all())

    def is_constant(self, place: float, turn: float) -> bool:
        """Whether nothing moves further than a distance, and no component of a rotation changes by more."""
        known = self.track
        is_still = (np.abs(known.positions - known.positions[0]) <= place).all()
        return bool(is_still and (apart(known.rotations, known.rotations[0]) <= turn).all())

    def passes(self, position: Vector, place: float) -> bool:
        """Whether the curve comes as near as a distance to a position, at a key, in a frame, or between."""
        known = self.track.times
        times = np.linspace(known[0], known[-1], STEPS * len(known) + 1)
        frames = np.arange(np.ceil(known[0]), min(known[-1], known[0] + MOST_FRAMES) + 1)
        # Looked at in many places, as a curve may pass a point between two of its keys; whole frames among
        # them, as programs show these.
        points = self.at(np.unique(np.concatenate([known, times, frames]))).positions
        return bool((np.abs(points - np.asarray(position)).max(axis=1) <= place).any())


def is_changed(before: Track, after: Track, near: float) -> Mask:
    """The points at which two tracks of the same times differ by more than a key can tell, (k,) bool."""
    is_moved = (np.abs(after.positions - before.positions) > near).any(axis=1)
    found: Mask = is_moved | (apart(before.rotations, after.rotations) > HALF_STEP)
    return found


def frames_around(times: Doubles, close: float = SAME_TIME) -> Doubles:
    """The whole frames that stand for some times, ascending: those on both sides of a time between them.

    Keys at 2.4 and 7 give 2, 3, 7: what goes straight between keys is the same at every whole frame.
    """
    whole = np.rint(times)
    is_near = np.abs(times - whole) <= close * np.maximum(1, np.abs(times))
    between = times[~is_near]
    around = np.concatenate([whole[is_near], np.floor(between), np.ceil(between)])
    return np.unique(np.clip(around, 0, MAX_FRAMES - 1))


def needed(
    track: Track, is_fixed: Mask, near: float, turn: float = HALF_STEP, *, is_stored: bool = True
) -> Mask:
    """The points that a track needs to go through all of its points, (k,): fixed ones, and few others.

    Parameters
    ----------
    near, turn
        How far it may pass a point: a distance, and a component of a rotation.
    is_stored
        Whether its rotations will be rounded to the steps of a key: ends half a turn apart could then be
        joined either way round, and need one on the way.
    """
    kept = is_fixed.copy()
    kept[0] |= not kept.any()
    while True:
        reached = Curve(track.some(kept)).at(track.times)
        moved = np.abs(reached.positions - track.positions).max(axis=1) / near
        off = np.maximum(moved, apart(reached.rotations, track.rotations) / turn)
        # Both are in units of their tolerance, so a point above 1 is missed. 2 more makes sure of that.
        off = np.where(kept, 0, off + 2 * (is_stored & _is_half_turn(track, kept)))
        # Between each two that are kept the one that is furthest off is needed, if any is.
        gap = np.cumsum(kept)
        order = np.lexsort((off, gap))
        worst = order[np.append(np.diff(gap[order]) > 0, True)]
        worst = worst[off[worst] > 1]
        if not len(worst):
            return kept
        # One more in each gap per round, so gaps are halved about evenly and the rounds are few.
        kept[worst] = True


def _is_half_turn(track: Track, kept: Mask) -> Mask:
    """The points between two kept ones that are half a turn apart, (k,) bool."""
    rows = np.flatnonzero(kept)
    left, right, share = places(track.times[rows], track.times)
    ends = track.rotations[rows[left]], track.rotations[rows[right]]
    found: Mask = (np.abs(np.einsum("ij,ij->i", *ends)) < HALF_TURN) & (share > 0) & (share < 1)
    return found


class Divergence(NamedTuple):
    """Divergence of two movements: a distance, an angle in radians, and the frame where it is largest."""

    distance: float = 0.0
    angle: float = 0.0
    frame: float = 0.0

    @property
    def is_noted(self) -> bool:
        """Whether the deviation is more than rounding."""
        return max(self.distance, self.angle) > NOTED


def divergence(wanted: Track, found: Track, *, only_points: bool = False) -> Divergence:
    """Divergence of a track from another one, also between their points unless only those of the first."""
    times = wanted.times if only_points else fine(np.union1d(wanted.times, found.times))
    one, other = Curve(wanted).at(times), Curve(found).at(times)
    distance = difference(one.positions, other.positions)
    angle = difference(one.rotations, other.rotations)
    worst = int(np.maximum(distance, angle).argmax())
    return Divergence(float(distance.max()), float(angle.max()), float(times[worst]))


def fine(times: Doubles) -> Doubles:
    """Times with some between each two, and just before each."""
    if len(times) < 2:
        return times
    step = np.diff(times)
    # Just before a key a held curve is furthest from one that goes straight to it.
    between = [times[:-1] + share * step for share in (0.25, 0.5, 0.75, 0.999)]
    return np.sort(np.concatenate([times, *between]))
