"""Saving: the sheet of what will be written, writing it, and conflicts with what is on the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.journal import Bases, FileBase
from viewer.control.editing.save_sheets import differences, over, plan_of, sheet_of
from viewer.control.job_controller import JobController
from viewer.control.jobs import Jobs
from viewer.control.opening.open_controller import OpenController
from viewer.control.opening.tab_filling import Keep
from viewer.control.settings import user_files
from viewer.control.state import State
from viewer.control.window_commands import DialogCommands
from viewer.errors import ConflictError, InUseError, OutputError, ReadOnlyError, reason_of
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert.scene_file import is_of_scene
from viewer.model.material import selectors
from viewer.model.store.address import Address
from viewer.model.store.held import make_writable
from viewer.model.store.writing import WrittenFile
from viewer.operations.editing import EditOptions, with_findings
from viewer.operations.patching import patch_of
from viewer.operations.saving import refuse_conflict, write
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.questions import (
    Conflict,
    ConflictChoice,
    DiskState,
    RefusalChoice,
    SaveChoice,
    SaveRefusal,
    SaveSheet,
)
from viewer.session.opened.tabs import short_names
from viewer.translation import _

SHEET: Final = "save_sheet"
"""The lane of the job that fills the sheet."""


def _nothing() -> None:
    """The continuation of a save that nothing waits for."""


class SaveController(JobController):
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
    dialogs
        Ask for paths.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        edits: EditController,
        bases: Bases,
        dialogs: DialogCommands,
    ) -> None:
        super().__init__(state, jobs, opener)
        self._library = opener.library
        self._edits = edits
        self._bases = bases
        self._dialogs = dialogs
        self._then: Callable[[], None] = _nothing
        self._settled: Callable[[ConflictChoice], None] = lambda _ignored: None
        self._over: frozenset[Path] = frozenset()
        self._asked: frozenset[Path] = frozenset()

    def save(self, path: Path | None = None) -> None:
        """Show what saving a file, and those changed with it, will write; say which others have changes."""
        edits = self._state.edits
        address = self._state.tabs.active.address
        if path is None and address is not None and is_of_scene(address.path):
            self.save_as()  # what is looked at has no file of its own yet
            return
        file = edits.next_save(address) if path is None else edits.of(path)
        if file.is_changed:
            self._ask(file, file.path)
        elif edits.changed and address is not None:
            names = ", ".join(it.path.name for it in edits.changed)
            words = _("{name} has no unsaved changes; {others} has: File > Save all")
            if len(edits.changed) > 1:
                words = _("{name} has no unsaved changes; these have: {others}: File > Save all")
            self._state.announce(words.format(name=address.path.name, others=names), is_warning=True)

    def save_all(self) -> None:
        """Show what saving all changed files will write; they are written together."""
        first, *others = self._state.edits.changed or (None,)
        if first is not None:
            self._ask(first, first.path, others=frozenset(it.path for it in others if it is not None))

    def save_as(self, target: Path | None = None, path: Path | None = None) -> None:
        """Ask for another path for a file, by default of the active tab, or show what is written there."""
        file = self._edits.active() if path is None else self._state.edits.of(path)
        if target is None:
            save_as, folder = partial(self.save_as, path=path), file.path.parent
            self._dialogs.choose_new(_("Save as"), file.path.name, save_as, folder)
        else:
            self._bases.note(file.path, self._library)  # a file without changes has none yet
            self._ask(file, target)

    def save_patch(self, target: Path | None = None) -> None:
        """Ask for the path of a patch, or write the unsaved changes there as one."""
        file = self._edits.active()
        if not file.is_changed:
            return
        if target is None:
            name = f"{file.path.stem}.patch.json"
            self._dialogs.choose_new(
                _("Save the changes as a patch"), name, self.save_patch, file.path.parent
            )
            return
        after = self._library.file(file.path)

        def work(_ignored: object) -> None:
            user_files.write(target, patch_of(plan_of(file, after)).encode())

        def done(_ignored: object) -> None:
            self._state.announce(_("Patch saved as {path}", path=target))

        title = _("Saving {name}…", name=target.name)
        self._jobs.start(f"save {target}", title, work, done, is_writing=True)

    def answer(self, choice: SaveChoice, *, is_forced: bool = False) -> None:
        """Write the files of the sheet, or close it."""
        sheet = self._state.question
        if not isinstance(sheet, SaveSheet):
            return
        if choice is SaveChoice.CANCEL:
            self._state.question = None
            self._jobs.drop(SHEET)
        elif is_forced or (sheet.is_ready and not sheet.is_blocked):
            self._state.question = None
            self._write(sheet, self._then)

    def settle(self, choice: ConflictChoice) -> None:
        """Replace the file that has changed on the disk, change it too, take it over, compare, or cancel."""
        conflict = self._state.question
        if not isinstance(conflict, Conflict):
            return
        if choice is ConflictChoice.COMPARE:
            self._compare(conflict)
            return
        self._state.question = None
        if conflict.is_recovered:
            self._settled(choice)
        elif choice is ConflictChoice.KEEP_MINE:
            over = self._over | {conflict.file.path}
            self._ask(conflict.file, conflict.target, self._then, over, self._asked)
        elif choice is ConflictChoice.TAKE_THEIRS:
            self._edits.drop(conflict.file.path)
        elif choice is ConflictChoice.ONTO_THEIRS:
            left_out = self.make_onto_theirs(conflict.file)
            after = self._state.edits.of(conflict.file.path)
            if left_out:
                self._state.complain(left_out)
            elif after.is_changed:
                self._ask(after, conflict.target, self._then, self._over, self._asked)

    def answer_refusal(self, choice: RefusalChoice) -> None:
        """Save again what was refused, perhaps with its attribute cleared, or somewhere else; or cancel."""
        asked = self._state.question
        if not isinstance(asked, SaveRefusal):
            return
        self._state.question = None
        if choice is RefusalChoice.SAVE_AS:
            self.save_as(path=asked.refused.path)
        elif choice is RefusalChoice.AGAIN:
            self._write(asked.sheet, self._then)
        elif choice is RefusalChoice.WRITABLE:
            self._write(asked.sheet, self._then, protected=asked.refused.target)

    def ask_if_changed(self, file: EditedFile) -> None:
        """Ask about an edited file if the disk has other bytes than those that were edited."""
        base = self._bases.of(file.path)

        def done(state: DiskState) -> None:
            now = self._state.edits.of(file.path)  # an open question is answered first; saving asks again
            if state is not DiskState.SAME and now.is_changed and self._state.question is None:
                self._state.question = Conflict(now, state, file.path)

        self._jobs.start(f"changed {file.path}", "", lambda _ignored: base.state_of(file.path), done)

    def ask_recovered(self, conflict: Conflict, settled: Callable[[ConflictChoice], None]) -> None:
        """Ask about changes of an earlier run to a file that has changed since."""
        self._state.question, self._settled = conflict, settled

    def make_onto_theirs(self, file: EditedFile) -> str:
        """Make changes again on the file from the disk; what does not fit, in words, empty if all does.

        Raises `MshviewError` if the file cannot be read, and then leaves everything as it is.
        """
        left_out = self._edits.make_again(file)
        title = _("{name}: these changes do not fit the file on the disk and are left out:")
        return "\n".join((title.format(name=file.path.name), *left_out)) if left_out else ""

    def ask_then(self, files: Sequence[EditedFile], then: Callable[[], None]) -> None:
        """Show what saving files together will write, and go on once they are written."""
        first, *others = files
        self._ask(first, first.path, then, others=frozenset(it.path for it in others))

    def _ask(
        self,
        file: EditedFile,
        target: Path,
        then: Callable[[], None] | None = None,
        over: frozenset[Path] = frozenset(),
        others: frozenset[Path] = frozenset(),
    ) -> None:
        """Show the sheet, and compare the files in a worker thread; shown again it keeps what follows it.

        Parameters
        ----------
        over
            The files that are written over what another program has written.
        others
            Files that are written with it if they are changed, besides those that the same steps have
            changed; none unless it is written over itself.
        """
        before = self._state.question
        is_again = isinstance(before, SaveSheet) and file.path in {it.path for it in before.all}
        self._then = then or (self._then if is_again else _nothing)
        self._over = over | self._over if is_again else over
        asked = others | self._asked if is_again else others
        files = [file, *(self._with(file, asked) if target == file.path else ())]
        self._asked = frozenset(it.path for it in files)
        first, *rest = (self._sheet(it, target if it is file else it.path) for it in files)
        sheet = replace(first, others=tuple(rest))

        def filled(whole: SaveSheet) -> None:
            # By identity: the user may have closed the sheet, or asked for another one, meanwhile.
            if self._state.question is sheet:
                self._state.question = whole

        self._state.question = sheet
        works = [
            self._filling(it) for it in sheet.all
        ]  # gathers the state here, so that the worker needs none

        def work(_ignored: object) -> SaveSheet:
            first, *rest = (fill() for fill in works)
            return replace(first, others=tuple(rest))

        self._jobs.start(SHEET, "", work, filled, lambda error: self._fail(sheet, error))

    def _with(self, file: EditedFile, asked: frozenset[Path]) -> list[EditedFile]:
        """The changed files that are written with another one, some of which were asked for."""
        edits = self._state.edits
        paths = asked | {it.path for it in edits.saved_with(file)}
        return [it for it in edits.changed if it.path in paths and it.path != file.path]

    def _sheet(self, file: EditedFile, target: Path) -> SaveSheet:
        """The sheet of a file before anything is compared."""
        sheet = sheet_of(file, target, self._library.file(file.path))
        return replace(sheet, is_over=file.path in self._over)

    def _filling(self, sheet: SaveSheet) -> Callable[[], SaveSheet]:
        """A function for a worker thread that returns the sheet of a file with changes and diagnostics."""
        path = sheet.path
        addresses = sorted(self._state.edits.of(path).unsaved_payloads, key=lambda it: it.entries)
        lookup = self._opener.choices(Address(path))

        def fill() -> SaveSheet:
            options = EditOptions(options=lookup.in_game(self._library, Address(path)))
            if not sheet.is_over:
                refuse_conflict(sheet.plan)
            plan = with_findings(self._library, sheet.plan, options, addresses)
            filled = replace(sheet, plan=plan, is_compared=True)
            return over(self._library, filled, options) if sheet.is_over else filled

        return fill

    def _write(self, sheet: SaveSheet, then: Callable[[], None], *, protected: Path | None = None) -> None:
        """Write the edited bytes of all files of a sheet; `then` is called once they are written.

        One that is protected by its attribute is made writable before.
        """
        files = [self._state.edits.of(it.path) for it in sheet.all]
        # A command of the console may have changed a file since the sheet was shown.
        plans = [replace(it.plan, data=self._library.file(it.path)) for it in sheet.all]
        wears = [*self._unsaved_wears(sheet)]

        def work(_ignored: object) -> list[WrittenFile]:
            if protected is not None:
                make_writable(protected)
            return write([*wears, *plans])[len(wears) :]

        def done(saved: list[WrittenFile]) -> None:
            self._announce(saved)
            for file, it, plan in zip(files, saved, plans, strict=True):
                # Asked before `take_saved`, after which the file is known by its new path.
                front, is_in_front = self._state.tabs.active.address, self._edits.active().path == file.path
                self._edits.take_saved(file, it, FileBase(plan.after, it.revision))
                if front is not None and it.target != file.path and is_in_front:
                    self._opener.open(Address(it.target, front.entries), Keep.CAMERA, is_next=True)
            then()

        title = _("Saving {name}…", name=", ".join(it.target.name for it in sheet.all))
        failed = partial(self._fail, sheet)
        self._jobs.start(f"save {sheet.target}", title, work, done, failed, is_writing=True)

    def _unsaved_wears(self, sheet: SaveSheet) -> Iterator[FilePlan]:
        """Yield the wear table of a model that is looked at and has no file of its own yet."""
        path = sheet.path.with_suffix(selectors.SUFFIX)
        if is_of_scene(sheet.path) and self._library.revision(path) is not None:
            target = sheet.target.with_suffix(selectors.SUFFIX)
            yield FilePlan(target, data=self._library.file(path), can_replace=False)

    def _announce(self, saved: Sequence[WrittenFile]) -> None:
        """Say what was written, and what is kept of the files before."""
        path = str(saved[0].target)
        if len(saved) > 1:
            names = short_names(Address(it.target) for it in saved)
            path = ", ".join(f"{name} ({told_by})" if told_by else name for name, told_by in names.values())
        words = _("Saved {path}", path=path)
        kept = ", ".join(it.backup.name for it in saved if it.backup is not None)
        if kept:
            words = _("Saved {path}; the former file is kept as {backup}", path=path, backup=kept)
        self._state.announce(words)

    def _fail(self, sheet: SaveSheet, error: BaseException) -> None:
        """Ask about a file that has changed on the disk, is read-only or in use; show any other error."""
        if isinstance(self._state.question, SaveSheet):
            self._state.question = None
        if isinstance(error, ConflictError):
            found = next((it for it in sheet.all if str(it.path) == error.source), sheet)
            state = DiskState.CHANGED if found.path.exists() else DiskState.GONE
            self._state.question = Conflict(self._state.edits.of(found.path), state, found.target)
        elif isinstance(error, ReadOnlyError | InUseError):
            refused = next((it for it in sheet.all if str(it.target) == error.source), sheet)
            is_read_only = isinstance(error, ReadOnlyError)
            self._state.question = SaveRefusal(sheet, refused, is_read_only, error.message)
        else:
            self._state.report(error)

    def _compare(self, conflict: Conflict) -> None:
        """Find how the file on the disk differs from the one that was edited."""
        file = conflict.file
        after = self._library.file(file.path)
        lookup = self._opener.choices(Address(file.path))

        def work(_ignored: object) -> tuple[str, ...]:
            before = memoryview(plan_of(file, after).before or b"")
            options = EditOptions(options=lookup.in_game(self._library, Address(file.path)))
            try:
                now = file.path.read_bytes()
            except OSError as error:
                raise OutputError(reason_of(error), source=file.path) from error
            return differences(self._library, file.path, (before, now), options)

        def done(found: tuple[str, ...]) -> None:
            if self._state.question is conflict:
                self._state.question = replace(conflict, differences=found)

        self._jobs.start("compare", _("Comparing…"), work, done)
