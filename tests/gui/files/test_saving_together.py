"""Several files saved at once: those that one step has changed, and all that have changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.editing.test_editing import CTRL, asked, edit, flags
from tests.gui.files.test_saving import keep_mine, other_version, save, sheet_of
from tests.gui.hand import press
from tests.gui.harness import SIDES, GuiTester, current
from viewer.model.store.address import Address
from viewer.session.edits.questions import (
    CloseChoice,
    Conflict,
    ConflictChoice,
    SaveChoice,
    SaveRefusal,
    SaveSheet,
)
from viewer.ui.edits import save_window
from viewer.ui.widgets import widgets

pytestmark = pytest.mark.closed(*SIDES)


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane of the archive with flags set in its first batch."""
    gui.open(archive)
    edit(gui, flags(0x1234))
    return gui


@pytest.fixture
def pair(crane: GuiTester, archive: Path) -> Path:
    """The crane and a library, which one more step has changed together; the library."""
    library = archive.with_name("below") / "more.rlb"
    library.parent.mkdir()
    library.write_bytes(archive.read_bytes())
    edits, change = crane.app.editing.edits, flags(0x77, row=1)
    steps = [edits._step(Address(it, ("crane.msh",)), (change,), (), ()) for it in (archive, library)]
    edits.make_together([it for it in steps if it is not None])
    crane.settle()
    return library


def test_what_one_step_has_changed_is_saved_together(crane: GuiTester, archive: Path, pair: Path) -> None:
    stored, edited = (
        [it.read_bytes() for it in (archive, pair)],
        [current(crane, it) for it in (archive, pair)],
    )
    sheet = sheet_of(crane)
    assert [it.path for it in sheet.all] == [archive, pair]
    assert sheet.is_ready
    assert [len(it.steps) for it in sheet.all] == [2, 1]
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    assert [it.read_bytes() for it in (archive, pair)] == edited
    assert [it.with_name(f"{it.name}.bak").read_bytes() for it in (archive, pair)] == stored
    assert not crane.state.edits.changed
    assert "models.rlb, more.rlb" in crane.state.notice


@pytest.fixture
def other(crane: GuiTester, archive: Path) -> Path:
    """A library that was edited in a tab of its own, behind that of the crane; its path."""
    library = archive.with_name("other.rlb")
    library.write_bytes(archive.read_bytes())
    first = crane.state.tabs.active.identity
    crane.app.opener.open(Address(library), in_new_tab=True)
    crane.settle()
    edit(crane, flags(0x55))
    crane.commands.opening.activate(first)
    crane.settle()
    return library


