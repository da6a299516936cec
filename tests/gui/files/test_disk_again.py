"""What is on the disk is shown again as soon as nothing is unsaved, or it is said that it is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.builders import ModelBuilder, archive_of
from tests.gui.conftest import crane, rock
from tests.gui.editing.test_editing import edit, flags
from tests.gui.files.test_file_watch import look, other_bytes
from tests.gui.files.test_saving import save
from tests.gui.hand import click
from tests.gui.harness import SIDES, GuiTester, current, exists, in_child
from viewer.errors import UsageError
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.store.address import Address
from viewer.session.edits.questions import SaveChoice

pytestmark = pytest.mark.closed(*SIDES)


def renamed(name: str) -> bytes:
    """The archive of the crane whose mast another program has renamed."""
    base, mast, *rest = crane().scene
    builder = ModelBuilder.of([base, replace(mast, name=name), *rest])
    return archive_of({"crane.msh": builder.build()})


def undone(gui: GuiTester, archive: Path) -> None:
    """A crane whose only change is undone."""
    gui.open(archive)
    edit(gui, flags(0x1234))
    look(gui)
    gui.commands.edits.step(-1)
    gui.settle()
    assert not gui.state.edits.changed
    assert gui.app.opener.library.unsaved.paths == ()


@pytest.mark.parametrize("is_watched", [True, False])
def test_what_another_program_writes_after_an_undo_is_shown(
    gui: GuiTester, archive: Path, is_watched: bool
) -> None:
    undone(gui, archive)
    archive.write_bytes(renamed("glaz"))
    if is_watched:
        assert look(gui)
        assert "undo steps are dropped" in " ".join(gui.state.log)
    else:
        gui.commands.opening.reload()
        gui.settle()
    assert gui.document.names[1] == "glaz"
    gui.commands.edits.step(1)
    gui.settle()
    assert current(gui, archive) == archive.read_bytes() == renamed("glaz"), "no step is made on other bytes"
    assert gui.state.edits.of(archive).steps == ()


def test_what_was_written_between_an_edit_and_its_undo_is_shown(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    edit(gui, flags(0x1234))
    archive.write_bytes(renamed("glaz"))
    gui.commands.edits.step(-1)
    gui.settle()
    assert gui.document.names[1] == "glaz"
    assert current(gui, archive) == archive.read_bytes()


def test_the_same_bytes_written_again_keep_the_steps_and_what_was_read(gui: GuiTester, archive: Path) -> None:
    undone(gui, archive)
    document = gui.document
    archive.write_bytes(archive.read_bytes())
    assert not look(gui)
    assert gui.document.model is document.model
    gui.commands.edits.step(1)
    gui.settle()
    assert gui.document.model.batches["flags"][0] == 0x1234


def test_saved_steps_end_with_the_file_that_they_were_made_in(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    edit(gui, flags(0x1234))
    save(gui)
    archive.write_bytes(renamed("glaz"))
    gui.commands.edits.step(-1)
    gui.settle()
    assert gui.document.names[1] == "glaz"
    assert current(gui, archive) == renamed("glaz")


def test_bytes_of_the_same_size_and_time_are_noticed(gui: GuiTester, archive: Path) -> None:
    """Archivers and copying programs set the time of a file back."""
    gui.open(archive)
    before = archive.stat()
    archive.write_bytes(renamed("mats"))
    os.utime(archive, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert archive.stat().st_size == len(renamed("mast"))
    gui.commands.opening.reload()
    gui.settle()
    assert gui.document.names[1] == "mats"


def test_what_is_read_elsewhere_first_is_still_noticed(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    look(gui)
    archive.write_bytes(renamed("glaz"))
    gui.app.opener.library.file(archive)  # as a search or another tab does
    assert look(gui)
    assert gui.document.names[1] == "glaz"


CUT = {
    "cut off": renamed("mast")[:40],
    "emptied": b"",
    "lost the entry": archive_of({"rock.msh": rock().build()}),
}


@pytest.mark.parametrize("data", CUT.values(), ids=CUT)
def test_the_notice_of_a_file_without_edits_is_true_whatever_was_written(
    gui: GuiTester, archive: Path, data: bytes
) -> None:
    gui.open(archive)
    look(gui)
    archive.write_bytes(data)
    assert look(gui)
    assert gui.state.notice == f"{archive.name} was changed by another program"
    assert gui.state.tabs.active.problem


@pytest.mark.parametrize("data", CUT.values(), ids=CUT)
def test_a_tab_says_that_what_it_shows_is_not_on_the_disk(gui: GuiTester, archive: Path, data: bytes) -> None:
    undone(gui, archive)
    whole = archive.read_bytes()
    archive.write_bytes(data)
    assert look(gui)
    assert archive.name in gui.state.tabs.active.problem
    assert gui.state.notice == f"{archive.name} was changed by another program, so its undo steps are dropped"
    assert not any("read again" in it for it in gui.state.log), "it cannot be read"
    assert exists(gui, in_child("##problem", "###read_again"))
    assert gui.state.message == "", "no dialog for what the user did not ask for"
    address = gui.document.address
    with pytest.raises(UsageError, match=archive.name):
        gui.app.editing.edits.edit(address, (RenameNode(1, "other"),))
    gui.commands.opening.reload()
    gui.settle()
    assert gui.state.message
    gui.state.message = ""
    archive.write_bytes(whole)
    gui.settle()
    click(gui, in_child("##problem", "###read_again"))
    gui.settle()
    assert not any(tab.problem for tab in gui.state.tabs.opened)
    assert gui.document.names[1] == "mast"


def test_the_browser_lists_what_is_on_the_disk(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    look(gui)

    def listed() -> list[str]:
        gui.settle()
        rows = gui.state.browser.children[Address(archive)]
        return [it.name for it in rows]

    assert listed() == ["crane.msh", "crane.wea", "rock.msh", "broken.msh"]
    archive.write_bytes(archive_of({"rock.msh": rock().build(), "new.msh": rock().build()}))
    assert look(gui)
    assert listed() == ["rock.msh", "new.msh"]
    archive.write_bytes(b"")
    assert look(gui)
    assert listed() == []


def test_a_file_that_is_gone_is_kept_in_memory_and_said_to_be_gone(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    whole = archive.read_bytes()
    edit(gui, flags(0x1234))
    archive.unlink()
    gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, archive) == whole, "the only copy"
    archive.write_bytes(other_bytes())
    assert look(gui)
    assert len(gui.document.model.nodes) == 1


def test_an_edit_of_what_another_program_has_just_written_is_refused(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    archive.write_bytes(renamed("glaz"))
    with pytest.raises(UsageError, match="another program"):
        gui.app.editing.edits.edit(gui.document.address, (RenameNode(1, "other"),))
    gui.settle()
    assert gui.document.names[1] == "glaz"
    gui.app.editing.edits.edit(gui.document.address, (RenameNode(1, "other"),))
    gui.settle()
    assert gui.document.names[1] == "other"


def test_a_save_over_another_edited_file_leaves_nothing_of_it(gui: GuiTester, archive: Path) -> None:
    other = archive.with_name("other.rlb")
    other.write_bytes(renamed("glaz"))
    gui.open(other)
    edit(gui, flags(0x4321))
    gui.app.opener.open(Address(archive), in_new_tab=True)
    gui.settle()
    edit(gui, flags(0x1234))
    gui.commands.saving.save_as(other)
    gui.settle()
    gui.commands.saving.answer(SaveChoice.WRITE)
    gui.settle()
    assert other.read_bytes() == current(gui, other)
    assert not gui.state.edits.changed
