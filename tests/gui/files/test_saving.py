"""Saving in the window: the sheet, the bytes on the disk, conflicts, closing with unsaved changes."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.gui.conftest import rock
from tests.gui.editing.test_editing import asked, edit, flags
from tests.gui.hand import click
from tests.gui.harness import GuiTester, current
from viewer.app.dialogs.dialogs import Dialogs
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.patch.applying import applied
from viewer.model.patch.patch import Patch
from viewer.model.store import held
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.questions import (
    CloseChoice,
    CloseQuestion,
    Conflict,
    ConflictChoice,
    DiskState,
    RefusalChoice,
    SaveChoice,
    SaveRefusal,
    SaveSheet,
)

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane of the archive with flags set in its first batch."""
    gui.open(archive)
    edit(gui, flags(0x1234))
    return gui


def sheet_of(gui: GuiTester) -> SaveSheet:
    """Ask what a save will write, and wait until all of it is known."""
    gui.commands.saving.save()
    gui.settle()
    (sheet,) = asked(gui)
    assert isinstance(sheet, SaveSheet)
    return sheet


def save(gui: GuiTester, *, is_forced: bool = False) -> None:
    """Save after looking at the sheet."""
    sheet_of(gui)
    gui.commands.saving.answer(SaveChoice.WRITE, is_forced=is_forced)
    gui.settle()


def file_of(gui: GuiTester, path: Path) -> EditedFile:
    """The steps of a file."""
    return gui.state.edits.of(path)


def test_the_sheet_tells_what_is_written_and_what_becomes_worse(crane: GuiTester, archive: Path) -> None:
    edit(crane, SetField("batches", RowChoice.of(1), "index_start", 60_000), is_forced=True)
    sheet = sheet_of(crane)
    assert sheet.is_compared
    assert ("batches", 0, "flags", 0, 0x1234) in [
        (it.table, it.row, it.field, it.before, it.after) for it in sheet.plan.report.values
    ]
    assert {it.diagnostic.rule for it in sheet.plan.report.added} >= {"V14"}
    assert sheet.is_blocked
    stored = archive.read_bytes()
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    assert archive.read_bytes() == stored, "errors block it"
    crane.commands.saving.answer(SaveChoice.WRITE, is_forced=True)
    crane.settle()
    assert archive.read_bytes() == current(crane, archive) != stored


def test_what_is_saved_is_what_is_shown_and_can_still_be_undone(crane: GuiTester, archive: Path) -> None:
    stored, edited, document = archive.read_bytes(), current(crane, archive), crane.document
    save(crane)
    assert archive.read_bytes() == edited
    assert archive.with_name("models.rlb.bak").read_bytes() == stored
    assert not file_of(crane, archive).is_changed
    assert not crane.app.opener.library.unsaved.paths
    crane.app.opener.reload()
    crane.settle()
    assert crane.document.model is document.model, "nothing has to be read again"
    crane.commands.edits.step(-1)
    crane.settle()
    assert file_of(crane, archive).is_changed
    assert current(crane, archive) == stored
    save(crane)
    assert archive.read_bytes() == stored


def test_a_branch_that_leaves_the_saved_state_is_saved_too(crane: GuiTester, archive: Path) -> None:
    save(crane)
    crane.commands.edits.step(-1)
    edit(crane, flags(9, row=1))
    sheet = sheet_of(crane)
    stored = archive.read_bytes()
    assert all(stored[it.offset : it.end] == it.before for it in sheet.plan.splices)
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    assert archive.read_bytes() == current(crane, archive) != stored


def test_save_as_leaves_the_file_and_goes_on_with_the_copy(crane: GuiTester, archive: Path) -> None:
    stored, edited = archive.read_bytes(), current(crane, archive)
    target = archive.with_name("other.rlb")
    crane.commands.saving.save_as(target)
    crane.settle()
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    assert (archive.read_bytes(), target.read_bytes()) == (stored, edited)
    assert crane.document.source.address.path == target
    assert int(crane.document.model.batches["flags"][0]) == 0x1234
    assert not crane.state.edits.changed
    crane.commands.edits.step(-1)
    crane.settle()
    assert int(crane.document.model.batches["flags"][0]) == 0
    assert current(crane, target) == stored


