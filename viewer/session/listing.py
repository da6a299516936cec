"""What lies below an address, for the browser, and the model that is shown for it.

Folders are listed by name alone; archives are read. Everything here may run in a worker thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from viewer.errors import AddressError, MshviewError
from viewer.formats.nres import Archive, Entry
from viewer.formats.text import fold
from viewer.model.library import SEPARATOR, Address, Item, Library
from viewer.model.model import variant_of
from viewer.session.browser import BrowserEntry

FOLDER: Final = "folder"
MODEL: Final = "msh"
ARCHIVE: Final = "nres"
ARCHIVE_SUFFIXES: Final = (".lib", ".rlb")
MODEL_SUFFIX: Final = ".msh"


def root_of(library: Library, address: Address) -> BrowserEntry:
    """The row that an address hangs under: its folder or file; raises `MshviewError`."""
    path = address.path
    if path.is_dir():
        return BrowserEntry(str(path), path.name or str(path), FOLDER, can_open=True)
    item = library.open(Address(path))
    kind = _kind(library, item)
    return BrowserEntry(str(path), path.name, kind, len(item.data), can_open=kind == ARCHIVE)


def entries_below(library: Library, address: Address) -> tuple[BrowserEntry, ...]:
    """The rows below a folder or an archive; raises `MshviewError` where it cannot be read."""
    if not address.entries and address.path.is_dir():
        return tuple(_files(address.path))
    item = library.open(address)
    archive = library.container(item)
    if not isinstance(archive, Archive):
        return ()
    names = _names(archive)
    return tuple(_row(library, address, archive, index, name) for index, name in enumerate(names))


def _row(library: Library, address: Address, archive: Archive, index: int, name: str) -> BrowserEntry:
    entry = archive.entries[index]
    child = address.child(name)
    kind = "damaged" if entry.is_damaged else _kind(library, Item(child, archive.payload(index), entry))
    return BrowserEntry(str(child), entry.text or name, kind, entry.size, can_open=kind == ARCHIVE)


def _files(folder: Path) -> Iterator[BrowserEntry]:
    """Folders first, then files, by name whatever its case."""
    try:
        paths = sorted(folder.iterdir(), key=lambda path: (path.is_file(), path.name.casefold()))
        for path in paths:
            if path.name.startswith("."):
                continue
            suffix = path.suffix.lower()
            if path.is_dir():
                yield BrowserEntry(str(path), path.name, FOLDER, can_open=True)
            else:
                kind = ARCHIVE if suffix in ARCHIVE_SUFFIXES else suffix.removeprefix(".")
                yield BrowserEntry(str(path), path.name, kind, path.stat().st_size, can_open=kind == ARCHIVE)
    except OSError as error:
        raise AddressError(f"cannot be listed: {error.strerror}", source=str(folder)) from error


def _kind(library: Library, item: Item) -> str:
    try:
        archive = library.container(item)
    except MshviewError:
        return "damaged"
    if isinstance(archive, Archive):
        return ARCHIVE if variant_of(archive) is None else MODEL
    return _suffix(item) or "?"


def _suffix(item: Item) -> str:
    name = item.entry.text if isinstance(item.entry, Entry) else item.address.name
    return name.rpartition(".")[2].lower() if "." in name else ""


def _names(archive: Archive) -> list[str]:
    """How an address names each entry: by its name where that leads to it, else by its number."""
    times = Counter(fold(entry.name) for entry in archive.entries)
    return [
        entry.text if times[fold(entry.name)] == 1 and _is_plain(entry.text) else f"#{entry.index}"
        for entry in archive.entries
    ]


def _is_plain(name: str) -> bool:
    return bool(name) and not name.startswith("#") and SEPARATOR not in name


def canonical(library: Library, address: Address) -> Address:
    """The address with every entry named as `entries_below` names it; raises where it leads nowhere."""
    result = Address(address.path)
    for entry in address.entries:
        archive = library.container(library.open(result))
        found = library.open(result.child(entry)).entry
        if isinstance(archive, Archive) and isinstance(found, Entry):
            result = result.child(_names(archive)[found.index])
        else:
            result = result.child(entry)
    return result


def first_model(library: Library, address: Address) -> Address | None:
    """The model to show for an address: itself, or the first one below; None where there is none."""
    if not address.entries and address.path.is_dir():
        return _first_of_folder(library, address)
    item = library.open(address)
    kind = _kind(library, item)
    if kind == MODEL:
        return address
    return _first_of(library, entries_below(library, address)) if kind == ARCHIVE else None


def _first_of(library: Library, rows: tuple[BrowserEntry, ...]) -> Address | None:
    models = (Address.parse(row.address) for row in rows if row.kind == MODEL)
    nested = (first_model(library, Address.parse(row.address)) for row in rows if row.kind == ARCHIVE)
    return next(models, None) or next((found for found in nested if found), None)


def _first_of_folder(library: Library, address: Address) -> Address | None:
    """The first model of the archives of a folder, else of its model files; damaged ones are passed over."""
    rows = entries_below(library, address)
    archives = [row for row in rows if row.name.lower().endswith(ARCHIVE_SUFFIXES)]
    files = [row for row in rows if row.name.lower().endswith(MODEL_SUFFIX)]
    for row in (*archives, *files):
        try:
            found = first_model(library, Address.parse(row.address))
        except MshviewError:
            continue
        if found is not None:
            return found
    return None
