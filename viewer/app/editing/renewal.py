"""After an edit: what is in front is renewed within the frame, everything else a moment later."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Final

from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.errors import MshviewError
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.model.store.address import Address
from viewer.model.store.following import entries_after
from viewer.session.edits.edited_file import real
from viewer.session.opened.edited_document import edited
from viewer.session.opened.tabs import Tab, Tabs

REST: Final = 0.2
"""Seconds without another edit until the rest is renewed: checks, and what is open behind."""
MOST_TRIANGLES: Final = 500_000
"""Triangles above which a model is renewed in a worker thread."""


class Renewal:
    """Renews what is open after its bytes have changed; owner: the application, main thread only."""

    def __init__(self, state: State, opener: OpenController) -> None:
        self._state = state
        self._opener = opener
        self._due = 0.0
        self._changed: dict[Path, set[Address]] = {}
        self._pending: set[int] = set()

    @property
    def is_waiting(self) -> bool:
        """Whether something is to be renewed in a moment."""
        return bool(self._pending)

    def note(self, path: Path, changed: Collection[Address]) -> None:
        """Remember that a file has new bytes in some payloads."""
        self._changed.setdefault(path, set()).update(changed)

    def renew(self) -> None:
        """Show the new bytes of all files: once a frame, after everything that was requested in it."""
        if not self._changed:
            return
        changed, self._changed = self._changed, {}
        tabs = self._state.tabs
        self._pending.update(
            it.identity for it in tabs.opened if any(_may_depend(it, path) for path in changed)
        )
        self._opener.drop_reloads(self._pending)
        self._due = perf_counter() + REST  # every edit puts it off, so that dragging reads nothing
        active, addresses = tabs.active, set[Address]().union(*changed.values())
        if active.identity in self._pending and not self._is_renewed_now(active, addresses):
            self._pending.discard(active.identity)
            self._opener.reload_tabs(active, is_quiet=True)

    def update(self, now: float) -> None:
        """Renew the rest once there was no edit for a moment."""
        if self._pending and now >= self._due:
            tabs = [tab for tab in self._state.tabs.opened if tab.identity in self._pending]
            self._pending.clear()
            self._opener.reload_tabs(*tabs, is_quiet=True)

    def _is_renewed_now(self, tab: Tab, changed: Collection[Address]) -> bool:
        """Show the next revision of a model whose bytes alone have changed; tell whether it is shown."""
        document = tab.document
        if document is None or len(document.draws.corners) > MOST_TRIANGLES:
            return False
        if any(address != real(document.source.address) for address in changed):
            return False
        try:
            after = edited(document, self._opener.library)
        except MshviewError:  # the worker reads it again, and reports the error
            return False
        return self._opener.show_revision(tab, after)


def _may_depend(tab: Tab, path: Path) -> bool:
    """Whether a tab shows something of a file, or looks names up in files around it."""
    own = real(Address.parse(tab.address)).path
    game = None if tab.document is None else tab.document.game.folder
    return path.parent == own.parent or (game is not None and path.is_relative_to(game.resolve()))


def followed(tabs: Tabs, path: Path, before: Bytes, after: Bytes, splices: Splices) -> Tabs:
    """Return the tabs after an edit of a file; those of a removed entry stay as they are.

    Parameters
    ----------
    path
        The file, absolute, links resolved.
    before, after
        Its bytes.
    splices
        The edit; offsets count in the bytes before.
    """
    for tab in tabs.opened:
        address = Address.parse(tab.address)
        if address.entries and real(address).path == path:
            entries = entries_after(before, after, splices, address.entries)
            if entries not in {None, address.entries}:
                tabs = tabs.with_tab(_renamed(tab, Address(address.path, entries or ())))
    return tabs


def _renamed(tab: Tab, address: Address) -> Tab:
    """The tab with another address for what it shows."""
    if tab.document is not None:
        source = replace(tab.document.source, address=address)
        return replace(tab, document=replace(tab.document, address=str(address), source=source))
    if tab.resource is not None:
        return replace(tab, resource=replace(tab.resource, address=str(address)))
    return tab
