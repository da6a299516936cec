"""The comparison of two folders in a worker thread."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from viewer.control.jobs import Jobs, problem_of
from viewer.control.lookups.corpus import paths_of
from viewer.control.state import State
from viewer.errors import UsageError
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.file_store import FileStore
from viewer.operations.folders.comparison import FolderComparison, compare_folders, count_fields
from viewer.progress import Progress
from viewer.session.games.compared_folders import FOLDERS_LANE, FoldersState
from viewer.session.jobs import CorpusScope, ReadFiles
from viewer.translation import _


class FoldersController:
    """Keeps `State.folders`; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs) -> None:
        self._state = state
        self._jobs = jobs

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
