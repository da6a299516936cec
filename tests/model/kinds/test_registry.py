"""What a payload is called, and listings of archives.

The kinds of all entries at once are those of the entries one by one.
"""

from __future__ import annotations

import json
import struct
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import small_files
from tests.broken import games
from tests.builders import archive_of
from tests.formats.contract import check_tree
from tests.formats.payloads import payloads
from tests.gui.conftest import crane
from viewer.errors import FormatError
from viewer.formats import mat0, objects, wear
from viewer.formats.archive import nres, rsli
from viewer.formats.msh.tables import TABLES
from viewer.formats.text import fold, names_of, until_nul
from viewer.model.checks.payload import Payload
from viewer.model.kinds.entry_kinds import (
    LONGEST_SUFFIX,
    EntryKinds,
    _decided,
    entry_kind,
    entry_kinds,
    suffix_words,
)
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.plain import describe, listing
from viewer.model.kinds.registry import KINDS, TABLE_TYPES, by_id, kind_of, recognise, tables
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container

EMPTY_ARCHIVE = nres.build([])
TABLES_OF_A_MODEL = nres.build([nres.NewEntry(type_id, b"") for type_id in (1, 2, 3, 6, 13)])
TERRAIN = nres.build([nres.NewEntry(type_id, b"") for type_id in (3, 21)])
REFERENCES = objects.build([(b"static.rlb", b"a.msh")])


def letters(text: bytes) -> int:
    return int.from_bytes(text, "little")


@pytest.mark.parametrize(
    ("type_id", "payload", "name", "expected"),
    [
        (letters(b"MESH"), EMPTY_ARCHIVE, b"a.msh", "msh"),
        (letters(b"ODDS"), TABLES_OF_A_MODEL, b"", "msh"),
        (0, TERRAIN, b"Land.msh", "msh"),
        (0, EMPTY_ARCHIVE, b"", "nres"),
        (0, b"NRes", b"", "nres"),
        (0, b"NL\0\1", b"", "rsli"),
        (0, b"Texm", b"", "texm"),
        (letters(b"WEAR"), b"", b"", "wear"),
        (letters(b"MAT0"), b"", b"", "mat0"),
        (letters(b"FXID"), b"", b"", "fxid"),
        (letters(b"Texm"), b"", b"", "texm"),
        (1, b"", b"", "nodes"),
        (8, b"", b"", "keys"),
        (0, wear.build([b"A"]), b"A.WEA", "wear"),
        (0, b"", b"broken.wea", "wear"),
        (0, b"", b"loose.mat0", "mat0"),
        (0, b"", b"loose.fxid", "fxid"),
        (0, b"Tex", b"loose.texm", "texm"),
        (letters(b"CTPT"), bytes(4), b"a.cpt", "control_points"),
        (letters(b"CTPT"), b"noise", b"a.cpt", "CTPT"),
        (letters(b"STAT"), REFERENCES, b"a", "objects"),
        (letters(b"STAT"), REFERENCES + b"?", b"a", "STAT"),
        (letters(b"PAL"), b"", b"", "PAL"),
        (0xFFFFFFFF, b"", b"", "4294967295"),
        (0, b"", b"", "0"),
    ],
)
def test_what_a_payload_is(type_id: int, payload: bytes, name: bytes, expected: str) -> None:
    assert recognise(type_id, memoryview(payload), name).id == expected


def test_a_file_is_judged_by_its_name_and_an_entry_by_its_own(tmp_path: Path) -> None:
    path = tmp_path / "lib.mat0"
    path.write_bytes(b"")
    assert kind_of(FileStore().open(Address(path))).id == "mat0"
    path.write_bytes(nres.build([nres.NewEntry(letters(b"FXID"), b"", b"boom")]))
    assert kind_of(FileStore().open(Address(path))).id == "nres"
    assert kind_of(FileStore().open(Address(path, ("boom",)))).id == "fxid"


def test_a_listing_has_every_attribute() -> None:
    entry = nres.NewEntry(letters(b"MAT0"), mat0.build([]), b"Stone", 1, 6, 3)
    (row,) = listing(nres.Archive.read(nres.build([entry])))
    assert row == {
        "index": 0, "name": "Stone", "type": letters(b"MAT0"), "type_name": "mat0", "size": 14, "offset": 16,
        "attr1": 1, "attr2": 6, "attr3": 3, "sort_index": 0, "packed_size": None, "method": None,
    }  # fmt: skip


