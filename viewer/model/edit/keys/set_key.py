"""Setting position, rotation or time of a key of a node.

Source: spec/animation.md 2, 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError, UsageError
from viewer.formats.msh.keys import KEY, QuaternionOrder, decode_quaternion, encode_quaternion
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.formats.record import Rows
from viewer.model.edit import values
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.table_rows import put
from viewer.model.edit.keys.track_edit import TrackEdit
from viewer.model.edit.node_choice import NodeChoice, node_of, node_rows
from viewer.model.edit.refusal import refused_at
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.skeleton import Skeleton
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class SetKey:
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
        return Sentence(
            "set {fields} of key {index} of node {node}",
            fields=", ".join(given),
            index=self.index,
            node=self.node,
        )

    def apply(self, draft: Draft) -> None:
        """Write the values; raises `EditError` for a key that does not exist or values it cannot hold.

        Position and rotation change the 24 bytes of the key alone.
        """
        node = node_of(draft, self.node)
        if self.position is None and self.quaternion is None and self.time is None:
            raise UsageError(Sentence("a position, a quaternion or a time is needed"))
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
            keys = draft.model.keys.copy()
            keys[row] = key[0]
            put(draft, KEYS, keys)


def set_quaternions(draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
    """Set a rotation, or one of w, x, y, z, in rows of the key pool; raises `EditError`."""
    order = draft.reading.reading.quaternion_order
    keys = draft.model.keys.copy()
    for row in rows:
        before = keys["quaternion"][row]
        with refused_at(KEY.name, row, "quaternion"):
            wanted = _with_element(decode_quaternion(before[None], order)[0].tolist(), value, element)
            keys["quaternion"][row] = stored_quaternion(wanted, before, order)
    put(draft, KEYS, keys)


def _with_element(numbers: list[float], value: Any, element: tuple[int, ...]) -> Any:
    """The numbers with one replaced, or the value itself if no element is named."""
    if not element:
        return value
    if len(element) > 1 or element[0] >= len(numbers):
        raise EditError(Sentence("quaternion has no element {index}", index=[*element]))
    return [*numbers[: element[0]], value, *numbers[element[0] + 1 :]]


def key_rows(draft: Draft, node: int) -> range:
    """Return the rows of the keys of a node; empty if it has none that can be used."""
    model = draft.model
    if not (model.has(KEYS) and model.has(FRAME_MAP)):
        return range(0)
    return Animation(model, Skeleton(model), QuaternionOrder.XYZW).track(node)


def key_row(draft: Draft, node: int, index: int) -> int:
    """Return the row of a key of a node; raises `EditError` if there is no such key."""
    node_rows(draft)
    rows = key_rows(draft, node)
    if not 0 <= index < len(rows):
        message = Sentence("has {count} keys, there is no key {index}", count=len(rows), index=index)
        raise EditError(message, table=NODE.name, index=node)
    return rows[index]


def stored_quaternion(
    given: Any, before: npt.NDArray[np.int16], order: QuaternionOrder
) -> npt.NDArray[np.int16]:
    """Return the raw components (4,) of w, x, y, z; those given as they were decoded stay as stored.

    Raises `EditError` unless there are four numbers in -1..1.
    """
    is_row = isinstance(given, list | tuple) and len(given) == len(before)
    if not is_row or not all(isinstance(it, int | float) and -1 <= it <= 1 for it in given):
        message = Sentence("four numbers w, x, y, z in -1..1 are needed, not {value!r}", value=given)
        raise EditError(message)
    numbers = np.array(given, np.float64)
    old = decode_quaternion(before[None], order)[0]
    made = encode_quaternion(numbers[None], order)[0]
    is_same = (old == numbers.astype(np.float32))[np.argsort(order.columns)]
    return np.where(is_same, before, made)


def _retime(draft: Draft, node: int, index: int, key: Rows, time: float) -> None:
    """Move a key in time; it keeps its place among the keys of its track only if its time does."""
    edit = TrackEdit(draft)
    keys = edit.keys(node)
    if len(keys) == 1 or not edit.tracks[node].is_animated:
        message = Sentence("is not animated: its only key is at 0")
        raise EditError(message, table=NODE.name, index=node, field="time")
    keys[index] = key[0]
    keys["time"][index] = time
    edit.put(node, keys)
    edit.write()
