"""Unsaved changes: asked about before a tab or the window closes, and offered again after a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.journal import Bases, FileBase, FoundJournal, Journal
from viewer.control.editing.save_controller import SaveController
from viewer.control.job_controller import JobController
from viewer.control.jobs import Jobs
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State
from viewer.errors import AddressError, MshviewError, error_text
from viewer.formats import splice
from viewer.model.store import recovery
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import digest_of
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.questions import (
    CloseChoice,
    CloseQuestion,
    Conflict,
    ConflictChoice,
    DiskState,
    RecoverableFile,
    Recovery,
    RecoveryChoice,
    WritingQuestion,
)

FoundChanges = tuple[FoundJournal, DiskState]


class CloseController:
    """Closes tabs and the window; owner: the application, main thread only.

    Parameters
    ----------
    close
        Closes a tab.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        edits: EditController,
        saving: SaveController,
        close: Callable[[int], None],
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._edits = edits
        self._saving = saving
        self._close = close

    def close_tab(self, identity: int | None = None) -> None:
        """Close a tab, by default the active one; ask first if it is the last one of a changed file."""
        tabs = self._state.tabs
        tab = tabs.active if identity is None else tabs.find(identity)
        if tab is None:
            return
        file = self._state.edits.at(tab.address)
        others = (it.address.real.path for it in tabs.opened if it is not tab and it.address)
        if file.is_changed and file.path not in others:
            self._state.question = CloseQuestion((file,), tab.identity)
        else:
            self._close(tab.identity)

    def quit(self) -> None:
        """Close the window; ask first if a file is not saved, or is just being made."""
        files = self._state.edits.changed
        if files:
            self._state.question = CloseQuestion(files)
        else:
            self._leave_written()

    def update(self) -> None:
        """Ask no more about files that are made meanwhile."""
        if isinstance(self._state.question, WritingQuestion):
            self._state.question = self._writing

    def answer(self, choice: CloseChoice) -> None:
        """Save all files that were asked about and close, close at once, or close nothing."""
        asked = self._state.question
        if isinstance(asked, WritingQuestion):
            self._state.question = None
            if choice is CloseChoice.DISCARD:
                self._state.leave()
        if not isinstance(asked, CloseQuestion):
            return
        self._state.question = None
        if choice is CloseChoice.DISCARD:
            for file in asked.files:
                self._edits.drop(file.path)
            self._finish(asked)
        elif choice is CloseChoice.SAVE:
            self._save(asked, asked.files)

    def _save(self, asked: CloseQuestion, files: Sequence[EditedFile]) -> None:
        """Show one sheet of all files and save them together, then close; a failure ends it."""
        left = [it for it in files if self._state.edits.of(it.path).is_changed]
        if left:
            self._saving.ask_then(left, lambda: self._save(asked, files))
        else:
            self._finish(asked)

    @property
    def _writing(self) -> WritingQuestion | None:
        titles = tuple(job.title for job in self._jobs.writing)
        return WritingQuestion(titles) if titles else None

    def _leave_written(self) -> None:
        """Close the window; ask first if a file is just being made."""
        self._state.question = self._writing
        if self._state.question is None:
            self._state.leave()

    def _finish(self, asked: CloseQuestion) -> None:
        if asked.tab is None:
            self._leave_written()
        else:
            self._close(asked.tab)


