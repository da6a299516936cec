"""Moving a node under another parent.

Source: spec/msh.md 10, 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

from viewer.errors import EditError
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tables import NODES
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.table_rows import put
from viewer.model.edit.node_choice import NodeChoice, node_of
from viewer.model.edit.nodes.kept_pose import keep_pose
from viewer.model.edit.nodes.node_edit import NodeEdit
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
    keeps_pose
        Whether the node stays where it is in the model at every frame; else it keeps its keys, and moves.
    reorders
        Whether nodes get other numbers if the parent comes after the node; else that is refused.
    """

    node: NodeChoice
    parent: NodeChoice | None
    keeps_pose: bool = False
    reorders: bool = False

    @property
    def words(self) -> str:
        """The node and its parent."""
        if self.parent is None:
            return Sentence("make node {node} a root", node=self.node)
        return Sentence("move node {node} under {parent}", node=self.node, parent=self.parent)

    def apply(self, draft: Draft) -> None:
        """Write the parent; raises `EditError` for a cycle or a parent that comes after the node."""
        node = node_of(draft, self.node)
        parent = ROOT if self.parent is None else node_of(draft, self.parent)
        skeleton = Skeleton(draft.model)
        _refuse_cycle(skeleton, node, parent)
        if parent > node and not self.reorders:
            message = Sentence("node {parent} comes after it, and parents come first", parent=parent)
            raise EditError(message, table=NODE.name, index=node, field="parent")
        stored = NONE if parent == ROOT else parent
        edit = NodeEdit(draft)
        is_changed = int(edit.rows["parent"][node]) != stored
        edit.rows["parent"][node] = stored
        if is_changed and self.keeps_pose and edit.tracks is not None:
            keep_pose(draft, edit.tracks, node, parent)
        if parent > node:
            parents = skeleton.parents.copy()
            parents[node] = parent
            edit.write(parents_first(parents.tolist()))
        elif is_changed and self.keeps_pose:
            edit.write(range(len(edit.rows)))
        else:
            put(draft, NODES, edit.rows)


def parents_first(parents: list[int]) -> list[int]:
    """Nodes in their order, but for those that come before their parent: they wait for it.

    So a new root after all others comes first, and the others keep their order.
    """
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(parents):
        children.setdefault(parent, []).append(node)
    ready, order = [*children.get(ROOT, ())], list[int]()
    while ready:
        order.append(heappop(ready))
        for child in children.get(order[-1], ()):
            heappush(ready, child)
    return order


def _refuse_cycle(skeleton: Skeleton, node: int, parent: int) -> None:
    """Refuse the node itself and those under it as its parent."""
    ancestor = parent
    while ancestor not in (node, ROOT):
        ancestor = int(skeleton.parents[ancestor])
    if ancestor == node:
        message = (
            Sentence("a node cannot be its own parent")
            if parent == node
            else Sentence("node {parent} is under it", parent=parent)
        )
        raise EditError(message, table=NODE.name, index=node, field="parent")
