"""Keys added to and removed from the track of a node, and its animation switched on and off.

Source: spec/animation.md 6, 7.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh.keys import KEY, QuaternionOrder, encode_quaternion
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.track_edit import TrackEdit
from viewer.model.edit.node_choice import NodeChoice, node_of
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.skeleton import Skeleton
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class AddKey:
    """Add a key to a node at a time, with the pose that the node has there, so that nothing moves.

    A node with one key becomes animated.

    Parameters
    ----------
    node
        Index or name.
    time
        A whole frame after 0 without a key of the node.
    """

    node: NodeChoice
    time: float

    @property
    def words(self) -> str:
        """The node and the frame."""
        return Sentence("add a key to node {node} at frame {time}", node=self.node, time=self.time)

    def apply(self, draft: Draft) -> None:
        """Insert the key; raises `EditError` for a time that it cannot have, or too many keys."""
        node = node_of(draft, self.node)
        edit = TrackEdit(draft)
        keys = edit.keys(node) if edit.tracks[node].is_animated else _pose(edit.keys(node))
        _refuse_time(keys, self.time, node)
        edit.put(node, np.concatenate([keys, _key_at(draft, node, self.time)]), is_animated=True)
        edit.write()


@dataclass(frozen=True, slots=True)
class RemoveKey:
    """Remove a key of an animated node; a node with one key left is no longer animated.

    Parameters
    ----------
    node
        Index or name.
    index
        The key, counted in the track of the node.
    """

    node: NodeChoice
    index: int

    @property
    def words(self) -> str:
        """The node and the key."""
        return Sentence("remove key {index} of node {node}", index=self.index, node=self.node)

    def apply(self, draft: Draft) -> None:
        """Remove the key; raises `EditError` for the only key, and the first of more than two."""
        node = node_of(draft, self.node)
        edit = TrackEdit(draft)
        if not edit.tracks[node].is_animated:
            raise EditError(Sentence("needs one key, which is its pose"), table=NODE.name, index=node)
        keys = edit.keys(node)
        if not 0 <= self.index < len(keys):
            message = Sentence("has {count} keys, there is no key {index}", count=len(keys), index=self.index)
            raise EditError(message, table=NODE.name, index=node)
        left = np.delete(keys, self.index)
        if self.index == 0 and len(left) > 1:
            message = Sentence("needs a key at 0: change the key or move others in time")
            raise EditError(message, table=NODE.name, index=node)
        edit.put(node, left, is_animated=len(left) > 1)
        edit.write()


@dataclass(frozen=True, slots=True)
class Animate:
    """Switch the animation of a node on or off.

    Switched on, it has the same pose at its first and at the last frame of the model; switched off, it keeps
    its pose at 0.

    Parameters
    ----------
    node
        Index or name.
    is_animated
        Whether it has keys in time.
    """

    node: NodeChoice
    is_animated: bool = True

    @property
    def words(self) -> str:
        """The node and what happens to it."""
        if self.is_animated:
            return Sentence("animate node {node}", node=self.node)
        return Sentence("stop the animation of node {node}", node=self.node)

    def apply(self, draft: Draft) -> None:
        """Add or remove keys and the block of the frame map; raises `EditError` if there are too many."""
        node = node_of(draft, self.node)
        edit = TrackEdit(draft)
        if edit.tracks[node].is_animated == self.is_animated:
            return
        keys = edit.keys(node)
        if self.is_animated:
            both = _pose(keys).repeat(2)
            both["time"][1] = max(1, draft.model.frame_count - 1)
            edit.put(node, both, is_animated=True)
        else:
            edit.put(node, _pose(keys[:1]), is_animated=False)
        edit.write()


def _pose(keys: Rows) -> Rows:
    """The last of some keys, at time 0, (1,) `KEY`."""
    pose = keys[-1:].copy()
    pose["time"] = 0
    return pose


def _refuse_time(keys: Rows, time: float, node: int) -> None:
    """Refuse a time for a new key that is not a whole frame, or that another key has."""
    if not 0 < time < MAX_FRAMES or time != int(time):
        message = Sentence("{time} is not a whole frame in 1..{limit}", time=time, limit=MAX_FRAMES - 1)
        raise EditError(message, table=NODE.name, index=node)
    taken = np.flatnonzero(keys["time"] == time)
    if len(taken):
        message = Sentence("key {index} is at frame {time} already", index=int(taken[0]), time=time)
        raise EditError(message, table=NODE.name, index=node)


def _key_at(draft: Draft, node: int, time: float) -> Rows:
    """The pose of a node at a time as a key, (1,) `KEY`; at the time of a stored key, its bytes."""
    model = draft.model
    order = QuaternionOrder.XYZW
    sample = Animation(model, Skeleton(model), order).sample_nodes(
        np.array([node]), np.array([time], np.float32)
    )
    made = KEY.new(1) if sample.is_interpolated[0] else model.keys[sample.key[:1]].copy()
    if sample.is_interpolated[0]:
        made["position"] = sample.position
        made["quaternion"] = encode_quaternion(sample.quaternion, order)
    made["time"] = time
    return made
