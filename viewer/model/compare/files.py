"""Differences between two files: by entry, by table, by field.

Nodes and entries are matched by name, then by index; other rows by index. Files with equal
fields but different bytes are compared by their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import FormatError, reading_from
from viewer.formats.archive import nres, rsli
from viewer.formats.msh import path_graph, strings
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import NAME_RECORDS, NODES, PATH_GRAPH, STRINGS, TABLES, Table
from viewer.formats.splice import same_bytes
from viewer.formats.text import decode, fold
from viewer.model.checks.containers import overlapping
from viewer.model.compare import differences
from viewer.model.compare.alignment import Match, NodeRows, RowMatches, by_index, by_name
from viewer.model.compare.differences import Difference, Names, of_parts
from viewer.model.compare.row_summary import has_owners, owners
from viewer.model.edit.neighbors.follow_nodes import KINDS as NUMBERING
from viewer.model.game.registry import MODEL_SUFFIX, stem_of
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import promised_kind, recognise
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import has_name_records
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.item import Item

RESOURCES: Final = "resources"


class _Pair(Struct, frozen=True):
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
    # By type, the first of one type with the first: the game finds tables by that and never looks at their
    # names.
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
        # Only the first entry of a type is read as a table, by the game too: others are bytes.
        if is_whole and entry.type_id == partner.type_id and a.archive.find_type(entry.type_id) == mine:
            yield from _of_resource(pair, entry, partner)
        elif is_whole and mine not in shared[0] and other not in shared[1]:
            data = a.archive.payload(mine), b.archive.payload(other)
            yield from differences.of_bytes(f"{RESOURCES}[{mine}]", *data)


def _of_resource(pair: _Pair, entry: nres.Entry, partner: nres.Entry) -> Iterator[Difference]:
    """Differences in the tables that models use: the first of each type."""
    before, after = pair.a.archive.payload(entry.index), pair.b.archive.payload(partner.index)
    table = TABLES.get(entry.type_id)
    # Before the bytes are compared: a parent's number that stays is another node where nodes were inserted
    # before it.
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
    # Numbers as text, as `by_name` takes names.
    return [str(entry.type_id) for entry in archive.entries]


def of_directories(table: str, a: nres.Archive, b: nres.Archive, match: Match) -> Iterator[Difference]:
    """Entries that exist in only one, whose order changed, or whose fields differ."""
    names = [entry.text for entry in a.entries], [entry.text for entry in b.entries]
    yield from differences.of_rows(table, match, names)
    yield from differences.of_order(table, match, names)
    rows = a.rows, b.rows
    # Not offsets, sizes and sort indices, which follow from payloads and names: they are told if nothing else
    # differs.
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
        texts = [decode(text) for text in pair.a.strings], [decode(text) for text in pair.b.strings]
        lengths = len(texts[0]), len(texts[1])
        match = pair.nodes if pair.nodes.fits(*lengths) else by_index(*lengths)
        yield from differences.of_rows(strings.TABLE, match)
        pairs = zip(match.a.tolist(), match.b.tolist(), strict=True)
        differs = np.array([texts[0][mine] != texts[1][other] for mine, other in pairs], np.bool_)
        yield from differences.of_column((strings.TABLE, "text"), match, differs, texts)
    yield from differences.of_bytes(strings.TAIL, _behind_strings(pair.a), _behind_strings(pair.b))


def _of_labels(pair: _Pair) -> Iterator[Difference]:
    lengths = len(pair.a.strings), len(pair.b.strings)
    if lengths[0] - lengths[1] != len(pair.a.nodes) - len(pair.b.nodes):
        yield from differences.of_rows(strings.TABLE, by_index(*lengths))
    labels = [
        [label or None for label in model.node_socket_tags(from_records=True)] for model in (pair.a, pair.b)
    ]
    pairs = zip(pair.nodes.a.tolist(), pair.nodes.b.tolist(), strict=True)
    differs = np.array([labels[0][mine] != labels[1][other] for mine, other in pairs], np.bool_)
    yield from differences.of_column(
        (NODE.name, "takes"), pair.nodes, differs, (labels[0], labels[1]), pair.names
    )


def _behind_strings(model: Model) -> bytes:
    return strings.decode(model.payload(STRINGS), model.record_count).tail


MAX_DEPTH: Final = 8
"""Depth of nested archives that are compared; deeper ones are compared byte by byte."""

_ENTRIES: Final = "entries"
# Without offset and packed size, which follow from the payloads.
_PACKED_FIELDS: Final = ("name", "service", "flags", "sort_to_original", "unpacked_size")


class ComparedPayload(Struct, frozen=True):
    """A payload of a pair: its kind, its bytes, its directory entry, and its name in errors."""

    kind: Kind
    data: memoryview
    entry: nres.Entry | None = None
    source: str = ""

    @classmethod
    def of(cls, item: Item) -> ComparedPayload:
        """The payload of an item."""
        return cls(promised_kind(item), item.data, item.nres_entry, str(item.address))

    def read(self) -> Any:
        """The decoded payload, None if its kind is not known; raises `FormatError` if it cannot be read."""
        with reading_from(self.source):
            return self.kind.decode(self.data, self.entry) if self.kind.is_known else None


def compare(
    a: ComparedPayload,
    b: ComparedPayload,
    requested: ReadingChoice = ReadingChoice.AUTO,
    depth: int = 0,
    nodes: NodeRows | None = None,
) -> Iterator[Difference]:
    """All differences; none if the bytes are equal.

    Raises `FormatError` if one of them cannot be read as its kind.

    Parameters
    ----------
    requested
        The reading that decides where nodes of models have their names.
    nodes
        The nodes of the model next to both; references to them are renumbered with them.
    """
    # Read even if the bytes are equal: two files that cannot be read are an error, not the same.
    contents = a.read(), b.read()
    if a.kind.id != b.kind.id:
        yield from differences.of_value("", "kind", a.kind.id, b.kind.id)
        return
    if same_bytes(a.data, b.data):
        return
    if depth < MAX_DEPTH:
        found = _of_contents(a, b, contents, requested, depth, nodes)
        # From fine to coarse: values, the layout of a container, bytes. Files that differ are never called
        # equal, even if the fields that are known are.
        yield from _first_of(found, _of_layout(contents), differences.of_bytes("", a.data, b.data))
    else:
        yield from differences.of_bytes("", a.data, b.data)


def _first_of(*attempts: Iterator[Difference]) -> Iterator[Difference]:
    """The results of the first attempt that has any."""
    for attempt in attempts:
        first = next(attempt, None)
        if first is not None:
            yield first
            yield from attempt
            return


def _of_contents(
    a: ComparedPayload,
    b: ComparedPayload,
    contents: tuple[Any, Any],
    requested: ReadingChoice,
    depth: int,
    nodes: NodeRows | None,
) -> Iterator[Difference]:
    """Differences of payloads of a kind, by what is known of it."""
    match contents:
        case Model() as before, Model() as after:
            yield from of_models(before, after, requested)
        case nres.Archive() as before, nres.Archive() as after:
            yield from _of_archives(before, after, requested, depth)
        case rsli.PackedLibrary() as before, rsli.PackedLibrary() as after:
            yield from _of_libraries(before, after, requested, depth)
        case before, after if a.kind.is_known:
            yield from of_parts(a.kind.parts(before), b.kind.parts(after), nodes=nodes)


def nodes_next_to(a: ComparedPayload, b: ComparedPayload, requested: ReadingChoice) -> NodeRows | None:
    """The nodes of two payloads, to be given with what numbers them; None if one is not a readable model."""
    try:
        models = a.read(), b.read()
    except FormatError:
        return None
    before, after = models
    if not isinstance(before, Model) or not isinstance(after, Model) or same_bytes(a.data, b.data):
        return None
    return NodeRows.of(before, after, requested)


def _of_layout(contents: tuple[Any, Any]) -> Iterator[Difference]:
    """Differences in the layout of containers with equal contents."""
    match contents:
        case Model() as before, Model() as after:
            yield from of_layout(RESOURCES, before.archive, after.archive)
        case nres.Archive() as before, nres.Archive() as after:
            yield from of_layout(_ENTRIES, before, after)


def _of_archives(
    a: nres.Archive, b: nres.Archive, requested: ReadingChoice, depth: int
) -> Iterator[Difference]:
    match = by_name(_folded(a), _folded(b))
    yield from of_directories(_ENTRIES, a, b, match)
    shared = overlapping(a), overlapping(b)
    for mine, other in zip(match.a.tolist(), match.b.tolist(), strict=True):
        entry, partner = a.entries[mine], b.entries[other]
        # Its bytes are those of another payload too, in which they are compared.
        if mine in shared[0] or other in shared[1]:
            yield from differences.of_value(
                f"{_ENTRIES}[{mine}]", "data_offset", entry.offset, partner.offset
            )
            yield from differences.of_value(f"{_ENTRIES}[{mine}]", "size", entry.size, partner.size)
        elif not (entry.is_damaged or partner.is_damaged):
            before, after = _side(entry, a.payload(mine)), _side(partner, b.payload(other))
            is_numbering = before.kind.id in NUMBERING and not same_bytes(before.data, after.data)
            nodes = _nodes_in(a, b, entry.name, requested) if is_numbering else None
            yield from _inside(_label(a, mine), before, after, requested, depth, nodes)


def _nodes_in(a: nres.Archive, b: nres.Archive, name: bytes, requested: ReadingChoice) -> NodeRows | None:
    """The nodes of the model of the same stem in two archives."""
    sides = []
    for archive in (a, b):
        index = archive.find(stem_of(name) + MODEL_SUFFIX)
        if index is None or archive.entries[index].is_damaged:
            return None
        sides.append(_side(archive.entries[index], archive.payload(index)))
    return nodes_next_to(sides[0], sides[1], requested)


def _folded(archive: nres.Archive) -> list[str]:
    return [decode(fold(entry.name)) for entry in archive.entries]


def _side(entry: nres.Entry | rsli.PackedEntry, data: memoryview) -> ComparedPayload:
    if isinstance(entry, nres.Entry):
        return ComparedPayload(recognise(entry.type_id, data, entry.name), data, entry)
    return ComparedPayload(recognise(0, data, entry.name), data)


def _inside(
    label: str,
    a: ComparedPayload,
    b: ComparedPayload,
    requested: ReadingChoice,
    depth: int,
    nodes: NodeRows | None = None,
) -> Iterator[Difference]:
    """Differences inside an entry; by its bytes if one of both cannot be read."""
    try:
        for change in compare(a, b, requested, depth + 1, nodes):
            yield replace(change, path=(label, *change.path))
    except FormatError:
        for change in differences.of_bytes("", a.data, b.data):
            yield replace(change, path=(label,))


def _label(container: nres.Archive | rsli.PackedLibrary, index: int) -> str:
    """An entry as written in an address."""
    entry = container.entries[index]
    # An address leads to the first entry of a name, and ``#3`` in one is an index: any other entry is called
    # by its number.
    is_name = entry.text and not entry.text.startswith("#") and container.find(entry.name) == index
    return entry.text if is_name else f"#{index}"


def _of_libraries(
    a: rsli.PackedLibrary, b: rsli.PackedLibrary, requested: ReadingChoice, depth: int
) -> Iterator[Difference]:
    """Packed libraries; members with different packing are compared unpacked."""
    headers = rsli.HEADER.view(a.data, count=1), rsli.HEADER.view(b.data, count=1)
    yield from differences.of_records(rsli.HEADER, headers, by_index(1, 1))
    yield from differences.of_value("trailer", "overlay", a.overlay, b.overlay)
    names = [entry.text for entry in a.entries], [entry.text for entry in b.entries]
    match = by_name(names[0], names[1])
    yield from differences.of_rows(_ENTRIES, match, names)
    yield from differences.of_order(_ENTRIES, match, names)
    rows = a.rows, b.rows
    for name in _PACKED_FIELDS:
        yield from differences.of_field(_ENTRIES, rsli.ENTRY.field(name), rows, match, names)
    for mine, other in zip(match.a.tolist(), match.b.tolist(), strict=True):
        yield from _of_members(a, b, (mine, other), requested, depth)


def _of_members(
    a: rsli.PackedLibrary, b: rsli.PackedLibrary, index: tuple[int, int], requested: ReadingChoice, depth: int
) -> Iterator[Difference]:
    """Differences of a member; none if the packed bytes are equal."""
    before, after = a.entries[index[0]], b.entries[index[1]]
    if before.available is None or after.available is None:
        return
    packed = a.packed(before.index), b.packed(after.index)
    # Equal bytes under another method or key are another payload.
    if (before.method, before.key) == (after.method, after.key) and same_bytes(*packed):
        return
    label = _label(a, before.index)
    try:
        data = memoryview(a.unpack(before.index).data), memoryview(b.unpack(after.index).data)
    except FormatError:
        yield from (replace(change, path=(label,)) for change in differences.of_bytes("packed", *packed))
    else:
        yield from _inside(label, _side(before, data[0]), _side(after, data[1]), requested, depth)
