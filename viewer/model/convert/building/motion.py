"""Keys and frame map, made from the rest poses and tracks of a scene.

Source: spec/animation.md 5, 6, 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.msh import tracks
from viewer.formats.msh.keys import KEY, QuaternionOrder, decode_quaternion, encode_quaternion
from viewer.formats.msh.nodes import FLAG_COCKPIT, NODE, NONE
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tracks import MAX_FRAMES, Pool
from viewer.formats.record import Rows
from viewer.geometry.bounds import Bounds
from viewer.geometry.quaternions import conjugate
from viewer.geometry.transforms import Doubles, Indices
from viewer.model.convert.building.geometry import Geometry
from viewer.model.convert.building.nodes import Losses, NodeOrder, RowPlace, finite
from viewer.model.convert.motion.rotations import places, unit_rotations
from viewer.model.convert.scene import Node, Scene
from viewer.model.edit.geometry.measures import header_of, rounded_up
from viewer.model.mesh.draws import chunks, expand
from viewer.model.mesh.pose.interpolation import interpolate, rotations
from viewer.model.mesh.pose.skeleton import ROOT, levels_of

NEAR = 1e-3
"""Distance of a key from a whole frame that is none, frames."""
CLOSE = 1e-5
"""Difference of positions as a fraction of their size, and of the cosine of rotations, that is none."""
UNIT = 1e-3
"""Difference of a rotation's length from 1 that is none."""
SAMPLED_AT_ONCE = 1 << 16
"""Keys that are sampled together; limits the memory."""

# Compared by identity: a node with one key at 0 has equal times, but that key is of a track.
_AT_REST = np.zeros(1)
"""The time of the key of a still node."""


class _Keys(Struct, frozen=True, eq=False):
    """Keys of a node, or of n nodes with the same times.

    Times in frames (k,), positions (k, 3) or (n, k, 3), rotations w, x, y, z (k, 4) or (n, k, 4).
    """

    times: Doubles
    positions: Doubles
    rotations: Doubles


class _Timing(Struct, frozen=True, eq=False):
    """Times that some nodes share.

    Attributes
    ----------
    rows
        The nodes.
    given, stored
        Times of their keys in the scene (k,), and the frames of those in the model (m,).
    is_whole, is_kept
        Whether the given times are whole frames, each another one, and whether the first is frame 0 then.
    """

    rows: list[int]
    given: Doubles
    stored: Doubles
    is_whole: bool
    is_kept: bool


def pool_of(scene: Scene, order: NodeOrder, quaternion_order: QuaternionOrder, losses: Losses) -> Pool:
    """The stored form of the movement of all nodes, by row.

    Raises `FormatError` for numbers that are not finite and for more keys or frames than 16 bits address.
    """
    keys = [_keys(scene.nodes[node]) for node in order.nodes]
    timings = _timings(keys)
    counts = np.ones(len(keys), np.int64)
    for it in timings:
        counts[it.rows] = len(it.stored)
    frames = max([scene.frame_count, 1, *(int(it.stored[-1]) + 1 for it in timings)])
    RowPlace("frame_map").limited("frame_count", frames, MAX_FRAMES)
    _check(counts, frames)
    _put_on_frames(keys, timings, [scene.nodes[node].name for node in order.nodes], losses)
    for row, parent in enumerate(order.parents):
        scale = None if parent == ROOT else order.scales[parent]
        if scale is not None:
            keys[row] = _Keys(keys[row].times, keys[row].positions @ scale.T, keys[row].rotations)
    return _pool(keys, counts.tolist(), frames, quaternion_order)


def _pool(keys: list[_Keys], counts: list[int], frames: int, quaternion_order: QuaternionOrder) -> Pool:
    rows = KEY.new(sum(counts))
    if len(rows):
        rows["time"] = np.concatenate([it.times for it in keys])
        with np.errstate(over="ignore"):
            rows["position"] = np.concatenate([it.positions for it in keys])
        finite(rows["position"], KEY.name, "position")
        turned = np.concatenate([it.rotations for it in keys])
        finite(turned, KEY.name, "quaternion")
        # A scene has active rotations, a key the conjugate of one: the engine's matrix is R(conj q)
        # (animation.md 5).
        rows["quaternion"] = encode_quaternion(conjugate(unit_rotations(turned, UNIT)), quaternion_order)
    ends = np.cumsum(counts).tolist()
    made = [  # the one key of a still node needs no check
        tracks.KeyTrack(rows[end - count : end], count > 1, is_stored=count == 1)
        for end, count in zip(ends, counts, strict=True)
    ]
    return tracks.build(made, frames)


