"""The selection: nodes, and what was picked in the last one: slot, batch, triangle, vertex, key."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Selection:
    """Nodes in the order of their selection; the other fields belong to the last.

    Parameters
    ----------
    nodes
        Without repetition; the last is the active one.
    slot, batch
        Rows of their tables, or None if only the node is selected.
    triangle
        Row among the model's triangles in the order of Res6.
    descriptor
        Row of the triangle descriptors, or None.
    vertex, key
        Row of the vertices and of the keys, or None.
    """

    nodes: tuple[int, ...] = ()
    slot: int | None = None
    batch: int | None = None
    triangle: int | None = None
    descriptor: int | None = None
    vertex: int | None = None
    key: int | None = None

    @property
    def node(self) -> int | None:
        """The active node."""
        return self.nodes[-1] if self.nodes else None

    def added(self, other: Selection) -> Selection:
        """Add `other`; if its node is already the active one, deselect that node instead."""
        if other.node is None:
            return self
        rest = tuple(node for node in self.nodes if node != other.node)
        return Selection(rest) if other.node == self.node else replace(other, nodes=(*rest, other.node))
