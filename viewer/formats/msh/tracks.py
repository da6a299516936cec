"""Tracks: the keys of each node, and the key pool and frame map made from them.

Source: spec/animation.md 6, 7.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.findings import Rule
from viewer.formats.msh.keys import KEY, encode_block
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.record import Rows
from viewer.translation import _

MAX_FRAMES = 1 << 24
"""Number of frames from which float32 times skip frames."""

Words = npt.NDArray[np.uint16]


class KeyTrack(Struct, frozen=True, eq=False):
    """The keys of one node.

    Parameters
    ----------
    keys
        `KEY` records.
    is_animated
        Whether the node has a block of the frame map; otherwise it has one key, at time 0.
    words
        The stored block, one word per frame; kept if the track is not edited.
    first_key
        Index of the first key in the file of the block.
    is_stored
        Whether it is as it was stored: written as it is, unchecked. An edited track has to be canonical.
    """

    keys: Rows
    is_animated: bool = False
    words: Words | None = None
    first_key: int = 0
    is_stored: bool = False

    @property
    def frames(self) -> int:
        """Frames that the model needs for it: up to its last key, and as long as its block names another."""
        times = _sorted(self)["time"].astype(np.float64)
        last = int(times[-1]) if len(times) and 0 <= times[-1] < MAX_FRAMES else 0
        if self.words is None:
            return 1 + last
        # Words from the last key on mean the last key, as after the block: they need no frame.
        moving = np.flatnonzero(self.words < self.first_key + len(times) - 1)
        return 1 + max(last, int(moving[-1]) if len(moving) else 0)


class Pool(Struct, frozen=True, eq=False):
    """The stored form of a model's tracks.

    Attributes
    ----------
    keys
        `KEY` records, track after track (Res8).
    words
        The frame map, shape (w,) ``<u2`` (Res19).
    frame_count
        Frames of the whole model, attr2 of Res19.
    map_starts, fallbacks
        The fields of each node for its track, shape (n,) ``<u2``.
    """

    keys: Rows
    words: Words
    frame_count: int
    map_starts: Words
    fallbacks: Words


def build(tracks: Sequence[KeyTrack], frame_count: int | None = None) -> Pool:
    """Pool the tracks of all nodes, in node order, as in retail files.

    `frame_count` is the length of the animation; by default it ends at the last key. A model without
    an animated node has one frame and no map. Raises `ValueError` for a track that cannot be
    written, and if keys or map exceed the 16 bits of their indices.
    """
    sorted_keys = [_sorted(track) for track in tracks]
    for node, (track, keys) in enumerate(zip(tracks, sorted_keys, strict=True)):
        problem = _problem(track, keys)
        if problem:
            raise ValueError(_("track of node {node}: {problem}", node=node, problem=problem))
    is_animated = np.array([track.is_animated for track in tracks], bool)
    frames = _frame_count(tracks, frame_count) if is_animated.any() else 1
    # Tracks of 3, 1, 2 keys end with keys 2, 3, 5.
    fallbacks = np.cumsum([len(keys) for keys in sorted_keys], dtype=np.int64) - 1
    # A still node and two animated ones with 10 frames: NONE, 0, 10.
    starts = np.where(is_animated, (np.cumsum(is_animated) - 1) * frames, NONE)
    _check_limits(fallbacks, starts[is_animated], frames)
    words = [
        _words(track, keys, int(last) - len(keys) + 1, frames)
        for track, keys, last in zip(tracks, sorted_keys, fallbacks, strict=True)
        if track.is_animated
    ]
    return Pool(
        np.concatenate([KEY.new(0), *sorted_keys], dtype=KEY.dtype),  # which takes a third of the time
        np.concatenate([np.empty(0, "<u2"), *words]),
        frames,
        starts.astype("<u2"),
        fallbacks.astype("<u2"),
    )


def split(nodes: Rows, keys: Rows, words: Words, frame_count: int) -> tuple[KeyTrack, ...]:
    """The track of each node, to be edited and built again; untouched tracks give the same bytes.

    Raises `FormatError` if the pool is not one track after the other (A02, A07), a block is not
    whole (A03), or it has keys before its track (A11): such an animation cannot be split.
    """
    found: list[KeyTrack] = []
    # A node names the last key of its track only; the track begins after that of the node before.
    first = 0
    for index, (start, last) in enumerate(nodes[["map_start", "fallback_key"]].tolist()):
        if last >= len(keys):
            rule = Rule("A02", NODE.name, "fallback_key")
            raise rule.failure("key {last} of {keys}", index, last=last, keys=len(keys))
        if last < first:
            rule = Rule("A07", NODE.name, "fallback_key")
            raise rule.failure("key {last} belongs to the previous track", index, last=last)
        block = words[start : start + frame_count] if start != NONE else None
        if block is not None and len(block) < frame_count:
            told, rule = "{words} of {frame_count} words are present", Rule("A03", NODE.name, "map_start")
            raise rule.failure(told, index, words=len(block), frame_count=frame_count)
        if block is not None and len(block) and block.min() < first:
            told, rule = "has key {key}, the track starts at {first}", Rule("A11", NODE.name, "map_start")
            raise rule.failure(told, index, key=block.min(), first=first)
        found.append(KeyTrack(keys[first : last + 1], block is not None, block, first, is_stored=True))
        first = last + 1
    return tuple(found)


def _sorted(track: KeyTrack) -> Rows:
    """The keys by time; the first alone, at time 0, of a node that is not animated."""
    if track.is_stored:
        return track.keys
    # Stable: of a still node's keys at one time the first one stays.
    order = np.argsort(track.keys["time"], kind="stable")
    if track.is_animated or not len(order):
        return track.keys[order]
    still = track.keys[order[:1]]
    still["time"] = 0
    return still


def _problem(track: KeyTrack, keys: Rows) -> str:
    """Reason for which a track cannot be written; empty if it can."""
    if track.is_stored:
        return ""
    # An animated node needs a segment, which has a key at either end.
    times = keys["time"].astype(np.float64)
    if len(keys) < 1 + track.is_animated:
        return _("{keys} keys, it requires {needed}", keys=len(keys), needed=1 + track.is_animated)
    if not np.isfinite(times).all() or times[-1] >= MAX_FRAMES or (times % 1).any():
        return _("times are whole frames below {limit}", limit=MAX_FRAMES)
    if times[0] != 0 or (np.diff(times) <= 0).any():
        return _("times start at 0 and no two are equal")
    return ""


def _frame_count(tracks: Sequence[KeyTrack], kept: int | None) -> int:
    if kept is not None and not 1 <= kept <= MAX_FRAMES:
        raise ValueError(_("{count} frames are not in 1..{limit}", count=kept, limit=MAX_FRAMES))
    return max(track.frames for track in tracks) if kept is None else kept


def _check_limits(fallbacks: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], frame_count: int) -> None:
    # Both fields are words of two bytes, of which 0xFFFF is kept for none.
    if len(fallbacks) and fallbacks[-1] >= NONE:
        raise ValueError(_("{count} keys, a node can index {limit}", count=fallbacks[-1] + 1, limit=NONE))
    if len(starts) and starts[-1] >= NONE:
        # The last of 3 blocks starts at 0xFFFE at most, so each has 0x7FFF frames.
        most = (NONE - 1) // (len(starts) - 1)
        words = "the frame map has room for {most} frames of {nodes} animated nodes, not for {frames}"
        raise ValueError(_(words, most=most, nodes=len(starts), frames=frame_count))


def _words(track: KeyTrack, keys: Rows, first: int, frame_count: int) -> Words:
    """The block of a track; the stored block, moved with its keys, if the track is unchanged.

    A word beyond the last key means that key, and is kept as long as it still lies beyond it. Frames that
    it did not have show the last key, as they did outside the block.
    """
    words, last = track.words, first + len(keys) - 1
    if words is None or not track.is_stored:
        return encode_block(keys["time"], first, frame_count)
    if first != track.first_key:
        # Signed, as a track may move down.
        moved = words.astype(np.int64) + first - track.first_key
        beyond = np.maximum(words, last)
        words = np.where(moved > last, beyond, moved).astype("<u2")
    added = max(0, frame_count - len(words))
    return np.append(words[:frame_count], np.full(added, last, "<u2"))
