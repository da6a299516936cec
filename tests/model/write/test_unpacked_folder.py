"""Archives as folders: unchanged they come back to the byte, and names never lead anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import FormatError, MshviewError, UsageError
from viewer.formats.archive import nres
from viewer.formats.text import encode
from viewer.model.store.file_store import container_of
from viewer.model.write.unpacked_folder import INDEX, file_name, pack, unpack

DEVICES = ["con", "NUL", "aux.txt", "Com1.msh", "LPT9"]


def archive_of(*names: str) -> nres.Archive:
    payloads = [f"payload of {name}".encode() for name in names]
    entries = [nres.NewEntry(1, data, encode(name)) for name, data in zip(names, payloads, strict=True)]
    return nres.Archive.read(nres.build(entries))


def round_trip(data: bytes) -> bytes:
    container = container_of(memoryview(data))
    assert container is not None
    files = unpack(container)
    return pack(files[INDEX], files.__getitem__)


def test_an_unchanged_folder_is_the_same_archive() -> None:
    data = bytes(archive_of("a.msh", "A.MSH", "Дом.wea", "", "index.json", "con").data)
    assert round_trip(data) == data


@pytest.mark.parametrize("corpus", ["seed", "field", "damaged"])
def test_every_archive_of_the_corpora_comes_back(samples: Path, corpus: str) -> None:
    compared = 0
    for path in sorted((samples / corpus).rglob("*.*")):
        data = path.read_bytes()
        try:
            is_archive = container_of(memoryview(data)) is not None
        except FormatError:
            continue
        if is_archive:
            assert round_trip(data) == data, path.name
            compared += 1
    assert compared > 20


def test_a_changed_file_changes_its_payload_alone() -> None:
    archive = archive_of("one", "two", "three")
    files = unpack(archive)
    files["two"] = b"a payload of quite another length than before"
    result = nres.Archive.read(pack(files[INDEX], files.__getitem__))
    assert [bytes(result.payload(i)) for i in range(3)] == [
        b"payload of one",
        files["two"],
        b"payload of three",
    ]


def test_entries_not_chosen_stay_in_the_index() -> None:
    archive = archive_of("one", "two", "three")
    files = unpack(archive, [1])
    assert set(files) == {INDEX, "two"}
    assert pack(files[INDEX], files.__getitem__) == archive.data


def test_repeated_and_reserved_names_get_files_of_their_own() -> None:
    archive = archive_of(
        "x.msh", "X.MSH", "x.msh", "INDEX.JSON", *DEVICES, "a/b", "a\\b", "dot.", "sp ", "q?*", "50%"
    )
    files = unpack(archive)
    assert len({name.casefold() for name in files}) == len(archive.entries) + 1
    for name in files:
        assert not set(name) & set('<>:"/\\|?*')
        assert name.rstrip(". ") == name
        assert name.partition(".")[0].casefold() not in {"con", "nul", "aux", "com1", "lpt9"}
    rows = json.loads(files[INDEX])["entries"]
    for entry, row in zip(archive.entries, rows, strict=True):
        assert files[row["file"]] == archive.payload(entry.index)


@pytest.mark.parametrize("name", ["..", "../up", "a/../../b", "/etc/x", "\\x", "C:x", "a\\..\\b", "c:\\x"])
def test_a_name_that_would_leave_the_folder_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="folder"):
        unpack(archive_of("good", name))


@given(st.lists(st.binary(max_size=12).filter(lambda raw: 0 not in raw), max_size=8))
def test_any_names_are_safe_or_refused(names: list[bytes]) -> None:
    data = nres.build(nres.NewEntry(0, b"%d" % i, name) for i, name in enumerate(names))
    try:
        files = unpack(nres.Archive.read(data))
    except UsageError:
        return
    assert pack(files[INDEX], files.__getitem__) == data
    assert all(Path(name).name == name for name in files)


def test_a_name_is_kept_where_nothing_is_against_it() -> None:
    assert file_name("Дом №5 (old).msh", 0, [INDEX]) == "Дом №5 (old).msh"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"version": 2}, "version"),
        ({"kind": "zip"}, "kind"),
        ({"size": -1}, "size"),
        ({"size": 1 << 40}, "size"),
        ({"size": 1 << 40, "entries": [{"index": 0, "file": "x", "size": 1 << 40}]}, "size"),
        ({"rest": 5}, "rest"),
        ({"rest": [{"offset": 1 << 50, "bytes": "AAAA"}]}, "rest[0].offset"),
        ({"rest": [{"offset": 0, "bytes": "?"}]}, "rest[0].bytes"),
        ({"entries": [{"index": 0, "file": "../../x", "size": 3}]}, "entries[0].file"),
        ({"entries": [{"index": "0", "file": "x", "size": 3}]}, "entries[0].index"),
        ({"entries": [{"index": 0, "file": "x", "size": True}]}, "entries[0].size"),
    ],
)
def test_a_broken_index_is_refused_at_its_place(change: dict[str, object], where: str) -> None:
    document = json.loads(unpack(archive_of("one"))[INDEX]) | change
    with pytest.raises(MshviewError) as caught:
        pack(json.dumps(document).encode(), {"x": b"abc", "one": b"payload of one"}.__getitem__)
    assert str(caught.value).startswith(f"{INDEX}: {where}: ")


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff", b"[" * 5000, b'{"version": 1}'])
def test_what_is_no_index_is_refused(text: bytes) -> None:
    with pytest.raises(FormatError, match=INDEX):
        pack(text, lambda _: b"")
