"""The comparison of two folders in a worker thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from viewer.control.jobs import Jobs, problem_of
from viewer.control.lookups.corpus import paths_of
from viewer.control.lookups.difference_page import write_page
from viewer.control.state import State
from viewer.errors import UsageError
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.disk import with_target
from viewer.model.store.file_store import FileStore
from viewer.operations.folders.comparison import (
    ComparedEntry,
    FolderComparison,
    compare_folders,
    count_fields,
)
from viewer.progress import Progress
from viewer.session.field_text import counted
from viewer.session.games.compared_folders import FOLDERS_LANE, PAGE_LANE, FoldersState, copied_entries
from viewer.session.jobs import CorpusScope, ReadFiles
from viewer.session.tables.table_view import CopyFormat
from viewer.translation import _, readable


class FoldersController:
    """Keeps `State.folders`; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, to_clipboard: Callable[[str], None]) -> None:
        self._state = state
        self._jobs = jobs
        self._to_clipboard = to_clipboard

    def propose(self) -> None:
        """Show the window, with the game folder as the second one unless folders are chosen."""
        state = replace(self._state.folders, asked=object())
        if state.a is None and state.b is None:
            with suppress(UsageError):
                state = replace(state, b=paths_of(self._state, CorpusScope.GAME)[0])
        self._state.folders = state

    def choose(self, side: int, folder: Path) -> None:
        """Choose the first (0) or the second (1) folder; both are compared once they are chosen."""
        before = self._state.folders
        a, b = (folder, before.b) if side == 0 else (before.a, folder)
        self._state.folders = FoldersState(a, b, before.asked)
        if a is not None and b is not None:
            self.compare(a, b)

    def save_page(self, folder: Path) -> None:
        """Write the page of the comparison into a new folder."""
        compared = self._state.folders
        a, b = compared.a, compared.b
        if a is None or b is None:
            return
        self._state.folders = replace(compared, is_writing=True, page=None)

        def ended(page: Path | None) -> None:
            # Others may be compared by now; the page is that of these.
            is_shown = (self._state.folders.a, self._state.folders.b) == (a, b)
            shown = page if is_shown else None
            self._state.folders = replace(self._state.folders, is_writing=False, page=shown)

        def done(_ignored: object) -> None:
            ended(folder)
            self._state.announce(_("saved {path}", path=with_target(folder)))

        def failed(error: BaseException) -> None:
            ended(None)
            self._jobs.report(error)

        title = _("Writing the page {name}…", name=folder.name)
        write = partial(write_page, a, b, folder)
        self._jobs.start(PAGE_LANE, title, write, done, failed, is_background=True, is_writing=True)

    def copy(self, entries: Sequence[ComparedEntry], form: CopyFormat) -> None:
        """Put some entries that differ on the clipboard."""
        self._to_clipboard(readable(copied_entries(entries, form)))
        self._state.announce(counted(len(entries), "{count} row copied", "{count} rows copied"))

    def compare(self, a: Path, b: Path) -> None:
        """Compare two folders as they are on the disk, and show the window."""
        self._jobs.drop(FOLDERS_LANE)
        asked, read = object(), ReadFiles.now([a, b])
        self._state.folders = FoldersState(a, b, asked, is_running=True, read=read)

        def done(found: FolderComparison) -> None:
            self._state.folders = replace(self._state.folders, found=found, is_running=False)

        def failed(error: BaseException) -> None:
            problem = problem_of(error)
            self._state.folders = replace(self._state.folders, problem=problem, is_running=False)

        def work(progress: Progress) -> FolderComparison:
            return _compared(a, b, progress)

        title = _("Comparing {name}…", name=b.name)
        self._jobs.start(FOLDERS_LANE, title, work, done, failed, is_background=True)


def _compared(a: Path, b: Path, progress: Progress) -> FolderComparison:
    found = compare_folders(a, b, progress)
    store, tasks = FileStore(), found.tasks()
    with_progress = progress.over(tasks, lambda it: it.b.name)
    return found.with_fields([count_fields(store, ReadingChoice.AUTO, it) for it in with_progress])
