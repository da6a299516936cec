"""Saving: the old file or the new one, whatever happens, and the original as a backup."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.broken import libraries
from tests.model.store import system_calls
from tests.systems import IS_WINDOWS, needs_links, needs_permissions
from viewer.errors import ConflictError, OutputError
from viewer.formats.archive import deflate, rsli
from viewer.formats.archive.rsli import ENTRY, HEADER
from viewer.formats.archive.xor_stream import transform
from viewer.formats.record import Bytes
from viewer.model.store import backups, recovery
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.model.store.temporary import Temporary
from viewer.model.store.writing import NewFile, WrittenFile, digest_of
from viewer.model.validation.validate import check_item
from viewer.model.write import saving
from viewer.model.write.saving import conflict_of, is_of_game, write
from viewer.model.write.unpacked_folder import Unpacking

OLD: Final = b"old bytes" * 1000
NEW: Final = b"new, longer bytes" * 1000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "robots.rlb"
    file.write_bytes(OLD)
    return file


def save(path: Path, data: bytes, *, expected: bytes | None = None) -> WrittenFile:
    """Write an edited file over itself."""
    return write([NewFile(path, data, expected, has_backup=True)])[0]


def names(path: Path) -> list[str]:
    return sorted(other.name for other in path.parent.iterdir())


def test_the_original_is_kept_once(path: Path) -> None:
    backup = path.with_name("robots.rlb.bak")
    saved = save(path, NEW, expected=digest_of(OLD))
    assert (path.read_bytes(), backup.read_bytes()) == (NEW, OLD)
    assert saved.backup == backup
    assert saved.revision[:2] == (path.stat().st_mtime_ns, len(NEW))
    again = save(path, b"newest", expected=digest_of(NEW))
    assert again.backup is None
    assert (path.read_bytes(), backup.read_bytes()) == (b"newest", OLD)
    assert names(path) == ["robots.rlb", "robots.rlb.bak"]


def test_the_backup_is_a_file_of_its_own_afterwards(path: Path) -> None:
    save(path, NEW)
    path.write_bytes(b"written in place by another program")
    assert path.with_name("robots.rlb.bak").read_bytes() == OLD


def test_without_links_the_backup_is_a_copy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path, __: Path) -> None:
        raise PermissionError(1, "no links here")

    os.utime(path, ns=(500, 700))  # Windows counts in units of 100
    monkeypatch.setattr(Path, "hardlink_to", refuse)
    saved = save(path, NEW)
    assert saved.backup is not None
    assert (saved.backup.read_bytes(), saved.backup.stat().st_mtime_ns) == (OLD, 700)


def test_a_new_file_has_no_backup(tmp_path: Path) -> None:
    saved = save(tmp_path / "new.rlb", NEW)
    assert (saved.backup, saved.target.read_bytes()) == (None, NEW)


@needs_permissions
def test_permissions_stay(path: Path) -> None:
    path.chmod(0o640)
    save(path, NEW)
    assert path.stat().st_mode & 0o777 == 0o640


@needs_links
def test_a_link_stays_a_link(path: Path) -> None:
    link = path.with_name("link.rlb")
    link.symlink_to(path.name)
    assert save(link, NEW).target == path
    assert link.is_symlink()
    assert path.read_bytes() == NEW


def test_a_file_that_was_changed_is_a_conflict(path: Path) -> None:
    path.write_bytes(OLD[:-1] + b"?")
    with pytest.raises(ConflictError, match="changed"):
        save(path, NEW, expected=digest_of(OLD))
    assert isinstance(conflict_of(path, digest_of(OLD)), ConflictError)
    assert path.read_bytes() == OLD[:-1] + b"?"
    assert names(path) == ["robots.rlb"]
    assert conflict_of(path, digest_of(path.read_bytes())) is None


def test_a_file_that_is_gone_is_a_conflict(path: Path) -> None:
    path.unlink()
    with pytest.raises(ConflictError, match="removed"):
        save(path, NEW, expected=digest_of(OLD))
    assert names(path) == []
    save(path, NEW)
    assert path.read_bytes() == NEW


def test_a_change_while_saving_is_a_conflict(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill = Temporary.write

    def interfere(temporary: Temporary, data: bytes) -> None:
        fill(temporary, data)
        path.write_bytes(b"theirs")

    monkeypatch.setattr(Temporary, "write", interfere)
    with pytest.raises(ConflictError, match="changed by another program"):
        save(path, NEW, expected=digest_of(OLD))
    assert path.read_bytes() == b"theirs"
    assert names(path) == ["robots.rlb"]


def test_bytes_that_are_read_again_otherwise_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Temporary, "write", lambda temporary, data: temporary.path.write_bytes(data[:-1]))
    with pytest.raises(OutputError, match="differ"):
        save(path, NEW)
    assert path.read_bytes() == OLD
    assert names(path) == ["robots.rlb"]


def test_a_read_only_file_is_refused(path: Path) -> None:
    path.chmod(0o444)
    with pytest.raises(OutputError, match="read-only"):
        save(path, NEW)
    assert path.read_bytes() == OLD
    assert names(path) == ["robots.rlb"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_read_only_folder_is_refused(path: Path) -> None:
    path.parent.chmod(0o555)
    try:
        with pytest.raises(OutputError, match="cannot be written"):
            save(path, NEW)
    finally:
        path.parent.chmod(0o755)
    assert path.read_bytes() == OLD


def test_a_file_whose_folder_is_gone_is_a_conflict(tmp_path: Path) -> None:
    with pytest.raises(ConflictError):
        save(tmp_path / "gone" / "x.rlb", NEW, expected=digest_of(OLD))


@pytest.mark.parametrize("data", [bytes(11), [bytes(6), bytes(5)]], ids=["whole", "in parts"])
def test_a_file_that_would_not_be_read_again_is_not_written(
    data: bytes | list[bytes], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "SIZE_LIMIT", 10)
    with pytest.raises(OutputError, match=re.escape(f"{path}: more than 10 bytes")):
        write([NewFile(path, data)])
    assert path.read_bytes() == OLD
    assert names(path) == [path.name]


def test_a_folder_or_a_device_is_refused(tmp_path: Path) -> None:
    for target in (tmp_path, *(() if IS_WINDOWS else (Path(os.devnull),))):  # its device is no path
        with pytest.raises(OutputError, match="not a regular file"):
            save(target, NEW)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file sizes")
def test_a_full_disk_leaves_the_old_file(path: Path) -> None:
    """A limit of the file size fails like a full disk: in the middle of writing."""
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from viewer.model.store.writing import NewFile; from viewer.model.write.saving import write\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n write([NewFile(Path(sys.argv[1]), bytes(20000))])\n"
        "except Exception as error:\n print(type(error).__name__, error)"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"OutputError {path}: cannot be written: ")
    assert path.read_bytes() == OLD
    assert names(path) == ["robots.rlb"]


MOMENTS: Final = [(number, at) for number in (signal.SIGINT, system_calls.KILL) for at in (True, False)]


class SignaledSave(NamedTuple):
    """How a save ended that got a signal at a call, the file and its backup, and the names in the folder."""

    call: str
    ended: system_calls.Ended
    data: bytes
    backup: bytes | None
    names: set[str]


def moments_of_a_save(path: Path, number: int, *, is_before: bool) -> list[SignaledSave]:
    """Save a file anew for each call that changes a file, with a signal before or after it; then another."""
    backup, other = path.with_name("robots.rlb.bak"), path.with_name("other.rlb")

    def program() -> int:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            save(path, NEW, expected=digest_of(OLD))
        except KeyboardInterrupt:
            return 130
        return 0

    found = []
    for at, call in enumerate(system_calls.run(program).calls):
        for it in path.parent.iterdir():
            it.unlink()
        path.write_bytes(OLD)
        ended = system_calls.run(program, number, at, is_before=is_before)
        data, kept = path.read_bytes(), backup.read_bytes() if backup.exists() else None
        recovery.sweep.cache_clear()
        save(other, b"another file")
        found.append(SignaledSave(call, ended, data, kept, {*names(path)}))
    return found


@pytest.mark.skipif(not system_calls.IS_POSSIBLE, reason="no system calls can be followed")
@pytest.mark.parametrize(("number", "is_before"), MOMENTS)
def test_a_save_that_gets_a_signal_at_any_change_leaves_the_old_file_or_the_new_one(
    path: Path, small_process: ProcessPoolExecutor, number: int, *, is_before: bool
) -> None:
    """The backup is there if the file was replaced, and nothing is left after the next save in the folder."""
    found = small_process.submit(moments_of_a_save, path, number, is_before=is_before).result()
    assert {"link", "rename"} <= {it.call.removesuffix("at").removesuffix("at2") for it in found}
    for it in found:
        assert it.ended.was_hit, it.call
        assert it.ended.status == (130 if number == signal.SIGINT else -number), it.call
        assert it.data in {OLD, NEW}, it.call
        assert it.backup == OLD if it.data == NEW else it.backup in {OLD, None}, it.call
        assert it.names - {"robots.rlb.bak"} == {"robots.rlb", "other.rlb"}, it.call
    assert {(False, False), (True, True)} <= {(it.data == NEW, it.backup is not None) for it in found}


@pytest.mark.parametrize("planted", ["link", "dangling link", "folder", "pipe"])
@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders, links only for developers")
def test_a_planted_name_gives_a_backup_elsewhere(path: Path, planted: str) -> None:
    usual = path.with_name("robots.rlb.bak")
    victim = path.with_name("victim")
    if planted == "folder":
        usual.mkdir()
    elif planted == "pipe":
        os.mkfifo(usual)
    else:
        victim.write_bytes(b"mine") if planted == "link" else None
        usual.symlink_to(victim)
    before = usual.lstat()
    saved = save(path, NEW, expected=digest_of(OLD))
    assert saved.backup == path.with_name("robots.rlb.1.bak")
    assert (path.read_bytes(), saved.backup.read_bytes()) == (NEW, OLD)
    assert usual.lstat().st_ino == before.st_ino
    assert not victim.exists() or victim.read_bytes() == b"mine"
    assert save(path, b"newest").backup is None, "the first one is kept"
    assert saved.backup.read_bytes() == OLD


def test_without_a_name_for_the_backup_nothing_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "MOST_NAMES", 2)
    for name in ("robots.rlb.bak", "robots.rlb.1.bak"):
        path.with_name(name).mkdir()
    with pytest.raises(OutputError, match="has no backup"):
        save(path, NEW)
    assert path.read_bytes() == OLD
    assert len(names(path)) == 3


def test_files_of_the_game_are_known_by_their_bytes_or_their_names(tmp_path: Path) -> None:
    files = {"a.msh": b"damaged", "b.WEA": b"x", "c": b"NRes", "d.xyz": b"Texm", "e": b"\xf1\xf0\0\0"}
    others = {"f.png": b"\x89PNG\r\n\x1a\n", "g.glb": b"glTF", "h.json": b"{}", "i": b"", "j.obj": b"v 0 0 0"}
    for name, data in (files | others).items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "k.msh").mkdir()
    assert {it.name for it in tmp_path.iterdir() if is_of_game(it)} == {*files}
    assert not is_of_game(tmp_path / "none.msh")


def test_of_a_set_each_file_of_the_game_is_kept(tmp_path: Path) -> None:
    model, wear, image = tmp_path / "a.msh", tmp_path / "a.wea", tmp_path / "a.png"
    for it in (model, wear, image):
        it.write_bytes(OLD)
    done = write([NewFile(wear, NEW), NewFile(image, [NEW]), NewFile(model, NEW)])
    assert [it.backup and it.backup.name for it in done] == ["a.wea.bak", None, "a.msh.bak"]
    assert {it.name: it.read_bytes() for it in tmp_path.iterdir()} == {
        "a.msh": NEW, "a.wea": NEW, "a.png": NEW, "a.msh.bak": OLD, "a.wea.bak": OLD,
    }  # fmt: skip


TEXT = b"PARKAN " * 3000
MEMBERS = 30


@pytest.fixture
def unpackings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the streams that have been unpacked whole."""
    sizes: list[int] = []
    decode = deflate.decode

    def counted(packed: bytes, size: int) -> Bytes:
        if size > rsli.HEAD_SIZE:
            sizes.append(size)
        return decode(packed, size)

    monkeypatch.setattr(deflate, "decode", counted)
    return sizes


