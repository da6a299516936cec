"""One table of a model on its own, as stored in an entry of its container.

Source: spec/msh.md 1.
Status: proven.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from viewer.errors import Diagnostic
from viewer.formats.msh import path_graph, strings
from viewer.formats.msh.nodes import LEGACY_SIZE
from viewer.formats.msh.path_graph import PathGraph
from viewer.formats.msh.strings import Strings
from viewer.formats.msh.tables import LEGACY_NODES, NODES, PATH_GRAPH, STRINGS, TABLES, Table
from viewer.formats.part import Part, group, raw, single, table
from viewer.formats.record import Bytes, Rows


@dataclass(frozen=True, slots=True)
class RecordTable:
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
    header: np.void | None
    rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)


TableValue = RecordTable | PathGraph | Strings


def decode(data: Bytes, type_id: int, attr1: int = 0, attr2: int = 0, attr3: int = 0) -> TableValue:
    """Read the whole records of the payload of a resource type; the attributes are those of its entry.

    Raises `KeyError` for types that are not a table.
    """
    if type_id == STRINGS:
        return strings.decode(data, attr1)
    if type_id == PATH_GRAPH:
        return path_graph.decode(data, attr1, attr2)
    is_legacy = type_id == NODES and attr3 == LEGACY_SIZE
    return _decode_records(memoryview(data).cast("B"), LEGACY_NODES if is_legacy else TABLES[type_id])


def _decode_records(data: memoryview, declared: Table) -> RecordTable:
    start = declared.header_size
    if declared.record is None:
        return RecordTable(declared, None, np.empty(0, "V1"), bytes(data))
    if len(data) < start:
        return RecordTable(declared, None, declared.record.new(0), bytes(data))
    header = declared.header.read(data) if declared.header else None
    rows = declared.record.view(data, offset=start)
    return RecordTable(declared, header, rows, bytes(data[start + rows.nbytes :]))


def encode(value: TableValue) -> bytes:
    """The payload of a table."""
    if isinstance(value, Strings):
        return strings.encode(value)
    if isinstance(value, PathGraph):
        return path_graph.encode(value)
    header = b"" if value.header is None else value.header.tobytes()
    return header + value.rows.tobytes() + value.tail


def parts(value: TableValue) -> Part:
    """Return the tree of parts."""
    return group(parts_from(value, 0))


def parts_from(value: TableValue, start: int) -> tuple[Part, ...]:
    """Return the parts of a table that starts at `start` of the payload."""
    if isinstance(value, Strings):
        return strings.parts(value, start)
    if isinstance(value, PathGraph):
        return path_graph.parts(value, start)
    declared = value.declared
    if declared.record is None:
        return (raw(declared.name, value.tail, start, "A table whose records are unknown."),)
    header = _header_part(value, start)
    rows = table(declared.record, value.rows, header[0].end if header else start)
    return (*header, rows, raw(declared.tail, value.tail, rows.end, "Bytes after the last whole record."))


def _header_part(value: RecordTable, start: int) -> tuple[Part, ...]:
    declared = value.declared.header
    return () if declared is None or value.header is None else (single(declared, value.header, start),)
