"""Keys moved in time: a range of frames moved or stretched, and the length of the animation.

Source: spec/animation.md 6, 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from viewer.errors import EditError
from viewer.formats.archive.nres import ENTRY
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import FRAME_MAP
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.model.edit.choices import NodeChoice, node_of
from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.frame_move import FrameMove, Times
from viewer.model.edit.keys.track_edit import TrackEdit
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class Retime:
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

    @property
    def words(self) -> str:
        """The nodes and both ranges."""
        values = {"start": self.start, "end": self.end, "first": self.to_start, "last": self.to_end}
        if self.node is None:
            return Sentence("move the keys of frames {start} to {end} to {first} to {last}", **values)
        return Sentence(
            "move the keys of node {node} of frames {start} to {end} to {first} to {last}",
            node=self.node,
            **values,
        )

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
                raise EditError(Sentence("is not animated"), table=NODE.name, index=node)
        before = draft.data
        edit.write()
        if draft.data is not before:
            draft.note_frames(move)


def _retime(edit: TrackEdit, node: int, move: FrameMove) -> None:
    keys = edit.keys(node)
    before = keys["time"].astype(np.float64)
    after = move.times(before)
    if np.array_equal(before, after):
        return
    if after.min() != 0 or after.max() >= MAX_FRAMES:
        message = Sentence(
            "its keys would be at {first:g} to {last:g}; the first is at 0, the last before {limit}",
            first=after.min(),
            last=after.max(),
            limit=MAX_FRAMES,
        )
        raise EditError(message, table=NODE.name, index=node)
    for first, second in _collisions(after):
        message = Sentence(
            "keys {first} and {second} would both be at frame {time:g}",
            first=first,
            second=second,
            time=after[first],
        )
        raise EditError(message, table=NODE.name, index=node)
    keys["time"] = after
    edit.put(node, keys)


def _collisions(times: Times) -> Iterator[tuple[int, int]]:
    """Yield pairs of keys at the same time."""
    order = np.argsort(times, kind="stable")
    for at in np.flatnonzero(np.diff(times[order]) == 0).tolist():
        first, second = sorted(order[at : at + 2].tolist())
        yield first, second


@dataclass(frozen=True, slots=True)
class SetFrameCount:
    """Set the length of the animation of a model; frames after the last key show the last key.

    Parameters
    ----------
    count
        Frames, enough for the last key of every node.
    """

    count: int

    @property
    def words(self) -> str:
        """The length."""
        return Sentence("set the length of the animation to {count} frames", count=self.count)

    def apply(self, draft: Draft) -> None:
        """Rebuild the frame map; raises `EditError` if keys are later or the map would be too long."""
        edit = TrackEdit(draft)
        index = draft.model.archive.find_type(FRAME_MAP)
        if not any(track.is_animated for track in edit.tracks):
            raise EditError(Sentence("no node is animated"), table=ENTRY.name, index=index, field="attr2")
        needed = max(track.frames for track in edit.tracks)
        if not needed <= self.count <= MAX_FRAMES:
            message = Sentence("{count} exceeds {low}..{high}", count=self.count, low=needed, high=MAX_FRAMES)
            raise EditError(message, table=ENTRY.name, index=index, field="attr2")
        edit.frame_count = self.count
        edit.write()
