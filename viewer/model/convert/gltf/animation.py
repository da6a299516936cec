"""The animations of a file as one movement of each node.

A model has one animation, of which clips are parts: several animations follow one another. Between its
keys a track is linear and spherical; what is not gets a key at each whole frame.

Source: glTF 2.0, 3.11; spec/animation.md 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Final

import numpy as np
from msgspec import Struct, field

from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.geometry.transforms import Floats, Indices
from viewer.model.convert.gltf.arrays import GltfFile
from viewer.model.convert.gltf.curves import Interpolation, KeyCurve, Times, without_frame_keys
from viewer.model.convert.gltf.document import JsonItem
from viewer.model.convert.gltf.extras import ExtrasReader
from viewer.model.convert.gltf.nodes import UNIT_WITHIN, PlacedNode
from viewer.model.convert.motion.curve import NOTED, fine
from viewer.model.convert.motion.rotations import Axes, difference, merged_times, unit_rotations
from viewer.model.convert.motion.tracks import beside
from viewer.model.convert.scene import SceneClip, Track

# A single float has 24 bits: each rounding moves a time by up to 2**-24 of it, and this allows for four.
NEAR: Final = 2.0**-22
"""A time this near to a whole frame, as a part of it, is that frame: seconds are rounded."""
TRANSLATION, ROTATION, SCALE, WEIGHTS = "translation", "rotation", "scale", "weights"
_WIDTHS: Final = {TRANSLATION: 3, ROTATION: 4, SCALE: 3}
_PATHS: Final = {it: it for it in (*_WIDTHS, WEIGHTS)}
_MODES: Final = {mode.value: mode for mode in Interpolation}

Curves = dict[str, KeyCurve]
MOST_FRAMES: Final = 65_534
"""Frames that are read of a file, unless it says that its model has more."""


class Motion(Struct, frozen=True, eq=False):
    """The movement of a file: tracks, clips and the number of frames.

    Attributes
    ----------
    tracks
        By node of the file, before anything is stretched.
    """

    tracks: Mapping[int, Track] = field(default_factory=dict)
    clips: tuple[SceneClip, ...] = ()
    frame_count: int = 1


class Movements:
    """Makes tracks of the curves of animations, in the axes of a model.

    Parameters
    ----------
    nodes
        All nodes of the file.
    kept
        Those that are read.
    frame_count
        Frames of the model that the file was made from; 0 if it does not say it.
    """

    def __init__(
        self,
        document: GltfFile,
        axes: Axes,
        nodes: Sequence[PlacedNode],
        kept: Sequence[int],
        frame_count: int = 0,
    ) -> None:
        self._document, self._axes, self._nodes, self._kept = document, axes, nodes, {*kept}
        # A file of this program may say that its model has more frames than others are read.
        # Without a limit a single key at 1e9 seconds would ask for 15 billion frames.
        self._longest = max(MOST_FRAMES, min(frame_count, MAX_FRAMES)) - 1
        self._deviation = np.zeros(2)

    def curves(self, animation: JsonItem, rate: float) -> dict[int, Curves]:
        """The curves of an animation by node of the file.

        Parameters
        ----------
        rate
            Units of time per second.
        """
        samplers = [*animation.items("samplers")]
        made: dict[tuple[int, str], KeyCurve | None] = {}
        found: dict[int, Curves] = {}
        for channel in animation.items("channels"):
            target = channel.item("target")
            node = target.index_of("node", self._document.count("nodes"))
            if node is None or "extensions" in target:
                self._document.losses.add("movement of something else than nodes is left out", channel.path)
                continue
            path = target.choice("path", _PATHS)
            if path == WEIGHTS:
                self._document.losses.add("morph targets are left out", channel.path)
                continue
            index = channel.index_of("sampler", len(samplers))
            if index is None:
                raise channel.wrong("sampler", "is missing")
            if (index, path) not in made:
                made[index, path] = self._curve(samplers[index], path, rate)
            curve = made[index, path]
            if curve is not None:
                found.setdefault(node, {}).setdefault(path, curve)
        return found

    def _curve(self, sampler: JsonItem, path: str, rate: float) -> KeyCurve | None:
        """A curve with keys; None without any."""
        seconds = self._document.floats(sampler, "input", 1)[:, 0]
        values = self._document.floats(sampler, "output", _WIDTHS[path])
        mode = sampler.choice("interpolation", _MODES, Interpolation.LINEAR.value)
        per_key = 3 if mode is Interpolation.CUBIC else 1
        if len(values) != per_key * len(seconds):
            raise sampler.wrong(
                "output", "{count} values for {keys} keys", count=len(values), keys=len(seconds)
            )
        self._document.budget.spend(8 * len(values), sampler.path)
        kept = self._ascending(sampler, seconds)
        if not len(kept):
            return None
        # Frame 31 at 15 a second is 2.0666666 seconds in single precision, 30.999999 frames.
        rows, times = cut(snapped(seconds[kept].astype(np.float64) * rate))
        kept = kept[rows]
        keys = self._inward(values, path).reshape(len(seconds), per_key, -1)[kept]
        # The value is the second of three of a cubic key, the only one of others.
        own = keys[:, per_key // 2]
        own = unit_rotations(own, UNIT_WITHIN) if path == ROTATION else own
        # A key of a cubic curve is an incoming tangent, its value and an outgoing tangent.
        tangents = keys[:, ::2].astype(np.float64) / rate if mode is Interpolation.CUBIC else None
        return KeyCurve(mode, times, own, tangents)

    def _ascending(self, sampler: JsonItem, seconds: Floats) -> Indices:
        """Rows of the keys that are not earlier than one before them."""
        if len(seconds) and seconds[0] < 0:
            raise sampler.wrong("input", "begins at {time} seconds", time=float(seconds[0]))
        # Times 0 2 1 3 keep 0 2 3: each is compared with the latest before it, 0 2 2, not with its
        # neighbor.
        is_early = seconds < np.maximum.accumulate(seconds)
        if is_early.any():
            self._document.losses.add(
                "keys that are earlier than the ones before them are left out", sampler.path
            )
        return np.flatnonzero(~is_early)

    def _inward(self, values: Floats, path: str) -> Floats:
        """Keys in the axes of the model."""
        if path == ROTATION:
            return self._axes.rotations_inward(values)
        return values if path == SCALE else self._axes.inward(values)

    def strip(self, rate: float) -> Motion:
        """All animations; `rate` is frames per second.

        Those that move different nodes are one movement, as programs save it object by object; others follow
        one another.
        """
        animations = [*self._document.root.items("animations")]
        if len(animations) > 1 and self._are_apart(animations):
            return self.together(rate)
        if len(animations) == 1:
            return self._single(animations[0], rate)
        parts: dict[int, list[Track]] = {}
        clips: list[SceneClip] = []
        start = 0
        for item in animations:
            tracks = self.tracks(item, rate, self._longest - start)
            if not tracks:
                continue
            last = start + _last(tracks)
            for node in parts.keys() | tracks.keys():
                # A node that only a later animation moves stands still until then.
                before = parts.setdefault(node, [self._rest(node, 0, start - 1)] if start else [])
                rest = self._rest(node, start, last)
                before.append(_shifted(tracks[node], start, last) if node in tracks else rest)
            clips.append(SceneClip(item.name, start, last, tracks=_in_seconds(tracks, rate)))
            # The next one begins a frame later, so between two animations nothing has to be in two places.
            start = last + 1
        self._note_deviation()
        return Motion(
            {node: Track.joined(found) for node, found in parts.items()}, tuple(clips), max(start, 1)
        )

    def _are_apart(self, animations: Sequence[JsonItem]) -> bool:
        """Whether no node is moved by two animations."""
        moved = [*map(self._document.moved_by, animations)]
        return sum(map(len, moved)) == len(set().union(*moved))

    def together(self, rate: float) -> Motion:
        """All animations at once: other programs divide one by the nodes that it moves."""
        tracks: dict[int, Track] = {}
        clips = []
        for item in self._document.root.items("animations"):
            found = self.tracks(item, rate, self._longest)
            if found:
                clips.append(SceneClip(item.name, 0, _last(found)))
            for node, track in found.items():
                tracks.setdefault(node, track)
        self._note_deviation()
        return Motion(tracks, tuple(clips), _last(tracks) + 1 if tracks else 1)

    def only(self, name: str, rate: float) -> Motion | None:
        """The animation of a name among others that move the same nodes; None if there are no such others."""
        animations = [*self._document.root.items("animations")]
        named = [item for item in animations if item.name == name]
        if len(animations) < 2 or not named or self._are_apart(animations):
            return None
        return self._single(named[0], rate)

    def divided(self) -> dict[str, dict[int, Track]]:
        """The tracks of each animation by its name; times are seconds."""
        found: dict[str, dict[int, Track]] = {}
        for item in self._document.root.items("animations"):
            found.setdefault(item.name, {}).update(self.tracks(item, 1.0, self._longest))
        return found

    def _single(self, animation: JsonItem, rate: float) -> Motion:
        """The motion of one animation, in its own times."""
        tracks = self.tracks(animation, rate, self._longest)
        self._note_deviation()
        if not tracks:
            return Motion()
        clip = SceneClip(animation.name, 0, _last(tracks), tracks=_in_seconds(tracks, rate))
        return Motion(tracks, (clip,), _last(tracks) + 1)

    def tracks(self, animation: JsonItem, rate: float, longest: float) -> dict[int, Track]:
        """The tracks of one animation by node, cut off at a time."""
        curves = self.curves(animation, rate)
        found = {}
        for node, moving in curves.items():
            if node not in self._kept:
                continue
            scale, item = moving.pop(SCALE, None), self._nodes[node].item
            if scale and np.abs(scale.values - item.numbers("scale", (1.0, 1.0, 1.0))).max() > NOTED:
                self._document.losses.add("scale that changes stays as it is at rest", item.path)
            if ROTATION in moving:
                added = ExtrasReader.of(self._nodes[node].item).numbers("added_keys")
                moving[ROTATION] = without_frame_keys(moving[ROTATION], added)
            if moving:
                found[node] = self._track(animation, node, moving, longest)
        return found

    def _track(self, animation: JsonItem, node: int, curves: Curves, longest: float) -> Track:
        """The track of a node from its curves."""
        ends = [curve.times[at] for curve in curves.values() for at in (0, -1)]
        if max(ends) > longest:
            self._document.losses.add(
                "what moves after frame {frame} is left out", animation.path, frame=longest
            )
        times = [curve.times for curve in curves.values() if curve.is_exact]
        if len(times) < len(curves):
            first, last = ceil(min(ends)), min(max(ends), longest)
            self._document.budget.spend(16 * max(0, int(last) - first), animation.path)
            # What is not straight between its keys is sampled at whole frames, and at its ends.
            times += [np.arange(first, floor(last) + 1), np.clip(ends, 0, longest)]
        merged = merged_times(times)
        if merged[-1] > longest:
            merged = np.append(merged[merged < longest], longest)
        self._document.budget.spend(16 * len(merged), animation.path)
        placed = self._nodes[node]
        track = Track(
            merged,
            _values(curves.get(TRANSLATION), merged, placed.position),
            _values(curves.get(ROTATION), merged, placed.rotation),
        )
        self._measure(curves, track)
        return track

    def _measure(self, curves: Curves, track: Track) -> None:
        """Record the distance of a track from curves that it cannot follow."""
        made = {TRANSLATION: track.positions, ROTATION: track.rotations}
        for path, curve in curves.items():
            if curve.is_exact:
                continue
            times = fine(np.union1d(track.times, curve.times[curve.times <= track.times[-1]]))
            self._document.budget.spend(16 * len(times), "animations")
            wanted = curve.at(times).astype(np.float64)
            found = KeyCurve(Interpolation.LINEAR, track.times, made[path]).at(times)
            at = 1 if path == ROTATION else 0
            self._deviation[at] = max(self._deviation[at], float(difference(wanted, found).max()))

    def _note_deviation(self) -> None:
        distance, angle = self._deviation.tolist()
        if max(distance, angle) > NOTED:
            self._document.losses.add(
                "movement that is held or cubic goes straight from frame to frame: off by up to {distance} "
                "and {angle} degrees",
                distance=f"{distance:.4g}",
                angle=f"{np.degrees(angle):.3g}",
            )

    def _rest(self, node: int, first: float, last: float) -> Track:
        """The rest pose of a node over some frames."""
        times = np.unique([float(first), float(last)])
        placed = self._nodes[node]
        return Track(times, _values(None, times, placed.position), _values(None, times, placed.rotation))


def _values(curve: KeyCurve | None, times: Times, rest: Floats) -> Floats:
    """Values of a curve at some times; without one those of the rest pose."""
    return np.tile(rest, (len(times), 1)) if curve is None else curve.at(times)


def _shifted(track: Track, start: float, last: float) -> Track:
    """A track that begins at a frame, and holds its ends from there to the last one."""
    times = np.unique(np.concatenate([[start], start + track.times, [last]]))
    local = times - start
    curves = (KeyCurve(Interpolation.LINEAR, track.times, it) for it in (track.positions, track.rotations))
    return Track(times, *(curve.at(local) for curve in curves))


def _in_seconds(tracks: Mapping[int, Track], rate: float) -> dict[int, Track]:
    """Tracks in frames as those of a clip."""
    return {node: Track(it.times / rate, it.positions, it.rotations) for node, it in tracks.items()}


def _last(tracks: Mapping[int, Track]) -> int:
    """The frame at which all tracks have ended."""
    return max(ceil(float(track.times[-1])) for track in tracks.values())


def snapped(times: Times) -> Times:
    """Times with those that are whole but for rounding made whole."""
    whole = np.rint(times)
    return np.where(np.abs(times - whole) <= NEAR * np.maximum(whole, 1), whole, times)


def cut(times: Times) -> tuple[Indices, Times]:
    """The rows of keys that a curve needs, and their times, which increase then.

    Of several keys at one time the last holds from there; the first one, where the curve was before, comes
    a little earlier, so that it jumps in between. None comes before time 0, and those between the two never
    show.
    """
    is_first = np.append(True, np.diff(times) > 0)
    if is_first.all():
        return np.arange(len(times)), times
    is_last = np.append(is_first[1:], True)
    moved = times.copy()
    early = np.flatnonzero(is_first & ~is_last)
    # Never past the middle to the key before, so times stay in order.
    room = (times[early] - times[np.maximum(early - 1, 0)]) / 2
    room = np.where(early > 0, room, times[early])
    moved[early] -= np.minimum(beside(times[early]), room)
    kept = is_last | (is_first & (moved < times))
    return np.flatnonzero(kept), moved[kept]
