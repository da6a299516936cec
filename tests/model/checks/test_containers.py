"""One finding per broken rule of names, sort table and payload ranges."""

from __future__ import annotations

import pytest

from tests.broken.libraries import TEXT, check, deflated, library
from tests.builders import ModelBuilder, Node, box, quad
from tests.messages import states
from viewer.diagnostics import NAMED_ROWS
from viewer.formats.archive import rsli
from viewer.formats.archive.nres import ENTRY, Archive, NewEntry, build
from viewer.model.checks import containers
from viewer.model.checks.materials import selected_rows
from viewer.model.mesh.reading import FIELD, SEED, Reading

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


Member = tuple[bytes, int, int, bytes]


def member(name: bytes, size: int = len(TEXT), method: int = rsli.DEFLATE) -> Member:
    return name, method, size, deflated(TEXT)


def test_members_come_with_their_bytes() -> None:
    found = list(containers.members(rsli.PackedLibrary.read(library())))
    assert [(index, bytes(data or b""), problems) for index, data, problems in found] == [
        (index, TEXT, ()) for index in range(3)
    ]


def test_a_library_unpacks_only_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "ALLOWANCE", 2 * len(TEXT))
    found = check(library([member(b"A"), member(b"B"), member(b"C")]))
    assert [(item.rule, item.index) for item in found] == [("R07", 2)]
    assert states(found[0].message, f"packed {2 * len(TEXT)}")


def test_what_is_refused_takes_nothing_of_the_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "ALLOWANCE", len(TEXT))
    found = check(library([member(b"A", 1 << 31), member(b"B")]))
    assert [(item.rule, item.index) for item in found] == [("R07", 0)]


def test_bytes_from_a_tree_count_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "ALLOWANCE", containers.TREE_COST * len(TEXT) - 1)
    found = check(library([member(b"A", method=rsli.LZHUF)]))
    assert [states(item.message, "packed") for item in found] == [True]


@pytest.mark.parametrize(("reading", "field"), [(SEED, "material"), (FIELD, "opaque4")])
@pytest.mark.parametrize("rows", [1, 3, 4])
def test_rows_beyond_the_table_are_named(reading: Reading, field: str, rows: int) -> None:
    shapes = [box(material=row) for row in range(3)] + [quad(material=3, has_lightmap=True)]
    batches = ModelBuilder.of([Node("a", shapes={(0, 0): shapes})], reading).batches
    found = selected_rows(batches, reading.material_field, rows)
    assert [item.where for item in found] == [f"batches[{row}].{field}" for row in range(rows, 4)]
    assert all(states(item.message, f"{row} {rows}") for item, row in zip(found, range(rows, 4), strict=True))
