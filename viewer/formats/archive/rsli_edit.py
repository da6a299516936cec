"""Replacing and renaming members of a packed library without changing the others.

Header, service bytes, order, gaps, packed streams and trailer are copied. A new payload keeps the
method of the old one, except adaptive Huffman, which is never written: it is stored unpacked. A new name
changes the sort table, so the keys of payloads, which are encrypted again.

Source: spec/rsli.md 6.
Status: inferred.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Final

from viewer.errors import FormatError
from viewer.formats import splice
from viewer.formats.archive import lzss, rsli
from viewer.formats.archive.xor_stream import transform
from viewer.formats.findings import Rule
from viewer.formats.record import Bytes, Rows
from viewer.formats.splice import Splice, Splices, same_bytes
from viewer.formats.text import until_nul
from viewer.translation import Text, _

LZSS: Final = 0x040
NAME_SIZE: Final = rsli.ENTRY.field("name").size
MOST_BYTES: Final = 0xFFFFFFFF
"""Largest size and offset that the fields hold."""


def rewrite(archive: rsli.PackedLibrary, payloads: Mapping[int, Bytes], method: int | None = None) -> bytes:
    """The library with some payloads replaced; raises like `replaced`."""
    return splice.applied(archive.data, replaced(archive, payloads, method))


def replaced(
    archive: rsli.PackedLibrary, payloads: Mapping[int, Bytes], method: int | None = None
) -> Splices:
    """Splices that replace payloads; none for one that is equal.

    `method` is another method for the changed ones. Damaged entries move with their first bytes. Raises
    `FormatError` if stored payloads that have to move overlap or are outside the file, if the library becomes
    too large, or if a damaged entry or the overlay would be read as something new.
    """
    changed = {
        index: bytes(payload) for index, payload in payloads.items() if _differs(archive, index, payload)
    }
    if not changed:
        return ()
    methods = {index: _method(archive.entries[index], method) for index in changed}
    packed = {
        index: pack(payload, methods[index], archive.entries[index].key) for index, payload in changed.items()
    }
    made, offsets = _data_area(archive, packed)
    size = len(archive.data) + splice.growth(made)
    if size > MOST_BYTES:
        rule = Rule("", rsli.ENTRY.name, "data_offset")
        raise rule.failure("{size} bytes, at most {limit} fit", size=size, limit=MOST_BYTES)
    rows = archive.rows.copy()
    for index, offset in (offsets | _damaged_offsets(archive, made)).items():
        # The reader adds the overlay to every stored offset.
        rows[index]["data_offset"] = offset - archive.overlay
    for index, payload in changed.items():
        rows[index]["packed_size"] = len(packed[index])
        rows[index]["unpacked_size"] = len(payload)
        # The other bits of the word have no known meaning, and stay.
        rows[index]["flags"] = archive.entries[index].flags & ~rsli.METHOD_MASK | methods[index]
    found = splice.ordered((*_directory(archive, rows), *made))
    _refuse_invented(archive, found, packed)
    return found


def renamed(archive: rsli.PackedLibrary, index: int, name: bytes) -> Splices:
    """Splices that give an entry another name, 1 to 12 bytes that are not NUL.

    A stored sort table that is wrong stays. Raises `ValueError` for another name, `FormatError` if a payload
    that has to be encrypted again has bytes of another one, or is damaged.
    """
    if not 0 < len(name) <= NAME_SIZE or b"\0" in name:
        raise ValueError(_("{name!r} does not fit a name of {size} bytes", name=name, size=NAME_SIZE))
    rows = archive.rows.copy()
    rows[index]["name"] = name.ljust(NAME_SIZE, b"\0")
    keys = [entry.key for entry in archive.entries]
    if not any(finding.rule == "R03" for finding in archive.diagnostics):
        names = [until_nul(stored) for stored in rows["name"].tolist()]
        keys = sorted(range(len(names)), key=names.__getitem__)
        # Without the mark the game overwrites the stored values when it loads them: they stay as they are.
        if archive.header["presorted"] == rsli.PRESORTED:
            rows["sort_to_original"] = keys
    encrypted = {
        entry.index: _with_key(archive, entry, key)
        for entry, key in zip(archive.entries, keys, strict=True)
        if entry.method & rsli.XOR and entry.key != key and entry.available != 0
    }
    made = _data_area(archive, encrypted)[0] if encrypted else ()
    found = splice.ordered((*_directory(archive, rows), *made))
    _refuse_invented(archive, found)
    return found


def _with_key(archive: rsli.PackedLibrary, entry: rsli.PackedEntry, key: int) -> bytes:
    """The stored bytes of an entry encrypted with another key; raises if they are not all there."""
    if entry.available is None:
        words = "is damaged, so it cannot be encrypted with key {key}, its new one"
        raise Rule("", rsli.ENTRY.name, "sort_to_original").failure(words, entry.index, key=key)
    # The stream of a key is laid over the bytes: once more with the old key they are plain, with the new one
    # stored.
    return transform(transform(bytes(archive.packed(entry.index)), entry.key), key)


def _directory(archive: rsli.PackedLibrary, rows: Rows) -> Splices:
    start, end = rsli.HEADER.size, rsli.HEADER.size + rows.nbytes
    stored = transform(rows.tobytes(), int(archive.header["xor_seed"]))
    return splice.moved(splice.between(archive.data[start:end], stored), start)


def _refuse_invented(archive: rsli.PackedLibrary, splices: Splices, changed: Collection[int] = ()) -> None:
    """Raise if other bytes would be read as the overlay, or as the payload of an unchanged entry."""
    # The result is read again: other last bytes may look like a trailer, and a longer file may reach the end
    # of a payload that was cut off.
    after = rsli.PackedLibrary.read(splice.applied(archive.data, splices))
    if after.overlay != archive.overlay:
        words = "would be {after} after this change, not {before}"
        rule = Rule("", rsli.TRAILER.name, "overlay")
        raise rule.failure(words, after=after.overlay, before=archive.overlay)
    for entry, now in zip(archive.entries, after.entries, strict=True):
        if entry.index not in changed and entry.available != now.available:
            words = "is cut off, but would have bytes of others after this change"
            raise Rule("", rsli.ENTRY.name, "packed_size").failure(words, entry.index)


def pack(payload: bytes, method: int, key: int) -> bytes:
    """A payload packed with a method; raises `KeyError` for methods that are never written."""
    if method == rsli.DEFLATE:
        # Negative: neither header nor checksum, as the game expects it.
        engine = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        return engine.compress(payload) + engine.flush()
    plain = {0x000: payload, LZSS: lzss.encode(payload)}[method & ~rsli.XOR]
    return transform(plain, key) if method & rsli.XOR else plain


def _differs(archive: rsli.PackedLibrary, index: int, payload: Bytes) -> bool:
    try:
        unpacked = archive.unpack(index)
    except FormatError:
        return True
    return bool(unpacked.diagnostics) or not same_bytes(unpacked.data, payload)


def _method(entry: rsli.PackedEntry, requested: int | None) -> int:
    method = entry.method if requested is None else requested
    # 0x080 is in both LZHUF methods; instead of 0x0A0 the payload is stored raw under its XOR.
    is_written = method in rsli.METHODS and not method & rsli.LZHUF
    return method if is_written else method & rsli.XOR if method in rsli.METHODS else 0x000


def _data_area(archive: rsli.PackedLibrary, packed: Mapping[int, bytes]) -> tuple[Splices, dict[int, int]]:
    """Splices of stored payloads, and the new offset of each payload."""
    found: list[Splice] = []
    offsets: dict[int, int] = {}
    grown = 0
    for entry, end in _by_offset(archive, packed):
        offsets[entry.index] = entry.offset + grown
        if entry.index in packed:
            made = Splice(entry.offset, bytes(archive.data[entry.offset : end]), packed[entry.index])
            found.append(made)
            grown += made.growth
    return tuple(found), offsets


def _damaged_offsets(archive: rsli.PackedLibrary, made: Splices) -> dict[int, int]:
    """The offsets of damaged entries: they move with their first bytes, or with the end of the file."""
    moved = {
        entry.index: entry.offset + splice.growth(tuple(it for it in made if it.end <= entry.offset))
        for entry in archive.entries
        if entry.available is None
    }
    return {index: offset for index, offset in moved.items() if offset - archive.overlay <= MOST_BYTES}


def _by_offset(
    archive: rsli.PackedLibrary, packed: Mapping[int, bytes]
) -> list[tuple[rsli.PackedEntry, int]]:
    """The readable entries by offset, with their ends; raises if one cannot move."""
    for index in packed:
        archive.packed(index)
    readable = [
        (entry, entry.offset + entry.available) for entry in archive.entries if entry.available is not None
    ]
    # By offset; of those that begin together an empty one first, which shares no byte with the other.
    readable.sort(key=lambda item: (item[0].offset, item[1], item[0].index))
    end = rsli.HEADER.size + len(archive.entries) * rsli.ENTRY.size
    for entry, _ignored in readable[:1]:
        if entry.offset < end:
            raise _overlap(entry, "the directory")
    # All payloads behind a changed one move: bytes that two of them share cannot be in both places.
    for (before, before_end), (after, _ignored) in pairwise(readable):
        if after.offset < before_end:
            raise _overlap(after, _("the payload of entry {index}", index=before.index))
    return readable


def _overlap(entry: rsli.PackedEntry, what: str) -> FormatError:
    rule, words = Rule("", rsli.ENTRY.name, "data_offset"), "overlaps {what}, so nothing can be replaced"
    return rule.failure(words, entry.index, what=Text.of(what))
