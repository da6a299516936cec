"""Archives that break one rule of a container each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.broken.case import ERROR, INFO, WARNING, Case, check_leads, note
from tests.game_folders import MAT0, texture
from viewer.diagnostics import Diagnostic
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.archive.nres import ENTRY, HEADER
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.record import Rows
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.model.validation.validate import check_item

ENTRY_COUNT = 3


def sound() -> bytearray:
    """An archive of three entries of unknown type, each followed by padding."""
    return bytearray(
        nres.build(nres.NewEntry(0x21212121, bytes([65 + n]) * (9 + n), name) for n, name in enumerate(NAMES))
    )


def past_directory(data: bytes) -> bytes:
    """An archive whose last entry is said to end behind the directory."""
    changed = bytearray(data)
    count = int(HEADER.view(changed, count=1)["entry_count"][0])
    ENTRY.view(changed, offset=len(changed) - count * ENTRY.size)["size"][-1] = len(data)
    return bytes(changed)


NAMES = (b"Beta", b"alpha", b"gamma")


def check(data: bytes | bytearray) -> list[Diagnostic]:
    """What is found in an archive itself."""
    note("nres", data)
    item = Item(Address(Path("archive.rlb")), memoryview(bytes(data)))
    report = check_item(item)[0]
    if report.is_readable:
        check_leads("nres", item.data, None, report.diagnostics)
    return list(report.diagnostics)


def _patched(change: Callable[[bytearray], object]) -> Callable[[], list[Diagnostic]]:
    def find() -> list[Diagnostic]:
        data = sound()
        change(data)
        return check(data)

    return find


def _header(field: str, value: int | bytes) -> Callable[[], list[Diagnostic]]:
    def change(data: bytearray) -> None:
        HEADER.view(data, count=1)[field] = value

    return _patched(change)


def _entries(change: Callable[[Rows], object]) -> Callable[[], list[Diagnostic]]:
    def change_directory(data: bytearray) -> None:
        change(ENTRY.view(data, offset=len(data) - ENTRY_COUNT * ENTRY.size))

    return _patched(change_directory)


def _entry(index: int, field: str, value: int | bytes) -> Callable[[], list[Diagnostic]]:
    def change(rows: Rows) -> None:
        rows[field][index] = value

    return _entries(change)


def _swap_order(rows: Rows) -> None:
    rows["sort_index"] = rows["sort_index"][[1, 0, 2]]


def _rename(rows: Rows) -> None:
    rows["name"][1] = b"BETA".ljust(36, b"\0")


def _renamed_in_order(rows: Rows) -> None:
    _rename(rows)
    rows["sort_index"] = [0, 1, 2]


def _unname(rows: Rows) -> None:
    rows["name"][1] = bytes(36)


def _pad(data: bytearray) -> None:
    data[HEADER.size + 9] = 7


def _with_region() -> list[Diagnostic]:
    data = sound()
    start = len(data) - ENTRY_COUNT * ENTRY.size
    data[start:start] = b"forgotten bytes!"
    HEADER.view(data, count=1)["total_size"] = len(data)
    return check(data)


def _shifted() -> list[Diagnostic]:
    data = sound()
    rows = ENTRY.view(data, offset=len(data) - ENTRY_COUNT * ENTRY.size)
    rows["data_offset"][2] += 1
    return check(data)


def _typed(type_id: int, name: bytes, payload: bytes) -> Callable[[], list[Diagnostic]]:
    """What is found in an archive of one entry, of a type that may not be that of its payload."""
    return lambda: check(nres.build([nres.NewEntry(type_id, payload, name, attr2=mat0.VERSION)]))


CASES = (
    Case("N01", ERROR, "container", lambda: check(b"NRes"), "4"),
    Case("N01", ERROR, "container.magic", _header("magic", b"nres"), "nres"),
    Case("N01", ERROR, "container.version", _header("version", 0x200), "0x200"),
    Case("N02", ERROR, "container.entry_count", _header("entry_count", -1), "-1"),
    Case("N03", ERROR, "container.total_size", _patched(lambda data: data.append(0)), "1"),
    Case("N03", ERROR, "container.total_size", _header("total_size", 9999), "9999"),
    Case("N04", ERROR, "container.entry_count", _header("entry_count", 99), "99"),
    Case("N05", ERROR, "directory[1].size", _entry(1, "size", 999), "999"),
    Case("N05", ERROR, "directory[1].data_offset", _entry(1, "data_offset", 8), "8 10"),
    Case("N06", ERROR, "directory[2].name", _entry(2, "name", b"z" * 36), "NUL"),
    Case("N07", WARNING, "directory[1].name", _entries(_unname), "empty"),
    Case("N08", ERROR, "directory[1].sort_index", _entry(1, "sort_index", 1), "1"),
    Case("N08", ERROR, "directory[2].sort_index", _entry(2, "sort_index", 9), "9"),
    Case("N09", WARNING, "directory[1].sort_index", _entries(_swap_order), "order"),
    Case("N10", ERROR, "directory[1].data_offset", _entry(1, "data_offset", 24), "24 0"),
    Case("N11", WARNING, "directory[2].data_offset", _shifted, "8"),
    Case("N12", WARNING, "directory", _patched(_pad), "25 07"),
    Case("N13", INFO, "directory", _with_region, "21"),
    Case("N14", WARNING, "directory[1].name", _entries(_renamed_in_order), "BETA 0"),
    Case("TYPE01", WARNING, "directory[0].type_id", _typed(0, b"DOME.0", texture()), "0 Texm"),
    Case("TYPE01", WARNING, "directory[0].type_id", _typed(MAT0, b"DOME.0", texture()), "MAT0 Texm"),
    Case("TYPE01", WARNING, "directory[0].type_id", _typed(0, b"DOME", mat0.build([PhaseRecord()])), "MAT0"),
    Case("TYPE01", WARNING, "directory[0].type_id", _typed(0x21212121, b"a.wea", b"1\r\n0 A\r\n"), "WEAR"),
)
