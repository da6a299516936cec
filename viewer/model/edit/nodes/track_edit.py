"""The tracks of a draft, changed and pooled again: key pool, frame map, and what nodes say of both.

Source: spec/animation.md 6, 7; spec/msh.md 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from viewer.errors import EditError, FormatError, UsageError, reason_of
from viewer.formats.archive.nres import ENTRY
from viewer.formats.msh import tracks
from viewer.formats.msh.keys import KEY, encode_block
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import FRAME_MAP, KEYS, NODES
from viewer.formats.msh.tracks import MAX_FRAMES, KeyTrack
from viewer.formats.record import Bytes, Rows
from viewer.formats.splice import same_bytes
from viewer.model.edit.change import Change, Consequence, Topic, change, refusal, refuse_outside
from viewer.model.edit.draft import Draft, FrameMove, Times
from viewer.model.edit.typed_words import Fields, Typed, Word, value_of
from viewer.model.edit.values import NodeChoice, node_of, node_rows
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model
from viewer.translation import _


class TrackEdit:
    """All tracks of a draft, to be changed and written.

    What belongs to no track is kept after the last: keys, words, and bytes that are not a whole record.

    Attributes
    ----------
    nodes
        The nodes, (n,) `NODE`; to be changed, in the order of the tracks.
    tracks
        The track of each node; a changed one is made new, without words.
    tables
        Other tables to be replaced with them, by type.
    frame_count
        The requested length; None to follow the keys if it did before, and else to be as long as needed.

    Raises
    ------
    EditError
        If the animation cannot be split into tracks.
    """

    def __init__(self, draft: Draft) -> None:
        model = draft.model
        self.nodes = node_rows(draft)
        if not (model.has(KEYS) and model.has(FRAME_MAP)):
            raise EditError(_("has no table of keys or no frame map"), table=ENTRY.name)
        try:
            stored = tracks.split(self.nodes, model.keys, model.frame_map, model.frame_count)
        except FormatError as error:
            words = "the animation cannot be split into tracks: {reason}"
            raise refusal(words, error.table, error.index, error.field, reason=error.message) from None
        self._draft = draft
        self.tracks: list[KeyTrack] = [*stored]
        self._length = max((track.frames for track in stored), default=1)
        self._blocks = sum(track.is_animated for track in stored) * model.frame_count
        self._key_count = sum(len(track.keys) for track in stored)
        self.tables: dict[int, Bytes] = {}
        self.frame_count: int | None = None

    def keys(self, node: int) -> Rows:
        """The keys of a node, (k,) `KEY`, a copy."""
        return self.tracks[node].keys.copy()

    def put(self, node: int, keys: Rows, *, is_animated: bool | None = None) -> None:
        """Set the keys of a node, and whether it is animated if that changes."""
        stays = self.tracks[node].is_animated
        # Without the stored words: these are made from the times of its keys.
        self.tracks[node] = KeyTrack(keys, stays if is_animated is None else is_animated)

    def write(self) -> None:
        """Write what has changed; raises `EditError` if the keys cannot be written."""
        model = self._draft.model
        try:
            pool = tracks.build(self.tracks, self._frames())
        except ValueError as error:
            raise EditError(reason_of(error), table=KEY.name) from None
        self.nodes["map_start"], self.nodes["fallback_key"] = pool.map_starts, pool.fallbacks
        keys, words = model.payload(KEYS), model.payload(FRAME_MAP)
        made: Mapping[int, Bytes] = {
            NODES: self.nodes.tobytes() + bytes(model.payload(NODES)[model.nodes.nbytes :]),
            # What belongs to no track, keys as well as bytes that are no whole record, follows the pool
            # unchanged.
            KEYS: pool.keys.tobytes() + bytes(keys[self._key_count * KEY.size :]),
            FRAME_MAP: pool.words.tobytes() + bytes(words[self._blocks * 2 :]),
            **self.tables,
        }
        # A model without animated nodes keeps its stated length: nothing in the map follows from it.
        has_blocks = self._blocks or any(track.is_animated for track in self.tracks)
        frames = pool.frame_count if has_blocks else model.frame_count
        changed = {
            type_id: data
            for type_id, data in made.items()
            if (type_id == FRAME_MAP and frames != model.frame_count)
            or not same_bytes(model.payload(type_id), data)
        }
        self._draft.replace_tables(changed, frame_count=frames)

    def _frames(self) -> int:
        """The length of the animation: that of its keys if it was before, and at least that of its keys."""
        if self.frame_count is not None:
            return self.frame_count
        stored = self._draft.model.frame_count
        needed = max((track.frames for track in self.tracks), default=1)
        # A length that ended with the last key goes on to do so; a longer one was set by hand and stays.
        return needed if stored == self._length else max(stored, needed)


@change("rebuild-frame-map", "rebuild the frame map of node {nodes}")
class RebuildFrameMap(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Write keys in the order of their times, and the map; raises `EditError` like `TrackEdit`."""
        edit = TrackEdit(draft)
        for node in map(partial(node_of, draft), self.nodes):
            if not edit.tracks[node].is_animated:
                raise EditError(_("is not animated"), table=NODE.name, index=node)
            edit.put(node, edit.keys(node))
        edit.frame_count = self.frame_count
        edit.write()