def test_the_changes_are_saved_as_a_patch_that_gives_the_same_bytes(crane: GuiTester, archive: Path) -> None:
    stored, target = archive.read_bytes(), archive.with_name("mod.json")
    crane.commands.saving.save_patch(target)
    crane.settle()
    assert applied(Patch.parse(target.read_bytes()), stored) == current(crane, archive)
    assert archive.read_bytes() == stored
    assert file_of(crane, archive).is_changed


def other_version(archive: Path, bits: int = 0xFF) -> bytes:
    """Let another program change the file; returns what it has written."""
    data = bytearray(archive.read_bytes())
    data[-1] ^= bits
    archive.write_bytes(data)
    return bytes(data)


def conflict_of(gui: GuiTester) -> Conflict:
    """Try to save, and be asked about the file on the disk."""
    gui.commands.saving.save()
    gui.settle()
    (conflict,) = asked(gui)
    assert isinstance(conflict, Conflict)
    return conflict


def keep_mine(gui: GuiTester) -> None:
    """Answer that the file on the disk is to be replaced, and write the sheet that is shown for it."""
    gui.commands.saving.settle(ConflictChoice.KEEP_MINE)
    gui.settle()
    (sheet,) = asked(gui)
    assert isinstance(sheet, SaveSheet)
    assert sheet.is_over
    gui.commands.saving.answer(SaveChoice.WRITE)
    gui.settle()


def test_a_file_that_has_changed_is_noticed_before_saving(crane: GuiTester, archive: Path) -> None:
    theirs, mine = other_version(archive), current(crane, archive)
    assert conflict_of(crane).state is DiskState.CHANGED
    crane.commands.saving.settle(ConflictChoice.COMPARE)
    crane.settle()
    (conflict,) = asked(crane)
    assert isinstance(conflict, Conflict)
    assert conflict.differences
    crane.commands.saving.settle(ConflictChoice.CANCEL)
    assert (archive.read_bytes(), current(crane, archive)) == (theirs, mine)
    conflict_of(crane)
    keep_mine(crane)
    assert archive.read_bytes() == mine
    assert not crane.state.edits.changed


def different(before: bytes, after: bytes) -> int:
    """Number of bytes that differ in files of one size."""
    return sum(one != other for one, other in zip(before, after, strict=True))


def test_keeping_mine_tells_what_becomes_of_the_file_as_it_is_and_keeps_theirs(
    crane: GuiTester, archive: Path
) -> None:
    stored = archive.read_bytes()
    archive.with_name("models.rlb.bak").write_bytes(b"a backup of long ago")
    theirs, mine = other_version(archive), current(crane, archive)
    assert different(stored, mine) == 2, "the flags that were set here"
    conflict_of(crane)
    crane.commands.saving.settle(ConflictChoice.KEEP_MINE)
    crane.settle()
    (sheet,) = asked(crane)
    assert isinstance(sheet, SaveSheet)
    assert sheet.is_over
    assert len(sheet.plan.splices) == 2, "the flags, and the byte of the other program"
    assert sheet.plan.byte_count == different(theirs, mine) == 3
    assert sheet.kept == "models.rlb.1.bak"
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    assert archive.read_bytes() == mine
    assert archive.with_name("models.rlb.1.bak").read_bytes() == theirs
    assert archive.with_name("models.rlb.bak").read_bytes() == b"a backup of long ago"
    assert "models.rlb.1.bak" in crane.state.notice


def test_what_is_written_after_the_sheet_was_shown_is_asked_about_again(
    crane: GuiTester, archive: Path
) -> None:
    other_version(archive)
    conflict_of(crane)
    crane.commands.saving.settle(ConflictChoice.KEEP_MINE)
    crane.settle()
    latest = other_version(archive, 0x77)
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    (conflict,) = asked(crane)
    assert isinstance(conflict, Conflict)
    assert archive.read_bytes() == latest


