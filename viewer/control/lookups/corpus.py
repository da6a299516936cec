"""Statistics of fields and readings in worker threads; tables are read again only when they change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from viewer.control.jobs import Jobs, problem_of
from viewer.control.settings.settings import requested_reading
from viewer.control.state import State
from viewer.errors import MshviewError, UsageError
from viewer.model.game.game_folder import around
from viewer.model.query.condition import Condition
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.collected import TableCache
from viewer.operations.corpus.readings import ReadingScores, score
from viewer.operations.corpus.statistics import Corpus, FieldStatistics, StatisticsOptions, collect
from viewer.progress import Progress
from viewer.session.jobs import (
    SCORES_LANE,
    STATISTICS_LANE,
    CorpusScope,
    ReadFiles,
    ScoreState,
    StatisticsRequest,
)
from viewer.translation import _

Counted = tuple[Corpus, tuple[FieldStatistics, ...]]


class CorpusController:
    """Counts; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, library: FileStore) -> None:
        self._state = state
        self._jobs = jobs
        self._library = library
        self._known = TableCache()

    def show(self) -> None:
        """Bring the panel to the front; the first time all fields are summed up."""
        self._state.corpus = replace(self._state.corpus, asked=object())
        if self._state.corpus.request is None:
            self.count(StatisticsRequest())

    def count_entries(self, entries: Sequence[Address]) -> None:
        """Sum up the fields of some entries alone, and show the panel."""
        self._state.corpus = replace(self._state.corpus, asked=object())
        self.count(StatisticsRequest(scope=CorpusScope.ENTRIES, entries=tuple(entries)))

    def add_entries(self, entries: Sequence[Address]) -> None:
        """Count further entries with those that are counted, and show the panel."""
        before = self._state.corpus.request or StatisticsRequest()
        self._state.corpus = replace(self._state.corpus, asked=object())
        added = tuple(dict.fromkeys((*before.entries, *entries)))
        self.count(replace(before, scope=CorpusScope.ENTRIES, entries=added))

    def count_again(self) -> None:
        """Count again, with the changed files."""
        self.count(self._state.corpus.request or StatisticsRequest())

    def count_field(self, field: str) -> None:
        """Count another field where the last one was counted, and show the panel."""
        before = self._state.corpus
        self._state.corpus = replace(before, asked=object())
        self.count(replace(before.request or StatisticsRequest(), field=field))

    def count(self, request: StatisticsRequest) -> None:
        """Count the values of a field."""
        self._jobs.drop(STATISTICS_LANE)
        before = self._state.corpus
        self._state.corpus = replace(before, request=request, is_running=True, problem="", found=())
        try:
            options = self._options(request)
            read = ReadFiles.now(it.path for it in options.addresses)
        except MshviewError as error:
            self._fail(error)
            return
        store = FileStore(unsaved=self._library.unsaved)

        def work(progress: Progress) -> Counted:
            corpus = collect(store, options, progress, self._known)
            found = (corpus.statistics(request.field),) if request.field else corpus.summary(progress)
            return corpus, tuple(found)

        def done(counted: Counted) -> None:
            corpus, found = counted
            self._state.corpus = replace(
                self._state.corpus, found=found, unreadable=corpus.unreadable, is_running=False, read=read
            )

        title = _("Counting {field}…", field=request.field or _("fields"))
        self._jobs.start(STATISTICS_LANE, title, work, done, self._fail, is_background=True)

    def score(self, scope: CorpusScope) -> None:
        """Judge the readings of the models in a scope."""
        self._jobs.drop(SCORES_LANE)
        self._state.scores = before = ScoreState(scope, is_running=True)
        readings, unsaved = self._state.settings.readings, self._library.unsaved

        def fail(error: BaseException) -> None:
            self._state.scores = replace(before, is_running=False, problem=problem_of(error))

        try:
            paths = paths_of(self._state, scope)
            addresses, read = [*map(Address, paths)], ReadFiles.now(paths)
        except UsageError as error:
            fail(error)
            return

        def work(progress: Progress) -> ReadingScores:
            wanted = partial(requested_reading, readings)
            return score(FileStore(unsaved=unsaved), addresses, progress, wanted)

        def done(found: ReadingScores) -> None:
            self._state.scores = replace(before, found=found, is_running=False, read=read)

        self._jobs.start(SCORES_LANE, _("Judging readings…"), work, done, fail, is_background=True)

    def _options(self, request: StatisticsRequest) -> StatisticsOptions:
        """The options of the statistics; raises `UsageError`."""
        where = Condition.parse(request.where) if request.where.strip() else None
        addresses = request.entries
        if request.scope is not CorpusScope.ENTRIES:
            addresses = tuple(map(Address, paths_of(self._state, request.scope)))
        return StatisticsOptions(addresses, request.field, where)

    def _fail(self, error: BaseException) -> None:
        self._state.corpus = replace(self._state.corpus, is_running=False, problem=problem_of(error))


def paths_of(state: State, scope: CorpusScope, folder: Path | None = None) -> tuple[Path, ...]:
    """Return the files and folders of a scope, each once; raises `UsageError` if there are none."""
    paths: list[Path] = []
    active, document = state.tabs.active.address, state.document
    if scope is CorpusScope.GAME:
        # Without one that is set, the one around the model in front, which its materials come from, or around
        # the folder or whatever else is in front.
        own = document.game.folder if document else None
        if own is None and active is not None:
            own = around(FileStore(), active.path)
        game = state.game.folder if state.game else own
        paths = [game] if game else []
    elif scope is CorpusScope.FILE:
        paths = [active.path] if active else []
    elif scope is CorpusScope.FOLDER:
        paths = [folder] if folder else []
    else:
        roots = [root.address for root in state.browser.roots]
        paths = [it.path for it in (*roots, *state.tabs.addresses)]
    if not paths:
        missing = {
            CorpusScope.GAME: _("no game folder is set"),
            CorpusScope.FOLDER: _("no folder is chosen"),
        }
        raise UsageError(missing.get(scope, _("nothing is open")))
    return tuple(dict.fromkeys(paths))
