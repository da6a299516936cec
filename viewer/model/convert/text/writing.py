"""A resource as text: every byte of it, one row of a table a line, payloads in the entries of archives.

What follows from the rest is left out: offsets and sizes of payloads, sort indices, attributes of the tables
of models, and a usual data area: payloads in the order of the directory, in an `nres.Archive` each followed
by zeros up to the next multiple of 8. Others are a list: the number of an entry is its payload, `PAD` such
zeros, and any other text bytes as hexadecimal digits.

Source: spec/msh.md 13.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np

from viewer.errors import FormatError
from viewer.formats.archive import nres, rsli, rsli_edit
from viewer.formats.archive.nres import Archive, Entry
from viewer.formats.archive.rsli import PackedEntry, PackedLibrary
from viewer.formats.archive.stretches import Stretches
from viewer.formats.msh.nodes import LEGACY_SIZE, NODE
from viewer.formats.msh.tables import DERIVED, FRAME_MAP, NODES, REQUIRED, STRINGS, attributes
from viewer.formats.record import Bytes, Record
from viewer.formats.text import is_text, until_nul
from viewer.model.convert.text import values
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, MODEL, PACKED, letters_of, recognise
from viewer.model.store.item import container_of

FORMAT: Final = "mshview-resource"
VERSION: Final = 1
BYTES: Final = "bytes"
TEXT: Final = "text"
ENTRY: Final = "entry"
MOST_NESTED: Final = 8
"""Archives inside each other that are taken apart; the payloads of deeper ones are bytes."""
CONTAINERS: Final = frozenset({MODEL.id, ARCHIVE.id, PACKED.id})
"""The kinds that are archives; a model is one of tables."""
ENTRIES: Final = "entries"
LAYOUT: Final = "layout"
TAIL: Final = "tail"
CONTAINER: Final = "container"
TRAILER: Final = "trailer"
STREAM: Final = "packed"
"""The packed payload of an entry, from which the payload cannot be packed again with the same bytes."""
GROWTH: Final = 4
LEAST_ROOM: Final = 64 << 20
"""Payloads of a packed library are taken apart up to this size together, and `GROWTH` times the library."""
PAD: Final = "pad"
Token = int | str


def text_of(kind: Kind, data: Bytes, entry: Entry | PackedEntry | None = None) -> Iterator[str]:
    """The text of a resource piece by piece.

    Parameters
    ----------
    kind
        What the bytes are read as; what cannot be read as that is hexadecimal.
    data
        Its bytes.
    entry
        What the directory of its archive says of it.
    """
    view = memoryview(data).cast("B")
    head = [values.fixed("format", values.quoted(FORMAT)), values.fixed("version", str(VERSION))]
    if isinstance(entry, Entry):
        head.append(values.fixed(ENTRY, described(entry, len(view))))
    stated = entry if isinstance(entry, Entry) else None
    yield from values.write_object("", "", [*head, *members(kind, view, stated, MOST_NESTED)])
    yield "\n"


def members(kind: Kind, data: memoryview, entry: Entry | None, depth: int) -> list[values.JsonMember]:
    """The members of the object of a resource: its kind and its parts, or its bytes."""
    head = values.fixed(values.KIND, values.quoted(kind.id))
    try:
        if kind.id in CONTAINERS and depth:
            return [head, *_archive(data, depth - 1)]
        layout = kind.layout(entry)
        if layout is not None:
            return [head, *values.part_members(layout, kind.parts(kind.decode(data, entry)).children)]
    except FormatError:
        pass
    if is_text(data):
        return [head, values.JsonMember(TEXT, lambda indent: values.text_lines(bytes(data), indent))]
    return [head, values.block(BYTES, data)]


def _archive(data: memoryview, depth: int) -> Iterator[values.JsonMember]:
    """The members of an archive; raises `FormatError` before the first if it cannot be read."""
    found = container_of(data)
    if found is None:
        raise FormatError("is not an archive")
    return _nres(found, depth) if isinstance(found, Archive) else _rsli(found, depth)


def type_text(type_id: int) -> str:
    """A type id as JSON: its letters, or the number."""
    letters = letters_of(type_id)
    # A number such as 13 has letters that do not give it back.
    return str(type_id) if type_of(letters) != type_id else values.quoted(letters)


def type_of(letters: str) -> int | None:
    """The type id with these letters, None if they are none."""
    is_short = 1 < len(letters) <= 4 and letters.isascii() and not letters.isdecimal()
    return int.from_bytes(letters.encode().ljust(4, b"\0"), "little") if is_short else None


def described(entry: Entry, size: int) -> str:
    """The members that the directory has of an entry, on its own, as JSON."""
    numbers = (entry.type_id, entry.attr1, entry.attr2, entry.attr3)
    return "{" + _described(numbers, entry.name_raw, derived_attributes(entry.type_id, size, None)) + "}"


def _described(numbers: Sequence[int], name: bytes, derived: Mapping[str, int]) -> str:
    type_id, *attributes = numbers
    found = {"type": type_text(type_id), "name": values.padded_text(name)}
    for field, value in zip(("attr1", "attr2", "attr3"), attributes, strict=True):
        if derived.get(field) != value:
            found[field] = str(value)
    return ", ".join(f'"{name}": {text}' for name, text in found.items())


def _nres(archive: Archive, depth: int) -> Iterator[values.JsonMember]:
    rows = archive.rows
    offsets, sizes = rows["data_offset"].tolist(), rows["size"].tolist()
    entries = partial(_nres_entries, archive, depth)
    yield from _entries(archive.data, nres.stretches(archive), offsets, sizes, nres.ALIGNMENT, entries)
    if len(archive.data) > archive.total_size:
        yield values.block(TAIL, archive.data[archive.total_size :])


def _entries(
    data: memoryview,
    found: Stretches,
    offsets: Sequence[int],
    sizes: Sequence[int],
    alignment: int,
    texts_of: Callable[[frozenset[int], str], Iterator[Iterator[str]]],
) -> Iterator[values.JsonMember]:
    """The entries of an archive, whose texts are made of those that are whole, and its data area."""
    whole = whole_entries(found, offsets, sizes)
    yield values.JsonMember(ENTRIES, lambda indent: values.write_list(indent, texts_of(whole, indent + " ")))
    tokens = [*area_tokens(data, found, whole, alignment)]
    if tokens != usual_area(whole, sizes, alignment):
        texts = [f'"{it}"' if isinstance(it, str) else str(it) for it in tokens]
        yield values.JsonMember(LAYOUT, lambda indent: values.write_lines(indent, [texts] if texts else []))


def _nres_entries(
    archive: Archive, depth: int, whole: frozenset[int], indent: str
) -> Iterator[Iterator[str]]:
    rows = archive.rows
    types, strides = rows["type_id"].tolist(), rows["attr3"].tolist()
    sizes = [size if index in whole else None for index, size in enumerate(rows["size"].tolist())]
    nodes = node_count(types, sizes, strides)
    names = [until_nul(it) for it in rows["name"].tolist()]
    is_sorted = nres.sort_order(names) == rows["sort_index"].tolist()
    for index in range(len(rows)):
        entry = archive.entry(index)
        size = sizes[index]
        derived = {} if size is None else derived_attributes(entry.type_id, size, nodes)
        numbers = (entry.type_id, entry.attr1, entry.attr2, entry.attr3)
        head = _described(numbers, entry.name_raw, derived)
        if not is_sorted:
            head += f', "sort_index": {entry.sort_index}'
        if size is None:
            # Bytes that two entries share, or that are not there, cannot stand in one of them: they are part
            # of the layout.
            yield iter(("{" + head + f', "data_offset": {entry.offset}, "size": {entry.size}}}',))
            continue
        if entry.type_id == STRINGS and nodes:
            entry = entry._replace(attr1=nodes)
        yield values.write_object(indent, head, _payload(archive.payload(index), entry, depth))


def _payload(data: memoryview, entry: Entry, depth: int) -> Iterator[values.JsonMember]:
    kind = recognise(entry.type_id, data, entry.name, partial(container_of, data))
    yield from members(kind, data, entry, depth)


def _rsli(archive: PackedLibrary, depth: int) -> Iterator[values.JsonMember]:
    yield values.fixed(CONTAINER, _record(rsli.HEADER, archive.header, {"entry_count"}))
    offsets = [it.offset for it in archive.entries]
    sizes = [-1 if it.available is None else it.available for it in archive.entries]
    entries = partial(_rsli_entries, archive, depth)
    yield from _entries(archive.data, rsli.stretches(archive), offsets, sizes, 1, entries)
    if archive.trailer is not None:
        yield values.fixed(TRAILER, _record(rsli.TRAILER, archive.trailer))


def _record(record: Record, row: np.void, without: Collection[str] = ()) -> str:
    return next(iter(values.objects(record, np.atleast_1d(np.asarray(row)), without)))


def _rsli_entries(
    archive: PackedLibrary, depth: int, whole: frozenset[int], indent: str
) -> Iterator[Iterator[str]]:
    names = [it.name for it in archive.entries]
    order = sorted(range(len(names)), key=names.__getitem__)
    # What follows from the names is left out of the JSON; a stored order of another kind is written.
    usual = {"sort_to_original"} if order == archive.rows["sort_to_original"].tolist() else set()
    room = LEAST_ROOM + GROWTH * len(archive.data)
    for entry in archive.entries:
        row = archive.rows[entry.index]
        if entry.index not in whole:
            yield iter((_record(rsli.ENTRY, row, usual),))
            continue
        stored = bytes(archive.packed(entry.index))
        # A small library may claim to unpack to gigabytes.
        room -= entry.unpacked_size
        data = _unpacked(archive, entry) if room >= 0 else None
        left_out = usual | {"data_offset"}
        if int(row["packed_size"]) == len(stored):
            left_out.add("packed_size")
        if data is not None and int(row["unpacked_size"]) == len(data):
            left_out.add("unpacked_size")
        head = _record(rsli.ENTRY, row, left_out)[1:-1]
        yield values.write_object(indent, head, _stream(entry, stored, data, depth))


def _unpacked(archive: PackedLibrary, entry: PackedEntry) -> bytes | None:
    """The payload of an entry, None if it cannot be unpacked."""
    try:
        return bytes(archive.unpack(entry.index).data)
    except FormatError:
        return None


def _stream(entry: PackedEntry, stored: bytes, data: bytes | None, depth: int) -> Iterator[values.JsonMember]:
    """The payload of a packed entry, and what it was unpacked from unless that follows from it."""
    if data is None or packed(data, entry.method, entry.key) != stored:
        yield values.block(STREAM, stored)
    if data is not None:
        view = memoryview(data)
        kind = recognise(0, view, entry.name, partial(container_of, view))
        yield from members(kind, view, None, depth)


def packed(data: bytes, method: int, key: int) -> bytes | None:
    """The stored bytes of a payload; None if they do not follow from it."""
    # Of the methods that pack, many streams unpack to one payload: which one a packer of the game made is not
    # known.
    return rsli_edit.pack(data, method, key) if method in (0, rsli.XOR) else None


def whole_entries(found: Stretches, offsets: Sequence[int], sizes: Sequence[int]) -> frozenset[int]:
    """The entries whose payloads share no byte with others and lie in the area.

    `offsets` and `sizes` are those of all entries.
    """
    spans = ((found.owner(index), *found.span(index)) for index in range(len(found)))
    return frozenset(
        owner
        for owner, start, end in spans
        if owner is not None and (start, end) == (offsets[owner], offsets[owner] + sizes[owner])
    )


def area_tokens(
    data: memoryview, found: Stretches, entries: Collection[int], alignment: int
) -> Iterator[Token]:
    """The area of an archive; `entries` are those whose payloads are whole."""
    for index in range(len(found)):
        owner = found.owner(index)
        start, end = found.span(index)
        if owner in entries and owner is not None:
            yield owner
        # Zeros up to the next multiple of the alignment, and no further.
        elif end - start == -start % alignment and not any(data[start:end]):
            yield PAD
        elif end > start:
            yield data[start:end].hex()


def usual_area(
    entries: Collection[int], sizes: Sequence[int] | Mapping[int, int], alignment: int
) -> list[Token]:
    """The usual area."""
    found: list[Token] = []
    for index in sorted(entries):
        found.append(index)
        if sizes[index] % alignment:
            found.append(PAD)
    return found


def node_count(types: Sequence[int], sizes: Sequence[int | None], strides: Sequence[int]) -> int:
    """The number of nodes in the tables of a model.

    Parameters
    ----------
    types, sizes, strides
        Type, size of the payload (None if it cannot be read) and third attribute of each entry.
    """
    index = types.index(NODES) if NODES in types else None
    size = None if index is None else sizes[index]
    if index is None or size is None:
        return 0
    is_legacy = strides[index] == LEGACY_SIZE and {*types} >= REQUIRED
    return size // (LEGACY_SIZE if is_legacy else NODE.size)


def derived_attributes(type_id: int, size: int, nodes: int | None) -> dict[str, int]:
    """The attributes of a table that follow from its size and, if it is known, the number of nodes."""
    if type_id not in DERIVED:
        return {}
    # Two of them do not follow from a size: the frames of Res19, and the nodes of Res10 if they are unknown
    # (spec/msh.md 1). They are taken out again.
    attr1, attr2, attr3 = attributes(type_id, size, node_count=nodes or 0, frame_count=0)
    found = {"attr1": attr1, "attr2": attr2, "attr3": attr3}
    unknown = {FRAME_MAP: "attr2", STRINGS: "attr1" if nodes is None else ""}.get(type_id, "")
    found.pop(unknown, None)
    return found
