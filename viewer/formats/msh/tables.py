"""All tables of a model by resource type: names, records and attributes.

Source: spec/msh.md 1, spec/animation.md 1, spec/land.md 1.
Status: proven.
"""

from __future__ import annotations

from dataclasses import dataclass

from viewer.formats.msh import (
    batches,
    extras,
    frame_map,
    indices,
    keys,
    name_records,
    nodes,
    normals,
    positions,
    slots,
    streams,
    terrain,
    texcoords,
    triangles,
)
from viewer.formats.record import Record

NODES, SLOTS, POSITIONS, NORMALS, UVS, INDICES, TRIANGLES, KEYS = 1, 2, 3, 4, 5, 6, 7, 8
NAME_RECORDS, STRINGS, DRAW_LIST, AREAL_MAP, BATCHES, STREAM14 = 9, 10, 11, 12, 13, 14
STREAM15, STREAM16, PATH_GRAPH, STREAM18, FRAME_MAP, LIGHT_PROBES, FACES = 15, 16, 17, 18, 19, 20, 21

REQUIRED = frozenset({NODES, SLOTS, POSITIONS, INDICES, BATCHES})
"""Types that make a container a model."""

TERRAIN = frozenset({POSITIONS, FACES})
"""Types that, without indices, make it a terrain."""


@dataclass(frozen=True, slots=True)
class Table:
    """One resource type: its name, its record if it has one, and the record of its header."""

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
        Table(POSITIONS, "positions", positions.POSITION),
        Table(NORMALS, "normals", normals.NORMAL),
        Table(UVS, "uvs", texcoords.UV),
        Table(INDICES, "indices", indices.INDEX),
        Table(TRIANGLES, "tri_descriptors", triangles.TRIANGLE),
        Table(KEYS, "keys", keys.KEY),
        Table(NAME_RECORDS, "name_records", name_records.NAME),
        Table(STRINGS, "strings"),
        Table(DRAW_LIST, "draw_list", terrain.DRAW),
        Table(AREAL_MAP, "areal_map"),
        Table(BATCHES, "batches", batches.BATCH),
        Table(STREAM14, "stream14", streams.STREAM14),
        Table(STREAM15, "stream15", streams.STREAM15),
        Table(STREAM16, "stream16", streams.STREAM16),
        Table(PATH_GRAPH, "path_graph"),
        Table(STREAM18, "stream18", streams.STREAM18),
        Table(FRAME_MAP, "frame_map", frame_map.WORD),
        Table(LIGHT_PROBES, "light_probes", extras.LIGHT_PROBE),
        Table(FACES, "faces", terrain.FACE),
    )
}
LEGACY_NODES = Table(NODES, "nodes", nodes.LEGACY_NODE)
"""The nodes of the one file whose records are unknown."""

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
    attr2 = frame_count if type_id == FRAME_MAP else 0
    return count, attr2, 4 if type_id == KEYS else declared.record.size
