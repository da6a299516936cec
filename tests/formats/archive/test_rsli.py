"""RsLi: transform, lookup, every method, every damage, and the libraries of the corpora."""

from __future__ import annotations

import json
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.formats.contract import check_field_change, check_payload
from viewer.errors import FormatError
from viewer.formats.archive import rsli
from viewer.formats.archive.xor_stream import transform
from viewer.formats.part import find, place_at

PLAIN = bytes.fromhex("5A45442E54585400000000000000000040000100150000008000 00000A000000")
STORED = bytes.fromhex("4A587D64963597 49BCD3202354F5313E2CBCF75DAAC31B630FB58AEE4598ABB0")
LZSS_TEXT = bytes.fromhex("BF5041524B414EEDFB21")
TEXT = b"PARKAN PARKAN PARKAN!"


def deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(data) + engine.flush()


def library(
    *entries: tuple[bytes, int, int, bytes], seed: int = 0x5AA5, presorted: int = rsli.PRESORTED
) -> bytes:
    """A library of ``(name, method, unpacked_size, packed)``, listed in name order."""
    start = 32 + 32 * len(entries)
    table = b""
    for index, (name, method, size, packed) in enumerate(entries):
        table += struct.pack("<12s4xHH3I", name, method, index, size, start, len(packed))
        start += len(packed)
    header = struct.pack("<2sBBh8xH4xI8x", b"NL", 0, 1, len(entries), presorted, seed)
    return header + transform(table, seed) + b"".join(packed for *_, packed in entries)


def found(archive: rsli.PackedLibrary) -> list[tuple[str, int | None]]:
    return [(finding.rule, finding.index) for finding in archive.diagnostics]


@pytest.mark.parametrize(
    ("key", "stream"), [(0, "00" * 8), (1, "02060B1E2667BCFD"), (0x1234, "7A87B08FE656B7D4"), (2, "040C163D")]
)
def test_the_key_stream(key: int, stream: str) -> None:
    expected = bytes.fromhex(stream)
    assert transform(bytes(len(expected)), key) == expected


@pytest.mark.parametrize(("method", "rules"), [(0x000, ["R08"]), (0x020, ["R08"]), (0x040, [])])
def test_the_size_of_what_is_stored_unpacked_is_the_stated_one(method: int, rules: list[str]) -> None:
    archive = rsli.PackedLibrary.read(library((b"A", method, 21, LZSS_TEXT), (b"B", 0, 4, b"abcd")))
    assert found(archive) == [(rule, 0) for rule in rules]


def test_the_worked_example_of_a_directory_row() -> None:
    assert transform(PLAIN, 0x00005AA5 & 0xFFFF) == STORED
    row = rsli.ENTRY.row(rsli.ENTRY.read(PLAIN))
    assert row["name"].rstrip(b"\0") == b"ZED.TXT"
    assert (row["flags"], row["sort_to_original"]) == (0x40, 1)
    assert (row["unpacked_size"], row["data_offset"], row["packed_size"]) == (21, 0x80, 10)


@given(st.binary(max_size=300), st.integers(0, 0xFFFF))
def test_the_transform_follows_its_definition_and_undoes_itself(data: bytes, key: int) -> None:
    low, high, expected = key & 0xFF, key >> 8, bytearray()
    for byte in data:
        low = high ^ (low << 1 & 0xFF)
        expected.append(byte ^ low)
        high = low ^ high >> 1
    assert transform(data, key) == expected
    assert transform(expected, key) == data


@pytest.mark.parametrize(
    ("method", "packed", "name"),
    [
        (0x000, TEXT, "raw"),
        (0x020, transform(TEXT, 1), "xor"),
        (0x040, LZSS_TEXT, "lzss"),
        (0x060, transform(LZSS_TEXT, 1), "xor+lzss"),
        (0x100, deflate(TEXT), "deflate"),
    ],
)
def test_every_method(method: int, packed: bytes, name: str) -> None:
    archive = rsli.PackedLibrary.read(library((b"A", 0, 1, b"?"), (b"B", method, 21, packed)))
    assert archive.diagnostics == ()
    assert archive.entries[1].method_name == name
    assert bytes(archive.payload(1)) == TEXT
    assert archive.head(1) == TEXT


def test_an_entry_is_found_in_any_case() -> None:
    archive = rsli.PackedLibrary.read(library((b"ALPHA.BIN", 0, 1, b"a"), (b"TWELVE_CHARS", 0, 1, b"b")))
    assert archive.find(b"alpha.bin") == 0
    assert archive.find(b"twelve_chars") == 1
    assert archive.find(b"beta") is None


def test_an_unsorted_library_is_sorted_by_the_loader_and_the_place_is_the_key() -> None:
    entries = ((b"B", 0x20, 4, transform(b"bbbb", 1)), (b"A", 0x20, 4, transform(b"aaaa", 0)))
    archive = rsli.PackedLibrary.read(library(*entries, presorted=0))
    assert [entry.key for entry in archive.entries] == [1, 0]
    assert [bytes(archive.payload(index)) for index in range(2)] == [b"bbbb", b"aaaa"]


