"""The clips of a controller as movements of their own.

A clip plays a range of frames in its own time, or two at once whose poses are blended by a weight. One
range is cut out of the tracks and keeps their keys; a blend of two is sampled. As in the viewer, nodes
that channels drive keep their initial position meanwhile.

Source: spec/ctl.md; spec/animation.md 4.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, isfinite
from typing import Any, Final, NamedTuple

import numpy as np

from viewer.model.clips.clip import Clip as GameClip
from viewer.model.clips.clip import Frames
from viewer.model.clips.playing import with_channels
from viewer.model.convert import rotations
from viewer.model.convert.scene import Clip, Clips, Floats, Options, Track
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.animation import Animation, Moment, Sample, mix
from viewer.progress import checkpoint

PER_FRAME: Final = 4
"""Samples of a blend for each frame of its longer range."""
MOST_SAMPLES: Final = 4096
"""Most samples of a blend."""


class Played(NamedTuple):
    """What a clip plays: the frames of one range, or of two that are blended, and for how long, seconds."""

    first: Frames
    second: Frames | None
    weight: float
    seconds: float


def clips_of(
    source: ModelSource, options: Options, nodes: Sequence[int], tracks: Mapping[int, Track]
) -> tuple[Clip, ...]:
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
        Clip(
            clip.name,
            *clip.frames_a,
            seconds=clip.seconds,
            tracks=divided.tracks(clip) if divided else {},
            fields=dict(_fields(clip)),
        )
        for clip in source.controller.clips
    )


def _fields(clip: GameClip) -> Iterator[tuple[str, Any]]:
    """What a controller says of a clip, without what it does not have."""
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
    """What a clip plays; None if nothing."""
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
        """How the nodes move in a clip, by index in the scene; empty if it plays nothing."""
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
        return _cut(self._animation, node, self._tracks[node], played)


def _held(animation: Animation, node: int, time: float, seconds: float) -> Track:
    """The pose of a node at a time, for some seconds."""
    sample = animation.sample_nodes(np.array([node]), np.array([time], np.float32))
    times = np.array([0.0, seconds] if seconds > 0 else [0.0])
    position, rotation = (np.repeat(values, len(times), axis=0) for values in _plain(sample))
    return Track(times, position, rotation)


def _cut(animation: Animation, node: int, track: Track, played: Played) -> Track:
    """A part of a track, forwards or backwards, in seconds."""
    first, last = played.first
    low, high = min(first, last), max(first, last)
    inside = (track.times > low) & (track.times < high)
    sample = animation.sample_nodes(np.full(2, node), np.array([low, high], np.float32))
    position, rotation = _plain(sample)
    times = np.concatenate([[low], track.times[inside], [high]])
    positions = np.concatenate([position[:1], track.positions[inside], position[1:]])
    turned = np.concatenate([rotation[:1], track.rotations[inside], rotation[1:]])
    step = -1 if last < first else 1
    seconds = (times - first) / (last - first) * played.seconds
    return Track(seconds[::step], positions[::step], turned[::step])


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
