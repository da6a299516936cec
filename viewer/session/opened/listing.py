"""The content of an address: the entries below it, counted by kind.

Folders are listed by name alone; archives are read. Everything here may run in a worker thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import MshviewError
from viewer.formats.text import fold
from viewer.model.game.part_names import NO_NAMES, PartNames, names_around
from viewer.model.kinds.registry import ARCHIVES, MODEL, by_id, kind_of, presumed_id
from viewer.model.store.address import Address
from viewer.model.store.disk import is_link
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.progress import checkpoint, current
from viewer.session.opened.browser import Contents
from viewer.session.opened.entry_list import FOLDER, ArchiveEntries, BrowserEntry, EntryList, FileEntries

MOST_NESTED: Final = 1000
"""Archives inside a file that are listed with it; the others are listed one by one."""
UNITS: Final = "units"
"""The kind of units, and the folder that they are in, in lower case."""


def folder_row(path: Path) -> BrowserEntry:
    """The row of a folder."""
    return BrowserEntry(Address(path), path.name or str(path), FOLDER, can_open=True)


def file_row(item: Item) -> BrowserEntry:
    """The row of a file that is read."""
    kind = kind_of(item).id
    return BrowserEntry(item.address, item.address.name, kind, len(item.data), can_open=kind in ARCHIVES)


def entries_below(library: FileStore, address: Address, *, has_names: bool = True) -> EntryList:
    """The rows below a folder or an archive; raises `MshviewError` if it cannot be read.

    Parameters
    ----------
    has_names
        Whether they have what the game calls parts.
    """
    if _is_folder(library, address):
        return files_of(library, address.path)
    names = names_around(library, address.path) if has_names else NO_NAMES
    return entries_of(library.open(address), names)


def files_of(library: FileStore, folder: Path) -> EntryList:
    """The rows below a folder; raises `MshviewError` if it cannot be listed."""
    return FileEntries([*_files(library, folder)])


def entries_of(item: Item, names: PartNames = NO_NAMES) -> EntryList:
    """The rows below an archive, none below anything else; raises `MshviewError` if it cannot be read."""
    container = item.container
    if container is None:
        return FileEntries(())
    rows = item.once(("rows", item.address), lambda: ArchiveEntries(item.address, container))
    if not len(names):
        return rows
    # The columns of the rows are made once: those with names share them.
    called = ("rows", item.address, names)
    return item.once(called, lambda: rows.with_names(names.in_archive(item.name, container)))


def everything_below(
    library: FileStore, address: Address, *, has_names: bool = True
) -> tuple[dict[Address, EntryList], frozenset[Address]]:
    """The rows below a folder or an archive, also of the archives in an archive, and what cannot be read.

    A file is read once; if it was not kept before, it is not kept now.
    """
    listings: dict[Address, EntryList] = {}
    unreadable: set[Address] = set()
    is_kept = library.has(address.path)
    waiting = [address]
    while waiting:
        checkpoint()
        above = waiting.pop()
        try:
            rows = listings[above] = entries_below(library, above, has_names=has_names)
        except MshviewError:
            unreadable.add(above)
            continue
        if not _is_folder(library, above) and len(listings) < MOST_NESTED:
            waiting += [rows.entry(index).address for index in rows.of_kinds(ARCHIVES)]
    if not is_kept:
        library.forget(address.path)
    return listings, frozenset(unreadable)


def _is_folder(library: FileStore, address: Address) -> bool:
    return not address.entries and library.is_folder(address.path)


def _files(library: FileStore, folder: Path) -> Iterator[BrowserEntry]:
    """Folders first, then files, by name, ignoring case."""
    paths = [folder / name for name in library.names(folder) if not name.startswith(".")]
    # False sorts before True: folders are first.
    for path in sorted(paths, key=lambda path: (not library.is_folder(path), path.name.casefold())):
        if library.is_folder(path):
            yield folder_row(path)
        else:
            kind, revision = _presumed_kind(path), library.revision(path)
            size = revision.size if revision else 0
            yield BrowserEntry(Address(path), path.name, kind, size, can_open=kind in ARCHIVES)


def _presumed_kind(path: Path) -> str:
    """The likely kind of an unread file: by its suffix, and of a ``.dat`` by the folder of units above it."""
    kind = presumed_id(path.name)
    is_unit = kind.lower() == "dat" and any(part.lower() == UNITS for part in path.parts[:-1])
    return UNITS if is_unit else kind


MODELS: Final = frozenset({MODEL.id})
MOST_TRIED: Final = 256
"""Entries of one archive that are tried in the search for its first readable model."""


class Located(Struct, frozen=True, eq=False):
    """The item at an address, with its holder.

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
        """The kind of the item, as ``mshview ls`` names it."""
        return self.root.kind if self.item is None else kind_of(self.item).id

    def choose(self, *, is_exact: bool) -> tuple[Item | None, Item | None]:
        """The model to show for it, or if there is none the item to show; neither for a folder.

        An archive that cannot be read is shown itself, as an archive whose first entry cannot be read.

        Parameters
        ----------
        is_exact
            Show the item itself instead of the first thing to be shown in it.
        """
        if self.item is None:
            return None, None
        if is_exact:
            return (self.item, None) if self.kind == MODEL.id else (None, self.item)
        model = self.first_model
        return model, None if model else _first_resource(self.item)

    @property
    def first_model(self) -> Item | None:
        """The model to show: the item itself, or the first readable one of an archive; or None."""
        if self.item is not None and self.kind in ARCHIVES:
            return next(_models_of_archive(self.item), None)
        return self.item if self.kind == MODEL.id else None

    def listings(self, library: FileStore, below: Item | None = None) -> dict[Address, EntryList]:
        """The rows of the folders and archives from the root down to it, or to an item below it."""
        item = below or self.item
        if not self.root.can_open:
            return {}
        if item is None:
            return {self.root.address: files_of(library, self.root.address.path)}
        archives = item.holders or (item,)
        names = names_around(library, item.address.path)
        return {archive.address: _readable_entries(archive, names) for archive in archives}


