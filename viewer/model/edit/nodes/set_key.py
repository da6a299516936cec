"""Keys of a node: set, added, removed, moved all together; its animation switched on and off.

Source: spec/animation.md 2, 4 to 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError, UsageError
from viewer.formats.msh.keys import KEY, QuaternionOrder, decode_quaternion, encode_quaternion
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.formats.record import Rows
from viewer.geometry import quaternions
from viewer.model.edit import values
from viewer.model.edit.change import Change, change, refusal
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.vertex_tables import edited
from viewer.model.edit.nodes.track_edit import TrackEdit, refuse_equal_times
from viewer.model.edit.set_place import split
from viewer.model.edit.typed_words import KEY_WORD, NODE_WORD, Fields, Typed, Word, value_of
from viewer.model.edit.values import NodeChoice, node_of, node_rows, refused_at
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.translation import _


def key_fields(words: Sequence[str]) -> Fields:
    """``NODE I FIELD=VALUE``; raises `UsageError`."""
    name, value = split(words[2], "=")
    if value is None:
        raise UsageError(_("{words!r} has no '=' after the field", words=words[2]))
    return {"node": words[0], "index": value_of(words[1]), name: value_of(value)}


@change(
    "key",
    typed=Typed(
        "set a key of a node: position=[x,y,z], quaternion=[w,x,y,z] or time=T",
        (NODE_WORD, KEY_WORD, Word("FIELD=VALUE")),
        key_fields,
    ),
)
class SetKey(Change, frozen=True):
    """Set what a key of a node says.

    Parameters
    ----------
    node
        Index or name.
    index
        The key, counted in the track of the node.
    position
        Translation in the space of the parent; None to leave it.
    quaternion
        w, x, y, z, each -1..1; None to leave it. Stored in the component order of the reading in effect.
    time
        A whole frame, that no other key of the node has; None to leave it. The first key is at 0.
    """

    node: NodeChoice
    index: int
    position: tuple[float, ...] | None = None
    quaternion: tuple[float, ...] | None = None
    time: float | None = None

    @property
    def words(self) -> str:
        """The key and what is set."""
        given = [name for name in ("position", "quaternion", "time") if getattr(self, name) is not None]
        words = "set {fields} of key {index} of node {node}"
        return _(words, fields=", ".join(given), index=self.index, node=self.node)

    def apply(self, draft: Draft) -> None:
        """Write the values; raises `EditError` for a key that does not exist or values it cannot hold.

        Position and rotation change the 24 bytes of the key alone.
        """
        node = node_of(draft, self.node)
        if self.position is None and self.quaternion is None and self.time is None:
            raise UsageError(_("a position, a quaternion or a time is needed"))
        row = key_row(draft, node, self.index)
        key = draft.model.keys[row : row + 1].copy()
        if self.position is not None:
            with refused_at(KEY.name, row, "position"):
                key["position"][0] = values.stored(KEY.field("position"), self.position, key["position"][0])
        if self.quaternion is not None:
            order = draft.reading.reading.quaternion_order
            with refused_at(KEY.name, row, "quaternion"):
                key["quaternion"][0] = stored_quaternion(self.quaternion, key["quaternion"][0], order)
        if self.time is not None and float(key["time"][0]) != self.time:
            _retime(draft, node, self.index, key, self.time)
        else:
            with edited(draft, KEYS) as keys:
                keys[row] = key[0]


def set_quaternions(draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
    """Set a rotation, or one of w, x, y, z, in rows of the key pool; raises `EditError`."""
    order = draft.reading.reading.quaternion_order
    with edited(draft, KEYS) as keys:
        for row in rows:
            before = keys["quaternion"][row]
            with refused_at(KEY.name, row, "quaternion"):
                wanted = _with_element(decode_quaternion(before[None], order)[0].tolist(), value, element)
                keys["quaternion"][row] = stored_quaternion(wanted, before, order)


def _with_element(numbers: list[float], value: Any, element: tuple[int, ...]) -> Any:
    """The numbers with one replaced, or the value itself if no element is named."""
    if not element:
        return value
    if len(element) > 1 or element[0] >= len(numbers):
        raise EditError(_("quaternion has no element {index}", index=[*element]))
    return [*numbers[: element[0]], value, *numbers[element[0] + 1 :]]


def key_rows(draft: Draft, node: int) -> range:
    """The rows of the keys of a node; empty if it has none that can be used."""
    model = draft.model
    if not (model.has(KEYS) and model.has(FRAME_MAP)):
        return range(0)
    # Which keys are a node's does not depend on the order of their components.
    return Animation(model, Skeleton(model), QuaternionOrder.XYZW).track(node)


def key_row(draft: Draft, node: int, index: int) -> int:
    """The row of a key of a node; raises `EditError` if there is no such key."""
    node_rows(draft)
    rows = key_rows(draft, node)
    _refuse_missing_key(node, index, len(rows))
    return rows[index]


def _refuse_missing_key(node: int, index: int, count: int) -> None:
    if not 0 <= index < count:
        words = "has {count} keys, there is no key {index}"
        raise refusal(words, NODE.name, node, count=count, index=index)


def stored_quaternion(
    given: Any, before: npt.NDArray[np.int16], order: QuaternionOrder
) -> npt.NDArray[np.int16]:
    """The raw components (4,) of w, x, y, z; those given as they were decoded stay as stored.

    Raises `EditError` unless there are four numbers in -1..1.
    """
    is_row = isinstance(given, list | tuple) and len(given) == len(before)
    if not is_row or not all(isinstance(it, int | float) and -1 <= it <= 1 for it in given):
        raise refusal("four numbers w, x, y, z in -1..1 are needed, not {value!r}", value=given)
    numbers = np.array(given, np.float64)
    old = decode_quaternion(before[None], order)[0]
    made = encode_quaternion(numbers[None], order)[0]
    # Decoded values of w, x, y, z in the stored order; argsort of the columns puts each answer where it is
    # stored.
    is_same = (old == numbers.astype(np.float32))[np.argsort(order.columns)]
    return np.where(is_same, before, made)


def _retime(draft: Draft, node: int, index: int, key: Rows, time: float) -> None:
    """Move a key in time; it keeps its place among the keys of its track only if its time does."""
    edit = TrackEdit(draft)
    keys = edit.keys(node)
    keys[index] = key[0]
    _put_times(edit, node, keys, [index], [time])


def _put_times(
    edit: TrackEdit, node: int, keys: Rows, indices: Sequence[int], times: Sequence[float]
) -> None:
    """Write the keys of a node, some at other times; raises `EditError` if it has one alone."""
    if len(keys) == 1 or not edit.tracks[node].is_animated:
        raise refusal("is not animated: its only key is at 0", NODE.name, node, "time")
    for index, time in zip(indices, times, strict=True):
        with refused_at(KEY.name, field="time"):
            keys["time"][index] = values.stored(KEY.field("time"), time, keys["time"][index])
    refuse_equal_times(keys["time"].astype(np.float64), node)
    edit.put(node, keys)
    edit.write()


@change("move-keys", "move keys {indices} of node {node} to frames {times}")
class MoveKeys(Change, frozen=True):
    """Give several keys of a node other times.

    Parameters
    ----------
    node
        Index or name.
    indices
        The keys, counted in the track of the node.
    times
        A whole frame for each of them, that no other key of the node has then. The first key stays at 0.
    """

    node: NodeChoice
    indices: tuple[int, ...]
    times: tuple[float, ...]

    def apply(self, draft: Draft) -> None:
        """Write the times; raises `EditError` for a key that does not exist, or times that it cannot have."""
        node = node_of(draft, self.node)
        if len(self.indices) != len(self.times):
            raise UsageError(_("a time is needed for each key"))
        for index in self.indices:
            key_row(draft, node, index)
        edit = TrackEdit(draft)
        _put_times(edit, node, edit.keys(node), self.indices, self.times)


@change(
    "add-key",
    "add a key to node {node} at frame {time}",
    typed=Typed(
        "add a key to a node at a time, with the pose that it has there",
        (NODE_WORD, Word("TIME", "time", value_of)),
    ),
    icon="plus",
    menu={"add_key": _("Add a key after it")},
)
class AddKey(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Insert the key; raises `EditError` for a time that it cannot have, or too many keys."""
        node = node_of(draft, self.node)
        edit = TrackEdit(draft)
        keys = edit.keys(node) if edit.tracks[node].is_animated else _pose(edit.keys(node))
        if not 0 < self.time < MAX_FRAMES or self.time != int(self.time):
            words = "{time} is not a whole frame in 1..{limit}"
            raise refusal(words, NODE.name, node, time=self.time, limit=MAX_FRAMES - 1)
        for taken in np.flatnonzero(keys["time"] == self.time)[:1].tolist():
            words = "key {index} is at frame {time} already"
            raise refusal(words, NODE.name, node, index=taken, time=self.time)
        edit.put(node, np.concatenate([keys, _key_at(draft, node, self.time)]), is_animated=True)
        edit.write()


