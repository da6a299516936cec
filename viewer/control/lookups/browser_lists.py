"""The lists of the browser: read, filtered and sorted in worker threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

from msgspec.structs import replace

from viewer.control.job_controller import JobController
from viewer.control.jobs import Jobs
from viewer.control.state import State
from viewer.model.game import installs
from viewer.model.game.installs import Install
from viewer.model.query.names import NameFilter
from viewer.model.store.address import Address
from viewer.model.store.disk import real_path
from viewer.model.store.file_store import FileStore
from viewer.progress import Cancelled
from viewer.session.opened import listing
from viewer.session.opened.browser import BrowserArrangement, Contents, arrange
from viewer.session.opened.entry_list import BrowserEntry, EntryList, EntryOrder
from viewer.session.opened.listing import count_below
from viewer.translation import _

ARRANGING: Final = "arrange"
READING: Final = "filter"
"""Lanes of the jobs."""
BATCH_SECONDS: Final = 0.2
"""Time after which a filter shows what it has found in the archives read so far."""

FoundLists = tuple[dict[Address, EntryList], frozenset[Address]]


class BrowserLists:
    """Lists, filters and sorts what the browser shows; owner: the application, main thread only.

    Parameters
    ----------
    state
        The state that the answers change.
    jobs
        Where lists are read and arranged.
    library
        Where files are read.
    fail
        Shows an error.
    """

    def __init__(self, state: State, jobs: Jobs, library: FileStore) -> None:
        self._state = state
        self._jobs = jobs
        self._library = library
        self._requested = NameFilter()
        self._is_arranging = False
        self._counted: dict[Address, Sequence[BrowserEntry]] = {}

    def close(self, root: Address) -> None:
        """Remove an opened folder or file from the browser."""
        self._state.browser = self._state.browser.without(root)

    def list_entries(self, address: Address) -> None:
        """List the entries below a row of the browser."""
        self._list(address)

    def _list(self, address: Address, *, is_quiet: bool = False) -> None:
        def done(entries: Sequence[BrowserEntry]) -> None:
            self._state.browser = self._state.browser.listed(address, entries)

        def work(_ignored: object) -> Sequence[BrowserEntry]:
            return listing.entries_below(self._library, address)

        def failed(_ignored: BaseException) -> None:
            done(())

        title = "" if is_quiet else _("Listing {address}…", address=address)
        self._jobs.start(f"list {address}", title, work, done, failed if is_quiet else None)

    def renew(self, path: Path) -> None:
        """List again what was listed of a file that another program has changed; nothing if it is gone."""
        for address in [it for it in self._state.browser.children if it.entries or not it.path.is_dir()]:
            if real_path(address.path) == path:
                self._list(address, is_quiet=True)

    def filter(self, text: str) -> None:
        """Show the entries that pass a filter, also those in folded archives; all for an empty text."""
        self._requested = NameFilter(text)
        self._jobs.cancel(READING)  # it reads archives for the filter before
        self._arrange()

    def sort(self, order: EntryOrder) -> None:
        """Show the entries in an order from now on."""
        self._state.settings = replace(self._state.settings, entry_order=order.value)
        self._arrange()

    def update(self) -> None:
        """Arrange the lists again if others were read, and count what was opened; once a frame."""
        tree = self._state.browser
        roots = (root.address for root in tree.roots if root.address in tree.children)
        listed = {root: tree.children[root] for root in roots}
        for root, rows in listed.items():
            if self._counted.get(root) is not rows:  # it is listed for the first time, or anew
                self._count(root)
        self._counted = listed
        arrangement = self._state.arrangement
        order = EntryOrder(self._state.settings.entry_order)
        is_other = arrangement.tree is not self._state.browser or arrangement.order is not order
        if is_other and not self._is_arranging:
            self._arrange()

    def _count(self, root: Address) -> None:
        def done(contents: Mapping[Address, Contents]) -> None:
            if any(shown.address == root for shown in self._state.browser.roots):
                self._state.browser = self._state.browser.counted(contents)

        def work(_ignored: object) -> Mapping[Address, Contents]:
            return count_below(self._library, root)

        title = _("Counting the contents of {name}…", name=root.name or root)
        self._jobs.start(f"count {root}", title, work, done, self._report, is_background=True)

    def _arrange(self) -> None:
        state, requested = self._state, self._requested
        order, tree, before = EntryOrder(state.settings.entry_order), state.browser, state.arrangement
        if requested.is_empty and order is EntryOrder.FILE:
            self._jobs.drop(ARRANGING)
            self._is_arranging = False
            state.arrangement = BrowserArrangement(tree=tree)
            return

        def work(_ignored: object) -> BrowserArrangement:
            return arrange(tree, requested, order, before)

        self._is_arranging = True
        self._jobs.start(ARRANGING, "", work, self._take, self._end, is_background=True)

    def _take(self, arrangement: BrowserArrangement) -> None:
        self._is_arranging = False
        self._state.arrangement = arrangement
        if arrangement.unread:
            self._read(arrangement)

    def _end(self, error: BaseException) -> None:
        self._is_arranging = False
        self._report(error)

    def _report(self, error: BaseException) -> None:
        if not isinstance(error, Cancelled):
            self._jobs.report(error)

    def _read(self, arrangement: BrowserArrangement) -> None:
        """Read the next archives and folders that a filter has not looked into."""

        def done(found: FoundLists) -> None:
            listings, unreadable = found
            # A root that was closed meanwhile must not come back by its lists.
            if self._state.browser.roots == arrangement.tree.roots:
                self._state.browser = self._state.browser.with_listings(listings, unreadable)
            for address in sorted(unreadable, key=str):
                self._state.note(_("{address} cannot be searched", address=address))

        def work(_ignored: object) -> FoundLists:
            return self._batch(arrangement.unread)

        self._jobs.start(READING, "", work, done, self._report, is_background=True)

    def _batch(self, addresses: Sequence[Address]) -> FoundLists:
        """The lists below some addresses, as many as can be read in a moment."""
        end, listings, unreadable = perf_counter() + BATCH_SECONDS, {}, frozenset[Address]()
        for address in addresses:
            found, failed = listing.everything_below(self._library, address)
            listings.update(found)
            unreadable |= failed
            if perf_counter() > end:
                break
        return listings, unreadable


class InstallOffers(JobController):
    """Finds installs, and uses or declines them; owner: the application, main thread only.

    Parameters
    ----------
    state
        The state that the answers change.
    jobs
        Where the folders are listed.
    opener
        Opens what is chosen.
    """

    def search(self) -> None:
        """Find the installs of the game on this computer, in a worker thread."""

        def done(found: tuple[Install, ...]) -> None:
            self._state.installs = found

        self._jobs.start("installs", "", lambda _ignored: installs.find_installs(), done, is_background=True)

    def use(self, folder: str) -> None:
        """Use a folder as the game folder, and open it."""
        self._opener.use_game(folder)
        self._opener.open(Address(Path(folder)))

    def decline(self) -> None:
        """Decline the installs that were found."""
        found = (install.folder for install in self._state.installs)
        declined = dict.fromkeys((*self._state.settings.declined_installs, *found))
        self._state.set(declined_installs=tuple(declined))
