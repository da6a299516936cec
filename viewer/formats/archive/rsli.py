"""RsLi, the packed library: an encrypted directory at the start, payloads stored with one of seven methods.

Source: spec/rsli.md.
Status: inferred; methods 0x080 and 0x0A0 are open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity
from viewer.formats.archive.stretches import Stretches, StretchParts, divide
from viewer.formats.archive.xor_stream import transform
from viewer.formats.findings import Rule
from viewer.formats.part import Part, group, listing, single, table
from viewer.formats.record import ASCII, CP1251, Bits, Bytes, Field, Record, Rows, Status
from viewer.formats.text import decode as decode_text
from viewer.formats.text import until_nul

MAGIC = b"NL"
VERSION = 1
SIGNATURE = b"NL\0\1"
"""The first four bytes of every library: magic, reserved, version."""
PRESORTED = 0xABBA
METHOD_MASK = 0x1E0
XOR = 0x020
LZHUF = 0x080
DEFLATE = 0x100
METHODS = {
    0x000: "raw",
    0x020: "xor",
    0x040: "lzss",
    0x060: "xor+lzss",
    0x080: "lzhuf",
    0x0A0: "xor+lzhuf",
    0x100: "deflate",
}
MAX_UNPACKED = 64 << 20
"""Largest payload that is unpacked; a larger stated size is treated as damage."""
MAX_UNPACKED_LZHUF = 8 << 20
"""Largest payload of methods with an adaptive tree, which are slow."""
HEAD_SIZE = 64
# The engine cuts a query to 15 characters, although no stored name has more than 12 (spec/rsli.md 3).
QUERY_SIZE = 15
"""Longest name in a lookup, characters."""

_STEP = 4096
_UPPER = bytes(code - 32 if 0x61 <= code <= 0x7A else code for code in range(256))

HEADER = Record(
    "container",
    32,
    Field("magic", "V2", 'Always "NL".', encoding=ASCII),
    Field("reserved", "u1", "Reserved, 0."),
    Field("version", "u1", "Version, 1."),
    Field("entry_count", "<i2", "Number of entries."),
    Field("unknown_0x06", "V8", "Unknown.", status=Status.OPEN),
    Field("presorted", "<u2", "0xABBA = the stored sort table is valid; else it is rebuilt at load."),
    Field("unknown_0x10", "V4", "Unknown.", status=Status.OPEN),
    Field("xor_seed", "<u4", "Key of the directory; only the low 16 bits are used."),
    Field("unknown_0x18", "V8", "Unknown.", status=Status.OPEN),
    doc="Number of entries, and the key of the directory.",
)

ENTRY = Record(
    "directory",
    32,
    Field("name", "V12", "Name in capitals; a NUL may be missing.", encoding=CP1251),
    Field("service", "V4", "Ignored by the engine.", status=Status.OPEN),
    Field(
        "flags",
        "<u2",
        "Storage method of the payload.",
        bits=(
            # 0x1E0 is bits 5 to 8: 0x100 is the value 8. What the other bits mean is not known.
            Bits("method", 5, 4, "Packing method.", values={key >> 5: name for key, name in METHODS.items()}),
        ),
    ),
    Field(
        "sort_to_original",
        "<u2",
        "Element of the lookup permutation, and key of the payload.",
        refers_to="directory",
    ),
    Field("unpacked_size", "<u4", "Size of the decoded payload.", unit="bytes"),
    Field("data_offset", "<u4", "Offset of the payload, without the overlay.", unit="bytes"),
    Field("packed_size", "<u4", "Size of the stored payload.", unit="bytes"),
    doc="Offset, size and packing of a payload.",
)

TRAILER = Record(
    "trailer",
    6,
    Field("magic", "V2", 'Always "AO".', encoding=ASCII),
    Field("overlay", "<u4", "Value added to the offset of every payload.", unit="bytes"),
    doc="Offset of the library in a larger file.",
)
TRAILER_MAGIC = b"AO"


Stream = tuple[int, int, int, int, int]
"""Offset, packed size, method, key and size of a payload."""


class PackedEntry(Struct, frozen=True):
    """A directory entry; `offset` includes the overlay, `key` is the sort value in effect.

    `available` bytes of the packed payload may be read; fewer than `packed_size` only if the
    end of file cuts off a byte that its stream does not need. It is None if the range is wrong.
    """

    index: int
    name_raw: bytes
    flags: int
    key: int
    unpacked_size: int
    offset: int
    packed_size: int
    available: int | None

    @property
    def name(self) -> bytes:
        """The name up to its NUL."""
        return until_nul(self.name_raw)

    @property
    def text(self) -> str:
        """The name as text."""
        return decode_text(self.name)

    @property
    def size(self) -> int:
        """Size of the decoded payload."""
        return self.unpacked_size

    @property
    def sort_index(self) -> int:
        """The sort value in effect."""
        return self.key

    @property
    def method(self) -> int:
        """Storage method of the payload."""
        return self.flags & METHOD_MASK

    @property
    def stream(self) -> Stream:
        """Key of the decoded payload: two entries may share one."""
        key = self.key if self.method & XOR else 0
        return self.offset, self.packed_size, self.method, key, self.unpacked_size

    @property
    def method_name(self) -> str:
        """The name of the method; its number if it is unknown."""
        return METHODS.get(self.method, f"{self.method:#05x}")


class Unpacked(Struct, frozen=True):
    """The decoded part of a payload, and its diagnostics."""

    data: Bytes
    diagnostics: tuple[Diagnostic, ...]


class PackedLibrary(Struct, frozen=True, eq=False, dict=True):
    """An open library as a view of bytes that it does not own; payloads are unpacked on demand.

    Parameters
    ----------
    data
        The whole file.
    header
        One `HEADER` record.
    rows
        The directory, `ENTRY` records decrypted.
    entries
        The directory entries, with overlay and sort values applied.
    trailer
        One `TRAILER` record, or None.
    overlay
        Value that the trailer adds to every offset; 0 if invalid.
    diagnostics
        Diagnostics.
    """

    data: memoryview
    header: np.void
    rows: Rows
    entries: tuple[PackedEntry, ...]
    trailer: np.void | None
    overlay: int
    diagnostics: tuple[Diagnostic, ...]

    @cached_property
    def _decoded_streams(self) -> dict[Stream, Bytes]:
        """The streams that were unpacked last: one, or several of `MAX_UNPACKED` bytes together at most."""
        return {}

    @classmethod
    def read(cls, data: Bytes) -> PackedLibrary:
        """Open a library; raises `FormatError` if header or directory are invalid (R01, R02)."""
        data = memoryview(data).cast("B").toreadonly()
        header = _read_header(data)
        findings: list[Diagnostic] = []
        # The directory is one encrypted run of all its records: only as a whole it can be decrypted.
        size = int(header["entry_count"]) * ENTRY.size
        stored = bytes(data[HEADER.size : HEADER.size + size])
        rows = ENTRY.view(transform(stored, int(header["xor_seed"])))
        start = len(data) - TRAILER.size
        # The game looks for a trailer only if a flag of its caller says so, which no file shows; no retail
        # file has one (spec/rsli.md 5).
        has_trailer = start >= HEADER.size + rows.nbytes and data[start : start + 2] == TRAILER_MAGIC
        trailer = TRAILER.read(data[start:]) if has_trailer else None
        overlay = _overlay(trailer, len(data), findings)
        keys = _sort_keys(header, rows, findings)
        entries = tuple(_entries(rows, keys, overlay, len(data)))
        findings += _entry_findings(entries, len(data))
        return cls(data, header, rows, entries, trailer, overlay, tuple(findings))

    @property
    def area(self) -> tuple[int, int]:
        """The data area: from the end of the directory to the trailer or the end of the file."""
        end = len(self.data) - (0 if self.trailer is None else TRAILER.size)
        return HEADER.size + self.rows.nbytes, end

    def entry(self, index: int) -> PackedEntry:
        """The entry at an index of the directory."""
        return self.entries[index]

    def packed(self, index: int) -> memoryview:
        """The stored bytes of an entry; raises `FormatError` if they are not inside the file (R05)."""
        entry = self.entries[index]
        if entry.available is None:
            raise _out_of_bounds(entry, len(self.data))
        return self.data[entry.offset : entry.offset + entry.available]

    def unpack(self, index: int) -> Unpacked:
        """The decoded payload of an entry.

        Raises `FormatError` if its bytes are missing (R05), its method is unknown (R06) or its
        stated size is too large; of a stream that ends early or late the decoded part is returned (R07).
        """
        entry = self.entries[index]
        packed = self.packed(index)
        if entry.method not in METHODS:
            raise _METHOD.failure(_UNKNOWN, index, method=entry.method)
        limit, stated = MAX_UNPACKED_LZHUF if entry.method & LZHUF else MAX_UNPACKED, entry.unpacked_size
        rule = Rule("R07", ENTRY.name, "unpacked_size")
        if stated > limit:
            raise rule.failure("{size} bytes, at most {limit} are unpacked", index, size=stated, limit=limit)
        data = self._decoded(entry, packed)
        if len(data) == stated:
            return Unpacked(data, ())
        words = "{packed} bytes unpack to {size}, {stated} are stated"
        finding = rule.finding(words, index, packed=len(packed), size=len(data), stated=stated)
        return Unpacked(data[:stated], (finding,))

    def _decoded(self, entry: PackedEntry, packed: memoryview) -> Bytes:
        """The decoded payload of an entry; a stream that several entries share is decoded once."""
        if self._users[entry.stream] == 1:
            return unpacked(bytes(packed), *entry.stream[2:])
        # In order of use, as it is taken out and put in again: the first is the one that was not used for
        # longest. A small file may name one stream in all of its entries, each of which would unpack it.
        known = self._decoded_streams.pop(entry.stream, None)
        data = unpacked(bytes(packed), *entry.stream[2:]) if known is None else known
        self._decoded_streams[entry.stream] = data
        while len(self._decoded_streams) > 1 and sum(map(len, self._decoded_streams.values())) > MAX_UNPACKED:
            self._decoded_streams.pop(next(iter(self._decoded_streams)))
        return data

    @cached_property
    def _users(self) -> Counter[Stream]:
        """The number of entries of each stream."""
        return Counter(entry.stream for entry in self.entries)

    def payload(self, index: int) -> memoryview:
        """The decoded part of a payload; raises like `unpack`."""
        return memoryview(self.unpack(index).data)

    def head(self, index: int) -> bytes:
        """The first bytes of a decoded payload, enough to recognise it; empty if nothing can be decoded."""
        entry = self.entries[index]
        if entry.available is None or entry.method not in METHODS:
            return b""
        # 64 literals of LZSS take 72 bytes: the start of a stream is more than enough.
        packed = bytes(self.packed(index)[:_STEP])
        size = min(HEAD_SIZE, entry.unpacked_size)
        return bytes(unpacked(packed, entry.method, entry.key, size)[:HEAD_SIZE])

    @cached_property
    def _first_by_name(self) -> dict[bytes, int]:
        return {entry.name: entry.index for entry in reversed(self.entries)}

    def find(self, name: bytes) -> int | None:
        """The first entry `name`, in capitals and cut to 15 characters as in the engine.

        The engine's binary search over a valid sort table, and its linear fallback, end at an
        entry of that name; which one of several is not determined by the names.
        """
        return self._first_by_name.get(name.translate(_UPPER)[:QUERY_SIZE])


def decode(data: Bytes) -> PackedLibrary:
    """The library in `data`; raises `FormatError` if header or directory are invalid."""
    return PackedLibrary.read(data)


def encode(archive: PackedLibrary) -> bytes:
    """The library from header, encrypted directory and trailer; packed payloads are copied."""
    start, end = archive.area
    directory = transform(archive.rows.tobytes(), int(archive.header["xor_seed"]))
    trailer = b"" if archive.trailer is None else archive.trailer.tobytes()
    return b"".join((archive.header.tobytes(), directory, archive.data[start:end], trailer))


def parts(archive: PackedLibrary) -> Part:
    """The tree of parts; payloads are stored bytes."""
    start, end = archive.area
    header = single(HEADER, archive.header)
    seed = int(archive.header["xor_seed"])
    directory = replace(
        table(ENTRY, archive.rows, header.end), transform=lambda stored: transform(stored, seed)
    )
    payloads = StretchParts(archive.data, stretches(archive))
    area = listing("data", payloads, start, "Packed payloads, and bytes without an entry.")
    trailer = () if archive.trailer is None else (single(TRAILER, archive.trailer, end),)
    return group((header, directory, area, *trailer))


def stretches(archive: PackedLibrary) -> Stretches:
    """The ranges of the data area; a payload that exceeds it is cut."""
    offsets = np.array([entry.offset for entry in archive.entries], np.int64)
    sizes = np.array([entry.available or 0 for entry in archive.entries], np.int64)
    present = np.flatnonzero([entry.available is not None for entry in archive.entries])
    start, end = archive.area
    return divide(np.clip(offsets, start, end), np.clip(offsets + sizes, start, end), present, (start, end))


def _read_header(data: memoryview) -> np.void:
    header = HEADER.read(data, rule="R01")
    for name, expected in (("magic", MAGIC), ("reserved", 0), ("version", VERSION)):
        found = header[name].tolist()
        if found != expected:
            rule = Rule("R01", HEADER.name, name)
            raise rule.failure("{found!r} is not {expected!r}", found=found, expected=expected)
    count = int(header["entry_count"])
    if not 0 <= count <= (len(data) - HEADER.size) // ENTRY.size:
        rule = Rule("R02", HEADER.name, "entry_count")
        raise rule.failure("{count} entries do not fit {size} bytes", count=count, size=len(data))
    return header


def _overlay(trailer: np.void | None, file_size: int, findings: list[Diagnostic]) -> int:
    """The overlay in the trailer, 0 if absent or invalid."""
    overlay = 0 if trailer is None else int(trailer["overlay"])
    if overlay <= file_size:
        return overlay
    rule, words = Rule("R04", TRAILER.name, "overlay"), "overlay {overlay} exceeds {file_size} bytes"
    findings.append(rule.finding(words, overlay=overlay, file_size=file_size))
    return 0


def _sort_keys(header: np.void, rows: Rows, findings: list[Diagnostic]) -> list[int]:
    """The sort values in effect: as stored if they are declared valid, else rebuilt like the loader."""
    names = [until_nul(name) for name in rows["name"].tolist()]
    # By bytes and case, other than in NRes. A loader that finds no mark overwrites the stored values with
    # this order, which therefore decrypts the payloads too (spec/rsli.md 3).
    order = sorted(range(len(names)), key=names.__getitem__)
    if header["presorted"] != PRESORTED:
        return order
    keys: list[int] = rows["sort_to_original"].tolist()
    rule = Rule("R03", ENTRY.name, "sort_to_original")
    if sorted(keys) != list(range(len(keys))):
        # Wrong for look-ups, but still the keys of the payloads (R03).
        findings.append(rule.finding("not a permutation of the entries"))
        return keys
    wrong = next((row for row, key in enumerate(keys) if names[key] != names[order[row]]), None)
    if wrong is not None:
        findings.append(rule.finding("entry {entry} is not in name order", wrong, entry=keys[wrong]))
    return keys


def _entries(rows: Rows, keys: list[int], overlay: int, file_size: int) -> Iterator[PackedEntry]:
    for index, (name, _ignored, flags, _ignored, unpacked_size, offset, packed_size) in enumerate(
        rows.tolist()
    ):
        start = offset + overlay
        available: int | None = packed_size
        if start + packed_size > file_size:
            # `sprites.lib :: INTERF8.TEX` states a byte more than the file has, which its stream does not
            # need: only Deflate, and only one byte (spec/rsli.md 4.3).
            is_quirk = flags & METHOD_MASK == DEFLATE and start + packed_size == file_size + 1
            available = packed_size - 1 if is_quirk else None
        yield PackedEntry(index, name, flags, keys[index], unpacked_size, start, packed_size, available)


_METHOD = Rule("R06", ENTRY.name, "flags")
_UNKNOWN = "unknown method {method:#05x}"


def _entry_findings(entries: tuple[PackedEntry, ...], file_size: int) -> Iterator[Diagnostic]:
    size_rule = Rule("R08", ENTRY.name, "packed_size", Severity.WARNING)
    for entry in entries:
        if entry.available != entry.packed_size:
            yield Diagnostic.of(_out_of_bounds(entry, file_size))
        if entry.method not in METHODS:
            yield _METHOD.finding(_UNKNOWN, entry.index, method=entry.method)
        size, stated = entry.packed_size, entry.unpacked_size
        if entry.method in {0, XOR} and size != stated:
            words = "{size} bytes stored unpacked, {stated} stated"
            yield size_rule.finding(words, entry.index, size=size, stated=stated)


def _out_of_bounds(entry: PackedEntry, file_size: int) -> FormatError:
    rule, words = Rule("R05", ENTRY.name, "packed_size"), "payload {start} + {size} exceeds {end} bytes"
    return rule.failure(words, entry.index, start=entry.offset, size=entry.packed_size, end=file_size)


def unpacked(packed: bytes, method: int, key: int, size: int) -> Bytes:
    """The payload in a stream up to `size` bytes; one byte more if Deflate has more."""
    from viewer.formats.archive import deflate, lzhuf, lzss  # noqa: PLC0415 not needed to list a library

    if method == DEFLATE:
        return deflate.decode(packed, size)
    if method & XOR:
        packed = transform(packed, key)
    # The bit 0x020 is XOR, the others are what it is laid over: 0x060 is XOR over LZSS (0x040).
    if not method & ~XOR:
        return packed[:size]
    return {0x040: lzss.decode, LZHUF: lzhuf.decode}[method & ~XOR](packed, size)
