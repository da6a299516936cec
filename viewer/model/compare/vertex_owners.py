"""The nodes that changed vertices belong to, in words: ``node turret: 12 vertices moved``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import NORMALS, POSITIONS, TABLES, UVS
from viewer.model.edit.bulk.replace_rows import ReplaceRows
from viewer.model.edit.change import Change
from viewer.model.edit.geometry.move import slots_of_nodes
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.mesh.model import Model, Variant
from viewer.translation import Sentence

MOST_NAMES: Final = 5
"""Names of nodes that are listed."""
_THINGS: Final[Mapping[str, tuple[str, str]]] = {
    TABLES[POSITIONS].name: ("one vertex moved", "{count} vertices moved"),
    TABLES[NORMALS].name: ("one normal changed", "{count} normals changed"),
    TABLES[UVS].name: ("one texture coordinate changed", "{count} texture coordinates changed"),
}


def owners(model: Model, names: Sequence[str]) -> list[str]:
    """The name of the first node whose slots use each vertex, empty for none; its number without a name.

    A terrain has none.
    """
    found = [""] * model.vertex_count
    if model.variant is Variant.TERRAIN:
        return found
    triangles = SlotTriangles.of(model)
    for node, slots in reversed([*enumerate(slots_of_nodes(model))]):
        name = (names[node] if node < len(names) else "") or f"{NODE.name}[{node}]"
        for vertex in np.unique(triangles.corners[np.isin(triangles.slot, [*slots])]).tolist():
            if 0 <= vertex < len(found):
                found[vertex] = name
    return found


def has_owners(table: str) -> bool:
    """Whether the rows of a table are vertices, whose changes are said with the node."""
    return table in _THINGS


def in_words(table: str, nodes: Sequence[str]) -> Sentence:
    """What happened to vertices, given the node of each: ``node turret: 12 vertices moved``."""
    one, many = _THINGS[table]
    what = Sentence(one if len(nodes) == 1 else many, count=len(nodes))
    named = [it for it in dict.fromkeys(nodes) if it]
    if not named:
        return what
    if len(named) == 1 and all(nodes):
        return Sentence("node {name}: {what}", name=named[0], what=what)
    listed = ", ".join(named[:MOST_NAMES]) + (", …" if len(named) > MOST_NAMES else "")
    return Sentence("{what} ({names})", what=what, names=listed)


def change_words(model: Model, names: Sequence[str], changes: Sequence[Change]) -> tuple[str, ...]:
    """What each change does, in words; of vertices that take other values with the names of their nodes."""
    is_known = any(isinstance(it, ReplaceRows) and has_owners(it.table) for it in changes)
    known = owners(model, names) if is_known else []
    return tuple(_words(change, known) for change in changes)


def _words(change: Change, known: Sequence[str]) -> str:
    if isinstance(change, ReplaceRows) and has_owners(change.table):
        rows = change.rows.numbers(len(known))
        if rows and all(row < len(known) for row in rows):
            return in_words(change.table, [known[row] for row in rows])
    return change.words
