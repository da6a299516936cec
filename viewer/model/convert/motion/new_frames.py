"""New clips of a file as further frames after the movement that its nodes have.

A model has one movement, of which clips are ranges of frames. A clip with a movement of its own gets a range
after the last frame; the nodes that it does not move are at rest there, as the file has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.convert.motion.curve import SAME_TIME, Curve, at_rest
from viewer.model.convert.scene import Scene, SceneClip, Track


class NewFrames(Struct, frozen=True, eq=False):
    """The frames of a new clip.

    Attributes
    ----------
    clip
        The clip with these frames as its first and last.
    tracks
        How nodes move in it, by index in `Scene.nodes`; times are frames of the model.
    """

    clip: SceneClip
    tracks: Mapping[int, Track]

    def of(self, index: int, rest: Track, whole: Callable[[Track], Track]) -> Track:
        """The track of a node in these frames, of which the first and the last are points.

        Parameters
        ----------
        rest
            Where it is if the clip does not move it.
        whole
            Makes the points that are kept of a track.
        """
        moved = self.tracks.get(index)
        ends = np.array([self.clip.first, self.clip.last])
        if moved is None:
            return Curve(rest).at(ends)
        made = whole(moved)
        inside = made.some((made.times > ends[0] + SAME_TIME) & (made.times < ends[1] - SAME_TIME))
        first, last = Curve(made).at(ends[:1]), Curve(made).at(ends[1:])
        return Track.joined([first, inside, last])


def new_frames(scene: Scene, clips: Sequence[SceneClip], start: int) -> Iterator[NewFrames]:
    """The frames of clips that follow one another from a frame on."""
    for clip in clips:
        fps = scene.options.fps
        # Seconds are single floats: 1.3333334 at 15 a second is frame 20.
        moved = {node: _shifted(track, fps, start) for node, track in clip.tracks.items()}
        last = ceil(max(float(it.times[-1]) for it in moved.values()) - SAME_TIME)
        last = max(last, start + 1)  # a pose is a range too
        placed = replace(
            clip, first=float(start), last=float(last), seconds=(last - start) / fps, is_apart=False
        )
        yield NewFrames(placed, moved)
        start = last + 1


def _shifted(track: Track, fps: float, start: int) -> Track:
    times = track.times * fps
    whole = np.rint(times)
    times = np.where(np.abs(times - whole) <= SAME_TIME, whole, times)
    return Track(times + start, track.positions, track.rotations)


def appended(base: Track | None, rest: Track, added: Sequence[Track]) -> Track | None:
    """The track of a node with the tracks of new frames after it; itself if nothing moves in these.

    Parameters
    ----------
    base
        Its track in the frames before; None for a still node.
    rest
        Where it is without one.
    added
        Its tracks in the new frames, each with a point at its first and last one.
    """
    whole = Track.joined(added)
    before = rest if base is None else base
    # The engine holds the last key: frames that are appended and equal to it need no keys of their own.
    end = before.some([-1])
    if (whole.positions == end.positions).all() and (whole.rotations == end.rotations).all():
        return base
    pieces = [before, whole]
    if before.times[-1] < whole.times[0] - 1 - SAME_TIME:
        # Without a key just before it, the new movement would spread back to the last key.
        pieces.insert(1, Track(whole.times[:1] - 1, end.positions, end.rotations))
    return Track.joined(pieces)


def in_a_row(scene: Scene) -> Scene:
    """A scene in which clips with a movement of their own follow that of the nodes."""
    clips = [it for it in scene.clips if it.is_apart]
    if not clips:
        return scene
    has_tracks = any(it.track is not None for it in scene.nodes)
    # Without any movement before it the first clip begins at frame 0.
    found = [*new_frames(scene, clips, scene.frame_count if has_tracks else 0)]
    nodes = []
    for index, node in enumerate(scene.nodes):
        if node.track is None and not any(index in it.tracks for it in found):
            nodes.append(node)
            continue
        rest = at_rest(node)
        added = [it.of(index, rest, lambda track: track) for it in found]
        base = node.track if has_tracks else None
        track = appended(base, rest, added) if has_tracks else Track.joined(added)
        nodes.append(replace(node, track=track))
    placed = iter(found)
    return replace(
        scene,
        nodes=tuple(nodes),
        clips=tuple(next(placed).clip if it.is_apart else it for it in scene.clips),
        frame_count=int(found[-1].clip.last) + 1,
    )