@change(
    "remove-key",
    "remove key {index} of node {node}",
    typed=Typed("remove a key of a node", (NODE_WORD, KEY_WORD)),
    icon="trash",
    menu={"remove_key": _("Remove the key")},
)
class RemoveKey(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Remove the key; raises `EditError` for the only key, and the first of more than two."""
        node = node_of(draft, self.node)
        edit = TrackEdit(draft)
        if not edit.tracks[node].is_animated:
            raise EditError(_("needs one key, which is its pose"), table=NODE.name, index=node)
        keys = edit.keys(node)
        _refuse_missing_key(node, self.index, len(keys))
        left = np.delete(keys, self.index)
        if self.index == 0 and len(left) > 1:
            raise refusal("needs a key at 0: change the key or move others in time", NODE.name, node)
        edit.put(node, left, is_animated=len(left) > 1)
        edit.write()


@change("animate", "animate node {node}", is_animated="stop the animation of node {node}")
class Animate(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Add or remove keys and the block of the frame map; raises `EditError` if there are too many."""
        node = node_of(draft, self.node)
        edit = TrackEdit(draft)
        if edit.tracks[node].is_animated == self.is_animated:
            return
        keys = edit.keys(node)
        if self.is_animated:
            both = _pose(keys).repeat(2)
            # Two keys cannot be at one frame, not even in a model of one frame.
            both["time"][1] = max(1, draft.model.frame_count - 1)
            edit.put(node, both, is_animated=True)
        else:
            edit.put(node, _pose(keys[:1]), is_animated=False)
        edit.write()


def _pose(keys: Rows) -> Rows:
    """The last of some keys, at time 0, (1,) `KEY`."""
    # The last: that is what a node without a frame map shows (spec/animation.md 4).
    pose = keys[-1:].copy()
    pose["time"] = 0
    return pose


def _key_at(draft: Draft, node: int, time: float) -> Rows:
    """The pose of a node at a time as a key, (1,) `KEY`; at the time of a stored key, its bytes."""
    model = draft.model
    # Any order will do: interpolation treats all four components alike, and they are stored back by the same
    # one.
    order = QuaternionOrder.XYZW
    sample = Animation(model, Skeleton(model), order).sample_nodes(
        np.array([node]), np.array([time], np.float32)
    )
    if sample.is_interpolated[0]:
        made = KEY.new(1)
        made["position"] = sample.position
        made["quaternion"] = encode_quaternion(sample.quaternion, order)
    else:
        made = model.keys[sample.key[:1]].copy()
    made["time"] = time
    return made


Vector = tuple[float, ...]
NO_TURN: Final = (1.0, 0.0, 0.0, 0.0)


@change("place")
class PlaceNode(Change, frozen=True):
    """Move and turn a node in the space of its parent, in all of its keys or in one.

    Parameters
    ----------
    node
        Index or name.
    offset
        Added to the position, model units.
    turn
        w, x, y, z as in a key; the node is turned around its own origin after the rotation of each key.
    key
        The key, counted in the track of the node; None for all of them.
    """

    node: NodeChoice
    offset: Vector = (0.0, 0.0, 0.0)
    turn: Vector = NO_TURN
    key: int | None = None

    @property
    def words(self) -> str:
        """The node, and what is done."""
        is_moved, is_turned = any(self.offset), tuple(self.turn) != NO_TURN
        if self.key is not None:
            return _("place key {key} of node {node}", key=self.key, node=self.node)
        if is_moved and is_turned:
            return _("move and turn node {node}", node=self.node)
        return _("turn node {node}" if is_turned else "move node {node}", node=self.node)

    def apply(self, draft: Draft) -> None:
        """Write position and rotation of the keys alone.

        Raises `EditError` for a node without keys or a position out of range, and `UsageError` for values
        that are not an offset and a rotation.
        """
        numbers = (*self.offset, *self.turn)
        if (len(self.offset), len(self.turn)) != (3, 4) or not all(map(isfinite, numbers)):
            raise UsageError(_("three numbers of an offset and four of a rotation are needed"))
        # A rotation typed in with three digits passes: 0.707 and 0.707 have the length 0.99985.
        if abs(hypot(*self.turn) - 1) > 1e-3:
            raise UsageError(_("a rotation has the length 1, not {length}", length=hypot(*self.turn)))
        node = node_of(draft, self.node)
        rows = self._rows(draft, node)
        keys = draft.model.keys[rows.start : rows.stop].copy()
        if any(self.offset):
            placed = keys["position"].astype(np.float64) + self.offset
            if not (np.abs(placed) <= np.finfo(np.float32).max).all():
                raise EditError(_("exceeds the range of a position"), table=NODE.name, index=node)
            keys["position"] = placed
        if tuple(self.turn) != NO_TURN:
            order = draft.reading.reading.quaternion_order
            # Keys store conjugates, which turn the order round: the product turns by the key first, then by
            # the turn.
            turned = quaternions.product(decode_quaternion(keys["quaternion"], order), self.turn)
            keys["quaternion"] = encode_quaternion(turned, order)
        start, _ignored = draft.part(KEY.name).span(rows.start)
        draft.write(start, keys.tobytes())

    def _rows(self, draft: Draft, node: int) -> range:
        if self.key is not None:
            row = key_row(draft, node, self.key)
            return range(row, row + 1)
        rows = key_rows(draft, node)
        if not rows:
            raise EditError(_("has no keys"), table=NODE.name, index=node)
        return rows
