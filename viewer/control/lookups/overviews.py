"""Overviews of archives, folders and games, made in worker threads."""

from __future__ import annotations

from itertools import islice
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from viewer.control.jobs import Jobs, problem_of
from viewer.control.lookups.corpus import paths_of
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State
from viewer.control.window_commands import DialogCommands
from viewer.errors import UsageError
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.operations.overview.overview import Overview, collect
from viewer.operations.overview.reading import OverviewOptions
from viewer.progress import Progress
from viewer.session.games.overviews import (
    LISTED_COLUMNS,
    MOST_OVERVIEWS,
    OVERVIEW,
    ArrangedOverview,
    OverviewState,
    arranged_rows,
    needed_columns,
)
from viewer.session.jobs import CorpusScope, ReadFiles
from viewer.session.tables.table_view import RowQuery
from viewer.translation import _


class OverviewController:
    """Keeps `State.overviews`; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, opener: OpenController, dialogs: DialogCommands) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener
        self._dialogs = dialogs
        self._library = opener.library

    def show_game(self) -> None:
        """Open the game folder that is set or around the open model; ask for one if there is none."""
        try:
            folder = paths_of(self._state, CorpusScope.GAME)[0]
        except UsageError:
            self._dialogs.open_folder()
        else:
            self.show(Address(folder))

    def show(self, address: Address) -> None:
        """Open a folder, or an archive on the page of its overview, in a tab of its own."""
        self._opener.go_to(Place(address, OVERVIEW), in_new_tab=True)

    def make(self, address: Address) -> None:
        """Make the overview of an archive or a folder, unless it is there."""
        if address not in self._state.overviews:
            chosen = self._state.settings.overview
            self._make(OverviewState(address, chosen.columns, chosen.lod, chosen.group))

    def choose(self, address: Address, columns: tuple[str, ...]) -> None:
        """Show other columns, from left to right, and remember them; what is not known yet is read."""
        self.remember(columns=columns)
        state = replace(self._state.overviews[address], columns=columns)
        known = state.found.known if state.found else frozenset()
        if known.issuperset(columns) and state.found is not None and not state.is_running:
            self._put(replace(state, table=state.found.table(columns)))
        else:
            self._make(state)

    def count_cell(self, address: Address, lod: int, group: int) -> None:
        """Count the triangles of another cell of the slot matrix, and remember it."""
        self.remember(lod=lod, group=group)
        self._make(replace(self._state.overviews[address], lod=lod, group=group))

    def make_again(self, address: Address) -> None:
        """Read everything again."""
        self._make(self._state.overviews[address])

    def remember(self, **fields: Any) -> None:
        """Remember fields of `OverviewChoices`."""
        self._state.set(overview=replace(self._state.settings.overview, **fields))

    def arrange(self, address: Address, query: RowQuery, group_by: str = "") -> None:
        """Filter, sort and group the rows of an overview; a newer query replaces an older one.

        Columns that a condition or the grouping needs are read first; the rows are arranged once they are
        there, as the table is another one then.
        """
        state = self._state.overviews[address]
        found = state.found
        if found is None:
            return
        try:
            needed = needed_columns(query, group_by)
        except UsageError:  # which the answer repeats, with all rows
            needed = needed_columns(replace(query, filter=""), group_by)
        if not found.known.issuperset(needed):
            self._make(replace(state, more=needed))
            return

        def done(arranged: ArrangedOverview) -> None:
            now = self._state.overviews.get(address)
            if now is not None:
                self._put(replace(now, arranged=arranged))

        self._jobs.start(
            f"rows {state.lane}",
            _("Filtering and sorting…"),
            lambda _ignored: arranged_rows(found, query, group_by),
            done,
        )

    def _make(self, state: OverviewState) -> None:
        """Read what an overview shows; the first time its entries are listed before that."""
        self._put(replace(state, is_running=True, problem="", read=ReadFiles.now([state.address.path])))
        self._collect(state, FileStore(unsaved=self._library.unsaved), is_listing=state.found is None)

    def _collect(self, state: OverviewState, store: FileStore, *, is_listing: bool) -> None:
        names = LISTED_COLUMNS if is_listing else tuple(dict.fromkeys((*state.columns, *state.more)))
        options = OverviewOptions(names, lod=state.lod, group=state.group, unsaved=self._library.unsaved)
        address = state.address

        def work(progress: Progress) -> Overview:
            found = collect(store, address, options, progress)
            found.table(found.known)  # columns are kept: no frame waits for their making
            return found

        def done(found: Overview) -> None:
            now = self._state.overviews.get(address, state)
            table = found.table(it for it in now.columns if it in found.known)
            self._put(replace(now, found=found, table=table, is_running=is_listing))
            if is_listing:
                self._collect(now, store, is_listing=False)

        def failed(error: BaseException) -> None:
            now = self._state.overviews.get(address, state)
            self._put(replace(now, is_running=False, problem=problem_of(error)))

        title = _("Listing {name}…", name=address.name)
        self._jobs.start(state.lane, title, work, done, failed, is_background=True)

    def _put(self, state: OverviewState) -> None:
        others = {at: it for at, it in self._state.overviews.items() if at != state.address}
        kept = islice(others.items(), max(0, len(others) + 1 - MOST_OVERVIEWS), None)
        self._state.overviews = MappingProxyType({**dict(kept), state.address: state})
