"""Keys and frame map, made from the rest poses and tracks of a scene.

Source: spec/animation.md 5, 6, 7.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.formats.msh import tracks
from viewer.formats.msh.keys import KEY, QuaternionOrder, encode_quaternion
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tracks import MAX_FRAMES, Pool
from viewer.model.convert.building.order import NodeOrder
from viewer.model.convert.building.values import Losses, Spot, finite
from viewer.model.convert.scene import Node, Scene
from viewer.model.mesh.animation import interpolate
from viewer.model.mesh.quaternions import conjugate
from viewer.model.mesh.skeleton import ROOT
from viewer.translation import Sentence

Doubles = npt.NDArray[np.float64]
NEAR = 1e-3
"""Distance of a key from a whole frame that is none, frames."""
CLOSE = 1e-5
"""Difference of positions as a fraction of their size, and of the cosine of rotations, that is none."""
UNIT = 1e-3
"""Difference of a rotation's length from 1 that is none."""

_AT_REST = np.zeros(1)
"""The time of the key of a still node."""


@dataclass(frozen=True, slots=True, eq=False)
class _Keys:
    """The keys of one node: times in frames (k,), positions (k, 3), rotations w, x, y, z (k, 4)."""

    times: Doubles
    positions: Doubles
    rotations: Doubles


def pool_of(scene: Scene, order: NodeOrder, quaternion_order: QuaternionOrder, losses: Losses) -> Pool:
    """The stored form of the movement of all nodes, by row.

    Raises `FormatError` for numbers that are not finite and for more keys or frames than 16 bits address.
    """
    keys = [_keys(scene.nodes[node]) for node in order.nodes]
    keys = _on_frames(keys, losses)
    for row, parent in enumerate(order.parents):
        scale = None if parent == ROOT else order.scales[parent]
        if scale is not None:
            keys[row] = _Keys(keys[row].times, keys[row].positions @ scale.T, keys[row].rotations)
    counts = [len(it.times) for it in keys]
    frames = max([scene.frame_count, *(int(it.times[-1]) + 1 for it in keys)])
    Spot("frame_map").limited("frame_count", frames, MAX_FRAMES)
    _check(counts, frames)
    return _pool(keys, counts, frames, quaternion_order)


def _pool(keys: list[_Keys], counts: list[int], frames: int, quaternion_order: QuaternionOrder) -> Pool:
    rows = KEY.new(sum(counts))
    if len(rows):
        rows["time"] = np.concatenate([it.times for it in keys])
        rows["position"] = _single(np.concatenate([it.positions for it in keys]))
        finite(rows["position"], KEY.name, "position")
        rotations = _units(np.concatenate([it.rotations for it in keys]))
        rows["quaternion"] = encode_quaternion(conjugate(rotations), quaternion_order)
    ends = np.cumsum(counts).tolist()
    made = [  # the one key of a still node needs no check
        tracks.Track(rows[end - count : end], count > 1, is_stored=count == 1)
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


def _on_frames(keys: list[_Keys], losses: Losses) -> list[_Keys]:
    """The keys at whole frames, the first at frame 0, as the game has them."""
    moved = early = 0
    found = []
    for row, it in enumerate(keys):
        if it.times is _AT_REST:
            found.append(it)
            continue
        finite(it.times, KEY.name, "time")
        if it.times[-1] >= MAX_FRAMES:
            message = Sentence("{value} exceeds {limit}", value=float(it.times[-1]), limit=MAX_FRAMES - 1)
            raise FormatError(message, table=NODE.name, index=row, field="fallback_key")
        whole = np.rint(it.times)
        is_even = bool((np.abs(it.times - whole) <= NEAR).all()) and bool((np.diff(whole) > 0).all())
        if is_even and whole[0] == 0:
            found.append(_Keys(whole, it.positions, it.rotations))
            continue
        found.append(_sampled(it))
        early += bool(it.times[0] < -NEAR)
        moved += not is_even and not _is_same(it, found[-1])
    losses.add("nodes with keys between frames: {count}; they are sampled at whole frames", moved)
    losses.add("nodes with keys before frame 0: {count}; what comes before it is left out", early)
    return found


def _sampled(keys: _Keys) -> _Keys:
    """The movement at the whole frames around its keys, from frame 0."""
    whole = np.rint(keys.times)
    is_near = np.abs(keys.times - whole) <= NEAR
    between = keys.times[~is_near]
    times = np.concatenate([[0], whole[is_near], np.floor(between), np.ceil(between)])
    return _at(keys, np.unique(np.maximum(times, 0)))


def _at(keys: _Keys, times: Doubles) -> _Keys:
    """The movement at some times; its ends are held."""
    right = np.clip(np.searchsorted(keys.times, times), 0, len(keys.times) - 1)
    left = np.maximum(right - 1, 0)
    length = keys.times[right] - keys.times[left]
    share = np.divide(times - keys.times[left], length, out=np.zeros(len(times)), where=length > 0)
    share = np.clip(share, 0, 1)
    positions = keys.positions[left] + (keys.positions[right] - keys.positions[left]) * share[:, None]
    rotations = _units(keys.rotations).astype(np.float32)
    turned = interpolate(rotations[left], rotations[right], share.astype(np.float32))
    return _Keys(times, positions, turned.astype(np.float64))


def _is_same(keys: _Keys, sampled: _Keys) -> bool:
    """Whether sampled keys move a node as its keys from frame 0 did."""
    is_later = keys.times >= 0
    again = _at(sampled, keys.times[is_later])
    reach = CLOSE * (1 + np.abs(keys.positions).max())
    along = np.abs((again.rotations * _units(keys.rotations)[is_later]).sum(axis=1))
    return bool(
        (np.abs(again.positions - keys.positions[is_later]) <= reach).all() and (along >= 1 - CLOSE).all()
    )


def _units(rotations: Doubles) -> Doubles:
    """Rotations (n, 4) of length 1: others are scaled, and those without a direction turn nothing."""
    finite(rotations, KEY.name, "quaternion")
    length = np.sqrt((rotations * rotations).sum(axis=1))
    is_other = np.abs(length - 1) > UNIT
    if is_other.any():
        rotations, length = rotations.copy(), length[:, None]
        rotations[is_other] /= np.where(length[is_other] > 0, length[is_other], 1)
        rotations[is_other & (length[:, 0] == 0)] = (1, 0, 0, 0)
    return rotations


def _single(values: Doubles) -> npt.NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def _check(counts: list[int], frames: int) -> None:
    """Raise `FormatError` for the first node whose keys or whose block of the map cannot be addressed."""
    last = np.cumsum(counts) - 1
    if len(last) and last[-1] >= NONE:
        row = int(np.searchsorted(last, NONE))
        message = Sentence("{count} keys, at most {limit}", count=int(last[-1]) + 1, limit=NONE)
        raise FormatError(message, table=NODE.name, index=row, field="fallback_key")
    animated = np.flatnonzero(np.array(counts, np.int64) > 1)
    starts = np.arange(len(animated)) * frames
    if len(starts) and starts[-1] >= NONE:
        row = int(animated[np.searchsorted(starts, NONE)])
        message = Sentence(
            "{nodes} nodes move in {frames} frames, the frame map has room for {limit} of them",
            nodes=len(animated),
            frames=frames,
            limit=-(-NONE // frames),
        )
        raise FormatError(message, table=NODE.name, index=row, field="map_start")
