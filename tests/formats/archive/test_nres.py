"""The container: the worked example byte by byte, lookup, damage, canonical and lossless writing."""

from __future__ import annotations

import json
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.corpora import our_paths
from tests.formats.contract import check_payload
from tests.messages import rules
from viewer.diagnostics import NAMED_ROWS
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.archive.nres import ENTRY, HEADER, Archive, NewEntry, build
from viewer.formats.archive.nres_edit import Edit, rewrite
from viewer.formats.text import fold

MESH = int.from_bytes(b"MESH", "little")
WEAR = int.from_bytes(b"WEAR", "little")

EXAMPLE = bytes.fromhex(
    "4E526573 00010000 03000000 E8000000"
    "4142434445000000 310D0A30204D0D0A 0102030000000000"
    "4D455348 00000000 00000000 05000000 00000000" + b"Tower.msh".hex() + 27 * "00" + "10000000 01000000"
    "57454152 00000000 00000000 08000000 01000000" + b"alpha.wea".hex() + 27 * "00" + "18000000 02000000"
    "03000000 01000000 00000000 03000000 0C000000" + b"Box".hex() + 33 * "00" + "20000000 00000000"
)
EXAMPLE_ENTRIES = [
    NewEntry(MESH, b"ABCDE", b"Tower.msh"),
    NewEntry(WEAR, b"1\r\n0 M\r\n", b"alpha.wea", attr3=1),
    NewEntry(3, b"\1\2\3", b"Box", attr1=1, attr3=12),
]
names = st.binary(max_size=35).map(lambda name: name.replace(b"\0", b"?"))
attributes = st.integers(0, 0xFFFFFFFF)
entries = st.builds(NewEntry, attributes, st.binary(max_size=40), names, attributes, attributes, attributes)


def with_field(data: bytes, index: int, name: str, value: int) -> bytes:
    """The container with one field of one directory entry changed."""
    count = Archive.read(data).entries
    start = len(data) - ENTRY.size * len(count) + ENTRY.size * index + ENTRY.field(name).offset
    return data[:start] + value.to_bytes(4, "little") + data[start + 4 :]


def with_header(data: bytes, name: str, value: int) -> bytes:
    start = HEADER.field(name).offset
    return data[:start] + value.to_bytes(4, "little", signed=value < 0) + data[start + 4 :]


def scattered() -> bytes:
    """A container as other tools leave it: payloads out of order, a dirty gap, a region, a tail."""
    data = bytearray(bytes(16) + b"second" + b"\xaa\xbb" + b"REGION, 16 BYTES" + b"first" + b"\0\0\0")
    directory = ENTRY.new(2)
    directory[0] = (1, 0, 0, 5, 0, b"B" * 36, 40, 7)
    directory[1] = (2, 0, 0, 6, 0, b"A\0junk".ljust(36, b"\xff"), 16, 7)
    data += directory.tobytes()
    data[:16] = b"NRes" + b"".join(value.to_bytes(4, "little") for value in (0x100, 2, len(data)))
    return bytes(data) + b"tail"


def test_the_worked_example_is_read() -> None:
    archive = Archive.read(EXAMPLE)
    assert [(e.type_id, e.attr1, e.attr2, e.size, e.attr3) for e in archive.entries] == [
        (MESH, 0, 0, 5, 0),
        (WEAR, 0, 0, 8, 1),
        (3, 1, 0, 3, 12),
    ]
    assert [(e.name, e.offset, e.sort_index) for e in archive.entries] == [
        (b"Tower.msh", 0x10, 1),
        (b"alpha.wea", 0x18, 2),
        (b"Box", 0x20, 0),
    ]
    assert [bytes(archive.payload(index)) for index in range(3)] == [b"ABCDE", b"1\r\n0 M\r\n", b"\1\2\3"]
    assert archive.directory_offset == 0x28
    assert archive.diagnostics == ()


def test_the_worked_example_is_written() -> None:
    assert build(EXAMPLE_ENTRIES) == EXAMPLE


def test_an_empty_container_is_a_header_alone() -> None:
    assert build([]) == bytes.fromhex("4E526573 00010000 00000000 10000000")
    assert Archive.read(build([])).entries[:] == []


