"""Lookups, mostly in worker threads: searches, users, rows, validation, comparisons, bytes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from viewer.control.job_controller import JobController
from viewer.control.jobs import Jobs, problem_of
from viewer.control.lookups.corpus import paths_of
from viewer.control.opening import loading
from viewer.control.opening.loading import OpenOptions
from viewer.control.state import State
from viewer.errors import MshviewError, UsageError, error_text
from viewer.model.query.byte_search import ByteAnswer, ByteQuery, answer
from viewer.model.query.search_query import Query
from viewer.model.references.users import UserSearch
from viewer.model.store.address import Address
from viewer.model.store.disk import real_path
from viewer.model.store.file_store import FileStore
from viewer.model.tables.table import ModelTable
from viewer.operations.corpus.hits import SearchResults
from viewer.operations.corpus.searching import SearchOptions, search
from viewer.progress import Progress
from viewer.session.jobs import (
    EVERYTHING_OPEN,
    SEARCH_LANE,
    USERS_LANE,
    FoundUsers,
    ReadFiles,
    SearchArea,
    SearchState,
    TableFilter,
    Validation,
    validate,
)
from viewer.session.opened.comparison import ComparedSide, ComparisonState, OpenedComparison
from viewer.session.opened.payload_bytes import PayloadBytes, read_bytes
from viewer.session.pixel.explained import ExplainedPixel
from viewer.session.pixel.explanation import PointedTriangle, explain
from viewer.session.pixel.sprites import explain_effect
from viewer.session.play.stage import EffectStage
from viewer.session.selection import Selection
from viewer.session.tables.table_view import ArrangedRows, CopyFormat, Order, RowQuery, arrange, copied
from viewer.session.view.camera import Size
from viewer.translation import _, counted, readable

KEPT: Final = 64
"""Payloads whose users are kept."""
VALIDATING: Final = "validate"
COMPARING: Final = "compare"
MOST_KEPT: Final = 4
"""Payloads that are remembered."""


class SearchController:
    """Searches what is open, the game or a folder; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, library: FileStore) -> None:
        self._state = state
        self._jobs = jobs
        self._library = library
        self._results = SearchResults()

    def start(self, query: Query, area: SearchArea = EVERYTHING_OPEN) -> None:
        """Search for something else from now on; an empty text ends the search and clears its results."""
        self._jobs.drop(SEARCH_LANE)
        self._results = results = SearchResults()
        if not query.text.strip():
            self._state.search = SearchState()
            return
        try:
            query.check()
            paths = paths_of(self._state, area.scope, area.folder)
        except UsageError as error:
            self._state.search = SearchState(query, area, problem=error_text(error))
            return
        self._state.search = SearchState(query, area, is_running=True, read=ReadFiles.now(paths))
        options = SearchOptions(query, paths)
        library, title = self._library.snapshot(), _("Searching for {text}…", text=query.text)

        def work(progress: Progress) -> None:
            search(library, options, results, progress)

        def done(_ignored: object) -> None:
            self._end("")

        self._jobs.start(SEARCH_LANE, title, work, done, self._fail, is_background=True)

    def find_bytes(self, query: ByteQuery) -> None:
        """Search one payload; a newer query replaces an older one."""

        def failed(error: BaseException) -> None:
            self._state.found_bytes = ByteAnswer(query, None, problem_of(error))

        def done(found: ByteAnswer) -> None:
            self._state.found_bytes = found

        title = _("Searching the bytes for {text}…", text=query.text)
        self._jobs.start("bytes", title, lambda _ignored: answer(query), done, failed)

    def update(self) -> None:
        """Take over what was found since the last frame."""
        found = self._results.snapshot()
        if found is not self._state.search.found and self._state.search.query is not None:
            self._state.search = replace(self._state.search, found=found)

    def _end(self, problem: str) -> None:
        self.update()
        self._state.search = replace(self._state.search, is_running=False, problem=problem)

    def _fail(self, error: BaseException) -> None:
        self._end(problem_of(error))


