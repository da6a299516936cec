"""Moving and turning a node as a whole: all of its keys alike, so that its animation stays as it is.

Source: spec/animation.md 4, 5, 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, isfinite
from typing import Final

import numpy as np

from viewer.errors import EditError, UsageError
from viewer.formats.msh.keys import KEY, decode_quaternion, encode_quaternion
from viewer.formats.msh.nodes import NODE
from viewer.geometry import quaternions
from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.set_key import key_row, key_rows
from viewer.model.edit.node_choice import NodeChoice, node_of
from viewer.translation import Sentence

Vector = tuple[float, ...]
NO_TURN: Final = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class PlaceNode:
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
            return Sentence("place key {key} of node {node}", key=self.key, node=self.node)
        if is_moved and is_turned:
            return Sentence("move and turn node {node}", node=self.node)
        return Sentence("turn node {node}" if is_turned else "move node {node}", node=self.node)

    def apply(self, draft: Draft) -> None:
        """Write position and rotation of the keys alone.

        Raises `EditError` for a node without keys or a position out of range, and `UsageError` for values
        that are not an offset and a rotation.
        """
        self._check()
        node = node_of(draft, self.node)
        rows = self._rows(draft, node)
        keys = draft.model.keys[rows.start : rows.stop].copy()
        if any(self.offset):
            placed = keys["position"].astype(np.float64) + self.offset
            if not (np.abs(placed) <= np.finfo(np.float32).max).all():
                raise EditError(Sentence("exceeds the range of a position"), table=NODE.name, index=node)
            keys["position"] = placed
        if tuple(self.turn) != NO_TURN:
            order = draft.reading.reading.quaternion_order
            turned = quaternions.product(decode_quaternion(keys["quaternion"], order), self.turn)
            keys["quaternion"] = encode_quaternion(turned, order)
        start, _ = draft.part(KEY.name).span(rows.start)
        draft.write(start, keys.tobytes())

    def _check(self) -> None:
        numbers = (*self.offset, *self.turn)
        if (len(self.offset), len(self.turn)) != (3, 4) or not all(map(isfinite, numbers)):
            raise UsageError(Sentence("three numbers of an offset and four of a rotation are needed"))
        if abs(hypot(*self.turn) - 1) > 1e-3:
            raise UsageError(Sentence("a rotation has the length 1, not {length}", length=hypot(*self.turn)))

    def _rows(self, draft: Draft, node: int) -> range:
        if self.key is not None:
            row = key_row(draft, node, self.key)
            return range(row, row + 1)
        rows = key_rows(draft, node)
        if not rows:
            raise EditError(Sentence("has no keys"), table=NODE.name, index=node)
        return rows
