"""Archives as folders: unchanged they come back to the byte, and names never lead anywhere."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpora import SAMPLES
from viewer.errors import FormatError, MshviewError, UsageError
from viewer.formats.archive import nres, nres_edit, rsli
from viewer.formats.text import encode
from viewer.model.store.item import Container, container_of
from viewer.model.write import saving, unpacked_folder
from viewer.model.write.saving import FileNames
from viewer.model.write.unpacked_folder import INDEX, FolderIndex, Unpacking

DEVICES = ["con", "NUL", "aux.txt", "Com1.msh", "LPT9"]
ODD = ["a:b?", "CON", "tail.", "tail ", "Same.msh", "SAME.MSH", "\x01\x1b", "C:x", "a/b", "", "index.json"]
"""Names that some file system refuses, takes for another name or for a device."""
LEADING_OUT = ["..", "../up", "a/../../b", "/etc/x", "\\x", "a\\..\\b", "c:\\x", "c:..\\x"]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)


def archive_of(*names: str) -> nres.Archive:
    payloads = [f"payload of {name}".encode() for name in names]
    entries = [nres.NewEntry(1, data, encode(name)) for name, data in zip(names, payloads, strict=True)]
    return nres.Archive.read(nres.build(entries))


def unpack(container: Container, chosen: Collection[int] | None = None) -> dict[str, bytes]:
    return {name: bytes(data) for name, data in Unpacking(container, chosen)}


def pack(files: dict[str, bytes], base: Container | None = None) -> bytes:
    return unpacked_folder.pack(FolderIndex.parse(files[INDEX]), files.__getitem__, INDEX, base)


def round_trip(data: bytes) -> bytes:
    container = container_of(memoryview(data))
    assert container is not None
    return pack(unpack(container))


def test_an_unchanged_folder_is_the_same_archive() -> None:
    data = bytes(archive_of("a.msh", "A.MSH", "Дом.wea", "", "index.json", "con").data)
    assert round_trip(data) == data


def test_every_archive_of_the_corpora_comes_back(files: Path) -> None:
    for corpus in ["seed", "field", "damaged"]:
        compared = 0
        for path in sorted((files / corpus).rglob("*.*")):
            data = path.read_bytes()
            try:
                is_archive = container_of(memoryview(data)) is not None
            except FormatError:
                continue
            if is_archive:
                assert round_trip(data) == data, path.name
                compared += 1
        assert compared > (20 if files == SAMPLES else 5)


def test_a_changed_file_changes_its_payload_alone() -> None:
    archive = archive_of("one", "two", "three")
    files = unpack(archive)
    files["two"] = b"a payload of quite another length than before"
    result = nres.Archive.read(pack(files))
    assert [bytes(result.payload(i)) for i in range(3)] == [
        b"payload of one",
        files["two"],
        b"payload of three",
    ]


def test_entries_that_share_bytes_come_back_and_change_where_they_are_alone() -> None:
    data = bytearray(archive_of("one", "two").data)
    archive = nres.Archive.read(data)
    row = archive.directory_offset + nres.ENTRY.size + nres.ENTRY.field("data_offset").offset
    data[row : row + 4] = (nres.HEADER.size + 8).to_bytes(4, "little")
    files = unpack(nres.Archive.read(data))
    assert (files["one"], files["two"]) == (b"payload of one", b"of one\0\0payloa")
    assert pack(files) == data
    alone = {**files, "one": b"PAYLOAD of one"}
    assert pack(alone) == data.replace(b"payload of one", b"PAYLOAD of one")
    same = {**files, "one": b"payload OF one", "two": b"OF one\0\0payloa"}
    assert pack(same) == data.replace(b"payload of one", b"payload OF one")
    for changed in ({**files, "one": b"payload OF one"}, {**files, "two": b"longer than it was"}):
        with pytest.raises(FormatError, match=r"overlaps the payload of entry [01]") as error:
            pack(changed)
        assert (error.value.table, error.value.field) == ("directory", "data_offset")


def test_of_chosen_entries_the_index_holds_nothing_else() -> None:
    archive = archive_of("one", *(f"another {row}" for row in range(1000)))
    files = unpack(archive, [0])
    assert set(files) == {INDEX, "one"}
    assert len(files[INDEX]) < 500
    with pytest.raises(UsageError, match="--base"):
        pack(files)


def test_chosen_entries_are_replaced_in_the_archive_that_is_given() -> None:
    archive = archive_of("one", "two", "three")
    files = unpack(archive, [1])
    assert pack(files, archive) == archive.data
    files["two"] = b"changed, and longer than it was"
    assert pack(files, archive) == nres_edit.rewrite(archive, {1: files["two"]})


@pytest.mark.parametrize("names", [("two", "one"), ("one",)])
def test_entries_are_not_replaced_in_another_archive(names: tuple[str, ...]) -> None:
    files = unpack(archive_of("one", "two"), [1])
    with pytest.raises(FormatError, match=r"entries\[0\]\.(name|index)"):
        pack(files, archive_of(*names))


def test_a_library_is_no_base_for_the_entries_of_an_archive(files: Path) -> None:
    library = rsli.PackedLibrary.read((files / "seed/game/sprites.lib").read_bytes())
    with pytest.raises(FormatError, match="kind"):
        pack(unpack(archive_of("one"), [0]), library)


def test_repeated_and_reserved_names_get_files_of_their_own() -> None:
    names = ["x.msh", "X.MSH", "x.msh", "INDEX.JSON", *DEVICES, *ODD, "a\\b", "dot.", "sp ", "q?*", "50%"]
    archive = archive_of(*names)
    files = unpack(archive)
    assert len({name.casefold() for name in files}) == len(archive.entries) + 1
    for name in files:
        assert name.isprintable()
        assert not set(name) & set('<>:"/\\|?*')
        assert name.rstrip(". ") == name
        assert name.partition(".")[0].casefold() not in {"con", "nul", "aux", "com1", "lpt9"}
    rows = json.loads(files[INDEX])["entries"]
    for entry, row in zip(archive.entries, rows, strict=True):
        assert row["name"] == entry.text
        assert files[row["file"]] == archive.payload(entry.index)
    assert pack(files) == archive.data


@pytest.mark.parametrize("name", LEADING_OUT)
def test_only_a_name_that_would_leave_the_folder_is_refused(name: str) -> None:
    archive = archive_of("good", name, "fine")
    unpacking = Unpacking(archive)
    files = {file: bytes(data) for file, data in unpacking}
    assert set(files) == {INDEX, "good", "fine"}
    assert unpacking.count == 2
    assert [(finding.index, repr(name) in finding.message) for finding in unpacking.refused] == [(1, True)]
    assert pack(files) == archive.data


@given(st.lists(st.binary(max_size=12).filter(lambda raw: 0 not in raw), max_size=8))
def test_any_names_are_safe(names: list[bytes]) -> None:
    data = nres.build(nres.NewEntry(0, b"%d" % i, name) for i, name in enumerate(names))
    files = unpack(nres.Archive.read(data))
    assert pack(files) == data
    assert all(Path(name).name == name for name in files)


def test_a_name_is_kept_where_nothing_is_against_it() -> None:
    assert FileNames([INDEX]).add("Дом №5 (old).msh", 0) == "Дом №5 (old).msh"


def test_every_name_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(text: str) -> str:
        calls.append(text)
        return text.casefold()

    monkeypatch.setattr(saving, "folded_name", counted)
    unpack(archive_of(*(f"{row}.msh" for row in range(300)), *["same"] * 300))
    assert len(calls) < 600 * 4


class CountedEntries(tuple[nres.Entry, ...]):
    """The entries of an archive, and how often somebody goes through all of them."""

    __slots__ = ()
    passes: ClassVar[int] = 0

    def __iter__(self) -> Iterator[nres.Entry]:
        CountedEntries.passes += 1
        return super().__iter__()


def test_changed_payloads_are_placed_in_a_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    archive = archive_of(*(f"{row}.msh" for row in range(300)))
    files = unpack(archive)
    changed = {name: data + b"and more" for name, data in files.items() if name != INDEX}
    kept = CountedEntries(archive.entries)
    monkeypatch.setattr(nres.Archive, "entries", kept)
    CountedEntries.passes = 0
    packed = pack({**files, **changed}, archive)
    monkeypatch.undo()
    assert bytes(nres.Archive.read(packed).payload(299)).endswith(b"299.msh" + b"and more")
    assert CountedEntries.passes < 20


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"version": 2}, "version"),
        ({"version": True}, "version"),
        ({"version": 1.0}, "version"),
        ({"kind": "zip"}, "kind"),
        ({"kind": []}, "kind"),
        ({"kind": {}}, "kind"),
        ({"size": -1}, "size"),
        ({"size": True}, "size"),
        ({"size": 1 << 40}, "size"),
        ({"size": 1 << 40, "entries": [{"index": 0, "file": "x", "size": 1 << 40}]}, "size"),
        ({"rest": 5}, "rest"),
        ({"rest": [{"offset": 1 << 50, "bytes": "AAAA"}]}, "rest[0].offset"),
        ({"rest": [{"offset": 0, "bytes": "?"}]}, "rest[0].bytes"),
        ({"rest": [{"offset": 0, "bytes": ["AAAA"]}]}, "rest[0].bytes"),
        ({"rest": [{"offset": True, "bytes": "AAAA"}]}, "rest[0].offset"),
        ({"entries": [{"index": 0, "file": "../../x", "size": 3}]}, "entries[0].file"),
        ({"entries": [{"index": "0", "file": "x", "size": 3}]}, "entries[0].index"),
        ({"entries": [{"index": True, "file": "x", "size": 3}]}, "entries[0].index"),
        ({"entries": [{"index": 0, "file": "x", "size": True}]}, "entries[0].size"),
        ({"entries": [{"index": 0, "name": 7}]}, "entries[0].name"),
        ({"entries": [{"index": 0, "file": "one"}, {"index": 0, "file": "x"}]}, "entries[1].index"),
        ({"entries": [{"index": 0}, {"index": 0}]}, "entries[1].index"),
        ({"entries": [{"index": 1, "file": "one", "size": 99}]}, "entries[0].index"),
    ],
)
def test_a_broken_index_is_refused_at_its_place(change: dict[str, object], where: str) -> None:
    document = json.loads(unpack(archive_of("one"))[INDEX]) | change
    files = {"x": b"abc", "one": b"payload of one", INDEX: json.dumps(document).encode()}
    with pytest.raises(MshviewError) as caught:
        pack(files)
    assert str(caught.value).removeprefix(f"{INDEX}: ").startswith(f"{where}: "), str(caught.value)


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff", b"[" * 5000, b'{"version": 1}'])
def test_what_is_no_index_is_refused(text: bytes) -> None:
    with pytest.raises(FormatError):
        FolderIndex.parse(text)


@given(field=st.sampled_from(["version", "kind", "size", "rest", "entries"]), value=JSON)
def test_any_value_in_the_index_is_taken_or_refused(field: str, value: object) -> None:
    document = json.loads(unpack(archive_of("one"))[INDEX]) | {field: value}
    with_index(json.dumps(document).encode())


@given(
    table=st.sampled_from(["rest", "entries"]),
    field=st.sampled_from(["index", "name", "file", "size", "crc32", "offset", "bytes"]),
    value=JSON,
)
def test_any_value_in_a_row_is_taken_or_refused(table: str, field: str, value: object) -> None:
    document = json.loads(unpack(archive_of("one"))[INDEX])
    document[table][0][field] = value
    with_index(json.dumps(document).encode())


def with_index(index: bytes) -> None:
    """Pack with an index; anything but an error of ours goes through."""

    def read(name: str) -> bytes:
        if name != "one":
            raise UsageError("no such file")
        return b"payload of one"

    try:
        unpacked_folder.pack(FolderIndex.parse(index), read)
    except MshviewError:
        return
