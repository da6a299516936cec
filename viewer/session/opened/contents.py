"""What lies below the folders and archives of the browser: how many models, textures, units, maps and so on.

Counting reads the directory of every archive, so it is work for a thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final

import numpy as np

from viewer.errors import MshviewError
from viewer.formats.text import fold
from viewer.model.kinds.registry import by_id
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import checkpoint, current
from viewer.session.opened import listing
from viewer.session.opened.browser_entry import FOLDER, BrowserEntry
from viewer.session.opened.browser_tree import Contents
from viewer.session.opened.entry_list import ARCHIVES, EntryList
from viewer.session.opened.listing import UNITS

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


def count_below(library: FileStore, root: Address) -> dict[str, Contents]:
    """Return the contents of a folder or archive and of each folder and archive in it, by address.

    Links to folders are not followed; what cannot be read counts as itself alone.
    """
    found: dict[str, Counter[str]] = {}
    files = [*_files(library, root)][:MOST_FILES]
    for file in current().over(files, lambda file: file.name):
        own = _contents_in(library, file) if file.kind in ARCHIVES else Counter()
        if file.kind in ARCHIVES:
            found[file.address] = own
        with_itself = own + Counter([_kind(library, file)])
        for folder in _folders_above(file, root):
            found.setdefault(folder, Counter()).update(with_itself)
    return dict(found)


def _files(library: FileStore, root: Address) -> Iterator[BrowserEntry]:
    """The files below a folder at any depth, or the root itself if it is a file."""
    first = listing.root_of(library, root)
    waiting = [first] if first.kind == FOLDER else []
    if not waiting:
        yield first
    while waiting:
        checkpoint()
        entries: EntryList | tuple[()] = ()
        with suppress(MshviewError):
            entries = listing.entries_below(library, Address(Path(waiting.pop().address)))
        for entry in entries:
            if entry.kind != FOLDER:
                yield entry
            elif not Path(entry.address).is_symlink():
                waiting.append(entry)


def _folders_above(file: BrowserEntry, root: Address) -> Iterator[str]:
    """The folders from the root to a file; none if the file is the root."""
    for folder in PurePath(file.address).parents:
        if folder.is_relative_to(root.path):
            yield str(folder)


def _contents_in(library: FileStore, archive: BrowserEntry) -> Counter[str]:
    listings, _ = listing.everything_below(library, Address(Path(archive.address)))
    return sum(map(contents_of, listings.values()), Counter())


def _kind(library: FileStore, file: BrowserEntry) -> str:
    """The kind that a file of a folder counts as."""
    if fold(file.name.encode(errors="replace")) == _TERRAIN:
        return MAP
    if file.kind == UNITS:
        with suppress(MshviewError):
            magic = by_id(UNITS).magic
            return UNITS if library.head(Path(file.address), len(magic)) == magic else UNKNOWN
    return file.kind
