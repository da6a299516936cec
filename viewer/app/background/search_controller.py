"""The search over everything open: run in a worker thread, its hits handed over as they are found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from viewer.app.jobs import Jobs
from viewer.app.state import State
from viewer.errors import MshviewError, UsageError, error_text
from viewer.model.search.query import Query
from viewer.model.search.results import Results
from viewer.model.search.search import search
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import Cancelled
from viewer.session.search_state import SEARCH_LANE, SearchState
from viewer.translation import _


class SearchController:
    """Searches the roots of the browser and what the tabs show; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, library: FileStore) -> None:
        self._state = state
        self._jobs = jobs
        self._library = library
        self._results = Results()

    def start(self, query: Query) -> None:
        """Search for something else from now on; an empty text ends the search and clears its results."""
        self._jobs.drop(SEARCH_LANE)
        self._results = results = Results()
        if not query.text.strip():
            self._state.search = SearchState()
            return
        try:
            query.check()
        except UsageError as error:
            self._state.search = SearchState(query, problem=error_text(error))
            return
        self._state.search = SearchState(query, is_running=True)
        library, scope = self._library.snapshot(), self._scope()
        self._jobs.start(
            SEARCH_LANE,
            _("Searching for {text}…").format(text=query.text),
            lambda progress: search(library, scope, query, results, progress),
            lambda _: self._end(""),
            self._fail,
            is_background=True,
        )

    def _scope(self) -> list[Path]:
        """The roots of the browser, and the files of tabs outside of them."""
        roots = [Address.parse(root.address).path for root in self._state.browser.roots]
        files = [Address.parse(tab.address).path for tab in self._state.tabs.opened if tab.address]
        others = [path for path in files if not any(path.is_relative_to(root) for root in roots)]
        return [*roots, *dict.fromkeys(others)]

    def update(self) -> None:
        """Take over what was found since the last frame."""
        found = self._results.snapshot()
        if found is not self._state.search.found and self._state.search.query is not None:
            self._state.search = replace(self._state.search, found=found)

    def _end(self, problem: str) -> None:
        self.update()
        self._state.search = replace(self._state.search, is_running=False, problem=problem)

    def _fail(self, error: BaseException) -> None:
        if isinstance(error, Cancelled):
            self._end(_("cancelled"))
        elif isinstance(error, MshviewError):
            self._end(error_text(error))
        else:
            words = _("internal error: {kind}: {error}")
            self._end(words.format(kind=type(error).__name__, error=error))
