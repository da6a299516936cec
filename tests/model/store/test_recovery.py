"""What killed processes leave is undone or removed by the next one, but never the only copy of anything."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.systems import IS_WINDOWS, needs_links
from viewer.errors import OutputError
from viewer.model.store import held, recovery, temporary
from viewer.model.store.recovery import recover, stamp_of, sweep
from viewer.model.store.temporary import temporary_file, temporary_folder
from viewer.model.store.whole_folder import new_folder
from viewer.model.store.writing import NewFile, write_file, write_files

OLD, NEW = b"what was there", b"what is to be there " * 100


@pytest.fixture(autouse=True)
def _each_folder_anew() -> Iterator[None]:
    yield
    sweep.cache_clear()


def content(folder: Path) -> dict[str, bytes]:
    return {it.relative_to(folder).as_posix(): it.read_bytes() for it in folder.rglob("*") if it.is_file()}


def test_what_killed_processes_left_is_removed_at_once(tmp_path: Path) -> None:
    empty, folder = tmp_path / ".mshview-0123abcd.tmp", tmp_path / ".mshview-0123456789abcdef.tmp"
    empty.touch()
    folder.mkdir()
    (folder / "half.msh").write_bytes(OLD)
    (tmp_path / "below").mkdir()
    for name in (
        ".other-0123abcd.tmp",
        "x.mshview-0123abcd.tmp",
        ".mshview-0123abcd.tmp.bak",
        f"below/{empty.name}",
    ):
        (tmp_path / name).write_bytes(OLD)
    before = {*tmp_path.rglob("*")} - {empty, folder, folder / "half.msh"}
    write_file(tmp_path / "out.msh", NEW)
    # Windows locks no folder: its age decides.
    left = {folder, folder / "half.msh"} if IS_WINDOWS else set()
    assert {*tmp_path.rglob("*")} == before | {tmp_path / "out.msh"} | left


def test_what_is_being_written_stays(tmp_path: Path) -> None:
    with temporary_file(tmp_path / "a") as file, temporary_folder(tmp_path / "b") as folder:
        recover(tmp_path)
        assert file.path.exists()
        assert folder.path.exists()
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("age", [0.5, 2])
def test_without_locks_the_age_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: float) -> None:
    monkeypatch.setattr(recovery, "lock", lambda _: None)
    left = tmp_path / ".mshview-0123abcd.tmp"
    left.touch()
    old = time.time() - age * temporary.LEFT_OVER
    os.utime(left, (old, old))
    recover(tmp_path)
    assert left.exists() == (age < 1)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner")
def test_what_others_left_is_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tmp_path / ".mshview-0123abcd.tmp"
    left.write_bytes(OLD)
    monkeypatch.setattr(os, "getuid", lambda: left.stat().st_uid + 1)
    recover(tmp_path)
    assert left.exists()


@needs_links
def test_links_with_such_names_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(OLD)
    (tmp_path / ".mshview-0123abcd.tmp").symlink_to("mine")
    recover(tmp_path)
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.skipif(IS_WINDOWS, reason="no open file is removed there")
def test_a_process_that_loses_its_new_file_to_a_sweep_makes_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its creation and its lock a file looks like one that was left over."""
    swept: list[Path] = []
    lock = temporary.lock

    def late(descriptor: int) -> bool | None:
        if not swept:
            swept.extend(tmp_path.iterdir())
            swept[0].unlink()
        return lock(descriptor)

    monkeypatch.setattr(temporary, "lock", late)
    write_file(tmp_path / "out", NEW)
    assert content(tmp_path) == {"out": NEW}


@pytest.mark.skipif(os.name == "nt", reason="no open file is removed there")
@pytest.mark.parametrize("make", [Path.touch, Path.mkdir])
def test_what_is_left_over_stays_locked_until_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    """Otherwise the process that has just made it locks it too, and loses it while it writes."""
    left = tmp_path / ".mshview-0123abcd.tmp"
    make(left)
    maker, locked = os.open(left, os.O_RDONLY), []

    def remove(path: Path) -> None:
        locked.append(temporary.lock(maker))
        found(path)
        assert os.fstat(maker).st_nlink == 0

    found = held.remove
    monkeypatch.setattr(recovery, "remove", remove)
    recover(tmp_path)
    os.close(maker)
    assert locked == [False]
    assert not left.exists()


SET = {"a.gltf": NEW, "a.bin": NEW + b"1", "a.new.png": NEW + b"2"}
BEFORE = {"a.gltf": OLD, "a.bin": OLD + b"1"}
WIDE_SET = {"a.gltf": NEW, "below/a.bin": NEW + b"1", "below/there/a.new.png": NEW + b"2", "b": NEW + b"3"}
WIDE_BEFORE = {"a.gltf": OLD, "below/a.bin": OLD + b"1", "b": OLD}


def lay(folder: Path, files: Mapping[str, bytes]) -> None:
    """Empty a folder, and put files into it."""
    for it in folder.iterdir():
        held.remove(it)
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


