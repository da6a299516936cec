"""Control points, the controller and node damage follow the nodes of the model next to them.

Source: spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.errors import UsageError
from viewer.formats.msh.nodes import NODE
from viewer.formats.neighbors.control_points import NAME
from viewer.formats.neighbors.damage import NODE_DAMAGE
from viewer.formats.part import Part, find, walk
from viewer.formats.text import decode, until_nul
from viewer.model.edit.draft import Draft
from viewer.model.edit.nodes.node_edit import MOST as MOST_NODES
from viewer.model.edit.nodes.node_edit import REMOVED, NodeReference, ReferencedError, ReferringRows, Targets
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
    clears_references
        Whether what refers to a removed node refers to none then; else that is refused.
    """

    count: int
    order: tuple[int | None, ...]
    clears_references: bool = False

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("follow the nodes of the model")

    def apply(self, draft: Draft) -> None:
        """Write the numbers; raises `ReferencedError` if something refers to a removed node.

        Raises `UsageError` for any other payload than those next to a model, and for nodes that no model has.
        """
        self._check()
        if draft.kind.id not in KINDS:
            raise UsageError(Sentence("does not number the nodes of a model: {kind}", kind=draft.kind.id))
        targets: Targets = np.full(self.count, REMOVED, np.int64)
        for row, node in enumerate(self.order):
            if node is not None:
                targets[node] = row
        lost = [it for it in references_in(draft.parts, self.count) if targets[it.node] == REMOVED]
        if lost and not self.clears_references:
            raise ReferencedError(lost)
        if draft.kind.id == DAMAGE:
            self._rearrange(draft)
        for start, rows in [*referring_rows(draft.parts, self.count)]:
            draft.write(start, rows.renumbered(targets).tobytes())

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


def referring_rows(root: Part, count: int) -> Iterator[tuple[int, ReferringRows]]:
    """Yield the tables of a payload whose rows refer to nodes of a model, each with its offset."""
    for path, part in walk(root):
        for it in part.record.fields if part.record else ():
            if it.refers_to == NODE.name and it.none is not None and isinstance(part.rows, np.ndarray):
                nodes = part.rows[it.name].astype(np.int64)
                is_node = (nodes >= 0) & (nodes < count)
                yield part.start, ReferringRows(path, part.rows, it.name, is_node, it.none)


def references_in(root: Part, count: int, payload: str = "") -> Iterator[NodeReference]:
    """Yield all references of a payload to nodes of a model."""
    named = find(root, NAME.name)
    texts = named.rows["name"].tolist() if named and isinstance(named.rows, np.ndarray) else []
    names = [decode(until_nul(text)) for text in texts]
    for _, rows in referring_rows(root, count):
        yield from rows.references(payload, names if named and len(rows.rows) == len(names) else ())
