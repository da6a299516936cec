"""Replacing members of a packed library without changing the others.

Header, service bytes, order, gaps, packed streams and trailer are copied. A new payload keeps the
method of the old one, except adaptive Huffman, which is never written: it is stored unpacked.

Source: spec/rsli.md 6.
Status: inferred.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from itertools import pairwise

from viewer.errors import FormatError
from viewer.formats.archive import lzss
from viewer.formats.archive.rsli import (
    DEFLATE,
    ENTRY,
    HEADER,
    LZHUF,
    METHOD_MASK,
    METHODS,
    XOR,
    PackedEntry,
    PackedLibrary,
)
from viewer.formats.archive.xor_stream import transform
from viewer.formats.record import Bytes
from viewer.translation import Sentence

LZSS = 0x040


def rewrite(archive: PackedLibrary, payloads: Mapping[int, Bytes], method: int | None = None) -> bytes:
    """The library with some payloads replaced; the same bytes if nothing is changed.

    `method` is another method for the changed ones. Raises `FormatError` if stored payloads
    that have to move overlap or are outside the file.
    """
    changed = {
        index: bytes(payload) for index, payload in payloads.items() if _differs(archive, index, payload)
    }
    if not changed:
        return bytes(archive.data)
    methods = {index: _method(archive.entries[index], method) for index in changed}
    packed = {
        index: pack(payload, methods[index], archive.entries[index].key) for index, payload in changed.items()
    }
    out, offsets = _data_area(archive, packed)
    rows = archive.rows.copy()
    for index, offset in offsets.items():
        rows[index]["data_offset"] = offset - archive.overlay
    for index, payload in changed.items():
        rows[index]["packed_size"] = len(packed[index])
        rows[index]["unpacked_size"] = len(payload)
        rows[index]["flags"] = archive.entries[index].flags & ~METHOD_MASK | methods[index]
    start = HEADER.size
    seed = int(archive.header["xor_seed"])
    out[start : start + rows.nbytes] = transform(rows.tobytes(), seed)
    return bytes(out)


def pack(payload: bytes, method: int, key: int) -> bytes:
    """A payload packed with a method; raises `KeyError` for methods that are never written."""
    if method == DEFLATE:
        return _deflate(payload)
    plain = {0x000: payload, LZSS: lzss.encode(payload)}[method & ~XOR]
    return transform(plain, key) if method & XOR else plain


def _deflate(payload: bytes) -> bytes:
    engine = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return engine.compress(payload) + engine.flush()


def _differs(archive: PackedLibrary, index: int, payload: Bytes) -> bool:
    try:
        unpacked = archive.unpack(index)
    except FormatError:
        return True
    return bool(unpacked.diagnostics) or unpacked.data != payload


def _method(entry: PackedEntry, requested: int | None) -> int:
    method = entry.method if requested is None else requested
    is_written = method in METHODS and not method & LZHUF
    return method if is_written else method & XOR if method in METHODS else 0x000


def _data_area(archive: PackedLibrary, packed: Mapping[int, bytes]) -> tuple[bytearray, dict[int, int]]:
    """The file without a new directory, and the new offset of each payload."""
    out = bytearray()
    offsets: dict[int, int] = {}
    cursor = 0
    for entry, end in _by_offset(archive, packed):
        out += archive.data[cursor : entry.offset]
        offsets[entry.index] = len(out)
        out += packed.get(entry.index, archive.data[entry.offset : end])
        cursor = max(cursor, end)
    return out + archive.data[cursor:], offsets


def _by_offset(archive: PackedLibrary, packed: Mapping[int, bytes]) -> list[tuple[PackedEntry, int]]:
    """The readable entries by offset, with their ends; raises if one cannot move."""
    for index in packed:
        archive.packed(index)
    readable = [
        (entry, entry.offset + entry.available) for entry in archive.entries if entry.available is not None
    ]
    readable.sort(key=lambda item: (item[0].offset, item[1], item[0].index))
    end = HEADER.size + len(archive.entries) * ENTRY.size
    for entry, _ in readable[:1]:
        if entry.offset < end:
            raise _overlap(entry, "the directory")
    for (before, before_end), (after, _) in pairwise(readable):
        if after.offset < before_end:
            raise _overlap(after, Sentence("the payload of entry {index}", index=before.index))
    return readable


def _overlap(entry: PackedEntry, what: str) -> FormatError:
    message = Sentence("overlaps {what}, so nothing can be replaced", what=Sentence.of(what))
    return FormatError(message, table=ENTRY.name, index=entry.index, field="data_offset")
