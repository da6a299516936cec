"""History panel and the marks of unsaved changes: what was changed is listed, marked, and gone back to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.gui.hand import click
from tests.gui.harness import SIDES, GuiTester, bring_to_front, exists
from tests.gui.tab_steps import active, open_tabs
from viewer.control.opening import loading
from viewer.control.opening.loading import Opened, read
from viewer.model.edit.archive.entries import AddEntry, DuplicateEntry, RenameEntry, ReplaceEntry
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.questions import SaveChoice
from viewer.ui.edits import history
from viewer.ui.edits.history import files_to_list, state_text
from viewer.ui.widgets.widgets import labeled

pytestmark = pytest.mark.closed(*SIDES)

ROW = "//history/**/###step{}"


def flags(value: int) -> SetField:
    return SetField("batches", RowChoice("0"), "opaque6", value)


def edit(gui: GuiTester, address: str, value: int) -> None:
    gui.commands.edits.edit(Address.parse(address), (flags(value),))
    gui.settle()


def steps(gui: GuiTester, path: Path) -> EditedFile:
    return gui.state.edits.at(Address(path))


@pytest.fixture
def changed(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane with two changes of a batch, and the history in front."""
    open_tabs(gui, f"{archive}::crane.msh")
    bring_to_front(gui, "history")
    edit(gui, f"{archive}::crane.msh", 7)
    edit(gui, f"{archive}::crane.msh", 8)
    return gui


def test_a_click_on_a_step_goes_to_it(changed: GuiTester, archive: Path) -> None:
    assert exists(changed, ROW.format(2))
    click(changed, ROW.format(0))
    changed.settle()
    assert (steps(changed, archive).position, len(steps(changed, archive).steps)) == (0, 2)
    assert changed.app.opener.library.file(archive) == archive.read_bytes()
    click(changed, ROW.format(2))
    changed.settle()
    assert changed.document.model.batches["opaque6"][0] == 8


