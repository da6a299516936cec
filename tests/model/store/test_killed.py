"""Processes that get a signal at any call that changes a file: sets and folders are whole once recovered."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest

from tests.model.store import system_calls
from tests.model.store.test_recovery import BEFORE, NEW, OLD, SET, WIDE_BEFORE, WIDE_SET, content, fill, lay
from viewer.model.store import held, whole_folder
from viewer.model.store.recovery import recover
from viewer.model.store.writing import NewFile, write_files

pytestmark = pytest.mark.skipif(not system_calls.IS_POSSIBLE, reason="no system calls can be followed")


def recover_all(folder: Path) -> dict[str, bytes]:
    """What is in a folder and those below it once all were recovered."""
    for it in (folder, *(it for it in folder.rglob("*") if it.is_dir())):
        recover(it)
    return content(folder)


def interrupted(work: Callable[[], object]) -> Callable[[], int]:
    """A program that does some work, and ends in order when it is interrupted."""

    def program() -> int:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            work()
        except KeyboardInterrupt:
            return 130
        return 0

    return program


def refuse(*_: object) -> NoReturn:
    raise PermissionError(1, "no links here")


MOMENTS = [(signal.SIGINT, True), (signal.SIGINT, False), (system_calls.KILL, True)]
"""Signals, and whether they come before a call: a process that is killed after one has not begun the next."""


class SignaledSet(NamedTuple):
    """The files of a set that got a signal: at once, after one folder is recovered, and after all are.

    Attributes
    ----------
    call
        The call that changes a file at which the signal came.
    is_recorded
        Whether an undo record was left.
    """

    call: str
    is_recorded: bool
    at_once: dict[str, bytes]
    after_one: dict[str, bytes]
    after_all: dict[str, bytes]


def moments_of_a_set(
    folder: Path, number: int, before: dict[str, bytes], after: dict[str, bytes], *, is_before: bool
) -> list[SignaledSet]:
    """Replace a set anew for each call that changes a file, with a signal before or after that call."""

    def work() -> None:
        write_files([NewFile(folder / name, data) for name, data in after.items()])

    def of_the_set() -> dict[str, bytes]:
        return {name: data for name, data in content(folder).items() if name in after}

    lay(folder, before)
    found = []
    for at, call in enumerate(system_calls.run(interrupted(work)).calls):
        lay(folder, before)
        assert system_calls.run(interrupted(work), number, at, is_before=is_before).was_hit, call
        is_recorded, at_once = bool([*folder.rglob("*.set")]), of_the_set()
        folders = [it for it in (folder, *folder.rglob("*")) if it.is_dir()]
        recover(folders[at % len(folders)])
        found.append(SignaledSet(call, is_recorded, at_once, of_the_set(), recover_all(folder)))
    return found


def moments_without_links(*arguments: Any, is_before: bool) -> list[SignaledSet]:
    """Do so where the system has no hard links."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "hardlink_to", refuse)
        return moments_of_a_set(*arguments, is_before=is_before)


@pytest.mark.parametrize(("number", "is_before"), MOMENTS)
@pytest.mark.parametrize(
    ("before", "after", "moments"),
    [
        (BEFORE, SET, moments_of_a_set),
        (BEFORE, SET, moments_without_links),
        (WIDE_BEFORE, WIDE_SET, moments_of_a_set),
    ],
    ids=["one folder", "without links", "several folders"],
)
def test_a_set_is_never_torn(
    tmp_path: Path,
    small_process: ProcessPoolExecutor,
    number: int,
    before: dict[str, bytes],
    after: dict[str, bytes],
    moments: Callable[..., list[SignaledSet]],
    *,
    is_before: bool,
) -> None:
    """Signals at every change: all files are old or all new; after SIGKILL once one folder is recovered."""
    found = small_process.submit(moments, tmp_path, number, before, after, is_before=is_before).result()
    for it in found:
        if number == signal.SIGINT and not it.is_recorded:
            assert it.at_once in (before, after), it.call
        assert it.after_one in (before, after), it.call
        assert it.after_all in (before, after), it.call
    assert {it.after_one == after for it in found} == {True, False}


def killed_recoveries(folder: Path) -> list[tuple[str, dict[str, bytes]]]:
    """Kill a process when all files have their names, then one at each change of undoing, and recover."""

    def work() -> None:
        write_files([NewFile(folder / name, data) for name, data in WIDE_SET.items()])

    def killed() -> None:
        lay(folder, WIDE_BEFORE)
        system_calls.run(interrupted(work), system_calls.KILL, last, is_before=False)
        assert WIDE_SET.items() <= content(folder).items()

    lay(folder, WIDE_BEFORE)
    calls = system_calls.run(interrupted(work)).calls
    last = max(at for at, call in enumerate(calls) if call.startswith("rename"))
    killed()
    undoing = system_calls.run(interrupted(lambda: recover(folder / "below"))).calls
    assert WIDE_BEFORE.items() <= content(folder).items()
    found = []
    for at, call in enumerate(undoing):
        killed()
        system_calls.run(
            interrupted(lambda: recover(folder / "below")), system_calls.KILL, at, is_before=True
        )
        recover(folder / "below/there")
        found.append((call, recover_all(folder)))
    return found


def test_a_recovery_that_is_killed_is_continued(tmp_path: Path, small_process: ProcessPoolExecutor) -> None:
    found = small_process.submit(killed_recoveries, tmp_path).result()
    assert found
    for call, files in found:
        assert files == WIDE_BEFORE, call


class SignaledFolder(NamedTuple):
    """A folder that got a signal while another one took its place: its file at once, then all files."""

    call: str
    at_once: bytes | None
    after_recovery: dict[str, bytes]
    names: list[str]


def moments_of_a_folder(
    folder: Path, number: int, *, is_before: bool, can_swap: bool = True
) -> list[SignaledFolder]:
    """Replace a folder anew for each of its calls that changes a file, with a signal before or after it."""
    path = folder / "site"

    def prepare() -> None:
        held.remove(path)
        path.mkdir()
        (path / "index").write_bytes(OLD)

    found = []
    with pytest.MonkeyPatch.context() as patch:
        if not can_swap:
            patch.setattr(whole_folder, "_swapped", lambda *_: False)
        prepare()
        program = interrupted(lambda: fill(path))
        for at, call in enumerate(system_calls.run(program).calls):
            prepare()
            assert system_calls.run(program, number, at, is_before=is_before).was_hit, call
            at_once = (path / "index").read_bytes() if (path / "index").exists() else None
            recover(folder)
            found.append(SignaledFolder(call, at_once, content(folder), [it.name for it in folder.iterdir()]))
    return found


@pytest.mark.parametrize("can_swap", [True, False])
@pytest.mark.parametrize(("number", "is_before"), MOMENTS)
def test_a_folder_is_never_lost(
    tmp_path: Path, small_process: ProcessPoolExecutor, number: int, *, is_before: bool, can_swap: bool
) -> None:
    found = small_process.submit(
        moments_of_a_folder, tmp_path, number, is_before=is_before, can_swap=can_swap
    ).result()
    for it in found:
        if can_swap or number == signal.SIGINT:
            assert it.at_once in (OLD, NEW), it.call
        assert it.after_recovery in ({"site/index": OLD}, {"site/index": NEW}), it.call
        assert it.names == ["site"], it.call
    assert {it.after_recovery["site/index"] for it in found} == {OLD, NEW}
