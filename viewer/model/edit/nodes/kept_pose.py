"""A node that keeps its pose in the model under another parent, at every whole frame.

Source: spec/animation.md 4, 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError
from viewer.formats.msh.keys import KEY, QuaternionOrder, encode_quaternion
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tracks import MAX_FRAMES, KeyTrack
from viewer.formats.record import Rows
from viewer.geometry.transforms import Matrix, nearest_rotation
from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.track_edit import TrackEdit
from viewer.model.mesh.animation import Animation, interpolate, matrices
from viewer.model.mesh.skeleton import ROOT, Skeleton
from viewer.translation import Sentence

MOST_AT_ONCE: Final = 4096
"""Frames that are sampled together."""
SAME: Final = 1e-6
"""Difference of two poses up to which nothing has to be changed: of rotations, and relative of positions."""
NEAR: Final = 1e-3
"""The same up to which a key between two others is not needed."""


def keep_pose(draft: Draft, edit: TrackEdit, node: int, parent: int) -> None:
    """Change the track of a node so that it stays where it is under another parent, `ROOT` for none.

    If the old and the new parent move differently, the node gets keys where its motion bends; keys are at
    whole frames, so between two of them it may deviate.
    Raises `EditError` if a matrix has no inverse.
    """
    moves = _Moves(draft, node, parent)
    track = edit.tracks[node]
    own = track.keys["time"].tolist() if track.is_animated else [0.0]
    bends = sorted({*own, *moves.bends()})
    if not moves.is_same(bends):
        if moves.is_rigid(bends):
            edit.tracks[node] = replace(track, keys=moves.keys(own, track.keys))
        else:
            edit.tracks[node] = moves.track(bends)


class _Moves:
    """Where a node is in its old and in its new parent."""

    def __init__(self, draft: Draft, node: int, parent: int) -> None:
        model = draft.model
        self._order: QuaternionOrder = draft.reading.reading.quaternion_order
        self._skeleton = Skeleton(model)
        self._animation = Animation(model, self._skeleton, self._order)
        self._node, self._old, self._new = node, int(self._skeleton.parents[node]), parent
        self._known: dict[float, tuple[Matrix, Matrix]] = {}
        self._sample([*range(min(model.frame_count, MOST_AT_ONCE))])

    def _sample(self, times: Sequence[float]) -> None:
        """Find out where the node is in both parents at times."""
        at = np.array(times, np.float32)
        old, new = (self._world(parent, at) for parent in (self._old, self._new))
        try:
            relative = np.linalg.inv(new) @ old
        except np.linalg.LinAlgError:
            message = Sentence("the pose of the parent {parent} cannot be inverted", parent=self._new)
            raise EditError(message, table=NODE.name, index=self._node, field="parent") from None
        poses = relative @ self._local(self._node, at)
        self._known.update(zip(map(float, times), zip(relative, poses, strict=True), strict=True))

    def _world(self, node: int, times: npt.NDArray[np.float32]) -> Matrix:
        """``world_from_node`` at times, (t, 4, 4); the identity for `ROOT`."""
        world = np.tile(np.eye(4), (len(times), 1, 1))
        while node != ROOT:
            world = self._local(node, times) @ world
            node = int(self._skeleton.parents[node])
        return world

    def _local(self, node: int, times: npt.NDArray[np.float32]) -> Matrix:
        sample = self._animation.sample_nodes(np.full(len(times), node), times)
        return matrices(sample.quaternion, sample.position).astype(np.float64)

    def _pose(self, time: float) -> tuple[Matrix, Matrix]:
        """``new_parent_from_old_parent`` and ``new_parent_from_node`` at a time."""
        if time not in self._known:
            self._sample([time])
        return self._known[time]

    def bends(self) -> Iterator[float]:
        """Yield the times of keys of the parents, at which they change how they move."""
        for start in (self._old, self._new):
            node = start
            while node != ROOT:
                keys = self._animation.track(node)
                times = self._animation.key_times(node).tolist() if len(keys) > 1 else []
                yield from (it for it in times if it == int(it) and 0 <= it < MAX_FRAMES)
                node = int(self._skeleton.parents[node])

    def is_same(self, times: Sequence[float]) -> bool:
        """Whether the old and the new parent are always at the same place."""
        return all(_is_near(self._pose(time)[0], np.eye(4), SAME) for time in times)

    def is_rigid(self, times: Sequence[float]) -> bool:
        """Whether the old parent does not move in the new one, at times and between them."""
        between = [(first + last) / 2 for first, last in pairwise(times)]
        for start in range(0, len(between), MOST_AT_ONCE):
            self._sample(between[start : start + MOST_AT_ONCE])
        first, *others = (self._pose(time)[0] for time in (*times, *between))
        return all(_is_near(other, first, SAME) for other in others)

    def keys(self, times: Sequence[float], rows: Rows) -> Rows:
        """Return rows of which the last have the pose in the new parent at times."""
        made = rows.copy()
        for row, time in enumerate(times, len(rows) - len(times)):
            made["position"][row], made["quaternion"][row] = self._key(time)
        return made

    def track(self, times: Sequence[float]) -> KeyTrack:
        """Return a track with keys at times, and with keys between them where its motion is not linear."""
        dense = [times[0]]
        for first, last in pairwise(times):
            dense += [*self._between(first, last), last]
        rows = KEY.new(len(dense))
        rows["time"] = dense
        return KeyTrack(self.keys(dense, rows), is_animated=len(dense) > 1)

    def _between(self, first: float, last: float) -> Iterator[float]:
        """Yield the frames between two keys at which a key is needed."""
        middle = float((first + last) // 2)
        if not first < middle < last:
            return
        quaternions, positions = zip(*(self._decoded(time) for time in (first, last)), strict=True)
        part = np.array([(middle - first) / (last - first)], np.float32)
        turned = interpolate(quaternions[0][None], quaternions[1][None], part)
        position = positions[0] + (positions[1] - positions[0]) * part
        if not _is_near(matrices(turned, position[None])[0], self._pose(middle)[1], NEAR):
            yield from self._between(first, middle)
            yield middle
            yield from self._between(middle, last)

    def _decoded(self, time: float) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """w, x, y, z (4,) and position (3,) of the node in its new parent."""
        matrix = self._pose(time)[1]
        turned = nearest_rotation(matrix) * (1, -1, -1, -1)
        return turned.astype(np.float32), matrix[:3, 3].astype(np.float32)

    def _key(self, time: float) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int16]]:
        quaternion, position = self._decoded(time)
        return position, encode_quaternion(quaternion[None], self._order)[0]


def _is_near(one: npt.NDArray[np.floating], other: npt.NDArray[np.floating], limit: float) -> bool:
    turned, moved = (np.abs(one - other)[:3, columns].max() for columns in (slice(3), 3))
    return bool(turned <= limit and moved <= limit * max(1.0, float(np.abs(other[:3, 3]).max())))