def locate(library: FileStore, address: Address) -> Located:
    """The item at an address, whose files are read once; raises `MshviewError`."""
    if _is_folder(library, address):
        return Located(folder_row(address.path))
    item = _as_listed(library.open(address))
    return Located(file_row((*item.holders, item)[0]), item)


def _as_listed(item: Item) -> Item:
    """An item with every entry of its address named as the lists name it."""
    if item.holder is None or item.entry is None:
        return item
    holder = _as_listed(item.holder)
    return replace(item, address=entries_of(holder).entry(item.entry.index).address, holder=holder)


def _readable_entries(item: Item, names: PartNames = NO_NAMES) -> EntryList:
    """The rows below an archive; none below one that cannot be read."""
    with suppress(MshviewError):
        return entries_of(item, names)
    return FileEntries(())


def _first_resource(item: Item) -> Item | None:
    """The item to show instead of a model: itself, or an archive's first entry that is not an archive."""
    if kind_of(item).id not in ARCHIVES:
        return item
    with suppress(MshviewError):
        rows = entries_of(item)
        index = next(iter(np.flatnonzero(~rows.kinds.are(ARCHIVES))), None)
        return None if index is None else _member(item, rows, int(index))
    return item


def _member(item: Item, rows: EntryList, index: int) -> Item:
    return item.follow(rows.entry(index).address.name)


def _models_of_archive(item: Item) -> Iterator[Item]:
    """The readable models of an archive, then those of the archives in it; after many others it gives up."""
    rows = _readable_entries(item)
    for index in rows.of_kinds(MODELS)[:MOST_TRIED]:
        with suppress(MshviewError):
            model = _member(item, rows, index)
            model.read_model()
            yield model
    for index in rows.of_kinds(ARCHIVES)[:MOST_TRIED]:
        yield from _models_of_archive(_member(item, rows, index))


UNKNOWN: Final = ""
"""The kind of a file that is not what it was presumed to be."""
MAP: Final = "terrain"
"""The terrain of a map."""
MOST_FILES: Final = 20_000
"""Files that are counted; of a larger folder the first ones."""
_TERRAIN: Final = b"land.msh"


def contents_of(entries: EntryList) -> Counter[str]:
    """Return how many entries of each kind a list has."""
    numbers = np.bincount(entries.kinds.codes, minlength=len(entries.kinds.ids)).tolist()
    return Counter(dict(zip(entries.kinds.ids, numbers, strict=True)))


def count_below(library: FileStore, root: Address) -> dict[Address, Contents]:
    """Return the contents of a folder or archive and of each folder and archive in it, by address.

    Links to folders are not followed; what cannot be read counts as itself alone.
    """
    found: dict[Address, Counter[str]] = {}
    files = [*_files_below(library, root)][:MOST_FILES]
    for file in current().over(files, lambda file: file.name):
        own = _contents_in(library, file) if file.kind in ARCHIVES else Counter()
        if file.kind in ARCHIVES:
            found[file.address] = own
        with_itself = own + Counter([_kind(library, file)])
        for folder in _folders_above(file, root):
            found.setdefault(folder, Counter()).update(with_itself)
    return dict(found)


def _files_below(library: FileStore, root: Address) -> Iterator[BrowserEntry]:
    """The files below a folder at any depth, or the root itself if it is a file."""
    waiting = [folder_row(root.path)] if library.is_folder(root.path) else []
    if not waiting:
        yield file_row(library.open(root))
    while waiting:
        checkpoint()
        entries: EntryList | tuple[()] = ()
        with suppress(MshviewError):
            entries = entries_below(library, waiting.pop().address)
        for entry in entries:
            if entry.kind != FOLDER:
                yield entry
            elif not is_link(entry.address.path):
                waiting.append(entry)


def _folders_above(file: BrowserEntry, root: Address) -> Iterator[Address]:
    """The folders from the root to a file; none if the file is the root."""
    for folder in file.address.path.parents:
        if folder.is_relative_to(root.path):
            yield Address(folder)


def _contents_in(library: FileStore, archive: BrowserEntry) -> Counter[str]:
    listings, _ = everything_below(library, archive.address, has_names=False)
    return sum(map(contents_of, listings.values()), Counter())


def _kind(library: FileStore, file: BrowserEntry) -> str:
    """The kind that a file of a folder counts as."""
    if fold(file.name.encode(errors="replace")) == _TERRAIN:
        return MAP
    if file.kind == UNITS:
        with suppress(MshviewError):
            magic = by_id(UNITS).magic
            return UNITS if library.head(file.address.path, len(magic)) == magic else UNKNOWN
    return file.kind
