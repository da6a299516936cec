"""What an address leads to, and the model to show for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import numpy as np

from viewer.dataclass import dataclass, replace
from viewer.errors import MshviewError
from viewer.model.kinds.registry import ARCHIVES, MODEL, kind_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.session.opened.entry_list import FOLDER, BrowserEntry, EntryList
from viewer.session.opened.listing import entries_of, file_row, files_of, folder_row

MODELS: Final = frozenset({MODEL.id})
MOST_TRIED: Final = 256
"""Entries of one archive that are tried in the search for its first readable model."""
DEEPEST_FOLDER: Final = 3
"""Depth to which a folder is searched for a model; the maps of a game are that deep."""
_SEARCH_ORDER: Final = {MODEL.id: 1, FOLDER: 2}


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """What an address leads to.

    Attributes
    ----------
    root
        The row that it hangs under: its folder or file.
    item
        The payload, with every entry of its address named as the lists name it; None for a folder.
    """

    root: BrowserEntry
    item: Item | None = None

    @property
    def address(self) -> Address:
        """The address of the folder or the item."""
        return self.root.address if self.item is None else self.item.address

    @property
    def kind(self) -> str:
        """Its kind."""
        return self.root.kind if self.item is None else kind_of(self.item).id

    def choose(self, library: FileStore, *, is_exact: bool) -> tuple[Item | None, Item | None]:
        """The model to show for it, or if there is none the item to show; neither for a folder of its own.

        Parameters
        ----------
        is_exact
            Show the item itself instead of the first thing to be shown in it.
        """
        if is_exact:
            return (self.item, None) if self.kind == MODEL.id else (None, self.item)
        model = self.first_model(library)
        return model, None if model or self.item is None else _first_resource(self.item)

    def first_model(self, library: FileStore) -> Item | None:
        """The model to show: the item itself, or the first readable one below; or None."""
        if self.item is None:
            return next(_models_of_folder(library, self.address), None)
        if self.kind in ARCHIVES:
            return next(_models_of_archive(self.item), None)
        return self.item if self.kind == MODEL.id else None

    def listings(self, library: FileStore, below: Item | None = None) -> dict[Address, EntryList]:
        """The rows of the folders and archives from the root down to it, or to an item below it."""
        item, top = below or self.item, self.root.address.path
        if not self.root.can_open:
            return {}
        if item is None:
            return {self.root.address: files_of(library, top)}
        folders = (path for path in reversed(item.address.path.parents) if path.is_relative_to(top))
        # A file in a folder is no archive to look into, but an archive that is opened itself is.
        archives = item.holders or ((item,) if item.address == self.root.address else ())
        found = {Address(path): files_of(library, path) for path in folders}
        return found | {archive.address: entries_of(archive) for archive in archives}


def locate(library: FileStore, address: Address) -> Located:
    """What an address leads to, of which each file is read once; raises `MshviewError`."""
    if not address.entries and library.is_folder(address.path):
        return Located(folder_row(address.path))
    item = _as_listed(library.open(address))
    return Located(file_row((*item.holders, item)[0]), item)


def _as_listed(item: Item) -> Item:
    """An item with every entry of its address named as the lists name it."""
    if item.holder is None or item.entry is None:
        return item
    holder = _as_listed(item.holder)
    return replace(item, address=entries_of(holder).entry(item.entry.index).address, holder=holder)


def _first_resource(item: Item) -> Item | None:
    """The item to show instead of a model: itself, or an archive's first entry that is not an archive."""
    if kind_of(item).id not in ARCHIVES:
        return item
    rows = entries_of(item)
    index = next(iter(np.flatnonzero(~rows.kinds.are(ARCHIVES))), None)
    return None if index is None else _member(item, rows, int(index))


def _member(item: Item, rows: EntryList, index: int) -> Item:
    return item.follow(rows.entry(index).address.name)


def _models_of_archive(item: Item) -> Iterator[Item]:
    """The readable models of an archive, then those of the archives in it; after many others it gives up."""
    rows = entries_of(item)
    for index in rows.of_kinds(MODELS)[:MOST_TRIED]:
        with suppress(MshviewError):
            model = _member(item, rows, index)
            model.read_model()
            yield model
    for index in rows.of_kinds(ARCHIVES)[:MOST_TRIED]:
        yield from _models_of_archive(_member(item, rows, index))


def _models_of_folder(library: FileStore, folder: Address, depth: int = DEEPEST_FOLDER) -> Iterator[Item]:
    """The readable models in the archives of a folder, its model files, then those of its folders.

    Links are not followed: they lead out of the folder, or to what is found without them.
    """
    with suppress(MshviewError):
        rows = [row for row in files_of(library, folder.path) if not row.address.path.is_symlink()]
        for row in sorted(rows, key=lambda row: _SEARCH_ORDER.get(row.kind, 0)):
            yield from _models_of_row(library, row, depth)


def _models_of_row(library: FileStore, row: BrowserEntry, depth: int) -> Iterator[Item]:
    if row.kind == FOLDER and depth > 0:
        yield from _models_of_folder(library, row.address, depth - 1)
    with suppress(MshviewError):
        if row.kind in ARCHIVES:
            yield from _models_of_archive(library.open(row.address))
        elif row.kind == MODEL.id:
            model = library.open(row.address)
            model.read_model()
            yield model
