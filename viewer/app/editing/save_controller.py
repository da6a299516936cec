"""Saving: the sheet of what will be written, writing it, and conflicts with what is on the disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from viewer.app import loading
from viewer.app.editing import sheets
from viewer.app.editing.bases import Bases, FileBase
from viewer.app.editing.edit_controller import EditController
from viewer.app.jobs import Jobs
from viewer.app.open_controller import Keep, OpenController
from viewer.app.settings import user_files
from viewer.app.state import State
from viewer.errors import ConflictError, OutputError
from viewer.formats import splice
from viewer.model.patch.making import made
from viewer.model.store.address import Address
from viewer.model.write import saving
from viewer.model.write.saving import SavedFile
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.questions import Conflict, ConflictChoice, DiskState, SaveChoice
from viewer.session.edits.save_sheet import SaveSheet
from viewer.translation import Message, _
from viewer.ui.commands import Commands

SHEET: Final = "save_sheet"
"""The lane of the job that fills the sheet."""


def _nothing() -> None:
    """What follows a save that nothing waits for."""


class SaveController:
    """Writes edited files; owner: the application, main thread only.

    Parameters
    ----------
    state
        The state whose `edits` are saved, and whose `question` is the sheet.
    jobs
        Where files are compared and written.
    opener
        Has the files, with unsaved bytes laid over them.
    edits
        Drops the changes of files.
    bases
        The saved bytes of the edited files.
    commands
        Queues calls.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        edits: EditController,
        bases: Bases,
        commands: Commands,
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener
        self._library = opener.library
        self._edits = edits
        self._bases = bases
        self._commands = commands
        self._then: Callable[[], None] = _nothing

    def save(self, path: Path | None = None) -> None:
        """Show what saving a file will write; nothing for one without changes."""
        edits = self._state.edits
        address = self._state.tabs.active.address
        file = edits.next_save(address) if path is None else edits.of(path)
        if file.is_changed:
            self._ask(file, file.path)

    def save_as(self, target: Path | None = None) -> None:
        """Ask for another path, or show what will be written there."""
        file = self._edits.active()
        if target is None:
            self._commands.dialogs.choose_new(
                Message("Save as"), file.path.name, self._commands.saving.save_as
            )
        else:
            self._bases.note(file.path, self._library.file(file.path))
            self._ask(file, target)

    def save_patch(self, target: Path | None = None) -> None:
        """Ask for the path of a patch, or write the unsaved changes there as one."""
        file = self._edits.active()
        if not file.is_changed:
            return
        if target is None:
            name = f"{file.path.stem}.patch.json"
            self._commands.dialogs.choose_new(
                Message("Save the changes as a patch"), name, self._commands.saving.save_patch
            )
            return
        after, ranges = self._library.file(file.path), splice.combined_all(file.way_from_saved)

        def work(_: object) -> None:
            user_files.write(target, made(sheets.bytes_before(after, ranges), after, file.path.name).encode())

        self._jobs.start(
            f"save {target}",
            _("Saving {name}…").format(name=target.name),
            work,
            lambda _done: self._state.announce(_("Patch saved as {path}").format(path=target)),
            self._opener.fail,
        )

    def answer(self, choice: SaveChoice, *, is_forced: bool = False) -> None:
        """Write the file of the sheet, or close it."""
        sheet = self._state.question
        if not isinstance(sheet, SaveSheet):
            return
        if choice is SaveChoice.CANCEL:
            self._state.question = None
            self._jobs.drop(SHEET)
        elif is_forced or (sheet.is_ready and not sheet.is_blocked):
            self._state.question = None
            file = self._state.edits.of(sheet.path)
            self.write(file, sheet.target, is_forced=sheet.is_over, then=self._then)

    def settle(self, choice: ConflictChoice) -> None:
        """Replace the file that has changed on the disk, change it too, take it over, compare, or cancel."""
        conflict = self._state.question
        if not isinstance(conflict, Conflict):
            return
        if choice is ConflictChoice.COMPARE:
            self._compare(conflict)
            return
        self._state.question = None
        if choice is ConflictChoice.KEEP_MINE:
            self._ask(conflict.file, conflict.target, self._then, is_over=True)
        elif choice is ConflictChoice.TAKE_THEIRS:
            self._edits.drop(conflict.file.path)
        elif choice is ConflictChoice.ONTO_THEIRS:
            self._make_onto_theirs(conflict)

    def _make_onto_theirs(self, conflict: Conflict) -> None:
        """Make the changes again on the file from the disk; name what does not fit, or show the sheet."""
        path = conflict.file.path
        left_out = self._edits.make_again(path)
        after = self._state.edits.of(path)
        if left_out:
            title = _("{name}: these changes do not fit the file on the disk and are left out:")
            lines = [title.format(name=path.name), *left_out]
            self._state.complain("\n".join(lines))
        elif after.is_changed:
            self._ask(after, conflict.target, self._then)

    def ask_then(self, file: EditedFile, then: Callable[[], None]) -> None:
        """Show what saving a file will write, and go on once it is written."""
        self._ask(file, file.path, then)

    def _ask(
        self,
        file: EditedFile,
        target: Path,
        then: Callable[[], None] | None = None,
        *,
        is_over: bool = False,
    ) -> None:
        """Show the sheet, and have the rest of it worked out; a sheet shown again goes on as the first."""
        before = self._state.question
        again = before if isinstance(before, SaveSheet) and before.path == file.path else None
        self._then = then or (self._then if again else _nothing)

        def filled(whole: SaveSheet) -> None:
            if self._state.question is sheet:
                self._state.question = whole

        is_over = is_over or (again is not None and again.is_over)
        sheet = replace(self._sheet(file, target), is_over=is_over)
        self._state.question = sheet
        self._fill(sheet, file, filled)

    def _sheet(self, file: EditedFile, target: Path) -> SaveSheet:
        """The sheet before anything is compared."""
        return sheets.sheet_of(file, target, self._bases.of(file.path).size, self._library.file(file.path))

    def _fill(self, sheet: SaveSheet, file: EditedFile, filled: Callable[[SaveSheet], None]) -> None:
        """Work out what is in a sheet besides bytes."""
        after, base = self._library.file(file.path), self._bases.of(file.path)
        addresses = sorted(file.unsaved_payloads, key=lambda it: it.entries)
        reading, lookup = self._opener.choices(str(file.path))

        def work(_: object) -> SaveSheet:
            is_expected = sheet.target == file.path and not sheet.is_over
            if is_expected and (conflict := saving.conflict_of(file.path, base.digest)) is not None:
                raise conflict
            game = loading.game_of(self._library, Address(file.path), lookup)
            before = sheets.bytes_before(after, sheet.ranges)
            return sheets.compared(self._library, sheet, before, addresses, game, reading)

        self._jobs.start(SHEET, "", work, filled, lambda error: self._fail(file, sheet.target, error))

    def write(
        self,
        file: EditedFile,
        target: Path,
        *,
        is_forced: bool = False,
        then: Callable[[], None] = _nothing,
    ) -> None:
        """Write the edited bytes.

        Parameters
        ----------
        is_forced
            Also over a file that is not the one that was edited.
        then
            Called once they are written.
        """
        data, base = self._library.file(file.path), self._bases.of(file.path)
        is_other = target != file.path

        def work(_: object) -> SavedFile:
            return saving.save(target, data, expected=None if is_forced or is_other else base.digest)

        def done(saved: SavedFile) -> None:
            self._written(file, saved, len(data))
            then()

        title = _("Saving {name}…").format(name=target.name)
        self._jobs.start(f"save {target}", title, work, done, lambda error: self._fail(file, target, error))

    def _written(self, file: EditedFile, saved: SavedFile, size: int) -> None:
        """Take over what is on the disk now."""
        words = _("Saved {path}").format(path=saved.path)
        if saved.backup is not None:
            words = _("Saved {path}; the former file is kept as {backup}").format(
                path=saved.path, backup=saved.backup.name
            )
        self._state.announce(words)
        is_in_front = self._edits.active().path == file.path
        self._edits.take_saved(file, saved, FileBase.known(saved.digest, size))
        if saved.path != file.path and is_in_front:
            entries = Address.parse(self._state.tabs.active.address).entries
            self._opener.open(str(Address(saved.path, entries)), Keep.CAMERA)

    def _fail(self, file: EditedFile, target: Path, error: BaseException) -> None:
        """Ask about a file that has changed on the disk; show any other error."""
        if isinstance(self._state.question, SaveSheet):
            self._state.question = None
        if isinstance(error, ConflictError):
            state = DiskState.CHANGED if file.path.exists() else DiskState.GONE
            self._state.question = Conflict(file, state, target)
        else:
            self._opener.fail(error)

    def _compare(self, conflict: Conflict) -> None:
        """Find how the file on the disk differs from the one that was edited."""
        file = conflict.file
        after = self._library.file(file.path)
        ranges, (reading, lookup) = (
            splice.combined_all(file.way_from_saved),
            self._opener.choices(str(file.path)),
        )

        def work(_: object) -> tuple[str, ...]:
            before = sheets.bytes_before(after, ranges)
            game = loading.game_of(self._library, Address(file.path), lookup)
            try:
                now = file.path.read_bytes()
            except OSError as error:
                raise OutputError(str(error.strerror), source=str(file.path)) from error
            return sheets.differences(self._library, file.path, (before, now), game, reading)

        def done(found: tuple[str, ...]) -> None:
            if self._state.question is conflict:
                self._state.question = replace(conflict, differences=found)

        self._jobs.start("compare", _("Comparing…"), work, done, self._opener.fail)
