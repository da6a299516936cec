"""Which node a change is about: its index, or its name in the reading in effect."""

from __future__ import annotations

from typing import Final

from viewer.errors import EditError
from viewer.formats.msh.nodes import NODE
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.translation import Sentence

NodeChoice = int | str
"""An index, also as a text, or a name: the first node of it, ignoring case if no node has exactly it."""
LONGEST_INDEX: Final = 9


def node_rows(draft: Draft) -> Rows:
    """Return the nodes of a model, a copy to be changed; raises `EditError` if it has none that are known."""
    rows = draft.model.nodes
    if not len(rows):
        raise EditError(Sentence("has no nodes of a known layout"), table=NODE.name)
    return rows.copy()


def node_index(draft: Draft, node: NodeChoice) -> int:
    """Return the index of a node; raises `EditError` if there is no such node."""
    count = len(node_rows(draft))
    if isinstance(node, str) and not (node.isdecimal() and len(node) <= LONGEST_INDEX):
        return _named(draft, node)
    index = int(node)
    if not 0 <= index < count:
        raise EditError(Sentence("there are {count} nodes", count=count), table=NODE.name, index=index)
    return index


def node_names(draft: Draft) -> tuple[str, ...]:
    """Return the name of each node in the reading in effect, empty if absent."""
    return draft.model.node_names(from_records=draft.reading.reading.has_name_records)


def _named(draft: Draft, name: str) -> int:
    names = node_names(draft)
    folded = [known.casefold() for known in names]
    if name and name in names:
        return names.index(name)
    if name and name.casefold() in folded:
        return folded.index(name.casefold())
    raise EditError(Sentence("no node is called {name!r}", name=name), table=NODE.name)