@pytest.mark.parametrize(
    ("name", "index"),
    [(b"box", 2), (b"BOX", 2), (b"TOWER.MSH", 0), (b"alpha.wea", 1), (b"alpha", None), (b"", None)],
)
def test_entries_are_found_whatever_the_case(name: bytes, index: int | None) -> None:
    assert Archive.read(EXAMPLE).find(name) == index


def test_only_ascii_letters_are_folded() -> None:
    archive = Archive.read(build([NewEntry(1, b"", b"\xc0"), NewEntry(1, b"", b"[A")]))
    assert archive.find(b"\xe0") is None
    assert archive.find(b"[a") == 1
    assert archive.find(b"{a") is None


def test_the_first_of_equal_names_and_types_is_found() -> None:
    archive = Archive.read(build([NewEntry(1, b"", b"x"), NewEntry(2, b"", b"A"), NewEntry(2, b"", b"a")]))
    assert archive.find(b"a") == 1
    assert archive.find_type(2) == 1
    assert archive.find_type(9) is None
    assert archive.types == {1, 2}


@given(st.lists(entries, max_size=8), st.data())
def test_what_is_built_is_read_back(made: list[NewEntry], data: st.DataObject) -> None:
    archive = Archive.read(build(made))
    assert archive.diagnostics == ()
    for entry, new in zip(archive.entries, made, strict=True):
        assert (entry.type_id, entry.attr1, entry.attr2, entry.attr3, entry.name) == (
            new.type_id, new.attr1, new.attr2, new.attr3, new.name,
        )  # fmt: skip
        assert archive.payload(entry.index) == new.payload
        assert entry.offset % 8 == 0
    order = [fold(archive.entries[entry.sort_index].name) for entry in archive.entries]
    assert order == sorted(order)
    if made:
        sought = data.draw(st.sampled_from(made)).name
        assert archive.find(sought.swapcase()) == [fold(new.name) for new in made].index(fold(sought))


@pytest.mark.parametrize("name", [b"x" * 36, b"a\0b"])
def test_a_name_that_does_not_fit_is_refused(name: bytes) -> None:
    with pytest.raises(ValueError, match="35 bytes"):
        build([NewEntry(1, b"", name)])


def test_the_bytes_behind_a_name_can_be_kept() -> None:
    field = b"a\0" + bytes(range(34))
    assert Archive.read(build([NewEntry(1, b"", name_raw=field)])).entries[0].name_raw == field


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"", None),
        (EXAMPLE[:15], None),
        (b"nres" + EXAMPLE[4:], "magic"),
        (with_header(EXAMPLE, "version", 0x101), "version"),
        (with_header(EXAMPLE, "total_size", len(EXAMPLE) + 1), "total_size"),
        (EXAMPLE[:-1], "total_size"),
        (with_header(EXAMPLE, "entry_count", -1), "entry_count"),
        (with_header(EXAMPLE, "entry_count", 4), "entry_count"),
        (with_header(EXAMPLE, "entry_count", 0x7FFFFFFF), "entry_count"),
        (with_header(EXAMPLE, "total_size", 0), "entry_count"),
    ],
)
def test_a_container_that_cannot_be_right_is_refused(data: bytes, field: str | None) -> None:
    with pytest.raises(FormatError) as caught:
        Archive.read(data)
    assert (caught.value.table, caught.value.field) == ("container", field)


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [("size", 0x1000, "size"), ("size", 0xFFFFFFFF, "size"), ("data_offset", 15, "data_offset")],
)
def test_a_payload_outside_the_container_is_an_entry_marked_damaged(
    field: str, value: int, where: str
) -> None:
    archive = Archive.read(with_field(EXAMPLE, 1, field, value))
    assert [entry.is_damaged for entry in archive.entries] == [False, True, False]
    assert [finding.where for finding in archive.diagnostics] == [f"directory[1].{where}"]
    assert archive.find(b"alpha.wea") == 1
    with pytest.raises(FormatError) as caught:
        archive.payload(1)
    assert caught.value.where == f"directory[1].{where}"


