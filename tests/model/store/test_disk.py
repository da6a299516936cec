"""Files as they are now, with unsaved bytes laid over some of them.

Folders as the game sees them.

Places as values: text and back, what lies in what.

A cache keeps what was used last, and never more than it states.
"""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.systems import needs_links
from viewer.bounded_reading import read_at_most
from viewer.diagnostics import Diagnostic
from viewer.errors import AddressError, FormatError, Severity, UsageError
from viewer.model.store import disk as files_module
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.disk import (
    Disk,
    PlainFolder,
    Revision,
    SnapshotDisk,
    UnsavedFiles,
    is_link,
)
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder, files_below
from viewer.model.store.place import Place
from viewer.model.store.recently_used import RecentlyUsed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.bin"
    path.write_bytes(b"disk")
    return path


def test_unsaved_bytes_change_the_revision_and_reverting_restores_it(file: Path) -> None:
    disk = Disk(UnsavedFiles())
    before = disk.status(file).revision
    assert before == Revision(file.stat().st_mtime_ns, 4, changed=file.stat().st_ctime_ns)
    disk.unsaved.overlay(file, b"first")
    first = disk.status(file).revision
    disk.unsaved.overlay(file, b"other")
    second = disk.status(file).revision
    assert len({before, first, second}) == 3
    assert first is not None
    assert first.size == 5
    disk.unsaved.revert(file)
    assert disk.status(file).revision == before
    disk.unsaved.overlay(file, b"first")
    assert disk.status(file).revision not in {before, first, second}


def test_later_changes_of_the_given_bytes_do_not_show(file: Path) -> None:
    unsaved, data = UnsavedFiles(), bytearray(b"one")
    unsaved.overlay(file, data)
    data[:] = b"two"
    found = unsaved.find(file)
    assert found is not None
    assert bytes(found[1]) == b"one"


@needs_links
def test_unsaved_files_are_found_by_any_spelling(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = file.parent / "link"
    link.symlink_to(file.parent, target_is_directory=True)
    monkeypatch.chdir(file.parent)
    unsaved = UnsavedFiles()
    unsaved.overlay(link / "a.bin", b"new")
    assert unsaved.find(Path("a.bin")) == unsaved.find(file) is not None
    assert unsaved.paths == (Path(os.path.realpath(file)),)
    unsaved.revert(Path("a.bin"))
    assert unsaved.find(file) is None


def test_an_unsaved_file_that_is_not_on_the_disk_is_listed_once(file: Path) -> None:
    disk = Disk(UnsavedFiles())
    new = file.parent / "new.bin"
    for path in (new, file):
        disk.unsaved.overlay(path, b"")
    assert disk.names(file.parent) == ("a.bin", "new.bin")
    assert disk.status(new).revision is not None
    disk.unsaved.revert(new)
    assert disk.names(file.parent) == ("a.bin",)
    assert disk.status(new).revision is None


def test_what_is_not_a_file_says_why(tmp_path: Path) -> None:
    disk = Disk(UnsavedFiles())
    assert disk.status(tmp_path).is_folder
    assert "it is a folder" in disk.status(tmp_path).problem
    with pytest.raises(FileNotFoundError) as lost:
        (tmp_path / "lost").stat()
    assert disk.status(tmp_path / "lost").problem == f"cannot be read: {lost.value.strerror}"
    assert disk.status(Path("a\0b")).revision is None
    with pytest.raises(AddressError, match="cannot be listed"):
        disk.names(tmp_path / "lost")


def test_a_snapshot_looks_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = SnapshotDisk(UnsavedFiles())
    before, names = snapshot.status(file), snapshot.names(file.parent)
    file.write_bytes(b"longer than before")
    (file.parent / "b.bin").write_bytes(b"")
    monkeypatch.setattr(Disk, "status", None)
    assert (snapshot.status(file), snapshot.names(file.parent)) == (before, names)
    assert snapshot.seen == {file: before}


OLD, NEW = b"what was there", b"what is to be there " * 100


@needs_links
def test_only_plain_files_of_the_folder_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(OLD)
    (folder / "one").write_bytes(NEW)
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "same").symlink_to("one")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    files = PlainFolder(folder)
    assert files.read("one") == files.read("same") == NEW
    for name in ("out", "loop", "pipe", "below", "missing", "nul\0", "../secret", "below/../../secret"):
        with pytest.raises(AddressError):
            files.read(name)
    monkeypatch.setattr(files_module, "FOLDER_LIMIT", len(NEW))
    files = PlainFolder(folder)
    files.read("one")
    with pytest.raises(AddressError, match="together"):
        files.read("one")


