"""How the changes that the window makes name what they are about."""

from __future__ import annotations

from collections.abc import Sequence

from viewer.model.edit.node_choice import NodeChoice


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