def test_a_payload_may_end_where_the_directory_starts() -> None:
    assert not Archive.read(with_field(EXAMPLE, 2, "size", 8)).entries[2].is_damaged
    assert Archive.read(with_field(EXAMPLE, 2, "size", 9)).entries[2].is_damaged


def test_bytes_behind_the_stated_end_are_reported_and_ignored() -> None:
    archive = Archive.read(EXAMPLE + b"tail")
    assert rules(archive) == ["N03"]
    assert archive.find(b"box") == 2


def test_a_name_without_a_nul_takes_the_whole_field() -> None:
    archive = Archive.read(scattered())
    assert archive.entries[0].name == b"B" * 36
    assert archive.entries[1].text == "A"
    assert rules(archive) == ["N03", "N06"]


def test_a_broken_sort_table_does_not_hide_anything() -> None:
    broken = with_field(with_field(EXAMPLE, 0, "sort_index", 99), 1, "sort_index", 99)
    assert Archive.read(broken).find(b"tower.msh") == 0


@given(st.lists(entries, max_size=6), st.binary(max_size=9))
def test_nothing_changed_is_the_same_file(made: list[NewEntry], tail: bytes) -> None:
    data = build(made) + tail
    archive = Archive.read(data)
    assert rewrite(archive, {}) == data
    assert rewrite(archive, {index: bytes(new.payload) for index, new in enumerate(made)}) == data


@given(st.lists(entries, min_size=1, max_size=6), st.data())
def test_a_replaced_payload_is_what_the_canonical_writer_would_write(
    made: list[NewEntry], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(made) - 1))
    payload = data.draw(st.binary(max_size=40))
    changed = [*made]
    changed[index] = replace(made[index], payload=payload)
    assert rewrite(Archive.read(build(made)), {index: payload}) == build(changed)


def test_a_payload_of_the_same_size_is_patched_in_place() -> None:
    data = scattered()
    assert rewrite(Archive.read(data), {1: b"SECOND"}) == data.replace(b"second", b"SECOND")


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("payload", [b"", b"longer than before", b"12345678"])
def test_a_resized_payload_keeps_gaps_regions_names_and_tail(index: int, payload: bytes) -> None:
    archive = Archive.read(scattered())
    result = Archive.read(rewrite(archive, {index: payload}))
    assert bytes(result.payload(index)) == payload
    assert bytes(result.payload(1 - index)) == archive.payload(1 - index)
    assert [e.name_raw for e in result.entries] == [e.name_raw for e in archive.entries]
    assert [e.sort_index for e in result.entries] == [7, 7]
    assert b"\xaa\xbbREGION, 16 BYTES" in bytes(result.data)
    assert result.entries[1].offset < result.entries[0].offset
    assert bytes(result.data[result.total_size :]) == b"tail"
    if index == 0:
        assert result.data[:40] == with_header(scattered(), "total_size", result.total_size)[:40]


def test_a_dirty_gap_is_no_padding_and_what_follows_it_stays_aligned() -> None:
    archive = Archive.read(scattered())
    result = Archive.read(rewrite(archive, {1: b"one"}))
    assert bytes(result.data[16:22]) == b"one\0\0\0"
    assert bytes(result.data[22:40]) == b"\xaa\xbbREGION, 16 BYTES"
    assert result.entries[0].offset == archive.entries[0].offset
    for payload in (b"longer than before", b""):
        result = Archive.read(rewrite(archive, {1: payload}))
        assert result.entries[0].offset % 8 == archive.entries[0].offset % 8 == 0
    edit = Edit(archive)
    edit.remove(1)
    assert Archive.read(edit.encode()).entries[0].offset % 8 == 0


def test_payloads_that_overlap_are_not_changed_but_moved() -> None:
    archive = Archive.read(with_field(EXAMPLE, 2, "data_offset", 0x1C))
    payloads = [bytes(archive.payload(index)) for index in range(3)]
    moved = Archive.read(rewrite(archive, {0: b"abcdefgh!"}))
    assert [bytes(moved.payload(index)) for index in (1, 2)] == payloads[1:]
    assert bytes(moved.payload(0)) == b"abcdefgh!"
    for changed in (b"x" * len(payloads[1]), b"", payloads[1] + b"x"):
        with pytest.raises(FormatError, match="overlaps") as caught:
            rewrite(archive, {1: changed})
        assert (caught.value.table, caught.value.field) == ("directory", "data_offset")


