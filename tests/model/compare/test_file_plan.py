"""File plans: what is refused, and what is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import ConflictError, OutputError, Severity
from viewer.formats.splice import Splice
from viewer.model.compare.edit_report import EditReport, Finding
from viewer.model.compare.file_plan import FilePlan, refused
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.write.unpacked_folder import Unpacking
from viewer.operations.extracting import plan_folder, plan_payload
from viewer.operations.patching import make_patch, patch_of, patched
from viewer.operations.saving import write, write_folder, written_to
from viewer.resources import bundled_path

BEFORE = b"abcdef"
SPLICES = (Splice(1, b"bc", b"XYZ"),)
AFTER = b"aXYZdef"
WEAR = b"1\r\n0 TANK\r\n"


def finding(severity: Severity) -> Finding:
    return Finding(Address.parse("a.msh"), Diagnostic("V14", severity, "range exceeds the table"))


ERROR, WARNING = finding(Severity.ERROR), finding(Severity.WARNING)
ADDED = EditReport(added=(WARNING, ERROR), resolved=(ERROR,))


def test_an_edit_that_adds_errors_is_refused_unless_it_is_forced() -> None:
    worse, same = FilePlan(Path("a"), BEFORE, SPLICES, findings=ADDED), FilePlan(Path("b"), BEFORE)
    warned = FilePlan(Path("c"), BEFORE, SPLICES, findings=EditReport(added=(WARNING,), resolved=(ERROR,)))
    assert refused([same, worse, warned]) == (ERROR,)
    assert refused([worse], is_forced=True) == ()
    assert refused([same, warned]) == ()


def test_a_new_file_takes_the_place_of_nothing_that_was_right() -> None:
    assert refused([FilePlan(Path("a"), data=AFTER, findings=ADDED)]) == ()


def test_a_plan_says_what_changes() -> None:
    plan = FilePlan(Path("a"), BEFORE, SPLICES)
    assert (bytes(plan.after), plan.size_before, plan.size_after, plan.byte_count) == (AFTER, 6, 7, 3)
    assert (plan.is_changed, FilePlan(Path("a"), BEFORE).is_changed, plan.report.added) == (True, False, ())
    assert FilePlan.replaced(Path("a"), BEFORE, b"abXdef").splices == (Splice(2, b"c", b"X"),)


def test_a_new_file_may_come_in_parts(tmp_path: Path) -> None:
    plan = FilePlan(tmp_path / "a.json", data=(BEFORE, AFTER))
    assert (plan.size_before, plan.size_after, plan.is_changed) == (0, 13, True)
    write([plan])
    assert plan.path.read_bytes() == BEFORE + AFTER


def test_what_a_new_file_replaces_is_kept_if_it_is_of_the_game_or_the_plan_says_so(tmp_path: Path) -> None:
    texts, game = (tmp_path / name for name in ("a.txt", "a.wea"))
    for path in (texts, game):
        path.write_bytes(BEFORE)
    plans = [FilePlan(path, data=AFTER) for path in (texts, game)]
    assert [it.backup for it in write(plans)] == [None, game.with_name("a.wea.bak")]
    (kept,) = write([replace(plans[0], has_backup=True)])
    assert kept.backup == texts.with_name("a.txt.bak")
    assert kept.backup.read_bytes() == AFTER


def test_a_file_is_written_over_itself_as_it_was_read_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.wea"
    path.write_bytes(BEFORE)
    plan = FilePlan(path, BEFORE, SPLICES)
    (written,) = write([plan])
    assert (path.read_bytes(), written.backup) == (AFTER, tmp_path / "a.wea.bak")
    assert (tmp_path / "a.wea.bak").read_bytes() == BEFORE
    with pytest.raises(ConflictError):  # it is not as it was read any more
        write([plan])
    assert path.read_bytes() == AFTER


def test_several_files_are_written_all_or_none(tmp_path: Path) -> None:
    path = tmp_path / "a.wea"
    path.write_bytes(BEFORE)
    new = FilePlan(tmp_path / "b", data=b"new", can_replace=False)
    with pytest.raises(ConflictError):
        write([new, FilePlan(path, b"other", ())])
    assert {it.name for it in tmp_path.iterdir()} == {"a.wea"}
    assert len(write([new, FilePlan(path, BEFORE, SPLICES)])) == 2
    with pytest.raises(OutputError, match="exists already"):
        write([new])


def test_another_target_gets_a_copy(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.wea", tmp_path / "b.wea"
    path.write_bytes(BEFORE)
    plan = FilePlan(path, BEFORE, SPLICES)
    write([written_to(plan, copy)])
    assert (path.read_bytes(), copy.read_bytes()) == (BEFORE, AFTER)
    assert written_to(plan, tmp_path / "." / "a.wea").is_in_place
    assert not written_to(plan, copy).is_in_place


def test_only_what_changes_something_is_needed(tmp_path: Path) -> None:
    same = FilePlan(tmp_path / "a", BEFORE)
    there_and_back = FilePlan(tmp_path / "a", BEFORE, (Splice(1, b"b", b"b"),))
    assert not same.is_needed
    assert not there_and_back.is_needed
    assert replace(same, target=tmp_path / "b").is_needed
    assert FilePlan(tmp_path / "a", data=b"").is_needed


def test_the_patch_of_a_plan_is_that_of_its_files(tmp_path: Path) -> None:
    path, other = tmp_path / "a.wea", tmp_path / "b.wea"
    path.write_bytes(WEAR)
    plan = FilePlan(path, WEAR, (Splice(5, b"TANK", b"CRANE"),))
    write([written_to(plan, other)])
    library = FileStore()
    patch = patch_of(plan)
    assert patch.encode() == make_patch(library.open(Address(path)), library.open(Address(other))).encode()
    again = patched(library, patch, path)
    assert (bytes(again.after), again.path, again.findings) == (b"1\r\n0 CRANE\r\n", path, None)


def test_a_payload_is_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "a.wea"
    path.write_bytes(WEAR)
    write([plan_payload(FileStore().open(Address(path)), tmp_path / "out" / "b.wea")])
    assert (tmp_path / "out" / "b.wea").read_bytes() == WEAR


def test_a_folder_is_whole_or_not_there(tmp_path: Path) -> None:
    archive = FileStore().open(Address(bundled_path("assets/game/models.rlb"))).container
    assert archive is not None
    folder = tmp_path / "folder"
    write_folder(folder, plan_folder(Unpacking(archive), folder))
    assert (folder / "walker.wea").read_bytes() == bytes(archive.payload(1))
    plans = list(plan_folder(Unpacking(archive, {1}), tmp_path / "other"))
    assert [it.path.name for it in plans] == ["walker.wea", "index.json"]
    with pytest.raises(OutputError, match="not empty"):
        write_folder(folder, plans)
