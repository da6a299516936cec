"""What differs between two payloads of one kind: part by part, row by row, field by field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from viewer.formats.msh.nodes import NODE
from viewer.formats.part import Part, encode
from viewer.model.compare import differences
from viewer.model.compare.alignment import by_content, content_of_rows, content_of_values
from viewer.model.compare.differences import NAMELESS, Difference, What, same_bytes
from viewer.model.compare.row_matches import NodeRows
from viewer.model.kinds.record_rows import record_row

Cells = defaultdict[str, list[tuple[int, int, Any, Any]]]
"""For each field the rows of both sides that differ, with both values."""


def of_parts(a: Part, b: Part, path: str = "", nodes: NodeRows | None = None) -> Iterator[Difference]:
    """Everything that differs inside two parts; their own parts are matched by name.

    `nodes` are those of the model that both number.
    """
    left, right = ({child.name: child for child in part.children} for part in (a, b))
    for name in dict.fromkeys((*left, *right)):
        yield from _of_pair(f"{path}.{name}" if path else name, left.get(name), right.get(name), nodes)


def _of_pair(
    path: str, a: Part | None, b: Part | None, nodes: NodeRows | None = None
) -> Iterator[Difference]:
    if a is None or b is None:
        yield from differences.of_value(path, "size", a.size if a else 0, b.size if b else 0)
    elif a.is_list and b.is_list:
        yield from _of_lists(path, a, b)
    elif a.is_leaf and b.is_leaf:
        yield from _of_leaves(path, a, b, nodes)
    else:
        yield from of_parts(a, b, path, nodes)


def _of_leaves(path: str, a: Part, b: Part, nodes: NodeRows | None) -> Iterator[Difference]:
    """Records by content, or as the nodes that they belong to; or bytes."""
    if a.record is None or b.record is None or a.record.dtype != b.record.dtype:
        yield from differences.of_bytes(path, encode(a), encode(b))
        return
    before, after = (np.atleast_1d(np.asarray(part.rows)) for part in (a, b))
    follows = None if nodes is None else nodes.rows.follows
    renumbered = before if nodes is None else nodes.rows.in_b(a.record, before)
    match, names = by_content(*content_of_rows(renumbered, after)), NAMELESS
    if nodes is not None and path == NODE.name and nodes.match.fits(len(before), len(after)):
        match, names = nodes.match, nodes.names
    yield from differences.of_rows(path, match, names)
    for field in a.record.fields:
        yield from differences.of_field(path, field, (before, after), match, names, follows)


def _of_lists(path: str, a: Part, b: Part) -> Iterator[Difference]:
    """Rows of different lengths by content; parts inside a row come after the fields of all rows."""
    match = by_content(*content_of_values(map(encode, a.children), map(encode, b.children)))
    cells: Cells = defaultdict(list)
    inner: list[tuple[str, Part, Part]] = []
    for rows in zip(match.a.tolist(), match.b.tolist(), strict=True):
        pair = a.children[rows[0]], b.children[rows[1]]
        if isinstance(pair[0].rows, np.void) and isinstance(pair[1].rows, np.void):
            _compare_rows(rows, *pair, cells)
        else:
            inner.append((f"{path}[{rows[1]}]", *pair))
    for name, changed in cells.items():
        rows_a, rows_b, before, after = (list(column) for column in zip(*changed, strict=True))
        numbers = np.array(rows_a, np.int64), np.array(rows_b, np.int64)
        yield Difference(path, name, What.CHANGED, len(changed), *numbers, before, after)
    yield from differences.of_rows(path, match)
    for inner_path, before_part, after_part in inner:
        yield from _of_pair(inner_path, before_part, after_part)


def _compare_rows(rows: tuple[int, int], a: Part, b: Part, cells: Cells) -> None:
    """Note the fields of two single records that differ; records of different kinds differ as a whole."""
    if same_bytes(encode(a), encode(b)):
        return
    if a.name != b.name:
        cells["kind"].append((*rows, a.name, b.name))
        return
    before, after = ({**_stored(part)} for part in (a, b))
    shown = [*map(_shown, (a, b))]
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            cells[name].append((*rows, shown[0].get(name), shown[1].get(name)))


def _stored(part: Part) -> dict[str, bytes]:
    """The bytes of each field of a single record."""
    fields = part.record.fields if part.record else ()
    stored = encode(part)
    return {field.name: stored[field.offset : field.offset + field.size] for field in fields}


def _shown(part: Part) -> dict[str, Any]:
    """The fields of a single record as plain data."""
    if part.record is None or not isinstance(part.rows, np.void):
        return {}
    return record_row(part.record, part.rows)