@needs_links
def test_a_junction_of_windows_is_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a folder to ``Path.is_symlink``, and may lead to one above."""
    really = Path.lstat

    def lstat(path: Path) -> object:
        found = really(path)
        tag = 0xA0000003 if path.name == "junction" else 0
        return SimpleNamespace(st_mode=found.st_mode, st_reparse_tag=tag)

    monkeypatch.setattr(Path, "lstat", lstat)
    for name in ("folder", "junction"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.msh").write_bytes(OLD)
    (tmp_path / "link").symlink_to("folder")
    expected = {"folder": False, "junction": True, "link": True, "missing": False}
    assert {name: is_link(tmp_path / name) for name in expected} == expected
    assert [*files_below(FileStore(), [tmp_path], 10)] == [tmp_path / "folder" / "a.msh"]


def test_memory_is_taken_for_what_a_file_has_not_for_the_bound(file: Path) -> None:
    """``file.read(1 << 30)`` takes a gibibyte first, which Windows clears."""
    piped, end = os.pipe()
    os.write(end, b"pipe")
    os.close(end)
    folder = PlainFolder(file.parent)
    tracemalloc.start()
    try:
        with os.fdopen(piped, "rb") as source:
            assert read_at_most(source, 1 << 30) == b"pipe"
        with file.open("rb") as source:
            assert read_at_most(source, 3) == b"dis"
            assert read_at_most(source, 3) == b"k"
        assert folder.read("a.bin") == b"disk"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_bound_is_kept_to_the_byte(file: Path) -> None:
    data = bytes(range(256)) * 4096
    file.write_bytes(data)
    for most in (0, 1, 1 << 18, (1 << 18) + 1, len(data) - 1, len(data), len(data) + 1):
        with file.open("rb") as source:
            assert read_at_most(source, most) == data[:most]


@pytest.fixture
def folder(tmp_path: Path) -> CaselessFolder:
    (tmp_path / "Maps" / "Syn").mkdir(parents=True)
    (tmp_path / "Material.LIB").write_bytes(b"materials")
    (tmp_path / "Maps" / "Syn" / "Land.msh").write_bytes(b"land")
    return CaselessFolder(tmp_path, FileStore())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (b"material.lib", b"materials"),
        (b"MATERIAL.LIB", b"materials"),
        (rb"maps\SYN\land.msh", b"land"),
        (b"maps/syn/Land.msh", b"land"),
        (b"Maps", None),
        (b"textures.lib", None),
        (b"maps/other/land.msh", None),
        (b"", None),
    ],
)
def test_names_do_not_mind_case_or_slashes(folder: CaselessFolder, name: bytes, data: bytes | None) -> None:
    found = folder.read(name)
    assert (None if found is None else bytes(found)) == data


def test_a_library_of_the_first_edition_stands_for_an_absent_one(folder: CaselessFolder) -> None:
    (folder.path / "TEXTURES.LIB0").write_bytes(b"old textures")
    (folder.path / "Material.lib0").write_bytes(b"old materials")
    (folder.path / "Maps" / "a.rlb0").write_bytes(b"not a library")
    found = {name: folder.read(name) for name in (b"Textures.lib", b"Material.lib", b"Maps/a.rlb")}
    assert {name: data and bytes(data) for name, data in found.items()} == {
        b"Textures.lib": b"old textures",
        b"Material.lib": b"materials",
        b"Maps/a.rlb": None,
    }
    assert [*folder.revisions([b"textures.lib"])] == [folder.path / "TEXTURES.LIB0"]


@pytest.mark.parametrize("name", [b"../Material.lib", rb"..\Material.lib", b"/Material.lib", b"./Land.msh"])
def test_no_name_leads_out_of_the_folder(folder: CaselessFolder, name: bytes) -> None:
    inner = folder.child(b"maps")
    assert inner is not None
    assert inner.file(name) is None


def test_of_names_that_differ_in_case_the_first_is_meant(tmp_path: Path) -> None:
    for name in ("a.lib", "A.lib"):
        (tmp_path / name).write_bytes(name.encode())
    found = CaselessFolder(tmp_path, FileStore()).read(b"a.LIB")
    assert found is not None
    assert bytes(found) in {b"A.lib", b"a.lib"}


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert CaselessFolder(tmp_path / "lost", FileStore()).read(b"a") is None


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
ROWS = st.integers(0, 1 << 32)
DOTTED = st.lists(NAMES, min_size=1, max_size=3).map(".".join)
NESTED = st.tuples(DOTTED, ROWS, NAMES).map(lambda part: f"{part[0]}[{part[1]}].{part[2]}")
TABLES = DOTTED | NESTED
TEXTS = st.text(min_size=1) | st.sampled_from(["a.lib::b", "C: d", "x: nodes[1]", "a: ", "tank.msh::#3"])
ADDRESSES = TEXTS.filter(lambda text: all(text.split("::"))).map(Address.parse)
SPOTS = st.builds(Place, ADDRESSES | st.just(CURRENT), TABLES, st.none() | ROWS, st.just("") | DOTTED)
PLACES = SPOTS | st.builds(Place, ADDRESSES)


@given(PLACES)
def test_text_reads_back(place: Place) -> None:
    assert Place.parse(str(place)) == place


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place(Address.parse("a.lib::tank.msh"), "nodes", 3, "parent"), "a.lib::tank.msh: nodes[3].parent"),
        (Place(Address.parse("a.msh"), "batches", field="attr1"), "a.msh: batches.attr1"),
        (Place(Address.parse("a.msh"), "batches"), "a.msh: batches"),
        (Place(Address.parse("a.mat"), "blocks[2].keys", 0, "time"), "a.mat: blocks[2].keys[0].time"),
        (Place(Address.parse("a.mat"), "blocks[2].keys"), "a.mat: blocks[2].keys[]"),
        (Place(Address.parse("a.tex"), "Texm.header", field="width"), "a.tex: Texm.header[].width"),
        (Place(Address.parse("a.tex")), "a.tex"),
        (Place(CURRENT, "nodes", 1), ": nodes[1]"),
    ],
)
def test_text_form(place: Place, text: str) -> None:
    assert str(place) == text


def test_what_is_no_spot_belongs_to_the_address() -> None:
    assert Place.parse("C: drive/a.msh") == Place(Address.parse("C: drive/a.msh"))
    assert Place.parse("nodes[1]") == Place(Address.parse("nodes[1]"))
    with pytest.raises(UsageError):
        Place.parse("")


def test_places_of_findings_and_errors() -> None:
    finding = Diagnostic("V14", Severity.ERROR, "too far", "batches", 3, "index_start")
    assert Place.of(Address.parse("a.msh"), finding) == Place(
        Address.parse("a.msh"), "batches", 3, "index_start"
    )
    assert Place.of(Address.parse("a.msh"), FormatError("short")) == Place(Address.parse("a.msh"))


@given(PLACES)
def test_each_place_lies_in_itself_and_in_all_around_it(place: Place) -> None:
    for outer in (Place(place.address, place.table, place.row, place.field), *place.outers):
        assert place in outer
        assert outer not in place or outer.steps == place.steps


def test_around_a_nested_table() -> None:
    around = [str(place) for place in Place(Address.parse("a.lib::b"), "blocks[2].keys", 7, "time").outers]
    assert around == [
        "a.lib::b: blocks[2].keys[7]",
        "a.lib::b: blocks[2].keys[]",
        "a.lib::b: blocks[2]",
        "a.lib::b: blocks",
        "a.lib::b",
        "a.lib",
    ]


def test_what_does_not_contain() -> None:
    assert Place(Address.parse("a.lib::b")) not in Place(Address.parse("a.li"))
    assert Place(Address.parse("a.lib::b"), "nodes", 10) not in Place(Address.parse("a.lib::b"), "nodes", 1)
    assert Place(Address.parse("a.lib::b"), "nodes") not in Place(Address.parse("a.lib"), "directory")


def test_what_was_not_used_for_the_longest_time_is_dropped() -> None:
    cache: RecentlyUsed[str, int] = RecentlyUsed(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_values_together_are_no_larger_than_the_capacity() -> None:
    cache: RecentlyUsed[str, bytes] = RecentlyUsed(99, 10, len)
    for key, size in (("a", 4), ("b", 4), ("a", 6), ("c", 3)):
        cache.put(key, bytes(size))
        assert cache.size <= 10
    assert "b" not in cache
    assert cache.size == 9
    cache.forget("a")
    cache.forget("a")
    assert (len(cache), cache.size) == (1, 3)


def test_what_was_used_last_stays_however_large_it_is() -> None:
    cache: RecentlyUsed[str, bytes] = RecentlyUsed(99, 10, len)
    cache.put("a", bytes(4))
    cache.put("b", bytes(50))
    assert "b" in cache
    assert len(cache) == 1