@pytest.mark.parametrize("payload", [b"", b"12345678"])
def test_a_new_payload_of_a_damaged_entry_comes_after_all_others(payload: bytes) -> None:
    archive = Archive.read(with_field(EXAMPLE, 1, "data_offset", 0))
    result = Archive.read(rewrite(archive, {1: payload}))
    assert not result.entry(1).is_damaged
    assert bytes(result.payload(1)) == payload
    area = slice(16, archive.directory_offset)
    assert result.data[area] == archive.data[area]
    assert [bytes(result.payload(index)) for index in (0, 2)] == [
        bytes(archive.payload(index)) for index in (0, 2)
    ]


@st.composite
def containers(draw: st.DrawFn) -> bytes:
    """Readable containers whose payloads lie anywhere: overlapping, outside, in any order."""
    area = draw(st.binary(max_size=64))
    count = draw(st.integers(0, 5))
    directory = ENTRY.new(count)
    for row in directory:
        offset = draw(st.integers(0, 16 + len(area)))
        size = draw(st.integers(0, 24))
        row["name"] = draw(st.binary(min_size=36, max_size=36))
        row["data_offset"], row["size"] = offset, size
        row["sort_index"] = draw(st.integers(0, 6))
    total = 16 + len(area) + 64 * count
    header = b"NRes" + b"".join(value.to_bytes(4, "little") for value in (0x100, count, total))
    return header + area + directory.tobytes() + draw(st.binary(max_size=4))


@given(containers())
def test_any_readable_container_is_rewritten_unchanged(data: bytes) -> None:
    assert rewrite(Archive.read(data), {}) == data


@given(containers(), st.data())
def test_replacing_one_payload_keeps_all_others(data: bytes, draw: st.DataObject) -> None:
    archive = Archive.read(data)
    if not archive.entries:
        return
    index = draw.draw(st.integers(0, len(archive.entries) - 1))
    payload = draw.draw(st.binary(max_size=24))
    try:
        result = Archive.read(rewrite(archive, {index: payload}))
    except FormatError:
        assert any(entry.is_damaged for entry in archive.entries) or not separate(archive)
        return
    assert bytes(result.payload(index)) == payload
    assert [e.name_raw for e in result.entries] == [e.name_raw for e in archive.entries]
    for entry in archive.entries if separate(archive) else ():
        if entry.index != index and not entry.is_damaged:
            assert bytes(result.payload(entry.index)) == archive.payload(entry.index)
    readable = [entry.index for entry in archive.entries if not entry.is_damaged]
    assert uncovered(archive, readable) in uncovered(result, readable)


def separate(archive: Archive) -> bool:
    """Whether no two payloads overlap."""
    ranges = sorted((e.offset, e.end) for e in archive.entries if not e.is_damaged)
    return all(end <= start for (_, end), (start, _) in pairwise(ranges))


def uncovered(archive: Archive, readable: list[int]) -> bytes:
    """What the data area holds beside the readable payloads, zero bytes left out."""
    area = bytearray(archive.data[: archive.directory_offset])
    for index in readable:
        entry = archive.entries[index]
        area[entry.offset : entry.end] = bytes(entry.size)
    return bytes(area[HEADER.size :]).replace(b"\0", b"")


@given(st.binary(max_size=200), st.booleans())
def test_arbitrary_bytes_are_read_or_refused(data: bytes, has_magic: bool) -> None:
    try:
        archive = Archive.read(b"NRes\0\1\0\0" + data if has_magic else data)
    except FormatError:
        return
    for entry in archive.entries:
        if not entry.is_damaged:
            assert len(archive.payload(entry.index)) == entry.size


@given(st.integers(0, len(EXAMPLE) - 1), st.integers(0, 255))
def test_one_wrong_byte_is_read_or_refused(position: int, value: int) -> None:
    data = bytearray(EXAMPLE)
    data[position] = value
    try:
        archive = Archive.read(bytes(data))
    except FormatError:
        return
    assert rewrite(archive, {}) == data


