"""Differences between two files: by entry, by table, by field.

Nodes and entries are matched by name, then by index; other rows by index. Files with equal
fields but different bytes are compared by their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from viewer.errors import FormatError, reading_from
from viewer.formats.archive import nres, rsli
from viewer.formats.text import decode, fold
from viewer.model.checks.containers import overlapping
from viewer.model.compare import differences
from viewer.model.compare.alignment import NodeRows, by_index, by_name
from viewer.model.compare.differences import Difference, of_parts, same_bytes
from viewer.model.compare.models import RESOURCES, of_directories, of_layout, of_models
from viewer.model.edit.neighbors.follow_nodes import KINDS as NUMBERING
from viewer.model.game.registry import MODEL_SUFFIX, stem_of
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import promised_kind, recognise
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.file_store import Item

MAX_DEPTH: Final = 8
"""Depth of nested archives that are compared; deeper ones are compared byte by byte."""

_ENTRIES: Final = "entries"
_PACKED_FIELDS: Final = ("name", "service", "flags", "sort_to_original", "unpacked_size")


@dataclass(frozen=True, slots=True)
class ComparedPayload:
    """One of two payloads: its kind, its bytes, its directory entry, and its name in errors."""

    kind: Kind
    data: memoryview
    entry: nres.Entry | None = None
    source: str = ""

    @classmethod
    def of(cls, item: Item) -> ComparedPayload:
        """The payload of an item."""
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        return cls(promised_kind(item), item.data, entry, str(item.address))

    def read(self) -> Any:
        """What it holds, None if nothing is known of its kind; raises `FormatError` if it cannot be read."""
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
    contents = a.read(), b.read()
    if a.kind.id != b.kind.id:
        yield from differences.of_value("", "kind", a.kind.id, b.kind.id)
        return
    if same_bytes(a.data, b.data):
        return
    if depth < MAX_DEPTH:
        found = _of_contents(a, b, contents, requested, depth, nodes)
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
    """What differs in payloads of one kind, by what is known of it."""
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
    if (before.method, before.key) == (after.method, after.key) and same_bytes(*packed):
        return
    label = _label(a, before.index)
    try:
        data = memoryview(a.unpack(before.index).data), memoryview(b.unpack(after.index).data)
    except FormatError:
        yield from (replace(change, path=(label,)) for change in differences.of_bytes("packed", *packed))
    else:
        yield from _inside(label, _side(before, data[0]), _side(after, data[1]), requested, depth)