def test_a_damaged_entry_is_listed() -> None:
    data = bytearray(nres.build([nres.NewEntry(letters(b"MAT0"), b"payload")]))
    data[-8:-4] = struct.pack("<I", 1 << 30)
    (row,) = listing(nres.Archive.read(data))
    assert (row["type_name"], row["offset"]) == ("mat0", 1 << 30)


def test_a_packed_listing_has_its_method() -> None:
    rows = {row["name"]: row for row in listing(rsli.PackedLibrary.read(small_files.packed()))}
    assert rows["LZTEXT.TXT"]["method"] == "lzss"
    assert rows["LZTEXT.TXT"]["packed_size"] < rows["LZTEXT.TXT"]["size"] == len(small_files.TEXT)
    assert rows["STONE.TEX"]["type_name"] == "texm"


def test_listings_of_the_corpora(samples: Path) -> None:
    for reading in ["seed", "field"]:
        truth = json.loads((samples / reading / "truth.json").read_text())["archives"]
        for path, expected in truth.items():
            data = (samples / reading / path).read_bytes()
            if expected["entries"] is None or data[:4] != nres.MAGIC:
                continue
            rows = listing(nres.Archive.read(data))
            keys = ("name", "type", "attr1", "attr2", "attr3", "size")
            assert [[row[key] for key in keys] for row in rows] == [
                entry[:6] for entry in expected["entries"]
            ]


def test_every_entry_of_a_library_has_its_kind(files: Path) -> None:
    for library, expected in [
        ("Material.lib", "mat0"),
        ("Textures.lib", "texm"),
        ("LightMap.lib", "texm"),
        ("effects.rlb", "fxid"),
        ("objects.rlb", "objects"),
    ]:
        archive = nres.Archive.read((files / "field" / "game" / library).read_bytes())
        assert {row["type_name"] for row in listing(archive) if row["size"]} == {expected}


ALL = (*KINDS, *tables().values())
each = pytest.mark.parametrize("kind", ALL, ids=[kind.id for kind in ALL])


def decoded(kind: Kind, data: memoryview, entry: nres.Entry | None = None) -> Any:
    """The value, None if the payload is refused."""
    try:
        return kind.decode(data, entry)
    except FormatError:
        return None


@each
def test_a_kind_names_a_codec_and_rules_that_exist(kind: Kind) -> None:
    assert {"decode", "encode", "parts"} <= {*dir(kind.codec)}
    if kind.rules:
        module, _, name = kind.rules.partition(":")
        assert callable(getattr(import_module(module), name))


