"""One table of a model on its own, as an entry of its container holds it.

Source: spec/msh.md 1.
Status: proven.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from viewer.errors import Diagnostic
from viewer.formats.msh import path_graph
from viewer.formats.msh.path_graph import PathGraph
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import PATH_GRAPH, TABLES
from viewer.formats.part import Part, group, raw, single, table
from viewer.formats.record import Bytes, Record, Rows


@dataclass(frozen=True, slots=True)
class RecordTable:
    """Records with what precedes and follows them.

    Parameters
    ----------
    record
        What the rows are; None for a table of which nothing is known.
    header
        The header of Res2; None for other tables, and if it is cut.
    rows
        The whole records, (n,).
    tail
        The bytes that are left.
    """

    record: Record | None
    header: np.void | None
    rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()


def decode(data: Bytes, type_id: int, attr1: int = 0, attr2: int = 0) -> RecordTable | PathGraph:
    """Read the payload of a resource type; the attributes are those of its entry."""
    if type_id == PATH_GRAPH:
        return path_graph.decode(data, attr1, attr2)
    view = memoryview(data).cast("B")
    declared = TABLES[type_id]
    start = declared.header_size
    if declared.record is None or len(view) < start:
        return RecordTable(None, None, np.empty(0, "V1"), bytes(view))
    rows = declared.record.view(view, offset=start)
    header = HEADER.read(view) if start else None
    return RecordTable(declared.record, header, rows, bytes(view[start + rows.nbytes :]))


def encode(value: Any) -> bytes:
    """The payload of a table."""
    if isinstance(value, PathGraph):
        return path_graph.encode(value)
    header = b"" if value.header is None else value.header.tobytes()
    encoded: bytes = header + value.rows.tobytes() + value.tail
    return encoded


def parts(value: Any) -> Part:
    """What the payload is made of."""
    children: list[Part] = [] if value.header is None else [single(HEADER, value.header)]
    if value.record is not None:
        children.append(table(value.record, value.rows, children[-1].end if children else 0))
    end = children[-1].end if children else 0
    return group((*children, raw("tail", value.tail, end, "Bytes after the last whole record.")))
