"""One finding per broken rule of names, sort table and payload ranges."""

from __future__ import annotations

import pytest

from viewer.errors import NAMED_ROWS
from viewer.formats.archive.nres import ENTRY, Archive, NewEntry, build
from viewer.model.checks import containers

GOOD = build(
    [NewEntry(1, b"first", b"Tower"), NewEntry(2, b"second", b"alpha"), NewEntry(3, b"12345678", b"Box")]
)


def changed(row: int, field: str, value: int) -> bytes:
    data = bytearray(GOOD)
    start = len(data) - 64 * (3 - row) + ENTRY.field(field).offset
    data[start : start + 4] = value.to_bytes(4, "little")
    return bytes(data)


def found_in(data: bytes) -> list[str]:
    return [f"{finding.rule} {finding.where}" for finding in containers.check(Archive.read(data))]


def test_a_canonical_container_has_nothing_against_it() -> None:
    assert found_in(GOOD) == []
    assert found_in(build([])) == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (changed(1, "sort_index", 3), ["N08 directory[1].sort_index"]),
        (changed(2, "sort_index", 1), ["N08 directory[2].sort_index"]),
        (changed(1, "data_offset", 0x1C), ["N11 directory[1].data_offset"]),
        (GOOD.replace(b"first\0", b"first!"), ["N12 directory"]),
        (changed(0, "size", 0xFFFF), ["N05 directory[0].size"]),
        (GOOD + b"tail", ["N03 container.total_size"]),
    ],
)
def test_a_broken_rule_is_named_at_its_row(data: bytes, expected: list[str]) -> None:
    rules = {line.partition(" ")[0] for line in expected}
    assert [line for line in found_in(data) if line.partition(" ")[0] in rules] == expected


def test_payloads_that_overlap() -> None:
    assert "N10 directory[1].data_offset" in found_in(changed(1, "data_offset", 0x10))


def test_names_out_of_order() -> None:
    rows = {1: 0, 0: 1}
    data = bytearray(GOOD)
    for row, other in rows.items():
        start, source = len(data) - 64 * (3 - row) + 60, len(GOOD) - 64 * (3 - other) + 60
        data[start : start + 4] = GOOD[source : source + 4]
    assert [line.partition(" ")[0] for line in found_in(bytes(data))] == ["N09"]


def test_names_that_are_empty_or_repeated() -> None:
    data = build([NewEntry(1, b"", b"A"), NewEntry(1, b""), NewEntry(1, b"", b"a"), NewEntry(1, b"")])
    assert found_in(data) == [
        "N07 directory[1].name",
        "N07 directory[3].name",
        "N14 directory[2].name",
    ]
    assert containers.check(Archive.read(data), has_names=False) == []


def test_bytes_of_no_entry() -> None:
    assert found_in(changed(2, "size", 0)) == ["N13 directory"]


def test_a_flood_is_bounded() -> None:
    data = build([NewEntry(1, b"")] * 5000)
    assert len(found_in(data)) == NAMED_ROWS + 1