class UserLookup:
    """Finds the users of what the active tab shows; owner: the application, main thread only.

    They are searched once for every revision of it, in the folders and files of the browser and in its
    game folder. What was found before is shown until the search ends.

    Parameters
    ----------
    choices
        The options of opening chosen for an address.
    """

    def __init__(
        self,
        library: FileStore,
        state: State,
        jobs: Jobs,
        choices: Callable[[Address], OpenOptions],
    ) -> None:
        self._library = library
        self._state = state
        self._jobs = jobs
        self._choices = choices
        self._search = UserSearch()
        self._found: dict[Address, FoundUsers] = {}
        self._made_of: dict[Address, tuple[object, object]] = {}

    def find(self, address: Address) -> FoundUsers:
        """The users found so far of the payload at an address; starts a search if it is due."""
        tab = self._state.tabs.active
        made_of = tab.document or tab.resource, self._state.browser.roots
        if self._made_of.get(address) != made_of:
            self._made_of[address] = made_of
            self.search(address)
        return self._found.get(address, FoundUsers(is_searching=True))

    def search(self, address: Address) -> None:
        """Search the users of a payload anew."""
        known = self._found.pop(address, FoundUsers())
        # The oldest go, until there is room for one more.
        for other in list(self._found)[: max(0, len(self._found) - KEPT + 1)]:
            del self._found[other]
            self._made_of.pop(other, None)
        self._found[address] = FoundUsers(known.found, is_searching=True)
        options = self._choices(address)
        scope = [root.address.path for root in self._state.browser.roots]

        def work(progress: Progress) -> FoundUsers:
            library = self._library.snapshot()
            game = loading.game_of(library, address, options)
            return FoundUsers(self._search.find(library, address, scope, game, progress))

        def done(found: FoundUsers) -> None:
            self._found[address] = found

        def failed(error: BaseException) -> None:
            before = self._found.get(address, FoundUsers())
            self._found[address] = FoundUsers(before.found, problem=problem_of(error))

        title = _("Searching for users of {name}…", name=address.name)
        self._jobs.start(f"{USERS_LANE} {address}", title, work, done, failed, is_background=True)


class TableJobs:
    """Arranges and copies rows; owner: the application, main thread only.

    Parameters
    ----------
    to_clipboard
        Puts a text on the clipboard.
    """

    def __init__(self, state: State, jobs: Jobs, to_clipboard: Callable[[str], None]) -> None:
        self._state = state
        self._jobs = jobs
        self._to_clipboard = to_clipboard

    def arrange(self, query: RowQuery) -> None:
        """Filter and sort the rows of a table; a newer query replaces an older one."""

        def done(arranged: ArrangedRows) -> None:
            self._state.arranged = arranged

        self._jobs.start("rows", _("Filtering and sorting…"), lambda _ignored: arrange(query), done)

    def filter(self, table: str, text: str) -> None:
        """Show a table of the open model with another filter."""
        self._state.filtering = TableFilter(table, text)

    def copy(self, view: ModelTable, rows: Order, form: CopyFormat) -> None:
        """Put rows of a table on the clipboard."""
        count = len(rows)
        if not count:
            return

        def done(text: str) -> None:
            self._to_clipboard(readable(text))
            self._state.announce(counted(count, "{count} row copied", "{count} rows copied"))

        self._jobs.start("copy", _("Copying rows…"), lambda _ignored: copied(view, rows, form), done)


