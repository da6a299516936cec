"""One table of a model on its own, as stored in an entry of its container.

Source: spec/msh.md 1.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from viewer.errors import Diagnostic
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.members import Array, RawBytes, Single
from viewer.formats.msh import path_graph, strings
from viewer.formats.msh.nodes import LEGACY_SIZE
from viewer.formats.msh.path_graph import PathGraph
from viewer.formats.msh.strings import Strings
from viewer.formats.msh.tables import LEGACY_NODES, NODES, PATH_GRAPH, STRINGS, TABLES, Table
from viewer.formats.part import Part
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
    header: np.void | None = None
    rows: Rows = field(default_factory=lambda: np.empty(0, "V1"))
    tail: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)


TableValue = RecordTable | PathGraph | Strings


@cache
def _layout(declared: Table) -> Layout[Any]:
    """The layout of a table; one whose records are unknown is bytes."""
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
    """Return the layout of a resource type; the attributes are those of its entry.

    Raises `KeyError` for types that are not a table.
    """
    is_legacy = type_id == NODES and attr3 == LEGACY_SIZE
    return _layout(LEGACY_NODES if is_legacy else TABLES[type_id])


def decode(data: Bytes, type_id: int, attr1: int = 0, attr2: int = 0, attr3: int = 0) -> TableValue:
    """Read the whole records of the payload of a resource type; the attributes are those of its entry.

    Raises `KeyError` for types that are not a table.
    """
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
    """Return the tree of parts."""
    return _layout_of(value).parts(value)


def parts_from(value: TableValue, start: int) -> Sequence[Part]:
    """Return the parts of a table that starts at `start` of the payload."""
    return _layout_of(value).children(value, start)
