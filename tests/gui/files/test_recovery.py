"""A program that is killed: the next start offers its changes and makes them again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, archive_of
from tests.gui.conftest import ARCHIVE, archive_bytes
from tests.gui.editing.test_editing import asked, edit, flags
from tests.gui.harness import GuiTester, current
from viewer.session.edits.questions import (
    CloseChoice,
    Conflict,
    ConflictChoice,
    DiskState,
    Recovery,
    RecoveryChoice,
    SaveChoice,
    SaveSheet,
)

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

EDITING = """
import sys
from pathlib import Path
from time import sleep

from tests.gui.engine import headless_window
from tests.gui.conftest import ARCHIVE, archive_bytes
from tests.gui.editing.test_editing import flags
from viewer.app.application import Application
from viewer.control.settings.settings import Settings
from viewer.model.edit.values import RowChoice

archive, settings = map(Path, sys.argv[1:])
app = Application(headless_window(), Settings(has_seen_hint=True, has_thumbnails=False), settings)
app.opener.open(str(archive))
while app.state.document is None:
    app.draw(0.01)
address = app.state.document.address
for number in range(1, 6):
    app.later(app.control.edits.edit, address, (flags(number * 0x111, row=number % 3),))
    app.draw(0.01)
app.later(app.control.edits.step, -1)
app.draw(0.01)
while app.jobs.is_busy:
    app.draw(0.01)
print(bytes(app.opener.library.file(archive)).hex(), flush=True)
sleep(600)
"""


@pytest.fixture(scope="module")
def crash(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A folder where an archive was edited by a process that was killed, and the bytes that it had then."""
    folder = tmp_path_factory.mktemp("crash")
    (folder / ARCHIVE).write_bytes(archive_bytes())
    command = [sys.executable, "-c", EDITING, str(folder / ARCHIVE), str(folder / "settings.json")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.kill()
    if not line:
        pytest.skip("the process has no OpenGL")
    return folder, bytes.fromhex(line.decode().strip())


@pytest.fixture
def edited(crash: tuple[Path, bytes], archive: Path, tmp_path: Path) -> bytes:
    """The bytes that an archive had in a killed process, whose journal is next to the settings."""
    folder, data = crash
    (tmp_path / "journals").mkdir()
    for journal in journals(folder):
        text = journal.read_bytes().replace(str(folder).encode(), str(tmp_path).encode())
        (tmp_path / "journals" / journal.name).write_bytes(text)
    return data


def offered(gui: GuiTester) -> Recovery:
    """What the start of the program offers."""
    gui.app.editing.recovery.look()
    gui.settle()
    (question,) = asked(gui)
    assert isinstance(question, Recovery)
    return question


def journals(tmp_path: Path) -> list[Path]:
    """The journals next to the settings."""
    return [*(tmp_path / "journals").glob("*")]


def test_undone_saves_are_counted_and_named(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    for value in (1, 2, 3):
        edit(gui, flags(value))
    gui.commands.saving.save()
    gui.settle()
    gui.commands.saving.answer(SaveChoice.WRITE)
    gui.settle()
    names = [it.words for it in gui.state.edits.of(archive).done]
    for _ in range(2):
        gui.commands.edits.step(-1)
    edit(gui, flags(9))
    gui.app.editing._journal.close()
    gui.app.editing.edits._forget(archive)
    (file,) = offered(gui).files
    assert (file.count, len(file.steps)) == (3, 1)
    assert [*file.undone] == [names[2], names[1]]


def test_what_a_killed_program_had_is_made_again(
    gui: GuiTester, archive: Path, crash: tuple[Path, bytes], edited: bytes
) -> None:
    stored = archive.read_bytes()
    assert (crash[0] / ARCHIVE).read_bytes() == stored != edited
    (file,) = offered(gui).files
    assert (file.path, file.state, len(file.steps)) == (archive, DiskState.SAME, 4)
    gui.commands.recovery.answer(RecoveryChoice.REPLAY)
    gui.settle()
    assert current(gui, archive) == edited
    assert gui.document.source.address.path == archive
    assert int(gui.document.model.batches["flags"][1]) == 0x444
    gui.commands.edits.step(1)
    gui.settle()
    assert int(gui.document.model.batches["flags"][2]) == 0x555, "what was undone can be redone"
    for _ in range(5):
        gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, archive) == stored
    assert archive.read_bytes() == stored


@pytest.mark.usefixtures("edited")
def test_recovered_changes_are_kept_for_the_next_crash(gui: GuiTester, archive: Path) -> None:
    offered(gui)
    gui.commands.recovery.answer(RecoveryChoice.REPLAY)
    gui.settle()
    edit(gui, flags(0x77))
    edited = current(gui, archive)
    gui.app.editing.close()
    gui.app.opener.library.unsaved.revert(archive)
    assert len(offered(gui).files[0].steps) == 5
    gui.commands.recovery.answer(RecoveryChoice.REPLAY)
    gui.settle()
    assert current(gui, archive) == edited


def test_changes_are_made_again_on_a_file_that_has_changed_since(
    gui: GuiTester, archive: Path, tmp_path: Path, edited: bytes
) -> None:
    """With the same question as for a file that changes while it is edited."""
    theirs = archive.read_bytes()[:-1] + b"\xfe"
    archive.write_bytes(theirs)
    offered(gui)
    gui.commands.recovery.answer(RecoveryChoice.REPLAY)
    (conflict,) = asked(gui)
    assert isinstance(conflict, Conflict)
    assert (conflict.state, conflict.is_recovered) == (DiskState.CHANGED, True)
    gui.commands.saving.settle(ConflictChoice.CANCEL)
    assert not asked(gui)
    offered(gui)
    gui.commands.recovery.answer(RecoveryChoice.REPLAY)
    gui.commands.saving.settle(ConflictChoice.ONTO_THEIRS)
    gui.settle()
    assert not asked(gui)
    assert not gui.state.message
    assert current(gui, archive) == edited[:-1] + b"\xfe", "their byte and my changes"
    assert archive.read_bytes() == theirs, "nothing is saved yet"
    assert len(journals(tmp_path)) == 1, "the next crash loses nothing either"
    assert gui.document.source.address.path == archive
    for _ in range(4):
        gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, archive) == theirs