def test_the_end_of_a_set_is_on_the_disk_before_its_other_records_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the first record came back after a loss of power, and the others did not, the set would be torn."""
    seen: list[tuple[Path, int]] = []

    def synced(folder: Path) -> None:
        seen.append((folder, len([*tmp_path.rglob("*.set")])))

    lay(tmp_path, WIDE_BEFORE)
    monkeypatch.setattr(recovery, "sync_folder", synced)
    write_files([NewFile(tmp_path / name, data) for name, data in WIDE_SET.items()])
    records = [number for _, number in seen]
    assert records == [1, 2, 3, 2]
    assert seen[-1][0] == seen[0][0], "the folder of the first record"


def test_a_set_whose_first_folder_is_gone_is_left_alone(tmp_path: Path) -> None:
    """Nothing says whether the new files count: the old ones are kept until the folder is there again."""
    for name, other in (("first", "second"), ("second", "first")):
        (tmp_path / name).mkdir()
        record = killed_set(tmp_path / name)
        link = f"../{other}/{record.name}"
        links = {"first": None, "others": [link]} if name == "first" else {"first": link, "others": []}
        record.write_text(json.dumps({"files": json.loads(record.read_text()), **links}))
    (tmp_path / "first").rename(tmp_path / "away")
    before = content(tmp_path / "second")
    recover(tmp_path / "second")
    assert content(tmp_path / "second") == before
    (tmp_path / "away").rename(tmp_path / "first")
    recover(tmp_path / "second")
    assert content(tmp_path / "first") == content(tmp_path / "second") == BEFORE


def test_undoing_leaves_what_the_user_has_made_since(tmp_path: Path) -> None:
    """The record is found later: one file was saved again by another program, one was removed."""
    record = killed_set(tmp_path)
    (tmp_path / "a.gltf").write_bytes(b"saved by another program")
    (tmp_path / "a.bin").unlink()
    recover(tmp_path)
    assert content(tmp_path) == {"a.gltf": b"saved by another program", "a.bin": BEFORE["a.bin"]}
    assert not record.exists()


def killed_set(folder: Path) -> Path:
    """A folder in which a process has died after its last rename; its undo record."""
    rows = []
    for number, (name, data) in enumerate(SET.items()):
        aside = ""
        if name in BEFORE:
            aside = f".mshview-{number:016x}.tmp"
            (folder / aside).write_bytes(BEFORE[name])
        (folder / name).write_bytes(data)
        rows.append([name, f".mshview-{number + 9:016x}.tmp", aside, stamp_of(folder / name)])
    record = folder / ".mshview-0123456789abcdef.set"
    record.write_text(json.dumps(rows))
    return record


@pytest.mark.parametrize(
    "text",
    ["", "[", "{}", "[[]]", '[["../victim", ".mshview-0123abcd.tmp", "", [1, 2, 3]]]',
     '[["victim", "victim", "", STAMP]]', '[["victim", ".mshview-0123abcd.tmp", "victim", STAMP]]',
     '[["../victim", ".mshview-0123abcd.tmp", "", OUTER]]', '[["ABOVE/victim", "", "", OUTER]]',
     '[["/victim", ".mshview-0123abcd.tmp", "", STAMP]]', '[["victim", ".mshview-0123abcd.tmp", "", [1]]]'],
)  # fmt: skip
def test_a_planted_record_does_nothing(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for victim in (tmp_path / "victim", folder / "victim"):
        victim.write_bytes(OLD)
    record = folder / ".mshview-0123456789abcdef.set"
    for name, path in (("STAMP", folder / "victim"), ("OUTER", tmp_path / "victim")):
        text = text.replace(name, json.dumps(stamp_of(path)))
    record.write_text(text.replace("ABOVE", tmp_path.as_posix()))
    recover(folder)
    assert (tmp_path / "victim").read_bytes() == (folder / "victim").read_bytes() == OLD


def fill(path: Path, *, fails: bool = False) -> None:
    with new_folder(path, lambda _: True) as temporary:
        (temporary / "index").write_bytes(NEW)
        if fails:
            raise OutputError("no")


@pytest.mark.parametrize("is_there", ["nothing", "the new one", "something else"])
def test_what_was_set_aside_is_not_swept(tmp_path: Path, is_there: str) -> None:
    """The process was killed between its two renames, where folders cannot be exchanged in one step."""
    path = tmp_path / "site"
    if is_there != "nothing":
        path.mkdir()
        (path / "index").write_bytes(NEW)
    aside = recovery.aside_of(path, path.stat().st_ino if is_there == "the new one" else 1)
    (aside / "site").mkdir(parents=True)
    (aside / "site" / "index").write_bytes(OLD)
    old = time.time() - 9 * temporary.LEFT_OVER
    os.utime(aside, (old, old))
    fill(tmp_path / "other")
    assert (
        content(tmp_path)
        == {"other/index": NEW}
        | {
            "nothing": {"site/index": OLD},
            "the new one": {"site/index": NEW},
            "something else": {"site/index": NEW, "site.bak/index": OLD},
        }[is_there]
    )


@pytest.mark.skipif(os.name == "nt", reason="no permissions there")
def test_a_folder_is_private_until_it_has_the_permissions_of_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, seen = tmp_path / "plain", []
    plain.mkdir()
    with temporary_folder(tmp_path / "new") as made:
        assert made.path.stat().st_mode == plain.stat().st_mode
    monkeypatch.setattr(temporary, "_dress", lambda path, *_: seen.append(path.stat().st_mode & 0o777))
    with temporary_folder(plain):
        assert seen == [0o700]


@pytest.mark.skipif(not hasattr(os, "chown") or os.getuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_permissions_and_owner_are_final_before_the_first_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    path, seen = tmp_path / "a", []
    path.write_bytes(OLD)
    os.chown(path, 1234, 4321)
    path.chmod(mode)

    def parts() -> Iterator[bytes]:
        (made,) = tmp_path.glob(".mshview-*")
        found = made.stat()
        seen.append((found.st_size, found.st_uid, found.st_gid, found.st_mode & 0o7777))
        yield NEW

    write_file(path, parts())
    now = path.stat()
    assert seen == [(0, 1234, 4321, mode)]
    assert (now.st_uid, now.st_gid, now.st_mode & 0o7777) == (1234, 4321, mode)
    monkeypatch.setattr(os, "chown", lambda *_: (_ for _ in ()).throw(PermissionError()))
    write_file(path, OLD)
    assert path.stat().st_mode & 0o070 == (mode & 0o007) << 3, "another group gets no more than all others"
