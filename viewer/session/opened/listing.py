"""The entries below an address, for the browser, and the model to show for it.

Folders are listed by name alone; archives are read. Everything here may run in a worker thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from viewer.errors import MshviewError
from viewer.formats.text import encode, fold
from viewer.model.kinds.listing import listing
from viewer.model.kinds.registry import ARCHIVE, MODEL, PACKED, kind_of, presumed_id
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.file_store import Container, FileStore, Item
from viewer.progress import checkpoint
from viewer.session.opened.browser_tree import FOLDER, BrowserEntry

ARCHIVES: Final = (ARCHIVE.id, PACKED.id)
DEEPEST_FOLDER: Final = 3
"""Depth to which a folder is searched for a model; the maps of a game are that deep."""
_SEARCH_ORDER: Final = {MODEL.id: 1, FOLDER: 2}


def root_of(library: FileStore, address: Address) -> BrowserEntry:
    """The row that an address hangs under: its folder or file; raises `MshviewError`."""
    path = address.path
    if library.is_folder(path):
        return BrowserEntry(str(path), path.name or str(path), FOLDER, can_open=True)
    item = library.open(Address(path))
    kind = kind_at(library, Address(path))
    return BrowserEntry(str(path), path.name, kind, len(item.data), can_open=kind in ARCHIVES)


def kind_at(library: FileStore, address: Address) -> str:
    """The kind of the item at an address; raises `MshviewError`."""
    return kind_of(library.open(address)).id


def entries_below(library: FileStore, address: Address) -> tuple[BrowserEntry, ...]:
    """The rows below a folder or an archive; raises `MshviewError` if it cannot be read."""
    if _is_folder(library, address):
        return tuple(_files(library, address.path))
    item = library.open(address)
    container = library.container(item)
    if container is None:
        return ()
    return item.once(("rows", address), lambda: tuple(_rows(item, container, address)))


def _is_folder(library: FileStore, address: Address) -> bool:
    return not address.entries and library.is_folder(address.path)


def _rows(item: Item, container: Container, address: Address) -> Iterator[BrowserEntry]:
    for row, name in zip(listing(container), _names(item, container), strict=True):
        checkpoint()
        yield _row(address, row, name)


def _row(address: Address, row: Mapping[str, Any], name: str) -> BrowserEntry:
    kind = row["type_name"]
    child = str(address.child(name))
    return BrowserEntry(child, row["name"] or name, kind, row["size"], can_open=kind in ARCHIVES)


def _files(library: FileStore, folder: Path) -> Iterator[BrowserEntry]:
    """Folders first, then files, by name, ignoring case."""
    paths = [folder / name for name in library.names(folder) if not name.startswith(".")]
    for path in sorted(paths, key=lambda path: (not library.is_folder(path), path.name.casefold())):
        if library.is_folder(path):
            yield BrowserEntry(str(path), path.name, FOLDER, can_open=True)
        else:
            kind, revision = presumed_id(path.name), library.revision(path)
            size = revision.size if revision else 0
            yield BrowserEntry(str(path), path.name, kind, size, can_open=kind in ARCHIVES)


def _names(item: Item, container: Container) -> list[str]:
    """The address part of each entry: its name if that is found as this entry, otherwise its number."""
    return item.once(_names, lambda: _make_names(container))


def _make_names(container: Container) -> list[str]:
    texts = [entry.text for entry in container.entries]
    folded = [fold(encode(text)) for text in texts]
    times = Counter(folded)
    return [
        text if times[name] == 1 and _is_plain(text) else f"#{index}"
        for index, (text, name) in enumerate(zip(texts, folded, strict=True))
    ]


def _is_plain(name: str) -> bool:
    return bool(name) and not name.startswith("#") and SEPARATOR not in name


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
            result = result.child(_names(item, container)[found.index])
    return result


def shown_at(
    library: FileStore, address: Address, *, is_exact: bool
) -> tuple[Address | None, Address | None]:
    """The item to show for an address: the first model, or if there is none the item at the address."""
    if not is_exact:
        model = first_model(library, address)
        return model, None if model else first_resource(library, address)
    if not address.entries and address.path.is_dir():
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
    return next((Address.parse(row.address) for row in rows if not row.can_open), None)


def _models_of_archive(library: FileStore, address: Address) -> Iterator[Address]:
    """The readable models of an archive, then those of the archives in it."""
    rows = entries_below(library, address)
    for row in rows:
        if row.kind == MODEL.id and _is_readable(library, Address.parse(row.address)):
            yield Address.parse(row.address)
    for row in rows:
        if row.can_open:
            yield from _models_of_archive(library, Address.parse(row.address))


def _models_of_folder(library: FileStore, address: Address, depth: int = DEEPEST_FOLDER) -> Iterator[Address]:
    """The readable models in the archives of a folder, its model files, then those of its folders."""
    with suppress(MshviewError):
        rows = entries_below(library, address)
        for row in sorted(rows, key=lambda row: _SEARCH_ORDER.get(row.kind, 0)):
            yield from _models_of_row(library, row, depth)


def _models_of_row(library: FileStore, row: BrowserEntry, depth: int) -> Iterator[Address]:
    below = Address.parse(row.address)
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
