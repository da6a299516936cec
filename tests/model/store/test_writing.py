"""Outputs appear whole or not at all, whatever fails on the way."""

from __future__ import annotations

import ctypes
import errno
import io
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Self

import pytest

from tests.systems import IS_WINDOWS, needs_links, needs_permissions
from viewer.errors import OutputError
from viewer.model.store.whole_folder import write_folder as write_whole_folder
from viewer.model.store.writing import NewFile, refuse_existing, write_files
from viewer.model.store.writing import write_file as write_whole_file

ROOT = Path(__file__).parents[3]
CALLS = ("open", "fsync", "chmod", *(("chown",) * (not IS_WINDOWS)), "replace", "rename", "mkdir")
OLD, NEW = b"what was there", b"what is to be there " * 100
FILES = {"index.json": b"{}", "one.msh": NEW, "two.wea": b""}

Writer = Callable[[Path], None]


class Disk:
    """A disk on which every step is counted, and one of them fails.

    A write that fails has written half of its bytes.
    """

    def __init__(self, fails_at: int, error: type[BaseException] = OSError) -> None:
        self.fails_at = fails_at
        self.error = error
        self.steps: list[str] = []

    def step(self, name: str) -> None:
        """Take a step, or fail."""
        self.steps.append(name)
        if len(self.steps) == self.fails_at:
            raise self.error(errno.ENOSPC, "No space left on device")

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Put this disk in the place of the real one."""
        for name in CALLS:
            patch.setattr(os, name, self._counted(name, getattr(os, name)))
        patch.setattr(io, "open", self._opened(io.open))

    def _counted(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            if name != "open" or arguments[1] & os.O_CREAT:  # folders are opened to be locked and emptied
                self.step(name)
            return call(*arguments, **options)

        return counted

    def _opened(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def opened(*arguments: Any, **options: Any) -> Any:
            self.step("open")
            return DiskFile(call(*arguments, **options), self)

        return opened


class DiskFile:
    """A file on such a disk."""

    def __init__(self, file: Any, disk: Disk) -> None:
        self.file = file
        self.disk = disk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.file.close()
        self.disk.step("close")

    def write(self, data: bytes) -> None:
        """Write one half, take a step, write the other."""
        self.file.write(data[: len(data) // 2])
        self.file.flush()
        self.disk.step("write")
        self.file.write(data[len(data) // 2 :])

    def read(self, size: int = -1) -> bytes:
        """Read some bytes, or all."""
        data: bytes = self.file.read(size)
        return data

    def flush(self) -> None:
        """Take a step and flush."""
        self.disk.step("flush")
        self.file.flush()

    def fileno(self) -> int:
        """The number of the real file."""
        return int(self.file.fileno())


def failures(write: Writer, path: Path, error: type[BaseException] = OSError) -> Iterator[tuple[str, bool]]:
    """Let every step of a write fail in turn; give the step, and whether the writer said that it failed."""
    for number in count(1):
        disk = Disk(number, error)
        has_failed = False
        with pytest.MonkeyPatch.context() as patch:
            disk.install(patch)
            try:
                write(path)
            except (OutputError, KeyboardInterrupt):
                has_failed = True
        if len(disk.steps) < number:
            return
        yield disk.steps[number - 1] if has_failed else "none", has_failed


def write_file(path: Path) -> None:
    write_whole_file(path, NEW)


def write_folder(path: Path) -> None:
    write_whole_folder(path, FILES.items())


def content(path: Path) -> object:
    if path.is_dir():
        return {entry.name: entry.read_bytes() for entry in path.iterdir()}
    return path.read_bytes() if path.exists() else None


def put(path: Path, old: bytes | None) -> None:
    path.unlink(missing_ok=True)
    if old is not None:
        path.write_bytes(old)


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("old", [OLD, None])
def test_a_file_is_whole_or_as_before(tmp_path: Path, old: bytes | None, error: type[BaseException]) -> None:
    path = tmp_path / "out.msh"
    failed = set()
    put(path, old)
    for step, has_failed in failures(write_file, path, error):
        failed.add(step)
        is_new = content(path) == NEW
        assert is_new or (has_failed and content(path) == old)
        assert [entry for entry in tmp_path.iterdir() if entry != path] == []
        put(path, old)
    expected = {"open", "write", "flush", "fsync", "close", "replace"}
    cleared = {"chmod"} if IS_WINDOWS else set()  # of a temporary file, so that it can be removed
    taken_over = cleared & failed if old is None else {*CALLS} & {"chmod", "chown"}
    assert failed - {"none"} == expected | taken_over


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_is_whole_or_as_before(tmp_path: Path, *, is_there: bool) -> None:
    path = tmp_path / "out"
    failed = set()
    if is_there:
        path.mkdir()
    for step, has_failed in failures(write_folder, path):
        failed.add(step)
        assert content(path) == (FILES if not has_failed else {} if is_there else None)
        assert [entry for entry in tmp_path.iterdir() if entry != path] == []
        if not has_failed:
            for name in FILES:
                (path / name).unlink()
            if not is_there:
                path.rmdir()
    assert {"open", "write", "fsync", "close", "mkdir"} <= failed


def test_what_cannot_be_cleaned_up_is_no_second_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(os, "unlink", refuse)
    with pytest.raises(OutputError, match=rf"out\.msh: .*{os.strerror(errno.EPERM)}"):
        write_file(tmp_path / "out.msh")
    assert not (tmp_path / "out.msh").exists()


KILLED = """
import io, os, signal, sys
from pathlib import Path
from viewer.model.store.whole_folder import write_folder
from viewer.model.store.writing import write_file

