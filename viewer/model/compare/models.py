"""Differences between two models: their directories, then each table, with nodes matched by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.archive import nres
from viewer.formats.msh import path_graph, strings
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import NAME_RECORDS, NODES, PATH_GRAPH, STRINGS, TABLES, Table
from viewer.formats.text import decode
from viewer.model.checks.containers import overlapping
from viewer.model.compare import differences
from viewer.model.compare.alignment import Match, NodeRows, RowMatches, by_index, by_name
from viewer.model.compare.differences import Difference, Names, of_parts, same_bytes
from viewer.model.compare.row_summary import has_owners, owners
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import ReadingChoice, has_name_records

RESOURCES: Final = "resources"

Words = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two models, the match of their nodes, and the names of these.

    Attributes
    ----------
    have_labels
        Both have names in Res9, so Res10 holds labels.
    rows
        The matches of all tables.
    """

    a: Model
    b: Model
    nodes: Match
    names: Names
    have_labels: bool
    rows: RowMatches

    @classmethod
    def of(cls, a: Model, b: Model, requested: ReadingChoice) -> _Pair:
        have_labels = all(has_name_records(model, requested) for model in (a, b))
        nodes = NodeRows.of(a, b, requested)
        return cls(a, b, nodes.match, nodes.names, have_labels, nodes.rows)

    @property
    def has_nodes(self) -> bool:
        """Whether both have readable nodes."""
        return self.a.variant is self.b.variant is Variant.MODEL


def of_models(a: Model, b: Model, requested: ReadingChoice = ReadingChoice.AUTO) -> Iterator[Difference]:
    """All differences; `requested` is the reading that decides where nodes have their names."""
    yield from differences.of_value("", "variant", str(a.variant), str(b.variant))
    match = by_name(_labels(a.archive), _labels(b.archive))
    yield from of_directories(RESOURCES, a.archive, b.archive, match)
    pair = _Pair.of(a, b, requested)
    if pair.has_nodes:
        yield from differences.of_rows(NODE.name, pair.nodes, pair.names)
        yield from differences.of_order(NODE.name, pair.nodes, pair.names)
        yield from differences.of_indices(NODE.name, pair.nodes, pair.names)
    shared = overlapping(a.archive), overlapping(b.archive)
    for mine, other in zip(match.a.tolist(), match.b.tolist(), strict=True):
        entry, partner = a.archive.entries[mine], b.archive.entries[other]
        is_whole = not (entry.is_damaged or partner.is_damaged)
        if is_whole and entry.type_id == partner.type_id and a.archive.find_type(entry.type_id) == mine:
            yield from _of_resource(pair, entry, partner)
        elif is_whole and mine not in shared[0] and other not in shared[1]:
            data = a.archive.payload(mine), b.archive.payload(other)
            yield from differences.of_bytes(f"{RESOURCES}[{mine}]", *data)


def _of_resource(pair: _Pair, entry: nres.Entry, partner: nres.Entry) -> Iterator[Difference]:
    """Differences in the tables that models use: the first of each type."""
    before, after = pair.a.archive.payload(entry.index), pair.b.archive.payload(partner.index)
    table = TABLES.get(entry.type_id)
    if entry.type_id == NODES and pair.has_nodes:
        yield from _of_nodes(pair)
    elif same_bytes(before, after):
        return
    elif entry.type_id == STRINGS:
        yield from _of_strings(pair)
    elif entry.type_id == PATH_GRAPH:
        stated = (entry.attr1, entry.attr2), (partner.attr1, partner.attr2)
        graphs = path_graph.decode(before, *stated[0]), path_graph.decode(after, *stated[1])
        mine, other = (path_graph.parts(graph) for graph in graphs)
        yield from of_parts(mine, other)
    elif table is None or entry.type_id == NODES:
        yield from differences.of_bytes(f"{RESOURCES}[{entry.index}]", before, after)
    else:
        yield from _of_table(pair, table, before, after)


def _labels(archive: nres.Archive) -> list[str]:
    """Labels by which resources are matched: their types."""
    return [str(entry.type_id) for entry in archive.entries]


def of_directories(table: str, a: nres.Archive, b: nres.Archive, match: Match) -> Iterator[Difference]:
    """Entries that exist in only one, whose order changed, or whose fields differ."""
    names = [entry.text for entry in a.entries], [entry.text for entry in b.entries]
    yield from differences.of_rows(table, match, names)
    yield from differences.of_order(table, match, names)
    rows = a.rows, b.rows
    for name in ("type_id", "attr1", "attr2", "attr3", "name"):
        yield from differences.of_field(table, nres.ENTRY.field(name), rows, match, names)
    damaged = _damaged(a), _damaged(b)
    differs = damaged[0][match.a] != damaged[1][match.b]
    yield from differences.of_column((table, "is_damaged"), match, differs, damaged, names)


