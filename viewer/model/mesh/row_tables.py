"""All tables of a model with rows: tables, texts, header, path graph, the directory of the container.

Source: spec/msh.md 1, spec/nres.md 2, spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from viewer.formats.archive import nres
from viewer.formats.msh import path_graph, strings
from viewer.formats.msh.nodes import LEGACY_NODE
from viewer.formats.msh.path_graph import PATH_LINK, PATH_NODE
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import NODES, PATH_GRAPH, SLOTS, TABLES
from viewer.formats.record import Record, Rows


class NamedRows(Struct, frozen=True, eq=False):
    """The rows of a table, with its name and its record.

    Parameters
    ----------
    name
        Name in diagnostics.
    rows
        Records of `record`, (n,), or texts if that is None.
    """

    name: str
    rows: Rows | Sequence[bytes]
    record: Record | None = None

    def has_field(self, name: str) -> bool:
        """Whether its rows have a field of that name."""
        return self.record is not None and any(field.name == name for field in self.record.fields)


class StoredTables(Protocol):
    """The source of the tables: a model, by the types of its tables."""

    @property
    def archive(self) -> nres.Archive:
        """The container that the tables are in."""

    @property
    def legacy_nodes(self) -> Rows:
        """Res1 of a legacy model; empty for any other."""

    @property
    def strings(self) -> Sequence[bytes]:
        """Res10: the texts of the nodes."""

    def payload(self, type_id: int) -> memoryview:
        """The bytes of a table; empty if it is missing."""

    def rows(self, type_id: int) -> Rows:
        """The whole records of a table that has records."""


def row_tables(model: StoredTables) -> dict[str, NamedRows]:
    """Tables of a model that have rows, by name; those of the container come last."""
    return {table.name: table for table in _tables(model) if len(table.rows)}


def _tables(model: StoredTables) -> Iterator[NamedRows]:
    for table in TABLES.values():
        # Res2 is two tables: its header, and the slots behind it.
        if table.type_id == SLOTS:
            yield NamedRows(HEADER.name, HEADER.view(model.payload(SLOTS))[:1], HEADER)
        if table.type_id == NODES and len(model.legacy_nodes):
            yield NamedRows(table.name, model.legacy_nodes, LEGACY_NODE)
        elif table.record is not None:
            yield NamedRows(table.name, model.rows(table.type_id), table.record)
        elif table.name == strings.TABLE:
            yield NamedRows(table.name, model.strings)
        elif table.type_id == PATH_GRAPH:
            yield from _path_graph(model)
    archive = model.archive
    yield NamedRows(nres.ENTRY.name, archive.rows, nres.ENTRY)
    yield NamedRows(nres.HEADER.name, nres.HEADER.view(archive.data, count=1), nres.HEADER)


def _path_graph(model: StoredTables) -> Iterator[NamedRows]:
    index = model.archive.find_type(PATH_GRAPH)
    if index is not None:
        entry = model.archive.entry(index)
        graph = path_graph.decode(model.payload(PATH_GRAPH), entry.attr1, entry.attr2)
        yield NamedRows(PATH_NODE.name, graph.nodes, PATH_NODE)
        yield NamedRows(PATH_LINK.name, graph.links, PATH_LINK)
