"""Setting a cell of the slot matrix of a node.

Source: spec/msh.md 2, 12.
"""

from __future__ import annotations

from dataclasses import dataclass

from viewer.errors import EditError
from viewer.formats.msh.nodes import GROUPS, LODS, NODE, NONE
from viewer.formats.msh.tables import NODES
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.table_rows import put
from viewer.model.edit.node_choice import NodeChoice, node_of, node_rows
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class SetCell:
    """Set which slot a node shows in one LOD and group.

    Parameters
    ----------
    node
        Index or name.
    lod, group
        The cell: 0..2 and 0..4.
    slot
        Index of a slot; None to show nothing.
    """

    node: NodeChoice
    lod: int
    group: int
    slot: int | None

    @property
    def words(self) -> str:
        """The cell and its slot."""
        values = {"node": self.node, "lod": self.lod, "group": self.group}
        if self.slot is None:
            return Sentence("node {node} shows nothing in LOD {lod}, group {group}", **values)
        return Sentence("node {node} shows slot {slot} in LOD {lod}, group {group}", slot=self.slot, **values)

    def apply(self, draft: Draft) -> None:
        """Write the word; raises `EditError` for a cell or a slot that does not exist."""
        node = node_of(draft, self.node)
        field = f"slots[{self.lod}][{self.group}]"
        if not (0 <= self.lod < LODS and 0 <= self.group < GROUPS):
            message = Sentence("the matrix has {lods} LODs and {groups} groups", lods=LODS, groups=GROUPS)
            raise EditError(message, table=NODE.name, index=node, field=field)
        count = len(draft.model.slots)
        if self.slot is not None and not 0 <= self.slot < min(count, NONE):
            message = Sentence("there is no slot {slot}, there are {count}", slot=self.slot, count=count)
            raise EditError(message, table=NODE.name, index=node, field=field)
        rows = node_rows(draft)
        rows["slots"][node, self.lod, self.group] = NONE if self.slot is None else self.slot
        put(draft, NODES, rows)