def of_layout(table: str, a: nres.Archive, b: nres.Archive) -> Iterator[Difference]:
    """Differences in the layout of two containers with equal contents."""
    yield from differences.of_value("", "size", len(a.data), len(b.data))
    match, rows = by_index(len(a.rows), len(b.rows)), (a.rows, b.rows)
    for name in ("data_offset", "sort_index"):
        names = [entry.text for entry in a.entries]
        yield from differences.of_field(table, nres.ENTRY.field(name), rows, match, (names, ()))


def _damaged(archive: nres.Archive) -> npt.NDArray[np.bool_]:
    return np.array([entry.is_damaged for entry in archive.entries], np.bool_)


def _of_table(pair: _Pair, table: Table, a: memoryview, b: memoryview) -> Iterator[Difference]:
    """Differences between two tables; names of nodes are matched as the nodes, other rows by content."""
    if table.record is None:
        yield from differences.of_bytes(table.name, a, b)
        return
    if table.header_size and min(len(a), len(b)) >= table.header_size:
        headers = HEADER.view(a, count=1), HEADER.view(b, count=1)
        yield from differences.of_records(HEADER, headers, by_index(1, 1))
    start = table.header_size
    rows = table.record.view(a, offset=start), table.record.view(b, offset=start)
    is_of_nodes = table.type_id == NAME_RECORDS and pair.nodes.fits(len(rows[0]), len(rows[1]))
    match = pair.nodes if is_of_nodes else pair.rows.of(table)
    yield from differences.of_rows(table.name, match)
    found = differences.of_records(table.record, rows, match, follows=pair.rows.follows)
    yield from _with_owners(pair, found) if has_owners(table.name) and pair.has_nodes else found
    tails = a[start + rows[0].nbytes :], b[start + rows[1].nbytes :]
    yield from differences.of_bytes(table.tail, tails[0], tails[1])


def _with_owners(pair: _Pair, found: Iterator[Difference]) -> Iterator[Difference]:
    """Differences of vertices, with the nodes that those belong to."""
    named = owners(pair.b, pair.names[1])
    for it in found:
        rows = () if it.rows_b is None else it.rows_b.tolist()
        yield replace(it, owners=[named[row] for row in rows if row < len(named)])


def _of_nodes(pair: _Pair) -> Iterator[Difference]:
    """Nodes; a parent with the same index is another one if other nodes have that index now."""
    nodes = pair.a.nodes, pair.b.nodes
    yield from differences.of_records(NODE, nodes, pair.nodes, pair.names, pair.rows.follows)
    parent = NODE.field("parent")
    is_stored = nodes[0]["parent"][pair.nodes.a] == nodes[1]["parent"][pair.nodes.b]
    differs = is_stored & ~pair.rows.follows(parent, nodes, pair.nodes)
    shown = [np.ma.masked_equal(side["parent"], NONE) for side in nodes]
    yield from differences.of_column(
        (NODE.name, "parent"), pair.nodes, differs, (shown[0], shown[1]), pair.names
    )
    tails = [model.payload(NODES)[model.nodes.nbytes :] for model in (pair.a, pair.b)]
    yield from differences.of_bytes(TABLES[NODES].tail, tails[0], tails[1])


def _of_strings(pair: _Pair) -> Iterator[Difference]:
    """Names or labels as texts, and the bytes after them; a label belongs to its node, as what it takes."""
    if pair.have_labels and pair.has_nodes:
        yield from _of_labels(pair)
    else:
        yield from _of_texts(pair)
    yield from differences.of_bytes(strings.TAIL, _behind_strings(pair.a), _behind_strings(pair.b))


def _of_labels(pair: _Pair) -> Iterator[Difference]:
    lengths = len(pair.a.strings), len(pair.b.strings)
    if lengths[0] - lengths[1] != len(pair.a.nodes) - len(pair.b.nodes):
        yield from differences.of_rows(strings.TABLE, by_index(*lengths))
    labels = [[label or None for label in model.node_takes(from_records=True)] for model in (pair.a, pair.b)]
    pairs = zip(pair.nodes.a.tolist(), pair.nodes.b.tolist(), strict=True)
    differs = np.array([labels[0][mine] != labels[1][other] for mine, other in pairs], np.bool_)
    yield from differences.of_column(
        (NODE.name, "takes"), pair.nodes, differs, (labels[0], labels[1]), pair.names
    )


def _of_texts(pair: _Pair) -> Iterator[Difference]:
    texts = [decode(text) for text in pair.a.strings], [decode(text) for text in pair.b.strings]
    lengths = len(texts[0]), len(texts[1])
    match = pair.nodes if pair.nodes.fits(*lengths) else by_index(*lengths)
    yield from differences.of_rows(strings.TABLE, match)
    pairs = zip(match.a.tolist(), match.b.tolist(), strict=True)
    differs = np.array([texts[0][mine] != texts[1][other] for mine, other in pairs], np.bool_)
    yield from differences.of_column((strings.TABLE, "text"), match, differs, texts)


def _behind_strings(model: Model) -> bytes:
    return strings.decode(model.payload(STRINGS), model.record_count).tail
