"""Packed libraries that break one rule each."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.broken.case import ERROR, INFO, WARNING, Case, check_leads, note
from viewer.diagnostics import Diagnostic
from viewer.formats.archive import rsli
from viewer.formats.archive.xor_stream import transform
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.model.validation.validate import check_item

TEXT = b"PARKAN PARKAN PARKAN!"
SEED = 0x5AA5

Member = tuple[bytes, int, int, bytes]
"""Name, method, unpacked size, packed bytes."""


def deflated(data: bytes) -> bytes:
    """Raw Deflate."""
    engine = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return engine.compress(data) + engine.flush()


MEMBERS: tuple[Member, ...] = (
    (b"A.TXT", 0x000, len(TEXT), TEXT),
    (b"B.TXT", 0x020, len(TEXT), transform(TEXT, 1)),
    (b"C.TXT", 0x100, len(TEXT), deflated(TEXT)),
)


def library(
    members: Sequence[Member] = MEMBERS, keys: Sequence[int] | None = None, cut: int = 0
) -> bytearray:
    """A library in name order, its last `cut` bytes missing; `keys` are the stored sort values."""
    start = rsli.HEADER.size + rsli.ENTRY.size * len(members)
    table = b""
    for index, (name, method, size, packed) in enumerate(members):
        key = keys[index] if keys else index
        table += struct.pack("<12s4xHH3I", name, method, key, size, start, len(packed))
        start += len(packed)
    header = struct.pack("<2sBBh8xH4xI8x", b"NL", 0, 1, len(members), rsli.PRESORTED, SEED)
    data = bytearray(header + transform(table, SEED) + b"".join(packed for *_, packed in members))
    return data[: len(data) - cut]


def check(data: bytes | bytearray, name: str = "library.lib") -> list[Diagnostic]:
    """What is found in a library itself."""
    note("rsli", data)
    item = Item(Address(Path(name)), memoryview(bytes(data)))
    report = check_item(item)[0]
    if report.is_readable:
        check_leads("rsli", item.data, None, report.diagnostics)
    return list(report.diagnostics)


def _with(index: int, member: Member) -> list[Diagnostic]:
    members = list(MEMBERS)
    members[index] = member
    return check(library(members))


def _patched(place: int, value: bytes) -> Callable[[], list[Diagnostic]]:
    def find() -> list[Diagnostic]:
        data = library()
        data[place : place + len(value)] = value
        return check(data)

    return find


def _quirk(name: bytes, file: str) -> Callable[[], list[Diagnostic]]:
    """A last member that states one byte more than there is, which its stream does not need."""
    members = [*MEMBERS[:2], (name, 0x100, len(TEXT), deflated(TEXT) + b"?")]
    return lambda: check(library(members, cut=1), file)


CASES = (
    Case("R01", ERROR, "container", lambda: check(b"NL\0\1"), "4"),
    Case("R01", ERROR, "container.reserved", _patched(2, b"\1"), "1 0"),
    Case("R01", ERROR, "container.version", _patched(3, b"\2"), "2 1"),
    Case("R02", ERROR, "container.entry_count", _patched(4, b"\x63\0"), "99"),
    Case("R02", ERROR, "container.entry_count", _patched(4, b"\xff\xff"), "-1"),
    Case("R03", ERROR, "directory[1].sort_to_original", lambda: check(library(keys=(0, 2, 1))), "2"),
    Case("R04", ERROR, "trailer.overlay", lambda: check(library() + b"AO\0\0\1\0"), "65536"),
    Case("R05", ERROR, "directory[2].packed_size", lambda: check(library(cut=2)), "180"),
    Case("R05", ERROR, "directory[2].packed_size", _quirk(b"C.TXT", "sprites.lib"), "182"),
    Case("R05", INFO, "directory[2].packed_size", _quirk(b"INTERF8.TEX", "Sprites.lib"), "182"),
    Case("R06", ERROR, "directory[1].flags", lambda: _with(1, (b"B.TXT", 0x120, 4, b"1234")), "0x120"),
    Case(
        "R07",
        ERROR,
        "directory[2].unpacked_size",
        lambda: _with(2, (*MEMBERS[2][:2], 22, MEMBERS[2][3])),
        "21",
    ),
    Case(
        "R07",
        ERROR,
        "directory[2].unpacked_size",
        lambda: _with(2, (*MEMBERS[2][:2], 1 << 31, b"")),
        "most",
    ),
    Case("R08", WARNING, "directory[0].packed_size", lambda: _with(0, (b"A.TXT", 0, 4, b"12345")), "5"),
)
