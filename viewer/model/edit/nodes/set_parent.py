"""Moving a node under another parent.

Source: spec/msh.md 10, 12.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh.nodes import NODE, NONE
from viewer.model.edit.draft import Draft
from viewer.model.edit.node_choice import NodeChoice, node_of
from viewer.model.mesh.skeleton import ROOT, Skeleton
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class SetParent:
    """Move a node under another parent.

    Parameters
    ----------
    node
        Index or name.
    parent
        Index or name; None for a root.
    """

    node: NodeChoice
    parent: NodeChoice | None

    @property
    def words(self) -> str:
        """The node and its parent."""
        if self.parent is None:
            return Sentence("make node {node} a root", node=self.node)
        return Sentence("move node {node} under {parent}", node=self.node, parent=self.parent)

    def apply(self, draft: Draft) -> None:
        """Write the parent; raises `EditError` for a cycle or a parent that comes after the node."""
        node = node_of(draft, self.node)
        parent = None if self.parent is None else node_of(draft, self.parent)
        if parent is not None:
            _refuse_cycle(draft, node, parent)
        if parent is not None and parent > node:
            message = Sentence("node {parent} comes after it, and parents come first", parent=parent)
            raise EditError(message, table=NODE.name, index=node, field="parent")
        start, _ = draft.part(NODE.name).span(node, "parent")
        draft.write(start, np.array(NONE if parent is None else parent, "<u2").tobytes())


def _refuse_cycle(draft: Draft, node: int, parent: int) -> None:
    """Refuse the node itself and those under it as its parent."""
    parents = Skeleton(draft.model).parents
    ancestor = parent
    while ancestor not in (node, ROOT):
        ancestor = int(parents[ancestor])
    if ancestor == node:
        message = (
            Sentence("a node cannot be its own parent")
            if parent == node
            else Sentence("node {parent} is under it", parent=parent)
        )
        raise EditError(message, table=NODE.name, index=node, field="parent")
