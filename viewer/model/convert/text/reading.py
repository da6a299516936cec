"""A resource from its text; archives with payloads in their places and a directory of them.

What follows from the rest may be left out, members of an object may come in any order, and rows may be added
and removed. Nothing else is guessed: what is missing, unknown or does not fit is an error with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from viewer.formats.archive import nres, rsli, rsli_edit
from viewer.formats.archive.nres import Entry
from viewer.formats.archive.xor_stream import transform
from viewer.formats.record import Bytes, Record, Rows
from viewer.formats.text import until_nul
from viewer.model.convert.text import places, records
from viewer.model.convert.text.places import JsonFault, Path
from viewer.model.convert.text.values import KIND
from viewer.model.convert.text.writing import (
    BYTES,
    CONTAINER,
    ENTRIES,
    ENTRY,
    FORMAT,
    LAYOUT,
    MOST_NESTED,
    PAD,
    STREAM,
    TAIL,
    TEXT,
    TRAILER,
    VERSION,
    Token,
    derived_attributes,
    node_count,
    type_of,
    usual_area,
)
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, MODEL, PACKED, by_id
from viewer.translation import _

_HEAD: Final = ("format", "version", ENTRY)
_MOST: Final = 0xFFFFFFFF
_ATTRIBUTES: Final = ("attr1", "attr2", "attr3")
_NAME: Final = nres.ENTRY.field("name")
_DESCRIBED: Final = ("type", "name", *_ATTRIBUTES)
_STORED: Final = (*_DESCRIBED, "sort_index", "data_offset", "size")
_PACKED_FIELDS: Final = tuple(it.name for it in rsli.ENTRY.fields)


class Resource(Struct, frozen=True):
    """A resource that was read from a text, with what the directory of its archive said of it."""

    kind: Kind
    data: bytes
    entry: Entry | None = None


def bytes_of(text: Bytes, source: str = "") -> bytes:
    """The bytes of the resource in a text; raises `FormatError` with line, column and JSON path."""
    return resource_of(text, source).data


def resource_of(text: Bytes, source: str = "") -> Resource:
    """The resource in a text; raises `FormatError` with line, column and JSON path."""
    decoded, value = places.parse(text, source)
    try:
        return _resource(value)
    except JsonFault as fault:
        raise places.located(decoded, fault, source) from None


def _resource(value: Any) -> Resource:
    found = records.object_at(value, ())
    for name, expected in (("format", FORMAT), ("version", VERSION)):
        given = records.require(found, name, ())
        if given != expected:
            raise JsonFault(
                (name,), "{given} is not {expected}", given=places.short(given), expected=expected
            )
    entry = entry_of(found[ENTRY], (ENTRY,)) if ENTRY in found else None
    rest = {name: it for name, it in found.items() if name not in _HEAD}
    data = payload_of(rest, (), entry, MOST_NESTED + 1)
    if entry is not None:
        entry = completed(found[ENTRY], (ENTRY,), entry, len(data))
    return Resource(by_id(found[KIND]), data, entry)


def payload_of(
    value: Mapping[str, Any], path: Path, entry: Entry | None, depth: int, others: Sequence[str] = ()
) -> bytes:
    """The bytes of the object of a resource; raises `JsonFault`.

    Parameters
    ----------
    entry
        Its directory entry; of a file None.
    depth
        How many archives may be in each other.
    others
        Members of the object that are not parts.
    """
    kind = records.text_at(records.require(value, KIND, path), (*path, KIND))
    known = (KIND, *others)
    if BYTES in value:
        records.refuse_unknown(value, (BYTES, *known), path)
        return records.hexadecimal(value[BYTES], (*path, BYTES))
    if TEXT in value:
        records.refuse_unknown(value, (TEXT, *known), path)
        return records.plain_text(value[TEXT], (*path, TEXT))
    if kind in READERS:
        if not depth:
            raise JsonFault(path, "more than {most} archives in each other", most=MOST_NESTED)
        return READERS[kind](value, path, depth - 1, known)
    known_kind = by_id(kind)
    layout = known_kind.layout(entry)
    if layout is None:
        words = "{kind} has no parts; its {bytes} or its {text} are missing"
        raise JsonFault((*path, KIND), words, kind=places.short(kind), bytes=BYTES, text=TEXT)
    stated = () if known_kind.is_table else known_kind.stated(entry)
    return b"".join(records.parts_bytes(layout, value, path, layout.known(stated), known))


def entry_of(value: Any, path: Path) -> Entry:
    """The entry that a directory states; attributes that are left out are 0; raises `JsonFault`."""
    found = records.object_at(value, path)
    records.refuse_unknown(found, _DESCRIBED, path)
    return _entry(found, path)


def _entry(found: Mapping[str, Any], path: Path) -> Entry:
    type_id = _type(records.require(found, "type", path), (*path, "type"))
    name = records.field_bytes(_NAME, records.require(found, "name", path), (*path, "name"))
    attr1, attr2, attr3 = (_number(found, name, path) if name in found else 0 for name in _ATTRIBUTES)
    return Entry(0, type_id, attr1, attr2, 0, attr3, name, 0, 0)


def _number(found: Mapping[str, Any], name: str, path: Path) -> int:
    return records.whole_number(records.require(found, name, path), _MOST, (*path, name))


def _type(value: Any, path: Path) -> int:
    """A type id: a number, or its letters."""
    # Letters of a type are a number with the first letter lowest: "MAT0" is 0x3054414D.
    if isinstance(value, str) and value[:2] != "0x":
        number = type_of(value)
        if number is None:
            raise records.wrong(path, value, "the two to four letters of a type")
        return number
    return records.whole_number(value, _MOST, path)


def completed(
    value: Mapping[str, Any], path: Path, entry: Entry, size: int, nodes: int | None = None
) -> Entry:
    """An entry with the attributes that follow from the size of its payload; raises `JsonFault`."""
    derived = derived_attributes(entry.type_id, size, nodes)
    for name in _ATTRIBUTES:
        if name not in value and name not in derived:
            raise JsonFault(path, "{name} is missing", name=name)
    attr1, attr2, attr3 = (getattr(entry, name) if name in value else derived[name] for name in _ATTRIBUTES)
    return entry._replace(size=size, attr1=attr1, attr2=attr2, attr3=attr3)


def _nres(value: Mapping[str, Any], path: Path, depth: int, others: Sequence[str]) -> bytes:
    records.refuse_unknown(value, (ENTRIES, LAYOUT, TAIL, *others), path)
    listed = records.list_at(records.require(value, ENTRIES, path), (*path, ENTRIES))
    entries: list[Entry] = []
    payloads: dict[int, bytes] = {}
    for index, it in enumerate(listed):
        where = (*path, ENTRIES, index)
        found = records.object_at(it, where)
        entry = _entry(found, where)._replace(index=index)
        if KIND in found:
            payloads[index] = payload_of(found, where, entry, depth, _STORED)
        else:
            records.refuse_unknown(found, _STORED, where)
            entry = entry._replace(
                size=_number(found, "size", where), offset=_number(found, "data_offset", where)
            )
        entries.append(entry)
    out = bytearray(nres.HEADER.size)
    offsets = _area(out, value, path, payloads, nres.ALIGNMENT)
    out_rows = _directory(listed, (*path, ENTRIES), entries, payloads, offsets)
    tail = records.hexadecimal(value[TAIL], (*path, TAIL)) if TAIL in value else b""
    # The directory of an NRes is at its end, and the header says where: what follows it is the tail.
    return nres.close(out, out_rows) + tail


def _area(
    out: bytearray, value: Mapping[str, Any], path: Path, stored: Mapping[int, bytes], alignment: int
) -> dict[int, int]:
    """The offset of each payload, added to the start of an archive with the bytes between them."""
    sizes = {index: len(payload) for index, payload in stored.items()}
    tokens = _tokens(value, path, stored) if LAYOUT in value else usual_area(stored, sizes, alignment)
    offsets: dict[int, int] = {}
    for token in tokens:
        if token == PAD:
            # -13 % 8 is 3: up to the next multiple, and nothing at one.
            out += bytes(-len(out) % alignment)
        elif isinstance(token, int):
            offsets[token] = len(out)
            out += stored[token]
        else:
            out += bytes.fromhex(token)
    if len(out) > _MOST:
        raise JsonFault(path, "{size} bytes exceed {limit}", size=len(out), limit=_MOST)
    return offsets


def _tokens(value: Mapping[str, Any], path: Path, stored: Mapping[int, bytes]) -> list[Token]:
    """The data area as it is written down; raises `JsonFault` unless it has each payload once."""
    path = (*path, LAYOUT)
    found: list[Token] = []
    missing = {*stored}
    for index, token in enumerate(records.list_at(value[LAYOUT], path)):
        where = (*path, index)
        if isinstance(token, str):
            found.append(token if token == PAD else records.hexadecimal(token, where).hex())
            continue
        number = records.whole_number(token, _MOST, where)
        if number not in missing:
            problem = "is there twice" if number in stored else "has no payload"
            raise JsonFault(where, "entry {index} {problem}", index=number, problem=_(problem))
        missing.remove(number)
        found.append(number)
    if missing:
        raise JsonFault(path, "entry {index} is missing", index=min(missing))
    return found


def _directory(
    listed: Sequence[Mapping[str, Any]],
    path: Path,
    entries: Sequence[Entry],
    payloads: Mapping[int, bytes],
    offsets: Mapping[int, int],
) -> Rows:
    """The directory of an archive."""
    types, strides = [it.type_id for it in entries], [it.attr3 for it in entries]
    # Without a payload of its own an entry says offset and size itself: it shares bytes with others, or lies
    # outside.
    sizes = [len(payloads[index]) if index in payloads else None for index in range(len(entries))]
    nodes = node_count(types, sizes, strides)
    order = nres.sort_order([it.name for it in entries])
    rows = nres.ENTRY.new(len(entries))
    for index, (found, entry) in enumerate(zip(listed, entries, strict=True)):
        where = (*path, index)
        size = sizes[index]
        made = entry
        if size is None:
            for name in _ATTRIBUTES:
                records.require(found, name, where)
        else:
            made = completed(found, where, entry, size, nodes)
        sort_index = _number(found, "sort_index", where) if "sort_index" in found else order[index]
        start = _number(found, "data_offset", where) if "data_offset" in found else offsets[index]
        stated = _number(found, "size", where) if "size" in found else made.size
        rows[index] = (
            made.type_id, made.attr1, made.attr2, stated, made.attr3, made.name_raw, start, sort_index
        )  # fmt: skip
    return rows


def _rsli(value: Mapping[str, Any], path: Path, depth: int, others: Sequence[str]) -> bytes:
    records.refuse_unknown(value, (CONTAINER, ENTRIES, LAYOUT, TRAILER, *others), path)
    listed = records.list_at(records.require(value, ENTRIES, path), (*path, ENTRIES))
    header = _record(rsli.HEADER, value, CONTAINER, path, entry_count=len(listed))
    trailer = _record(rsli.TRAILER, value, TRAILER, path) if TRAILER in value else b""
    rows, contents = _packed_rows(listed, (*path, ENTRIES), depth)
    # Element i of the sort table is also the key of payload i: if it is not marked as valid, the game makes
    # it anew by sorting (spec/rsli.md 1).
    keys = _keys(rows, is_presorted=rsli.HEADER.read(header)["presorted"] == rsli.PRESORTED)
    places = {index: (*path, ENTRIES, index) for index in contents}
    streams = {
        index: _stream(content, places[index], listed[index], int(rows["flags"][index]), keys[index])
        for index, content in contents.items()
    }
    out = bytearray(rsli.HEADER.size + rows.nbytes)
    offsets = _area(out, value, path, streams, 1)
    overlay = int(rsli.TRAILER.read(trailer)["overlay"]) if trailer else 0
    # An overlay beyond the end says nothing about where payloads are.
    if overlay > len(out) + len(trailer):
        overlay = 0
    for index, stream in streams.items():
        derived = {"packed_size": len(stream), "data_offset": offsets[index] - overlay}
        for name, number in derived.items():
            if name not in listed[index]:
                rows[name][index] = records.whole_number(number, _MOST, (*places[index], name))
    seed = int(rsli.HEADER.read(header)["xor_seed"])
    # Last of all, as offsets and sizes of payloads are in the directory, which is one stream of key bytes
    # (spec/rsli.md 2).
    out[: rsli.HEADER.size + rows.nbytes] = header + transform(rows.tobytes(), seed)
    return bytes(out) + trailer


def _record(record: Record, value: Mapping[str, Any], name: str, path: Path, **derived: int) -> bytes:
    """A single record of an archive; raises `JsonFault`."""
    where = (*path, name)
    found = records.object_at(records.require(value, name, path), where)
    return records.one(record, {**derived, **found}, where)


def _packed_rows(listed: Sequence[Any], path: Path, depth: int) -> tuple[Rows, dict[int, bytes | None]]:
    """The directory of a packed library but for what follows from payloads; and these, None for a stream."""
    rows = rsli.ENTRY.new(len(listed))
    contents: dict[int, bytes | None] = {}
    names = [_packed_name(it, (*path, index)) for index, it in enumerate(listed)]
    order = sorted(range(len(names)), key=names.__getitem__)
    for index, found in enumerate(listed):
        where = (*path, index)
        derived = {"sort_to_original": order[index]}
        if KIND in found:
            contents[index] = content = payload_of(found, where, None, depth, (*_PACKED_FIELDS, STREAM))
            derived["unpacked_size"] = len(content)
        else:
            records.refuse_unknown(found, (*_PACKED_FIELDS, STREAM), where)
            if STREAM in found:
                contents[index] = None
        if index in contents:
            derived |= {"data_offset": 0, "packed_size": 0}
        fields = {name: it for name, it in found.items() if name in _PACKED_FIELDS}
        # What is written down comes last and so wins over what would follow.
        rows[index] = rsli.ENTRY.view(records.one(rsli.ENTRY, {**derived, **fields}, where))[0]
    return rows, contents


def _packed_name(value: Any, path: Path) -> bytes:
    """The name of a packed entry; raises `JsonFault`."""
    given = records.require(records.object_at(value, path), "name", path)
    return until_nul(records.field_bytes(rsli.ENTRY.field("name"), given, (*path, "name")))


def _keys(rows: Rows, *, is_presorted: bool) -> list[int]:
    """The keys of payloads: as stored, or in the order of names."""
    if is_presorted:
        stored: list[int] = rows["sort_to_original"].tolist()
        return stored
    names = [until_nul(it) for it in rows["name"].tolist()]
    return sorted(range(len(names)), key=names.__getitem__)


def _stream(content: bytes | None, path: Path, found: Mapping[str, Any], flags: int, key: int) -> bytes:
    """The stored bytes of an entry: as written down if they unpack to the payload, else packed again."""
    stored = records.hexadecimal(found[STREAM], (*path, STREAM)) if STREAM in found else None
    if content is None:
        return stored or b""
    method = flags & rsli.METHOD_MASK
    if stored is not None and (
        method in rsli.METHODS and rsli.unpacked(stored, method, key, len(content))[: len(content)] == content
    ):
        return stored
    try:
        return rsli_edit.pack(content, method, key)
    except KeyError:
        name = rsli.METHODS.get(method, f"{method:#05x}")
        words = "nothing is packed with the method {name}; flags 0 stores it unpacked"
        raise JsonFault((*path, "flags"), words, name=name) from None


READERS: Final[Mapping[str, Callable[[Mapping[str, Any], Path, int, Sequence[str]], bytes]]] = {
    MODEL.id: _nres,
    ARCHIVE.id: _nres,
    PACKED.id: _rsli,
}
"""The readers of archives by kind: of the object, path, depth left, and members that are not parts."""
