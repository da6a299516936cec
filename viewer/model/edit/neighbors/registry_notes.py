"""What the registry of the same folder still calls by the old name of an entry.

The registry is a file of its own, so its references do not follow; they are told.

Source: spec/objects.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from viewer.errors import MshviewError
from viewer.formats import objects
from viewer.formats.archive import nres
from viewer.formats.text import decode, encode, fold
from viewer.model.edit.archive import directory
from viewer.model.edit.plan import Plan
from viewer.model.game.registry import REGISTRY
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import Folder
from viewer.translation import Sentence

MOST_NAMES: Final = 3
"""Entries, and objects, that a note names."""


def find_notes(library: FileStore, address: Address, made: Plan) -> Iterator[str]:
    """Yield a note if objects of the registry refer to entries of an archive that are renamed or removed."""
    lost = {} if address.entries else _lost(made)
    archive = _registry(library, address.path.parent) if lost else None
    if archive is None:
        return
    found = [(user, name) for user, name in _references(archive, address.path) if name in lost]
    if found:
        yield Sentence(
            "{registry} still refers to {entries}, in {objects}",
            registry=decode(REGISTRY),
            entries=_names(lost[name] for _, name in found),
            objects=_names(user for user, _ in found),
        )


def _lost(made: Plan) -> dict[bytes, str]:
    """The stored names that no entry has any more, by how they are compared."""
    if not made.splices:
        return {}
    old, new = directory.archive_in(made.before), directory.archive_in(made.after)
    if old is None or new is None:
        return {}
    names = {fold(entry.name) for entry in new.entries}
    return {fold(entry.name): entry.text for entry in old.entries if fold(entry.name) not in names}


def _registry(library: FileStore, folder: Path) -> nres.Archive | None:
    path = Folder(folder, library).file(REGISTRY)
    try:
        container = None if path is None else library.container(library.open(Address(path)))
    except MshviewError:
        return None
    return container if isinstance(container, nres.Archive) else None


def _references(registry: nres.Archive, archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield objects and the entries of an archive that they refer to."""
    try:
        requested = fold(encode(archive.name))
    except ValueError:
        return
    for entry in registry.entries:
        if entry.is_damaged:
            continue
        for holder, resource in objects.decode(registry.payload(entry.index)).pairs:
            if fold(holder.strip()) == requested:
                yield entry.text, fold(resource.strip())


def _names(names: Iterable[str]) -> str:
    """Names, each once, at most `MOST_NAMES`."""
    once = [*dict.fromkeys(names)]
    shown = ", ".join(once[:MOST_NAMES])
    if len(once) <= MOST_NAMES:
        return shown
    return Sentence("{names} and {count} more", names=shown, count=len(once) - MOST_NAMES)
