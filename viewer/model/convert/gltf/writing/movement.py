"""Animations of a file: the keys of the nodes, whose curve between them is linear and spherical.

Nodes of equal key times share them, and the nodes of all scenes share their curves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.model.convert.gltf.axes import outward, rotations_outward
from viewer.model.convert.gltf.frame_keys import Turning, with_frame_keys
from viewer.model.convert.gltf.writing import binary
from viewer.model.convert.gltf.writing.binary import Binary
from viewer.model.convert.gltf.writing.names import UniqueNames
from viewer.model.convert.scene import Clips, Floats, Scene, Track


def animations(
    scene: Scene, targets: Mapping[int, Sequence[int]], buffers: Binary
) -> tuple[list[dict[str, Any]], dict[int, Floats]]:
    """The animations: one for the whole strip, or one for each clip that says how nodes move.

    With them, by node of the scene, the keys that were added to those of the strip (`Turning.added`).

    Parameters
    ----------
    targets
        The nodes of the file that move like a node of the scene, by its index.
    """
    tracks = {number: node.track for number, node in enumerate(scene.nodes) if node.track is not None}
    divided = [clip for clip in scene.clips if clip.tracks] if scene.options.clips is Clips.CLIPS else []
    wanted = [(clip.name, clip.tracks, 1.0) for clip in divided] or [("strip", tracks, scene.options.fps)]
    names = UniqueNames()
    turnings = _turnings(scene, {} if divided else tracks)
    made = [
        _animation(scene, names.add(name, "clip"), moving, rate, targets, buffers, turnings)
        for name, moving, rate in wanted
        if moving and scene.options.clips is not Clips.NONE
    ]
    return made, {number: it.added for number, it in turnings.items() if made}


def _turnings(scene: Scene, tracks: Mapping[int, Track]) -> dict[int, Turning]:
    """The rotations of the tracks that get further keys."""
    if not scene.options.has_frame_keys:
        return {}
    made = {number: with_frame_keys(track) for number, track in tracks.items()}
    return {number: turning for number, turning in made.items() if len(turning.added)}


def _animation(
    scene: Scene,
    name: str,
    tracks: Mapping[int, Track],
    rate: float,
    targets: Mapping[int, Sequence[int]],
    buffers: Binary,
    turnings: Mapping[int, Turning],
) -> dict[str, Any]:
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    for number, track in sorted(tracks.items()):
        turned = turnings.get(number, track)
        positions = outward(track.positions, is_y_up=scene.options.is_y_up)
        rotations = rotations_outward(turned.rotations, is_y_up=scene.options.is_y_up)
        curves = {
            "translation": (track.times, buffers.add(binary.TRANSLATION, positions)),
            "rotation": (turned.times, buffers.add(binary.ROTATION, rotations)),
        }
        for path, (frames, output) in curves.items():
            times = buffers.add_once(binary.TIME, seconds_of(frames, rate), has_bounds=True)
            moved = ({"node": node, "path": path} for node in targets[number])
            channels += ({"sampler": len(samplers), "target": target} for target in moved)
            samplers.append({"input": times, "interpolation": "LINEAR", "output": output})
    return {"name": name, "channels": channels, "samplers": samplers}


def seconds_of(frames: npt.NDArray[np.float64], rate: float) -> Floats:
    """Times of keys in seconds, strictly increasing in single precision, as the format wants them."""
    seconds = (frames / rate).astype(np.float32)
    for at in np.flatnonzero(seconds[1:] <= seconds[:-1]).tolist():
        seconds[at + 1] = np.nextafter(seconds[at], np.float32(np.inf))
    while (late := np.flatnonzero(seconds[1:] <= seconds[:-1])).size:
        seconds[late + 1] = np.nextafter(seconds[late], np.float32(np.inf))
    return seconds