def follow_key_times(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """The frame map of nodes whose keys have other times than before, if it followed from them."""
    if draft.kind is not MODEL:
        return
    old, new = Model.read(before), draft.model
    if not _has_other_times(old, new):
        return
    try:
        pairs = [*zip(_tracks(old), _tracks(new), strict=True)]
    except FormatError:
        return
    edited = [KeyTrack(now.keys, now.is_animated) if _is_outdated(was, now) else now for was, now in pairs]
    try:
        frames = tracks.build(edited).frame_count
    except ValueError:
        return
    changed = tuple(index for index, track in enumerate(edited) if not track.is_stored)
    if changed:
        # A model may be longer than its last key; only one that ended with it follows it.
        follows = old.frame_count == max(was.frames for was, _ignored in pairs)
        count = frames if follows else max(frames, new.frame_count)
        yield Consequence(Topic.FRAME_MAP, RebuildFrameMap(changed, count))


def _has_other_times(old: Model, new: Model) -> bool:
    """Whether nothing but times of keys differs of all that the frame map depends on."""
    if not (new.has(KEYS) and new.has(FRAME_MAP)) or len(old.keys) != len(new.keys):
        return False
    same = all(np.array_equal(old.nodes[it], new.nodes[it]) for it in ("map_start", "fallback_key"))
    return same and not np.array_equal(old.keys["time"], new.keys["time"])


def _tracks(model: Model) -> tuple[KeyTrack, ...]:
    return tracks.split(model.nodes, model.keys, model.frame_map, model.frame_count)


def _is_outdated(was: KeyTrack, now: KeyTrack) -> bool:
    """Whether the block of a track followed from its keys and does so no longer."""
    return _is_canonical(was) and not _is_canonical(now)


def _is_canonical(track: KeyTrack) -> bool:
    if track.words is None:
        return True
    words = encode_block(track.keys["time"], track.first_key, len(track.words))
    return np.array_equal(words, track.words)


def retime_fields(words: Sequence[str]) -> Fields:
    """``A:B C:D``, two ranges of frames; raises `UsageError`."""
    ranges = [text.split(":") for text in words]
    if any(len(ends) != 2 for ends in ranges):
        raise UsageError(_("{words!r} is not two ranges, such as 0:20 0:40", words=" ".join(words)))
    names = ("start", "end", "to_start", "to_end")
    ends = [value_of(end) for ends in ranges for end in ends]
    return dict(zip(names, ends, strict=True))


@change(
    "retime",
    "move the keys of node {node} of frames {start} to {end} to {to_start} to {to_end}",
    typed=Typed(
        "move or stretch the keys of all nodes in frames A to B to frames C to D",
        (Word("A:B"), Word("C:D")),
        retime_fields,
    ),
    node="move the keys of frames {start} to {end} to {to_start} to {to_end}",
)
class Retime(Change, frozen=True):
    """Move or stretch the keys in a range of frames to another range.

    Times are rounded to whole frames.

    Parameters
    ----------
    start, end
        The range of the keys, both included, in frames.
    to_start, to_end
        Where its ends go.
    node
        Index or name; None for all animated nodes.
    moves_later
        Whether the keys after the range move along with its end.
    """

    start: float
    end: float
    to_start: float
    to_end: float
    node: NodeChoice | None = None
    moves_later: bool = False

    def apply(self, draft: Draft) -> None:
        """Set the times; raises `EditError` if two keys of a node would be at one frame, or none at 0."""
        edit = TrackEdit(draft)
        node = None if self.node is None else node_of(draft, self.node)
        move = FrameMove(self.start, self.end, self.to_start, self.to_end, self.moves_later, node)
        move.check()
        chosen = range(len(edit.tracks)) if node is None else [node]
        for node in chosen:
            if edit.tracks[node].is_animated:
                _retime(edit, node, move)
            elif self.node is not None:
                raise EditError(_("is not animated"), table=NODE.name, index=node)
        before = draft.data
        edit.write()
        if draft.data is not before:
            draft.moves.note_frames(move)


def _retime(edit: TrackEdit, node: int, move: FrameMove) -> None:
    keys = edit.keys(node)
    before = keys["time"].astype(np.float64)
    after = move.times(before)
    if np.array_equal(before, after):
        return
    if after.min() != 0 or after.max() >= MAX_FRAMES:
        words = "its keys would be at {first:g} to {last:g}; the first is at 0, the last before {limit}"
        raise refusal(words, NODE.name, node, first=after.min(), last=after.max(), limit=MAX_FRAMES)
    refuse_equal_times(after, node)
    keys["time"] = after
    edit.put(node, keys)


def refuse_equal_times(times: Times, node: int) -> None:
    """Raise `EditError` that names two keys of a node which would be at the same time, if there are any."""
    order = np.argsort(times, kind="stable")
    for at in np.flatnonzero(np.diff(times[order]) == 0)[:1].tolist():
        first, second = sorted(order[at : at + 2].tolist())
        words = "keys {first} and {second} would both be at frame {time:g}"
        raise refusal(words, NODE.name, node, first=first, second=second, time=times[first])


@change("frame-count", "set the length of the animation to {count} frames")
class SetFrameCount(Change, frozen=True):
    """Set the length of the animation of a model; frames after the last key show the last key.

    Parameters
    ----------
    count
        Frames, enough for the last key of every node.
    """

    count: int

    def apply(self, draft: Draft) -> None:
        """Rebuild the frame map; raises `EditError` if keys are later or the map would be too long."""
        edit = TrackEdit(draft)
        index = draft.model.archive.find_type(FRAME_MAP)
        if not any(track.is_animated for track in edit.tracks):
            raise EditError(_("no node is animated"), table=ENTRY.name, index=index, field="attr2")
        needed = max(track.frames for track in edit.tracks)
        refuse_outside(self.count, needed, MAX_FRAMES, ENTRY.name, index, "attr2")
        edit.frame_count = self.count
        edit.write()
