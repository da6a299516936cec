"""The movement of nodes as keys between which other programs interpolate.

A frame map says for every frame which key is on the left, so that the pose is a function of time that is
linear and spherical inside each run of frames with one left key, whatever the map. A run of a canonical
map lies between two keys, and its ends are those keys. Where two runs do not meet the curve jumps: a whole
time belongs to the frame after it if it is even, to the frame before it if it is odd, so the other side
gets a key next to it.

Source: spec/animation.md 3, 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.convert import rotations
from viewer.model.convert.scene import Floats, Indices, Track
from viewer.model.mesh.animation import NO_KEY, Animation

Times = npt.NDArray[np.float64]

BESIDE: Final = 2.0**-21
"""Distance of a key beside a whole time as a fraction of it: some steps of single precision."""
WIDEST: Final = np.pi / 8
"""Largest half angle between two keys that are no keys of the model."""
SAME: Final = 1e-6
"""Largest difference of the components of equal rotations."""
MOST_PER_RUN: Final = 256
"""Most keys in a run that leaves the way between its two keys."""
ALLOWANCE: Final = 1 << 17
PER_KEY: Final = 64
"""Most keys of all tracks together: the allowance, and this for each key and word of the model."""


def tracks_of(animation: Animation, nodes: Iterable[int]) -> dict[int, Track]:
    """The tracks of the nodes that move, by node.

    A model can say so many keys that they do not fit in memory; nodes after that are left out.
    """
    room = ALLOWANCE + PER_KEY * (len(animation.keys) + animation.word_count)
    found = {}
    for node in nodes:
        room -= animation.frame_count // PER_KEY
        track = track_of(animation, node) if room > 0 else None
        if track is not None:
            found[node] = track
            room -= len(track.times)
    return found


def track_of(animation: Animation, node: int) -> Track | None:
    """The track of a node; None if it stands still."""
    words, fallback = animation.words(node)
    if not len(words) or fallback == NO_KEY:
        return None
    times, key, alpha, run = _runs(animation, words, fallback)
    position, quaternion = animation.between(key, alpha)
    position[~np.isfinite(position)] = 0
    return _joined(times, position, rotations.active(quaternion), run)


def _runs(animation: Animation, words: Indices, fallback: int) -> tuple[Times, Indices, Floats, Indices]:
    """Time, left key, fraction and run of the ends of all runs, and of times inside where that is needed."""
    start = np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1]]))
    left = words[start]
    end = np.append(start[1:], len(words))
    if left[-1] == fallback:
        end[-1] = start[-1]
    else:
        start, end, left = (
            np.append(it, last) for it, last in ((start, end[-1]), (end, end[-1]), (left, fallback))
        )
    before, length = _spans(animation, left, fallback)
    inside = _inside(animation, left, length, (start - before) / length, (end - before) / length)
    count = np.where(start == end, 1, np.where(length == np.inf, 2, 1 + inside))
    run = np.repeat(np.arange(len(start)), count)
    number = np.arange(len(run)) - (np.cumsum(count) - count)[run]
    share = number / np.maximum(count - 1, 1)[run]
    times = start[run] + share * (end - start)[run]
    alpha = ((times - before[run]) / length[run]).astype(np.float32)
    is_next = alpha == 1
    return times, left[run] + is_next, np.where(is_next, np.float32(0), alpha), run


def _spans(animation: Animation, left: Indices, fallback: int) -> tuple[Times, Times]:
    """Time of each left key, and the time from it to the next one; infinite where the pose is held."""
    time = animation.times.astype(np.float64)
    following = np.minimum(left + 1, len(time) - 1)
    length = time[following] - time[left]
    is_held = (left == fallback) | (length == 0)
    return np.where(is_held, 0, time[left]), np.where(is_held, np.inf, length)


def _inside(animation: Animation, left: Indices, length: Times, first: Times, last: Times) -> Indices:
    """Into how many parts each run is divided, so that its parts are slerps of their ends in any program."""
    following = np.where(length == np.inf, left, left + 1)
    ends = [
        animation.between(key, np.zeros(len(key), np.float32))[1].astype(np.float64)
        for key in (left, following)
    ]
    norm = [np.einsum("ij,ij->i", it, it) for it in ends]
    dot = np.abs(np.einsum("ij,ij->i", *ends))
    is_unit = np.maximum(*(np.abs(it - 1) for it in norm)) <= rotations.UNIT_WITHIN
    angle = np.arccos(np.clip(dot, 0, 1))
    is_between = (first >= 0) & (last <= 1)
    turned = np.abs(last - first) * angle / WIDEST
    wanted = np.where(is_between, np.where(dot < 0.01, 2, 1), np.ceil(turned) + 1)
    wanted = np.where(is_unit | (angle == 0), wanted, np.maximum(wanted, 16))
    parts: Indices = np.clip(np.nan_to_num(wanted, nan=1), 1, MOST_PER_RUN).astype(np.int64)
    return parts


def _joined(times: Times, position: Floats, rotation: Floats, run: Indices) -> Track | None:
    """One track of the keys of all runs: one key where two runs meet, two where the curve jumps."""
    border = np.flatnonzero(run[1:] != run[:-1])
    is_same = (position[border] == position[border + 1]).all(axis=1)
    ends = rotation[border], rotation[border + 1]
    is_same &= np.minimum(*(np.abs(ends[0] + sign * ends[1]).max(axis=1) for sign in (1, -1))) <= SAME
    jump = border[~is_same]
    is_odd = times[jump] % 2 == 1
    moved = times.copy()
    moved[jump[is_odd] + 1] *= 1 + BESIDE
    moved[jump[~is_odd]] *= 1 - BESIDE
    kept = np.ones(len(times), np.bool_)
    kept[border[is_same] + 1] = False
    kept[1:] &= moved[1:] > moved[:-1]
    if kept.sum() < 2:
        return None
    return Track(moved[kept], position[kept], rotation[kept])
