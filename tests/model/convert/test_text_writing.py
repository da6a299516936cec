"""The text of a resource: it has every byte, a row a line, and nothing that follows from the rest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.formats.archive.test_rsli import deflate, library
from tests.formats.payloads import payloads
from tests.share import some
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.part import walk
from viewer.formats.record import Bytes
from viewer.model.convert.text.reading import bytes_of, resource_of
from viewer.model.convert.text.writing import text_of
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import KINDS, by_id, promised_kind, tables
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

GAME = Path(__file__).parents[3] / "assets" / "game"
MODEL = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]}), Node("arm", parent=0)]).build()


STRINGS = nres.Entry(0, 10, 2, 0, 0, 0, b"Res10".ljust(36, b"\0"), 0, 0)


def text(kind: str | Kind, data: Bytes, entry: nres.Entry | None = None) -> str:
    return "".join(text_of(kind if isinstance(kind, Kind) else by_id(kind), data, entry))


def files_of(folder: Path) -> list[Path]:
    return sorted(it for it in folder.rglob("*") if it.is_file() and it.suffix not in {".json", ".md", ".py"})


def resources(value: Any) -> Iterator[tuple[str, bool]]:
    """The kinds in a text, and whether they are taken apart."""
    if isinstance(value, dict):
        if isinstance(kind := value.get("kind"), str) and not value.keys() & {"word", "bits"}:
            yield kind, "bytes" not in value
        for member in value.values():
            yield from resources(member)
    elif isinstance(value, list):
        for member in value:
            yield from resources(member)


def check_all(tried: Iterable[Path]) -> Counter[tuple[str, bool]]:
    """Check that every file comes back; return what is in them."""
    kinds: Counter[tuple[str, bool]] = Counter()
    for path in tried:
        item = FileStore().open(Address(path))
        written = text(promised_kind(item), item.data)
        assert bytes_of(written.encode()) == bytes(item.data), path.name
        if len(written) < 1 << 18:
            kinds.update(resources(json.loads(written)))
    return kinds


def test_every_file_of_the_corpora_comes_back(files: Path) -> None:
    kinds = check_all(files_of(files / "field"))
    for kind in ("msh", "nres", "rsli", "texm", "mat0", "wear", "objects", "fxid"):
        assert kinds[kind, True], kind
    kinds += check_all(some(files_of(files / "seed"), files))
    known = {it.id for it in (*KINDS, *tables().values())}
    assert not [kind for kind, is_apart in kinds if kind in known and not is_apart]


def test_every_damaged_file_comes_back(files: Path) -> None:
    kinds = check_all(some(files_of(files / "damaged"), files))
    assert sum(kinds.values()) > 30


def test_every_file_of_the_bundled_sample_comes_back() -> None:
    assert check_all(files_of(GAME))["nres", True]


def test_every_part_has_a_form() -> None:
    for kind in KINDS:
        if kind.is_archive or kind.id == "msh":
            continue
        layout = kind.layout()
        assert layout is not None, kind.id
        names = [*layout.by_part]
        for payload in payloads(kind.id)[-3:]:
            root = kind.parts(kind.decode(payload.data, payload.entry))
            found = [
                names.index(part.name)
                for path, part in walk(root)
                if path and "." not in path and "[" not in path
            ]
            assert found == sorted(found), kind.id


@given(st.binary(max_size=200), st.sampled_from([*KINDS, by_id("unknown")]))
def test_any_bytes_come_back(data: bytes, kind: Kind) -> None:
    assert bytes_of(text(kind, data).encode()) == data


@given(st.lists(st.integers(0, 0xFFFFFFFF), min_size=1, max_size=8))
def test_any_bits_of_a_float_come_back(bits: list[int]) -> None:
    data = np.array(bits * 3, "<u4").tobytes()
    entry = nres.Entry(0, 3, 0, 0, len(data), 12, b"x".ljust(36, b"\0"), 0, 0)
    assert bytes_of(text("positions", data, entry).encode()) == data


def test_numbers_are_short_and_what_is_no_number_is_its_bits() -> None:
    words = np.array([0x3DCCCCCD, 0x80000000, 0x7FC00000, 0x7FC00001, 0xFF800000, 1], "<u4")
    found = json.loads(text("positions", words.tobytes()))["positions"]
    assert found == [[0.1, 0.0, "nan"], ["0x7fc00001", "-inf", 1e-45]]
    assert str(found[0][1]) == "-0.0"


def test_a_row_is_a_line() -> None:
    lines = text("msh", MODEL).splitlines()
    rows = [line for line in lines if '"parent"' in line]
    assert [json.loads(row.rstrip(","))["parent"] for row in rows] == [None, 0]
    named = text("strings", b"\4\0\0\0hull\0" + bytes(4), STRINGS)
    assert '  "hull",' in named.splitlines()


def test_long_bytes_are_lines_of_32() -> None:
    found = json.loads(text("unknown", bytes(range(0x80, 0xC5))))["bytes"]
    assert [len(line) for line in found] == [64, 64, 10]
    assert json.loads(text("unknown", b"\x00\xff"))["bytes"] == "00ff"


def test_the_text_of_an_unknown_kind_is_its_lines() -> None:
    data = "Жук = 1\r\nx\t=2".encode("cp1251")
    assert json.loads(text("unknown", data))["text"] == ["Жук = 1\r\n", "x\t=2"]


def test_characters_that_terminals_obey_are_escaped() -> None:
    written = text("wear", b"1\r\n0 A\x9b\x1b[31m\x98 \x85\r\n")
    assert written.isprintable() or all(it.isprintable() or it == "\n" for it in written)


def test_what_follows_from_the_rest_is_left_out() -> None:
    document = json.loads(text("nres", archive_of({"a.wea": b"1\r\n0 A\r\n", "b.msh": MODEL})))
    assert [*document] == ["format", "version", "kind", "entries"]
    wear, model = document["entries"]
    assert wear["material_count"] == {}
    assert wear["materials"] == [{"number": 0, "name": "A"}]
    assert {*model["entries"][0]} == {"type", "name", "kind", "nodes"}


def test_sizes_of_packed_entries_follow_from_their_payloads() -> None:
    wear = b"1\r\n0 A\r\n"
    # The game reads a Deflate stream whose last byte is missing: its stored size is one too many.
    whole = library((b"A.WEA", 0x100, len(wear), deflate(wear)))
    for data, is_whole in ((whole, True), (whole[:-1], False)):
        (entry,) = json.loads(text("rsli", data))["entries"]
        assert entry["kind"] == "wear"
        assert ("packed_size" not in entry) == is_whole


def test_what_does_not_follow_is_there() -> None:
    data = bytearray(archive_of({"b.wea": b"3\n0  A\r\n", "a": b"\x01"}))
    rows = np.frombuffer(data, nres.ENTRY.dtype, 2, len(data) - 128)
    assert [*rows["sort_index"]] == [1, 0]
    archive = nres.Archive.read(data)
    data[archive.directory_offset - 1] = 7
    data[archive.directory_offset + nres.ENTRY.field("sort_index").offset] = 0
    data[archive.directory_offset + nres.ENTRY.field("name").offset + 20] = 9
    document = json.loads(text("nres", bytes(data)))
    assert document["layout"] == [0, 1, "00000000000007"]
    wear, other = document["entries"]
    assert wear["material_count"] == {"count": 3, "rest": "\n"}
    assert wear["materials"] == [{"number": 0, "gap": "  ", "name": "A"}]
    assert wear["name"] == {"text": "b.wea", "after": "0" * 28 + "09"}
    assert (wear["sort_index"], other["sort_index"]) == (0, 0)
    assert bytes_of(json.dumps(document).encode()) == data


def test_payloads_outside_of_the_area_and_inside_each_other_come_back() -> None:
    data = bytearray(archive_of({"a": bytes(range(40)), "b": bytes(9), "c": b"x" * 16}))
    archive = nres.Archive.read(bytes(data))
    rows = np.frombuffer(data, nres.ENTRY.dtype, 3, archive.directory_offset)
    rows["data_offset"][1], rows["size"][2] = 20, 1 << 20
    document = json.loads(text("nres", bytes(data)))
    assert ["kind" in it for it in document["entries"]] == [True, False, False]
    assert document["entries"][1]["data_offset"] == 20
    assert bytes_of(json.dumps(document).encode()) == data


def test_archives_in_each_other_end_as_bytes() -> None:
    data = b"\0"
    for _ in range(40):
        data = archive_of({"x": data})
    written = text("nres", data)
    assert written.count('"entries"') == 8
    assert bytes_of(written.encode()) == data


def test_an_entry_is_described() -> None:
    payload = next(it for it in payloads("mat0") if it.entry)
    assert payload.entry is not None
    found = resource_of(text("mat0", payload.data, payload.entry).encode())
    assert found.entry is not None
    assert found.entry[1:4] == payload.entry[1:4]
    assert found.entry.name == payload.entry.name
    assert found.data == payload.data


@pytest.mark.parametrize("version", range(7))
def test_short_headers_of_old_materials_come_back(version: int) -> None:
    data = mat0.build([mat0.PhaseRecord(b"A")])
    data = data[: mat0.header_size(version)] + data[mat0.HEADER.size :]
    entry = nres.Entry(0, 0x3054414D, 0, version, len(data), 0, b"x".ljust(36, b"\0"), 0, 0)
    written = text("mat0", data, entry)
    assert "phases" in json.loads(written)
    assert bytes_of(written.encode()) == data


def test_the_same_bytes_have_the_same_text() -> None:
    assert text("msh", MODEL) == text("msh", bytearray(MODEL))
