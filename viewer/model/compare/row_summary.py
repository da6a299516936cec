"""Inserted, removed and moved rows in words: ``one key inserted``, ``node beacon added, 12 triangles``.

A table that only follows another, such as the vertices of added triangles, is not named with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import PurePath
from typing import Final

from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import KEYS, POSITIONS, TABLES, TRIANGLES
from viewer.model.compare.differences import Difference, What
from viewer.model.compare.vertex_owners import in_words
from viewer.model.store.address import SEPARATOR
from viewer.translation import Sentence

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
"""How the tables of the pixels of textures begin."""

Tables = Mapping[str, Difference]
"""Rows that only one file has, by table."""


def summaries(changed: Iterable[tuple[str, Difference]]) -> tuple[Sentence, ...]:
    """What was inserted, removed and renumbered, a sentence for each payload; given with its address."""
    payloads: dict[str, list[Difference]] = {}
    for address, it in changed:
        payloads.setdefault(SEPARATOR.join((address, *it.path)), []).append(it)
    found = {address: [*_clauses(differences)] for address, differences in payloads.items()}
    told = {address: _joined(clauses) for address, clauses in found.items() if clauses}
    if len(payloads) == 1:
        return tuple(told.values())
    return tuple(
        Sentence("{name}: {summary}", name=_name_of(address), summary=it) for address, it in told.items()
    )


def _name_of(address: str) -> str:
    """The name of an entry, or of a file."""
    _, separator, entry = address.rpartition(SEPARATOR)
    return entry if separator else PurePath(address).name


def is_of_pixels(difference: Difference) -> bool:
    """Whether it is of the pixels of a texture, which nobody reads one by one."""
    return difference.table.startswith(_LEVELS)


def _joined(clauses: Sequence[Sentence]) -> Sentence:
    return reduce(lambda before, it: Sentence("{before}, {clause}", before=before, clause=it), clauses)


def _clauses(differences: Sequence[Difference]) -> Iterator[Sentence]:
    """The clauses of one payload: what is gone, what is new, and what only follows from that."""
    renumbered = [it for it in differences if it.what is What.RENUMBERED]
    moved = sum(it.count for it in renumbered if (it.table, it.field) == (_NODES, "index"))
    for what in (What.REMOVED, What.ADDED):
        rows = {it.table: it for it in differences if it.what is what and not it.field}
        yield from _of_rows(rows, moved)
        moved = 0 if _NODES in rows else moved
    for it in differences:
        if it.owners and it.what is What.CHANGED:
            yield in_words(it.table, it.owners)
        if is_of_pixels(it) and it.what is What.CHANGED:
            one, many = "one pixel of {table} changed", "{count} pixels of {table} changed"
            yield Sentence(one if it.count == 1 else many, count=it.count, table=it.table)
    if count := sum(it.count for it in renumbered if it.field != "index"):
        one, many = "one reference renumbered", "{count} references renumbered"
        yield Sentence(one if count == 1 else many, count=count)


def _of_rows(tables: Tables, renumbered: int) -> Iterator[Sentence]:
    """The clauses of rows that were all added, or all removed."""
    nodes = tables.get(_NODES)
    if nodes is not None:
        yield _of_nodes(nodes, renumbered)
        if (triangles := tables.get(_TRIANGLES)) is not None:
            count = triangles.count
            yield Sentence("one triangle" if count == 1 else "{count} triangles", count=count)
        return
    named = [tables[name] for name in (_TRIANGLES, _KEYS) if name in tables]
    named = named or [it for it in tables.values() if it.table == _VERTICES] or [*tables.values()]
    for it in named:
        one, many = _THINGS.get(it.table, _ROWS)
        yield Sentence(one if it.count == 1 else many, count=it.count, table=it.table, what=_verb(it))


def _of_nodes(nodes: Difference, renumbered: int) -> Sentence:
    listed = [name for name in nodes.names[:MOST_NAMES] if name]
    names = ", ".join(listed) + (", …" if nodes.count > MOST_NAMES else "")
    values = {"count": nodes.count, "what": _verb(nodes), "names": names}
    if renumbered:
        one, many = "one node {what}", "{count} nodes {what}"
        words = Sentence(one if nodes.count == 1 else many, **values)
        words = Sentence("{words}, {renumbered} renumbered", words=words, renumbered=renumbered)
        return Sentence("{words} ({names})", words=words, names=names) if listed else words
    if not listed:
        return Sentence("one node {what}" if nodes.count == 1 else "{count} nodes {what}", **values)
    return Sentence("node {names} {what}" if nodes.count == 1 else "{count} nodes {what} ({names})", **values)


def _verb(rows: Difference) -> Sentence:
    if rows.what is What.REMOVED:
        return Sentence("removed")
    return Sentence("inserted") if rows.is_inserted else Sentence("added")
