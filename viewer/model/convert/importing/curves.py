"""A track as a function of time, compared with a known one and fitted to its keys.

Source: spec/animation.md 2, 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass
from viewer.formats.msh.keys import KEY, SCALE, QuaternionOrder, encode_quaternion
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.formats.record import Rows
from viewer.geometry.quaternions import conjugate, product
from viewer.geometry.transforms import Doubles, Floats, Indices
from viewer.model.convert.gltf.curves import with_frame_keys
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.rotations import WIDEST, apart, is_sampled, mixed, places
from viewer.model.convert.scene import Node, Track, Vector
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.set_key import SetKey
from viewer.model.edit.rows.row_changes import ReplaceTrack
from viewer.model.mesh.interpolation import interpolate
from viewer.model.mesh.skeleton import ROOT

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
        left, right, share = places(known.times, times)
        part = share.astype(np.float32)
        start, end = known.positions[left], known.positions[right]
        turns = known.rotations[left], known.rotations[right]
        turned = mixed(*turns, part).astype(np.float32) if is_mixed else interpolate(*turns, part)
        return Track(times, start + (end - start) * part[:, None], turned)

    def has(self, points: Track, near: float) -> npt.NDArray[np.bool_]:
        """Which points are on it, between its own where another program interpolates alike, (k,).

        Where it jumps, a little earlier or later will do: programs keep times as single floats.
        """
        ways = [self.at(points.times, is_mixed=it) for it in (False, True)]
        early, late = (self.at(points.times + it) for it in (-SOON, SOON))
        # How far the curve moves within the rounding of a time: nothing but where it jumps.
        slack = np.abs(late.positions - early.positions).max(axis=1)
        away = np.minimum(*(apart(it.rotations, points.rotations) for it in ways))
        is_placed = np.abs(ways[0].positions - points.positions).max(axis=1) <= near + slack
        found: npt.NDArray[np.bool_] = is_placed & (
            away <= self.TURN + apart(early.rotations, late.rotations)
        )
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
        points = self.at(np.unique(np.concatenate([known, times, frames]))).positions
        return bool((np.abs(points - np.asarray(position)).max(axis=1) <= place).any())


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
    left, right, part = places(before.times, sampled.times)
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
    # Each sample is a mix of two keys; the keys that fit all samples best solve weights @ keys = samples.
    inverse: Doubles = np.linalg.pinv(weights).astype(np.float64)
    found = _settled(before, _solved(before, some, touched, inverse), near)
    return found if Curve(found).has(sampled, near).all() else None


def _solved(before: Track, sampled: Track, touched: Indices, inverse: Doubles) -> Track:
    """A track whose chosen keys fit samples best."""
    positions, rotations = before.positions.copy(), before.rotations.copy()
    expected = Curve(before).at(sampled.times)
    positions[touched] += (inverse @ (sampled.positions - expected.positions)).astype(np.float32)
    for _ in range(ROUNDS):
        reached = Curve(Track(before.times, before.positions, rotations)).at(sampled.times).rotations
        step = inverse @ _vectors(product(conjugate(reached), sampled.rotations))
        rotations[touched] = product(rotations[touched], _turns(step))
    return Track(before.times, positions, rotations)


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
    return np.flatnonzero(is_moved | (apart(before.rotations, after.rotations) > HALF_STEP)).tolist()


def with_known_times(
    before: Track, after: Track, near: float, *, is_keyed: bool, widest: float = WIDEST
) -> Track | None:
    """The movement in a file with the times of the known one; None if it cannot be told with these.

    It is the known one itself if that was not edited.
    """
    if has_times(before, after):
        return after if is_keyed or not changed_points(before, after, near) else None
    on = max(near, Curve.TURN * float(np.abs(before.positions).max(initial=0)))
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
    # A sampled track may end a frame early: there the known key is taken, not the held end.
    is_out = (known.times > sampled.times[-1] + SAME_TIME) & (known.times <= sampled.times[-1] + DENSE)
    is_out &= Curve(sampled).is_dense
    return read.with_points(known, is_out)


def at_rest(node: Node) -> Track:
    """The place of a node as a track of one point."""
    return Track(np.zeros(1), np.array([node.position], np.float32), np.array([node.rotation], np.float32))


SAME_PLACE: Final = 2e-6
"""Distance of equal positions, as a fraction of the largest coordinate of the track."""


class Motions:
    """Compares the tracks of a file with those of a model."""

    def __init__(self, compared: Comparison) -> None:
        source, given = compared.source, compared.given
        self._source = source
        self._findings = compared.findings
        # as the file has them: movement that clips give it later is none of these
        self._has_tracks = any(it.track is not None for it in given.nodes) or any(
            it.tracks for it in given.clips
        )
        self._order: QuaternionOrder = source.choice.reading.quaternion_order
        world = source.animation.pose(0.0).world[:, :3, 3]
        self._reach: npt.NDArray[np.float32] = np.nan_to_num(np.abs(world).max(axis=1, initial=0))

    def near(self, node: int, positions: Floats) -> float:
        """Distance of equal positions of a node: programs keep them in the space of the whole model."""
        parents = self._source.skeleton.parents
        above = [it for it in (node, int(parents[node]) if node < len(parents) else ROOT) if it != ROOT]
        reach = max((float(self._reach[it]) for it in above if it < len(self._reach)), default=0.0)
        return SAME_PLACE * max(reach, float(np.abs(positions).max(initial=0))) + LEAST

    def changes(self, known: Node, given: Node) -> Iterator[Change]:
        """Yield what a node of the model does otherwise in the file."""
        if known.number is None or not (self._source.model.has(KEYS) and self._source.model.has(FRAME_MAP)):
            if self._is_moved(known, given) or given.track is not None:
                self._findings.lose("{node} is moved, and the model has no keys", node=given.name)
            return
        before, after = known.track, given.track
        if before is None:
            yield from self._of_still(known, given)
        elif after is None:
            yield from self._of_stopped(known, given, before)
        else:
            yield from self._of_moving(known, after, before)
            # Programs keep a rest pose that nothing shows: away from all keys it may have been set.
            near = self.near(known.number or 0, after.positions)
            if self._is_moved(known, given) and not Curve(after).passes(given.position, 10 * near):
                words = "{node} moves, so its place at rest is that of its keys; that of the file is left out"
                self._findings.note(words, node=given.name)

    def _of_still(self, known: Node, given: Node) -> Iterator[Change]:
        """Yield the key of a node that stood still, or its new track."""
        number = known.number or 0
        track = given.track
        if track is None and (given.position, given.rotation) == (known.position, known.rotation):
            return
        near = self.near(number, np.array(known.position, np.float32))
        if track is None or Curve(track).is_constant(near, HALF_STEP):
            there = at_rest(given) if track is None else track.some([0])
            yield from self._set(number, 0, near, at_rest(known), there)
        else:
            yield ReplaceTrack(number, self._keys(number, track, known.name).tobytes())

    def _of_stopped(self, known: Node, given: Node, before: Track) -> Iterator[Change]:
        """Yield what became of a node that moved and has no movement in the file."""
        number = known.number or 0
        if not self._has_tracks:
            self._findings.note("the file has no animation; that of the model is kept")
            return
        near = self.near(number, before.positions)
        if Curve(before).is_constant(near, HALF_STEP):
            for index in range(len(before.times)):
                yield from self._set(number, index, near, before.some([index]), at_rest(given))
        else:
            yield ReplaceTrack(number, self._keys(number, at_rest(given), known.name).tobytes())

    def _of_moving(self, known: Node, after: Track, before: Track) -> Iterator[Change]:
        """Yield the keys of a moving node that differ, or its new track."""
        number = known.number or 0
        near = self.near(number, before.positions)
        stored = self._stored(number)
        is_keyed = len(stored) == len(before.times) and bool(
            (np.abs(stored["time"] - before.times) <= SAME_TIME).all()
        )
        read = with_known_times(before, after, near, is_keyed=is_keyed)
        if read is None:
            yield ReplaceTrack(number, self._keys(number, after, known.name).tobytes())
            return
        for index in changed_points(before, read, near):
            yield from self._set(number, index, near, before.some([index]), read.some([index]))

    def _stored(self, node: int) -> Rows:
        known = self._source.animation
        keys = known.track(node) if node < len(known.nodes) else range(0)
        return self._source.model.keys[keys.start : keys.stop]

    def _set(self, node: int, key: int, near: float, before: Track, after: Track) -> Iterator[Change]:
        """Yield the change of one key from a point to another."""
        is_moved = bool((np.abs(before.positions - after.positions) > near).any())
        is_turned = bool((apart(before.rotations, after.rotations) > HALF_STEP).any())
        if is_moved or is_turned:
            position = tuple(map(float, after.positions[0])) if is_moved else None
            quaternion = None
            if is_turned:
                turned = np.clip(after.rotations[0].astype(np.float64) * (1, -1, -1, -1), -1, 1)
                stored = self._stored(node)["quaternion"][key : key + 1][:, self._order.columns]
                # Of q and -q, which turn alike, the one that is nearer to the stored one: its bytes then stay
                # if nothing changed.
                if len(stored) and float(stored[0].astype(np.float64) @ turned) < 0:
                    turned = -turned
                quaternion = tuple(map(float, turned))
            yield SetKey(node, key, position, quaternion)

    def _keys(self, node: int, track: Track, name: str) -> Rows:
        """A track as keys; those that the node has already keep their bytes."""
        if is_sampled(track.times):
            self._findings.resampled.append(name)
            # Keys are at whole frames, so a curve from 0.4 to 3.2 is sampled at 1 2 3.
            track = Curve(track).at(np.arange(np.ceil(track.times[0]), np.floor(track.times[-1]) + 1))
        times = self._whole(track, name)
        # Of times that round to one frame the first key stays: the index of the first of equal ones.
        _, first = np.unique(times, return_index=True)
        if len(first) < len(times):
            self._findings.crowded.append(name)
        made = KEY.new(len(first))
        made["time"], made["position"] = times[first], track.positions[first]
        made["quaternion"] = encode_quaternion(track.rotations[first] * (1, -1, -1, -1), self._order)
        if made["time"][0] != 0:
            # The engine looks for a key at frame 0: the first one is held from there.
            made = np.concatenate([made[:1], made])
            made["time"][0] = 0
        self._keep(node, made, track)
        return made[:1] if Curve(track).is_constant(0, 0) and len(track.times) == 1 else made

    def _whole(self, track: Track, name: str) -> npt.NDArray[np.float64]:
        """The times of a track as whole frames."""
        times = np.clip(np.rint(track.times), 0, MAX_FRAMES - 1)
        if (np.abs(times - track.times) > SAME_TIME * np.maximum(1, np.abs(times))).any():
            self._findings.rounded.append(name)
        return times

    def _keep(self, node: int, made: Rows, track: Track) -> None:
        """Give keys the bytes of stored ones that say the same, and the sign of the ones before them."""
        stored = self._stored(node)
        known = {float(key["time"]): key for key in stored}
        near = self.near(node, track.positions)
        for key in made:
            old = known.get(float(key["time"]))
            if old is None:
                continue
            if (np.abs(old["position"] - key["position"]) <= near).all():
                key["position"] = old["position"]
            raw = old["quaternion"].astype(np.int64)
            # One step of a stored component is rounding.
            if min(np.abs(raw - sign * key["quaternion"]).max() for sign in (1, -1)) <= 1:
                key["quaternion"] = old["quaternion"]

    def _is_moved(self, known: Node, given: Node) -> bool:
        """Whether a node has another place at rest."""
        here, there = at_rest(known), at_rest(given)
        return bool(changed_points(here, there, self.near(known.number or 0, here.positions)))