@pytest.mark.parametrize("theirs", [b"", b"noise" * 40, b"NRes"])
def test_what_can_not_be_read_any_more_can_be_replaced_and_is_kept(
    crane: GuiTester, archive: Path, theirs: bytes
) -> None:
    mine = current(crane, archive)
    archive.write_bytes(theirs)
    conflict_of(crane)
    keep_mine(crane)
    assert archive.read_bytes() == mine
    assert archive.with_name("models.rlb.bak").read_bytes() == theirs


def test_theirs_can_be_taken(crane: GuiTester, archive: Path) -> None:
    theirs = other_version(archive)
    conflict_of(crane)
    crane.commands.saving.settle(ConflictChoice.TAKE_THEIRS)
    crane.settle()
    assert current(crane, archive) == archive.read_bytes() == theirs
    assert not crane.state.edits.files
    assert int(crane.document.model.batches["flags"][0]) == 0


def test_my_changes_are_made_again_on_theirs(crane: GuiTester, archive: Path) -> None:
    edit(crane, flags(0x77, row=1))
    mine = current(crane, archive)
    theirs = bytearray(other_version(archive))
    steps = [step.words for step in file_of(crane, archive).done]
    conflict_of(crane)
    click(crane, "//conflict/###onto_theirs")
    crane.settle()
    (sheet,) = asked(crane)
    assert isinstance(sheet, SaveSheet)
    assert not sheet.is_over
    assert [step.words for step in sheet.steps] == steps, "each step of the user is a step again"
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    written = archive.read_bytes()
    assert (written[:-1], written[-1]) == (mine[:-1], theirs[-1]), "both changes are in the file"
    for _ in steps:
        crane.commands.edits.step(-1)
    crane.settle()
    assert current(crane, archive) == theirs


def test_changes_that_no_longer_fit_are_named_and_the_others_made(crane: GuiTester, archive: Path) -> None:
    edit(crane, flags(0x77, row=1))
    (first, second) = file_of(crane, archive).done
    model = ModelBuilder.of([Node("rock", shapes={(0, 0): [box((3, 2, 1))]})])
    archive.write_bytes(archive_of({"crane.msh": model.build(), "rock.msh": rock().build()}))
    conflict_of(crane)
    crane.commands.saving.settle(ConflictChoice.ONTO_THEIRS)
    crane.settle()
    assert second.words in crane.state.message
    assert first.words not in crane.state.message
    assert [step.words for step in file_of(crane, archive).done] == [first.words]
    assert not asked(crane), "nothing is written before the user has read what is left out"
    assert int(crane.document.model.batches["flags"][0]) == 0x1234


def test_changes_whose_file_is_not_readable_any_more_stay(crane: GuiTester, archive: Path) -> None:
    other_version(archive)
    mine = current(crane, archive)
    conflict_of(crane)
    archive.unlink()
    crane.commands.saving.settle(ConflictChoice.ONTO_THEIRS)
    crane.settle()
    assert crane.state.message
    assert current(crane, archive) == mine


def test_a_file_that_is_gone_can_be_written_again(crane: GuiTester, archive: Path) -> None:
    mine = current(crane, archive)
    archive.unlink()
    assert conflict_of(crane).state is DiskState.GONE
    keep_mine(crane)
    assert archive.read_bytes() == mine


