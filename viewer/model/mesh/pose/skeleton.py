"""The hierarchy: parents before children, world matrices from local ones, and sockets for other models.

Source: spec/msh.md 10, spec/animation.md 5; spec/field-notes.md 3 (sockets).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.nodes import NONE
from viewer.geometry.transforms import Indices, Mask
from viewer.model.mesh.model import Model

Real = TypeVar("Real", np.float32, np.float64)

ROOT: Final = -1


class Skeleton:
    """Usable parents, and the nodes by level.

    Attributes
    ----------
    parents
        Parent of each node, (n,) int64, -1 for a root. Out-of-range, self and cyclic parents make roots.
    levels
        Nodes by depth, roots first.
    """

    def __init__(self, model: Model) -> None:
        count = model.node_count
        stored = np.full(count, NONE, np.int64)
        stored[: len(model.nodes)] = model.nodes["parent"]
        self.parents: Indices = usable_parents(stored, np.int64(count), np.int64(0))[0]
        self.levels: list[Indices] = levels_of(self.parents)

    def world_from_node(self, local: npt.NDArray[Real]) -> npt.NDArray[Real]:
        """World matrices (n, 4, 4) from local ones (n, 4, 4): ``world(parent) @ local``."""
        if len(self.levels) < 2:
            return local.copy()
        # In the order of the levels each is a slice, which a product is written to without a copy.
        order, parents, back, ends = self._order
        ordered = local if order is None else local.take(order, axis=0)
        world = np.empty_like(ordered)
        world[: ends[0]] = ordered[: ends[0]]
        for start, end in pairwise(ends):
            above = world.take(parents[start:end], axis=0)
            np.matmul(above, ordered[start:end], out=world[start:end])
        return world if back is None else world.take(back, axis=0)

    @cached_property
    def _order(self) -> tuple[Indices | None, Indices, Indices | None, list[int]]:
        """Nodes level by level, places of their parents and of all nodes in that order, ends of the levels.

        Nodes and places are None if the nodes are stored in that order.
        """
        order = np.concatenate(self.levels)
        back = np.argsort(order)
        parents, ends = back[self.parents[order]], np.cumsum([len(level) for level in self.levels]).tolist()
        if (order[1:] > order[:-1]).all():
            return None, parents, None, ends
        return order, parents, back, ends

    def below(self, node: int) -> npt.NDArray[np.bool_]:
        """A node and all below it, (n,) bool."""
        result = np.zeros(len(self.parents), np.bool_)
        result[node] = True
        for level in self.levels[1:]:
            result[level] |= result[self.parents[level]]
        return result

    def children(self) -> list[list[int]]:
        """The children of each node in node order."""
        result: list[list[int]] = [[] for _ignored in self.parents]
        for node, parent in enumerate(self.parents.tolist()):
            if parent != ROOT:
                result[parent].append(node)
        return result


def usable_parents(
    stored: Indices, count: np.int64 | Indices, first: np.int64 | Indices
) -> tuple[Indices, Mask, Mask]:
    """The row of each parent, (n,), else `ROOT`, and which parents are outside or on a cycle.

    Parameters
    ----------
    stored
        The parents of the nodes of several models, (n,), `NONE` for a root.
    count, first
        Number of nodes of the model of each node, and its first row; of one model the number and 0.
    """
    row = np.arange(len(stored))
    is_outside = (stored != NONE) & ((stored >= count) | (stored + first == row))
    parents = np.where((stored == NONE) | is_outside, ROOT, stored + first)
    is_cyclic = _on_cycle(parents)
    parents[is_cyclic] = ROOT
    return parents, is_outside, is_cyclic


def _on_cycle(parents: Indices) -> npt.NDArray[np.bool_]:
    """Nodes on a cycle, (n,) bool."""
    count = len(parents)
    # Parents that all come before their nodes close no cycle.
    if (parents < np.arange(count)).all():
        return np.zeros(count, np.bool_)
    # After n steps every node has reached the end of a chain or a cycle, and since steps only
    # rotate a cycle, all of its nodes are reached.
    target = np.append(np.where(parents == ROOT, count, parents), count)
    for _ignored in range(max(1, count).bit_length()):
        target = target[target]
    result = np.zeros(count + 1, np.bool_)
    result[target] = True
    return result[:count]


def levels_of(parents: Indices) -> list[Indices]:
    """Nodes by depth, roots first, of parents (n,) without a cycle, `ROOT` for none."""
    if not len(parents):
        return []
    count = len(parents)
    target = np.append(np.where(parents == ROOT, count, parents), count)
    depth = (target != count).astype(np.int64)
    while (target != count).any():  # each step doubles how far up they look
        depth += depth[target]
        target = target[target]
    ends = np.cumsum(np.bincount(depth[:count]))
    return np.split(np.argsort(depth[:count], kind="stable"), ends[:-1])


PREFIX: Final = "base_"
"""Beginning of the name of a socket, in lower case."""


def sockets(model: Model, names: Sequence[str]) -> frozenset[int]:
    """The nodes called ``Base_*`` without a slot in any cell."""
    is_empty = (model.nodes["slots"] == NONE).all(axis=(1, 2)).tolist()
    named = zip(names, is_empty, strict=False)
    return frozenset(
        node for node, (name, empty) in enumerate(named) if empty and name.lower().startswith(PREFIX)
    )