def test_the_trailer_moves_every_payload() -> None:
    data = bytearray(library((b"A", 0, 4, b"0123")))
    data += b"abc" + b"AO" + struct.pack("<I", 2)
    archive = rsli.PackedLibrary.read(data)
    assert archive.overlay == 2
    assert bytes(archive.payload(0)) == b"23ab"


def test_a_trailer_beyond_the_file_is_ignored() -> None:
    archive = rsli.PackedLibrary.read(library((b"A", 0, 4, b"0123")) + b"AO" + struct.pack("<I", 1000))
    assert found(archive) == [("R04", None)]
    assert bytes(archive.payload(0)) == b"0123"


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (bytes(31), "container"),
        (b"NRes" + bytes(28), "container.magic"),
        (b"NL\1\1" + bytes(28), "container.reserved"),
        (b"NL\0\2" + bytes(28), "container.version"),
        (b"NL\0\1\xff\xff" + bytes(26), "container.entry_count"),
        (b"NL\0\1\1\0" + bytes(57), "container.entry_count"),
    ],
)
def test_a_header_that_means_nothing_is_refused_at_its_field(data: bytes, where: str) -> None:
    with pytest.raises(FormatError) as caught:
        rsli.PackedLibrary.read(data)
    assert caught.value.where == where


def test_entries_out_of_name_order_are_still_found() -> None:
    archive = rsli.PackedLibrary.read(library((b"B", 0, 1, b"b"), (b"A", 0, 1, b"a")))
    assert found(archive) == [("R03", 0)]
    assert archive.find(b"a") == 1


def test_sort_values_that_are_no_permutation_stay_keys() -> None:
    data = bytearray(library((b"A", 0x20, 1, b"a"), seed=0))
    data[32 + 18] = 7
    archive = rsli.PackedLibrary.read(data)
    assert found(archive) == [("R03", None)]
    assert bytes(archive.payload(0)) == transform(b"a", 7)


@pytest.mark.parametrize(
    ("entry", "rule", "where"),
    [
        ((b"A", 0x1E0, 4, b"abcd"), "R06", "directory[0].flags"),
        ((b"A", 0x040, 1 << 31, b"abcd"), None, "directory[0].unpacked_size"),
    ],
)
def test_what_cannot_be_unpacked_is_listed(
    entry: tuple[bytes, int, int, bytes], rule: str | None, where: str
) -> None:
    archive = rsli.PackedLibrary.read(library(entry))
    assert found(archive) == ([(rule, 0)] if rule else [])
    with pytest.raises(FormatError) as caught:
        archive.payload(0)
    assert caught.value.where == where


def test_a_payload_outside_the_file_is_listed() -> None:
    archive = rsli.PackedLibrary.read(library((b"A", 0, 4, b"0123"))[:-1])
    assert found(archive) == [("R05", 0)]
    with pytest.raises(FormatError, match="exceeds"):
        archive.payload(0)


def test_deflate_may_end_one_byte_after_the_file() -> None:
    data = library((b"A", 0x100, 21, deflate(TEXT) + b"?"))[:-1]
    archive = rsli.PackedLibrary.read(data)
    assert found(archive) == [("R05", 0)]
    assert bytes(archive.payload(0)) == TEXT


@pytest.mark.parametrize(
    ("method", "size", "packed", "shown"),
    [
        (0x000, 9, b"abcd", b"abcd"),
        (0x040, 21, LZSS_TEXT[:-1], TEXT[:-1]),
        (0x100, 22, deflate(TEXT), TEXT),
        (0x100, 20, deflate(TEXT), TEXT[:-1]),
        (0x100, 9, b"\xff\xff\xff\xff", b""),
    ],
)
def test_what_decodes_is_shown_when_the_size_is_wrong(
    method: int, size: int, packed: bytes, shown: bytes
) -> None:
    unpacked = rsli.PackedLibrary.read(library((b"A", method, size, packed))).unpack(0)
    assert unpacked.data == shown
    assert [(d.rule, d.index) for d in unpacked.diagnostics] == [("R07", 0)]


def test_a_bomb_is_not_unpacked_beyond_its_stated_size() -> None:
    unpacked = rsli.PackedLibrary.read(library((b"A", 0x100, 10, deflate(bytes(10_000_000))))).unpack(0)
    assert unpacked.data == bytes(10)


@given(st.binary(max_size=300), st.integers(-1, 9), st.booleans())
def test_any_bytes_are_read_or_refused(rest: bytes, count: int, is_sorted: bool) -> None:
    data = struct.pack("<4sh8xH", b"NL\0\1", count, rsli.PRESORTED if is_sorted else 0) + rest
    try:
        archive = rsli.PackedLibrary.read(data)
    except FormatError:
        return
    assert rsli.encode(archive) == data
    for entry in archive.entries:
        head = archive.head(entry.index)
        with suppress(FormatError):
            assert bytes(archive.payload(entry.index)[: rsli.HEAD_SIZE]) == head
            assert len(archive.payload(entry.index)) <= entry.unpacked_size


