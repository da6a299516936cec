"""What a payload is called, and listings of archives."""

from __future__ import annotations

import json
import struct
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import small_files
from tests.formats.contract import check_tree
from tests.formats.payloads import payloads
from viewer.errors import FormatError
from viewer.formats import mat0, objects, wear
from viewer.formats.archive import nres, rsli
from viewer.model.checks.payload import Payload
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.plain import describe, listing
from viewer.model.kinds.registry import KINDS, by_id, kind_of, recognise, tables
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

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
