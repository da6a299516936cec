"""Opening: jobs that read, and the view of the new document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from msgspec.structs import replace

from viewer.control.jobs import Jobs, problem_of
from viewer.control.navigation import reveal, reveal_opened
from viewer.control.opening import loading
from viewer.control.opening.loading import NO_LINKS, NO_START_OPTIONS, Opened, OpenOptions, StartOptions
from viewer.control.opening.scene_question import ask_about
from viewer.control.opening.tab_filling import Keep, filled, looked_at
from viewer.control.state import State
from viewer.errors import AddressError, MshviewError, error_text
from viewer.model.convert.scene_file import is_scene
from viewer.model.game import game_folder
from viewer.model.game.game_folder import Inventory
from viewer.model.material import selectors
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.operations.units.tried_parts import TriedParts
from viewer.options import Declared
from viewer.session.opened.browser import neighbour
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.tabs import NO_TRAIL, CameraFit, Tab, TabKey
from viewer.session.view.kept_view import kept
from viewer.session.view.state_link import StateLink
from viewer.session.view.view_state import ViewState, with_look
from viewer.translation import _, translated

LANE: Final = "open"
RELOAD: Final = "reload:{}"


class OpenController:
    """Opens files in tabs; owner: the application, main thread only.

    Parameters
    ----------
    state
        The state that the answers change.
    jobs
        Where files are read.
    upload
        Uploads a document, or nothing, to the graphics card; raises `MshviewError` on failure.
    prepare
        Does the part of the upload that needs no graphics card; called in worker threads.

    Attributes
    ----------
    given
        The options from the command line.
    library
        Keeps the files that were read.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        upload: Callable[[Document | None], None],
        given: StartOptions = NO_START_OPTIONS,
        prepare: Callable[[Document], None] = lambda _ignored: None,
    ) -> None:
        self._state, self._jobs = state, jobs
        self._upload, self._prepare = upload, prepare
        self.given, self.library, self._linked = given, FileStore(), NO_LINKS

    def open_first(self) -> None:
        """Open the address from the command line, else the bundled sample."""
        if self.given.link is not None:
            self.open_link(self.given.link)
        elif self.given.address is None:
            self.open_sample()
        else:
            self.open(self.given.address)

    def open_link(self, link: StateLink) -> None:
        """Look at what a state link names as it says; its file is opened first if it is not open."""
        document = self._state.document
        if document is not None and link.is_of(document):
            self._state.view = looked_at(self._state, self.library, link, document)
            return
        if "reading" in link.given:
            self._state.settings = self._state.settings.with_reading(link.address, link.reading)
        self._linked = {**self._linked, link.address: link.given}

        def done(opened: Opened) -> None:
            if self.show_opened(opened, Keep.LOOK, None) and opened.document is not None:
                view = looked_at(self._state, self.library, link, opened.document)
                framing = CameraFit.KEPT if link.has_camera else CameraFit.NEW
                self._state.show(self._state.tabs.changed(view=view, framing=framing))

        self.read(LANE, link.address, done, is_exact=True)

    def go_to(self, place: Place, *, in_new_tab: bool = False) -> None:
        """Show a place; its file is opened first if it is not open.

        What is not a model opens in a new tab next to the model that refers to it.
        """
        if not reveal(self._state, place):
            self.open(place.address, place=place, in_new_tab=in_new_tab)

    def open(
        self,
        address: Address,
        keep: Keep = Keep.LOOK,
        *,
        is_remembered: bool = True,
        place: Place | None = None,
        in_new_tab: bool = False,
        is_next: bool = False,
        drawn: Callable[[ViewState], ViewState] = loading.as_it_is,
    ) -> None:
        """Open an address, `drawn` as given, and add it to the recent files.

        A folder opens in a new tab, all else unless the active one was only looked at, or it is the next one
        of what that shows; what is open comes to the front. With a `place`, open the entry itself there.
        """
        tabs = self._state.tabs
        tab = tabs.at(address)
        self._linked = {it: said for it, said in self._linked.items() if tabs.at(it)}
        if tab is not None and tab is not tabs.active:
            self._activate(tab, place)
            return
        if not address.entries and is_scene(address.path) and self.library.revision(address.path) is not None:
            ask_about(self._state, self.library, address.path)
            return

        in_new_tab |= not address.entries and self.library.is_folder(address.path)

        def is_used_again(tab: Tab) -> bool:
            return not in_new_tab and (is_next or not (tab.address and self._is_kept(tab)))

        def done(opened: Opened) -> None:
            if is_remembered:
                self._state.settings = self._state.settings.opened(opened.address)
            target = self._state.tabs.find(tabs.active.identity)
            target = target if target is not None and is_used_again(target) else None
            if target is not None:
                # The tab was empty when this was requested, but something that was read sooner is in it now.
                is_taken = bool(target.address) and not tabs.active.address
                # A link from a model to something that is not a model keeps the model in front of it.
                leaves_model = place is not None and target.document is not None and opened.document is None
                target = None if is_taken or leaves_model else target
            if self.show_opened(opened, keep, target, is_kept=in_new_tab):
                self._state.view = drawn(self._state.view)
                if place is not None:
                    reveal_opened(self._state, replace(place, address=opened.address))

        # What opens in the active tab replaces what is still being read for it.
        lane = LANE if is_used_again(tabs.active) else f"{LANE} {address}"
        self.read(lane, address, done, is_exact=place is not None)

    def retrace(self, step: int) -> None:
        """Show in the active tab what it showed before (step -1) or after (1), as it was looked at then.

        What is open in another tab meanwhile comes to the front there.
        """
        tab = self._state.tabs.active
        visit = tab.trail.next(step)
        if visit is None:
            return
        trail = tab.trail.stepped(step, tab.visit)

        def done(opened: Opened) -> None:
            now = self._state.tabs.find(tab.identity)
            if now is None or not self.show_opened(opened, Keep.EVERYTHING, now):
                return
            state = self._state
            view = with_look(visit.view, state.view)
            if state.document is not None:
                view = kept(view, None, state.document)  # the file may have fewer nodes or clips than then
            state.show(state.tabs.changed(view=view, trail=trail, framing=CameraFit.KEPT))

        there = None if visit.address is None else self._state.tabs.at(visit.address)
        if there is not None:
            there = there.leading_to(tab.visit) if step < 0 else there
            self._state.tabs = self._state.tabs.with_tab(there)
            self._activate(there)
        elif visit.address is not None:
            self.read(LANE, visit.address, done, is_exact=True, tried=visit.tried)

    def read(
        self,
        lane: str,
        address: Address,
        done: Callable[[Opened], None],
        *,
        is_exact: bool = False,
        is_quiet: bool = False,
        failed: Callable[[BaseException], None] | None = None,
        tried: TriedParts | None = None,
    ) -> None:
        """Read an address in a worker thread with the user's choices for it; quietly if it is not shown.

        What the user opens is read again if something was edited meanwhile, a unit that is open with the
        parts that are tried on it, or with `tried`.
        """
        started, stamp = perf_counter(), self.library.unsaved.stamp
        state, readings = self._state, self._state.settings.readings
        lookup = self.choices(address)
        documents, parts = state.tabs.documents, state.tabs.tried(address) if tried is None else tried

        def read(_ignored: object) -> Opened:
            opened = loading.read(
                self.library, address, readings, lookup, documents, parts, is_exact=is_exact
            )
            if opened.document is not None:
                self._prepare(opened.document)
            return opened

        def arrived(opened: Opened) -> None:
            has_other_parts = tried is None and self._state.tabs.tried(address) is not parts
            if has_other_parts or (stamp is not self.library.unsaved.stamp and not is_quiet):
                self.read(
                    lane, address, done, is_exact=is_exact, is_quiet=is_quiet, failed=failed, tried=tried
                )
                return
            if parts and not (opened.resource and opened.resource.tried):
                words = _("{name} has other components now: the parts tried on it are taken off")
                state.announce(words.format(name=address.name), is_warning=True)
            if is_quiet:
                done(opened)
                return
            # The wear table of the command line is the choice for the model shown first, and for no other.
            source = opened.document.materials.wear_source if opened.document else None
            if lookup.options.wear is not None and opened.document is not None and source is not None:
                self._state.settings = self._state.settings.with_wear(opened.document.address, source)
                self.given = self.given.without("wear")
            self.look_at_game()
            done(opened)
            words, milliseconds = _("opened {address} in {time:.0f} ms"), (perf_counter() - started) * 1e3
            state.note(words.format(address=opened.address, time=milliseconds))

        title = "" if is_quiet else _("Opening {name}…", name=address.name)
        self._jobs.start(lane, title, read, arrived, failed or self._state.report)

    def choices(self, address: Address) -> OpenOptions:
        """The options of opening that the user has chosen for an address."""
        return self.chooser(address)

    @property
    def chooser(self) -> Callable[[Address], OpenOptions]:
        """The options of now for any address, also in worker threads."""
        return partial(OpenOptions.of, self._state.settings, self.given, linked=self._linked)

    def choose(self, option: Declared, value: Any) -> None:
        """Choose a value of an option of reading for all files, whatever links said of them."""
        self._linked, self._state.settings = NO_LINKS, option.picked(self._state.settings, value)
        self.reload_tabs(*self._state.tabs.opened)

    def open_sample(self) -> None:
        """Show the bundled sample."""
        try:
            self.open(loading.sample_address(), is_remembered=False)
        except FileNotFoundError as error:
            self._state.complain(error_text(error))

    def open_neighbour(self, step: int) -> None:
        """Show the next entry of the same kind, some steps from the active one, seen from the same side."""
        entry = neighbour(self._state.browser, self._state.arrangement, step)
        if entry is not None:
            self.open(entry.address, Keep.DIRECTION, is_next=True)

    def reload(self) -> None:
        """Read what the active tab shows again from disk."""
        self.reload_tabs(self._state.tabs.active)

    def reload_tabs(self, *tabs: Tab, is_quiet: bool = False) -> None:
        """Read what some tabs show again; a tab that shows something else meanwhile stays as it is."""
        for tab in tabs:
            if tab.address:
                done, lane = partial(self._renew, tab.key), RELOAD.format(tab.identity)
                failed = partial(self._keep_open, tab.key, is_quiet=is_quiet)
                self.read(lane, tab.address, done, is_exact=True, is_quiet=is_quiet, failed=failed)

    def _keep_open(self, key: TabKey, error: BaseException, *, is_quiet: bool) -> None:
        """Say in a tab, for as long as it stays so, that what it shows is not on the disk any more."""
        tab = self._state.tabs.find(key[0])
        if tab is None or tab.key != key or not isinstance(error, MshviewError):
            self._state.report(error)
            return
        if not is_quiet:
            self._state.report(error)
        self._state.show(self._state.tabs.with_tab(replace(tab, problem=problem_of(error))))

    def drop_reloads(self, tabs: Iterable[int]) -> None:
        """Show nothing of what is being read again for some tabs, by their identities: it is out of date."""
        for identity in tabs:
            self._jobs.drop(RELOAD.format(identity))

    def show_revision(self, tab: Tab, shown: Document | OpenedResource) -> bool:
        """Show a later revision of what is in a tab; tell whether it fits on the graphics card."""
        if isinstance(shown, Document) and tab is self._state.tabs.active and not self._uploads(shown):
            return False
        self._state.show(
            self._state.tabs.with_tab(filled(self._state, self.given, tab, shown, Keep.EVERYTHING))
        )
        return True

    def _renew(self, key: TabKey, opened: Opened) -> None:
        """Show a later state of what a tab shows, in front or behind."""
        identity, address = key
        tabs, shown = self._state.tabs, opened.document or opened.resource
        tab = tabs.find(identity)
        if tab is None or tab.address != address:
            return
        if shown is None:
            self._keep_open(key, AddressError(_("is empty"), source=address or ""), is_quiet=True)
        elif tab is tabs.active:
            self.show_opened(opened, Keep.EVERYTHING, tab)
        else:
            self._state.show(tabs.with_tab(filled(self._state, self.given, tab, shown, Keep.EVERYTHING)))

    def activate(self, identity: int) -> None:
        """Bring a tab to the front; one that does not fit on the graphics card stays behind."""
        tab = self._state.tabs.find(identity)
        if tab is not None:
            self._activate(tab)

    def step_tab(self, step: int) -> None:
        """Bring the tab some steps after the active one to the front."""
        self._activate(self._state.tabs.stepped(step))

    def order_tabs(self, identities: tuple[int, ...]) -> None:
        """Put the tabs in another order."""
        self._state.show(self._state.tabs.ordered(identities))

    def keep_tab(self, identity: int) -> None:
        """Let nothing that is opened take the place of a tab."""
        tab = self._state.tabs.find(identity)
        if tab is not None:
            self._state.show(self._state.tabs.keeping(tab.address))

    def _is_kept(self, tab: Tab) -> bool:
        return tab.is_kept or not self._state.settings.reuses_tabs

    def _activate(self, tab: Tab, place: Place | None = None) -> None:
        if self._uploads(tab.document):
            self._state.show(self._state.tabs.activated(tab.identity))
            if place is not None:
                reveal_opened(self._state, place)

    def close(self, identity: int | None = None) -> None:
        """Close a tab, by default the active one."""
        tabs = self._state.tabs
        after = tabs.closed(tabs.active.identity if identity is None else identity)
        # The tab that comes to the front has to fit on the graphics card before anything changes.
        if after.active is tabs.active or self._uploads(after.active.document):
            self._state.show(after)

    def _uploads(self, document: Document | None) -> bool:
        """Upload a document that is about to be shown; tell whether it can be, and show why not."""
        try:
            self._upload(document)
        except MshviewError as error:
            self._state.report(error)
            return False
        return True

    def use_reading(self, requested: str, address: Address | None = None) -> None:
        """Use a reading for a model, or for all in a file, from now on; by default for the open file."""
        shown, before, tabs = self._state.tabs.active.address, self._state.settings, self._state.tabs.opened
        target = address or (shown and Address(shown.path))
        if target is None:
            return
        self._state.settings = now = before.with_reading(target, requested)
        choices = ((it, it.address) for it in tabs if it.address)
        self.reload_tabs(*(tab for tab, at in choices if now.reading_of(at) != before.reading_of(at)))

    def use_wear(self, address: Address) -> None:
        """Set the wear table of the document; raises `MshviewError` if it cannot be read."""
        document = self._state.document
        if document is not None:
            table = selectors.at(self.library, address)
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
        """Change the game folder for files outside a game folder, and reload what is open of them."""
        self._state.settings = replace(self._state.settings, game=folder)
        self.look_at_game()
        document = self._state.document
        if document is not None and document.game.is_own:
            words, name = _("{name} keeps its own game folder: {game}"), document.source.address.name
            self._state.announce(words.format(name=name, game=translated(document.game.text)))
        self.reload_all()

    def reload_all(self) -> None:
        """Read what the tabs show again, except models in a game folder of their own."""
        opened = self._state.tabs.opened
        self.reload_tabs(*(it for it in opened if it.document is None or not it.document.game.is_own))

    def look_at_game(self) -> None:
        """Take stock of the game folder from the settings; report once if it is missing."""
        state, folder, library = self._state, self._state.settings.game, self.library

        def done(found: Inventory | None) -> None:
            if found is not None and found.problem and found != state.game:
                words = _("the game folder {problem}", problem=translated(found.problem))
                state.announce(words, is_warning=True)
            state.game = found

        self._jobs.start(
            "game",
            "",
            lambda _ignored: game_folder.take_inventory(library, Path(folder)) if folder else None,
            done,
            self._state.report,
        )

    def show_opened(self, opened: Opened, keep: Keep, target: Tab | None, *, is_kept: bool = False) -> bool:
        """Show what was read in front, in a tab or a new one; on failure everything stays as it is."""
        state, shown = self._state, opened.document or opened.resource
        if shown is not None:
            if not self._uploads(opened.document):
                return False
            tabs = state.tabs
            there = tabs.at(shown.address)
            keep = Keep.EVERYTHING if there is not None and there is not tabs.active else keep
            new = Tab(trail=NO_TRAIL.left(tabs.active.visit)) if tabs.active.address else tabs.active
            tab = there or target or new  # uses up an empty tab
            tab = replace(tab, is_kept=tab.is_kept or is_kept)
            state.show(tabs.with_tab(filled(state, self.given, tab, shown, keep)).activated(tab.identity))
        elif not any(opened.children.values()):
            state.complain(_("{address} is empty", address=opened.address))
        state.browser = state.browser.opened(opened.root, opened.children, state.browser.current)
        return True
