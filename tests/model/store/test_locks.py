"""Locks of folders, by which the processes that write into one take turns."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest

from tests.systems import IS_WINDOWS, needs_permissions
from viewer.errors import OutputError
from viewer.model.store import temporary
from viewer.model.store.temporary import locked

ROOT = Path(__file__).parents[3]
HOLDER = """
import sys, time
from pathlib import Path
from viewer.model.store.temporary import locked

with locked([Path(sys.argv[1])]):
    print("locked", flush=True)
    time.sleep(600)
"""


@contextmanager
def holder(locked_folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that keeps a folder locked; it is killed at the end."""
    command = [sys.executable, "-c", HOLDER, str(locked_folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == b"locked"
            yield process
        finally:
            process.kill()


@pytest.fixture(params=["folder", "file"])
def locked_folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder; or one that the system cannot lock, for which a file stands."""
    if request.param == "file":
        monkeypatch.setattr(temporary, "_folder_itself", temporary._lock_file)
    return tmp_path


@pytest.mark.skipif(not IS_WINDOWS, reason="other systems lock the folder itself")
def test_nothing_is_left_of_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with locked([tmp_path]):
        assert [it.suffix for it in tmp_path.iterdir()] == [".lock"]
    assert not [*tmp_path.iterdir()]


def test_a_killed_process_gives_its_lock_up_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary, "PATIENCE", 0.05)
    with holder(tmp_path) as process:
        with pytest.raises(OutputError, match="another program"), locked([tmp_path]):
            pass
        process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        process.wait()
        with locked([tmp_path]):
            assert [*tmp_path.iterdir()] == []


def test_threads_take_turns(locked_folder: Path) -> None:
    inside = []

    def work(number: int) -> None:
        with locked([locked_folder, locked_folder]):
            inside.append(number)
            sleep(0.01)
            assert inside[-1] == number
            inside.append(number)

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(work, range(8))] == [None] * 8
    assert inside[::2] == inside[1::2]


def test_an_error_inside_is_that_error_and_ends_the_lock(locked_folder: Path) -> None:
    for _ in range(2):
        with pytest.raises(PermissionError), locked([locked_folder]):
            raise PermissionError


def test_a_system_without_locks_is_no_error(locked_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporary, "lock", lambda _: None)
    before = len([*Path("/proc/self/fd").iterdir()]) if Path("/proc/self/fd").exists() else 0
    with locked([locked_folder]), locked([locked_folder]):
        pass
    assert not before or len([*Path("/proc/self/fd").iterdir()]) == before


@needs_permissions
def test_a_lock_of_another_user_blocks_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can open a folder can lock it; then writers do without, and say so to those who clear up."""
    monkeypatch.setattr(temporary, "PATIENCE_WITH_OTHERS", 0.05)
    tmp_path.chmod(0o755)
    with holder(tmp_path), locked([tmp_path]) as are_locked:
        assert not are_locked
    with locked([tmp_path]) as are_locked:
        assert are_locked
