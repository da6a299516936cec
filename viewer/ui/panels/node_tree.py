"""The nodes of a model as the outline shows them: hierarchy, names, kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from functools import cached_property
from typing import Final

import numpy as np

from viewer.formats.msh.nodes import (
    FLAG_COCKPIT,
    FLAG_COPIES_LIFE,
    FLAG_HINTS,
    FLAG_INTERNAL,
    FLAG_VITAL,
    NONE,
)
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.skeleton import ROOT, Skeleton, sockets
from viewer.model.query.names import NameFilter
from viewer.translation import _, translated
from viewer.ui.widgets.table_grid import TreeRow, flatten, with_ancestors


class NodeKind(Enum):
    """The purpose of a node."""

    PART = "part"
    INTERNAL = "internal"
    EMPTY = "empty"
    SOCKET = "socket"
    COCKPIT = "cockpit"


_KINDS: Final = {
    NodeKind.PART: _("part"),
    NodeKind.INTERNAL: _("internal part"),
    NodeKind.EMPTY: _("no geometry"),
    NodeKind.SOCKET: _("socket for another model"),
    NodeKind.COCKPIT: _("cockpit: drawn in the own view only"),
}


class NodeTree:
    """The nodes of one model as the outline needs them, computed once.

    Parameters
    ----------
    names, socket_tags
        Name of each node, and its socket tag; empty if absent.
    """

    def __init__(
        self, model: Model, skeleton: Skeleton, names: Sequence[str], socket_tags: Sequence[str]
    ) -> None:
        self.names, self.socket_tags = tuple(names), tuple(socket_tags)
        self._model = model
        self._parents: list[int] = skeleton.parents.tolist()
        self._children = skeleton.children()

    @cached_property
    def kinds(self) -> tuple[NodeKind, ...]:
        """The kind of each node."""
        nodes = self._model.nodes
        if len(nodes) == 0:
            return (NodeKind.PART,) * len(self._parents)
        is_empty = (nodes["slots"] == NONE).all(axis=(1, 2))
        mounts = sockets(self._model, self.names)
        is_socket = [node in mounts for node in range(len(nodes))]
        return tuple(map(_kind, nodes["flags"].tolist(), is_empty.tolist(), is_socket))

    @cached_property
    def roots(self) -> list[int]:
        """Nodes without a parent."""
        return np.flatnonzero(np.array(self._parents) == ROOT).tolist()

    def parent(self, node: int) -> int | None:
        """The parent node, None for a root."""
        above = self._parents[node]
        return None if above == ROOT else above

    def is_drawn(self, node: int) -> bool:
        """Whether the node has geometry that is drawn."""
        return self.kinds[node] in (NodeKind.PART, NodeKind.INTERNAL)

    def label(self, node: int) -> str:
        """The name, or the number if it has no name."""
        return self.names[node] or _("node {node}", node=node)

    def hints(self, node: int) -> Iterator[str]:
        """Yield the lines that explain a node."""
        yield self.label(node)
        yield _("node {node}: {kind}", node=node, kind=_KINDS[self.kinds[node]])
        if self.socket_tags[node]:
            yield _("socket tag {label}", label=self.socket_tags[node])
        flags = int(self._model.nodes["flags"][node]) if node < len(self._model.nodes) else 0
        yield from (translated(FLAG_HINTS[it]) for it in (FLAG_VITAL, FLAG_COPIES_LIFE) if flags & it)

    def above(self, node: int) -> frozenset[int]:
        """All ancestors of a node."""
        return frozenset(with_ancestors([node], self.parent) - {node})

    def below(self, node: int) -> frozenset[int]:
        """The node and everything under it."""
        return frozenset(
            row.key for row in flatten([node], self._children.__getitem__, lambda _ignored: True)
        )

    def rows(self, name_filter: NameFilter, closed: AbstractSet[int]) -> list[TreeRow[int]]:
        """Rows in drawing order; a filter keeps the matches and their ancestors, all expanded."""
        if name_filter.is_empty:
            return flatten(self.roots, self._children.__getitem__, lambda node: node not in closed)
        matches, nodes = name_filter.matches, range(len(self._parents))
        matching = [it for it in nodes if matches(self.label(it)) or matches(self.socket_tags[it])]
        kept = with_ancestors(matching, self.parent)
        return flatten(
            [node for node in self.roots if node in kept],
            lambda node: [child for child in self._children[node] if child in kept],
            lambda _ignored: True,
        )


def _kind(flags: int, is_empty: bool, is_socket: bool) -> NodeKind:
    if flags & FLAG_COCKPIT:
        return NodeKind.COCKPIT
    if is_socket:
        return NodeKind.SOCKET
    if is_empty:
        return NodeKind.EMPTY
    return NodeKind.INTERNAL if flags & FLAG_INTERNAL else NodeKind.PART
