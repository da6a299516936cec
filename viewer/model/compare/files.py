"""What differs between two files: entry by entry, table by table, field by field.

Nodes and entries are matched by name, then by index; other rows by index. Files with the same
fields and other bytes all the same are told apart by their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from viewer.errors import FormatError, reading_from
from viewer.formats import nres, rsli, texm
from viewer.formats.msh.tables import TABLES
from viewer.formats.record import Field, Record
from viewer.formats.text import decode, fold
from viewer.model.checks.containers import overlapping
from viewer.model.compare import differences
from viewer.model.compare.differences import Difference, same_bytes
from viewer.model.compare.matching import by_index, by_name
from viewer.model.compare.models import RESOURCES, of_directories, of_layout, of_models, of_table
from viewer.model.kinds.descriptions import describe
from viewer.model.kinds.registry import ARCHIVE, MODEL, PACKED, promised_kind, recognise
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.file_store import Item

MAX_DEPTH: Final = 8
"""Archives inside each other that are looked into; deeper ones are compared byte by byte."""

_ENTRIES: Final = "entries"
_TABLES: Final = {table.name: table for table in TABLES.values() if table.record}
_PACKED_FIELDS: Final = ("name", "service", "flags", "sort_to_original", "unpacked_size")


@dataclass(frozen=True, slots=True)
class ComparedPayload:
    """One of two payloads: what it is, its bytes, its directory entry, and what errors call it."""

    kind: str
    data: memoryview
    entry: nres.Entry | None = None
    source: str = ""

    @classmethod
    def of(cls, item: Item) -> ComparedPayload:
        """The payload that an address leads to."""
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        return cls(promised_kind(item).id, item.data, entry, str(item.address))

    def read(self) -> _Content:
        """What it holds, as far as its kind has fields; raises `FormatError` where that cannot be read."""
        with reading_from(self.source):
            if self.kind == MODEL.id:
                return Model.read(self.data)
            if self.kind == ARCHIVE.id:
                return nres.Archive.read(self.data)
            if self.kind == PACKED.id:
                return rsli.PackedLibrary.read(self.data)
            if self.kind == "texm":
                return texm.decode(self.data)
            return {} if self.kind in _TABLES else describe(self.kind, self.data, self.entry)


_Content = Model | nres.Archive | rsli.PackedLibrary | texm.Texture | dict[str, Any]


def compare(
    a: ComparedPayload, b: ComparedPayload, wanted: ReadingChoice = ReadingChoice.AUTO, depth: int = 0
) -> Iterator[Difference]:
    """Everything that differs; nothing where the bytes are the same.

    `wanted` is the reading that tells where the nodes of models have their names. Raises
    `FormatError` where one of them cannot be read as what it is.
    """
    contents = a.read(), b.read()
    if a.kind != b.kind:
        yield from differences.of_value("", "kind", a.kind, b.kind)
        return
    if same_bytes(a.data, b.data):
        return
    if depth < MAX_DEPTH:
        found = _of_contents(a, b, contents, wanted, depth)
        yield from _first_of(found, _of_layout(contents), differences.of_bytes("", a.data, b.data))
    else:
        yield from differences.of_bytes("", a.data, b.data)


def _first_of(*attempts: Iterator[Difference]) -> Iterator[Difference]:
    """What the first attempt finds that finds anything."""
    for attempt in attempts:
        first = next(attempt, None)
        if first is not None:
            yield first
            yield from attempt
            return


def _of_contents(
    a: ComparedPayload,
    b: ComparedPayload,
    contents: tuple[_Content, _Content],
    wanted: ReadingChoice,
    depth: int,
) -> Iterator[Difference]:
    """What differs as far as payloads of their kind have fields."""
    match contents:
        case Model() as before, Model() as after:
            yield from of_models(before, after, wanted)
        case nres.Archive() as before, nres.Archive() as after:
            yield from _of_archives(before, after, wanted, depth)
        case rsli.PackedLibrary() as before, rsli.PackedLibrary() as after:
            yield from _of_libraries(before, after, wanted, depth)
        case texm.Texture() as before, texm.Texture() as after:
            yield from differences.of_plain("", describe(a.kind, a.data), describe(b.kind, b.data))
            yield from _of_pixels(before, after)
        case dict() as before, dict() as after:
            yield from differences.of_plain("", before, after)
    if a.kind in _TABLES:
        yield from of_table(_TABLES[a.kind], a.data, b.data)


def _of_layout(contents: tuple[_Content, _Content]) -> Iterator[Difference]:
    """Where containers of the same contents keep them."""
    match contents:
        case Model() as before, Model() as after:
            yield from of_layout(RESOURCES, before.archive, after.archive)
        case nres.Archive() as before, nres.Archive() as after:
            yield from of_layout(_ENTRIES, before, after)


def _of_pixels(a: texm.Texture, b: texm.Texture) -> Iterator[Difference]:
    """Stored pixels of the levels that both have in the same size and format."""
    if a.format is not b.format:
        return
    pixel = Record("pixels", a.format.size, Field("bytes", "u1", "As they are stored.", (a.format.size,)))
    for index, (mine, other) in enumerate(zip(a.levels, b.levels, strict=False)):
        if (mine.width, mine.height) == (other.width, other.height):
            rows = pixel.view(mine.data), pixel.view(other.data)
            match = by_index(len(rows[0]), len(rows[1]))
            yield from differences.of_field(f"levels[{index}].pixels", pixel.fields[0], rows, match)


def _of_archives(a: nres.Archive, b: nres.Archive, wanted: ReadingChoice, depth: int) -> Iterator[Difference]:
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
            yield from _inside(_label(a, mine), before, after, wanted, depth)


def _folded(archive: nres.Archive) -> list[str]:
    return [decode(fold(entry.name)) for entry in archive.entries]


def _side(entry: nres.Entry | rsli.PackedEntry, data: memoryview) -> ComparedPayload:
    if isinstance(entry, nres.Entry):
        return ComparedPayload(recognise(entry.type_id, data, entry.name).id, data, entry)
    return ComparedPayload(recognise(0, data, entry.name).id, data)


def _inside(
    label: str, a: ComparedPayload, b: ComparedPayload, wanted: ReadingChoice, depth: int
) -> Iterator[Difference]:
    """What differs inside an entry; its bytes where one of both cannot be read."""
    try:
        for change in compare(a, b, wanted, depth + 1):
            yield replace(change, path=(label, *change.path))
    except FormatError:
        for change in differences.of_bytes("", a.data, b.data):
            yield replace(change, path=(label,))


def _label(container: nres.Archive | rsli.PackedLibrary, index: int) -> str:
    """An entry as an address calls it."""
    entry = container.entries[index]
    is_name = entry.text and not entry.text.startswith("#") and container.find(entry.name) == index
    return entry.text if is_name else f"#{index}"


def _of_libraries(
    a: rsli.PackedLibrary, b: rsli.PackedLibrary, wanted: ReadingChoice, depth: int
) -> Iterator[Difference]:
    """Packed libraries; a member that is stored in another way is compared by what comes out."""
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
        yield from _of_members(a, b, (mine, other), wanted, depth)


def _of_members(
    a: rsli.PackedLibrary, b: rsli.PackedLibrary, index: tuple[int, int], wanted: ReadingChoice, depth: int
) -> Iterator[Difference]:
    """What differs in a member; nothing where it is packed into the same bytes."""
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
        yield from _inside(label, _side(before, data[0]), _side(after, data[1]), wanted, depth)
