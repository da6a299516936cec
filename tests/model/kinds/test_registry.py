"""What a payload is called, and listings of archives."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from tests import small_files
from viewer.formats import mat0, objects, wear
from viewer.formats.archive import nres, rsli
from viewer.model.kinds.listing import listing
from viewer.model.kinds.registry import kind_of, recognise
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
