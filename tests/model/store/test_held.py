"""Files that are open in another program or read-only: what Windows refuses, by errors like its own."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.systems import IS_WINDOWS
from viewer.errors import InUseError, OutputError, ReadOnlyError
from viewer.model.store import held
from viewer.model.store.disk import real_path, with_target
from viewer.model.store.held import HeldError, make_writable, patiently, remove
from viewer.model.store.temporary import Temporary
from viewer.model.store.whole_folder import new_folder
from viewer.model.store.writing import NewFile, digest_of, write_files

OLD, NEW = b"what was there", b"what is to be there"
SHARING, LOCKED, DENIED = 32, 33, 5
"""Numbers of errors of Windows."""


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "PATIENCE", 0.1)
    monkeypatch.setattr(held, "_PAUSE", 0.01)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "robots.rlb"
    path.write_bytes(OLD)
    return path


def refusal(number: int | None, path: Path | None = None) -> PermissionError:
    """The error of a call of Windows, which has its number, or of the C library there."""
    error = PermissionError(errno.EACCES, "Access is denied", str(path))
    if number is not None:
        error.winerror = number  # type: ignore[attr-defined, unused-ignore]
    return error


def failing(times: int, number: int | None) -> tuple[Callable[[], str], list[int]]:
    """A call that is refused so many times, and the calls that were made."""
    calls: list[int] = []

    def call() -> str:
        calls.append(1)
        if len(calls) <= times:
            raise refusal(number)
        return "done"

    return call, calls


def names(path: Path) -> list[str]:
    return sorted(it.name for it in path.parent.iterdir())


@pytest.mark.parametrize("number", [SHARING, LOCKED, DENIED])
def test_a_call_is_repeated_while_a_file_is_open_elsewhere(number: int) -> None:
    call, calls = failing(3, number)
    assert (patiently(call), len(calls)) == ("done", 4)


def test_any_other_error_is_raised_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for windows, number in ((False, None), (True, 1314)):  # a privilege that is missing
        monkeypatch.setattr(held, "IS_WINDOWS", windows)
        call, calls = failing(1, number)
        with pytest.raises(PermissionError) as caught:
            patiently(call)
        assert (type(caught.value), len(calls)) == (PermissionError, 1)


def test_what_the_c_library_refuses_on_windows_may_be_an_open_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "IS_WINDOWS", True)
    assert patiently(failing(2, None)[0]) == "done"


@pytest.mark.parametrize(("number", "is_certain"), [(SHARING, True), (LOCKED, True), (DENIED, False)])
def test_patience_ends(number: int, is_certain: bool) -> None:
    call, calls = failing(1000, number)
    with pytest.raises(HeldError) as caught:
        patiently(call)
    assert caught.value.is_certain is is_certain
    assert 3 < len(calls) < 100


@pytest.fixture
def open_elsewhere(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The file is open in another program, as Windows has it: no name of it is replaced or removed.

    Gives the errors of replacing that are left; endless if it is empty.
    """
    left: list[int] = []
    inode = path.stat().st_ino
    really = {name: getattr(Path, name) for name in ("replace", "rename", "unlink")}

    def refuse(name: str) -> Callable[..., object]:
        def call(it: Path, *arguments: Path) -> object:
            touched = [found for found in (it, *arguments) if found.exists() and found.stat().st_ino == inode]
            if touched and (not left or left.pop() != 0):
                raise refusal(DENIED if name == "replace" else SHARING, it)
            return really[name](it, *arguments)

        return call

    with monkeypatch.context() as patch:
        for name in really:
            patch.setattr(Path, name, refuse(name))
        yield left


def save(path: Path, others: int = 0) -> None:
    files = [NewFile(path.with_name(f"other{row}"), NEW) for row in range(others)]
    write_files([*files, NewFile(path, NEW, digest_of(OLD), has_backup=True)])


def test_a_file_that_stays_open_elsewhere_is_said_and_nothing_is_left(
    path: Path, open_elsewhere: list[int]
) -> None:
    with pytest.raises(InUseError, match="another program may have it open, such as the game") as caught:
        save(path)
    assert caught.value.source == str(path)
    assert (names(path), path.read_bytes()) == (["robots.rlb"], OLD)


def test_a_file_that_is_closed_in_time_is_saved(
    path: Path, open_elsewhere: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "PATIENCE", 60.0)  # a busy machine may need more than one for three attempts
    open_elsewhere += [0, 1, 1]  # taken from the end: refused twice
    save(path)
    assert names(path) == ["robots.rlb", "robots.rlb.bak"]
    assert (path.read_bytes(), path.with_name("robots.rlb.bak").read_bytes()) == (NEW, OLD)


def test_a_set_with_such_a_file_is_not_written(path: Path, open_elsewhere: list[int]) -> None:
    path.with_name("other0").write_bytes(OLD)
    with pytest.raises(InUseError):
        save(path, others=2)
    visible = [it for it in names(path) if not it.startswith(".")]
    assert visible == ["other0", "robots.rlb"]
    assert path.read_bytes() == path.with_name("other0").read_bytes() == OLD


