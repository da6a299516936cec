"""The movements of a file compared with those of a model: keys that are set, and tracks that are replaced.

Source: spec/animation.md 2, 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.keys import KEY, QuaternionOrder, encode_quaternion
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.formats.record import Rows
from viewer.geometry.transforms import Floats
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.importing.motion.fitting import (
    changed_points,
    has_times,
    with_known_times,
    with_whole_frames,
)  # fmt: skip
from viewer.model.convert.motion.curve import (
    HALF_STEP,
    SAME_TIME,
    Curve,
    at_rest,
    divergence,
    frames_around,
    needed,
)
from viewer.model.convert.motion.rotations import apart, is_sampled
from viewer.model.convert.scene import Node, Track
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.set_key import SetKey
from viewer.model.edit.rows.row_changes import ReplaceTrack
from viewer.model.mesh.pose.skeleton import ROOT

LEAST: Final = 1e-7
"""Distance of equal positions, however small the coordinates are."""


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
        """The changes of the movement of a node in the file."""
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
                words = (
                    "{node} moves, so its place at rest is that of its keys; that of the file, {size} units "
                    "from it, is left out"
                )
                away = float(np.linalg.norm(np.subtract(given.position, after.positions), axis=1).min())
                self._findings.lose(words, node=given.name, size=f"{away:.3g}")

    def _of_still(self, known: Node, given: Node) -> Iterator[Change]:
        """The key of a node that stood still, or its new track."""
        number = known.number or 0
        track = given.track
        if track is None and (given.position, given.rotation) == (known.position, known.rotation):
            return
        near = self.near(number, np.array(known.position, np.float32))
        if track is None or Curve(track).is_constant(near, HALF_STEP):
            there = at_rest(given) if track is None else track.some([0])
            yield from self._set(number, 0, near, at_rest(known), there)
        else:
            yield ReplaceTrack(number, self._keys(number, self.whole(known, track)).tobytes())

    def whole(self, known: Node, track: Track) -> Track:
        """A movement of a file at whole frames, with few keys if it was sampled; `known` is its node."""
        read = Curve(track).at(frames_around(track.times))
        if is_sampled(track.times):
            near = self.near(-1 if known.number is None else known.number, track.positions)
            read = read.some(needed(read, np.zeros(len(read.times), np.bool_), near))
        self._note_lost(known.name, track, read)
        return read

    def _of_stopped(self, known: Node, given: Node, before: Track) -> Iterator[Change]:
        """The changes of a node that moved and has no movement in the file."""
        number = known.number or 0
        if not self._has_tracks:
            self._findings.note("the file has no animation; that of the model is kept")
            return
        near = self.near(number, before.positions)
        if Curve(before).is_constant(near, HALF_STEP):
            for index in range(len(before.times)):
                yield from self._set(number, index, near, before.some([index]), at_rest(given))
        else:
            yield ReplaceTrack(number, self._keys(number, at_rest(given)).tobytes())

    def _of_moving(self, known: Node, after: Track, before: Track) -> Iterator[Change]:
        """The keys of a moving node that differ, or its new track."""
        number = known.number or 0
        near, is_keyed = self.near(number, before.positions), self._is_keyed(number, before)
        read = self.read(known, after, before)
        if not (is_keyed and has_times(before, read)):
            if changed_points(before, read, near) if has_times(before, read) else True:
                yield ReplaceTrack(number, self._keys(number, read).tobytes())
            return
        for index in changed_points(before, read, near):
            yield from self._set(number, index, near, before.some([index]), read.some([index]))

    def read(self, known: Node, after: Track, before: Track) -> Track:
        """The movement in a file with the keys of a moving node, and those more that it needs."""
        number = known.number or 0
        near, is_keyed = self.near(number, before.positions), self._is_keyed(number, before)
        read = with_known_times(before, after, near, is_keyed=is_keyed)
        if read is None:
            read = with_whole_frames(before, after, near)
            self._note_lost(known.name, after, read)
        return read

    def _is_keyed(self, node: int, track: Track) -> bool:
        """Whether a track has a point at the time of each stored key of a node, and no others."""
        stored = self._stored(node)
        return len(stored) == len(track.times) and bool(
            (np.abs(stored["time"] - track.times) <= SAME_TIME).all()
        )

    def _stored(self, node: int) -> Rows:
        known = self._source.animation
        keys = known.track(node) if node < len(known.nodes) else range(0)
        return self._source.model.keys[keys.start : keys.stop]

    def _set(self, node: int, key: int, near: float, before: Track, after: Track) -> Iterator[Change]:
        """The change of one key from a point to another."""
        is_moved = bool((np.abs(before.positions - after.positions) > near).any())
        is_turned = bool((apart(before.rotations, after.rotations) > HALF_STEP).any())
        if is_moved or is_turned:
            position = tuple(map(float, after.positions[0])) if is_moved else None
            quaternion = None
            if is_turned:
                # Clipped, as a component may be 1.0000001 by rounding.
                turned = np.clip(after.rotations[0].astype(np.float64) * (1, -1, -1, -1), -1, 1)
                stored = self._stored(node)["quaternion"][key : key + 1][:, self._order.columns]
                # Of q and -q, which turn alike, the one that is nearer to the stored one: its bytes then stay
                # if nothing changed.
                if len(stored) and float(stored[0].astype(np.float64) @ turned) < 0:
                    turned = -turned
                quaternion = tuple(map(float, turned))
            yield SetKey(node, key, position, quaternion)

    def _note_lost(self, name: str, given: Track, found: Track) -> None:
        """Record the distance of the movement in a file from that of whole frames."""
        # What a file was between its samples is not known.
        lost = divergence(given, found, only_points=is_sampled(given.times))
        if lost.is_noted:
            self._findings.between[name] = lost

    def _keys(self, node: int, track: Track) -> Rows:
        """A track of whole frames as keys; those that the node has already keep their bytes."""
        made = KEY.new(len(track.times))
        made["time"], made["position"] = track.times, track.positions
        # Conjugated: a key holds the inverse of the rotation that the engine draws with (spec/animation.md
        # 5).
        made["quaternion"] = encode_quaternion(track.rotations * (1, -1, -1, -1), self._order)
        # A node that stands still has one key at time 0 (spec/animation.md 7).
        if len(made) == 1:
            made["time"] = 0
        elif made["time"][0] != 0:
            # The engine looks for a key at frame 0: the first one is held from there.
            made = np.concatenate([made[:1], made])
            made["time"][0] = 0
        self._keep(node, made, track)
        return made

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
