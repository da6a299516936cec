"""How the changes that the window makes name what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from viewer.model.edit.node_choice import NodeChoice

NEW_NAME: Final = "node"
"""How the names of new nodes begin."""


def node_choice(names: Sequence[str], node: int) -> NodeChoice:
    """Return the name of a node, or its number if it has none, or one that is not its own.

    Parameters
    ----------
    names
        Those of all nodes, in the reading in effect.
    """
    name = names[node] if 0 <= node < len(names) else ""
    is_own = bool(name) and not name.isdigit() and [*names].count(name) == 1
    return name if is_own else node


def free_name(names: Sequence[str]) -> str:
    """Return a name for a new node that no other node has."""
    taken, number = {name.lower() for name in names}, 1
    while f"{NEW_NAME}{number}" in taken:
        number += 1
    return f"{NEW_NAME}{number}"
