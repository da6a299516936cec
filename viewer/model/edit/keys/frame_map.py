"""The frame map that follows from times of keys that were set by hand.

Source: spec/animation.md 6, 7; spec/msh.md 12.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from viewer.errors import EditError, FormatError
from viewer.formats.msh import tracks
from viewer.formats.msh.keys import encode_block
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.formats.msh.tracks import Track
from viewer.model.edit.change import Consequence, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.track_edit import TrackEdit
from viewer.model.edit.node_choice import node_of
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class RebuildFrameMap:
    """Make the blocks of nodes from the times of their keys.

    Parameters
    ----------
    nodes
        Indices of animated nodes.
    frame_count
        Frames of the model; None to follow the keys.
    """

    nodes: tuple[int, ...]
    frame_count: int | None = None

    @property
    def words(self) -> str:
        """The nodes."""
        return Sentence("rebuild the frame map of node {nodes}", nodes=", ".join(map(str, self.nodes)))

    def apply(self, draft: Draft) -> None:
        """Write keys in the order of their times, and the map; raises `EditError` like `TrackEdit`."""
        edit = TrackEdit(draft)
        for node in map(partial(node_of, draft), self.nodes):
            if not edit.tracks[node].is_animated:
                raise EditError(Sentence("is not animated"), table=NODE.name, index=node)
            edit.put(node, edit.keys(node))
        edit.frame_count = self.frame_count
        edit.write()


def follow(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield the frame map of nodes whose keys have other times than before, if it followed from them."""
    if draft.kind is not MODEL:
        return
    old, new = Model.read(before), draft.model
    if not _has_other_times(old, new):
        return
    try:
        pairs = [*zip(_tracks(old), _tracks(new), strict=True)]
    except FormatError:
        return
    edited = [Track(now.keys, now.is_animated) if _is_outdated(was, now) else now for was, now in pairs]
    try:
        frames = tracks.build(edited).frame_count
    except ValueError:
        return
    changed = tuple(index for index, track in enumerate(edited) if not track.is_stored)
    if changed:
        follows = old.frame_count == max(was.frames for was, _ in pairs)
        count = frames if follows else max(frames, new.frame_count)
        yield Consequence(Topic.FRAME_MAP, RebuildFrameMap(changed, count))


def _has_other_times(old: Model, new: Model) -> bool:
    """Whether nothing but times of keys differs of all that the frame map depends on."""
    if not (new.has(KEYS) and new.has(FRAME_MAP)) or len(old.keys) != len(new.keys):
        return False
    same = all(np.array_equal(old.nodes[it], new.nodes[it]) for it in ("map_start", "fallback_key"))
    return same and not np.array_equal(old.keys["time"], new.keys["time"])


def _tracks(model: Model) -> tuple[Track, ...]:
    return tracks.split(model.nodes, model.keys, model.frame_map, model.frame_count)


def _is_outdated(was: Track, now: Track) -> bool:
    """Whether the block of a track followed from its keys and does so no longer."""
    return _is_canonical(was) and not _is_canonical(now)


def _is_canonical(track: Track) -> bool:
    if track.words is None:
        return True
    words = encode_block(track.keys["time"], track.first_key, len(track.words))
    return np.array_equal(words, track.words)
