"""Control points, the controller and node damage follow the nodes of the model next to them.

Source: spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from viewer.errors import EditError, UsageError
from viewer.formats.msh.nodes import NODE
from viewer.formats.neighbors.damage import NODE_DAMAGE
from viewer.formats.part import Part, walk
from viewer.model.edit.draft import Draft
from viewer.model.edit.nodes.node_edit import MOST as MOST_NODES
from viewer.model.edit.nodes.references import REMOVED, Targets
from viewer.model.edit.rows import row_tables
from viewer.model.edit.rows.arrangement import Arrangement, NewRow
from viewer.model.edit.rows.row_tables import RowTable
from viewer.translation import Sentence

DAMAGE: Final = "damage"
"""The id of the kind of node damage."""
KINDS: Final = frozenset({DAMAGE, "control", "control_points"})


@dataclass(frozen=True, slots=True)
class FollowNodes:
    """Renumber what refers to the nodes of a model in a payload next to it.

    Parameters
    ----------
    count
        Nodes that the model had.
    order
        The nodes that it has, by the indices that they had; None for one that is new.
    """

    count: int
    order: tuple[int | None, ...]

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("follow the nodes of the model")

    def apply(self, draft: Draft) -> None:
        """Write the numbers; raises `EditError` if something refers to a removed node.

        Raises `UsageError` for any other payload than those next to a model, and for nodes that no model has.
        """
        self._check()
        if draft.kind.id not in KINDS:
            raise UsageError(Sentence("does not number the nodes of a model: {kind}", kind=draft.kind.id))
        if draft.kind.id == DAMAGE:
            self._rearrange(draft)
        for start, rows in [*self._renumbered(draft)]:
            draft.write(start, rows.tobytes())

    def _check(self) -> None:
        """Refuse what is not an order of the nodes of models."""
        if not 0 <= self.count <= MOST_NODES or len(self.order) > MOST_NODES:
            raise UsageError(Sentence("a model has at most {limit} nodes", limit=MOST_NODES))
        for node in self.order:
            if node is not None and not 0 <= node < self.count:
                raise UsageError(Sentence("there is no node {node}", node=node))

    def _rearrange(self, draft: Draft) -> None:
        """Rearrange the rows of node damage, if there was one per node."""
        part = draft.part(NODE_DAMAGE.name)
        table = row_tables.of(DAMAGE, NODE_DAMAGE.name)
        if part.count == self.count and isinstance(table, RowTable):
            items = tuple(NewRow() if node is None else node for node in self.order)
            draft.splice(table.arrange(draft, NODE_DAMAGE.name, Arrangement(part.count, items)))

    def _renumbered(self, draft: Draft) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the offset and the rows of tables with fields that refer to nodes."""
        targets: Targets = np.full(self.count, REMOVED, np.int64)
        for row, node in enumerate(self.order):
            if node is not None:
                targets[node] = row
        for path, part in walk(draft.parts):
            declared = part.record.fields if part.record else ()
            fields = [it.name for it in declared if it.refers_to == NODE.name]
            if fields and isinstance(part.rows, np.ndarray):
                yield part.start, _rows(part, path, fields, targets)


def _rows(part: Part, path: str, fields: list[str], targets: Targets) -> np.ndarray:
    rows: Any = np.array(part.rows)
    for field in fields:
        old = rows[field].astype(np.int64)
        is_node = (old >= 0) & (old < len(targets))
        new = old.copy()
        new[is_node] = targets[old[is_node]]
        for at in np.argwhere(is_node & (new == REMOVED))[:1].tolist():
            message = Sentence("refers to node {node}, which would be removed", node=int(old[tuple(at)]))
            raise EditError(message, table=path, index=at[0], field=field)
        rows[field] = new
    return np.asarray(rows)
