"""Changed rows in words: ``one key inserted``, ``node beacon added, 12 triangles``, ``12 vertices moved``.

A table that only follows another, such as the vertices of added triangles, is not named with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Final

import numpy as np

from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import KEYS, NORMALS, POSITIONS, TABLES, TRIANGLES, UVS
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.edit.change import Change
from viewer.model.edit.geometry.move import slots_of_nodes
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.edit.rows.row_changes import ReplaceRows
from viewer.model.mesh.model import Model, Variant
from viewer.model.store.address import Address
from viewer.translation import Text, _

MOST_OWNERS: Final = 5
"""Names of nodes that are listed."""
_VERTEX_CHANGES: Final[Mapping[str, tuple[str, str]]] = {
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
    # Backwards, so that the first node that uses a vertex is the last to write its name.
    for node, slots in reversed([*enumerate(slots_of_nodes(model))]):
        name = (names[node] if node < len(names) else "") or f"{NODE.name}[{node}]"
        for vertex in np.unique(triangles.corners[np.isin(triangles.slot, [*slots])]).tolist():
            if 0 <= vertex < len(found):
                found[vertex] = name
    return found


def has_owners(table: str) -> bool:
    """Whether the rows of a table are vertices, whose changes are said with the node."""
    return table in _VERTEX_CHANGES


def in_words(table: str, nodes: Sequence[str]) -> Text:
    """Words about changed vertices, given the node of each: ``node turret: 12 vertices moved``."""
    one, many = _VERTEX_CHANGES[table]
    what = _(one if len(nodes) == 1 else many, count=len(nodes))
    named = [it for it in dict.fromkeys(nodes) if it]
    if not named:
        return what
    if len(named) == 1 and all(nodes):
        return _("node {name}: {what}", name=named[0], what=what)
    listed = ", ".join(named[:MOST_OWNERS]) + (", …" if len(named) > MOST_OWNERS else "")
    return _("{what} ({names})", what=what, names=listed)


def change_words(model: Model, names: Sequence[str], changes: Sequence[Change]) -> Iterator[tuple[str, str]]:
    """Words about each change, and the only node whose vertices take other values; or none."""
    is_known = any(isinstance(it, ReplaceRows) and has_owners(it.table) for it in changes)
    known = owners(model, names) if is_known else []
    for it in changes:
        rows = it.rows.numbers(len(known)) if isinstance(it, ReplaceRows) and has_owners(it.table) else None
        if rows and rows[-1] < len(known) and isinstance(it, ReplaceRows):
            nodes = [known[row] for row in rows]
            yield in_words(it.table, nodes), nodes[0] if len({*nodes}) == 1 else ""
        else:
            yield it.words, ""


MOST_NAMES: Final = 5
"""Names of nodes that are listed."""
_NODES: Final = NODE.name
_TRIANGLES, _KEYS, _VERTICES = (TABLES[it].name for it in (TRIANGLES, KEYS, POSITIONS))
_THINGS: Final[Mapping[str, tuple[str, str]]] = {
    _TRIANGLES: ("one triangle {what}", "{count} triangles {what}"),
    _KEYS: ("one key {what}", "{count} keys {what}"),
    _VERTICES: ("one vertex {what}", "{count} vertices {what}"),
}
_ROWS: Final = ("one row of {table} {what}", "{count} rows of {table} {what}")

_LEVELS: Final = "levels["
"""Beginning of the names of tables of the pixels of textures."""

Tables = Mapping[str, Difference]
"""Rows that only one file has, by table."""


def summaries(changed: Iterable[tuple[Address, Difference]]) -> tuple[Text, ...]:
    """Sentences about inserted, removed and renumbered rows, one for each payload; given with its address."""
    payloads: dict[Address, list[Difference]] = {}
    for address, it in changed:
        payloads.setdefault(address.child(*it.path), []).append(it)
    found = {address: [*_clauses(differences)] for address, differences in payloads.items()}
    told = {address: _joined(clauses) for address, clauses in found.items() if clauses}
    if len(payloads) == 1:
        return tuple(told.values())
    words = "{name}: {summary}"
    return tuple(_(words, name=address.name, summary=it) for address, it in told.items())


def is_of_pixels(difference: Difference) -> bool:
    """Whether the table has the pixels of a texture, which are not read one by one."""
    return difference.table.startswith(_LEVELS)


def _joined(clauses: Sequence[Text]) -> Text:
    return reduce(lambda before, it: _("{before}, {clause}", before=before, clause=it), clauses)


def _clauses(differences: Sequence[Difference]) -> Iterator[Text]:
    """The clauses of one payload: what is gone, what is new, and what only follows from that."""
    renumbered = [it for it in differences if it.what is ChangeKind.RENUMBERED]
    moved = sum(it.count for it in renumbered if (it.table, it.field) == (_NODES, "index"))
    for what in (ChangeKind.REMOVED, ChangeKind.ADDED):
        rows = {it.table: it for it in differences if it.what is what and not it.field}
        yield from _of_rows(rows, moved)
        # Said once, with the nodes that are gone or new.
        moved = 0 if _NODES in rows else moved
    for it in differences:
        if it.owners and it.what is ChangeKind.CHANGED:
            yield in_words(it.table, it.owners)
        if is_of_pixels(it) and it.what is ChangeKind.CHANGED:
            one, many = "one pixel of {table} changed", "{count} pixels of {table} changed"
            yield _(one if it.count == 1 else many, count=it.count, table=it.table)
    if count := sum(it.count for it in renumbered if it.field != "index"):
        one, many = "one reference renumbered", "{count} references renumbered"
        yield _(one if count == 1 else many, count=count)


def _of_rows(tables: Tables, renumbered: int) -> Iterator[Text]:
    """The clauses of rows that were all added, or all removed."""
    nodes = tables.get(_NODES)
    # Keys, slots and vertices come and go with their node: its triangles say enough.
    if nodes is not None:
        yield _of_nodes(nodes, renumbered)
        if (triangles := tables.get(_TRIANGLES)) is not None:
            count = triangles.count
            yield _("one triangle" if count == 1 else "{count} triangles", count=count)
        return
    # Likewise with triangles and keys, whose vertices and frames follow them.
    named = [tables[name] for name in (_TRIANGLES, _KEYS) if name in tables]
    named = named or [it for it in tables.values() if it.table == _VERTICES] or [*tables.values()]
    for it in named:
        one, many = _THINGS.get(it.table, _ROWS)
        yield _(one if it.count == 1 else many, count=it.count, table=it.table, what=_verb(it))


def _of_nodes(nodes: Difference, renumbered: int) -> Text:
    listed = [name for name in nodes.names[:MOST_NAMES] if name]
    names = ", ".join(listed) + (", …" if nodes.count > MOST_NAMES else "")
    values = {"count": nodes.count, "what": _verb(nodes), "names": names}
    if renumbered:
        one, many = "one node {what}", "{count} nodes {what}"
        words = _(one if nodes.count == 1 else many, **values)
        words = _("{words}, {renumbered} renumbered", words=words, renumbered=renumbered)
        return _("{words} ({names})", words=words, names=names) if listed else words
    if not listed:
        return _("one node {what}" if nodes.count == 1 else "{count} nodes {what}", **values)
    return _("node {names} {what}" if nodes.count == 1 else "{count} nodes {what} ({names})", **values)


def _verb(rows: Difference) -> Text:
    if rows.what is ChangeKind.REMOVED:
        return _("removed")
    return _("inserted") if rows.is_inserted else _("added")
