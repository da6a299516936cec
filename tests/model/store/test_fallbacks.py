"""Systems without some calls, as Windows, macOS and network drives are: the same promises hold there."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest

from tests.model.store import system_calls
from viewer.control.editing.journal import FileBase, Journal
from viewer.control.jobs import Jobs
from viewer.errors import OutputError
from viewer.formats.splice import Splice
from viewer.model.store import held, temporary
from viewer.model.store.address import Address
from viewer.model.store.recovery import recover, sweep
from viewer.model.store.whole_folder import new_folder, write_folder
from viewer.model.store.writing import NewFile, digest_of, write_files
from viewer.session.edits import journal_lines
from viewer.session.edits.edited_file import EditedFile, Step

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the calls of other systems are taken away")

OLD, NEW = b"what was there", b"what is to be there " * 100
BEFORE = {"a": OLD, "below/b": OLD + b"1", "site/index": OLD}
"""All files at the beginning."""


def _refuse(*_: object, **_named: object) -> NoReturn:
    raise OSError(errno.ENOTSUP, "not on this system")


class _NoCalls:
    """A system library without the call that exchanges two names."""

    def __init__(self, *_: object) -> None:
        pass


class _Refusing(_NoCalls):
    """One whose file system cannot."""

    def renameat2(self, *_: object) -> int:
        return -1

    renamex_np = renameat2


def _without_exchange(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ctypes, "CDLL", _NoCalls)


def _with_refused_exchange(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ctypes, "CDLL", _Refusing)


def _without_locks(patch: pytest.MonkeyPatch) -> None:
    import fcntl  # noqa: PLC0415 not on Windows

    patch.setattr(fcntl, "flock", _refuse)


def _without_open_folders(patch: pytest.MonkeyPatch) -> None:
    """As Windows, where a file stands for the folder that is locked."""
    really = os.open

    def opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if "dir_fd" not in named and Path(path).is_dir():
            raise PermissionError(errno.EACCES, "is a folder")
        return really(path, flags, *rest, **named)

    patch.setattr(os, "open", opened)


def _without_links(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Path, "hardlink_to", _refuse)


def _as_windows(patch: pytest.MonkeyPatch) -> None:
    for take_away in (_without_exchange, _without_open_folders, _without_links):
        take_away(patch)


SYSTEMS = {
    "without exchange": _without_exchange,
    "with refused exchange": _with_refused_exchange,
    "without locks": _without_locks,
    "without open folders": _without_open_folders,
    "without links": _without_links,
    "as Windows": _as_windows,
}


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A system on which some calls are missing; its name."""
    SYSTEMS[request.param](monkeypatch)
    yield request.param
    sweep.cache_clear()


def begin(folder: Path) -> None:
    """Lay the files at the beginning."""
    for it in folder.iterdir():
        held.remove(it)
    for name, data in BEFORE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


def content(folder: Path) -> dict[str, bytes]:
    return {it.relative_to(folder).as_posix(): it.read_bytes() for it in folder.rglob("*") if it.is_file()}


def write_one(folder: Path) -> dict[str, bytes]:
    write_files([NewFile(folder / "a", NEW, digest_of(OLD), has_backup=True)])
    return {"a": NEW, "a.bak": OLD}


def write_new(folder: Path) -> dict[str, bytes]:
    write_files([NewFile(folder / "new", NEW, can_replace=False)])
    return {"new": NEW}


def write_set(folder: Path) -> dict[str, bytes]:
    files = {"a": NEW, "c": NEW + b"2"}
    write_files([NewFile(folder / name, data) for name, data in files.items()])
    return files


def write_wide_set(folder: Path) -> dict[str, bytes]:
    files = {"a": NEW, "below/b": NEW + b"1", "below/there/c": NEW + b"2"}
    write_files([NewFile(folder / name, data) for name, data in files.items()])
    return files


def replace_folder(folder: Path) -> dict[str, bytes]:
    with new_folder(folder / "site", lambda _: True) as made:
        (made / "index").write_bytes(NEW)
    return {"site/index": NEW}


def make_folder(folder: Path) -> dict[str, bytes]:
    write_folder(folder / "made", [("x", NEW)])
    return {"made/x": NEW}


