"""Files as they are now, with unsaved bytes laid over some of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from viewer.errors import AddressError
from viewer.model.store import disk as files_module
from viewer.model.store.disk import Disk, PlainFolder, Revision, SnapshotDisk, UnsavedFiles


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.bin"
    path.write_bytes(b"disk")
    return path


def test_unsaved_bytes_change_the_revision_and_reverting_restores_it(file: Path) -> None:
    disk = Disk(UnsavedFiles())
    before = disk.status(file).revision
    assert before == Revision(file.stat().st_mtime_ns, 4)
    disk.unsaved.lay(file, b"first")
    first = disk.status(file).revision
    disk.unsaved.lay(file, b"other")
    second = disk.status(file).revision
    assert len({before, first, second}) == 3
    assert first is not None
    assert first.size == 5
    disk.unsaved.revert(file)
    assert disk.status(file).revision == before
    disk.unsaved.lay(file, b"first")
    assert disk.status(file).revision not in {before, first, second}


def test_later_changes_of_the_given_bytes_do_not_show(file: Path) -> None:
    unsaved, data = UnsavedFiles(), bytearray(b"one")
    unsaved.lay(file, data)
    data[:] = b"two"
    found = unsaved.find(file)
    assert found is not None
    assert bytes(found[1]) == b"one"


def test_unsaved_files_are_found_by_any_spelling(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = file.parent / "link"
    link.symlink_to(file.parent, target_is_directory=True)
    monkeypatch.chdir(file.parent)
    unsaved = UnsavedFiles()
    unsaved.lay(link / "a.bin", b"new")
    assert unsaved.find(Path("a.bin")) == unsaved.find(file) is not None
    assert unsaved.paths == (Path(os.path.realpath(file)),)
    unsaved.revert(Path("a.bin"))
    assert unsaved.find(file) is None


def test_an_unsaved_file_that_is_not_on_the_disk_is_listed_once(file: Path) -> None:
    disk = Disk(UnsavedFiles())
    new = file.parent / "new.bin"
    for path in (new, file):
        disk.unsaved.lay(path, b"")
    assert disk.names(file.parent) == ("a.bin", "new.bin")
    assert disk.status(new).revision is not None
    disk.unsaved.revert(new)
    assert disk.names(file.parent) == ("a.bin",)
    assert disk.status(new).revision is None


def test_what_is_not_a_file_says_why(tmp_path: Path) -> None:
    disk = Disk(UnsavedFiles())
    assert disk.status(tmp_path).is_folder
    assert "it is a folder" in disk.status(tmp_path).problem
    assert disk.status(tmp_path / "lost").problem.startswith("cannot be read: ")
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