def test_a_save_that_fails_leaves_one_message_and_the_changes(
    crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = archive.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", refuse)
        save(crane)
    assert crane.state.message.endswith("models.rlb: cannot be written: No space left on device")
    assert archive.read_bytes() == stored
    assert file_of(crane, archive).is_changed


def close_question(gui: GuiTester) -> CloseQuestion:
    """The question about unsaved changes."""
    (question,) = asked(gui)
    assert isinstance(question, CloseQuestion)
    return question


def test_closing_the_window_asks(crane: GuiTester, archive: Path) -> None:
    crane.window.is_closing = True
    crane.settle()
    assert [file.path for file in close_question(crane).files] == [archive]
    crane.commands.closing.answer(CloseChoice.CANCEL)
    assert not crane.app.is_closing
    crane.commands.closing.quit()
    edited = current(crane, archive)
    crane.commands.closing.answer(CloseChoice.SAVE)
    crane.settle()
    assert isinstance(asked(crane)[0], SaveSheet)
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.until(lambda: crane.app.is_closing)
    assert archive.read_bytes() == edited


def test_changes_can_be_discarded(crane: GuiTester, archive: Path) -> None:
    stored = archive.read_bytes()
    crane.commands.closing.quit()
    crane.commands.closing.answer(CloseChoice.DISCARD)
    assert crane.app.is_closing
    assert archive.read_bytes() == stored


def test_closing_the_window_does_not_save_errors_unseen(crane: GuiTester, archive: Path) -> None:
    stored = archive.read_bytes()
    edit(crane, SetField("batches", RowChoice.of(1), "index_start", 60_000), is_forced=True)
    crane.commands.closing.quit()
    crane.commands.closing.answer(CloseChoice.SAVE)
    crane.settle()
    (sheet,) = asked(crane)
    assert isinstance(sheet, SaveSheet)
    assert sheet.is_blocked
    assert not crane.app.is_closing
    assert archive.read_bytes() == stored


def test_only_the_last_tab_of_a_changed_file_asks(crane: GuiTester, archive: Path) -> None:
    crane.commands.opening.open(Address.parse(f"{archive}::rock.msh"), in_new_tab=True)
    crane.until(lambda: len(crane.state.tabs.opened) == 2)
    crane.commands.closing.close_tab()
    assert not asked(crane)
    crane.commands.closing.close_tab()
    assert close_question(crane).tab == crane.state.tabs.active.identity
    crane.commands.closing.answer(CloseChoice.DISCARD)
    crane.settle()
    assert not crane.state.tabs.opened
    assert current(crane, archive) == archive.read_bytes()


def refusal_of(gui: GuiTester) -> SaveRefusal:
    """The question about a file that could not be written."""
    (refusal,) = asked(gui)
    assert isinstance(refusal, SaveRefusal)
    return refusal


def test_a_read_only_file_is_made_writable_and_saved(crane: GuiTester, archive: Path) -> None:
    stored, edited = archive.read_bytes(), current(crane, archive)
    archive.chmod(0o444)
    save(crane)
    assert refusal_of(crane).is_read_only
    assert (archive.read_bytes(), sorted(it.name for it in archive.parent.glob("*rlb*"))) == (
        stored,
        ["models.rlb"],
    )
    crane.commands.saving.answer_refusal(RefusalChoice.WRITABLE)
    crane.settle()
    assert (asked(crane), archive.read_bytes()) == ([], edited)
    assert archive.with_name("models.rlb.bak").read_bytes() == stored


def test_a_file_that_is_open_in_another_program_is_saved_once_that_ends(
    crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited = current(crane, archive)

    def refuse(*_: object) -> None:
        error = PermissionError(13, "Access is denied")
        error.winerror = 5  # type: ignore[attr-defined, unused-ignore]
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(held, "PATIENCE", 0.1)
        patch.setattr(Path, "replace", refuse)
        save(crane)
    refusal = refusal_of(crane)
    assert not refusal.is_read_only
    assert "another program may have it open" in refusal.words
    assert file_of(crane, archive).is_changed
    crane.commands.saving.answer_refusal(RefusalChoice.AGAIN)
    crane.settle()
    assert (asked(crane), archive.read_bytes()) == ([], edited)


def test_a_refused_file_is_saved_somewhere_else(
    crane: GuiTester, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, edited, other = archive.read_bytes(), current(crane, archive), tmp_path / "other.rlb"
    archive.chmod(0o444)
    save(crane)
    monkeypatch.setattr(Dialogs, "choose_new", lambda _self, _title, _name, then, _folder: then(other))
    crane.commands.saving.answer_refusal(RefusalChoice.SAVE_AS)
    crane.settle()
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    assert (archive.read_bytes(), other.read_bytes()) == (stored, edited)
