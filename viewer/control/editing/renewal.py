"""Renewal after an edit: open tabs, marks of changed values, names that fields may choose."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Final

from msgspec.structs import replace

from viewer.control.opening import loading
from viewer.control.opening.loading import OpenOptions
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State
from viewer.errors import MshviewError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import ENTRY, LIGHTMAP, MATERIAL, TEXTURE, Bytes
from viewer.formats.splice import Splices
from viewer.model.game.registry import LIGHTMAPS, MATERIALS, TEXTURES
from viewer.model.game.sockets import FittingPart, fitting
from viewer.model.kinds.registry import EFFECT
from viewer.model.material.lookup import MAT0, TEXM, GameLibrary
from viewer.model.store.address import Address
from viewer.model.store.disk import real_path
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.following import entries_after
from viewer.session.edits.edited_file import NO_RANGES, ChangedRanges
from viewer.session.opened.document import Document
from viewer.session.opened.edited_document import edited
from viewer.session.opened.opened_resource import OpenedResource, edited_effect
from viewer.session.opened.tabs import Tab, Tabs

REST: Final = 0.2
"""Seconds without another edit until the rest is renewed: checks, and what is open behind."""
MOST_TRIANGLES: Final = 500_000
"""Triangles above which a model is renewed in a worker thread."""


class Renewal:
    """Renews what is open after its bytes have changed; owner: the application, main thread only.

    Parameters
    ----------
    follow
        Shows the new bytes of a file where it is not open in a tab.
    """

    def __init__(self, state: State, opener: OpenController, follow: Callable[[Path], None]) -> None:
        self._state = state
        self._opener = opener
        self._due = 0.0
        self._changed: dict[Path, set[Address]] = {}
        self._pending: set[int] = set()
        self._paths: set[Path] = set()
        self._follow = follow

    @property
    def is_waiting(self) -> bool:
        """Whether something is to be renewed in a moment."""
        return bool(self._pending or self._paths)

    def note(self, path: Path, changed: Collection[Address]) -> None:
        """Remember that a file has new bytes in some payloads; in any of them if none is given."""
        self._changed.setdefault(path, set()).update(changed)
        self._state.note_change(path)

    def renew(self) -> None:
        """Show the new bytes of all files: once a frame, after everything that was requested in it."""
        if not self._changed:
            return
        changed, self._changed = self._changed, {}
        self._paths.update(changed)
        tabs = self._state.tabs
        self._pending.update(
            it.identity for it in tabs.opened if any(may_depend(it, path) for path in changed)
        )
        self._opener.drop_reloads(self._pending)
        self._due = perf_counter() + REST  # every edit puts it off, so that dragging reads nothing
        active, addresses = tabs.active, set[Address]().union(*changed.values())
        is_known = all(changed.values())  # what another program has written is read as a whole
        if active.identity in self._pending and not (is_known and self._is_renewed_now(active, addresses)):
            self._pending.discard(active.identity)
            self._opener.reload_tabs(active, is_quiet=True)

    def update(self, now: float) -> None:
        """Renew the rest once there was no edit for a moment."""
        if self.is_waiting and now >= self._due:
            paths, self._paths = self._paths, set()
            for path in paths:
                self._follow(path)
            tabs = [tab for tab in self._state.tabs.opened if tab.identity in self._pending]
            self._pending.clear()
            self._opener.reload_tabs(*tabs, is_quiet=True)

    def _is_renewed_now(self, tab: Tab, changed: Collection[Address]) -> bool:
        """Show the next revision if only the bytes of a model or an effect have changed; tell whether."""
        where = tab.address if tab.document is None else tab.document.source.address
        if where is None or any(address != where.real for address in changed):
            return False
        try:
            after = self._revision(tab)
        except MshviewError:  # the worker reads it again, and reports the error
            return False
        return after is not None and self._opener.show_revision(tab, after)

    def _revision(self, tab: Tab) -> Document | OpenedResource | None:
        """The new content of a tab after a change of its bytes; None if that takes more than a frame."""
        document, resource = tab.document, tab.resource
        if document is not None and len(document.draws.corners) <= MOST_TRIANGLES:
            return edited(document, self._opener.library)
        is_effect = resource is not None and resource.kind == EFFECT.id
        return edited_effect(resource, self._opener.library) if resource is not None and is_effect else None


def may_depend(tab: Tab, path: Path) -> bool:
    """Whether a tab shows something of a file, or looks names up in files around it."""
    game = None if tab.document is None else tab.document.game.folder
    is_beside = tab.address is not None and tab.address.real.path.parent == path.parent
    return is_beside or (game is not None and path.is_relative_to(real_path(game)))


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
        address = tab.address
        if address and address.entries and address.real.path == path:
            entries = entries_after(before, after, splices, address.entries)
            if entries not in {None, address.entries}:
                tabs = tabs.with_tab(_renamed(tab, Address(address.path, entries or ())))
    return tabs


def _renamed(tab: Tab, address: Address) -> Tab:
    """The tab with another address for what it shows."""
    if tab.document is not None:
        source = replace(tab.document.source, address=address)
        opened = replace(tab.document.opened, address=address)
        return replace(tab, document=replace(tab.document, opened=opened, source=source))
    if tab.resource is not None:
        return replace(tab, resource=replace(tab.resource, address=address))
    return tab


_LIBRARIES: Final[Mapping[str, tuple[bytes, int]]] = {
    MATERIAL: (MATERIALS, MAT0),
    TEXTURE: (TEXTURES, TEXM),
    LIGHTMAP: (LIGHTMAPS, TEXM),
}
"""The library that has the resources of a kind, and the type of its entries."""


class ChangedBytes:
    """Answers for rows and fields in every frame, so it remembers its answers until the edits change.

    Owner: the editing, main thread only.
    """

    def __init__(self, state: State, library: FileStore) -> None:
        self._state = state
        self._library = library
        self._edits: object = None
        self._known: dict[Address, ChangedRanges] = {}

    def find(self, address: Address) -> ChangedRanges:
        """Return the ranges of the payload at an address, none if they cannot be told."""
        edits = self._state.edits
        if edits is not self._edits:  # edits are replaced when they change
            self._edits, self._known = edits, {}
        if not edits.changed:
            return NO_RANGES
        if address not in self._known:
            try:
                self._known[address] = self._find(address.real)
            except MshviewError:
                self._known[address] = NO_RANGES
        return self._known[address]

    def _find(self, address: Address) -> ChangedRanges:
        file = self._state.edits.of(address.path)
        base = self._offset(address) if file.is_changed else None
        if base is None:
            return NO_RANGES
        size = len(self._library.open(address).data)
        # The splices back to the saved bytes cover what differs from them, in offsets of the file now.
        back = splice.reverse(splice.combined_all(file.splices_from_saved))
        ranges = ((it.offset - base, it.end - base) for it in back)
        return ChangedRanges((max(start, 0), min(end, size)) for start, end in ranges)

    def _offset(self, address: Address) -> int | None:
        """The offset of a payload in its file; None if it is stored packed."""
        offset = 0
        while address.entries:
            entry = self._library.open(address).entry
            if not isinstance(entry, nres.Entry):
                return None
            offset += entry.offset
            address = address.parent
        return offset


class ResourceNames:
    """Lists names when a drop-down opens; owner: the application, main thread only.

    Parameters
    ----------
    library
        The files, with unsaved bytes.
    options
        The lookup chosen for an address.
    """

    def __init__(self, library: FileStore, options: Callable[[Address], OpenOptions]) -> None:
        self._library = library
        self._options = options

    def find(self, kind: str, address: Address, archive: bytes = b"") -> tuple[str, ...]:
        """Return the names of the resources of a kind that the file at an address may use, in order.

        Entries are those of an archive of the game folder.
        """
        name, type_id = _LIBRARIES.get(kind, (archive if kind == ENTRY else b"", None))
        folder = self._game(address) if name else None
        if folder is None:
            return ()
        found = GameLibrary(CaselessFolder(folder, self._library), name).archive
        entries = found.entries if found is not None else ()
        return tuple(sorted({it.text for it in entries if type_id in (None, it.type_id)}))

    def fitting(self, address: Address, tag: str) -> tuple[FittingPart, ...] | None:
        """Return the parts that fit a socket of a file or an entry; None without a registry."""
        return fitting(self._library, self._game(address), tag)

    def _game(self, address: Address) -> Path | None:
        with suppress(MshviewError):
            return loading.game_of(self._library, address, self._options(address))
        return None