@pytest.mark.usefixtures("edited")
def test_changes_of_an_earlier_run_that_do_not_fit_are_named(
    gui: GuiTester, archive: Path, tmp_path: Path
) -> None:
    archive.write_bytes(archive_of({"other.msh": ModelBuilder.of([Node("rock")]).build()}))
    offered(gui)
    gui.commands.recovery.answer(RecoveryChoice.REPLAY)
    gui.commands.saving.settle(ConflictChoice.ONTO_THEIRS)
    gui.settle()
    assert gui.state.message.count("\n") == 4, "each of the four steps with its reason"
    assert not gui.state.edits.changed
    assert journals(tmp_path) == []


@pytest.mark.usefixtures("edited")
def test_their_file_is_taken(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-1] + b"\xfe")
    offered(gui)
    gui.commands.recovery.answer(RecoveryChoice.REPLAY)
    gui.commands.saving.settle(ConflictChoice.TAKE_THEIRS)
    assert not asked(gui)
    assert journals(tmp_path) == []


@pytest.mark.usefixtures("edited")
def test_nothing_can_be_made_again_without_the_file(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-1] + b"\xff")
    assert [file.state for file in offered(gui).files] == [DiskState.CHANGED]
    gui.commands.recovery.answer(RecoveryChoice.LATER)
    archive.unlink()
    assert [file.state for file in offered(gui).files] == [DiskState.GONE]
    gui.commands.recovery.answer(RecoveryChoice.REPLAY)
    assert offered(gui).files, "it cannot be replayed, and is not lost"
    gui.commands.recovery.answer(RecoveryChoice.DISCARD)
    assert journals(tmp_path) == []


def test_saving_and_discarding_leave_no_journal(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    edit(gui, flags(0x1234))
    assert len(journals(tmp_path)) == 1
    gui.commands.closing.quit()
    gui.commands.closing.answer(CloseChoice.SAVE)
    gui.until(lambda: isinstance(gui.state.question, SaveSheet) and gui.state.question.is_ready)
    gui.commands.saving.answer(SaveChoice.WRITE)
    gui.until(lambda: gui.app.is_closing)
    assert journals(tmp_path) == []
    edit(gui, flags(0x4321))
    assert len(journals(tmp_path)) == 1
    gui.commands.closing.quit()
    gui.commands.closing.answer(CloseChoice.DISCARD)
    assert journals(tmp_path) == []


def test_the_journal_of_a_living_window_is_left_alone(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    edit(gui, flags(0x1234))
    gui.app.editing.recovery.look()
    gui.settle()
    assert not asked(gui)
