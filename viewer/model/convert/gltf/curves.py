"""Curves of animations: between their keys, with keys at whole frames, and as objects of a file.

Source: glTF 2.0, 3.11 and appendix C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import Floats, Indices
from viewer.model.convert.gltf import arrays
from viewer.model.convert.gltf.arrays import Binary
from viewer.model.convert.labels import UniqueNames
from viewer.model.convert.motion.curve import needed
from viewer.model.convert.motion.rotations import Axes, apart, is_sampled, mixed, places, unit
from viewer.model.convert.options import Clips
from viewer.model.convert.scene import Scene, SceneClip, Track

Times = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64]
STILL: Final = 1e-6
"""Values that differ less are the same: programs hold what hardly moves."""
# Blender mixes components where glTF turns evenly: off by 0.004 times the cube of the angle of a stretch, in
# radians. 4e-6 is reached by a stretch of 0.1 radians, 6 degrees.
SEEN: Final = 4e-6
"""Deviation from which keys are added, radians; those of all nodes above add up."""
SAME_TIME: Final = 1e-3
"""A key this near to a time, in frames, is that of this time."""
SAME_ROTATION: Final = 2e-5
"""Rotations whose components differ less are the same."""
WIDTH: Final = 5
"""Numbers of a key: its time in frames, w, x, y and z."""


class Interpolation(StrEnum):
    """Interpolation of a curve between keys."""

    LINEAR = "LINEAR"
    STEP = "STEP"
    CUBIC = "CUBICSPLINE"


class KeyCurve(Struct, frozen=True, eq=False):
    """Keys of a position, rotation or scale.

    Attributes
    ----------
    times
        (k,) float64, frames, strictly increasing.
    values
        (k, 3), or rotations w, x, y, z, (k, 4), float32.
    tangents
        The incoming and the outgoing one of each key, per frame, (k, 2, 3 or 4); of cubic curves only.
    """

    mode: Interpolation
    times: Times
    values: Floats
    tangents: Values | None = None

    @property
    def is_exact(self) -> bool:
        """Whether a track can go from key to key in the same way."""
        if self.mode is Interpolation.LINEAR or len(self.times) < 2:
            return True
        return self.mode is Interpolation.STEP and bool((np.abs(self.values - self.values[0]) <= STILL).all())

    def at(self, times: Times) -> Floats:
        """The values at some times, (n, 3) or (n, 4); held before the first key and after the last."""
        if np.array_equal(times, self.times):
            return self.values
        left, _ignored, share = places(self.times, times)
        result = self.values[left]
        between = np.flatnonzero(share)
        if self.mode is not Interpolation.STEP and len(between):
            result[between] = self._between(left[between], share[between])
        return result

    def _between(self, left: npt.NDArray[np.int64], share: Times) -> Values:
        """Values between a key and the next one."""
        start, end = self.values[left].astype(np.float64), self.values[left + 1].astype(np.float64)
        if self.tangents is not None:
            span = self.times[left + 1] - self.times[left]
            out, into = self.tangents[left, 1] * span[:, None], self.tangents[left + 1, 0] * span[:, None]
            t = share[:, None]
            t2, t3 = t * t, t * t * t  # the cubic Hermite spline of glTF 2.0, appendix C
            hermite = (2 * t3 - 3 * t2 + 1) * start + (t3 - 2 * t2 + t) * out
            values = hermite + (3 * t2 - 2 * t3) * end + (t3 - t2) * into
            return unit(values) if values.shape[1] == 4 else values
        if self.values.shape[1] == 4:
            return slerp(start, end, share)
        return start + (end - start) * share[:, None]


def slerp(start: Values, end: Values, share: Times) -> Values:
    """Rotations between two, (n, 4), on the shorter way."""
    dot = np.einsum("ij,ij->i", start, end)
    # The shorter way: of q and -q, which turn alike, the one nearer to the start.
    end = np.where(dot < 0, -1, 1)[:, None] * end
    angle = np.arccos(np.clip(np.abs(dot), 0, 1))
    # sin(x) / sin(y) of tiny angles is 0 / 0; there a turn is as straight as a line.
    is_wide = angle > 1e-6
    sine = np.where(is_wide, np.sin(angle), 1)
    first = np.where(is_wide, np.sin((1 - share) * angle) / sine, 1 - share)
    second = np.where(is_wide, np.sin(share * angle) / sine, share)
    return unit(first[:, None] * start + second[:, None] * end)


class Turning(Struct, frozen=True, eq=False):
    """The rotations of a track with the keys that were added.

    Attributes
    ----------
    times
        (k,) float64, frames.
    rotations
        (k, 4) float32.
    added
        (n, 5) float32: time, w, x, y, z of the keys that the track does not have.
    """

    times: Times
    rotations: Floats
    added: Floats


def with_frame_keys(track: Track) -> Turning:
    """The rotations of a track, with keys at the whole frames of wide turns."""
    return _with_frame_keys([track])[0]


def _with_frame_keys(tracks: Sequence[Track]) -> list[Turning]:
    """The rotations of tracks with keys at the whole frames of wide turns; all are worked out at once."""
    beside = [_whole_frames(it) for it in tracks]
    counts = [len(it.times) for it in tracks]
    first = np.cumsum([0, *counts])
    frames, left, right, share = (np.concatenate(it) for it in zip(*beside, strict=True))
    asked = [len(it) for it, *_ignored in beside]
    left, right = (it + np.repeat(first[:-1], asked) for it in (left, right))
    rotations = np.concatenate([it.rotations for it in tracks]).astype(np.float64)
    start, end = rotations[left], rotations[right]
    even = slerp(start, end, share)
    worst = np.zeros(len(rotations))
    # Of a stretch between two keys the worst frame decides; then all of its frames get keys.
    np.maximum.at(worst, left, _distance(even, mixed(start, end, share)))
    keys = np.concatenate([frames[:, None], even], axis=1)
    of_track = zip(*(np.split(it, np.cumsum(asked)[:-1]) for it in (keys, worst[left] > SEEN)), strict=True)
    return [_with_keys(track, own[kept]) for track, (own, kept) in zip(tracks, of_track, strict=True)]


def _whole_frames(track: Track) -> tuple[Times, Indices, Indices, Times]:
    """The whole frames of a track that are no keys, and as `places` the keys beside them."""
    frames = np.arange(np.floor(track.times[0]) + 1, np.ceil(track.times[-1]))
    left, right, share = places(track.times, frames)
    is_between = np.minimum(track.times[right] - frames, frames - track.times[left]) > SAME_TIME
    return frames[is_between], left[is_between], right[is_between], share[is_between]


def _with_keys(track: Track, keys: Values) -> Turning:
    """The rotations of a track with further keys, (n, 5)."""
    added = keys.astype(np.float32)
    times = np.concatenate([track.times, keys[:, 0]])
    order = np.argsort(times, kind="stable")
    return Turning(times[order], np.concatenate([track.rotations, added[:, 1:]])[order], added)


def _distance(first: Values, second: Values) -> Values:
    """The angle between near rotations, radians."""
    sign = np.where(np.einsum("ij,ij->i", first, second) < 0, -1.0, 1.0)
    # A quaternion turns by half its angle, so the chord of near ones is half the angle; q and -q turn alike.
    return np.asarray(2 * np.linalg.norm(first - second * sign[:, None], axis=1))


def without_frame_keys(curve: KeyCurve, said: Sequence[float]) -> KeyCurve:
    """A curve of rotations without the keys that were added, if it turns the same without them.

    Beside a key that was edited the added ones stay that hold the curve at their frames. Those of a curve
    that was sampled stay too: keys of the track are left out there. `said` are the added keys as the extras
    list them, `WIDTH` numbers for each.
    """
    if curve.mode is not Interpolation.LINEAR or not said or len(said) % WIDTH or is_sampled(curve.times):
        return curve
    added = np.array(said, np.float64).reshape(-1, WIDTH)
    added = added[np.argsort(added[:, 0], kind="stable")]
    # The first added key that may be this one: not earlier than its time less the tolerance.
    near = np.clip(np.searchsorted(added[:, 0], curve.times - SAME_TIME), 0, len(added) - 1)
    is_added = np.abs(added[near, 0] - curve.times) < SAME_TIME
    is_added &= _distance(curve.values.astype(np.float64), added[near, 1:]) < 2 * SAME_ROTATION
    if not is_added.any() or is_added.all():
        return curve
    is_added[[0, -1]] = False  # a program that samples may leave out the last frame
    rest = KeyCurve(curve.mode, curve.times[~is_added], curve.values[~is_added])
    if (apart(rest.at(curve.times), curve.values) <= SAME_ROTATION).all():
        return rest
    still = np.zeros((len(curve.times), 3), np.float32)
    track = Track(curve.times, still, curve.values)
    kept = needed(track, ~is_added, np.inf, SAME_ROTATION, is_stored=False)
    return KeyCurve(curve.mode, curve.times[kept], curve.values[kept])


def turnings_of(scene: Scene) -> dict[int, Turning]:
    """The rotations of nodes that get further keys, by node: of the strip, if the options ask for keys."""
    options = scene.options
    if not options.has_frame_keys or options.clips is Clips.NONE or _divided(scene):
        return {}
    tracks = {number: node.track for number, node in enumerate(scene.nodes) if node.track is not None}
    turnings = _with_frame_keys([*tracks.values()]) if tracks else []
    return {number: it for number, it in zip(tracks, turnings, strict=True) if len(it.added)}


def _divided(scene: Scene) -> list[SceneClip]:
    """The clips that say how nodes move, if the animation is to be divided."""
    return [clip for clip in scene.clips if clip.tracks] if scene.options.clips is Clips.CLIPS else []


class AnimationObjects:
    """The animations of a file: one for the whole strip, or one for each clip that says how nodes move.

    Parameters
    ----------
    targets
        The nodes of the file that move like a node of the scene, by its index.

    Attributes
    ----------
    animations
        As in the file.
    """

    def __init__(
        self,
        scene: Scene,
        targets: Mapping[int, Sequence[int]],
        buffers: Binary,
        turnings: Mapping[int, Turning],
    ) -> None:
        self._axes = Axes(scene.options.is_y_up)
        self._targets, self._buffers, self._turnings = targets, buffers, turnings
        tracks = {number: node.track for number, node in enumerate(scene.nodes) if node.track is not None}
        moving = [(clip.name, clip.tracks, 1.0) for clip in _divided(scene)]
        names = UniqueNames()
        self.animations = [
            self._animation(names.add(name, "clip"), found, rate)
            for name, found, rate in moving or [("strip", tracks, scene.options.fps)]
            if found and scene.options.clips is not Clips.NONE
        ]

    def _animation(self, name: str, tracks: Mapping[int, Track], rate: float) -> dict[str, Any]:
        channels: list[dict[str, Any]] = []
        samplers: list[dict[str, Any]] = []
        buffers = self._buffers
        for number, track in sorted(tracks.items()):
            turned = self._turnings.get(number, track)
            positions = self._axes.outward(track.positions)
            rotations = self._axes.rotations_outward(turned.rotations)
            curves = {
                "translation": (track.times, buffers.add(arrays.TRANSLATION, positions)),
                "rotation": (turned.times, buffers.add(arrays.ROTATION, rotations)),
            }
            for path, (frames, output) in curves.items():
                times = buffers.add_once(arrays.TIME, seconds_of(frames, rate), has_bounds=True)
                moved = ({"node": node, "path": path} for node in self._targets[number])
                channels += ({"sampler": len(samplers), "target": target} for target in moved)
                samplers.append({"input": times, "interpolation": "LINEAR", "output": output})
        return {"name": name, "channels": channels, "samplers": samplers}


def seconds_of(frames: npt.NDArray[np.float64], rate: float) -> Floats:
    """Times of keys in seconds, strictly increasing in single precision, as the format wants them."""
    seconds = (frames / rate).astype(np.float32)
    for at in np.flatnonzero(seconds[1:] <= seconds[:-1]).tolist():
        seconds[at + 1] = np.nextafter(seconds[at], np.float32(np.inf))
    # Moving one time up may reach the next one, so this goes on until all increase.
    while (late := np.flatnonzero(seconds[1:] <= seconds[:-1])).size:
        seconds[late + 1] = np.nextafter(seconds[late], np.float32(np.inf))
    return seconds
