"""The places of nodes in a file and in a model, in the space of their parents, frame by frame.

Each node is compared below its parent, not in the world: a node that is wrong moves all below it, and only it
is named. If all nodes and parents are the same, so are all places in the world.

Source: spec/animation.md 2, 4, 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Doubles, Floats, Indices, Mask, Matrix, inverse
from viewer.model.convert.importing.motion.curves import LEAST, SAME_PLACE
from viewer.model.convert.importing.motion.fitting import with_helpers
from viewer.model.convert.importing.nodes.worlds import matrix_of, place_of, point_at
from viewer.model.convert.motion import rotations
from viewer.model.convert.motion.curve import DENSE, SAME_TIME, SOON, Curve, at_rest
from viewer.model.convert.motion.rotations import WIDEST, apart, places
from viewer.model.convert.motion.tracks import track_of
from viewer.model.convert.scene import Node, Scene, Track
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.pose.animation import NO_KEY

MOST_FRAMES: Final = 1 << 16
"""Whole frames that are compared: no model has more."""
MOST_SAMPLES: Final = 1 << 16
"""Poses of nodes that are sampled at once."""


class PoseDifference(Struct, frozen=True):
    """Distance of a node from its place.

    Attributes
    ----------
    away, angle
        The largest distance, units, and the largest angle, degrees; 0 within the steps of the format.
    frame
        Where the larger of them is; None for a node that stands still.
    count
        The frames in which it is elsewhere.
    is_between
        Whether these lie between samples of the file, all of which the movement goes through.
    """

    away: float
    angle: float
    frame: float | None
    count: int
    is_between: bool = False


class Poses:
    """Compares the nodes of a scene with those of a model.

    Parameters
    ----------
    given
        The scene, with the movement of its nodes in frames.
    made
        The model.
    """

    def __init__(self, given: Scene, made: ModelSource) -> None:
        self._given, self._animation = given, made.animation
        self._has_tracks = any(it.track is not None for it in given.nodes)
        self._rest = given.options.rest
        world = made.animation.pose(self._rest).world[:, :3, 3]
        self._reach: Floats = np.nan_to_num(np.abs(world).max(axis=1, initial=0))
        self._parents = made.skeleton.parents

    def near(self, number: int, size: float) -> float:
        """Distance of equal positions in a node, whose largest coordinate is `size`.

        Programs keep them in the space of the whole model.
        """
        parent = int(self._parents[number])
        reach = max(float(self._reach[number]), float(self._reach[parent]) if parent >= 0 else 0.0)
        # Twice, as the place and what is compared with it are rounded, each by as much.
        return 2 * (SAME_PLACE * max(reach, size) + LEAST)

    @cached_property
    def _frames(self) -> Doubles:
        """The whole frames of the film."""
        last = max((it.track.times[-1] for it in self._given.nodes if it.track is not None), default=0.0)
        count = max(self._animation.frame_count, int(np.floor(min(last, MOST_FRAMES) + SAME_TIME)) + 1)
        return np.arange(min(count, MOST_FRAMES), dtype=np.float64)

    def differences(
        self, numbers: Sequence[int | None], known: Sequence[Track | None]
    ) -> list[PoseDifference | None]:
        """Distances of nodes from their places; None for one that is there.

        Parameters
        ----------
        numbers
            The node of the model of each node; None for one that is not compared.
        known
            How each node moved in the model before; None for one that stood still, or is new.
        """
        found: list[PoseDifference | None] = [None] * len(numbers)
        moving: list[int] = []
        still: list[int] = []
        for index, number in enumerate(numbers):
            if number is not None:
                (moving if self._is_moving(self._given.nodes[index], number) else still).append(index)
        for frames, indices in ((np.array([self._rest]), still), (self._frames, moving)):
            # All nodes of a block at once, and only those that are elsewhere one by one.
            for start in range(0, len(indices), step := max(1, MOST_SAMPLES // len(frames))):
                block = indices[start : start + step]
                for index in self._suspects(block, [numbers[it] or 0 for it in block], frames):
                    node, number = self._given.nodes[index], numbers[index] or 0
                    is_moving = indices is moving
                    found[index] = self._difference(node, number, known[index], is_moving=is_moving)
        return found

    def _is_moving(self, node: Node, number: int) -> bool:
        """Whether a node moves in the file or in the model, if anything does in the file."""
        words, fallback = self._animation.words(number)
        return self._has_tracks and (node.track is not None or (len(words) > 0 and fallback != NO_KEY))

    def _suspects(self, indices: Sequence[int], numbers: Sequence[int], frames: Doubles) -> list[int]:
        """The nodes that are elsewhere in any of some frames."""
        tracks = [self._track(self._given.nodes[it], frames) for it in indices]
        ends = np.array([(it.times[0], it.times[-1]) for it in tracks])
        # One track with the keys of all nodes, one after the other: that is looked up in one go.
        # Tracks over frames 0 to 10 are put at 0, 11, 22: one frame apart, so none runs into the next.
        first = (ends[:, 1].max() - ends[:, 0].min() + 1) * np.arange(len(tracks)) - ends[:, 0].min()
        joined = Track(
            np.concatenate([it.times + at for it, at in zip(tracks, first, strict=True)]),
            np.concatenate([it.positions for it in tracks]),
            np.concatenate([it.rotations for it in tracks]),
        )
        # Held at the ends of its own track: outside it would come to the neighbor's.
        times = np.clip(frames, ends[:, :1], ends[:, 1:]) + first[:, None]
        given = Curve(joined).at(times.reshape(-1))
        made = self._samples(np.array(numbers), frames)
        sizes = (float(np.abs(it.positions).max()) for it in tracks)
        near = [self.near(*it) for it in zip(numbers, sizes, strict=True)]
        is_off = ~_are_near(given, made, np.repeat(near, len(frames)))
        return [indices[it] for it in np.flatnonzero(is_off.reshape(len(tracks), -1).any(axis=1)).tolist()]

    def _track(self, node: Node, frames: Doubles) -> Track:
        """The movement of a node, of one point if it is only looked at at rest."""
        if node.track is None or len(frames) > 1 or frames[0] != self._rest:
            return at_rest(node) if node.track is None else node.track
        return point_at(node, self._rest)

    def _difference(
        self, node: Node, number: int, known: Track | None, *, is_moving: bool
    ) -> PoseDifference | None:
        if not is_moving:
            return self._apart(point_at(node, self._rest), number, np.array([self._rest]), is_moving=False)
        given = at_rest(node) if node.track is None else node.track
        times = self._frames
        if Curve(given).is_dense:
            # Programs end a sampled movement up to a frame early.
            times = times[(times <= given.times[-1] + SAME_TIME) | (times > given.times[-1] + DENSE)]
        if (np.abs(given.times - np.rint(given.times)) <= SAME_TIME).all():
            return self._apart(given, number, times, is_moving=True)
        near = self._near(given, number)
        is_on, was_on = self._is_on(given, number, near), _is_through(known, given, near)
        is_between = _are_between(given, is_on, times)
        is_known = is_between & _are_between(given, was_on, times)
        found = self._apart(given, number, times[~is_between], is_moving=True)
        if found is None:
            found = self._apart(given, number, times[is_between & ~is_known], is_moving=True)
            found = None if found is None else replace(found, is_between=True)
        return found

    def _samples(self, numbers: Indices, times: Doubles) -> Track:
        """Samples of nodes of the model at some times, node after node."""
        every = np.tile(times.astype(np.float32), len(numbers))
        sample = self._animation.sample_nodes(np.repeat(numbers, len(times)), every)
        positions = np.where(np.isfinite(sample.position), sample.position, np.float32(0))
        return Track(every.astype(np.float64), positions, rotations.active(sample.quaternion))

    def _made(self, number: int, times: Doubles) -> Track:
        return self._samples(np.array([number]), times)

    def _near(self, given: Track, number: int) -> float:
        """Distance of equal positions of a moving node: rounding of times and rotations moves them."""
        largest = float(np.abs(given.positions).max(initial=0))
        return max(self.near(number, largest), Curve.TURN * largest)

    def _apart(self, given: Track, number: int, times: Doubles, *, is_moving: bool) -> PoseDifference | None:
        if not len(times):
            return None
        made, point = self._made(number, times), Curve(given).at(times)
        near = (
            self._near(given, number)
            if is_moving
            else self.near(number, float(np.abs(given.positions).max()))
        )
        is_off = ~_are_near(point, made, near)
        if is_moving and is_off.any():
            # Where it jumps, a little earlier or later will do: programs keep times as single floats.
            for soon in (-SOON, SOON):
                rest = np.flatnonzero(is_off)
                is_off[rest] = ~_are_near(Curve(given).at(times[rest] + soon), made.some(rest), near)
        if not is_off.any():
            return None
        away = np.linalg.norm(point.positions - made.positions, axis=1) * is_off
        angle = _angles(point.rotations, made.rotations) * is_off
        # Rotations are compared by components, as the angle of nearly equal ones is all rounding.
        is_turned = apart(point.rotations, made.rotations)[is_off].max() > Curve.TURN
        worst = int(np.argmax(angle if is_turned else away))
        return PoseDifference(
            float(away.max()) if away.max() > near else 0.0,
            float(angle.max()) if is_turned else 0.0,
            float(times[worst]) if is_moving else None,
            int(is_off.sum()),
        )

    def _is_on(self, given: Track, number: int, near: float) -> Mask:
        """The points of a movement at which the model is at their times."""
        is_on = _are_near(given, self._made(number, given.times), near)
        return is_on if is_on.all() else is_on | _is_through(track_of(self._animation, number), given, near)

    def offset(self, node: Node, number: int) -> Matrix:
        """From the space of a node in the file into that of the node of the model, at rest, (4, 4)."""
        there = self._made(number, np.array([self._rest]))
        change: Matrix = inverse(matrix_of(there)) @ place_of(node, self._rest)
        return change


def _is_through(known: Track | None, given: Track, near: float) -> Mask:
    """The points of a movement that a track goes through, (k,) bool."""
    found = np.zeros(len(given.times), np.bool_)
    if known is not None:
        # Blender mixes rotations between keys, so it has some more of them at whole frames.
        for it in (known, with_helpers(known)):
            found |= Curve(it).has(given, near)
    return found


def _are_between(given: Track, is_on: Mask, frames: Doubles) -> Mask:
    """The frames between samples of a movement that are where another one is at their times.

    Samples say nothing of what is between them.
    """
    left, right, share = places(given.times, frames)
    is_close = (given.times[right] - given.times[left] <= WIDEST) | is_on.all()
    return np.asarray(is_close & is_on[left] & (is_on[right] | (share == 0)))


def _are_near(one: Track, other: Track, near: float | Doubles) -> Mask:
    """The points at which two tracks of the same times are equal, (k,) bool."""
    is_placed = np.abs(one.positions - other.positions).max(axis=1, initial=0) <= near
    return np.asarray(is_placed & (apart(one.rotations, other.rotations) <= Curve.TURN))


def _angles(one: Floats, other: Floats) -> Doubles:
    """The angles between rotations (n, 4), degrees."""
    chord = np.minimum(*(np.linalg.norm(one - sign * other, axis=1) for sign in (1.0, -1.0)))
    # A rotation turns by twice the angle of its quaternion.
    return np.asarray(np.degrees(4 * np.arcsin(np.clip(chord / 2, 0, 1))))
