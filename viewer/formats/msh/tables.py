"""All tables of a model by resource type: names, records, attributes, and reading of one on its own.

Source: spec/msh.md 1, spec/animation.md 1, spec/land.md 1.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from msgspec import Struct, field

from viewer.diagnostics import Diagnostic
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.members import Array, RawBytes, Single
from viewer.formats.msh import batches, keys, nodes, path_graph, slots, strings, terrain, triangles, vertices
from viewer.formats.msh.nodes import LEGACY_SIZE
from viewer.formats.msh.path_graph import PathGraph
from viewer.formats.msh.strings import Strings
from viewer.formats.part import Part
from viewer.formats.record import Bytes, Record, Rows

NODES, SLOTS, POSITIONS, NORMALS, UVS, INDICES, TRIANGLES, KEYS = 1, 2, 3, 4, 5, 6, 7, 8
NAME_RECORDS, STRINGS, DRAW_LIST, AREAL_MAP, BATCHES, STREAM14 = 9, 10, 11, 12, 13, 14
STREAM15, STREAM16, PATH_GRAPH, STREAM18, FRAME_MAP, LIGHT_PROBES, FACES = 15, 16, 17, 18, 19, 20, 21

REQUIRED = frozenset({NODES, SLOTS, POSITIONS, INDICES, BATCHES})
"""Types that make a container a model."""

TERRAIN = frozenset({POSITIONS, FACES})
"""Types that, without indices, make it a terrain."""


class Table(Struct, frozen=True):
    """A resource type: its name, its record if it has one, and the record of its header."""

    type_id: int
    name: str
    record: Record | None = None
    header: Record | None = None

    @property
    def header_size(self) -> int:
        """Bytes before the records."""
        return self.header.size if self.header else 0

    @property
    def tail(self) -> str:
        """Name of the bytes after the last whole record."""
        return f"{self.name}_tail"


TABLES: dict[int, Table] = {
    declared.type_id: declared
    for declared in (
        Table(NODES, "nodes", nodes.NODE),
        Table(SLOTS, "slots", slots.SLOT, slots.HEADER),
        Table(POSITIONS, "positions", vertices.POSITION),
        Table(NORMALS, "normals", vertices.NORMAL),
        Table(UVS, "uvs", vertices.UV),
        Table(INDICES, "indices", vertices.INDEX),
        Table(TRIANGLES, "tri_descriptors", triangles.TRIANGLE),
        Table(KEYS, "keys", keys.KEY),
        Table(NAME_RECORDS, "name_records", strings.NAME),
        Table(STRINGS, "strings"),
        Table(DRAW_LIST, "draw_list", terrain.DRAW),
        Table(AREAL_MAP, "areal_map"),
        Table(BATCHES, "batches", batches.BATCH),
        Table(STREAM14, "stream14", vertices.STREAM14),
        Table(STREAM15, "stream15", vertices.STREAM15),
        Table(STREAM16, "stream16", vertices.STREAM16),
        Table(PATH_GRAPH, "path_graph"),
        Table(STREAM18, "stream18", vertices.STREAM18),
        Table(FRAME_MAP, "frame_map", keys.WORD),
        Table(LIGHT_PROBES, "light_probes", path_graph.LIGHT_PROBE),
        Table(FACES, "faces", terrain.FACE),
    )
}
LEGACY_NODES = Table(NODES, "nodes", nodes.LEGACY_NODE)
"""The nodes of the one file whose records are unknown."""


def fields_to(name: str) -> list[str]:
    """The fields that number the rows of a table, such as ``nodes.parent``."""
    fields = [(it.name, field) for it in TABLES.values() if it.record for field in it.record.fields]
    return [
        f"{table}.{field.name}"
        for table, field in fields
        if field.refers_to == name or any(bits.refers_to == name for bits in field.bits)
    ]


DERIVED = frozenset(
    {NODES, SLOTS, POSITIONS, NORMALS, UVS, INDICES, TRIANGLES, KEYS, STRINGS, BATCHES, STREAM15, STREAM16}
    | {STREAM18, FRAME_MAP, DRAW_LIST, STREAM14, FACES}
)
"""Types whose attributes follow from their sizes; the others are kept."""


def attributes(type_id: int, size: int, *, node_count: int, frame_count: int) -> tuple[int, int, int]:
    """attr1, attr2, attr3 of a new table of `size` bytes.

    Raises `KeyError` for types whose attributes are not specified; copy those.
    """
    if type_id == STRINGS:
        return node_count, 0, 0
    declared = TABLES[type_id]
    if declared.record is None:
        raise KeyError(type_id)
    count = max(0, size - declared.header_size) // declared.record.size
    # attr3 is the size of a record, but 4 for keys, which have 24 bytes (spec/msh.md 1).
    attr2 = frame_count if type_id == FRAME_MAP else 0
    return count, attr2, 4 if type_id == KEYS else declared.record.size


class RecordTable(Struct, frozen=True, eq=False):
    """A table of records of equal size, as a view of its bytes.

    Parameters
    ----------
    declared
        The declaration of the table.
    header
        The header; None if the table has none or it is truncated.
    rows
        The whole records, (n,); empty if their record is unknown.
    tail
        The bytes after them; all bytes if the header is truncated.
    """

    declared: Table
    header: np.void | None = None
    rows: Rows = field(default_factory=lambda: np.empty(0, "V1"))
    tail: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()


TableValue = RecordTable | PathGraph | Strings


@cache
def _layout(declared: Table) -> Layout[Any]:
    """The layout of a table; one whose records are unknown is bytes."""
    # Their rows have different lengths, or there are two tables in one payload.
    if declared.type_id in _OWN:
        return _OWN[declared.type_id]
    stated = {"declared": declared}
    if declared.record is None:
        unknown = RawBytes(declared.name, "A table whose records are unknown.")
        return Layout(RecordTable, stated=stated, tail=unknown)
    size, header = declared.record.size, declared.header
    rows = Array(declared.record, lambda it: max(0, it.size - declared.header_size) // size)
    tail = RawBytes(declared.tail, "Bytes after the last whole record.")
    if header is None:
        return Layout(RecordTable, stated=stated, rows=rows, tail=tail)
    return Layout(RecordTable, stated=stated, header=Single(header, is_optional=True), rows=rows, tail=tail)


_OWN: Mapping[int, Layout[Any]] = {STRINGS: strings.LAYOUT, PATH_GRAPH: path_graph.LAYOUT}


def layout_of(type_id: int, _: int = 0, __: int = 0, attr3: int = 0) -> Layout[Any]:
    """The layout of a resource type; the attributes are those of its entry.

    Raises `KeyError` for types that are not a table.
    """
    is_legacy = type_id == NODES and attr3 == LEGACY_SIZE
    return _layout(LEGACY_NODES if is_legacy else TABLES[type_id])


def decode(data: Bytes, type_id: int, attr1: int = 0, attr2: int = 0, attr3: int = 0) -> TableValue:
    """Read the whole records of the payload of a resource type; the attributes are those of its entry.

    Raises `KeyError` for types that are not a table.
    """
    # Numbers of texts, and of path nodes and links. All other tables go by their size: attr1 is only compared
    # with it (spec/msh.md 1).
    stated = (attr1, attr2) if type_id in _OWN else ()
    value: TableValue = layout_of(type_id, attr1, attr2, attr3).decode(data, *stated)
    return value


def _layout_of(value: TableValue) -> Layout[Any]:
    if isinstance(value, RecordTable):
        return _layout(value.declared)
    return strings.LAYOUT if isinstance(value, Strings) else path_graph.LAYOUT


def encode(value: TableValue) -> bytes:
    """The payload of a table."""
    return _layout_of(value).encode(value)


def parts(value: TableValue) -> Part:
    """The tree of parts."""
    return _layout_of(value).parts(value)


def parts_from(value: TableValue, start: int) -> Sequence[Part]:
    """The parts of a table that starts at `start` of the payload."""
    return _layout_of(value).children(value, start)