def test_every_archive_of_the_corpora(samples: Path) -> None:
    for reading in ["seed", "field"]:
        folder = samples / reading
        truth = json.loads((folder / "truth.json").read_text())
        for path, expected in truth["archives"].items():
            if expected["entries"] is None:
                continue
            data = (folder / path).read_bytes()
            archive = Archive.read(data)
            assert [
                [e.text, e.type_id, e.attr1, e.attr2, e.attr3, e.size, zlib.crc32(archive.payload(e.index))]
                for e in archive.entries
            ] == expected["entries"]
            assert [archive.find(e.name) for e in archive.entries] == list(range(len(archive.entries)))
            assert rewrite(archive, {}) == data
            check_payload(data, nres.encode(archive), nres.parts(archive), archive.diagnostics)


def test_damaged_containers_are_read_or_refused_as_promised(files: Path) -> None:
    manifest = json.loads((files / "damaged" / "manifest.json").read_text())
    for mutant in manifest["mutants"]:
        if mutant["kind"] != "nres":
            continue
        data = (files / "damaged" / mutant["file"]).read_bytes()
        if mutant["tolerant"] == "error":
            with pytest.raises(FormatError) as caught:
                Archive.read(data)
            assert caught.value.table in our_paths(mutant["tables"]), mutant["name"]
        elif mutant["tolerant"] == "shows":
            archive = Archive.read(data)
            assert rewrite(archive, {}) == data
            check_payload(data, nres.encode(archive), nres.parts(archive), archive.diagnostics)


def test_the_first_of_two_folded_names_is_found() -> None:
    archive = Archive.read(nres.build(nres.NewEntry(0, b"", it) for it in (b"Stone", b"moss", b"STONE")))
    folded = [fold(entry.name) for entry in archive.entries]
    assert len(set(folded)) == len(folded) - 1
    assert [archive.find(name.upper()) for name in folded] == [folded.index(name) for name in folded]


def test_a_directory_of_nonsense_does_not_flood_the_findings() -> None:
    data = (
        b"NRes" + b"".join(n.to_bytes(4, "little") for n in (0x100, 5000, 16 + 64 * 5000)) + b"\xff" * 320_000
    )
    archive = Archive.read(data)
    assert all(entry.is_damaged for entry in archive.entries)
    assert rules(archive) == ["N05"] * (NAMED_ROWS + 1) + ["N06"] * (NAMED_ROWS + 1)


def engine_search(archive: Archive, name: bytes) -> int | None:
    """The search of the spec: binary over a valid sort table, else linear."""
    order = [entry.sort_index for entry in archive.entries]
    folded = [fold(entry.name) for entry in archive.entries]
    key = fold(name)
    low, high = 0, len(order)
    if sorted(order) == [*range(len(order))] and all(folded[a] <= folded[b] for a, b in pairwise(order)):
        while low < high:
            middle = (low + high) // 2
            candidate = folded[order[middle]]
            if key == candidate:
                return folded.index(key)
            low, high = (low, middle) if key < candidate else (middle + 1, high)
        return None
    return folded.index(key) if key in folded else None


few = st.sampled_from([b"a", b"A", b"b", b"B.msh", b"b.MSH", b"\xc0", b"\xe0", b""])


@given(st.lists(few, max_size=8), few, st.lists(st.integers(0, 8), max_size=8))
def test_an_entry_is_found_where_the_engine_does(made: list[bytes], name: bytes, order: list[int]) -> None:
    data = bytearray(build(NewEntry(0, b"", found) for found in made))
    assert Archive.read(data).find(name) == engine_search(Archive.read(data), name)
    for row, place in enumerate(order[: len(made)]):
        at = len(data) - (len(made) - row) * ENTRY.size + ENTRY.field("sort_index").offset
        data[at : at + 4] = place.to_bytes(4, "little")
    archive = Archive.read(data)
    assert archive.find(name) == engine_search(archive, name)


def test_a_file_without_a_directory_is_refused_in_words() -> None:
    with pytest.raises(FormatError, match="raw files, without a directory") as caught:
        Archive.read(b"RIFF" + bytes(60))
    assert (caught.value.rule, caught.value.field) == ("N01", "magic")