def lines(gui: GuiTester, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the rows of the history say, as they are drawn."""
    found: dict[str, str] = {}

    def note(words: str, key: str) -> str:
        found[key] = words
        return labeled(words, key)

    monkeypatch.setattr(history, "labeled", note)
    gui.frames(3)
    rows = sorted((int(key[4:]), words) for key, words in found.items() if key[4:].isdigit())
    return [words.replace("\n", " ") for _row, words in rows]


def test_lines_say_what_was_done_with_flags_as_they_are_shown(
    changed: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = ["As opened", "set batches[0].opaque6 to 0x0007", "set batches[0].opaque6 to 0x0008"]
    assert lines(changed, monkeypatch) == rows
    address = changed.document.address
    changed.commands.edits.edit(address, (SetField("batches", RowChoice("0"), "flags", 0x100),))
    changed.settle()
    assert lines(changed, monkeypatch)[3] == "set batches[0].flags to 0x0100"


def test_the_words_of_a_step_are_whole_also_next_to_the_disk(
    gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names of all lengths: some fit but for the disk of what is saved, and then take a second line."""
    open_tabs(gui, f"{archive}::crane.msh")
    bring_to_front(gui, "history")
    last = "base"
    for letters in range(1, 11):
        name = "n" * letters
        gui.commands.edits.edit(gui.document.address, (RenameNode(last, name),))
        last = name
        gui.commands.saving.save()
        gui.settle()
        gui.commands.saving.answer(SaveChoice.WRITE)
        gui.settle()
        shown = lines(gui, monkeypatch)[-1]
        assert shown.endswith(f"to '{name}'"), letters


def test_buttons_step_through_the_changes(changed: GuiTester, archive: Path) -> None:
    click(changed, "//history/**/###undo")
    changed.settle()
    assert steps(changed, archive).position == 1
    click(changed, "//history/**/###redo")
    changed.settle()
    assert steps(changed, archive).position == 2


def test_what_was_undone_stays_until_the_next_change(changed: GuiTester, archive: Path) -> None:
    click(changed, ROW.format(1))
    changed.settle()
    assert exists(changed, ROW.format(2))
    edit(changed, f"{archive}::crane.msh", 9)
    assert [step.changes for step in steps(changed, archive).steps] == [(flags(7),), (flags(9),)]


def test_title_tabs_and_browser_are_marked(changed: GuiTester, archive: Path) -> None:
    open_tabs(changed, f"{archive}::rock.msh")
    assert changed.window.title == "* rock.msh - mshview", "its file is not saved"
    is_unsaved = changed.app.panel_context().lookups.is_unsaved
    found = {
        name: is_unsaved(Address.parse(f"{archive}::{name}"))
        for name in ("crane.msh", "rock.msh", "crane.wea")
    }
    assert found == {"crane.msh": True, "rock.msh": False, "crane.wea": False}
    assert is_unsaved(Address(archive))
    click(changed, ROW.format(0))
    changed.settle()
    assert changed.window.title == "rock.msh - mshview"
    assert not changed.app.panel_context().lookups.is_unsaved(Address(archive))


def test_new_replaced_and_renamed_entries_are_marked(changed: GuiTester, archive: Path) -> None:
    held, marks = Address(archive), changed.app.panel_context().lookups.is_unsaved
    click(changed, ROW.format(0))
    for change in (
        AddEntry("new.msh", changed.app.opener.library.open(held.child("rock.msh")).data.tobytes()),
        DuplicateEntry("crane.wea", "copy.wea"),
        ReplaceEntry("crane.wea", b"1\r\n0 STEEL\r\n"),
        RenameEntry("rock.msh", "stone.msh"),
    ):
        changed.commands.edits.edit(held, (change,))
        changed.settle()
    names = ("new.msh", "copy.wea", "crane.wea", "stone.msh", "crane.msh", "broken.msh")
    marked = [name for name in names if marks(held.child(name))]
    assert marked == ["new.msh", "copy.wea", "crane.wea", "stone.msh"], "what is not on the disk"
    changed.commands.edits.step(-1)
    changed.settle()
    assert not marks(held.child("rock.msh")), "it has its old name again"
    assert marks(held.child("new.msh"))


def test_the_file_of_the_active_tab_is_listed_first(changed: GuiTester, archive: Path) -> None:
    other = archive.parent / "a.rlb"
    other.write_bytes(archive.read_bytes())
    open_tabs(changed, f"{other}::rock.msh")
    edit(changed, f"{other}::rock.msh", 5)
    frame = changed.app.panel_context()
    assert files_to_list(frame, frame.state.edits.at(Address(other)).path)[0].path == other.resolve()
    assert files_to_list(frame, frame.state.edits.at(Address(archive)).path)[0].path == archive.resolve()


def test_the_state_says_how_far_the_disk_is(changed: GuiTester, archive: Path) -> None:
    file = steps(changed, archive)
    assert state_text(file) == "2 unsaved changes"
    saved = file.after_saving()
    assert state_text(saved) == "as on the disk"
    assert state_text(saved.at(1)) == "1 saved change undone"
    branched = saved.at(1).added(file.steps[1])
    assert "after going back" in state_text(branched)


@dataclass
class SlowReader:
    """`loading.read`, whose results are kept back until they may come."""

    may_end: Event = field(default_factory=Event)
    begun: Event = field(default_factory=Event)

    def __call__(self, *given: Any, **options: Any) -> Opened:
        """Read, and wait."""
        opened = read(*given, **options)
        self.begun.set()
        assert self.may_end.wait(60)
        return opened


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowReader]:
    reader = SlowReader()
    monkeypatch.setattr(loading, "read", reader)
    yield reader
    reader.may_end.set()


def shown_until_settled(gui: GuiTester) -> set[int]:
    """Every value that the document in front shows until nothing is being worked on."""
    shown: set[int] = set()

    def note() -> bool:
        shown.add(int(gui.document.model.batches["opaque6"][0]))
        return not gui.is_busy

    gui.until(note)
    gui.settle()
    note()
    return shown


def test_what_was_read_before_a_step_never_shows_again(
    changed: GuiTester, archive: Path, reader: SlowReader
) -> None:
    """The crane is read again a moment after a step; the next one comes while that is going on."""
    changed.commands.edits.go_to(archive, 0)
    changed.until(reader.begun.is_set)
    changed.commands.edits.go_to(archive, 2)
    reader.may_end.set()
    assert shown_until_settled(changed) == {8}


def test_what_is_edited_while_it_is_opened_shows_the_edit(
    changed: GuiTester, archive: Path, reader: SlowReader
) -> None:
    changed.commands.opening.open(Address.parse(f"{archive}::rock.msh"), in_new_tab=True)
    changed.until(reader.begun.is_set)
    changed.commands.edits.edit(Address.parse(f"{archive}::rock.msh"), (flags(5),))
    reader.may_end.set()
    changed.until(lambda: active(changed) == "rock.msh")
    assert shown_until_settled(changed) == {5}
