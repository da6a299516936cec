"""Patches applied in the window: what they change is shown, and made as one undo step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import ModelBuilder, archive_of
from tests.gui.conftest import crane
from tests.gui.hand import click
from tests.gui.harness import GuiTester, current, steps
from viewer.model.patch.applying import PatchChoices
from viewer.model.patch.making import made
from viewer.model.store.address import Address
from viewer.operations.imports.plan import ImportPlan
from viewer.session.edits.questions import Conflict, ConflictChoice, RecoveryChoice

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


def changed(data: bytes) -> bytes:
    """The archive after the changes of the patch: another name of a node of the crane."""
    at = data.rindex(b"mast")
    return data[:at] + b"sail" + data[at + 4 :]


@pytest.fixture
def patch(archive: Path) -> Path:
    """A patch of the archive, in a folder of its own."""
    folder = archive.with_name("shared")
    folder.mkdir()
    path = folder / "models.patch.json"
    path.write_bytes(made(archive.read_bytes(), changed(archive.read_bytes()), archive.name).encode())
    return path


def sheet(gui: GuiTester, patch: Path) -> ImportPlan:
    """What the window says of a patch."""
    gui.commands.importing.read(patch)
    gui.settle()
    found = gui.state.converting.sheet
    assert found is not None
    return found


def test_a_patch_is_one_undo_step_of_the_open_file(gui: GuiTester, archive: Path, patch: Path) -> None:
    gui.open(f"{archive}::rock.msh")
    stored = archive.read_bytes()
    found = sheet(gui, patch)
    assert (found.address.path, found.address.entries) == (archive, ())
    assert (found.range_count, found.byte_count) == (1, 4)
    values = [value for it in found.files or () for value in it.report.values]
    assert [(it.table, it.row, it.before, it.after) for it in values] == [("strings", 1, "mast", "sail")]
    click(gui, "//import_sheet/###apply")
    gui.settle()
    assert current(gui, archive) == changed(stored)
    assert archive.read_bytes() == stored
    (step,) = steps(gui)
    assert step.words == "patch models.patch.json: 1 value"
    unsaved = gui.state.edits.is_changed
    assert unsaved(Address(archive)), "the archive"
    assert unsaved(Address(archive, ("crane.msh",))), "the model that it changes"
    assert not unsaved(Address(archive, ("rock.msh",)))
    gui.open(f"{archive}::crane.msh")
    assert gui.document.names[1] == "sail"
    gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, archive) == stored


def test_a_patch_is_undone_on_the_file_after_it(gui: GuiTester, archive: Path, patch: Path) -> None:
    stored = archive.read_bytes()
    archive.write_bytes(changed(stored))
    gui.open(archive)
    found = sheet(gui, patch)
    assert found.problem
    assert not found.is_ready
    click(gui, "//import_sheet/###reverse")
    gui.settle()
    again = gui.state.converting.sheet
    assert again is not None
    assert again.patch == PatchChoices(is_reverse=True)
    assert not again.problem
    click(gui, "//import_sheet/###apply")
    gui.settle()
    assert current(gui, archive) == stored


def test_a_patch_of_another_file_is_applied_if_that_is_wanted(
    gui: GuiTester, archive: Path, patch: Path
) -> None:
    other = archive_of({"rock.msh": ModelBuilder.of([]).build(), "crane.msh": crane().build()})
    archive.write_bytes(other)
    gui.open(f"{archive}::crane.msh")
    assert not sheet(gui, patch).is_ready
    click(gui, "//import_sheet/###another")
    gui.settle()
    click(gui, "//import_sheet/###apply")
    gui.settle()
    assert current(gui, archive) == changed(other)


def test_a_dropped_patch_needs_an_open_file(gui: GuiTester, archive: Path, patch: Path) -> None:
    gui.commands.importing.drop([str(patch)])
    gui.settle()
    assert "open the file" in gui.state.message
    gui.state.message = ""
    gui.open(archive)
    gui.commands.importing.drop([str(patch)])
    gui.settle()
    assert gui.state.converting.sheet is not None


def test_a_damaged_patch_is_one_error(gui: GuiTester, archive: Path, patch: Path) -> None:
    patch.write_bytes(patch.read_bytes().replace(b'"version": 1', b'"version": 7'))
    gui.open(archive)
    gui.commands.importing.read(patch)
    gui.settle()
    assert "version" in gui.state.message
    assert gui.state.converting.sheet is None


def test_a_patch_is_made_again_on_a_file_that_has_changed_since(
    gui: GuiTester, archive: Path, patch: Path
) -> None:
    """A crash after a patch loses nothing, although another program has written another byte of the file."""
    gui.open(archive)
    sheet(gui, patch)
    click(gui, "//import_sheet/###apply")
    gui.settle()
    mine = current(gui, archive)
    gui.app.editing._journal.close()
    gui.app.editing.edits._forget(archive)
    theirs = archive.read_bytes()[:-1] + b"\xfe"
    archive.write_bytes(theirs)
    gui.app.editing.recovery.look()
    gui.settle()
    gui.commands.recovery.answer(RecoveryChoice.REPLAY)
    gui.commands.saving.settle(ConflictChoice.ONTO_THEIRS)
    gui.settle()
    assert not gui.state.message
    assert current(gui, archive) == mine[:-1] + b"\xfe" == changed(theirs)
    gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, archive) == theirs


def test_a_patch_whose_bytes_are_gone_is_named(gui: GuiTester, archive: Path, patch: Path) -> None:
    gui.open(archive)
    sheet(gui, patch)
    click(gui, "//import_sheet/###apply")
    gui.settle()
    data = archive.read_bytes()
    at = data.rindex(b"mast")
    archive.write_bytes(data[:at] + b"boom" + data[at + 4 :])
    gui.commands.saving.save()
    gui.until(lambda: isinstance(gui.state.question, Conflict))
    gui.commands.saving.settle(ConflictChoice.ONTO_THEIRS)
    gui.settle()
    assert f"bytes at 0x{at:X} that are not there any more" in gui.state.message
    assert current(gui, archive) == archive.read_bytes()