class RecoveryController(JobController):
    """Offers what journals hold; owner: the application, main thread only."""

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        edits: EditController,
        saving: SaveController,
        journal: Journal,
        bases: Bases,
    ) -> None:
        super().__init__(state, jobs, opener)
        self._edits = edits
        self._saving = saving
        self._journal = journal
        self._bases = bases
        self._found: dict[Path, FoundChanges] = {}
        self._conflicts: list[FoundJournal] = []
        self._left_out: list[str] = []

    def look(self) -> None:
        """Look for journals of programs that have ended, and ask about them; of each file the newest one."""
        journals: dict[Path, FoundJournal] = {}
        # Oldest first, so that the newest journal of a file replaces the others; those stay on the disk.
        for found in sorted(self._journal.found(), key=lambda it: it.modified):
            older = journals.pop(found.file.path, None)
            if older is not None:
                self._journal.release(older)
            journals[found.file.path] = found
        if not journals:
            return
        library = self._opener.library

        def arrived(states: list[DiskState]) -> None:
            self._found = dict(zip(journals, zip(journals.values(), states, strict=True), strict=True))
            self._ask()

        def work(_ignored: object) -> list[DiskState]:
            return [state_of(library, it) for it in journals.values()]

        self._jobs.start("recovery", "", work, arrived)

    def answer(self, choice: RecoveryChoice, paths: tuple[Path, ...] = ()) -> None:
        """Make changes again, drop them, or leave them for the next start; without paths, all of them."""
        if not isinstance(self._state.question, Recovery):
            return
        self._state.question = None
        chosen = [it for path, it in self._found.items() if not paths or path in paths]
        if choice is RecoveryChoice.LATER:
            self._release([*self._found.values()])
            return
        for found, state in chosen:
            if choice is RecoveryChoice.DISCARD:
                del self._found[found.file.path]
                self._journal.discard(found)
            elif state is DiskState.SAME:
                del self._found[found.file.path]
                file = found.file
                library = self._opener.library
                self._bases.set(file.path, FileBase(library.file(file.path), library.revision(file.path)))
                self._journal.take_over(found)
                self._edits.restore(file)
                self._open(file)
            elif state is DiskState.CHANGED:
                self._conflicts.append(found)
        self._ask()

    def _settle(self, found: FoundJournal, choice: ConflictChoice) -> None:
        """Make changes again on a file that has changed since, drop them, or leave them for later."""
        self._conflicts.remove(found)
        del self._found[found.file.path]
        if choice is ConflictChoice.ONTO_THEIRS:
            self._make_onto_theirs(found)
        elif choice is ConflictChoice.TAKE_THEIRS:
            self._journal.discard(found)
        else:
            self._journal.release(found)
        self._ask()

    def _make_onto_theirs(self, found: FoundJournal) -> None:
        """Do so, and open the file; the journal stays for the next start if it cannot be read any more."""
        try:
            left_out = self._saving.make_onto_theirs(found.file)
        except MshviewError as error:
            self._journal.release(found)
            self._left_out.append(error_text(error))
            return
        self._journal.discard(found)
        self._left_out += [left_out] if left_out else []
        after = self._state.edits.of(found.file.path)
        if after.is_changed:
            self._open(after)
        else:
            self._opener.open(Address(after.path), in_new_tab=True)

    def close(self) -> None:
        """Leave what was not decided for the next start."""
        self._release([*self._found.values()])

    def _release(self, left: Iterable[FoundChanges]) -> None:
        for found, _ in left:
            self._journal.release(found)
        self._found.clear()
        self._conflicts.clear()

    def _ask(self) -> None:
        """Ask about what was found and not decided yet; then say what could not be made again."""
        if self._conflicts:
            found = self._conflicts[0]
            conflict = Conflict(found.file, DiskState.CHANGED, found.file.path, is_recovered=True)
            self._saving.ask_recovered(conflict, partial(self._settle, found))
            return
        files = tuple(_shown(found, state) for found, state in self._found.values())
        self._state.question = Recovery(files) if files else None
        if not files and self._left_out:
            self._state.complain("\n".join(self._left_out))
            self._left_out.clear()

    def _open(self, file: EditedFile) -> None:
        """Open the entry that was changed last."""
        shown = file.steps[file.position - 1].address if file.position else file.steps[0].address
        self._opener.open(shown, in_new_tab=True)


def state_of(library: FileStore, journal: FoundJournal) -> DiskState:
    """Whether the file on the disk is the one that a journal begins with; takes its time.

    If the process has died while it saved several files together, the old ones are put back first.
    """
    recovery.recover(journal.file.path.parent)
    try:
        data = library.file(journal.file.path)
    except AddressError:
        return DiskState.GONE
    is_same = len(data) == journal.base.size and _fits(journal.file, data)
    if journal.base.digest:
        is_same = is_same and digest_of(data) == journal.base.digest
    return DiskState.SAME if is_same else DiskState.CHANGED


def _fits(file: EditedFile, data: memoryview) -> bool:
    """Whether the steps can be made on some bytes, up to the last of them and back to the first."""
    try:
        for position in (len(file.steps), 0):
            reached = data
            for splices in file.at(position).splices_from_saved:
                reached = memoryview(splice.applied(reached, splices))
    except ValueError:
        return False
    return True


def _shown(found: FoundJournal, state: DiskState) -> RecoverableFile:
    file = found.file
    steps = tuple(step.words for step in file.unsaved)
    return RecoverableFile(file.path, steps, found.modified, state, file.undone)