def test_every_payload_of_the_corpora(samples: Path) -> None:
    for reading in ["seed", "field"]:
        truth = json.loads((samples / reading / "truth.json").read_text())["rsli"]
        for path, expected in truth.items():
            archive = rsli.PackedLibrary.read((samples / reading / path).read_bytes())
            assert {entry.text for entry in archive.entries} == set(expected)
            for entry in archive.entries:
                payload = archive.payload(entry.index)
                assert entry.method_name == expected[entry.text]["method"]
                assert len(payload) == expected[entry.text]["size"]
                assert zlib.crc32(payload) == expected[entry.text]["crc"]
            assert archive.diagnostics == ()


def test_the_odd_libraries_of_the_corpora(samples: Path) -> None:
    for name in ["ao_overlay.lib", "ao_zero.lib", "eof_plus_one.lib"]:
        archive = rsli.PackedLibrary.read((samples / "seed" / "odd" / name).read_bytes())
        assert archive.entries
        for entry in archive.entries:
            unpacked = archive.unpack(entry.index)
            assert unpacked.diagnostics == ()
            assert len(unpacked.data) == entry.unpacked_size
        assert found(archive) == ([("R05", 1)] if name.startswith("eof") else [])


def test_a_query_is_cut_to_fifteen_letters() -> None:
    archive = rsli.PackedLibrary.read(library((b"TWELVELETTER", 0, 4, b"0123")))
    assert archive.find(b"twelveletter") == 0
    assert archive.find(b"twelveletterxyz") is None
    assert archive.find(b"TWELVELETTER".ljust(15, b"x") + b"y") is None


ENTRIES = (
    (b"A", 0, 4, b"0123"),
    (b"B", 0x20, 4, transform(b"bbbb", 1)),
    (b"C", 0x100, 21, deflate(TEXT)),
)
WHOLE = library(*ENTRIES) + b"left" + b"AO\0\0\0\0"


def check_library(data: bytes) -> rsli.PackedLibrary:
    archive = rsli.PackedLibrary.read(data)
    check_payload(data, rsli.encode(archive), rsli.parts(archive), archive.diagnostics)
    return archive


def test_a_library_is_taken_apart() -> None:
    root = rsli.parts(check_library(WHOLE))
    assert [child.name for child in root.children] == ["container", "directory", "data", "trailer"]
    names = [part.name for part in root.children[2].children]
    assert names == ["resource_0", "resource_1", "resource_2", "unindexed"]
    found = place_at(root, 32 + 32 + 20)
    assert (found.path, found.row, found.field and found.field.name) == ("directory", 1, "unpacked_size")


def test_the_part_of_the_directory_shows_what_the_transform_hides() -> None:
    directory = find(rsli.parts(check_library(WHOLE)), "directory")
    assert directory is not None
    assert directory.rows is not None
    assert directory.rows["unpacked_size"].tolist() == [4, 4, 21]
    assert bytes(directory.stored) == WHOLE[32 : 32 + 96] != directory.rows.tobytes()


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    archive = check_library(WHOLE)
    check_field_change(archive, rsli.encode, rsli.parts(archive), data, without={"xor_seed"})


def test_another_key_transforms_the_directory_anew() -> None:
    archive = check_library(WHOLE)
    header = archive.header.copy()
    header["xor_seed"] = 77
    changed = rsli.PackedLibrary.read(rsli.encode(replace(archive, header=header)))
    assert changed.rows.tobytes() == archive.rows.tobytes()
    assert changed.entries == archive.entries


def test_payloads_that_share_bytes_or_reach_into_the_directory_tile() -> None:
    data = bytearray(WHOLE)
    rows = rsli.PackedLibrary.read(data).rows.copy()
    rows["data_offset"] = (0, 130, 129)
    rows["packed_size"] = (133, 6, 1)
    data[32 : 32 + 96] = transform(rows.tobytes(), 0x5AA5)
    check_library(bytes(data))


def test_a_trailer_inside_the_directory_is_none() -> None:
    data = bytearray(library((b"A", 0, 0, b"")))
    data[-6:] = b"AO\xff\xff\xff\xff"
    assert check_library(bytes(data)).trailer is None


@given(CHANGES)
def test_any_damage_leaves_a_tree_that_tiles(changes: Changes) -> None:
    with suppress(FormatError):
        check_library(damaged(WHOLE, changes))


def test_the_libraries_of_the_corpora_tile(files: Path) -> None:
    paths = [path for path in files.rglob("*.lib") if path.read_bytes()[:4] == rsli.SIGNATURE]
    assert len(paths) > 5
    for path in paths:
        with suppress(FormatError):
            check_library(path.read_bytes())
