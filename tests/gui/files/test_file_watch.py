"""Files that another program changes while they are open."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.builders import archive_of
from tests.gui.conftest import rock
from tests.gui.editing.test_editing import asked, edit, flags
from tests.gui.files.test_saving import save
from tests.gui.harness import SIDES, GuiTester
from viewer.session.edits.questions import Conflict, ConflictChoice, DiskState

pytestmark = pytest.mark.closed(*SIDES)


def other_bytes() -> bytes:
    """An archive whose crane has one node."""
    return archive_of({"crane.msh": rock().build()})


def look(gui: GuiTester) -> bool:
    """Look at the disk as often as a change needs to count, and let the window answer."""
    found = [gui.app.editing.watch.look() for _ in range(2)]
    gui.settle()
    return any(found)


def test_a_changed_file_is_read_again_and_looked_at_as_before(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.change(time=2.0, is_playing=False, camera=replace(gui.state.view.camera, yaw=1.25))
    view = gui.state.view
    assert not look(gui)
    archive.write_bytes(other_bytes())
    assert look(gui)
    assert len(gui.document.model.nodes) == 1
    assert (gui.state.view.camera, gui.state.view.shading) == (view.camera, view.shading)
    assert "crane" not in gui.state.message
    assert archive.name in gui.state.notice
    assert not look(gui), "told once"


def test_a_file_in_the_middle_of_being_written_is_left_alone(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    whole = other_bytes()
    for end in (40, 80, len(whole)):
        archive.write_bytes(whole[:end])
        assert not gui.app.editing.watch.look()
    assert gui.app.editing.watch.look()


def test_a_file_that_is_gone_stays_open_and_is_read_when_it_is_back(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    document = gui.document
    archive.unlink()
    assert look(gui)
    assert gui.document is document
    assert gui.state.is_warned
    archive.write_bytes(other_bytes())
    assert look(gui)
    assert gui.document is not document


def test_changes_of_an_edited_file_are_asked_about_once(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    edit(gui, flags(0x1234))
    look(gui)
    stored, edited = archive.read_bytes(), gui.document
    archive.write_bytes(stored + bytes(4))
    archive.write_bytes(stored)  # the same bytes, another time
    look(gui)
    assert not asked(gui)
    archive.write_bytes(other_bytes())
    look(gui)
    (conflict,) = asked(gui)
    assert isinstance(conflict, Conflict)
    assert conflict.state is DiskState.CHANGED
    gui.commands.saving.settle(ConflictChoice.CANCEL)
    assert not look(gui)
    assert not asked(gui)
    assert gui.document is edited
    archive.unlink()
    look(gui)
    (gone,) = asked(gui)
    assert isinstance(gone, Conflict)
    assert gone.state is DiskState.GONE


def test_what_is_saved_here_is_not_another_program(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    edit(gui, flags(0x1234))
    look(gui)
    save(gui)
    assert not look(gui)