def test_files_of_the_same_name_are_told_apart_by_their_folders(
    crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    namesake = archive.with_name("below") / archive.name
    namesake.parent.mkdir()
    namesake.write_bytes(archive.read_bytes())
    crane.app.opener.open(Address(namesake), in_new_tab=True)
    crane.settle()
    edit(crane, flags(0x55))
    names: dict[str, str] = {}

    def labeled(words: str, key: str) -> str:
        names[key] = words
        return widgets.labeled(words, key)

    monkeypatch.setattr(save_window, "labeled", labeled)
    press(crane, CTRL | int(imgui.Key.mod_alt) | int(imgui.Key.s))
    crane.settle()
    folders = {Address(it).path: it.parent.name for it in (archive, namesake)}
    (sheet,) = asked(crane)
    assert isinstance(sheet, SaveSheet)
    assert [names[f"file{number}"] for number in range(2)] == [
        f"models.rlb  ·  {folders[it.path]}" for it in sheet.all
    ]
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    saved = ", ".join(f"models.rlb ({folders[it.path]})" for it in sheet.all)
    assert f"Saved {saved};" in " ".join(crane.state.log[-3:])


def test_all_files_are_saved_at_once(crane: GuiTester, archive: Path, other: Path) -> None:
    edited = [current(crane, it) for it in (archive, other)]
    crane.commands.saving.save()
    crane.settle()
    (alone,) = asked(crane)
    assert isinstance(alone, SaveSheet)
    assert [it.path for it in alone.all] == [archive]
    crane.commands.saving.answer(SaveChoice.CANCEL)
    press(crane, CTRL | int(imgui.Key.mod_alt) | int(imgui.Key.s))
    crane.settle()
    (sheet,) = asked(crane)
    assert isinstance(sheet, SaveSheet)
    assert [it.path for it in sheet.all] == [archive, other]
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    assert [it.read_bytes() for it in (archive, other)] == edited
    assert not crane.state.edits.changed


def test_all_files_stay_together_if_one_of_them_has_changed_on_the_disk(
    crane: GuiTester, archive: Path, other: Path
) -> None:
    edited = [current(crane, it) for it in (archive, other)]
    other_version(other)
    crane.commands.saving.save_all()
    crane.settle()
    (conflict,) = asked(crane)
    assert isinstance(conflict, Conflict)
    assert conflict.file.path == other
    keep_mine(crane)
    assert [it.read_bytes() for it in (archive, other)] == edited


def test_a_key_that_saves_nothing_says_what_has_changes(crane: GuiTester, archive: Path, other: Path) -> None:
    save(crane)
    assert [it.path for it in crane.state.edits.changed] == [other]
    press(crane, CTRL | int(imgui.Key.s))
    assert not asked(crane)
    assert archive.name in crane.state.notice
    assert other.name in crane.state.notice
    assert "Save all" in crane.state.notice


def test_none_is_written_if_one_of_them_has_changed_on_the_disk(
    crane: GuiTester, archive: Path, pair: Path
) -> None:
    """Whatever is answered for the first is remembered while the second is asked about."""
    edited = [current(crane, it) for it in (archive, pair)]
    theirs = [other_version(it) for it in (archive, pair)]
    for path in (archive, pair):
        if path == archive:
            crane.commands.saving.save()
        crane.settle()
        (conflict,) = asked(crane)
        assert isinstance(conflict, Conflict)
        assert conflict.file.path == path
        assert [it.read_bytes() for it in (archive, pair)] == theirs
        crane.commands.saving.settle(ConflictChoice.KEEP_MINE)
    crane.settle()
    (sheet,) = asked(crane)
    assert isinstance(sheet, SaveSheet)
    assert all(it.is_over for it in sheet.all)
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    assert [it.read_bytes() for it in (archive, pair)] == edited


def test_none_is_written_if_one_of_them_cannot_be(crane: GuiTester, archive: Path, pair: Path) -> None:
    stored = [it.read_bytes() for it in (archive, pair)]
    sheet_of(crane)
    pair.chmod(0o444)
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.settle()
    (refusal,) = asked(crane)
    assert isinstance(refusal, SaveRefusal)
    assert (refusal.refused.path, refusal.is_read_only) == (pair, True)
    assert [it.read_bytes() for it in (archive, pair)] == stored
    assert len(crane.state.edits.changed) == 2


def test_closing_saves_each_of_them_once(crane: GuiTester, archive: Path, pair: Path) -> None:
    edited = [current(crane, it) for it in (archive, pair)]
    crane.commands.closing.quit()
    crane.commands.closing.answer(CloseChoice.SAVE)
    crane.settle()
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.until(lambda: crane.app.is_closing)
    assert [it.read_bytes() for it in (archive, pair)] == edited


def test_closing_the_window_saves_unrelated_files_with_one_question(
    crane: GuiTester, archive: Path, other: Path
) -> None:
    edited = [current(crane, it) for it in (archive, other)]
    crane.commands.closing.quit()
    crane.commands.closing.answer(CloseChoice.SAVE)
    crane.settle()
    (sheet,) = asked(crane)
    assert isinstance(sheet, SaveSheet)
    assert [it.path for it in sheet.all] == [archive, other]
    assert not crane.app.is_closing
    crane.commands.saving.answer(SaveChoice.WRITE)
    crane.until(lambda: crane.app.is_closing)
    assert [it.read_bytes() for it in (archive, other)] == edited


def test_a_copy_is_of_one_file_alone(crane: GuiTester, archive: Path, pair: Path) -> None:
    crane.commands.saving.save_as(archive.with_name("copy.rlb"))
    (sheet,) = asked(crane)
    assert isinstance(sheet, SaveSheet)
    assert not sheet.others
    assert current(crane, pair) != pair.read_bytes()
