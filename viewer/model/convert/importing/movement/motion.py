"""The movement of nodes in a file compared with the keys of the model.

A file whose keys are the model's gives single keys; one that was sampled, as Blender does unless told
otherwise, is the model's curve with more points, and the keys are read off it. Anything else becomes a new
track, whose keys keep their bytes where they say the same.

Source: spec/animation.md 2, 4, 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.keys import KEY, QuaternionOrder, encode_quaternion
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.formats.record import Rows
from viewer.geometry.transforms import Floats
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.importing.movement.curves import (
    HALF_STEP,
    LEAST,
    SAME_TIME,
    Curve,
    as_track,
    changed_points,
    has_times,
    with_known_times,
)
from viewer.model.convert.rotations import is_sampled
from viewer.model.convert.scene import Node, Rotation, Track, Vector
from viewer.model.convert.source import ModelSource
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.set_key import SetKey
from viewer.model.edit.rows.row_changes import ReplaceTrack
from viewer.model.mesh.skeleton import ROOT
from viewer.translation import Sentence

Mask = npt.NDArray[np.bool_]

SAME_PLACE: Final = 2e-6
"""Distance of equal positions, as a fraction of the largest coordinate of the track."""


class Motions:
    """Compares the tracks of a file with those of a model.

    Parameters
    ----------
    has_tracks
        Whether the file has any movement.
    """

    def __init__(self, source: ModelSource, findings: Findings, *, has_tracks: bool) -> None:
        self._source = source
        self._findings = findings
        self._has_tracks = has_tracks
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
                self._findings.lose(Sentence("{node} is moved, and the model has no keys", node=given.name))
            return
        before, after = known.track, given.track
        if before is None:
            yield from self._of_still(known, given)
        elif after is None:
            yield from self._of_stopped(known, given, before)
        else:
            yield from self._of_moving(known, after, before)
            self._note_place(known, given, after)

    def _of_still(self, known: Node, given: Node) -> Iterator[Change]:
        """Yield the key of a node that stood still, or its new track."""
        number = known.number or 0
        track = given.track
        if track is None and (given.position, given.rotation) == (known.position, known.rotation):
            return
        near = self.near(number, np.array(known.position, np.float32))
        if track is None or Curve(track).is_constant(near, HALF_STEP):
            position, rotation = (given.position, given.rotation) if track is None else _first(track)
            here = as_track(known.position, known.rotation)
            yield from self._set(number, 0, here, as_track(position, rotation), 0)
        else:
            yield ReplaceTrack(number, self._keys(number, track, known.name).tobytes())

    def _of_stopped(self, known: Node, given: Node, before: Track) -> Iterator[Change]:
        """Yield what became of a node that moved and has no movement in the file."""
        number = known.number or 0
        if not self._has_tracks:
            self._findings.note(Sentence("the file has no animation; that of the model is kept"))
            return
        if Curve(before).is_constant(self.near(number, before.positions), HALF_STEP):
            place = as_track(given.position, given.rotation)
            for index in range(len(before.times)):
                yield from self._set(number, index, before, place, index, 0)
            return
        yield ReplaceTrack(
            number, self._keys(number, as_track(given.position, given.rotation), known.name).tobytes()
        )

    def _of_moving(self, known: Node, after: Track, before: Track) -> Iterator[Change]:
        """Yield the keys of a moving node that differ, or its new track."""
        number = known.number or 0
        near = self.near(number, before.positions)
        stored = self._stored(number)
        is_keyed = len(stored) == len(before.times) and bool(
            (np.abs(stored["time"] - before.times) <= SAME_TIME).all()
        )
        if has_times(before, after):
            changed = changed_points(before, after, near)
            if is_keyed or not len(changed):
                for index in changed:
                    yield from self._set(number, index, before, after, index)
                return
        else:
            on = max(near, Curve.TURN * float(np.abs(before.positions).max(initial=0)))
            read = with_known_times(before, after, on, is_keyed=is_keyed)
            if read is not None:
                for index in changed_points(before, read, near):
                    yield from self._set(number, index, before, read, index)
                return
        yield ReplaceTrack(number, self._keys(number, after, known.name).tobytes())

    def _stored(self, node: int) -> Rows:
        known = self._source.animation
        keys = known.track(node) if node < len(known.nodes) else range(0)
        return self._source.model.keys[keys.start : keys.stop]

    def _set(
        self, node: int, key: int, before: Track, after: Track, index: int, other: int | None = None
    ) -> Iterator[Change]:
        """Yield the change of one key: point `index` of a track became point `other` of another one."""
        other = index if other is None else other
        position, rotation = after.positions[other], after.rotations[other]
        near = self.near(node, before.positions)
        is_moved = bool((np.abs(before.positions[index] - position) > near).any())
        away = min(np.abs(before.rotations[index] - sign * rotation).max() for sign in (1, -1))
        is_turned = bool(away > HALF_STEP)
        if is_moved or is_turned:
            quaternion = self._signed(node, key, rotation)
            yield SetKey(
                node,
                key,
                tuple(map(float, position)) if is_moved else None,
                quaternion if is_turned else None,
            )

    def _signed(self, node: int, key: int, rotation: npt.NDArray[np.float32]) -> tuple[float, ...]:
        """The rotation as a key holds it, with the sign that is nearer to the stored one."""
        quaternion = np.clip(rotation.astype(np.float64) * (1, -1, -1, -1), -1, 1)
        stored = self._stored(node)["quaternion"][key : key + 1][:, self._order.columns].astype(np.float64)
        if len(stored) and float(stored[0] @ quaternion) < 0:
            quaternion = -quaternion
        return tuple(map(float, quaternion))

    def _keys(self, node: int, track: Track, name: str) -> Rows:
        """A track as keys; those that the node has already keep their bytes."""
        if is_sampled(track.times):
            self._findings.resampled.append(name)
            track = Curve(track).at(np.arange(np.ceil(track.times[0]), np.floor(track.times[-1]) + 1))
        times = self._whole(track, name)
        _, first = np.unique(times, return_index=True)
        if len(first) < len(times):
            self._findings.crowded.append(name)
        made = KEY.new(len(first))
        made["time"], made["position"] = times[first], track.positions[first]
        made["quaternion"] = encode_quaternion(track.rotations[first] * (1, -1, -1, -1), self._order)
        if made["time"][0] != 0:
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
            if min(np.abs(raw - sign * key["quaternion"]).max() for sign in (1, -1)) <= 1:
                key["quaternion"] = old["quaternion"]

    def _is_moved(self, known: Node, given: Node) -> bool:
        """Whether a node has another place at rest."""
        here, there = (as_track(it.position, it.rotation) for it in (known, given))
        return bool(changed_points(here, there, self.near(known.number or 0, here.positions)))

    def _note_place(self, known: Node, given: Node, track: Track) -> None:
        """Tell of a moving node that stands where its movement never is."""
        near = self.near(known.number or 0, track.positions)
        if self._is_moved(known, given) and not Curve(track).passes(given.position, 10 * near):
            words = "{node} moves, so its place at rest is that of its keys; that of the file is left out"
            self._findings.note(Sentence(words, node=given.name))


def _first(track: Track) -> tuple[Vector, Rotation]:
    (x, y, z), (w, i, j, k) = track.positions[0].tolist(), track.rotations[0].tolist()
    return (x, y, z), (w, i, j, k)