real = io.open

class Dying:
    def __init__(self, file): self.file = file
    def __enter__(self): return self
    def __exit__(self, *_): self.file.close()
    def write(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
        os.kill(os.getpid(), signal.SIGKILL)

io.open = lambda *arguments, **options: Dying(real(*arguments, **options))
path = Path(sys.argv[2])
if sys.argv[1] == "file":
    write_file(path, b"new" * 1000)
else:
    write_folder(path, [("index.json", b"{}" * 1000)])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_killed_process_leaves_nothing_under_the_name(tmp_path: Path, what: str) -> None:
    path = tmp_path / "out"
    if what == "file":
        path.write_bytes(OLD)
    done = subprocess.run([sys.executable, "-c", KILLED, what, str(path)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert content(path) == (OLD if what == "file" else None)


LIMITED = """
import resource, sys
sys.dont_write_bytecode = True  # Python 3.11 keeps what it could write of a module, cut at the limit
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from viewer.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    source = tmp_path / "source.bin"
    source.write_bytes(NEW)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "copy", str(source), "-o", str(tmp_path / "out")],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"mshview: error: {tmp_path / 'out'}: ")
    assert done.stderr.endswith(f"{os.strerror(errno.EFBIG)}\n")
    assert done.stderr.count("\n") == 1
    assert [*tmp_path.iterdir()] == [source]


@needs_permissions
@pytest.mark.parametrize(("before", "after"), [(0o640, 0o640), (0o6755, 0o755)])
def test_a_replaced_file_keeps_its_permissions_and_no_right_to_run_as_somebody_else(
    tmp_path: Path, before: int, after: int
) -> None:
    path = tmp_path / "out.msh"
    path.write_bytes(OLD)
    path.chmod(before)
    write_file(path)
    assert path.stat().st_mode & 0o7777 == after


@needs_links
def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.msh").write_bytes(OLD)
    link = tmp_path / "link.msh"
    link.symlink_to("real.msh")
    write_file(link)
    assert link.is_symlink()
    assert (tmp_path / "real.msh").read_bytes() == NEW


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_devices_are_written_to_and_stay() -> None:
    write_file(Path(os.devnull))
    assert Path(os.devnull).is_char_device()
    with pytest.raises(OutputError, match=os.strerror(errno.ENOSPC)):
        write_file(Path("/dev/full"))


@pytest.mark.parametrize("name", ["folder", "file/x", "nul\0", "x" * 300])
def test_impossible_names_are_one_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written"):
        write_file(tmp_path / name)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder"]


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write_file(tmp_path / "no" / "such" / "file")
    assert (tmp_path / "no" / "such" / "file").read_bytes() == NEW


def test_a_long_name_leaves_room_for_the_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_file(path)
    assert path.read_bytes() == NEW


def test_no_folder_is_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_bytes(OLD)
    (tmp_path / "file").write_bytes(OLD)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for path, message in (("full", "not empty"), ("file", "folder"), ("here", "current")):
        with pytest.raises(OutputError, match=message):
            write_folder(tmp_path / path)
    assert content(tmp_path / "full") == {"mine": OLD}


def test_nothing_is_replaced_if_asked_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.msh"
    write_whole_file(path, OLD, can_replace=False)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        with pytest.raises(OutputError, match=r"^out\.msh: exists already"):
            write_whole_file(Path(path.name), NEW, can_replace=False)
        with pytest.raises(OutputError, match="exists"):
            refuse_existing(path)
        monkeypatch.setattr(Path, "hardlink_to", refuse_links)
    assert [(entry, content(entry)) for entry in tmp_path.iterdir()] == [(path, OLD)]
    write_whole_file(tmp_path / "new.msh", NEW, can_replace=False)
    assert content(tmp_path / "new.msh") == NEW
    write_whole_file(Path(os.devnull), NEW, can_replace=False)


def refuse_links(*_: object) -> None:
    """Refuse as a file system without hard links does."""
    raise PermissionError(errno.EPERM, "Operation not permitted")


def test_a_folder_is_looked_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    scan = os.scandir

    def counted(folder: Path) -> Any:
        seen.append(folder)
        return scan(folder)

    monkeypatch.setattr(os, "scandir", counted)
    for number in range(20):
        write_file(tmp_path / f"{number}.png")
    assert seen == [tmp_path]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each file is flushed")
def test_many_files_are_flushed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    sync, fsync = os.sync, os.fsync

    def counted_sync() -> None:
        calls.append("sync")
        sync()

    def counted_fsync(descriptor: int) -> None:
        calls.append("fsync")
        fsync(descriptor)

    monkeypatch.setattr(os, "sync", counted_sync)
    monkeypatch.setattr(os, "fsync", counted_fsync)
    write_whole_folder(tmp_path / "out", ((f"{row}", b"1") for row in range(500)))
    assert len([*(tmp_path / "out").iterdir()]) == 500
    assert calls.count("sync") == 1
    assert calls.count("fsync") < 5


@pytest.mark.skipif(sys.platform != "linux", reason="asks the system for the names of open files")
def test_an_error_of_closing_names_the_file_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems report a failed write only when the file is closed."""
    target = tmp_path / "a"
    target.write_bytes(b"old")
    close = os.close

    def failing(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        close(descriptor)
        if path.name.startswith(".mshview-"):
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "close", failing)
    with pytest.raises(OutputError, match="cannot be written: Input/output error") as caught:
        write_files([NewFile(target, b"new")])
    monkeypatch.undo()
    assert caught.value.source == str(target)
    assert [it.name for it in tmp_path.iterdir()] == ["a"]
    assert target.read_bytes() == b"old"


@pytest.mark.skipif(not IS_WINDOWS, reason="attributes of Windows")
def test_a_hidden_file_stays_hidden(tmp_path: Path) -> None:
    if sys.platform == "win32":
        path = tmp_path / "hidden.msh"
        path.write_bytes(b"before")
        assert ctypes.windll.kernel32.SetFileAttributesW(str(path), stat.FILE_ATTRIBUTE_HIDDEN)
        write_files([NewFile(path, b"after")])
        assert path.read_bytes() == b"after"
        assert path.stat().st_file_attributes & stat.FILE_ATTRIBUTE_HIDDEN