OPERATIONS = [write_one, write_new, write_set, write_wide_set, replace_folder, make_folder]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_all_is_written_and_nothing_left_over(
    system: str, tmp_path: Path, operation: Callable[[Path], dict[str, bytes]]
) -> None:
    begin(tmp_path)
    written = operation(tmp_path)
    assert content(tmp_path) == BEFORE | written, system


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_interrupted_is_as_it_was(
    system: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    operation: Callable[[Path], dict[str, bytes]],
) -> None:
    """Every renaming fails once, the first, the second, ..."""
    begin(tmp_path)
    failing = 0
    while not _fails(monkeypatch, operation, tmp_path, failing):
        found = {name: data for name, data in content(tmp_path).items() if not name.startswith(".")}
        assert found == BEFORE, (system, failing)
        failing += 1


def _fails(
    monkeypatch: pytest.MonkeyPatch,
    operation: Callable[[Path], dict[str, bytes]],
    folder: Path,
    failing: int,
) -> bool:
    """Do something while a renaming fails; whether there were not that many."""
    renamed = Path.rename, Path.replace
    count = -1

    def call(path: Path, target: Path, really: Callable[[Path, Path], Path]) -> Path:
        nonlocal count
        count += 1
        return _refuse() if count == failing else really(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda path, target: call(path, target, renamed[0]))
        patch.setattr(Path, "replace", lambda path, target: call(path, target, renamed[1]))
        with suppress(OutputError, OSError):
            operation(folder)
    return count < failing


class KilledOperation(NamedTuple):
    """The files after a process was killed before a call, after one recovery, and after all of them."""

    call: str
    at_once: dict[str, bytes]
    after_one: dict[str, bytes]
    after_all: dict[str, bytes]


def moments_of(
    folder: Path, operation: Callable[[Path], dict[str, bytes]], name: str
) -> tuple[dict[str, bytes], list[KilledOperation]]:
    """What an operation writes, and what is left if it is killed before each call that changes a file."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        SYSTEMS[name](patch)
        begin(folder)
        calls = system_calls.run(lambda: len(operation(folder)) and 0).calls
        wanted = content(folder)
        for at, call in enumerate(calls):
            begin(folder)
            system_calls.run(lambda: len(operation(folder)) and 0, signal.SIGKILL, at, is_before=True)
            folders = [folder, *(it for it in folder.rglob("*") if it.is_dir())]
            at_once = content(folder)
            if name == "without locks":
                recover(folder)
            after_one = content(folder)
            old = time.time() - 2 * temporary.LEFT_OVER
            for it in folder.rglob(".mshview-*"):
                os.utime(it, (old, old))
            for it in folders:
                recover(it)
            found.append(KilledOperation(call, at_once, after_one, content(folder)))
    return wanted, found


@pytest.mark.skipif(not system_calls.IS_POSSIBLE, reason="no system calls can be followed")
@pytest.mark.parametrize("operation", [write_wide_set, replace_folder])
@pytest.mark.parametrize("name", ["without locks", "as Windows"])
def test_a_killed_process_leaves_old_or_new_once_recovered(
    tmp_path: Path,
    small_process: ProcessPoolExecutor,
    operation: Callable[[Path], dict[str, bytes]],
    name: str,
) -> None:
    """Where nothing can be locked, what is younger than an hour may belong to a living process, and stays."""
    wanted, found = small_process.submit(moments_of, tmp_path, operation, name).result()
    for it in found:
        assert it.after_one == it.at_once, it.call
        assert it.after_all in (BEFORE, wanted), it.call
    assert {it.after_all == wanted for it in found} == {True, False}


@pytest.mark.parametrize("age", [0.5, 2])
def test_unsaved_changes_are_found_where_nothing_can_be_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: float
) -> None:
    """Younger ones may be those of another window."""
    _without_locks(monkeypatch)
    jobs = Jobs(lambda: None)
    journal = Journal(tmp_path, jobs, _refuse)
    file = EditedFile(tmp_path / "a")
    journal.begin(file, FileBase(OLD))
    change = Step(Address(file.path), "a change", (Splice(0, OLD[:1], NEW[:2]),))
    journal.append(file.path, journal_lines.step_line(change))
    journal.close()
    (written,) = tmp_path.glob("*.journal")
    old = time.time() - age * temporary.LEFT_OVER
    os.utime(written, (old, old))
    found = [*Journal(tmp_path, jobs, _refuse).found()]
    assert [it.file.path for it in found] == [file.path] * (age > 1)
    jobs.close()
