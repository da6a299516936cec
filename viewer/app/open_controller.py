"""Opening: jobs that read, and the view of the new document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from time import perf_counter
from typing import Final

from viewer.app import loading, revealing
from viewer.app.jobs import Jobs
from viewer.app.loading import NO_START_OPTIONS, Opened, OpenOptions, StartOptions
from viewer.app.state import State
from viewer.errors import AddressError, MshviewError, error_text
from viewer.model.game import game_folder
from viewer.model.game.game_folder import Inventory
from viewer.model.material import wear_table
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.progress import Cancelled
from viewer.session.opened import listing
from viewer.session.opened.browser_tree import BrowserEntry
from viewer.session.opened.document import Document
from viewer.session.view.kept_view import kept
from viewer.translation import _, translated

LANE: Final = "open"


class Keep(Enum):
    """What is kept of the view when a document is shown."""

    LOOK = "look"
    """Shading, overlays and cell."""
    CAMERA = "camera"
    """The look, the camera and whether it plays."""
    EVERYTHING = "everything"
    """All of it: the same model is read again."""


class OpenController:
    """Handles the requests that read files; owner: the application, main thread only.

    Parameters
    ----------
    state
        The state that the answers change.
    jobs
        Where files are read.
    upload
        Uploads a document to the graphics card; raises `MshviewError` on failure.
    given
        The options from the command line.

    Attributes
    ----------
    library
        Keeps the files that were read.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        upload: Callable[[Document], None],
        given: StartOptions = NO_START_OPTIONS,
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._upload = upload
        self._given = given
        self.library = FileStore()

    def open_first(self) -> None:
        """Open the address from the command line, else the bundled sample."""
        if self._given.address is None:
            self.open_sample()
        else:
            self.open(self._given.address)

    def go_to(self, place: Place) -> None:
        """Show a place; its file is opened first if it is not open."""
        if not revealing.reveal(self._state, place):
            self.open(place.address, place=place)

    def open(
        self,
        address: str,
        keep: Keep = Keep.LOOK,
        *,
        is_remembered: bool = True,
        place: Place | None = None,
    ) -> None:
        """Open an address, and add it to the recent files.

        With a `place`, open exactly the entry at the address, then show the place.
        """
        started = perf_counter()
        settings, is_exact = self._state.settings, place is not None
        lookup = OpenOptions.of(settings, self._given, address)
        before = self._state.document

        def done(opened: Opened) -> None:
            self._remember_wear(lookup, opened)
            self.look_at_game()
            if is_remembered:
                self._state.settings = self._state.settings.opened(str(opened.address))
            if self._show(opened, keep):
                milliseconds = (perf_counter() - started) * 1e3
                words = _("opened {address} in {time:.0f} ms")
                self._state.note(words.format(address=opened.address, time=milliseconds))
                if place is not None:
                    revealing.reveal_opened(self._state, replace(place, address=str(opened.address)))

        self._jobs.start(
            LANE,
            _("Opening {name}…").format(name=Address.parse(address).name),
            lambda _: loading.read(
                self.library, address, settings.readings, lookup, before, is_exact=is_exact
            ),
            done,
            self.fail,
        )

    def _remember_wear(self, lookup: OpenOptions, opened: Opened) -> None:
        """Store the wear table of the command line as the choice for the model shown first."""
        source = opened.document.materials.wear_source if opened.document else None
        if lookup.wear is not None and opened.document is not None and source is not None:
            self._state.settings = self._state.settings.with_wear(opened.document.address, source)
            self._given = replace(self._given, wear=None)

    def choices(self, address: str) -> tuple[ReadingChoice, OpenOptions]:
        """The reading and the lookup chosen for the model at an address."""
        settings = self._state.settings
        requested = loading.requested_reading(settings.readings, Address.parse(address).path)
        return requested, OpenOptions.of(settings, self._given, address)

    def open_sample(self) -> None:
        """Show the bundled sample."""
        try:
            self.open(loading.sample_address(), is_remembered=False)
        except FileNotFoundError as error:
            self._state.complain(str(error))

    def open_neighbour(self, step: int) -> None:
        """Show another model of the same archive, with the camera kept."""
        entry = self._state.browser.neighbour(step)
        if entry is not None:
            self.open(entry.address, Keep.CAMERA)

    def reload(self) -> None:
        """Read the document again from disk."""
        if self._state.document is not None:
            self.open(self._state.document.address, Keep.EVERYTHING, is_remembered=False)

    def use_reading(self, requested: str) -> None:
        """Use a reading for the document's archive from now on."""
        if self._state.document is not None:
            archive = str(Address.parse(self._state.document.address).path)
            self._state.settings = self._state.settings.with_reading(archive, requested)
            self.reload()

    def use_wear(self, address: str) -> None:
        """Set the wear table of the document; raises `MshviewError` if it cannot be read."""
        document = self._state.document
        if document is not None:
            table = wear_table.at(self.library, Address.parse(address))
            if table.table is None:
                raise AddressError(table.problem)
            self._state.settings = self._state.settings.with_wear(document.address, table.source)
            self.reload()

    def use_game(self, folder: str) -> None:
        """Use a game folder for files outside any game folder from now on."""
        found = game_folder.around(self.library, Path(folder))
        if found is None:
            raise AddressError(_("no game library in this folder or its parent folders"), source=folder)
        self._set_game(str(found.absolute()))

    def forget_game(self) -> None:
        """Clear the game folder from the settings."""
        self._set_game("")

    def _set_game(self, folder: str) -> None:
        """Change the game folder for files outside a game folder, and reload such a document."""
        self._state.settings = replace(self._state.settings, game=folder)
        self.look_at_game()
        document = self._state.document
        if document is not None and document.game.is_own:
            name = Address.parse(document.address).name
            words = _("{name} keeps its own game folder: {game}")
            self._state.announce(words.format(name=name, game=translated(document.game.text)))
        else:
            self.reload()

    def look_at_game(self) -> None:
        """Take stock of the game folder from the settings; report once if it is missing."""
        state, folder, library = self._state, self._state.settings.game, self.library

        def done(found: Inventory | None) -> None:
            if found is not None and found.problem and found != state.game:
                words = _("the game folder {problem}").format(problem=translated(found.problem))
                state.announce(words, is_warning=True)
            state.game = found

        self._jobs.start(
            "game",
            "",
            lambda _: game_folder.take_inventory(library, Path(folder)) if folder else None,
            done,
            self.fail,
        )

    def list_entries(self, address: str) -> None:
        """List the entries below a row of the browser."""

        def done(entries: tuple[BrowserEntry, ...]) -> None:
            self._state.browser = self._state.browser.listed(address, entries)

        self._jobs.start(
            f"list {address}",
            _("Listing {address}…").format(address=address),
            lambda _: listing.entries_below(self.library, Address.parse(address)),
            done,
            self.fail,
        )

    def _show(self, opened: Opened, keep: Keep) -> bool:
        """Replace the document; on failure the old one stays."""
        state, document = self._state, opened.document
        if document is not None:
            try:
                if document is not state.document:
                    self._upload(document)
            except MshviewError as error:
                self.fail(error)
                return False
            self._replace(document, keep)
        elif opened.resource is not None:
            state.resource = opened.resource
        elif not any(opened.children.values()):
            state.complain(_("{address} is empty").format(address=opened.address))
        shown = document.address if document else state.browser.current
        state.browser = state.browser.opened(opened.root, opened.children, shown)
        return True

    def _replace(self, document: Document, keep: Keep) -> None:
        state = self._state
        old = state.document
        if keep is Keep.EVERYTHING and old is not None and old.identity == document.identity:
            state.view = kept(state.view, old, document)
        else:
            state.view = document.first_view(state.view)
        if keep is Keep.LOOK:
            state.is_unframed = True
            state.view = replace(state.view, is_playing=document.last_frame > 0)
        state.document = document
        state.pose = None

    def fail(self, error: BaseException) -> None:
        """Show an error; the open document stays."""
        if isinstance(error, Cancelled):
            self._state.announce(_("Cancelled: {work}").format(work=error))
            return
        is_expected = isinstance(error, MshviewError)
        words = _("internal error: {kind}: {error}").format(kind=type(error).__name__, error=error)
        self._state.complain(error_text(error) if is_expected else words)
