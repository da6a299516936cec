"""Journals: locked while they are written, found afterwards, removed with the changes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, cast

import pytest

from tests.control.waiting import Waiting
from tests.systems import needs_permissions
from viewer.control.editing.journal import FileBase, FoundJournal, Journal
from viewer.control.jobs import Jobs
from viewer.errors import FormatError
from viewer.formats.splice import Splice
from viewer.model.store.address import Address
from viewer.session.edits import journal_lines
from viewer.session.edits.edited_file import EditedFile, Step

BEFORE = b"before"


def journal_in(folder: Path, jobs: Waiting | None = None) -> Journal:
    """A journal whose errors fail the test."""

    def refuse(error: OSError) -> None:
        raise error

    return Journal(folder, cast(Jobs, jobs or Waiting()), refuse)


def step(path: Path, after: bytes = b"X") -> Step:
    """A step that replaces the first byte."""
    return Step(Address(path), "change", (Splice(0, b"b", after),))


def begun(folder: Path, path: Path, *, has_step: bool = True) -> Journal:
    """A journal of one file, with a step in it."""
    journal = journal_in(folder)
    journal.begin(EditedFile(path), FileBase(BEFORE))
    if has_step:
        journal.append(path, journal_lines.step_line(step(path)))
    return journal


def found(folder: Path) -> list[FoundJournal]:
    """What the next start finds; nothing stays locked."""
    journal = journal_in(folder)
    journals = [*journal.found()]
    for it in journals:
        journal.release(it)
    return journals


def test_it_is_found_when_its_program_has_ended_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    journal = begun(tmp_path, path)
    assert found(tmp_path) == []
    journal.close()
    (left,) = found(tmp_path)
    assert (left.file.path, [it.words for it in left.file.done]) == (path, ["change"])
    assert left.base.size == len(BEFORE)


def test_two_starts_do_not_find_the_same_one(tmp_path: Path) -> None:
    begun(tmp_path, tmp_path / "a.rlb").close()
    one, other = journal_in(tmp_path), journal_in(tmp_path)
    (left,) = one.found()
    assert [*other.found()] == []
    one.release(left)
    assert len([*other.found()]) == 1


def test_the_digest_of_the_saved_bytes_follows(tmp_path: Path) -> None:
    path, jobs = tmp_path / "a.rlb", Waiting()
    journal = journal_in(tmp_path, jobs)
    journal.begin(EditedFile(path), FileBase(BEFORE))
    journal.append(path, journal_lines.step_line(step(path)))
    jobs.finish()
    journal.close()
    (left,) = found(tmp_path)
    assert left.base.digest == FileBase(BEFORE).digest


def test_one_without_changes_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    journal = begun(tmp_path, path)
    journal.append(path, journal_lines.position_line(0))
    journal.close()
    assert found(tmp_path) == []
    assert not [*tmp_path.iterdir()]


def test_one_without_changes_is_closed_before_it_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows removes no open file."""
    journal = begun(tmp_path, tmp_path / "a.rlb")
    journal.append(tmp_path / "a.rlb", journal_lines.position_line(0))
    journal.close()
    really = Path.unlink
    opened: list[IO[bytes]] = []

    def unlink(path: Path, *rest: bool) -> None:
        if any(not it.closed and it.name == path for it in opened):
            raise PermissionError(13, "open")
        really(path, *rest)

    def noted(path: Path, mode: str = "r") -> IO[bytes]:
        opened.append(cast(IO[bytes], open(path, mode)))  # noqa: PTH123, SIM115 the other one is replaced
        return opened[-1]

    monkeypatch.setattr(Path, "unlink", unlink)
    monkeypatch.setattr(Path, "open", noted)
    assert found(tmp_path) == []
    assert len(opened) == 1
    assert [it.name for it in tmp_path.iterdir()] == []


def test_dropped_changes_are_removed(tmp_path: Path) -> None:
    journal = begun(tmp_path, tmp_path / "a.rlb")
    journal.drop(tmp_path / "a.rlb")
    assert not [*tmp_path.iterdir()]


def test_one_that_is_taken_over_goes_on_after_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    begun(tmp_path, path).close()
    (name,) = tmp_path.iterdir()
    name.write_bytes(name.read_bytes() + b'{"step":{"wor')
    journal = journal_in(tmp_path)
    (left,) = journal.found()
    journal.take_over(left)
    journal.append(path, journal_lines.step_line(step(path, b"Y")))
    journal.close()
    (again,) = found(tmp_path)
    assert [it.splices[0].after for it in again.file.done] == [b"X", b"Y"]


WHERE = json.dumps({"path": str(Path("/a.rlb").absolute())}, separators=(",", ":"))[1:-1]
FIRST = f'{{"mshview_journal":1,{WHERE},"size":5,"steps":[],"position":0}}\n'
STEP = (
    '{"step":{"entries":[],"words":"w","splices":[[1,"WA==","WQ=="]],"changes":[],"topics":[],"gesture":null,'
    '"declined":[],"wanted":[],"offered":[],"made_in":"","others":[]}}\n'
)
ODD = ("1e999", "-1e999", "NaN", "-20", "-1", "1.5", "[]", "[[]]", "{}", "null", "true", '"x"', "9" * 4000)


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("before", ['"size":5', '"position":0', '[[1,"', '"entries":[]', WHERE])
def test_odd_values_are_set_aside_and_said(tmp_path: Path, before: str, value: str) -> None:
    text = FIRST + STEP
    after = f'[[{value},"' if before.startswith("[[") else f"{before.partition(':')[0]}:{value}"
    name = tmp_path / "odd.journal"
    name.write_text(text.replace(before, after, 1))
    said: list[tuple[Path, FormatError]] = []
    journal = Journal(tmp_path, cast(Jobs, Waiting()), lambda _: None, lambda *it: said.append(it))
    if (before, value) == ('"entries":[]', "[]"):
        assert len([*journal.found()]) == 1
        return
    assert [*journal.found()] == []
    ((kept, _),) = said
    assert (
        kept.read_text() == (tmp_path / "odd.journal.damaged").read_text() == text.replace(before, after, 1)
    )
    assert not name.exists()
    assert [*journal.found()] == []
    assert len(said) == 1, "it is said once"


@pytest.mark.parametrize("time", [-1e10, 1e13])
def test_any_time_of_a_journal_is_shown(tmp_path: Path, time: float) -> None:
    name = tmp_path / "odd.journal"
    name.write_text(FIRST + STEP)
    os.utime(name, (time, time))
    journal = Journal(tmp_path, cast(Jobs, Waiting()), lambda _: None)
    (left,) = journal.found()
    assert 1969 <= left.modified.year <= 2107


def test_what_cannot_be_read_stays(tmp_path: Path) -> None:
    name = tmp_path / "other.journal"
    name.write_bytes(b'{"mshview_journal":2}\n')
    assert found(tmp_path) == []
    assert name.exists()


def test_a_folder_that_cannot_be_written_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "journals").write_bytes(b"a file in its place")
    errors: list[OSError] = []
    journal = Journal(tmp_path / "journals", cast(Jobs, Waiting()), errors.append)
    for name in "ab":
        journal.begin(EditedFile(tmp_path / name), FileBase(BEFORE))
        journal.append(tmp_path / name, b"{}\n")
    assert len(errors) == 1


@needs_permissions
def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    begun(tmp_path, tmp_path / "a.rlb").close()
    (name,) = tmp_path.iterdir()
    if name.stat().st_mode & 0o77:
        pytest.fail("others can read it")
