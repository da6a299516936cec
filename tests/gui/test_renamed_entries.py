"""A tab shows its entry under its new name or row, and undo brings the old one back."""

from __future__ import annotations

from pathlib import Path

from tests.gui.harness import GuiTester
from viewer.model.edit.archive.entries import AddEntry, RemoveEntry, RenameEntry
from viewer.model.edit.change import Change
from viewer.model.store.address import Address


def edit(gui: GuiTester, archive: Path, change: Change) -> None:
    gui.commands.edits.edit(str(archive), (change,))
    gui.settle()


def test_the_tab_of_a_renamed_model_shows_it_on(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    before, entry = gui.document, Address.parse(gui.document.address).name
    edit(gui, archive, RenameEntry(entry, "lift.msh"))
    assert gui.document.address == f"{archive}::lift.msh"
    assert gui.document.identity == before.identity
    gui.commands.edits.step(-1)
    gui.settle()
    assert gui.document.address == before.address
    assert gui.document.identity == before.identity


def test_the_tab_of_a_row_follows_it(gui: GuiTester, archive: Path) -> None:
    gui.open(f"{archive}::#0")
    before = gui.document
    edit(gui, archive, AddEntry("first.txt", b"text", row=0))
    assert gui.document.address == f"{archive}::crane.msh"
    assert gui.document.identity == before.identity


def test_the_tab_of_a_removed_entry_stays_until_undo(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    before = gui.document
    edit(gui, archive, RemoveEntry(Address.parse(before.address).name))
    assert gui.state.tabs.active.address == before.address
    gui.commands.edits.step(-1)
    gui.settle()
    assert gui.document.address == before.address
    assert gui.document.model.batches.tobytes() == before.model.batches.tobytes()