def test_a_file_that_cannot_be_read_is_in_use(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that shares nothing: it cannot even be compared with what was read."""
    really = Path.open

    def call(it: Path, *arguments: str, **named: object) -> object:
        if it.name == path.name:
            raise refusal(SHARING, it)
        return really(it, *arguments, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", call)
    with pytest.raises(
        InUseError, match=r"another program has it open, such as the game or a virus scanner;"
    ):
        save(path)
    assert names(path) == ["robots.rlb"]


def test_a_read_only_file_is_refused_before_anything_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: object) -> None:
        pytest.fail("written in vain")

    monkeypatch.setattr(Temporary, "write", write)
    monkeypatch.setattr(held, "IS_WINDOWS", False)
    path.chmod(0o444)
    with pytest.raises(ReadOnlyError) as caught:
        save(path)
    assert caught.value.message == f'cannot be written: it is read-only; chmod u+w "{path}" makes it writable'
    assert names(path) == ["robots.rlb"]
    monkeypatch.setattr(held, "IS_WINDOWS", True)
    with pytest.raises(ReadOnlyError, match=r'; attrib -r ".*robots\.rlb" makes it writable'):
        write_files([NewFile(path, NEW)])  # not even what needs no backup is replaced there
    monkeypatch.undo()
    make_writable(path)
    assert stat.S_IMODE(path.stat().st_mode) == (0o666 if IS_WINDOWS else 0o644)
    save(path)
    assert path.read_bytes() == NEW


def test_permissions_that_this_user_cannot_change_are_another_refusal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="cannot be written: this user may not change it") as caught:
        save(path)
    assert type(caught.value) is OutputError


def test_read_only_files_and_folders_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows removes none before its attribute is cleared."""
    really = os.unlink, os.rmdir

    def refuse(call: Callable[..., None]) -> Callable[..., None]:
        def called(path: Path | str, *, dir_fd: int | None = None) -> None:
            if not os.stat(path, dir_fd=dir_fd).st_mode & stat.S_IWUSR:
                raise refusal(DENIED)
            call(path, dir_fd=dir_fd)

        return called

    monkeypatch.setattr(held, "IS_WINDOWS", True)
    monkeypatch.setattr(os, "unlink", refuse(really[0]))
    monkeypatch.setattr(os, "rmdir", refuse(really[1]))
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "a").write_bytes(OLD)
    (tmp_path / "b").write_bytes(OLD)
    for it in (tmp_path / "b", folder / "below" / "a", folder / "below"):
        it.chmod(0o444 if it.is_file() else 0o555)
    remove(tmp_path / "b")
    monkeypatch.setattr(stat, "S_IREAD", stat.S_IREAD | stat.S_IXUSR)  # folders of this system need it
    remove(folder)
    assert [*tmp_path.iterdir()] == []


def test_a_folder_is_not_replaced_while_one_of_its_files_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows renames neither that file, be it to its own name, nor the folder."""
    site = tmp_path / "site"
    (site / "pictures").mkdir(parents=True)
    for name in ("index.html", "pictures/a.png", "pictures/b.png"):
        (site / name).write_bytes(OLD)
    really = Path.rename

    def rename(it: Path, target: Path) -> Path:
        if it.name == "b.png":
            raise refusal(SHARING, it)
        return really(it, target)

    monkeypatch.setattr(Path, "rename", rename)
    monkeypatch.setattr(held, "IS_WINDOWS", True)
    with (
        pytest.raises(InUseError, match="another program has it open") as caught,
        new_folder(site, lambda _: True),
    ):
        pass
    assert caught.value.source == str(site / "pictures" / "b.png")
    assert sorted(it.name for it in site.rglob("*")) == ["a.png", "b.png", "index.html", "pictures"]
    assert [it.name for it in tmp_path.iterdir()] == ["site"]


def test_the_letter_of_a_network_drive_is_no_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows resolves it to the name of a server, which the user has not typed."""
    root = Path(Path.cwd().anchor)
    server = root / "server" / "share"

    def resolved(path: str | Path) -> str:
        return str(server.joinpath(*Path.cwd().joinpath(path).parts[1:]))

    monkeypatch.setattr(os.path, "realpath", resolved)
    assert with_target(root / "game" / "models.rlb") == str(root / "game" / "models.rlb")
    assert with_target(Path("models.rlb")) == "models.rlb"


def test_a_file_is_saved_where_the_system_cannot_say_what_a_path_leads_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows says so of RAM disks."""

    def refuse(path: object) -> str:
        raise OSError(errno.EINVAL, "not a file system", str(path))

    monkeypatch.setattr(os.path, "realpath", refuse)
    write_files([NewFile(tmp_path / "below" / ".." / "a.msh", b"new")])
    assert (tmp_path / "a.msh").read_bytes() == b"new"
    assert real_path(Path("below", "..", "a.msh")) == Path.cwd() / "a.msh"
    assert with_target(Path("a.msh")) == "a.msh"
