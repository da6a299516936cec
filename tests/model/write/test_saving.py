"""Saving: the old file or the new one, whatever happens, and the original as a backup."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from viewer.errors import ConflictError, OutputError
from viewer.model.store.files import Replacement
from viewer.model.write import saving
from viewer.model.write.saving import conflict_of, digest_of, save

OLD: Final = b"old bytes" * 1000
NEW: Final = b"new, longer bytes" * 1000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "robots.rlb"
    file.write_bytes(OLD)
    return file


def names(path: Path) -> list[str]:
    return sorted(other.name for other in path.parent.iterdir())


def test_the_original_is_kept_once(path: Path) -> None:
    backup = path.with_name("robots.rlb.bak")
    saved = save(path, NEW, expected=digest_of(OLD))
    assert (path.read_bytes(), backup.read_bytes()) == (NEW, OLD)
    assert saved.backup == backup
    assert saved.revision[:2] == (path.stat().st_mtime_ns, len(NEW))
    again = save(path, b"newest", expected=saved.digest)
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

    os.utime(path, ns=(5, 7))
    monkeypatch.setattr(Path, "hardlink_to", refuse)
    saved = save(path, NEW)
    assert saved.backup is not None
    assert (saved.backup.read_bytes(), saved.backup.stat().st_mtime_ns) == (OLD, 7)


def test_a_new_file_has_no_backup(tmp_path: Path) -> None:
    saved = save(tmp_path / "new.rlb", NEW)
    assert (saved.backup, saved.path.read_bytes()) == (None, NEW)


def test_permissions_stay(path: Path) -> None:
    path.chmod(0o640)
    save(path, NEW)
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(path: Path) -> None:
    link = path.with_name("link.rlb")
    link.symlink_to(path.name)
    assert save(link, NEW).path == path
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
    verify = saving._verify

    def interfere(place: Replacement, data: bytes) -> None:
        verify(place, data)
        path.write_bytes(b"theirs")

    monkeypatch.setattr(saving, "_verify", interfere)
    with pytest.raises(ConflictError, match="while it was saved"):
        save(path, NEW, expected=digest_of(OLD))
    assert path.read_bytes() == b"theirs"
    assert names(path) == ["robots.rlb"]


def test_bytes_that_are_read_again_otherwise_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(place: Replacement, data: tuple[bytes, ...]) -> None:
        place.temporary.write_bytes(data[0][:-1])

    monkeypatch.setattr(Replacement, "write", write)
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


def test_a_vanished_folder_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        save(tmp_path / "gone" / "x.rlb", NEW)
    with pytest.raises(ConflictError):
        save(tmp_path / "gone" / "x.rlb", NEW, expected=digest_of(OLD))


def test_a_folder_or_a_device_is_refused(tmp_path: Path) -> None:
    for target in (tmp_path, Path(os.devnull)):
        with pytest.raises(OutputError, match="not a regular file"):
            save(target, NEW)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file sizes")
def test_a_full_disk_leaves_the_old_file(path: Path) -> None:
    """A limit of the file size fails like a full disk: in the middle of writing."""
    program = (
        "import resource, signal, sys; from pathlib import Path; from viewer.model.write.saving import save\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n save(Path(sys.argv[1]), bytes(20000))\n"
        "except Exception as error:\n print(type(error).__name__, error)"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"OutputError {path}: cannot be written: ")
    assert path.read_bytes() == OLD
    assert names(path) == ["robots.rlb"]


PTRACE_TRACEME, PTRACE_SYSCALL = 0, 24
LIBRARY: Final = ctypes.CDLL(None) if sys.platform == "linux" else None


def killed_save(path: Path, at: int) -> bool:
    """Save in a process that is killed at its `at`-th step into or out of the system.

    False if it has ended before.
    """
    assert LIBRARY is not None
    process = os.fork()
    if not process:
        try:
            LIBRARY.ptrace(PTRACE_TRACEME, 0, None, None)
            os.kill(os.getpid(), signal.SIGSTOP)
            save(path, NEW, expected=digest_of(OLD))
        finally:
            os._exit(0)
    _, status = os.waitpid(process, 0)
    for _ in range(at):
        LIBRARY.ptrace(PTRACE_SYSCALL, process, None, None)
        _, status = os.waitpid(process, 0)
        if os.WIFEXITED(status):
            return False
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return True


@pytest.mark.skipif(LIBRARY is None or not hasattr(LIBRARY, "ptrace"), reason="no system calls are counted")
def test_a_save_that_is_killed_at_any_system_call_leaves_the_old_file_or_the_new_one(path: Path) -> None:
    seen = set()
    backup = path.with_name("robots.rlb.bak")
    at = 0
    is_killed = True
    while is_killed:
        at += 1
        is_killed = killed_save(path, at)
        now = path.read_bytes()
        assert now in {OLD, NEW}, at
        assert not backup.exists() or backup.read_bytes() == OLD, at
        assert now == OLD or backup.exists(), at
        seen.add((now == NEW, backup.exists(), is_killed))
        for other in path.parent.iterdir():
            assert other in {path, backup} or other.name.startswith(".mshview-"), at
            other.unlink()
        path.write_bytes(OLD)
    assert at > 40
    assert seen == {(False, False, True), (False, True, True), (True, True, True), (True, True, False)}
