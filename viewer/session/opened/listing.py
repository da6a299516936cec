"""The entries below an address, how many of each kind there are, and the model to show for it.

Folders are listed by name alone; archives are read. Everything here may run in a worker thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np

from viewer.errors import MshviewError
from viewer.formats.text import fold
from viewer.model.kinds.registry import MODEL, by_id, kind_of, presumed_id
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import checkpoint, current
from viewer.session.opened.browser import Contents
from viewer.session.opened.entry_list import (
    ARCHIVES,
    FOLDER,
    ArchiveEntries,
    BrowserEntry,
    EntryList,
    FileEntries,
)

MODELS: Final = frozenset({MODEL.id})
MOST_TRIED: Final = 256
"""Entries of one archive that are tried in the search for its first readable model."""
MOST_NESTED: Final = 1000
"""Archives inside a file that are listed with it; the others are listed one by one."""
DEEPEST_FOLDER: Final = 3
"""Depth to which a folder is searched for a model; the maps of a game are that deep."""
UNITS: Final = "units"
"""The kind of units, and the folder that they are in, in lower case."""
_SEARCH_ORDER: Final = {MODEL.id: 1, FOLDER: 2}


def root_of(library: FileStore, address: Address) -> BrowserEntry:
    """The row that an address hangs under: its folder or file; raises `MshviewError`."""
    path = address.path
    if library.is_folder(path):
        return BrowserEntry(Address(path), path.name or str(path), FOLDER, can_open=True)
    item = library.open(Address(path))
    kind = kind_at(library, Address(path))
    return BrowserEntry(Address(path), path.name, kind, len(item.data), can_open=kind in ARCHIVES)


def kind_at(library: FileStore, address: Address) -> str:
    """The kind of the item at an address; raises `MshviewError`."""
    return kind_of(library.open(address)).id


def entries_below(library: FileStore, address: Address) -> EntryList:
    """The rows below a folder or an archive; raises `MshviewError` if it cannot be read."""
    if _is_folder(library, address):
        return FileEntries([*_files(library, address.path)])
    item = library.open(address)
    container = library.container(item)
    if container is None:
        return FileEntries(())
    return item.once(("rows", address), lambda: ArchiveEntries(address, container))


def everything_below(
    library: FileStore, address: Address
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
            rows = listings[above] = entries_below(library, above)
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
            yield BrowserEntry(Address(path), path.name, FOLDER, can_open=True)
        else:
            kind, revision = _presumed_kind(path), library.revision(path)
            size = revision.size if revision else 0
            yield BrowserEntry(Address(path), path.name, kind, size, can_open=kind in ARCHIVES)


def _presumed_kind(path: Path) -> str:
    """The likely kind of an unread file: by its suffix, and of a ``.dat`` by the folder of units above it."""
    kind = presumed_id(path.name)
    is_unit = kind.lower() == "dat" and any(part.lower() == UNITS for part in path.parts[:-1])
    return UNITS if is_unit else kind


def canonical(library: FileStore, address: Address) -> Address:
    """The address with every entry named as `entries_below` names it; raises if there is no such item."""
    result = Address(address.path)
    for entry in address.entries:
        item = library.open(result)
        container = library.container(item)
        found = library.open(result.child(entry)).entry
        if container is None or found is None:
            result = result.child(entry)
        else:
            rows = entries_below(library, result)
            result = result.child(rows.entry(found.index).address.name)
    return result


def shown_at(
    library: FileStore, address: Address, *, is_exact: bool
) -> tuple[Address | None, Address | None]:
    """The item to show for an address: the first model, or if there is none the item at the address."""
    if not is_exact:
        model = first_model(library, address)
        return model, None if model else first_resource(library, address)
    if _is_folder(library, address):
        return None, None
    is_model = kind_of(library.open(address)) is MODEL
    return (address, None) if is_model else (None, address)


def first_model(library: FileStore, address: Address) -> Address | None:
    """The model to show for an address: itself, or the first readable one below; or None."""
    if _is_folder(library, address):
        return next(_models_of_folder(library, address), None)
    kind = kind_at(library, address)
    if kind in ARCHIVES:
        return next(_models_of_archive(library, address), None)
    return address if kind == MODEL.id else None


def first_resource(library: FileStore, address: Address) -> Address | None:
    """The item to show for an address without a model: itself or an archive's first entry; no folders."""
    if _is_folder(library, address):
        return None
    if kind_at(library, address) not in ARCHIVES:
        return address
    rows = entries_below(library, address)
    index = next(iter(np.flatnonzero(~rows.kinds.are(ARCHIVES))), None)
    return None if index is None else rows.entry(int(index)).address


def _models_of_archive(library: FileStore, address: Address) -> Iterator[Address]:
    """The readable models of an archive, then those of the archives in it; after many others it gives up."""
    rows = entries_below(library, address)
    for index in rows.of_kinds(MODELS)[:MOST_TRIED]:
        model = rows.entry(index).address
        if _is_readable(library, model):
            yield model
    for index in rows.of_kinds(ARCHIVES)[:MOST_TRIED]:
        yield from _models_of_archive(library, rows.entry(index).address)


def _models_of_folder(library: FileStore, address: Address, depth: int = DEEPEST_FOLDER) -> Iterator[Address]:
    """The readable models in the archives of a folder, its model files, then those of its folders.

    Links are not followed: they lead out of the folder, or to what is found without them.
    """
    with suppress(MshviewError):
        rows = [row for row in entries_below(library, address) if not row.address.path.is_symlink()]
        for row in sorted(rows, key=lambda row: _SEARCH_ORDER.get(row.kind, 0)):
            yield from _models_of_row(library, row, depth)


def _models_of_row(library: FileStore, row: BrowserEntry, depth: int) -> Iterator[Address]:
    below = row.address
    if row.kind == MODEL.id and _is_readable(library, below):
        yield below
    elif row.kind in ARCHIVES:
        with suppress(MshviewError):
            yield from _models_of_archive(library, below)
    elif row.kind == FOLDER and depth > 0:
        yield from _models_of_folder(library, below, depth - 1)


def _is_readable(library: FileStore, address: Address) -> bool:
    try:
        library.model(address)
    except MshviewError:
        return False
    return True


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
    first = root_of(library, root)
    waiting = [first] if first.kind == FOLDER else []
    if not waiting:
        yield first
    while waiting:
        checkpoint()
        entries: EntryList | tuple[()] = ()
        with suppress(MshviewError):
            entries = entries_below(library, waiting.pop().address)
        for entry in entries:
            if entry.kind != FOLDER:
                yield entry
            elif not entry.address.path.is_symlink():
                waiting.append(entry)


def _folders_above(file: BrowserEntry, root: Address) -> Iterator[Address]:
    """The folders from the root to a file; none if the file is the root."""
    for folder in file.address.path.parents:
        if folder.is_relative_to(root.path):
            yield Address(folder)


def _contents_in(library: FileStore, archive: BrowserEntry) -> Counter[str]:
    listings, _ = everything_below(library, archive.address)
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