def test_no_two_kinds_claim_the_same() -> None:
    ids = [kind.id for kind in ALL]
    assert len(set(ids)) == len(ids)
    type_ids = [type_id for kind in ALL for type_id in kind.type_ids]
    assert len(set(type_ids)) == len(type_ids)
    suffixes = [suffix for kind in KINDS for suffix in kind.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(by_id(name).id == name for name in ids)


@each
def test_all_payloads_come_back_and_are_tiled(kind: Kind, subtests: pytest.Subtests) -> None:
    for payload in payloads(kind.id):
        value = decoded(kind, payload.data, payload.entry)
        if value is not None:
            with subtests.test(payload.address):
                assert kind.encode(value) == payload.data
                check_tree(bytes(payload.data), kind.parts(value))


@pytest.mark.parametrize("kind", KINDS, ids=[kind.id for kind in KINDS])
def test_there_is_a_file_of_every_kind(kind: Kind) -> None:
    assert payloads(kind.id)


@each
@given(data=st.binary(max_size=300))
def test_any_bytes_are_refused_or_come_back(kind: Kind, data: bytes) -> None:
    start = kind.magic + data
    value = decoded(kind, memoryview(start))
    if value is not None:
        assert kind.encode(value) == start
        check_tree(start, kind.parts(value))


@each
@given(data=st.binary(max_size=200))
def test_any_bytes_are_checked_and_described_or_refused(kind: Kind, data: bytes) -> None:
    payload = memoryview(kind.magic + data)
    for use in (lambda: kind.check(Payload(payload)), lambda: describe(kind, payload)):
        try:
            use()
        except FormatError:
            continue


def test_what_nobody_knows_has_no_codec() -> None:
    kind = recognise(int.from_bytes(b"ABCD", "little"), memoryview(b"12345"))
    assert (kind.id, kind.is_known, kind.is_checked) == ("ABCD", False, False)


MODEL_BYTES = crane().build()
PAYLOADS = (
    b"",
    b"Texm",
    b"Tfnt1234",
    MODEL_BYTES,
    b"NL\0\1",
    archive_of({"a": b"b"}),
    b"NRes",
    bytes(768),
    bytes(64),
)
NAMES = ("a", "wea", "a.WEA", "b.texm", "c.mat0", "d.msh", "e.lib", "f.pal", "g.ndp", "h.fxid.bak", "i.texmx")
TYPES = (0, 1, 5, *(type_id for kind in KINDS for type_id in kind.type_ids))


def one_by_one(container: Container) -> list[str]:
    assert isinstance(container, nres.Archive)
    found = []
    for entry in container.entries:
        data = memoryview(b"") if entry.is_damaged else container.payload(entry.index)
        found.append(recognise(entry.type_id, data, entry.name).id)
    return found


def listed(container: Container) -> list[str]:
    kinds = entry_kinds(container, names_of(container.rows["name"]))
    return [kinds[index] for index in range(len(container.entries))]


@given(
    st.lists(
        st.tuples(st.sampled_from(TYPES), st.sampled_from(PAYLOADS), st.sampled_from(NAMES)), max_size=40
    )
)
def test_kinds_of_an_archive(entries: list[tuple[int, bytes, str]]) -> None:
    data = nres.build(nres.NewEntry(type_id, payload, name.encode()) for type_id, payload, name in entries)
    archive = nres.Archive.read(data)
    assert listed(archive) == one_by_one(archive)


def test_names_and_bytes_that_say_nothing_are_not_looked_at_one_by_one() -> None:
    entries = [nres.NewEntry(5, b"%4d" % number, b"a.%d" % number) for number in range(1000)]
    archive = nres.Archive.read(nres.build([*entries, nres.NewEntry(0, b"", b"a.wea")]))
    with patch("viewer.model.kinds.entry_kinds._decided", wraps=_decided) as decided:
        assert listed(archive) == one_by_one(archive)
    assert decided.call_count == 2


def test_a_description_without_a_type_is_known_by_its_bytes() -> None:
    payloads = (b"//G1 tab\r\n", b"//Gx", b"//", b"//g", b"//GG" * 16)
    entries = [nres.NewEntry(type_id, it, b"a.txt") for type_id in (0, 5) for it in payloads]
    archive = nres.Archive.read(nres.build(entries))
    assert listed(archive) == one_by_one(archive)
    assert "description" in listed(archive)


def test_a_payload_outside_the_archive_is_known_by_type_and_name() -> None:
    data = nres.build([nres.NewEntry(0, b"Texm", b"a.wea"), nres.NewEntry(5, b"Texm", b"b")])
    archive = nres.Archive.read(data)
    rows = archive.rows.copy()
    rows["data_offset"] = 1 << 31
    damaged = nres.Archive(archive.data, archive.header, rows, archive.total_size)
    assert listed(damaged) == one_by_one(damaged)
    assert listed(damaged)[0] == "wear"


def test_kinds_of_the_samples(files: Path) -> None:
    for pattern in ["field", "seed"]:
        library, seen = FileStore(), set()
        for path in sorted((files / pattern).rglob("*")):
            container = library.open(Address(path)).container if path.is_file() else None
            if isinstance(container, nres.Archive):
                assert listed(container) == one_by_one(container), path
                seen |= {*listed(container)}
        assert len(seen) > 3


@given(st.lists(st.binary(max_size=36), min_size=1, max_size=8))
def test_suffixes_are_those_of_the_names(names: list[bytes]) -> None:
    fields = np.array([name.ljust(36, b"\0") for name in names], "V36")
    expected = [fold(until_nul(name).rpartition(b".")[2])[:LONGEST_SUFFIX] for name in names]
    words = suffix_words(names_of(fields)).tolist()
    assert [word.to_bytes(8, "little").rstrip(b"\0") for word in words] == expected


def test_kinds_are_asked_for_together() -> None:
    kinds = EntryKinds.of(["wear", "texm", "wear"])
    assert kinds.are(frozenset({"wear", "msh"})).tolist() == [True, False, True]
    assert EntryKinds.of([]).are(frozenset({"wear"})).tolist() == []


def test_the_kind_of_one_entry_is_that_in_the_list() -> None:
    archive = nres.Archive.read(games.static())
    listed = entry_kinds(archive)
    assert [entry_kind(archive, index) for index in range(len(archive.entries))] == [
        listed.ids[code] for code in listed.codes
    ]


def test_type_ids_of_tables_are_known_before_the_tables_are_loaded() -> None:
    assert [*TABLES] == [*TABLE_TYPES]