def shared(*, streams: int = 1) -> bytes:
    """A library whose members in turn use one of some streams."""
    packed = libraries.deflated(TEXT)
    data = libraries.library([(b"M%03d" % row, rsli.DEFLATE, len(TEXT), packed) for row in range(MEMBERS)])
    archive = rsli.PackedLibrary.read(bytes(data))
    rows = archive.rows.copy()
    for row in range(MEMBERS):
        rows[row]["data_offset"] = rows[row % streams]["data_offset"]
    stored = transform(rows.tobytes(), int(archive.header["xor_seed"]))
    data[HEADER.size : HEADER.size + MEMBERS * ENTRY.size] = stored
    return bytes(data)


@pytest.mark.parametrize("streams", [1, 3])
def test_extracting_unpacks_each_stream_once(unpackings: list[int], streams: int) -> None:
    files = dict(Unpacking(rsli.PackedLibrary.read(shared(streams=streams))))
    assert [data for name, data in files.items() if name.startswith("M")] == [TEXT] * MEMBERS
    assert unpackings == [len(TEXT)] * streams


def test_checking_unpacks_each_stream_once(unpackings: list[int]) -> None:
    check_item(Item(Address(Path("shared.lib")), memoryview(shared())))
    assert unpackings == [len(TEXT)]


def test_few_unpacked_streams_are_kept(unpackings: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rsli, "MAX_UNPACKED", 2 * len(TEXT))
    archive = rsli.PackedLibrary.read(shared(streams=3))
    for index in range(MEMBERS):
        archive.unpack(index)
        assert sum(map(len, archive._decoded_streams.values())) <= 2 * len(TEXT)
    assert len(unpackings) == MEMBERS


def test_a_stream_of_one_member_is_not_kept() -> None:
    archive = rsli.PackedLibrary.read(bytes(libraries.library()))
    archive.unpack(2)
    assert not archive._decoded_streams