def _keys(node: Node) -> _Keys:
    track = node.track
    if track is None or not len(track.times):
        return _Keys(_AT_REST, np.array([node.position], np.float64), np.array([node.rotation], np.float64))
    return _Keys(
        np.asarray(track.times, np.float64) if len(track.times) > 1 else np.zeros(1),
        np.asarray(track.positions, np.float64),
        np.asarray(track.rotations, np.float64),
    )


def _timings(keys: Sequence[_Keys]) -> list[_Timing]:
    """The different times of moving nodes, in the order of the nodes."""
    rows: dict[bytes, list[int]] = {}
    for row, it in enumerate(keys):
        if it.times is not _AT_REST:
            rows.setdefault(it.times.tobytes(), []).append(row)
    return [_timing(some, keys[some[0]].times) for some in rows.values()]


def _timing(rows: list[int], times: Doubles) -> _Timing:
    """The frames that stand for some times, from 0 as the game has them: those around a time between them."""
    finite(times, KEY.name, "time")
    if times[-1] >= MAX_FRAMES:
        place, value = RowPlace(NODE.name, rows[0]), float(times[-1])
        raise place.wrong("fallback_key", "{value} exceeds {limit}", value=value, limit=MAX_FRAMES - 1)
    whole = np.rint(times)
    is_near = np.abs(times - whole) <= NEAR
    is_whole = bool(is_near.all()) and bool((np.diff(whole) > 0).all())
    if is_whole and whole[0] == 0:
        return _Timing(rows, times, whole, is_whole, is_kept=True)
    between = times[~is_near]
    # Keys at 2.4 and 7 give the frames 0, 2, 3, 7: what goes straight between keys goes so between frames.
    around = np.concatenate([[0], whole[is_near], np.floor(between), np.ceil(between)])
    return _Timing(rows, times, np.unique(np.maximum(around, 0)), is_whole, is_kept=False)


