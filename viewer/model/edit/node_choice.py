"""Which node a change is about: its number, or its name in the reading in effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewer.errors import EditError, suggestion
from viewer.formats.msh.nodes import NODE
from viewer.formats.record import Rows
from viewer.translation import Sentence

if TYPE_CHECKING:
    from viewer.model.edit.draft import Draft

NodeChoice = int | str
"""The number of a node, or its name."""


def node_rows(draft: Draft) -> Rows:
    """Return the nodes, (n,) `NODE`, a copy to be changed; raises `EditError` if none are known."""
    rows = draft.model.nodes
    if not len(rows):
        raise EditError(Sentence("has no nodes that are known"), table=NODE.name)
    return rows.copy()


def node_of(draft: Draft, node: NodeChoice) -> int:
    """Return the number of a node; raises `EditError` if there is none, or if several have the name."""
    count = len(node_rows(draft))
    if isinstance(node, int):
        if not 0 <= node < count:
            raise EditError(Sentence("there are {count} nodes", count=count), table=NODE.name, index=node)
        return node
    names = draft.model.node_names(from_records=draft.reading.reading.has_name_records)
    found = [index for index, name in enumerate(names[:count]) if name == node]
    if len(found) > 1:
        text = ", ".join(map(str, found))
        raise EditError(Sentence("nodes {nodes} are named {name!r}", nodes=text, name=node), table=NODE.name)
    if found:
        return found[0]
    if node.isascii() and node.isdigit():
        return node_of(draft, int(node))
    words = Sentence("no node is named {name!r}{hint}", name=node, hint=suggestion(node, names[:count]))
    raise EditError(words, table=NODE.name)
