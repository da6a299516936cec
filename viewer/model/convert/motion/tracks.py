"""The movement of nodes as keys between which other programs interpolate, as a whole and by clip.

A frame map says for every frame which key is on the left, so that the pose is a function of time that is
linear and spherical inside each run of frames with one left key, whatever the map. A run of a canonical
map lies between two keys, and its ends are those keys. Where two runs do not meet the curve jumps: a whole
time belongs to the frame after it if it is even, to the frame before it if it is odd, so the other side
gets a key next to it. A run that leaves the way between its two keys, or keys that are no rotations, get
more keys in between.

A clip plays a range of frames in its own time, or two at once whose poses are blended by a weight. One
range is cut out of the tracks and keeps their keys; a blend of two is sampled. As in the viewer, nodes
that channels drive keep their initial position meanwhile.

Source: spec/ctl.md; spec/animation.md 3, 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, isfinite
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.geometry.transforms import Floats, Indices
from viewer.model.clips.clip import Clip as GameClip
from viewer.model.clips.clip import Frames
from viewer.model.clips.playing import with_channels
from viewer.model.convert.motion import rotations
from viewer.model.convert.motion.curve import HALF_TURN
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import SceneClip, Track
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.pose.animation import Animation, Moment, Sample, mix
from viewer.model.mesh.pose.interpolation import SHORTEST
from viewer.progress import checkpoint

Times = npt.NDArray[np.float64]

BESIDE: Final = 2.0**-21
"""Distance of a key beside a whole time as a fraction of it: some steps of single precision."""
APART: Final = 2.0**-6
"""Least distance of such a key, frames: Blender makes one key of several within 0.01 frames."""
SAME: Final = 1e-6
"""Largest difference of the components of equal rotations."""
EXACT: Final = 1e-5
"""Largest difference of rotations between a curve and what programs make of its added keys."""
WIDEST: Final = np.pi / 8
"""Largest angle of quaternions between two keys that are added."""
FEWEST: Final = 8
MOST_PER_RUN: Final = 1024
"""Parts of such a run before some of them are halved."""
REFINEMENTS: Final = 7
"""Number of halvings of parts of a run."""
ALLOWANCE: Final = 1 << 17
PER_KEY: Final = 64
"""Most keys of all tracks together: the allowance, and this for each key and word of the model."""
FRAMES_AT_ONCE: Final = 1 << 16
"""Frames of all nodes whose tracks are made at once."""
PER_FRAME: Final = 4
"""Samples of a blend for each frame of its longer range."""
MOST_SAMPLES: Final = 4096
"""Most samples of a blend."""


def tracks_of(animation: Animation, nodes: Iterable[int]) -> tuple[dict[int, Track], list[int]]:
    """The tracks of the nodes that move, by node, and those that are left out.

    A small file can demand more keys than fit in memory; the moving nodes after that stand still.
    """
    room = ALLOWANCE + PER_KEY * (len(animation.keys) + animation.word_count)
    found: dict[int, Track] = {}
    stilled: list[int] = []
    wanted = [*nodes]
    step = max(1, FRAMES_AT_ONCE // animation.frame_count)
    for first in range(0, len(wanted), step):
        some = wanted[first : first + step]
        tracks = _tracks(animation, some) if room > 0 else {}
        for node in some:
            # A still node costs its frames too: looking for runs reads each of them.
            room -= animation.frame_count // PER_KEY
            if room <= 0:
                stilled += [node] if _moves(animation, node) else []
            elif node in tracks:
                found[node] = tracks[node]
                room -= len(tracks[node].times)
    return found, stilled


def _moves(animation: Animation, node: int) -> bool:
    """Whether a node has frames of its own."""
    return animation.map_start(node) is not None and animation.fallback(node) is not None


def track_of(animation: Animation, node: int) -> Track | None:
    """The track of a node; None if it stands still."""
    return _tracks(animation, [node]).get(node)


def _tracks(animation: Animation, nodes: Sequence[int]) -> dict[int, Track]:
    """The tracks of the nodes that move, by node; all are made at once."""
    moving = [it for it in nodes if _moves(animation, it)]
    if not moving:
        return {}
    runs = _Runs(animation, moving)
    run, times = runs.keys()
    position, rotation = runs.at(run, times)
    for _ in range(REFINEMENTS):
        part = np.flatnonzero((run[1:] == run[:-1]) & runs.is_strange[run[1:]])
        if not len(part):
            break
        middle = (times[part] + times[part + 1]) / 2
        between, turned = runs.at(run[part], middle)
        is_off = rotations.apart(turned, rotations.mixed(rotation[part], rotation[part + 1], 0.5)) > EXACT
        # `np.insert` counts in the array before it is changed, so one call puts in all of them.
        added = part[is_off] + 1
        if not len(added):
            break
        run, times = np.insert(run, added, run[added]), np.insert(times, added, middle[is_off])
        position = np.insert(position, added, between[is_off], axis=0)
        rotation = np.insert(rotation, added, turned[is_off], axis=0)
    joined = zip(moving, _joined(runs, times, position, rotation, run), strict=True)
    return {node: track for node, track in joined if len(track.times) > 1}


class _Runs:
    """Stretches of frames with one left key, of some moving nodes one after the other.

    Attributes
    ----------
    owner
        The node of each run, as an index of `nodes`, (r,), ascending.
    is_strange
        Whether its curve is not simply that between its ends, (r,) bool.
    """

    def __init__(self, animation: Animation, nodes: Sequence[int]) -> None:
        rows = [animation.words(it) for it in nodes]
        words, fallbacks = np.stack([it for it, _ignored in rows]), np.array([it for _ignored, it in rows])
        is_start = np.ones(words.shape, np.bool_)
        is_start[:, 1:] = words[:, 1:] != words[:, :-1]
        owner, start = np.nonzero(is_start)
        left, count = words[owner, start], words.shape[1]
        is_last = np.append(owner[1:] != owner[:-1], True)
        end = np.where(is_last, count, np.append(start[1:], 0))
        # The last word is usually the fallback key, which holds from its frame on: that run has no length.
        is_short = is_last & (left == fallbacks[owner])
        end[is_short] = start[is_short]
        further = np.flatnonzero(is_last & ~is_short) + 1
        start, end = np.insert(start, further, count), np.insert(end, further, count)
        left = np.insert(left, further, fallbacks[owner[further - 1]])
        owner = np.insert(owner, further, owner[further - 1])
        self._animation, self.owner = animation, owner
        self._left, self._start, self._end = left, start, end
        time = animation.times.astype(np.float64)
        following = np.minimum(left + 1, len(time) - 1)
        length = time[following] - time[left]
        self._is_held = (left == fallbacks[owner]) | (np.abs(length) < SHORTEST)
        self._before = time[left]
        self._length = np.where(self._is_held, 1, length)
        self._following = np.where(self._is_held, left, following)
        first, last = ((it - self._before) / self._length for it in (start, end))
        self._parts, self.is_strange = self._divided(first, last)

    def _divided(self, first: Times, last: Times) -> tuple[Indices, npt.NDArray[np.bool_]]:
        """The number of parts of each run, and whether that is more than its ends demand."""
        none = np.zeros(len(self._left), np.float32)
        keys = (self._left, self._following)
        ends = [self._animation.between(key, none)[1].astype(np.float64) for key in keys]
        is_unit = np.ones(len(none), np.bool_)
        for end in ends:
            is_unit &= np.abs(np.einsum("ij,ij->i", end, end) - 1) <= rotations.UNIT_WITHIN
        product = np.abs(np.einsum("ij,ij->i", *ends))
        # first and last are shares of the way from the left key to its right one: a run that reaches from
        # -0.5 to 0.5 begins before its key, where the engine extrapolates.
        is_between = (np.minimum(first, last) >= 0) & (np.maximum(first, last) <= 1)
        is_strange = ~(is_unit & is_between) & ~self._is_held
        turned = np.abs(last - first) * np.arccos(np.clip(product, 0, 1))
        # A turn by nearly 180 degrees gets a key halfway, so that no program takes the other way round.
        usual = np.where((product < HALF_TURN) & ~self._is_held, 2, 1)
        parts = np.where(is_strange, np.clip(np.ceil(turned / WIDEST), FEWEST, MOST_PER_RUN), usual)
        return parts.astype(np.int64), is_strange

    def keys(self) -> tuple[Indices, Times]:
        """The run and the time of each key, (k,)."""
        # Two parts have three ends; a run of no length is the one key at it.
        count = np.where(self._start == self._end, 1, self._parts + 1)
        run = np.repeat(np.arange(len(count)), count)
        # The number of a key in its run: counts 2 3 give runs 0 0 1 1 1 and numbers 0 1 0 1 2.
        number = np.arange(len(run)) - (np.cumsum(count) - count)[run]
        share = number / np.maximum(count - 1, 1)[run]
        return run, self._start[run] + share * (self._end - self._start)[run]

    def at(self, run: Indices, times: Times) -> tuple[Floats, Floats]:
        """Positions (n, 3) and rotations (n, 4) in runs (n,) at times (n,)."""
        alpha = ((times - self._before[run]) / self._length[run]).astype(np.float32)
        is_next = (alpha == 1) & ~self._is_held[run]
        # At alpha 1 the right key itself is taken: left + 1 * (right - left) loses its last bits.
        alpha[is_next | self._is_held[run]] = 0
        key = np.where(is_next, self._following[run], self._left[run])
        position, quaternion = self._animation.between(key, alpha)
        position[~np.isfinite(position)] = 0
        return position, rotations.active(quaternion)


def _joined(runs: _Runs, times: Times, position: Floats, rotation: Floats, run: Indices) -> Iterator[Track]:
    """The track of each node, of the keys of all runs: one key where two runs meet, two at a jump."""
    owner = runs.owner[run]
    is_other = owner[1:] != owner[:-1]
    border = np.flatnonzero((run[1:] != run[:-1]) & ~is_other)
    is_same = (position[border] == position[border + 1]).all(axis=1)
    is_same &= rotations.apart(rotation[border], rotation[border + 1]) <= SAME
    jump = border[~is_same]
    # The frame of time t is t - 0.5, rounded to even: time 3 is in frame 2, before it, time 4 in frame 4.
    is_odd = times[jump] % 2 == 1
    moved = times.copy()
    distance = beside(times[jump])
    moved[jump[is_odd] + 1] += distance[is_odd]
    moved[jump[~is_odd]] -= distance[~is_odd]
    at = np.flatnonzero(moved != times)
    position[at], rotation[at] = runs.at(run[at], moved[at])
    kept = np.ones(len(times), np.bool_)
    kept[border[is_same] + 1] = False
    # Two jumps within one frame would give keys that go back in time.
    kept[1:] &= (moved[1:] > moved[:-1]) | is_other
    whole = Track(moved, position, rotation).some(kept)
    ends = np.cumsum(np.bincount(owner[kept]))
    for start, end in zip([0, *ends.tolist()], ends.tolist(), strict=False):
        yield whole.some(slice(start, end))


def beside(times: Times) -> Times:
    """Distance of the key on the other side of a jump from its time, frames.

    Some steps of single precision: 2^-5 at frame 65,536; before frame 32,768 the least distance counts.
    """
    return np.maximum(times * BESIDE, APART)


class Played(NamedTuple):
    """The frames that a clip plays, of one range or of two that are blended, and for how long, seconds."""

    first: Frames
    second: Frames | None
    weight: float
    seconds: float


def clips_of(
    source: ModelSource, options: Options, nodes: Sequence[int], tracks: Mapping[int, Track]
) -> tuple[SceneClip, ...]:
    """The clips of a model's controller, with their movements if the options divide the animation.

    Parameters
    ----------
    nodes
        The nodes of the scene.
    tracks
        Their tracks in the strip, by node.
    """
    is_divided = options.clips is Clips.CLIPS
    divided = Divided(source, options.fps, nodes, tracks) if is_divided and tracks else None
    return tuple(
        SceneClip(
            clip.name,
            *clip.frames_a,
            seconds=clip.seconds,
            tracks=divided.tracks(clip) if divided else {},
            fields=dict(_fields(clip)),
        )
        for clip in source.controller.clips
    )


def _fields(clip: GameClip) -> Iterator[tuple[str, Any]]:
    """The fields of a clip that a controller has, without those that it does not have."""
    yield "index", clip.index
    yield "guess", clip.is_guess
    if len(clip.chain) > 1:
        yield "chain", list(clip.chain)
    if clip.frames_b is not None:
        yield "frames_b", list(clip.frames_b)
        yield "weight_b", clip.weight_b
        played = played_of(clip, 1.0)
        yield "baked", played is not None and played.second is not None


def played_of(clip: GameClip, fps: float) -> Played | None:
    """The frames that a clip plays; None if it plays nothing."""
    pairs = [pair for pair in (clip.frames_a, clip.frames_b) if pair is not None and _is_usable(pair)]
    if not pairs:
        return None
    weight = clip.weight_b if len(pairs) == 2 and isfinite(clip.weight_b) else 0.0
    longest = max(abs(last - first) for first, last in pairs)
    seconds = longest / fps if clip.seconds is None else clip.seconds
    if 0 < weight < 1:
        return Played(pairs[0], pairs[1], weight, seconds)
    return Played(pairs[-1] if weight >= 1 else pairs[0], None, 0.0, seconds)


def _is_usable(pair: Frames) -> bool:
    # From 2**24 on a single float skips whole frames.
    return all(isfinite(frame) and 0 <= frame < 2.0**24 for frame in pair)


class Divided:
    """Makes the movements of clips.

    Attributes
    ----------
    driven
        The time at which channels hold a node meanwhile, by its number.
    """

    def __init__(
        self, source: ModelSource, fps: float, nodes: Sequence[int], tracks: Mapping[int, Track]
    ) -> None:
        self._animation, self._fps = source.animation, fps
        self._nodes, self._tracks = nodes, tracks
        moment = with_channels(Moment(), source.controller, {}, source.model.node_count, is_playing=True)
        self.driven = {node: time for node, time in moment.driven if 0 <= time < 2.0**24}

    def tracks(self, clip: GameClip) -> dict[int, Track]:
        """Tracks of nodes in a clip, by index in the scene; empty if it plays nothing."""
        checkpoint()
        played = played_of(clip, self._fps)
        if played is None:
            return {}
        found = {}
        for index, node in enumerate(self._nodes):
            if node in self.driven:
                found[index] = _held(self._animation, node, self.driven[node], played.seconds)
            elif node in self._tracks:
                found[index] = self._moving(node, played)
        return found

    def _moving(self, node: int, played: Played) -> Track:
        if played.second is not None:
            return _blended(self._animation, node, played)
        first, last = played.first
        if first == last or played.seconds <= 0:
            return _held(self._animation, node, first, played.seconds)
        # a part of a track, forwards or backwards, in seconds
        track = self._tracks[node]
        first, last = played.first
        low, high = min(first, last), max(first, last)
        inside = (track.times > low) & (track.times < high)
        sample = self._animation.sample_nodes(np.full(2, node), np.array([low, high], np.float32))
        ends = Track(np.array([low, high]), *_plain(sample))
        part = Track.joined([ends.some([0]), track.some(inside), ends.some([1])])
        seconds = (part.times - first) / (last - first) * played.seconds
        # Played backwards, frames 40 to 16, seconds still increase: the keys are taken in reverse.
        return replace(part, times=seconds).some(slice(None, None, -1 if last < first else 1))


def _held(animation: Animation, node: int, time: float, seconds: float) -> Track:
    """The pose of a node at a time, for some seconds."""
    sample = animation.sample_nodes(np.array([node]), np.array([time], np.float32))
    times = np.array([0.0, seconds] if seconds > 0 else [0.0])
    position, rotation = (np.repeat(values, len(times), axis=0) for values in _plain(sample))
    return Track(times, position, rotation)


def _blended(animation: Animation, node: int, played: Played) -> Track:
    """Samples of a blend, in seconds."""
    pairs = [played.first, played.second or played.first]
    longest = max(abs(last - first) for first, last in pairs)
    count = min(MOST_SAMPLES, max(1, ceil(longest * PER_FRAME))) + 1 if played.seconds > 0 else 1
    share = np.linspace(0, 1, count)
    row = np.full(count, node)
    times = [(first + share * (last - first)).astype(np.float32) for first, last in pairs]
    samples = [animation.sample_nodes(row, frames) for frames in times]
    quaternion, position = mix(samples[0], samples[1], played.weight)
    mixed = replace(samples[0], quaternion=quaternion, position=position)
    return Track(share * played.seconds, *_plain(mixed))


def _plain(sample: Sample) -> tuple[Floats, Floats]:
    """Finite positions (n, 3) and rotations (n, 4) of a sample."""
    position = np.where(np.isfinite(sample.position), sample.position, np.float32(0))
    return position, rotations.active(sample.quaternion)