class PixelLookup:
    """Explains pixels of the viewport; owner: the application, main thread only.

    Parameters
    ----------
    pointed
        The triangle at a pixel of an image of a size, and its model.
    """

    def __init__(
        self, state: State, library: FileStore, pointed: Callable[[Size, int, int], PointedTriangle | None]
    ) -> None:
        self._state, self._library, self._pointed = state, library, pointed

    def explain(self, size: Size, x: int, y: int) -> ExplainedPixel | None:
        """Explanation of a pixel; None, and a message, if its file cannot be read."""
        stage = self._state.stage
        try:
            if isinstance(stage, EffectStage):
                return self._of_effect(stage, size, x, y)
            at = self._pointed(size, x, y)
            if at is None:
                return None
            found = explain(self._library, at, size, (x, y))
        except MshviewError as error:
            self._state.complain(error_text(error))
            return None
        return ExplainedPixel(at.document, self._state.view, found, at.selection)

    def _of_effect(self, stage: EffectStage, size: Size, x: int, y: int) -> ExplainedPixel | None:
        view = self._state.view
        effect = stage.played(view)
        if effect is None:
            return None
        found = explain_effect(self._library, effect, view, size, (x, y))
        blocks = tuple(it.block for it in found.sprites.nearest[:1])
        return ExplainedPixel(stage.shown, view, found, Selection(blocks))


class ValidationController(JobController):
    """Keeps `State.validation`; owner: the application, main thread only."""

    def start(self, *addresses: Address) -> None:
        """Check everything at some addresses, or everything in the browser without one."""
        addresses = addresses or tuple(root.address for root in self._state.browser.roots)
        if not addresses:
            return
        library = self._opener.library

        def work(progress: Progress) -> Validation:
            return validate(addresses, library.unsaved, progress)

        def done(found: Validation) -> None:
            self._state.validation = found
            count = len(found.problems) + found.left_out
            self._state.announce(counted(count, "{count} problem found", "{count} problems found"))

        title = _("Validating {name}…", name=", ".join(it.name for it in addresses))
        self._jobs.start(VALIDATING, title, work, done, is_background=True)


class ComparisonController(JobController):
    """Keeps `State.comparison`; owner: the application, main thread only."""

    def choose(self, address: Address | None) -> None:
        """Choose what is compared with the next one; None chooses nothing."""
        self._state.comparison = replace(self._state.comparison, first=address)
        if address is not None:
            self._state.announce(_("{name} is compared with what is chosen next", name=address.name))

    def compare(self, first: ComparedSide, second: ComparedSide) -> None:
        """Compare two payloads, and show the differences."""
        sides = first, second
        self._state.comparison = ComparisonState(self._state.comparison.first, sides)
        library = self._opener.library.snapshot()
        chosen = self._opener.choices(second.address).options

        def done(found: OpenedComparison) -> None:
            if self._state.comparison.sides == sides:
                self._state.comparison = replace(self._state.comparison, shown=found)

        def failed(error: BaseException) -> None:
            self.close()
            self._state.report(error)

        def work(_ignored: object) -> OpenedComparison:
            return OpenedComparison.read(library, sides, chosen.reading, chosen.game or chosen.set_game)

        self._jobs.start(COMPARING, _("Comparing {name}…", name=second.name), work, done, failed)

    def renew(self, path: Path) -> None:
        """Compare again if a file has other bytes."""
        sides = self._state.comparison.sides
        if sides is not None and any(real_path(it.address.path) == path for it in sides):
            self.compare(*sides)

    def close(self) -> None:
        """Close the comparison."""
        self._jobs.drop(COMPARING)
        self._state.comparison = ComparisonState(self._state.comparison.first)


class PayloadLookup:
    """Remembers payloads until they are edited or read again; owner: the application, main thread only."""

    def __init__(self, state: State, library: FileStore) -> None:
        self._state = state
        self._library = library
        self._made_of: tuple[object, object] = (None, None)
        self._known: dict[Address, PayloadBytes | None] = {}

    def find(self, address: Address) -> PayloadBytes | None:
        """Return the bytes at an address of what the active tab shows; None if there are none."""
        shown = self._state.document or self._state.resource
        # Edits are replaced when they change, and so is what was read again.
        if self._made_of[0] is not shown or self._made_of[1] is not self._state.edits:
            self._made_of, self._known = (shown, self._state.edits), {}
        if address not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[address] = None
            with suppress(MshviewError):
                self._known[address] = read_bytes(self._library, address)
        return self._known[address]