def _put_on_frames(
    keys: list[_Keys], timings: Sequence[_Timing], names: Sequence[str], losses: Losses
) -> None:
    """Replace the keys of nodes by those at the frames of the model."""
    moved = early = 0
    first, worst = 0.0, _Lost()
    for timing in timings:
        if timing.is_kept:
            for row in timing.rows:
                keys[row] = replace(keys[row], times=timing.stored)
            continue
        early += len(timing.rows) if timing.given[0] < -NEAR else 0
        first = min(first, float(timing.given[0]))
        # Nodes with the same times are sampled together, as many as fit a limit of keys in memory.
        step = max(1, SAMPLED_AT_ONCE // (len(timing.given) + len(timing.stored)))
        for start in range(0, len(timing.rows), step):
            some = timing.rows[start : start + step]
            given = _together([keys[row] for row in some])
            sampled = _at(given, timing.stored)
            if not timing.is_whole:
                lost = _lost(given, sampled)
                moved += lost.count
                worst = max(worst, replace(lost, row=some[lost.row]), key=lambda it: it.size)
            for row, positions, turned in zip(some, sampled.positions, sampled.rotations, strict=True):
                keys[row] = _Keys(timing.stored, positions, turned)
    if moved:
        losses.add(
            "nodes with keys between frames: {count}; they are sampled at whole frames, off by up to "
            "{distance} units and {angle} degrees, most in {node} at frame {frame}",
            moved,
            distance=f"{worst.distance:.4g}",
            angle=f"{np.degrees(worst.angle):.3g}",
            node=names[worst.row] or worst.row,
            frame=f"{worst.frame:.4g}",
        )
    words = "nodes with keys before frame 0: {count}; what comes before it is left out, up to {frames} frames"
    losses.add(words, early, frames=f"{-first:.4g}")


def _together(keys: Sequence[_Keys]) -> _Keys:
    """The keys of nodes with the same times, with rotations of length 1."""
    turned = np.stack([it.rotations for it in keys])
    for it in () if np.isfinite(turned).all() else turned:
        finite(it, KEY.name, "quaternion")
    return _Keys(keys[0].times, np.stack([it.positions for it in keys]), unit_rotations(turned, UNIT))


def _at(keys: _Keys, times: Doubles) -> _Keys:
    """The movement of several nodes at some times; its ends are held."""
    left, right, share = places(keys.times, times)
    before, after = keys.positions[:, left], keys.positions[:, right]
    single = keys.rotations.astype(np.float32)
    start, end = (single[:, at].reshape(-1, 4) for at in (left, right))
    turned = interpolate(start, end, np.tile(share.astype(np.float32), len(single)))
    positions = before + (after - before) * share[:, None]
    return _Keys(times, positions, turned.astype(np.float64).reshape(len(single), -1, 4))


class _Lost(Struct, frozen=True):
    """Errors of sampled keys against those of some nodes.

    Attributes
    ----------
    count
        Nodes that move otherwise.
    distance, angle
        The largest distance, units, and angle, radians.
    row, frame
        Where the larger of them is: the index of the node, and the time.
    """

    count: int = 0
    distance: float = 0.0
    angle: float = 0.0
    row: int = 0
    frame: float = 0.0

    @property
    def size(self) -> float:
        """The larger of both."""
        return max(self.distance, self.angle)


def _lost(keys: _Keys, sampled: _Keys) -> _Lost:
    """Errors of sampled keys against those of n nodes, from frame 0 on."""
    # What comes before frame 0 is reported as another loss.
    is_later = keys.times >= 0
    # What goes straight between keys and between frames is furthest apart at a key.
    again = _at(replace(sampled, rotations=unit_rotations(sampled.rotations, UNIT)), keys.times[is_later])
    reach = CLOSE * (1 + np.abs(keys.positions).max(axis=(1, 2), keepdims=True))
    places, turns = keys.positions[:, is_later], keys.rotations[:, is_later]
    # The cosine of half the angle between rotations; q and -q turn alike.
    along = np.abs((again.rotations * turns).sum(axis=2))
    is_off = (np.abs(again.positions - places) > reach).any(axis=2) | (along < 1 - CLOSE)
    if not is_off.any():
        return _Lost()
    distance = np.linalg.norm(again.positions - places, axis=2) * is_off
    angle = 2 * np.arccos(np.clip(along, 0, 1)) * is_off
    row, at = np.unravel_index(int(np.maximum(distance, angle).argmax()), distance.shape)
    count = int(is_off.any(axis=1).sum())
    frame = float(keys.times[is_later][at])
    return _Lost(count, float(distance.max()), float(angle.max()), int(row), frame)


def _check(counts: npt.NDArray[np.int64], frames: int) -> None:
    """Raise `FormatError` for the first node whose keys or whose block of the map cannot be addressed."""
    last = np.cumsum(counts) - 1
    if len(last) and last[-1] >= NONE:
        # The first node whose last key is 0xFFFF or beyond: the fallback key is a 16-bit row, 0xFFFF is
        # none.
        place, count = RowPlace(NODE.name, int(np.searchsorted(last, NONE))), int(last[-1]) + 1
        raise place.wrong("fallback_key", "{count} keys, at most {limit}", count=count, limit=NONE)
    animated = np.flatnonzero(counts > 1)
    # Each animated node has a block of one word a frame; 0xFFFF as a start means none.
    starts = np.arange(len(animated)) * frames
    if len(starts) and starts[-1] >= NONE:
        place = RowPlace(NODE.name, int(animated[np.searchsorted(starts, NONE)]))
        words = "{nodes} nodes move in {frames} frames, the frame map has room for {limit} of them"
        # Rounded up: blocks of 65,534 words begin at 0 and 65,534, both below 0xFFFF: two fit.
        limit = -(-NONE // frames)
        raise place.wrong("map_start", words, nodes=len(animated), frames=frames, limit=limit)


FIRST_CELL = (0, 0)
# A box that reaches a quarter of the largest float to all sides has a diagonal of 0.87 of it. With a half it
# would be 1.73 of it, infinite.
LARGEST = float(np.finfo(np.float32).max) / 4
"""Bounds of models that reach further are cut, so that all of their numbers are finite."""
POSED_AT_ONCE = 1 << 14
"""Vertices that are posed together; limits the memory."""


class VisibleVertices(Struct, frozen=True, eq=False):
    """The vertices that are visible when a model is opened, in its rest pose.

    Attributes
    ----------
    positions
        Vertices in the space of their nodes, (v, 3).
    start, count
        First vertex that each shown node has, and their number, (n,), none of them zero.
    rotation, position
        ``world_from_node`` of each shown node, (n, 3, 3) and (n, 3).
    """

    positions: npt.NDArray[np.float32]
    start: Indices
    count: Indices
    rotation: Doubles
    position: Doubles

    @classmethod
    def still(cls, positions: npt.NDArray[np.float32]) -> VisibleVertices:
        """Vertices that are in the model's space already."""
        count = np.array([len(positions)])
        return cls(positions, np.zeros(1, np.int64), count[count > 0], np.eye(3)[None], np.zeros((1, 3)))

    @property
    def header(self) -> Rows:
        """The header around them, one row, zero without any; the sphere is as small as its center allows."""
        boxes = [Bounds.of(points) for points in self._points()]
        bounds = reduce(Bounds.union, filter(None, boxes)) if boxes else None
        if bounds is None:
            return HEADER.new()
        made = header_of(Bounds(np.maximum(bounds.low, -LARGEST), np.minimum(bounds.high, LARGEST)))
        center = made["sphere_center"].astype(np.float64)
        reach = np.sqrt(max(((points - center) ** 2).sum(axis=1).max() for points in self._points()))
        # To the next float32 above: rounded to the nearest one the farthest vertex could be outside.
        made["sphere_radius"] = rounded_up(min(reach, LARGEST))
        return made

    def _points(self) -> Iterator[Doubles]:
        """The vertices of some nodes at a time in the model's space, (k, 3)."""
        # Rounded up: 20,000 vertices are two pieces of at most 16,384.
        pieces = -(-self.count // POSED_AT_ONCE)
        whose = np.repeat(np.arange(len(pieces)), pieces)
        first = POSED_AT_ONCE * expand(np.zeros_like(pieces), pieces)
        start, count = self.start[whose] + first, np.minimum(self.count[whose] - first, POSED_AT_ONCE)
        for some in chunks(count, POSED_AT_ONCE):
            points = self.positions[expand(start[some], count[some])].astype(np.float64)
            node = np.repeat(whose[some], count[some])
            turned = self.rotation[node]
            # Term by term instead of a matrix product, whose order of additions depends on the processor.
            x, y, z = (turned[:, :, axis] * points[:, axis, None] for axis in range(3))
            yield x + y + z + self.position[node]


def shown_first(
    geometry: Geometry,
    cells: Sequence[Mapping[tuple[int, int], int]],
    parents: Sequence[int],
    nodes: Rows,
    pool: Pool,
    order: QuaternionOrder,
) -> VisibleVertices:
    """The vertices that row 0, column 0 shows at time 0, without cockpits."""
    shown = [
        (row, found[FIRST_CELL])
        for row, found in enumerate(cells)
        if FIRST_CELL in found and not nodes["flags"][row] & FLAG_COCKPIT
    ]
    row, slot = np.array(shown, np.int64).reshape(-1, 2).T
    first = geometry.slots["batch_start"][slot].astype(np.int64)
    start = geometry.vertex_starts[first]
    count = geometry.vertex_starts[first + geometry.slots["batch_count"][slot]] - start
    turned, moved = _world(parents, pool, order)
    row, start, count = row[count > 0], start[count > 0], count[count > 0]
    return VisibleVertices(geometry.positions, start, count, turned[row], moved[row])


def _world(parents: Sequence[int], pool: Pool, order: QuaternionOrder) -> tuple[Doubles, Doubles]:
    """Rotations (n, 3, 3) and positions (n, 3) of all nodes at time 0, from the stored keys."""
    # The fallback of a node is its last key, so the next node's first key is the one after it.
    first = np.concatenate(([0], pool.fallbacks.astype(np.int64) + 1))[: len(parents)]
    keys = pool.keys[first]
    turned = rotations(decode_quaternion(keys["quaternion"], order).astype(np.float64))
    moved = keys["position"].astype(np.float64)
    parent = np.array(parents, np.int64)
    for rows in levels_of(parent)[1:]:
        above = turned[parent[rows]]
        moved[rows] = (above * moved[rows][:, None]).sum(axis=2) + moved[parent[rows]]
        turned[rows] = (above[..., None] * turned[rows][:, None]).sum(axis=2)
    return turned, moved
